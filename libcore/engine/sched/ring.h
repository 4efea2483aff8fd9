/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring exchange of panels: each rank passes on the vectors that it has met. */
#ifndef VS_ENGINE_SCHED_RING_H
#define VS_ENGINE_SCHED_RING_H

#include <pthread.h>
#include <stdbool.h>

#include "libcore/engine/job.h"
#include "libcore/engine/sched/thread_pool.h"

/* The panels of a rank: its own, the one that it meets, which may still be
 * arriving, and one that arrives or leaves. */
struct vs_ring {
	const struct vs_job *job;
	struct vs_thread_pool *pool;
	int rank;
	struct vs_panel own, current, next;
	int step;             /* step that the rank is at */
	int exchange;         /* the last one begun: it brings the next panel */
	pthread_mutex_t lock; /* of these two and the panels */
	pthread_cond_t change;
	/* keeps the exchange progressing while the other threads compute */
	pthread_t mover;
	bool is_moving;
};

/*
 * Panels that a rank has memory for: its own; with two or three ranks one that
 * arrives; with more, one that it meets while another arrives.
 */
int vs_ring_panels(const struct vs_plan *plan);

/*
 * Bytes for the cache of a stream's blocks, and those beyond the fewest blocks:
 * a path returns to its rows. If tiles are done as smaller ones, these get half
 * of the memory.
 */
uint64_t vs_ring_cache_bytes(const struct vs_job *job);
uint64_t vs_ring_cache_extra(const struct vs_job *job);

/* Read this rank's vectors or, for a stream, make the cache of the pool. The
 * job, pool and rank are set. */
int vs_ring_begin(struct vs_ring *ring);
void vs_ring_end(struct vs_ring *ring);

/* Set the panels of a tile of this step; its blocks are set. */
void vs_ring_place(const struct vs_ring *ring, int step,
	struct vs_tile_task *task);

/*
 * True if the next step can begin: the exchange that brings its panel has
 * begun, which waits for the exchange before.
 */
bool vs_ring_may_step(struct vs_ring *ring, int step);

/*
 * Begin a step that can begin. With the first one, on the panels that begin()
 * made, the first exchange starts, and each later one as soon as there is
 * memory for it. All ranks begin all steps, whatever fails.
 */
void vs_ring_step(struct vs_ring *ring, int step);

/*
 * True if the vectors of a tile of this step have arrived. Those of a panel
 * arrive in the order of its blocks; a device takes the panel when it is
 * complete.
 */
bool vs_ring_has(struct vs_ring *ring, int64_t bi, int64_t bj);

/* Wait until everything has arrived and left. */
void vs_ring_finish(struct vs_ring *ring);

#endif
