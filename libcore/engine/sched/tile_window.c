/* SPDX-License-Identifier: BSD-3-Clause */
/* Reorder window: records of open tiles on their way to the sink. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/query.h"
#include "libcore/engine/sched/tile_groups.h"
#include "libcore/engine/sched/tile_window.h"
#include "libcore/plan/comm.h"

/* Exchange progress with other ranks between vs_comm_most_begin() and its end,
 * on the thread that may. */
static void
exchange_threshold(double *shared_threshold)
{
	double v;

	__atomic_load(shared_threshold, &v, __ATOMIC_RELAXED);
	vs_query_raise_threshold(shared_threshold, vs_comm_most(v));
}

#define NEWEST 0.5 /* weight of the last tile in the mean pace */

static bool
is_oldest(const struct vs_tile_window *window, const struct vs_open_tile *t)
{
	for (int k = 0; k < window->n_open; k++)
		if (window->tile[k].used && window->tile[k].number < t->number)
			return false;
	return true;
}

void
vs_tile_window_fail(struct vs_tile_window *window, int code)
{
	if (code && !window->code)
		window->code = code;
}

static bool
grouped(const struct vs_tile_window *window)
{
	return vs_job_is_grouped(window->c->job);
}

bool
vs_tile_window_is_stopped(const struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;

	return job->stop && job->stop(job->ctx);
}

/* Number of tallies of workers. Only the CPU counts for a tally. */
static size_t
n_tallies(const struct vs_tile_window *window)
{
	return (size_t)window->c->job->n_thread * (size_t)window->n_open;
}

int
vs_tile_window_tally_new(struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;
	const struct vs_summary_plan *plan = job->query->summary;
	int code = 0;

	if (!job->histogram && !plan)
		return 0;
	code = vs_mem_new(&window->tally, n_tallies(window) + 1,
		sizeof(*window->tally), "counters");
	for (size_t k = 0; k <= n_tallies(window) && !code; k++)
		code = plan
			? vs_summary_new(&window->tally[k].summary, plan,
				  (size_t)job->plan->tile)
			: vs_value_histogram_like(&window->tally[k].histogram,
				  job->histogram);
	return code;
}

void
vs_tile_window_tally_free(struct vs_tile_window *window)
{
	for (size_t k = 0; window->tally && k <= n_tallies(window); k++) {
		vs_value_histogram_free(window->tally[k].histogram);
		vs_summary_free(window->tally[k].summary);
	}
	free(window->tally);
}

static void
clear_tally(struct vs_tile_tally *t)
{
	if (t->summary)
		vs_summary_clear(t->summary);
	else
		vs_value_histogram_clear(t->histogram);
}

static struct vs_tile_tally *
tally_of(const struct vs_tile_window *window, int worker,
	const struct vs_open_tile *t)
{
	return &window->tally[worker * window->n_open +
		(int)(t - window->tile)];
}

/* The vectors of a tile's rows and columns. */
static void
set_tile(const struct vs_tile_window *window, const struct vs_open_tile *t,
	struct vs_summary *s)
{
	const struct vs_plan *plan = window->c->job->plan;
	uint64_t lo[2], hi[2];

	vs_plan_block(plan, t->task.bi, &lo[0], &hi[0]);
	vs_plan_block(plan, t->task.bj, &lo[1], &hi[1]);
	vs_summary_tile(s, lo, hi);
}

void
vs_tile_window_count_into(const struct vs_tile_window *window, int worker,
	const struct vs_open_tile *t, struct vs_hits *hits)
{
	if (!window->tally)
		return;
	hits->histogram = tally_of(window, worker, t)->histogram;
	hits->summary = tally_of(window, worker, t)->summary;
	if (hits->summary)
		set_tile(window, t, hits->summary);
}

