/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles of several sizes; their blocks are read for them: smaller tiles in
 * place of one that takes too long, and tiles of other ranks.
 */
#ifndef VS_ENGINE_SCHED_TILE_LEVELS_H
#define VS_ENGINE_SCHED_TILE_LEVELS_H

#include "libcore/engine/job.h"
#include "libcore/engine/sched/thread_pool.h"

#define VS_TILE_LEVELS_SLOWER 100 /* times slower than assumed a run may be */
/* part of a tile's blocks that is read for smaller tiles if memory is short */
#define VS_TILE_LEVELS_FINER 16

/* Tiles to do, and those to do as smaller tiles; zeroed is empty. */
struct vs_tile_list {
	struct vs_tiles now, later;
	struct vs_tiles partial; /* of these, smaller tiles are done in part */
	int code;
};

/*
 * Tiles of one size, with g of the sink's blocks along an edge; its blocks stay
 * until the end.
 */
struct vs_tile_level {
	int64_t g;
	struct vs_plan plan;
	struct vs_job job;
	struct vs_thread_pool pool;
	struct vs_tile_level *next;
};

/* All sizes, and the memory left for blocks of others. */
struct vs_tile_levels {
	struct vs_tile_level *first;
	uint64_t memory;
	uint64_t reserved; /* for those of other ranks */
};

void vs_tile_levels_clear(struct vs_tile_list *list);

/*
 * True if a tile is to be done as a whole. False: all of it is done, or part,
 * which is noted in the list; or there is no memory, see its code.
 */
bool vs_tile_levels_sort(struct vs_tile_list *list, const struct vs_job *job,
	int64_t bi, int64_t bj);

/* Reserve memory for blocks of tiles of the job's plan. False: too little. */
bool vs_tile_levels_fit(struct vs_tile_levels *levels,
	const struct vs_job *job);

/* The pool for tiles with g of the sink's blocks along an edge. */
int vs_tile_levels_open(struct vs_tile_levels *levels,
	const struct vs_thread_pool *pool, int64_t g,
	struct vs_thread_pool **out);

/*
 * Do tiles of a source, with g of the sink's blocks along an edge. Those that
 * take too long or were done in part are done as smaller tiles, once some are
 * put off and before more are taken, since other ranks may take those.
 * list  of the source; this empties it
 */
int vs_tile_levels_feed(struct vs_tile_levels *levels,
	const struct vs_thread_pool *pool, struct vs_tile_list *list,
	const struct vs_tile_source *source, int64_t g);

void vs_tile_levels_free(struct vs_tile_levels *levels);

#endif
