/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of a rank, together at work on one tile after another. */
#ifndef VS_ENGINE_CREW_H
#define VS_ENGINE_CREW_H

#include "libcore/engine/pairs.h"
#include "libcore/engine/store.h"

/* Blocks bi <= bj and the panels that hold them, unless there is a store. */
struct vs_tile_task {
	int64_t bi, bj;
	const struct vs_panel *i, *j;
};

struct vs_crew {
	const struct vs_pairs *job;
	struct vs_pairs_stats *stats;
	struct vs_store *store; /* or null */
	void *backend;          /* open for job->n_thread workers */
};

/*
 * Do n tiles. Each is cut into items, strips of columns against ranges of
 * rows, that any thread may take; a thread that finds none left goes on to
 * the next tile. The sink gets a tile when its last item is done, and some of
 * its records earlier where there are many.
 * returns  0; VS_DONE when stopped, with the tiles begun finished; negative:
 *          the first failure
 */
int vs_crew_run(const struct vs_crew *crew, const struct vs_tile_task *task,
	size_t n);

/* Records of a batch so that those that wait take about so many bytes. */
size_t vs_crew_batch(uint64_t bytes);

/* Bytes of records that wait for the sink, at most. */
size_t vs_crew_bytes(const struct vs_pairs *job);

#endif
