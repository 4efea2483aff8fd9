/* SPDX-License-Identifier: BSD-3-Clause */
/* Thread pool of a rank: all its threads work on one tile after another. */
#ifndef VS_ENGINE_SCHED_THREAD_POOL_H
#define VS_ENGINE_SCHED_THREAD_POOL_H

#include "libcore/engine/job.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/tile_split.h"
#include "libcore/engine/sched/work_queue.h"

/* Tiles that come one by one. */
struct vs_tile_source {
	/* Get the next tile; false: there are no more. Only the first thread
	 * calls this, while others count. */
	bool (*next)(void *ctx, struct vs_tile_task *task);
	/* The k-th tile that next() is likely to return, for reading ahead; it
	 * may be done already. False: unknown. Called by any thread,
	 * concurrently with next(); or null */
	bool (*ahead)(void *ctx, int64_t k, struct vs_tile_task *task);
	void *ctx;
	/* a tile is taken while the one before is counted, even by a single
	 * thread, since its blocks cannot be known earlier */
	bool early;
};

struct vs_thread_pool;
struct vs_tile_worker; /* tile_window.h */
struct vs_tile_window;

/*
 * Kind of a tile: how pieces are made of it and done, none of them under the
 * window's lock. ctx is the thread pool's.
 *
 * size    pairs or triples of an existing tile
 * split   as vs_tile_split_make(), with n_front drivers of devices; for a tile
 *         that is done in parts, the next part replaces the one before
 * cost    of a piece, as the work queue needs it; null: its rows
 * count   a piece of worker->tile; threads from n_thread on drive devices, and
 *         leave the rows not done if a device is lost
 * sum     add up records of a tile, with the job's and the source's names
 * quits   a stop ends a run at once; else tiles of which the sink has records
 *         are finished
 */
struct vs_tile_kind {
	uint64_t (*size)(const struct vs_plan *plan, int64_t bi, int64_t bj);
	int (*split)(const struct vs_thread_pool *pool,
		const struct vs_tile_task *task, int n_front, void *of,
		struct vs_tile_split *split);
	vs_piece_cost_fn *cost;
	int (*count)(const struct vs_thread_pool *pool, int thread,
		struct vs_piece *piece, struct vs_tile_worker *worker);
	void (*sum)(const struct vs_thread_pool *pool,
		const struct vs_tile_task *task, struct vs_hits *hits,
		struct vs_digest_sum *sum, struct vs_digest_sum *renamed);
	bool quits;
};

/* Threads of the CPU, numbers 0 .. n_thread - 1, and drivers of devices. */
struct vs_thread_pool {
	const struct vs_job *job;
	struct vs_job_stats *stats;
	struct vs_block_cache *cache; /* or null */
	/* source of its blocks, or null: the job's load() */
	struct vs_held_vectors *held;
	void *backend, *device; /* open backends; device null: there is none */
	struct vs_work_queue *queue;
	const struct vs_tile_kind *kind;
	void *ctx;  /* context of the kind */
	int n_open; /* tiles at a time; 0: the default */
	/* a tile is not complete with its last records, but searched for values
	 * above a number */
	bool searched;
	double above;
};

/*
 * Open the CPU and the job's device, for one run over the pairs.
 * returns  0; a failure, after which nothing is open
 */
int vs_thread_pool_open(struct vs_thread_pool *pool, const struct vs_job *job);
void vs_thread_pool_close(struct vs_thread_pool *pool); /* zeroed is accepted */

/* Open the work queue for the threads and devices of the pool's job, alone; a
 * cost of 1 is this many comparisons. 0; VS_EMACHINE */
int vs_thread_pool_queue(struct vs_thread_pool *pool, double unit);

/* Forget a panel whose memory is about to be refilled; no worker uses it. */
void vs_thread_pool_forget(const struct vs_thread_pool *pool,
	const struct vs_panel *panel);

/*
 * Compute n tiles. Each is cut into pieces, strips of columns against ranges of
 * rows, that any thread may take; a thread that finds none left moves on to the
 * next tile. The sink gets a tile when its last piece is done, and some of its
 * records earlier if there are many.
 * later    gets the tiles that exceed the job's limit, of which nothing has
 *          reached the sink; null: all are computed
 * returns  0; VS_DONE if stopped; negative: the first failure
 */
int vs_thread_pool_run(const struct vs_thread_pool *pool,
	const struct vs_tile_task *task, size_t n, struct vs_tiles *later);

/* Tiles put off per thread and device driver, after which no more are taken
 * from a source; and whether there are that many. */
#define VS_THREAD_POOL_LATER 1
bool vs_thread_pool_is_full(const struct vs_job *job, size_t n_later);

/*
 * The same for tiles of a source; few are taken before they are begun. If later
 * is full, the source may have more.
 */
int vs_thread_pool_feed(const struct vs_thread_pool *pool,
	const struct vs_tile_source *source, struct vs_tiles *later);

/*
 * Tiles of a kind in parts: a window that outlives its runs. Each run does a
 * part of one tile or of several, in this order. A tile goes to the sink when
 * its last part is done, and is dropped on a stop.
 * begin    returns 0; VS_EMACHINE; must be ended in either case
 * parts    returns 0; VS_DONE if stopped; the first failure
 */
int vs_thread_pool_begin(const struct vs_thread_pool *pool,
	struct vs_tile_window *window);
int vs_thread_pool_parts(struct vs_tile_window *window,
	const struct vs_tile_task *task, size_t n);
void vs_thread_pool_end(struct vs_tile_window *window);

/* Records per batch, so that all buffers together take about the given
 * bytes. */
size_t vs_thread_pool_batch(uint64_t bytes);

/* Most bytes of workers and of records that wait for the sink. */
size_t vs_thread_pool_bytes(const struct vs_job *job);

/* Drivers of the job's devices; 0: it has none. */
int vs_thread_pool_drivers(const struct vs_job *job);

/* Comparisons per second, approximately. */
double vs_thread_pool_rate(const struct vs_job *job);

/*
 * End the threads of parallel loops; the next loop starts new ones. Between two
 * loops threads spin for ten milliseconds, and threads that write results would
 * have to wait for their cores.
 */
void vs_thread_pool_rest(void);

#endif
