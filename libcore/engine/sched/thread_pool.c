/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread pool of a rank: tiles opened, pieces computed, failures handled. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/sched/block_ahead.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/engine/sched/tile_groups.h"
#include "libcore/engine/sched/tile_split.h"
#include "libcore/engine/sched/tile_window.h"

#define POLL_SECONDS 0.002 /* seconds that the first thread sleeps at a time */
/* Tiles taken from a source before there is room for them: for other threads
 * while the first one counts; for a device. */
#define AHEAD 2
#define AHEAD_DEVICE 16

/* Blocks that are read when needed: only those of a tile and the next one. */
static int
open_tiles(const struct vs_job *job)
{
	return job->device && !job->stream ? VS_OPEN_DEVICE : VS_OPEN;
}

/* ---- a thread's work; the lock is held on entry and exit ---- */

/* Get the blocks of a tile, if they are read when needed. */
static int
pin_blocks(struct vs_tile_window *window, struct vs_tile_task *task,
	double *waited)
{
	struct vs_block_cache *cache = window->c->cache;
	const struct vs_panel *i, *j;
	int code = vs_block_cache_pin(cache, task->bi, &i, waited);

	if (code)
		return code;
	code = vs_block_cache_pin(cache, task->bj, &j, waited);
	if (code) {
		vs_block_cache_unpin(cache, i);
		return code;
	}
	task->i = i;
	task->j = j;
	return 0;
}

/*
 * Hold the blocks of a tile, with the lock released. Fetching blocks from ranks
 * does not use the file, so the sink may be called at the same time.
 */
static int
hold_blocks(struct vs_tile_window *window, struct vs_open_tile *t)
{
	const bool reads = !window->c->held;
	double waited = 0;
	int code;

	while (reads && window->io_busy)
		pthread_cond_wait(&window->change, &window->lock);
	window->io_busy |= reads;
	vs_tile_window_look_ahead(window);
	pthread_mutex_unlock(&window->lock);
	code = pin_blocks(window, &t->task, &waited);
	pthread_mutex_lock(&window->lock);
	t->pinned = !code;
	if (reads)
		window->io_busy = false;
	/* of one of its threads */
	window->c->stats->seconds_wait += waited / window->c->job->n_thread;
	vs_tile_window_look_ahead(window);
	pthread_cond_broadcast(&window->change);
	return code;
}

static void
open_next(struct vs_tile_window *window, struct vs_open_tile *t)
{
	const struct vs_thread_pool *c = window->c;
	int n_front = vs_work_queue_front(c->queue), code = 0;

	if (!t->used)
		t->number = window->n_taken++;
	t->used = window->opening = true;
	t->task = window->task[window->next++];
	t->pairs = c->kind->size(c->job->plan, t->task.bi, t->task.bj);
	if (c->cache && !vs_tile_split_is_empty(c->job, &t->task))
		code = hold_blocks(window, t);
	pthread_mutex_unlock(&window->lock);
	if (!code)
		code = c->kind->split(c, &t->task, n_front, t, &t->split);
	pthread_mutex_lock(&window->lock);
	if (!code)
		code = vs_work_queue_add(c->queue, t->split.piece,
			t->split.n_piece);
	vs_tile_window_fail(window, code);
	t->left = t->split.amount;
	t->ready = true;
	window->opening = false;
	if (window->stopped)
		vs_tile_window_stop(window);
	pthread_cond_broadcast(&window->change);
	vs_tile_window_finish(window);
}

static int
split_strips(const struct vs_thread_pool *c, const struct vs_tile_task *task,
	int n_front, void *of, struct vs_tile_split *split)
{
	return vs_tile_split_is_empty(c->job, task)
		? 0
		: vs_tile_split_make(split, c->job, task, n_front, of);
}

