/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of the tiles in a share of a path, by the arrival of their blocks. */
#ifndef VS_PLAN_PATH_ORDER_H
#define VS_PLAN_PATH_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/plan/plan.h"

/*
 * most     blocks that a rank keeps at a time: shares with more keep their
 *          order; 0: all shares keep it
 * n_own    vectors that a rank has to begin with: rank r those from r * n_own
 *          on; 0: none
 */
struct vs_path_order {
	int64_t most;
	uint64_t n_own;
};

/*
 * Order n tiles, bi and bj of each, of a rank's share: first those of blocks
 * that the rank has; then, as one block after another is loaded, as many as the
 * loaded blocks allow. In plain column order, half of the blocks are loaded
 * before the second column begins; here the tiles of that half, a quarter of
 * all, are done meanwhile. A function of its arguments alone: any rank can make
 * any other's list.
 * returns  0; VS_EMACHINE
 */
int vs_path_order(const struct vs_path_order *of, const struct vs_plan *plan,
	int rank, int32_t (*tile)[2], size_t n);

/* True if all vectors of block b are a rank's own. */
bool vs_path_order_has(const struct vs_path_order *of,
	const struct vs_plan *plan, int rank, int64_t b);

#endif
