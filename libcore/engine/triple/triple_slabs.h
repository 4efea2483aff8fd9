/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhaustive counting of the triples of a tile, cut into slabs. */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_SLABS_H
#define VS_ENGINE_TRIPLE_TRIPLE_SLABS_H

#include "libcore/engine/job.h"
#include "libcore/engine/triple/slab.h"
#include "libcore/engine/triple/triple_pass.h"

struct vs_triple_slabs {
	const struct vs_job *job;
	const struct vs_triple_data *data;
	const struct vs_slab_kind *kind;
	bool uncut; /* slabs are as large as can be, and are not counted */
	/* of each thread of the CPU; null: not open */
	void **worker;
	/* of the tile in work, of the CPU alone */
	struct vs_slabs of_tile;
	/* beside a device: its queue has the slabs of all tiles, and devices
	 * and CPU take from it; pool.device null: there is none */
	struct vs_thread_pool pool;
};

/* The way to count slabs of the job. */
const struct vs_slab_kind *vs_triple_slabs_kind(const struct vs_job *job);

/* Threads that drive devices of the job. */
int vs_triple_slabs_drivers(const struct vs_job *job);

/* Open each thread's worker, and the devices. 0; VS_EMACHINE, and it is to be
 * closed */
int vs_triple_slabs_open(struct vs_triple_slabs *s, const struct vs_job *job,
	const struct vs_triple_data *data, struct vs_job_stats *stats);
void vs_triple_slabs_close(struct vs_triple_slabs *s); /* zeroed is accepted */

/* Cut an existing tile, or what is in the window, in *n slabs. 0; VS_EMACHINE
 */
int vs_triple_slabs_cut(struct vs_triple_slabs *s, int64_t bi, int64_t bj,
	const struct vs_slab_window *window, size_t *n);

/* Count some slabs of the tile by the CPU, see vs_triple_count. */
int vs_triple_slabs_count(struct vs_triple_slabs *s, int thread,
	const struct vs_triple_part *part, struct vs_hits *found,
	uint64_t *counted);

#endif