/* Count a piece on the CPU, part of the strip's columns at a time. */
static int
count_on_cpu(const struct vs_thread_pool *c, int thread,
	const struct vs_piece *piece, struct vs_tile_worker *worker)
{
	const struct vs_strip *s = &worker->tile->split.strip[piece->part];
	const struct vs_backend *cpu = c->job->backend;
	const size_t most =
		cpu->columns(c->job->query, (size_t)c->job->plan->tile, true);
	struct vs_strip part;
	int code = 0;

	worker->hits.wanted = c->job->wanted;
	for (size_t col = piece->col; col < piece->end && !code; col += most)
		if (vs_strip_part(s, piece->lo, piece->hi, col,
			    vs_min_size(col + most, piece->end), &part))
			code = cpu->strip(c->backend, thread, &part,
				&worker->hits);
	return code ? code : vs_tile_window_gather(&worker->hits);
}

/*
 * Rows of a device's piece, as many as it does at a time. A device that does
 * none would be asked forever, so that counts as a failure.
 */
static int
device_rows(const struct vs_thread_pool *c, int driver,
	const struct vs_strip *part, struct vs_hits *hits)
{
	int code = c->job->device->strip(c->device, driver, part, hits);

	if (code || (hits->upto > part->i_lo && hits->upto <= part->i_hi))
		return code;
	hits->n = 0;
	vs_fail(VS_EMACHINE, "%s: of rows %zu to %zu it did those before %zu",
		c->job->device->name, part->i_lo, part->i_hi, hits->upto);
	return VS_UNABLE;
}

/*
 * Do a piece on a device, which may do some rows at a time; their records go to
 * the tile before further rows are begun. The piece keeps the rows not done:
 * none, unless the device returns VS_LOST or VS_UNABLE.
 */
static int
count_on_device(const struct vs_thread_pool *c, int driver,
	struct vs_piece *piece, struct vs_tile_worker *worker)
{
	const struct vs_strip *s = &worker->tile->split.strip[piece->part];
	struct vs_strip part;
	int code = 0;

	while (!code &&
		vs_strip_part(s, piece->lo, piece->hi, piece->col, piece->end,
			&part)) {
		worker->hits.upto = part.i_hi;
		code = device_rows(c, driver, &part, &worker->hits);
		if (!code)
			code = vs_tile_window_gather(&worker->hits);
		if (!code)
			piece->lo = worker->hits.upto;
	}
	return code;
}

static int
count_strip(const struct vs_thread_pool *c, int thread, struct vs_piece *piece,
	struct vs_tile_worker *worker)
{
	int driver = thread - c->job->n_thread;

	return driver < 0 ? count_on_cpu(c, thread, piece, worker)
			  : count_on_device(c, driver, piece, worker);
}

static uint64_t
cost_of(const struct vs_piece *piece)
{
	const struct vs_open_tile *t = piece->of;

	return vs_tile_split_cost(&t->split.strip[piece->part], piece);
}

/* Records of several tiles are summed up tile by tile in the end. */
static void
sum_pairs(const struct vs_thread_pool *c, const struct vs_tile_task *task,
	struct vs_hits *hits, struct vs_digest_sum *sum,
	struct vs_digest_sum *renamed)
{
	if (!vs_job_is_grouped(c->job) || c->job->query->shared_threshold)
		vs_tile_groups_sum(c->job, task, hits->rec, hits->n, sum,
			renamed);
}

static const struct vs_tile_kind strips = { .size = vs_plan_pairs,
	.split = split_strips,
	.cost = cost_of,
	.count = count_strip,
	.sum = sum_pairs };

/* A piece's share of the split's amount. */
static uint64_t
amount(const struct vs_tile_window *window, const struct vs_piece *piece)
{
	return !window->c->kind->cost   ? piece->hi - piece->lo
		: piece->lo < piece->hi ? window->c->kind->cost(piece)
					: 0;
}

/* Return the rest of a driver's piece; the driver gets no more. */
static void
abandon_piece(struct vs_tile_window *window, int driver, size_t rows, int code)
{
	struct vs_job_stats *stats = window->c->stats;

	vs_work_queue_lost(window->c->queue, driver, rows);
	if (code == VS_LOST) {
		stats->lost++;
		return;
	}
	if (!stats->failed++)
		snprintf(stats->why, sizeof(stats->why), "%s", vs_fail_text());
	/* do not report this as the failure that ended the run */
	if (!window->code)
		vs_fail_clear();
}

