/* SPDX-License-Identifier: BSD-3-Clause */
/* Margins of contingency tables: the table of all vectors but one. */
#ifndef VS_METRIC_MARGIN_H
#define VS_METRIC_MARGIN_H

#include <stdint.h>

/*
 * cell   3^n_way cells by class, genotypes of the first vector most significant
 * out    the vector that is left out
 * to     receives the 3^(n_way - 1) cells of the others
 * returns their number
 */
static inline int
vs_margin_without(const int64_t (*cell)[2], int n_way, int out,
	int64_t (*to)[2])
{
	const int n = n_way == 3 ? 9 : 3;
	const int last = n_way - 1 - out; /* vectors after it */
	const int by = last == 2 ? 9 : last == 1 ? 3 : 1;

	for (int hi = 0; hi < n; hi += by)
		for (int lo = 0; lo < by; lo++) {
			const int64_t(*from)[2] = cell + 3 * hi + lo;

			for (int c = 0; c < 2; c++)
				to[hi + lo][c] = from[0][c] + from[by][c] +
					from[2 * by][c];
		}
	return n;
}

#endif
