/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of triples as work of the thread pool: slabs or candidates. */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_PASS_H
#define VS_ENGINE_TRIPLE_TRIPLE_PASS_H

#include "libcore/engine/candidates/triple_candidates.h"
#include "libcore/engine/sched/tile_window.h"
#include "libcore/engine/triple/triple_slabs.h"

struct vs_triple_pass {
	const struct vs_triple_data *data;
	struct vs_triple_slabs *slabs;
	struct vs_triple_candidates *candidates; /* null: slabs are counted */
	struct vs_job job; /* the run's, without a device that is not open */
	struct vs_thread_pool pool;
	struct vs_tile_window window; /* for tiles in parts */
};

/* Records of a tile that may wait. */
size_t vs_triple_pass_batch(const struct vs_job *job);

/*
 * Begin. It has to be closed in any case.
 * from     the caller sets data, and slabs or candidates
 * stats    gets triples of tiles that are finished, and those counted
 * n_open   tiles in parts at a time; 0: whole ones are taken from a source
 * returns  0; VS_EMACHINE
 */
int vs_triple_pass_open(struct vs_triple_pass *p, const struct vs_job *job,
	struct vs_job_stats *stats, int n_open);
void vs_triple_pass_close(struct vs_triple_pass *p); /* zeroed is accepted */

#endif