/* A piece to do; its tile keeps its place until the piece is done. */
static bool
pop_piece(struct vs_tile_window *window, int thread, struct vs_piece *piece)
{
	struct vs_open_tile *t;

	if (!vs_work_queue_pop(window->c->queue, thread, vs_clock(), piece))
		return false;
	t = piece->of;
	t->n_worker++;
	return true;
}

/* False: this was a device's driver, and the device is gone. */
static bool
do_piece(struct vs_tile_window *window, int thread,
	const struct vs_piece *piece, struct vs_tile_worker *worker)
{
	const struct vs_job *job = window->c->job;
	struct vs_open_tile *t = worker->tile = piece->of;
	int code;
	size_t rows = piece->hi - piece->lo, did = rows;
	struct vs_piece left = *piece;
	double started = vs_clock();

	if (!t->since)
		t->since = started;
	vs_tile_window_count_into(window, thread, t, &worker->hits);
	pthread_mutex_unlock(&window->lock);
	code = window->c->kind->count(window->c, thread, &left, worker);
	pthread_mutex_lock(&window->lock);
	/* idle threads may get a piece now, except CPU threads that leave
	 * everything to devices: waking 16 of them for each piece took more
	 * time than some pieces do */
	if (job->device && (!job->alone || code))
		pthread_cond_broadcast(&window->change);
	if (code == VS_UNABLE && !job->dispensable)
		code = VS_EMACHINE;
	if (t->dropped && code >= 0) {
		/* nothing is left of the tile for other threads */
		vs_work_queue_done(window->c->queue, thread, vs_clock());
		if (code > VS_DONE)
			abandon_piece(window, thread, 0, code);
		worker->hits.n = 0;
	} else if (code > VS_DONE) {
		did = left.lo - piece->lo;
		abandon_piece(window, thread, did, code);
	} else {
		vs_work_queue_done(window->c->queue, thread, vs_clock());
		vs_tile_window_fail(window, code);
	}
	t->seconds += vs_clock() - started;
	window->c->stats->cost[thread >= job->n_thread] +=
		(double)piece->cost * (double)did / (double)rows;
	t->fields_skipped += worker->hits.fields_skipped;
	t->inferred += worker->hits.inferred;
	worker->hits.fields_skipped = worker->hits.inferred = 0;
	left.lo = piece->lo + did;
	t->left -= amount(window, piece) - amount(window, &left);
	vs_tile_window_part(window, t);
	vs_tile_window_hurry(window);
	vs_tile_window_finish(window);
	return code <= VS_DONE;
}

/* A place for the next tile, or its own if it is open already. */
static struct vs_open_tile *
find_place(struct vs_tile_window *window)
{
	struct vs_open_tile *place = NULL;

	while (!window->stopped && vs_tile_window_puts_off(window))
		;
	if (window->next >= window->n_task || window->stopped ||
		window->opening)
		return NULL;
	for (int k = window->n_open - 1; k >= 0; k--) {
		struct vs_open_tile *t = &window->tile[k];
		const struct vs_tile_task *next = &window->task[window->next];

		if (!t->used)
			place = t;
		else if (window->parts && t->task.bi == next->bi &&
			t->task.bj == next->bj)
			return t;
	}
	return place && !vs_tile_window_is_crowded(window) ? place : NULL;
}

/* True if another tile is to be taken from the source. */
static bool
is_hungry(const struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;
	const bool many = job->device && !window->c->n_open;
	size_t ahead = many                               ? AHEAD_DEVICE
		: job->n_thread > 1 || job->device        ? AHEAD
		: window->source && window->source->early ? 1
							  : 0;

	if (!window->feeding || window->stopped || window->code)
		return false;
	/* a thread takes a tile when it begins it */
	for (int k = 0; k < window->n_open && !ahead; k++)
		ahead = !window->tile[k].used;
	return window->n_task - window->next < ahead;
}

/* Take no more tiles if as many as allowed are put off. */
static void
feed_no_more(struct vs_tile_window *window)
{
	const struct vs_tiles *later = window->later;

	if (!window->feeding || !later ||
		!vs_thread_pool_is_full(window->c->job, later->n))
		return;
	window->feeding = false;
	pthread_cond_broadcast(&window->change);
}

