/* SPDX-License-Identifier: BSD-3-Clause */
/* Write-behind queue: one thread writes a buffer while another is filled. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/write_behind.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/thread.h"

#define ROOM 32768 /* records of a batch, which the caches hold */
#define DOZE 0.2   /* seconds between two polls, */
#define NAP 0.01   /* or sooner, if tiles may wait less */

struct vs_write_behind {
	struct vs_write_behind_plan plan;
	pthread_t thread;
	bool running;
	/* all protected by the lock */
	pthread_mutex_t lock;
	pthread_cond_t turn; /* something below has changed */
	struct vs_write_behind_batch batch[2];
	int filling;  /* which batch the caller fills; the other is written */
	double whole; /* when the other batch, of whole tiles only, was full */
	bool pending; /* the other batch is ready to be written */
	bool busy, end;
	bool over; /* closed: nothing more is taken */
	int code;  /* the first failure */
};

static void
empty(struct vs_write_behind_batch *b)
{
	b->n = b->n_tile = b->n_whole = 0;
	b->whole = true;
	vs_tile_counts_clear(&b->counts);
}

/* Wait until nothing is being written. The lock is held. */
static int
settle(struct vs_write_behind *s)
{
	while (s->busy)
		pthread_cond_wait(&s->turn, &s->lock);
	return s->code;
}

/* Write a batch or, if null, see what else there is. The lock is held, but
 * released meanwhile. */
static void
write_one(struct vs_write_behind *s, const struct vs_write_behind_batch *b)
{
	int code = s->code;

	s->busy = true;
	pthread_mutex_unlock(&s->lock);
	if (!code)
		code = b ? s->plan.write(s->plan.ctx, b)
			 : s->plan.tend(s->plan.ctx);
	pthread_mutex_lock(&s->lock);
	s->code = code;
	s->busy = false;
	pthread_cond_broadcast(&s->turn);
}

/* The batch that is filled is the next to be written. */
static void
turn(struct vs_write_behind *s)
{
	if (s->batch[s->filling].whole)
		s->whole = vs_clock();
	s->filling = !s->filling;
	empty(&s->batch[s->filling]);
}

/* Wait for a change, or until the next poll. */
static void
doze(struct vs_write_behind *s)
{
	double rest = fmin(fmax(s->plan.patience, NAP), DOZE);
	struct timespec until = vs_clock_deadline(rest);

	pthread_cond_clockwait(&s->turn, &s->lock, CLOCK_MONOTONIC, &until);
}

static void *
write_on(void *arg)
{
	struct vs_write_behind *s = arg;

	pthread_mutex_lock(&s->lock);
	while (!s->end) {
		const struct vs_write_behind_batch *b = &s->batch[s->filling];

		if (s->over || s->busy) {
			pthread_cond_wait(&s->turn, &s->lock);
			continue;
		}
		if (s->pending) {
			s->pending = false;
			write_one(s, &s->batch[!s->filling]);
			continue;
		}
		doze(s);
		if (s->end || s->over || s->pending || s->busy)
			continue;
		/* no tile has ended for a while */
		if (b->n_tile && b->whole &&
			vs_clock() - s->whole >= s->plan.patience) {
			turn(s);
			write_one(s, b);
		} else if (s->plan.tend) {
			write_one(s, NULL);
		}
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int
vs_write_behind_new(struct vs_write_behind **s,
	const struct vs_write_behind_plan *plan)
{
	struct vs_write_behind *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "records");

	if (code)
		return code;
	p->plan = *plan;
	p->whole = vs_clock();
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->turn, NULL);
	empty(&p->batch[0]);
	empty(&p->batch[1]);
	for (int k = 0; k < 2 && !code; k++)
		code = vs_tile_counts_like(&p->batch[k].counts, plan->counts);
	if (!code && !plan->alone) {
		code = vs_thread_start(&p->thread, write_on, p);
		p->running = !code;
	}
	if (code) {
		vs_write_behind_free(p);
		return code;
	}
	*s = p;
	return 0;
}

