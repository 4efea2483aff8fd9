/* SPDX-License-Identifier: BSD-3-Clause */
/* Margins of contingency tables: the table of all vectors but one. */
#ifndef VS_METRIC_MARGIN_H
#define VS_METRIC_MARGIN_H

#include <stdint.h>
#include <string.h>

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

	memset(to, 0, (size_t)n * sizeof(*to));
	for (int x = 0; x < 3 * n; x++)
		for (int c = 0; c < 2; c++)
			to[x / (3 * by) * by + x % by][c] += cell[x][c];
	return n;
}

#endif