/* Let this thread alone use the sink and the file, or others again. */
static void
use_io(struct vs_tile_window *window, bool use)
{
	pthread_mutex_lock(&window->lock);
	while (use && window->io_busy)
		pthread_cond_wait(&window->change, &window->lock);
	window->io_busy = use;
	if (!use)
		pthread_cond_broadcast(&window->change);
	pthread_mutex_unlock(&window->lock);
}

/* True if no pair of a tile is wanted, nor is anything to be summed up. */
static bool
is_empty(const struct vs_tile_window *window, const struct vs_tile_task *task)
{
	return window->c->kind == &strips && !window->tally &&
		vs_tile_split_is_empty(window->c->job, task);
}

/*
 * The next tile of the source, without the lock. Empty ones, of which a narrow
 * window leaves millions, go to the sink at once.
 * pairs    gets how many these had
 * returns  1; 0: there are no more; negative: the sink's failure
 */
static int
take_next(struct vs_tile_window *window, struct vs_tile_task *task,
	uint64_t *pairs)
{
	const struct vs_tile_source *source = window->source;
	bool more = source->next(source->ctx, task), busy = false;
	int code = 0;

	for (; more && !code && is_empty(window, task);
		more = !code && source->next(source->ctx, task)) {
		const uint64_t n =
			vs_plan_pairs(window->c->job->plan, task->bi, task->bj);

		if (!busy)
			use_io(window, true);
		busy = true;
		code = vs_tile_window_give_empty(window, task, n);
		*pairs += n;
	}
	if (busy)
		use_io(window, false);
	return code ? code : more;
}

/* Take tiles from the source; releases the lock meanwhile. */
static void
feed(struct vs_tile_window *window)
{
	struct vs_tiles *fed = &window->fed;

	/* other threads may put tiles off meanwhile */
	for (feed_no_more(window); is_hungry(window); feed_no_more(window)) {
		struct vs_tile_task task = { 0 };
		uint64_t pairs = 0;
		int code;

		pthread_mutex_unlock(&window->lock);
		code = take_next(window, &task, &pairs);
		pthread_mutex_lock(&window->lock);
		window->c->stats->pairs += pairs;
		window->feeding = window->feeding && code > 0;
		if (window->next == window->n_task)
			window->next = fed->n = 0;
		if (code > 0)
			code = vs_tiles_add(fed, &task);
		vs_tile_window_fail(window, code);
		window->task = fed->task;
		window->n_task = fed->n;
		pthread_cond_broadcast(&window->change);
	}
}

/* Wait until something changes; the first thread polls now and then. */
static void
rest(struct vs_tile_window *window, int thread)
{
	struct timespec until;

	if (thread || !(window->c->job->device || window->source)) {
		pthread_cond_wait(&window->change, &window->lock);
		return;
	}
	until = vs_clock_deadline(POLL_SECONDS);
	pthread_cond_clockwait(&window->change, &window->lock, CLOCK_MONOTONIC,
		&until);
}

/* Do one step; false: this thread has nothing more to do. */
static bool
do_next(struct vs_tile_window *window, int thread,
	struct vs_tile_worker *worker)
{
	bool driver = thread >= window->c->job->n_thread, busy;
	struct vs_open_tile *place;
	struct vs_piece piece;

	if (!thread)
		feed(window);
	if (!window->stopped && vs_tile_window_is_stopped(window))
		vs_tile_window_stop(window);
	vs_tile_window_finish(window);
	/* else no thread might be left to wake this one */
	if (window->code)
		return false;
	place = find_place(window);
	busy = window->parts ? window->opening || window->next < window->n_task
			     : window->feeding && !window->stopped;
	for (int k = 0; k < window->n_open && !window->parts; k++)
		busy |= window->tile[k].used;
	/* the next tile's blocks are read while others count; a device's driver
	 * reads them only when idle */
	if (place && !driver)
		open_next(window, place);
	else if (pop_piece(window, thread, &piece))
		return do_piece(window, thread, &piece, worker);
	else if (place)
		open_next(window, place);
	else if (busy)
		rest(window, thread);
	else
		return false;
	return true;
}

