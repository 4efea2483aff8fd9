/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of the tiles of a share of a path, as their blocks come. */
#ifndef VS_PLAN_PATH_ORDER_H
#define VS_PLAN_PATH_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/plan/plan.h"

/*
 * most     blocks that a rank keeps at a time: shares that have more keep their
 *          order; 0: all do
 * n_own    vectors that a rank has itself: rank r those from r * n_own on; 0:
 *          none
 */
struct vs_path_order {
	int64_t most;
	uint64_t n_own;
};

/*
 * Order n tiles, bi and bj of each, of a rank's share: those of blocks that the
 * rank has come first, and then as many as can be of those that have come, one
 * block after the other being loaded. Column after column, half of the blocks
 * are there before the second column begins; so the tiles of half of them, a
 * quarter of all, are done meanwhile. A function of its arguments alone: any
 * rank can make any other's list.
 * returns  0; VS_EMACHINE
 */
int vs_path_order(const struct vs_path_order *of, const struct vs_plan *plan,
	int rank, int32_t (*tile)[2], size_t n);

/* True if all vectors of block b are a rank's own. */
bool vs_path_order_has(const struct vs_path_order *of,
	const struct vs_plan *plan, int rank, int64_t b);

#endif
