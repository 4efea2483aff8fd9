/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "formats/scribe.h"
#include "libcore/base/clock.h"
#include "libcore/base/err.h"
#include "libcore/base/mem.h"

#define ROOM 32768 /* records of a batch, which the caches hold */

struct vs_scribe {
	struct vs_scribe_plan plan;
	struct vs_scribe_batch batch[2];
	int filling;   /* which batch the caller fills; the other is written */
	double handed; /* when a batch was handed over last */
	pthread_t thread;
	bool running;
	/* under the lock */
	pthread_mutex_t lock;
	pthread_cond_t turn; /* busy has changed, or end */
	bool busy, end;
	int code; /* the first failure */
};

static void
empty(struct vs_scribe_batch *b)
{
	b->n = b->n_tile = 0;
	b->whole = true;
}

static void *
write_on(void *arg)
{
	struct vs_scribe *s = arg;

	pthread_mutex_lock(&s->lock);
	while (!s->end) {
		const struct vs_scribe_batch *b = &s->batch[!s->filling];
		int code = s->code;

		if (!s->busy) {
			pthread_cond_wait(&s->turn, &s->lock);
			continue;
		}
		pthread_mutex_unlock(&s->lock);
		if (!code)
			code = s->plan.write(s->plan.ctx, b);
		pthread_mutex_lock(&s->lock);
		s->code = code;
		s->busy = false;
		pthread_cond_signal(&s->turn);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int
vs_scribe_new(struct vs_scribe **s, const struct vs_scribe_plan *plan)
{
	struct vs_scribe *p = NULL;
	int code = vs_new(&p, 1, sizeof(*p), "records"), error;

	if (code)
		return code;
	p->plan = *plan;
	p->handed = vs_clock();
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->turn, NULL);
	empty(&p->batch[0]);
	empty(&p->batch[1]);
	if (!plan->alone) {
		error = pthread_create(&p->thread, NULL, write_on, p);
		p->running = !error;
		if (error)
			code = vs_fail(VS_EMACHINE, "cannot start a thread: %s",
				strerror(error));
	}
	if (code) {
		vs_scribe_free(p);
		return code;
	}
	*s = p;
	return 0;
}

/* Wait until nothing is being written. */
static int
settle(struct vs_scribe *s)
{
	int code;

	pthread_mutex_lock(&s->lock);
	while (s->busy)
		pthread_cond_wait(&s->turn, &s->lock);
	code = s->code;
	pthread_mutex_unlock(&s->lock);
	return code;
}

static int
hand_over(struct vs_scribe *s)
{
	int code = settle(s);

	s->handed = vs_clock();
	if (code)
		return code;
	if (s->plan.alone) {
		s->code = s->plan.write(s->plan.ctx, &s->batch[0]);
		empty(&s->batch[0]);
		return s->code;
	}
	pthread_mutex_lock(&s->lock);
	s->filling = !s->filling;
	empty(&s->batch[s->filling]);
	s->busy = true;
	pthread_cond_signal(&s->turn);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

int
vs_scribe_add(struct vs_scribe *s, const struct vs_record *rec, size_t n)
{
	size_t left = n, now;
	int code = 0;

	for (; left && !code; left -= now, rec += now) {
		struct vs_scribe_batch *b = &s->batch[s->filling];

		now = ROOM - b->n < left ? ROOM - b->n : left;
		code = vs_grow(&b->rec, &b->room, b->n + now, sizeof(*rec),
			"records");
		if (code)
			break;
		memcpy(b->rec + b->n, rec, now * sizeof(*rec));
		b->n += now;
		b->whole = false;
		if (b->n == ROOM)
			code = hand_over(s);
	}
	return code;
}

int
vs_scribe_tile(struct vs_scribe *s, const struct vs_scribe_tile *tile)
{
	struct vs_scribe_batch *b = &s->batch[s->filling];
	int code = vs_grow(&b->tile, &b->room_tile, b->n_tile + 1,
		sizeof(*b->tile), "tiles");

	if (code)
		return code;
	b->tile[b->n_tile++] = *tile;
	b->whole = true;
	return vs_clock() - s->handed >= s->plan.patience ? hand_over(s) : 0;
}

int
vs_scribe_flush(struct vs_scribe *s)
{
	const struct vs_scribe_batch *b = &s->batch[s->filling];
	int code = b->n || b->n_tile ? hand_over(s) : 0;

	return code ? code : settle(s);
}

void
vs_scribe_free(struct vs_scribe *s)
{
	if (!s)
		return;
	if (s->running) {
		settle(s);
		pthread_mutex_lock(&s->lock);
		s->end = true;
		pthread_cond_signal(&s->turn);
		pthread_mutex_unlock(&s->lock);
		pthread_join(s->thread, NULL);
	}
	for (int k = 0; k < 2; k++) {
		free(s->batch[k].rec);
		free(s->batch[k].tile);
	}
	pthread_cond_destroy(&s->turn);
	pthread_mutex_destroy(&s->lock);
	free(s);
}