static void
work(struct vs_tile_window *window, int thread)
{
	struct vs_tile_worker worker = { .hits.drain = vs_tile_window_gather,
		.hits.due = vs_tile_window_due,
		.hits.most = vs_hits_most(window->c->job->query),
		.window = window };
	int n_worker = window->c->job->n_thread +
		vs_thread_pool_drivers(window->c->job);

	pthread_mutex_lock(&window->lock);
	/* threads that the system refused take nothing */
	for (int k = omp_get_num_threads(); k < n_worker && !thread; k++)
		vs_work_queue_lost(window->c->queue, k, 0);
	while (!window->code && do_next(window, thread, &worker))
		if (!thread)
			vs_tile_window_poll(window);
	pthread_cond_broadcast(&window->change);
	pthread_mutex_unlock(&window->lock);
	free(worker.hits.rec);
}

/* Open a window of n tiles, or of a source; its code holds any failure. */
static void
open_window(struct vs_tile_window *window, const struct vs_thread_pool *c,
	const struct vs_tile_task *task, size_t n,
	const struct vs_tile_source *source, struct vs_tiles *later)
{
	const struct vs_job *job = c->job;
	/* a second tile would only wait, and no other rank could take it */
	bool one = source && job->n_thread == 1 && !job->device;

	*window = (struct vs_tile_window){ .c = c,
		.task = task,
		.n_task = n,
		.source = source,
		.feeding = source,
		.later = later,
		.n_open = one       ? 1
			: c->n_open ? c->n_open
				    : open_tiles(job),
		.batch = job->batch                    ? job->batch
			: job->query->shared_threshold ? VS_HITS
						       : VS_BATCH,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.change = PTHREAD_COND_INITIALIZER };
	window->code = vs_tile_window_tally_new(window);
}

void
vs_thread_pool_end(struct vs_tile_window *window)
{
	for (int k = 0; k < window->n_open; k++)
		vs_tile_window_clear(window, &window->tile[k]);
	vs_tile_window_tally_free(window);
	free(window->free_batch.rec);
	free(window->sorted);
	free(window->fed.task);
}

/* 0; VS_DONE if it was stopped; or its failure */
static int
close_window(struct vs_tile_window *window)
{
	vs_thread_pool_end(window);
	return window->code ? window->code : window->stopped ? VS_DONE : 0;
}

static void
run_window(struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;
	struct vs_open_tile *place;

	/* until someone counts, all threads help split a tile */
	pthread_mutex_lock(&window->lock);
	feed(window);
	place = find_place(window);
	if (place)
		open_next(window, place);
	pthread_mutex_unlock(&window->lock);
	vs_block_ahead_begin(window);
#pragma omp parallel num_threads(job->n_thread + vs_thread_pool_drivers(job))
	{
		vs_float_env_set();
		work(window, omp_get_thread_num());
	}
	vs_block_ahead_end(window);
}

int
vs_thread_pool_run(const struct vs_thread_pool *c,
	const struct vs_tile_task *task, size_t n, struct vs_tiles *later)
{
	struct vs_tile_window window;

	open_window(&window, c, task, n, NULL, later);
	run_window(&window);
	return close_window(&window);
}

bool
vs_thread_pool_is_full(const struct vs_job *job, size_t n_later)
{
	return n_later >= (size_t)VS_THREAD_POOL_LATER *
		(size_t)(job->n_thread + vs_thread_pool_drivers(job));
}

int
vs_thread_pool_feed(const struct vs_thread_pool *c,
	const struct vs_tile_source *source, struct vs_tiles *later)
{
	struct vs_tile_window window;

	open_window(&window, c, NULL, 0, source, later);
	run_window(&window);
	return close_window(&window);
}

int
vs_thread_pool_begin(const struct vs_thread_pool *c,
	struct vs_tile_window *window)
{
	open_window(window, c, NULL, 0, NULL, NULL);
	window->parts = true;
	return window->code;
}

int
vs_thread_pool_parts(struct vs_tile_window *window,
	const struct vs_tile_task *task, size_t n)
{
	window->task = task;
	window->n_task = n;
	window->next = 0;
	run_window(window);
	return window->code;
}

/* ---- what a rank keeps for a whole run ---- */

