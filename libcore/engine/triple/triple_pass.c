/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over triples: parts counted by threads, hits through the window. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/engine/triple/triple_pass.h"
#include "libcore/plan/cube.h"

#define BATCH (1u << 17) /* records of a tile that wait; sorted in cache */

/* ---- records on their way to the sink ---- */

void
vs_triple_pass_sum(const struct vs_triple_data *data,
	const struct vs_hits *found, struct vs_digest_sum *sum,
	struct vs_digest_sum *renamed)
{
	const struct vs_panel *p = &data->all;

	for (size_t k = 0; k < found->n; k++) {
		struct vs_record r = found->rec[k];
		const int64_t source[3] = { p->source[r.i], p->source[r.j],
			p->source[r.k] };
		const uint8_t flip[3] = { p->flip[r.i], p->flip[r.j],
			p->flip[r.k] };

		vs_digest_sum_record(sum, r.i, r.j, r.k, r.cell, r.value);
		vs_record_rename(&r, source, flip);
		vs_digest_sum_record(renamed, r.i, r.j, r.k, r.cell, r.value);
	}
}

static void
sum_records(const void *ctx, const struct vs_hits *found,
	struct vs_digest_sum *sum, struct vs_digest_sum *renamed)
{
	vs_triple_pass_sum(ctx, found, sum, renamed);
}

/* A thread's hits to its tile; a tile that has begun is not ended on a stop. */
static int
drain(struct vs_hits *found)
{
	const struct vs_tile_worker *worker = (struct vs_tile_worker *)found;

	if (vs_tile_window_is_stopped(worker->window))
		return VS_DONE;
	return vs_tile_window_gather(found);
}

/* ---- tiles and threads; the lock is held ---- */

/* The part's tile, which is opened if it was not; null: not yet. */
static struct vs_open_tile *
find_tile(struct vs_triple_pass *p, const struct vs_triple_part *part)
{
	struct vs_tile_window *w = &p->window;
	struct vs_open_tile *place = NULL;
	bool some = false;

	for (int k = 0; k < w->n_open; k++) {
		struct vs_open_tile *t = &w->tile[k];

		some |= t->used;
		if (!t->used)
			place = t;
		else if (t->task.bi == part->bi && t->task.bj == part->bj)
			return t;
	}
	if (!place || (some && vs_tile_window_is_crowded(w)))
		return NULL;
	place->used = place->ready = true;
	place->number = w->n_taken++;
	place->task.bi = part->bi;
	place->task.bj = part->bj;
	place->pairs = vs_cube_triples(p->pool.job->plan, part->bi, part->bj);
	place->left = place->split.amount = part->all;
	return place;
}

/* Take some units of the next part; null: there are none, or not yet. */
static struct vs_open_tile *
take(struct vs_triple_pass *p, struct vs_triple_part *out)
{
	while (p->at < p->n_part) {
		const struct vs_triple_part *part = &p->part[p->at];
		size_t left = part->hi - part->lo - p->taken;
		struct vs_open_tile *t = find_tile(p, part);

		if (!t)
			return NULL;
		*out = *part;
		out->lo = part->lo + p->taken;
		if (left > p->grain)
			out->hi = out->lo + p->grain;
		p->taken += out->hi - out->lo;
		if (out->hi == part->hi) {
			p->at++;
			p->taken = 0;
		}
		if (left)
			return t;
		vs_tile_window_finish(&p->window);
	}
	return NULL;
}

struct counter {
	struct vs_tile_worker worker; /* first: drain() knows it by this */
	uint64_t counted;
};

/* Count what was taken of a tile; the lock is released meanwhile. */
static void
count_part(struct vs_triple_pass *p, int thread, struct vs_open_tile *t,
	const struct vs_triple_part *part, struct counter *counter)
{
	struct vs_tile_window *w = &p->window;
	struct vs_hits *found = &counter->worker.hits;
	double started;
	int code;

	t->n_worker++;
	pthread_mutex_unlock(&w->lock);
	started = vs_clock();
	counter->worker.tile = t;
	found->histogram = vs_tile_window_histogram(w, thread, t);
	code = p->count(p->ctx, thread, part, found, &counter->counted);
	if (!code && found->n)
		code = drain(found);
	pthread_mutex_lock(&w->lock);
	t->seconds += vs_clock() - started;
	if (!part->again)
		t->left -= part->hi - part->lo;
	vs_tile_window_fail(w, code);
	vs_tile_window_part(w, t);
	if (!w->code)
		vs_tile_window_finish(w);
}

static void
work(struct vs_triple_pass *p, int thread)
{
	struct vs_tile_window *w = &p->window;
	struct counter counter = { .worker = { .hits.drain = drain,
					   .hits.due = vs_tile_window_due,
					   .window = w } };
	struct vs_triple_part part;

	pthread_mutex_lock(&w->lock);
	while (!w->code && p->at < p->n_part) {
		struct vs_open_tile *t;

		if (vs_tile_window_is_stopped(w)) {
			vs_tile_window_fail(w, VS_DONE);
			break;
		}
		t = take(p, &part);
		if (t)
			count_part(p, thread, t, &part, &counter);
		else if (p->at < p->n_part)
			pthread_cond_wait(&w->change, &w->lock);
		if (!thread)
			vs_tile_window_poll(w);
	}
	pthread_cond_broadcast(&w->change);
	p->pool.stats->counted += counter.counted;
	pthread_mutex_unlock(&w->lock);
	free(counter.worker.hits.rec);
}

int
vs_triple_pass_run(struct vs_triple_pass *p, const struct vs_triple_part *part,
	size_t n)
{
	p->part = part;
	p->n_part = n;
	p->at = p->taken = 0;
#pragma omp parallel num_threads(p->pool.job->n_thread)
	work(p, omp_get_thread_num());
	return p->window.code;
}

/* ---- begin and end ---- */

size_t
vs_triple_pass_batch(const struct vs_job *job, int n_open)
{
	return job->batch                      ? job->batch
		: job->query->shared_threshold ? VS_HITS
		: n_open > 1                   ? VS_BATCH
					       : BATCH;
}

int
vs_triple_pass_open(struct vs_triple_pass *p, const struct vs_job *job,
	const struct vs_triple_data *data, struct vs_job_stats *stats,
	int n_open)
{
	memset(p, 0, sizeof(*p));
	p->pool.job = job;
	p->pool.stats = stats;
	p->window.c = &p->pool;
	p->window.sum = sum_records;
	p->window.ctx = data;
	p->window.n_open = n_open;
	p->window.batch = vs_triple_pass_batch(job, n_open);
	pthread_mutex_init(&p->window.lock, NULL);
	pthread_cond_init(&p->window.change, NULL);
	return vs_tile_window_histogram_new(&p->window);
}

void
vs_triple_pass_close(struct vs_triple_pass *p)
{
	if (!p->pool.job)
		return;
	for (int k = 0; k < p->window.n_open; k++)
		vs_tile_window_clear(&p->window, &p->window.tile[k]);
	vs_tile_window_histogram_free(&p->window);
	free(p->window.free_batch.rec);
	pthread_cond_destroy(&p->window.change);
	pthread_mutex_destroy(&p->window.lock);
	memset(p, 0, sizeof(*p));
}
