/* SPDX-License-Identifier: BSD-3-Clause */
/* Read-ahead of vector blocks by an additional thread. */
#include "libcore/engine/sched/block_ahead.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/thread.h"
#include "libcore/engine/sched/tile_groups.h"
#include "libcore/plan/comm.h"

#define POLL_SECONDS 0.001
#define MORE 16 /* tiles examined, plus two for each block of the cache */
#define SOON 4  /* a part of the cache, in whose blocks another may be first */

/* Find the first block that is not loaded, preferably from a rank that is not
 * sending another block. */
struct search {
	struct vs_block_cache *cache;
	int64_t block; /* -1: none yet */
	int64_t last;  /* a block that is not loaded */
	int missing;   /* approximate number of blocks */
	bool apart;
};

static void
look_for(struct search *s, int64_t b)
{
	if (s->apart || vs_block_cache_keep(s->cache, b))
		return;
	s->apart = vs_block_cache_is_apart(s->cache, b);
	if (s->apart || s->block < 0)
		s->block = b;
	/* tiles that use it follow each other */
	s->missing += b != s->last;
	s->last = b;
}

/* Keep the blocks of a tile that are loaded; find those that are not. */
static void
look_at(struct search *s, const struct vs_job *job,
	const struct vs_tile_task *task)
{
	if (vs_tile_split_is_empty(job, task))
		return;
	look_for(s, task->bi);
	look_for(s, task->bj);
}

/* True if part of a tile is done already: it is not begun as a whole. */
static bool
is_done(const struct vs_job *job, const struct vs_tile_task *task)
{
	size_t n;

	return job->done &&
		vs_tile_groups_done(job, job->plan, task->bi, task->bj, &n);
}

/* The tile at place k of those to come. */
static bool
tile_ahead(const struct vs_tile_window *window, int64_t k,
	struct vs_tile_task *task)
{
	const struct vs_tile_source *source = window->source;
	const int64_t n = (int64_t)(window->n_task - window->next);

	if (k >= n)
		return window->feeding && source->ahead &&
			source->ahead(source->ctx, k - n, task);
	*task = window->task[window->next + (size_t)k];
	return true;
}

/*
 * A block that the coming tiles need and the cache does not have; blocks needed
 * before it are kept. The first such block, unless another one needed soon
 * comes from a rank that is not sending now: two ranks that load from the same
 * rank get half of its link each. -1: none.
 */
static int64_t
find_block(struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;
	struct search s = { .cache = window->c->cache,
		.block = -1,
		.last = -1 };
	const int n_slot = vs_block_cache_n_slot(s.cache);
	const int64_t most = 2 * (int64_t)n_slot + MORE;
	struct vs_tile_task task;

	vs_block_cache_keep_none(s.cache);
	/* a tile that begins loads its own blocks, one after the other */
	for (int k = 0; k < window->n_open; k++)
		if (window->tile[k].used && !window->tile[k].ready)
			look_at(&s, job, &window->tile[k].task);
	for (int64_t k = 0; k < most && !s.apart &&
		s.missing <= n_slot / SOON && tile_ahead(window, k, &task);
		k++) {
		if (is_done(job, &task))
			continue;
		if (vs_tile_window_exceeds(window, &task))
			break;
		look_at(&s, job, &task);
	}
	return s.block;
}

/* Load a block; false: none to load, or no room. Releases the lock
 * meanwhile. */
static bool
load_one(struct vs_tile_window *window)
{
	const bool reads = !window->c->held;
	const int64_t block = find_block(window);
	void *claimed = NULL;
	int code;

	if (block >= 0)
		claimed = vs_block_cache_claim(window->c->cache, block);
	if (!claimed)
		return false;
	/* another thread may find more to load */
	pthread_cond_broadcast(&window->ahead.change);
	window->io_busy |= reads;
	pthread_mutex_unlock(&window->lock);
	code = vs_block_cache_load(window->c->cache, claimed);
	pthread_mutex_lock(&window->lock);
	if (reads)
		window->io_busy = false;
	vs_tile_window_fail(window, code);
	pthread_cond_broadcast(&window->change);
	/* a tile completed meanwhile could not go to the sink, and the one
	 * thread that counts may wait for that */
	vs_tile_window_finish(window);
	return true;
}

/* Wait until something changes; meanwhile others may need MPI to progress,
 * which the first thread ensures. */
static void
rest(struct vs_tile_window *window, bool first)
{
	struct vs_block_ahead *a = &window->ahead;
	const struct timespec until = vs_clock_deadline(POLL_SECONDS);

	if (!first || !(window->c->held || a->due)) {
		pthread_cond_wait(&a->change, &window->lock);
		return;
	}
	pthread_cond_clockwait(&a->change, &window->lock, CLOCK_MONOTONIC,
		&until);
	if (!window->c->held)
		return;
	pthread_mutex_unlock(&window->lock);
	vs_comm_poke();
	pthread_mutex_lock(&window->lock);
}

/* True if a tile waits for the file, or for the sink, which must not be called
 * during load(): it takes precedence. */
static bool
is_busy(const struct vs_tile_window *window)
{
	bool busy = window->io_busy || window->opening;

	for (int k = 0; k < window->n_open; k++)
		busy |= window->tile[k].ready && !window->tile[k].left;
	return !window->c->held && busy;
}

static void *
read_ahead(void *ctx)
{
	struct vs_tile_window *window = ctx;
	struct vs_block_ahead *a = &window->ahead;
	bool first;

	pthread_mutex_lock(&window->lock);
	first = !a->n_begun++;
	while (!a->end) {
		if (window->code || window->stopped)
			a->due = false;
		if (!a->due || is_busy(window))
			rest(window, first);
		else if (!load_one(window))
			a->due = false;
	}
	pthread_mutex_unlock(&window->lock);
	return NULL;
}

void
vs_block_ahead_begin(struct vs_tile_window *window)
{
	const struct vs_job *job = window->c->job;
	struct vs_block_ahead *a = &window->ahead;
	const bool alone = job->n_thread == 1 && !job->device,
		   failed = *vs_fail_text();
	int most = window->c->held ? VS_AHEAD : alone ? 1 : 0;

	if (!window->c->cache || window->code)
		return;
	pthread_cond_init(&a->change, NULL);
	a->due = true;
	while (a->n < most &&
		!vs_thread_start(&a->thread[a->n], read_ahead, window))
		a->n++;
	/* continue with fewer threads */
	if (a->n < most && !failed)
		vs_fail_clear();
	if (!a->n)
		pthread_cond_destroy(&a->change);
}

void
vs_block_ahead_end(struct vs_tile_window *window)
{
	struct vs_block_ahead *a = &window->ahead;

	if (!a->n)
		return;
	pthread_mutex_lock(&window->lock);
	a->end = true;
	pthread_cond_broadcast(&a->change);
	pthread_mutex_unlock(&window->lock);
	for (int k = 0; k < a->n; k++)
		pthread_join(a->thread[k], NULL);
	pthread_cond_destroy(&a->change);
}