/* Add up what all threads counted for a complete tile. */
static const struct vs_counted *
sum_tallies(struct vs_tile_window *window, const struct vs_open_tile *t)
{
	struct vs_tile_tally *to;

	if (!window->tally)
		return NULL;
	to = &window->tally[n_tallies(window)];
	for (int k = 0; k < window->c->job->n_thread; k++) {
		struct vs_tile_tally *of = tally_of(window, k, t);

		if (!of->summary) {
			vs_value_histogram_move(to->histogram, of->histogram);
			continue;
		}
		/* a thread may have had no piece of it */
		set_tile(window, t, of->summary);
		vs_summary_move(to->summary, of->summary);
	}
	if (to->summary)
		return vs_summary_counted(to->summary);
	window->counted[0] = (struct vs_counted){ to->histogram->n, 0,
		vs_value_histogram_size(to->histogram) };
	return window->counted;
}

/* Sort the records of a batch, unless the sink does not need it; the strongest
 * are sorted once it is known which they are. */
static int
sort_batch(struct vs_tile_window *window, const struct vs_hits *batch,
	struct vs_tile_done *done)
{
	const struct vs_job *job = window->c->job;
	int code;

	if (job->query->shared_threshold || job->unsorted)
		return 0;
	code = vs_mem_grow(&window->sorted, &window->room_sorted, batch->n,
		sizeof(*window->sorted), "records of a tile");
	if (code)
		return code;
	vs_record_sort_to(batch->rec, batch->n, window->sorted);
	done->rec = window->sorted;
	return 0;
}

/* Values of this many pairs or triples. */
static uint64_t
evaluated(const struct vs_tile_window *window, uint64_t n)
{
	return n *
		(uint64_t)__builtin_popcount(window->c->job->query->cell_mask);
}

/* Give the sink some records of a tile, or all that are left. */
static int
give(struct vs_tile_window *window, const struct vs_tile_task *task,
	const struct vs_hits *batch, struct vs_tile_done *done, bool last)
{
	const struct vs_job *job = window->c->job;
	int code;

	if (grouped(window) && last)
		return vs_tile_groups_give(job, task, done);
	code = sort_batch(window, batch, done);
	return code ? code : job->sink(job->ctx, done);
}

/*
 * Give the sink the records gathered for the tile, last or not. The lock is
 * held, but released meanwhile.
 */
static void
deliver(struct vs_tile_window *window, struct vs_open_tile *t, bool last)
{
	const struct vs_job *job = window->c->job;
	struct vs_hits batch = t->hits;
	struct vs_tile_done done = { .bi = t->task.bi,
		.bj = t->task.bj,
		.rec = batch.rec,
		.n = batch.n,
		.last = last && !window->c->searched,
		.searched = last && window->c->searched,
		.above = window->c->above,
		.evaluated = evaluated(window, t->pairs),
		.sum = t->sum,
		.renamed = t->renamed,
		.seconds = t->seconds };
	int code;

	window->io_busy = true;
	t->begun = !job->query->shared_threshold;
	t->hits = window->free_batch;
	memset(&window->free_batch, 0, sizeof(window->free_batch));
	pthread_mutex_unlock(&window->lock);
	if (last)
		done.counts = sum_tallies(window, t);
	code = give(window, &t->task, &batch, &done, last);
	if (done.counts)
		clear_tally(&window->tally[n_tallies(window)]);
	pthread_mutex_lock(&window->lock);
	batch.n = 0;
	free(window->free_batch.rec);
	window->free_batch = batch;
	window->io_busy = false;
	vs_tile_window_fail(window, code);
	pthread_cond_broadcast(&window->change);
}

int
vs_tile_window_give_empty(struct vs_tile_window *window,
	const struct vs_tile_task *task, uint64_t n)
{
	const struct vs_hits none = { 0 };
	struct vs_tile_done done = { .bi = task->bi,
		.bj = task->bj,
		.last = true,
		.evaluated = evaluated(window, n) };

	return give(window, task, &none, &done, true);
}

/*
 * Make room for n more records of a tile: for a whole batch once they are more
 * than a few, so that nothing is moved and no new pages are touched later.
 */
