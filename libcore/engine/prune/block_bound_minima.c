/* SPDX-License-Identifier: BSD-3-Clause */
/* Upper bounds of Proportional Similarity from two totals. */
#include "libcore/engine/prune/block_bound_minima.h"
#include "libcore/metric/ps.h"

void
vs_block_bound_minima_range(const struct vs_query *q,
	const struct vs_panel *rows, const struct vs_panel *cols, size_t lo,
	size_t hi, size_t *row_lo, size_t *row_hi)
{
	double least = cols->total[lo], most = cols->total[hi - 1];
	size_t a = *row_lo, b = *row_hi;

	/* a row is best off with the column whose total is nearest to its own;
	 * one that lies among them may have one just like it */
	while (a < b && rows->total[a] < least &&
		!vs_czek_may_pass(rows->total[a], least, q->threshold))
		a++;
	while (b > a && rows->total[b - 1] > most &&
		!vs_czek_may_pass(rows->total[b - 1], most, q->threshold))
		b--;
	*row_lo = a;
	*row_hi = b;
}
