/* SPDX-License-Identifier: BSD-3-Clause */
/* Split of a tile into strips and pieces, the items of the work queue. */
#ifndef VS_ENGINE_SCHED_TILE_SPLIT_H
#define VS_ENGINE_SCHED_TILE_SPLIT_H

#include "libcore/base/mem.h"
#include "libcore/engine/job.h"
#include "libcore/engine/sched/work_queue.h"

/*
 * Blocks bi <= bj, the panels that hold them, and where each begins there; if
 * there is a block cache, it finds the panels, each of which holds one block.
 */
struct vs_tile_task {
	int64_t bi, bj;
	const struct vs_panel *i, *j;
	size_t i_at, j_at;
	/* for triples done in parts: units [lo, hi), and whether those are the
	 * last */
	size_t lo, hi;
	bool last;
};

struct vs_tiles {
	struct vs_tile_task *task;
	size_t n, room;
};

/* 0; VS_EMACHINE, and the list is as before */
static inline int
vs_tiles_add(struct vs_tiles *tiles, const struct vs_tile_task *task)
{
	int code = vs_mem_grow(&tiles->task, &tiles->room, tiles->n + 1,
		sizeof(*tiles->task), "list of tiles");

	if (!code)
		tiles->task[tiles->n++] = *task;
	return code;
}

struct vs_tile_split {
	struct vs_strip *strip;
	void *slab; /* for triples, in place of strips; free() frees it */
	struct vs_piece *piece; /* rows of strip number part; largest first */
	size_t n_strip, n_piece, room;
	/* total over pieces: cost, or rows of slabs; pairs in them */
	uint64_t amount, counted;
};

/*
 * Make strips of the width that a device takes, if n_front of its drivers are
 * there, else of what the CPU takes, and pieces of about equal cost, several
 * per worker.
 * of       goes into the pieces
 * returns  0; VS_EMACHINE; free what was made
 */
int vs_tile_split_make(struct vs_tile_split *split, const struct vs_job *job,
	const struct vs_tile_task *task, int n_front, void *of);
void vs_tile_split_free(struct vs_tile_split *split);

/* Cost of rows and columns of a strip: their pairs in the ranges of spans. */
uint64_t vs_tile_split_cost(const struct vs_strip *s,
	const struct vs_piece *piece);

/* Comparisons per unit of cost. */
double vs_tile_split_unit(const struct vs_query *q);

/* True if no pair of a tile is wanted: its blocks need not be read. */
bool vs_tile_split_is_empty(const struct vs_job *job,
	const struct vs_tile_task *task);

/* Pairs of a tile, given only its blocks, that the CPU counts before bounds
 * exclude any: 0 if none is wanted. */
uint64_t vs_tile_split_pairs(const struct vs_job *job,
	const struct vs_tile_task *task);

/* Pairs of tiles that become work, for all ranks; with a filter those counted
 * in its band, approximately. */
double vs_tile_split_work(const struct vs_job *job);

#endif