static int
make_room(const struct vs_tile_window *window, struct vs_hits *to, size_t more)
{
	size_t need = to->n + more;
	struct vs_hits all = *to;
	int code;

	if (need <= to->room || need <= VS_HITS || need > window->batch)
		return vs_mem_grow(&to->rec, &to->room, need, sizeof(*to->rec),
			"records of a tile");
	code = vs_mem_room(&all.rec, window->batch, sizeof(*all.rec),
		"records of a tile");
	if (code)
		return code;
	all.room = window->batch;
	if (to->n)
		memcpy(all.rec, to->rec, to->n * sizeof(*to->rec));
	free(to->rec);
	*to = all;
	return 0;
}

static int
append(struct vs_tile_window *window, struct vs_open_tile *t,
	const struct vs_record *rec, size_t n)
{
	int code = make_room(window, &t->hits, n);

	if (code)
		return code;
	memcpy(t->hits.rec + t->hits.n, rec, n * sizeof(*rec));
	t->hits.n += n;
	t->n_hits += n;
	return 0;
}

/*
 * If all devices are gone, the waiting threads may be the only ones that can do
 * what is left. Without a queue there was no device to begin with.
 */
static bool
may_wait(const struct vs_tile_window *window)
{
	return !window->c->job->device || !window->c->queue ||
		vs_work_queue_front(window->c->queue);
}

/* Measure how fast it went, up to here. */
static void
note_pace(struct vs_tile_window *window, const struct vs_open_tile *t)
{
	struct vs_job_stats *stats = window->c->stats;
	double seconds = t->since > 0 ? vs_clock() - t->since : 0, share = 1;

	if (t->left)
		share = fmax((double)(t->split.amount - t->left) /
				(double)t->split.amount,
			0.5 / (double)t->split.n_piece);
	if (seconds <= 0 || !t->pairs)
		return;
	share *= (double)t->pairs;
	if (stats->pace > 0)
		stats->pace += NEWEST * (share / seconds - stats->pace);
	else
		stats->pace = share / seconds;
	stats->density += NEWEST * ((double)t->n_hits / share - stats->density);
}

/* No worker is at a dropped tile any more. */
static void
retire(struct vs_tile_window *window, struct vs_open_tile *t)
{
	for (int k = 0; window->tally && k < window->c->job->n_thread; k++)
		clear_tally(tally_of(window, k, t));
	vs_tile_window_clear(window, t);
	pthread_cond_broadcast(&window->change);
}

/*
 * Drop a tile that the sink has nothing of; its place is free once no worker is
 * at it.
 * later  it is to be done as smaller tiles
 */
static void
drop(struct vs_tile_window *window, struct vs_open_tile *t, bool later)
{
	if (window->c->queue)
		vs_work_queue_drop(window->c->queue, t);
	__atomic_store_n(&t->dropped, true, __ATOMIC_RELAXED);
	if (later) {
		note_pace(window, t);
		vs_tile_window_fail(window,
			vs_tiles_add(window->later, &t->task));
		window->c->stats->begun_anew += t->pairs;
	}
	pthread_cond_broadcast(&window->change);
	if (!t->n_worker)
		retire(window, t);
}

/*
 * Append records, at most a batch, to a tile. If it is full, the oldest tile
 * makes room by passing a batch to the sink; a younger one has to wait until it
 * is the oldest, since no two may be half-written. The oldest never waits for
 * another, and devices take its pieces first, so all tiles progress.
 *
 * The strongest records go to the sink at once, from any tile, so that the
 * threshold rises while the tile is counted.
 */
static int
put(struct vs_tile_window *window, struct vs_open_tile *t,
	const struct vs_record *rec, size_t n)
{
	const bool rises = window->c->job->query->shared_threshold;
	int code;

	while (t->hits.n && t->hits.n + n > window->batch && !window->code &&
		!t->dropped && may_wait(window))
		if (!window->io_busy && (rises || is_oldest(window, t)))
			deliver(window, t, false);
		else
			pthread_cond_wait(&window->change, &window->lock);
	code = window->code ? window->code : t->dropped ? VS_DONE : 0;
	if (!code)
		code = append(window, t, rec, n);
	if (!code && rises && !window->io_busy)
		deliver(window, t, false);
	return code;
}