int
vs_thread_pool_drivers(const struct vs_job *job)
{
	const struct vs_backend *d = job->device;

	return !d                 ? 0
		: d->n_device > 1 ? d->n_device * d->n_driver
				  : d->n_driver;
}

double
vs_thread_pool_rate(const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	if (job->rate > 0)
		return job->rate;
	return (job->device ? job->device->rate(q) : 0) +
		(job->device && job->alone
				? 0
				: job->backend->rate(q) * job->n_thread);
}

int
vs_thread_pool_queue(struct vs_thread_pool *c, double unit)
{
	const struct vs_job *job = c->job;
	const struct vs_query *q = job->query;
	struct vs_work_queue_want want = { .n_back = job->n_thread,
		.n_front = vs_thread_pool_drivers(job),
		.n_driver = job->device ? job->device->n_driver : 0,
		.back_rate = job->backend->rate(q) / unit,
		.front_rate = job->device ? job->device->rate(q) / unit : 1,
		.alone = job->alone,
		.cost = c->kind->cost };

	return vs_work_queue_new(&c->queue, &want);
}

int
vs_thread_pool_open(struct vs_thread_pool *c, const struct vs_job *job)
{
	const struct vs_query *q = job->query;
	size_t most = (size_t)job->plan->tile;
	int code;

	*c = (struct vs_thread_pool){ .job = job, .kind = &strips };
	code = vs_thread_pool_queue(c, vs_tile_split_unit(q));
	if (!code)
		code = job->backend->open(&c->backend, q, job->n_thread, most);
	if (!code && job->device)
		code = job->device->open(&c->device, q,
			vs_thread_pool_drivers(job), most);
	if (code)
		vs_thread_pool_close(c);
	return code;
}

void
vs_thread_pool_forget(const struct vs_thread_pool *c,
	const struct vs_panel *panel)
{
	if (c->backend && c->job->backend->forget)
		c->job->backend->forget(c->backend, panel);
	if (c->device && c->job->device->forget)
		c->job->device->forget(c->device, panel);
}

void
vs_thread_pool_close(struct vs_thread_pool *c)
{
	if (c->device)
		c->job->device->close(c->device);
	if (c->backend)
		c->job->backend->close(c->backend);
	vs_work_queue_free(c->queue);
	memset(c, 0, sizeof(*c));
}

/* Open tiles, the spare, and one being sorted; arrays grow by half. */
#define BATCH_BYTES(n_batch) \
	(((size_t)(n_batch) + 2) * sizeof(struct vs_record) * 3 / 2)

/* Bytes per record of a finished tile, gathered by the sink's tiles, and of
 * other tiles. */
#define GATHERED_BYTES                                                     \
	(2 * sizeof(struct vs_record) * 3 / 2 + sizeof(struct vs_record) + \
		sizeof(uint32_t))

size_t
vs_thread_pool_batch(uint64_t bytes)
{
	uint64_t n = bytes / BATCH_BYTES(VS_OPEN);

	return n < VS_HITS / 4 ? VS_HITS / 4
		: n < VS_BATCH ? (size_t)n
			       : VS_BATCH;
}

size_t
vs_thread_pool_bytes(const struct vs_job *job)
{
	const struct vs_query *q = job->query;
	size_t batch = job->batch ? job->batch : VS_BATCH;
	size_t gather = vs_job_is_grouped(job) ? job->gather : 0;
	size_t most = (size_t)job->plan->tile;
	int n_driver = vs_thread_pool_drivers(job);
	int n_batch = open_tiles(job) > VS_OPEN ? VS_BATCHES_DEVICE : VS_OPEN;
	size_t workers = job->backend->bytes(q, job->n_thread, most) +
		(n_driver ? job->device->bytes(q, n_driver, most) : 0);

	return workers + batch * BATCH_BYTES(n_batch) +
		gather * GATHERED_BYTES +
		(size_t)(job->n_thread + n_driver) * VS_HITS *
		sizeof(struct vs_record) * 3;
}

void
vs_thread_pool_rest(void)
{
	/* if they do not end, they wait as before */
	(void)omp_pause_resource_all(omp_pause_soft);
}
