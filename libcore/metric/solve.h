/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear equations of a few symmetric terms, by elimination. */
#ifndef VS_METRIC_SOLVE_H
#define VS_METRIC_SOLVE_H

#include <stdbool.h>

#define VS_SOLVE_MOST 19 /* terms */

/*
 * Solve h s = g for s, which replaces g; rows of h are n_column apart. A term
 * whose pivot is at most least[k] follows from the terms before it, and is 0.
 * returns  the rank of h
 */
static inline int
vs_solve(int n, int n_column, double *h, double *g, const double *least)
{
	bool open[VS_SOLVE_MOST];
	int rank = 0;

	for (int k = 0; k < n; k++) {
		const double *at = h + k * n_column;

		open[k] = at[k] > least[k];
		rank += open[k];
		for (int r = k + 1; r < n && open[k]; r++) {
			double *row = h + r * n_column;
			const double f = row[k] / at[k];

			for (int c = k; c < n && f != 0; c++)
				row[c] -= f * at[c];
			g[r] -= f * g[k];
		}
	}
	for (int k = n; k-- > 0;) {
		double sum = g[k];

		for (int c = k + 1; c < n; c++)
			sum -= h[k * n_column + c] * g[c];
		g[k] = open[k] ? sum / h[k * n_column + k] : 0;
	}
	return rank;
}

#endif