/*
 * The same if several of the sink's tiles are computed at once: all records
 * wait, and must not become too many.
 */
static int
put_grouped(struct vs_tile_window *window, struct vs_open_tile *t,
	const struct vs_record *rec, size_t n)
{
	if (window->later && t->hits.n + n > window->c->job->gather) {
		drop(window, t, true);
		return VS_DONE;
	}
	return append(window, t, rec, n);
}

bool
vs_tile_window_due(const struct vs_hits *hits)
{
	const struct vs_tile_worker *worker =
		(const struct vs_tile_worker *)hits;
	const struct vs_tile_window *window = worker->window;
	const struct vs_open_tile *t = worker->tile;

	return __atomic_load_n(&t->dropped, __ATOMIC_RELAXED) ||
		vs_tile_window_is_stopped(window) ||
		(window->later &&
			vs_clock() - t->since > window->c->job->limit);
}

/*
 * Move a thread's records to its tile, unless that was dropped. The lock is
 * held.
 */
static int
move_hits(struct vs_tile_window *window, struct vs_open_tile *t,
	struct vs_hits *hits)
{
	bool all = grouped(window) && !window->c->job->query->shared_threshold;
	size_t most = all ? hits->n : window->batch;
	int code;

	if (vs_tile_window_is_stopped(window))
		vs_tile_window_stop(window);
	vs_tile_window_hurry(window);
	code = window->code ? window->code : t->dropped ? VS_DONE : 0;
	/* a device has many at once */
	for (size_t at = 0, n; at < hits->n && !code; at += n) {
		n = hits->n - at < most ? hits->n - at : most;
		code = all ? put_grouped(window, t, hits->rec + at, n)
			   : put(window, t, hits->rec + at, n);
	}
	return code;
}

/* Drop the records of pairs and triples that are not wanted. */
static void
drop_unwanted(const struct vs_wanted *w, struct vs_hits *hits)
{
	size_t n = 0;

	for (size_t k = 0; k < hits->n; k++) {
		struct vs_record r = hits->rec[k];

		r.i = vs_wanted_row(w, r.i);
		r.j = vs_wanted_row(w, r.j);
		if (vs_wanted_has(w, &r))
			hits->rec[n++] = hits->rec[k];
	}
	hits->n = n;
}

int
vs_tile_window_gather(struct vs_hits *hits)
{
	struct vs_tile_worker *worker = (struct vs_tile_worker *)hits;
	struct vs_tile_window *window = worker->window;
	struct vs_open_tile *t = worker->tile;
	const struct vs_job *job = window->c->job;
	struct vs_digest_sum sum = { { 0 } }, renamed = { { 0 } };
	int code;

	vs_hits_drop(hits, job->query);
	if (vs_wanted_is_by_place(job->wanted))
		drop_unwanted(job->wanted, hits);
	window->c->kind->sum(window->c, &t->task, hits, &sum, &renamed);
	pthread_mutex_lock(&window->lock);
	code = move_hits(window, t, hits);
	if (!code) {
		vs_digest_sum_add(&t->sum, &sum);
		vs_digest_sum_add(&t->renamed, &renamed);
	}
	pthread_mutex_unlock(&window->lock);
	hits->n = 0;
	return code;
}

void
vs_tile_window_clear(struct vs_tile_window *window, struct vs_open_tile *t)
{
	if (t->pinned) {
		vs_block_cache_unpin(window->c->cache, t->task.i);
		vs_block_cache_unpin(window->c->cache, t->task.j);
		vs_tile_window_look_ahead(window);
	}
	vs_tile_split_free(&t->split);
	free(t->hits.rec);
	memset(t, 0, sizeof(*t));
}

/* True if the tile is complete and no other one is half-written. */
static bool
may_end(const struct vs_tile_window *window, const struct vs_open_tile *t)
{
	if (!t->ready || t->left || t->ending || t->dropped ||
		(window->parts && !t->task.last))
		return false;
	for (int k = 0; k < window->n_open; k++)
		if (&window->tile[k] != t && window->tile[k].begun)
			return false;
	return true;
}

