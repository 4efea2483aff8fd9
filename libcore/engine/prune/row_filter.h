/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filter of a row of sums: a float test of upper bounds for each column. After
 * the batch filter it gains 1.0 to 1.2 times for CCC; both together 7 to 24
 * times.
 */
#ifndef VS_ENGINE_PRUNE_ROW_FILTER_H
#define VS_ENGINE_PRUNE_ROW_FILTER_H

#include "libcore/engine/joint_sums.h"
#include "libcore/engine/prune/batch_filter.h"

/*
 * One row of a block of sums of leaders: if a pair may pass, so may all pairs
 * that its leaders represent.
 */
struct vs_row_filter {
	const struct vs_query *q;
	const struct vs_sparse *sparse; /* counts single pairs */
	const struct vs_representatives *rows, *cols;
	size_t i;      /* the row, in rows */
	size_t lo, hi; /* wanted columns, in cols */
	/* only represented vectors in [from, to) of the panel and, on the
	 * diagonal, after the row's */
	size_t from, to;
	bool diagonal;
	const struct vs_sides *sides; /* of the columns */
	const int32_t *pl;            /* dense sums of the leading label */
	/* not null: pl counts only the prefix */
	const struct vs_rest *rest;
	/* not null: for all rows and these columns */
	const struct vs_batch_filter *batch;
	/* not null: a bit for each column in the histogram */
	const uint64_t *wanted;
	/* the other sums have been counted, too, for columns [lo, hi) */
	bool whole;
	struct vs_joint_sums sums;
};

/*
 * The columns of the row that may pass, by a float test that can only err
 * towards keeping a column. With followers, pl is all that it uses.
 *
 * If calls are missing, a dense sum is exact only for the cell of its label; it
 * gives an upper bound for the others and for 1 / c_ij. What the bound leaves
 * is counted pair by pair, unless all sums have been counted.
 *
 * histogram  counts all values of the row, or null
 * column     room for hi - lo column numbers, ascending
 * returns    how many there are
 */
size_t vs_row_filter_row(const struct vs_row_filter *t,
	struct vs_value_histogram *histogram, uint16_t *column);

/* True if column j may pass, given the exact sum p of the leading label over
 * all fields. */
bool vs_row_filter_passes(const struct vs_row_filter *t,
	const struct vs_coefficients *whole, size_t j, int32_t p);

/* Count the pairs of the row that the float test leaves. */
size_t vs_row_filter_look(const struct vs_row_filter *t);

#endif
