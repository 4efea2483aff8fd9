/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring exchange of panels: each rank passes on the vectors that it has met. */
#ifndef VS_ENGINE_SCHED_RING_H
#define VS_ENGINE_SCHED_RING_H

#include <pthread.h>
#include <stdbool.h>

#include "libcore/engine/job.h"
#include "libcore/engine/sched/thread_pool.h"

/* The panels of a rank: its own, the one that it meets, and one that comes. */
struct vs_ring {
	const struct vs_job *job;
	struct vs_thread_pool *pool;
	int rank;
	struct vs_panel own, current, next;
	/* what keeps the exchange going while the others compute */
	pthread_t mover;
	bool is_moving;
};

/*
 * Panels that a rank has memory for: its own; one that comes, of two or three
 * ranks; of more, one that is met while another comes.
 */
int vs_ring_panels(const struct vs_plan *plan);

/*
 * Bytes for the cache of a stream's blocks, and those for more than the fewest:
 * a path comes back to its rows. Where tiles are done in smaller ones these
 * have half of the memory.
 */
uint64_t vs_ring_cache_bytes(const struct vs_job *job);
uint64_t vs_ring_cache_extra(const struct vs_job *job);

/* Read this rank's vectors; or, of a stream, make the cache of the pool. The
 * job, pool and rank are set. */
int vs_ring_begin(struct vs_ring *ring);
void vs_ring_end(struct vs_ring *ring);

/* Set the panels of a tile of this step, whose blocks are set. */
void vs_ring_place(const struct vs_ring *ring, int step,
	struct vs_tile_task *task);

/* Start passing the panel of this step to the left, as one comes from the
 * right. */
void vs_ring_pass_on(struct vs_ring *ring, int step);

/* Wait for it: it is the one that this step meets. */
void vs_ring_rotate(struct vs_ring *ring, int step);

#endif
