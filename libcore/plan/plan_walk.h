/* SPDX-License-Identifier: BSD-3-Clause */
/* Order in which a run computes a rank's tiles. */
#ifndef VS_PLAN_PLAN_WALK_H
#define VS_PLAN_PLAN_WALK_H

#include "libcore/plan/plan.h"

/* Called with a tile (bi, bj), bi <= bj. returns 0, or a code that ends the
 * walk */
typedef int vs_plan_walk_tile(void *ctx, int64_t bi, int64_t bj);

/*
 * The tiles of a step of a rank: along its share of the path, or its own blocks
 * with those of its partner, one group of these after another as they arrive.
 * The tiles of a group are visited by their first block, forwards and
 * backwards, so that the next tile shares a block and vsim-merge finds records
 * in bands of first vectors.
 * returns  0, or the code that ended it
 */
int vs_plan_walk(const struct vs_plan *plan, int rank, int step,
	vs_plan_walk_tile *tile, void *ctx);

#endif
