/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhaustive counting of the triples of a tile, cut into slabs. */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_SLABS_H
#define VS_ENGINE_TRIPLE_TRIPLE_SLABS_H

#include "libcore/engine/job.h"
#include "libcore/engine/sched/tile_split.h"
#include "libcore/engine/slab/slab.h"

struct vs_triple_slabs {
	const struct vs_job *job;
	const struct vs_triple_data *data;
	const struct vs_slab_kind *kind;
	/* for each CPU thread; null: not open */
	void **worker;
	struct vs_slabs list; /* slabs of the tile that was cut last */
	void *device;         /* open; null: there is none */
};

/* How the job counts slabs. */
const struct vs_slab_kind *vs_triple_slabs_kind(const struct vs_job *job);

/* Number of threads that drive the job's devices. */
int vs_triple_slabs_drivers(const struct vs_job *job);

/* Triples that the devices count per second, approximately; 0: there are
 * none. */
double vs_triple_slabs_rate(const struct vs_job *job);

/* True if devices were asked for by name, so that all triples are counted. */
bool vs_triple_slabs_wanted(const struct vs_job *job);

/* Open each thread's worker, and the devices. 0; VS_EMACHINE, and it still has
 * to be closed */
int vs_triple_slabs_open(struct vs_triple_slabs *s, const struct vs_job *job,
	const struct vs_triple_data *data, struct vs_job_stats *stats);
void vs_triple_slabs_close(struct vs_triple_slabs *s); /* zeroed is accepted */

/*
 * Cut an existing tile, or what is in the window, into slabs. With n_front
 * device drivers they are as large as a device takes; all have all first
 * vectors, of which drivers and threads take some.
 * returns  0; VS_EMACHINE
 */
int vs_triple_slabs_cut(struct vs_triple_slabs *s, int64_t bi, int64_t bj,
	const struct vs_slab_window *window, int n_front);

/* Slabs as pieces of work: of the tile, or for a stream those cut last. See
 * struct vs_tile_kind. */
int vs_triple_slabs_split(struct vs_triple_slabs *s,
	const struct vs_tile_task *task, int n_front, void *of,
	struct vs_tile_split *to);

/* Count a piece of some slabs on a CPU thread or a driver, which leaves the
 * rows not done. As in slab kinds. */
int vs_triple_slabs_count(struct vs_triple_slabs *s, int thread,
	const struct vs_slab *slabs, struct vs_piece *piece,
	struct vs_hits *found, uint64_t *counted);

#endif
