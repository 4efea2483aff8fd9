/* SPDX-License-Identifier: BSD-3-Clause */
/* Gini purity of the genotypes of a pair or triple, by sums of integers. */
#include "libcore/metric/purity.h"
#include "libcore/metric/margin.h"

/* N samples, and the power of 2 that S is multiplied by so that it fits 59
 * bits. */
struct unit {
	int64_t n;
	int shift;
};

static struct unit
unit_of(const int64_t (*cell)[2], int n_cell)
{
	struct unit u = { 0, 60 };

	for (int x = 0; x < n_cell; x++)
		u.n += cell[x][0] + cell[x][1];
	while (u.n >> (60 - u.shift))
		u.shift--;
	return u;
}

/* S as a sum of integers, which is the same in any order. */
static int64_t
impurity(const int64_t (*cell)[2], int n_cell, struct unit u)
{
	const double scale = (double)((int64_t)1 << u.shift);
	int64_t sum = 0;

	for (int x = 0; x < n_cell; x++) {
		const double a = (double)cell[x][0], b = (double)cell[x][1];

		if (cell[x][0] && cell[x][1])
			sum += (int64_t)(a * b / (a + b) * scale);
	}
	return sum;
}

double
vs_purity_beta(const int64_t (*cell)[2], int n_way, double least)
{
	const int n_cell = n_way == 3 ? 27 : 9;
	const struct unit u = unit_of(cell, n_cell);
	const int64_t all = u.n << u.shift;

	(void)least;
	return all ? (double)(all - 2 * impurity(cell, n_cell, u)) / (double)all
		   : 0;
}

double
vs_purity_alpha(const int64_t (*cell)[2], int n_way, double least)
{
	const int n_cell = n_way == 3 ? 27 : 9;
	const struct unit u = unit_of(cell, n_cell);
	const int64_t all = u.n << u.shift, own = impurity(cell, n_cell, u);
	int64_t best = INT64_MAX, to[9][2];

	(void)least;
	for (int out = 0; out < n_way; out++) {
		const int n = vs_margin_without(cell, n_way, out, to);
		const int64_t s = impurity((const int64_t(*)[2])to, n, u);

		best = s < best ? s : best;
	}
	return all && best > own ? (double)(2 * (best - own)) / (double)all : 0;
}

double
vs_purity_beta_needed(const struct vs_log_tables *t, const int64_t n[2],
	double beta)
{
	const double all = (double)(n[0] + n[1]), a = (double)n[0],
		     b = (double)n[1];
	const double none = all > 0 ? (a * a + b * b) / (all * all) : 0;

	return vs_mi_needed(t, n, beta - none);
}

double
vs_purity_beta_plain(const int64_t (*cell)[2], int n_cell)
{
	double same = 0, all = 0;

	for (int i = 0; i < n_cell; i++) {
		const double row = (double)(cell[i][0] + cell[i][1]);

		all += row;
		for (int c = 0; c < 2 && row > 0; c++)
			same += (double)cell[i][c] * (double)cell[i][c] / row;
	}
	return all > 0 ? same / all : 0;
}

double
vs_purity_alpha_plain(const int64_t (*cell)[2], int n_cell)
{
	double best = 0;

	for (int drop = 1; drop < n_cell; drop *= 3) {
		int64_t some[27][2] = { { 0 } };
		double of;

		/* the genotype of one vector is 0 for all */
		for (int i = 0; i < n_cell; i++)
			for (int c = 0; c < 2; c++)
				some[i - i / drop % 3 * drop][c] += cell[i][c];
		of = vs_purity_beta_plain((const int64_t(*)[2])some, n_cell);
		best = of > best ? of : best;
	}
	return vs_purity_beta_plain(cell, n_cell) - best;
}
