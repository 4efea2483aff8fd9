/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bounds of Proportional Similarity from the sums of two vectors alone.
 */
#ifndef VS_ENGINE_PRUNE_BLOCK_BOUND_MINIMA_H
#define VS_ENGINE_PRUNE_BLOCK_BOUND_MINIMA_H

#include "libcore/engine/backend.h"

/*
 * Shrink the range of rows [*row_lo, *row_hi) to one outside of which none can
 * pass with any of the columns [lo, hi), lo < hi. Both panels are of numbers,
 * and each range within a block, sorted by total.
 */
void vs_block_bound_minima_range(const struct vs_query *q,
	const struct vs_panel *rows, const struct vs_panel *cols, size_t lo,
	size_t hi, size_t *row_lo, size_t *row_hi);

#endif