/* The lock is held. */
static int
submit(struct vs_write_behind *s)
{
	const struct vs_write_behind_batch *b = &s->batch[s->filling];

	while (s->busy || s->pending)
		pthread_cond_wait(&s->turn, &s->lock);
	if (s->code)
		return s->code;
	/* closed meanwhile: no thread would write it */
	if (s->over)
		return VS_DONE;
	turn(s);
	if (s->plan.alone) {
		write_one(s, b);
		return s->code;
	}
	s->pending = true;
	pthread_cond_broadcast(&s->turn);
	return 0;
}

static int
add(struct vs_write_behind *s, const struct vs_record *rec, size_t n)
{
	size_t left = n, now;
	int code = 0;

	for (; left && !code; left -= now, rec += now) {
		struct vs_write_behind_batch *b = &s->batch[s->filling];

		now = ROOM - b->n < left ? ROOM - b->n : left;
		code = vs_mem_grow(&b->rec, &b->room, b->n + now, sizeof(*rec),
			"records");
		if (code)
			break;
		memcpy(b->rec + b->n, rec, now * sizeof(*rec));
		b->n += now;
		b->whole = false;
		if (b->n == ROOM)
			code = submit(s);
	}
	return code;
}

int
vs_write_behind_add(struct vs_write_behind *s, const struct vs_record *rec,
	size_t n)
{
	int code;

	pthread_mutex_lock(&s->lock);
	code = s->over ? VS_DONE : add(s, rec, n);
	pthread_mutex_unlock(&s->lock);
	return code;
}

static int
end_tile(struct vs_write_behind *s, const struct vs_write_behind_tile *tile)
{
	struct vs_write_behind_batch *b = &s->batch[s->filling];
	int code = vs_mem_grow(&b->tile, &b->room_tile, b->n_tile + 1,
		sizeof(*b->tile), "tiles");

	if (code)
		return code;
	vs_tile_counts_add(&b->counts, tile->counts);
	b->tile[b->n_tile] = *tile;
	b->tile[b->n_tile++].counts = NULL;
	b->n_whole = b->n;
	b->whole = true;
	return vs_clock() - s->whole >= s->plan.patience ? submit(s) : 0;
}

int
vs_write_behind_tile(struct vs_write_behind *s,
	const struct vs_write_behind_tile *tile)
{
	int code;

	pthread_mutex_lock(&s->lock);
	code = s->over ? VS_DONE : end_tile(s, tile);
	pthread_mutex_unlock(&s->lock);
	return code;
}

int
vs_write_behind_flush(struct vs_write_behind *s)
{
	const struct vs_write_behind_batch *b;
	int code = 0;

	pthread_mutex_lock(&s->lock);
	b = &s->batch[s->filling];
	if (b->n || b->n_tile)
		code = submit(s);
	while (s->pending && !code)
		pthread_cond_wait(&s->turn, &s->lock);
	if (!code)
		code = settle(s);
	pthread_mutex_unlock(&s->lock);
	return code;
}

int
vs_write_behind_close(struct vs_write_behind *s)
{
	struct vs_write_behind_batch *b;
	int code;

	pthread_mutex_lock(&s->lock);
	s->over = true;
	code = settle(s);
	if (s->pending) {
		s->pending = false;
		write_one(s, &s->batch[!s->filling]);
		code = s->code;
	}
	b = &s->batch[s->filling];
	/* a tile that has begun here is left out */
	b->n = b->n_whole;
	b->whole = true;
	if (!code && b->n_tile) {
		write_one(s, b);
		code = s->code;
	}
	empty(b);
	pthread_mutex_unlock(&s->lock);
	return code;
}

void
vs_write_behind_free(struct vs_write_behind *s)
{
	if (!s)
		return;
	if (s->running) {
		pthread_mutex_lock(&s->lock);
		settle(s);
		s->end = true;
		pthread_cond_broadcast(&s->turn);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
	}
	for (int k = 0; k < 2; k++) {
		free(s->batch[k].rec);
		free(s->batch[k].tile);
		vs_tile_counts_free(&s->batch[k].counts);
	}
	pthread_cond_destroy(&s->turn);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
