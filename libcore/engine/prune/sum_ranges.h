/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges of sums within which no pair of a row and a block of columns can pass,
 * so that a kernel need not write them. Columns are sorted by frequency: those
 * of a block have bounds that are near each other. Of 40,000 x 427 without gaps
 * 97 of 100 blocks of a row are not written; of real data of that size with 3.5
 * % missing, and of first fields of 20,000 x 10,000, few: bounds of a block
 * differ more than sums do by chance.
 */
#ifndef VS_ENGINE_PRUNE_SUM_RANGES_H
#define VS_ENGINE_PRUNE_SUM_RANGES_H

#include "libcore/engine/prune/coefficients.h"
#include "libcore/kern/kernels.h"

/*
 * Extremes of the columns of a block that have a call: least 1 / u of the
 * leading and of the other label, least fields present, least and most of ws,
 * most deviation of followers; and of the fields that were not counted, least
 * and most with one and with two copies.
 */
struct vs_block_sides {
	float bl, bo, c, ws[2], above, below;
	float one[2], two[2];
};

/* Blocks of columns [0, n) of the sides; rest: or null. */
void vs_sum_ranges_columns(const struct vs_panel *cols,
	const struct vs_sides *sides, const struct vs_rest *rest, size_t n,
	struct vs_block_sides *block);

/*
 * The range of a row with each block: a pair that passes has a sum out of it,
 * over all fields, or, where rest is not null, over the first ones. rest: the
 * row's fields that were not counted, with one and with two copies; left: how
 * many were not.
 */
void vs_sum_ranges_row(const struct vs_coefficients *row, const float *rest,
	float left, const struct vs_block_sides *block, size_t n_block,
	struct vs_range *range);

#endif