void
vs_tile_window_part(struct vs_tile_window *window, struct vs_open_tile *t)
{
	if (!--t->n_worker && t->dropped)
		retire(window, t);
}

/* True if the tile can be dropped because it is not finished. */
static bool
may_drop(const struct vs_open_tile *t)
{
	return t->ready && t->left && !t->dropped && !t->ending && !t->begun;
}

#define SOON 8 /* share of the limit after which a forecast is made */

/* True if the tile exceeds the limit, or is bound to, judging by its first
 * part. */
static bool
too_much(double now, double allowed, double share)
{
	return now > allowed || (now > allowed / SOON && now > share * allowed);
}

void
vs_tile_window_hurry(struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;
	double now = vs_clock();

	for (int k = 0; k < window->n_open && window->later; k++) {
		struct vs_open_tile *t = &window->tile[k];
		double share;

		if (!may_drop(t) || !t->since)
			continue;
		share = (double)(t->split.amount - t->left) /
			(double)t->split.amount;
		if (too_much(now - t->since, job->limit, share) ||
			(!job->query->shared_threshold &&
				too_much((double)t->n_hits, (double)job->gather,
					share)))
			drop(window, t, true);
	}
}

bool
vs_tile_window_exceeds(const struct vs_tile_window *window,
	const struct vs_tile_task *task)
{
	const struct vs_job *job = window->c->job;
	const struct vs_job_stats *stats = window->c->stats;
	double pairs;

	if (!window->later || stats->pace <= 0)
		return false;
	pairs = (double)vs_plan_pairs(job->plan, task->bi, task->bj);
	return pairs >= stats->pace * job->limit ||
		(!job->query->shared_threshold &&
			pairs * stats->density >= (double)job->gather);
}

bool
vs_tile_window_puts_off(struct vs_tile_window *window)
{
	const struct vs_tile_task *task = &window->task[window->next];

	if (!window->later || window->next >= window->n_task || window->code ||
		!vs_tile_window_exceeds(window, task))
		return false;
	vs_tile_window_fail(window, vs_tiles_add(window->later, task));
	window->next++;
	return true;
}

void
vs_tile_window_stop(struct vs_tile_window *window)
{
	window->stopped = true;
	if (window->c->kind->quits)
		vs_tile_window_fail(window, VS_DONE);
	for (int k = 0; k < window->n_open; k++)
		if (may_drop(&window->tile[k]))
			drop(window, &window->tile[k], false);
}

void
vs_tile_window_finish(struct vs_tile_window *window)
{
	for (int k = 0;
		k < window->n_open && !window->code && !window->io_busy;) {
		struct vs_open_tile *t = &window->tile[k++];

		if (!may_end(window, t))
			continue;
		t->ending = true;
		note_pace(window, t);
		deliver(window, t, true);
		window->c->stats->pairs += t->pairs;
		window->c->stats->fields_skipped += t->fields_skipped;
		window->c->stats->counted +=
			t->split.counted - (uint64_t)(int64_t)t->inferred;
		vs_tile_window_clear(window, t);
		pthread_cond_broadcast(&window->change);
		k = 0;
	}
}

bool
vs_tile_window_is_crowded(const struct vs_tile_window *window)
{
	size_t room = 0;

	for (int k = 0; k < window->n_open; k++)
		room += window->tile[k].hits.room;
	return room > VS_BATCHES_DEVICE * window->batch;
}

void
vs_tile_window_poll(struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;
	double pairs = (double)window->c->stats->pairs;

	for (int k = 0; k < window->n_open; k++) {
		const struct vs_open_tile *t = &window->tile[k];

		if (t->ready && t->split.amount && !window->parts)
			pairs += (double)t->pairs *
				(double)(t->split.amount - t->left) /
				(double)t->split.amount;
	}
	pthread_mutex_unlock(&window->lock);
	vs_comm_poke();
	if (job->query->shared_threshold)
		exchange_threshold(job->query->shared_threshold);
	if (job->tick)
		job->tick(job->ctx, (uint64_t)pairs);
	pthread_mutex_lock(&window->lock);
}
