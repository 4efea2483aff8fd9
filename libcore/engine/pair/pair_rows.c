/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter and decision of the rows of sums that a worker has counted. */
#include "libcore/engine/pair/pair_rows.h"

/*
 * Sums between two questions whether the hits are due, which read the clock; a
 * pair that is left to be decided counts as many sums as DECIDED. Of a million
 * fields, that is 30 ms.
 */
#define OFTEN 65536
#define DECIDED 64

int
vs_pair_rows(const struct vs_pair_family *family, void *sums, size_t n,
	size_t n_col, struct vs_hits *found)
{
	uint16_t column[VS_PAIR_COLUMNS];
	size_t done = 0;
	int code = 0;

	for (size_t r = 0; r < n && !code; r++) {
		size_t n_left = family->filter(sums, r, found, column);

		if (n_left)
			code = family->decide(sums, column, n_left, found);
		if (found->histogram && family->fill_histogram)
			family->fill_histogram(sums, found);
		done += n_col + DECIDED * n_left;
		if (code || (!vs_hits_full(found) && done < OFTEN))
			continue;
		done = 0;
		if (vs_hits_due(found))
			code = found->drain(found);
	}
	return code;
}
