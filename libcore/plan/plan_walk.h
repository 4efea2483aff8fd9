/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of a rank's tiles: the one in which a run does them. */
#ifndef VS_PLAN_PLAN_WALK_H
#define VS_PLAN_PLAN_WALK_H

#include "libcore/plan/plan.h"

/* A tile (bi, bj), bi <= bj. 0, or a code that ends the walk. */
typedef int vs_plan_walk_tile(void *ctx, int64_t bi, int64_t bj);

/*
 * The tiles of a step of a rank: along its share of the path, or its own blocks
 * with those of its partner, part after part of these in the order in which
 * they come. Tiles of a part go by their first block, there and back, so that
 * the next one shares a block and vsim-merge finds records in bands of first
 * vectors.
 * returns  0, or what ended it
 */
int vs_plan_walk(const struct vs_plan *plan, int rank, int step,
	vs_plan_walk_tile *tile, void *ctx);

#endif
