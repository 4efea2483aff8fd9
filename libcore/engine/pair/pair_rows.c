/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter and decision of the rows of sums that a worker has counted. */
#include "libcore/engine/pair/pair_rows.h"

int
vs_pair_rows(const struct vs_pair_family *family, void *sums, size_t n,
	struct vs_hits *found)
{
	uint16_t column[VS_PAIR_COLUMNS];
	int code = 0;

	for (size_t r = 0; r < n && !code; r++) {
		size_t n_left = family->filter(sums, r, found, column);

		if (n_left)
			code = family->decide(sums, column, n_left, found);
		if (!code && vs_hits_due(found))
			code = found->drain(found);
	}
	return code;
}
