/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reorder window: tiles that threads have begun, and their records on the way
 * to the sink. Only the threads of thread_pool.c use it; they hold the lock
 * when calling the functions below, except vs_tile_window_gather().
 */
#ifndef VS_ENGINE_SCHED_TILE_WINDOW_H
#define VS_ENGINE_SCHED_TILE_WINDOW_H

#include <pthread.h>

#include "libcore/base/counted.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/engine/sched/tile_split.h"

/* A tile and the next one. With a device, which may finish dozens while a CPU
 * thread does one cut, as many as keep both busy while few records wait. */
#define VS_OPEN 2
#define VS_OPEN_DEVICE 64
#define VS_BATCHES_DEVICE 6 /* approximate batches of records that wait */

#define VS_BATCH (1u << 15) /* records of a tile that wait; sorted in cache */

/* Threads that read blocks ahead, block_ahead.h. */
#define VS_AHEAD 3
struct vs_block_ahead {
	pthread_t thread[VS_AHEAD];
	int n, n_begun; /* number of threads; of those in their loops */
	pthread_cond_t change;
	bool due; /* there may be something to read, or room for it */
	bool end;
};

/* A tile that is being worked on. */
struct vs_open_tile {
	bool used, ready; /* this place is in use; pieces may be taken */
	bool pinned;      /* by the store */
	uint64_t number;  /* of the task: older ones are lower */
	struct vs_tile_task task;
	uint64_t pairs, left;  /* pairs; share of split.amount not done yet */
	double fields_skipped; /* fields of pairs that were given up early */
	double inferred;       /* pairs decided by leaders */
	struct vs_tile_split split;
	struct vs_hits hits; /* not passed to the sink yet */
	bool begun;          /* some are with the sink */
	bool ending;         /* the last ones are on their way there */
	bool dropped;        /* its results are not wanted */
	int n_worker;        /* workers at it */
	double since;        /* when the first of them started; 0: none yet */
	uint64_t n_hits;     /* records */
	struct vs_digest_sum sum, renamed;
	double seconds;
};

struct vs_tile_window {
	const struct vs_thread_pool *c;
	bool parts; /* tiles stay open from a run to the next one */
	const struct vs_tile_task *task;
	size_t n_task, next;
	uint64_t n_taken; /* tiles that are or were open */
	/* tiles that arrive one by one: their source, those not yet started,
	 * and whether there may be more; or null */
	const struct vs_tile_source *source;
	struct vs_tiles fed;
	bool feeding;
	struct vs_block_ahead ahead;
	struct vs_tiles *later; /* where tiles that take too long go; or null */
	struct vs_open_tile tile[VS_OPEN_DEVICE];
	int n_open;                /* of these are in use */
	struct vs_hits free_batch; /* memory for the next batch */
	struct vs_record *sorted;  /* of the batch that the sink has */
	size_t room_sorted;
	/* for a job that counts all values: of each worker and open tile,
	 * worker after worker, and last of the tile with the sink; or null */
	struct vs_tile_tally {
		struct vs_value_histogram *histogram; /* or null, */
		struct vs_summary *summary;           /* or null */
	} * tally;
	struct vs_counted counted[2]; /* of a histogram */
	bool opening;                 /* some thread begins a tile */
	bool io_busy;                 /* one thread is in sink() or load() */
	bool stopped;
	int code;
	size_t batch;
	pthread_mutex_t lock; /* lock for all of this */
	pthread_cond_t change;
};

/* Contribution of a thread to its tile. */
struct vs_tile_worker {
	struct vs_hits hits; /* first: drain() finds all by it */
	struct vs_tile_window *window;
	struct vs_open_tile *tile;
};

/* The first failure counts; 0: none. */
void vs_tile_window_fail(struct vs_tile_window *window, int code);

/*
 * Move a thread's hits to its tile; the drain() of vs_hits, called without the
 * lock.
 */
int vs_tile_window_gather(struct vs_hits *hits);

/* True if the thread pool has to stop. */
bool vs_tile_window_is_stopped(const struct vs_tile_window *window);

/*
 * True if the thread's tile was dropped, or the thread pool has to stop; a
 * callback of vs_hits.
 */
bool vs_tile_window_due(const struct vs_hits *hits);

/* Give the sink a tile of n pairs of which none is wanted. The caller has set
 * io_busy, and does not hold the lock. returns what the sink returns */
int vs_tile_window_give_empty(struct vs_tile_window *window,
	const struct vs_tile_task *task, uint64_t n);

/* Note that the worker has left the tile. */
void vs_tile_window_part(struct vs_tile_window *window, struct vs_open_tile *t);

/* Drop tiles that take too long. */
void vs_tile_window_hurry(struct vs_tile_window *window);

/* True if a tile would take too long as a whole, and is put off. */
bool vs_tile_window_exceeds(const struct vs_tile_window *window,
	const struct vs_tile_task *task);

/* True if the next tile would take too long as a whole, and is put off. */
bool vs_tile_window_puts_off(struct vs_tile_window *window);

/* Drop the tiles that the sink has nothing of; or all, see vs_tile_kind. */
void vs_tile_window_stop(struct vs_tile_window *window);

/* Let a thread count all values of an open tile, if the job asks for it. */
void vs_tile_window_count_into(const struct vs_tile_window *window, int worker,
	const struct vs_open_tile *t, struct vs_hits *hits);

/* Make the tallies of all workers and open tiles, if the job has any. */
int vs_tile_window_tally_new(struct vs_tile_window *window);
void vs_tile_window_tally_free(
	struct vs_tile_window *window); /* without is accepted */

/* A tile was taken, or its blocks are free: blocks of others may be read
 * ahead. */
static inline void
vs_tile_window_look_ahead(struct vs_tile_window *window)
{
	window->ahead.due = true;
	if (window->ahead.n)
		pthread_cond_broadcast(&window->ahead.change);
}

/* Poll and report progress; only the first thread calls this. Releases the lock
 * meanwhile. */
void vs_tile_window_poll(struct vs_tile_window *window);

/* Free a tile's place. */
void vs_tile_window_clear(struct vs_tile_window *window,
	struct vs_open_tile *t);

/*
 * Pass complete tiles to the sink and free their places; those that cannot go
 * now are left to the next thread.
 */
void vs_tile_window_finish(struct vs_tile_window *window);

/* True if too many records wait for another tile to begin. */
bool vs_tile_window_is_crowded(const struct vs_tile_window *window);

#endif
