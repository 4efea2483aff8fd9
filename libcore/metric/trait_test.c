/* SPDX-License-Identifier: BSD-3-Clause */
/* F test of interaction for a quantitative trait, by normal equations. */
#include <math.h>
#include <string.h>

#include "libcore/metric/correlation.h"
#include "libcore/metric/solve.h"
#include "libcore/metric/table_order.h"
#include "libcore/metric/trait_test.h"

#define MOST_TERMS 7 /* 1 + 3 x 2 */
#define NONE 1e-10   /* of a term's samples: less is a term of the others */

/* Terms of a cell in the model: a 1, then for each vector either whether it has
 * the first and the second genotype, or its copies less 1. */
static int
terms_of(int x, int n_way, bool additive, double *term)
{
	int n = 0;

	term[n++] = 1;
	for (int k = 0; k < n_way; k++) {
		const int g = x / vs_table_order_stride[n_way - 2][k] % 3;

		if (additive) {
			term[n++] = g - 1;
			continue;
		}
		term[n++] = g == 0;
		term[n++] = g == 1;
	}
	return n;
}

/* Effects of the terms, by least squares. returns  the rank of the model */
static int
fit(const int64_t (*cell)[2], int n_way, bool additive, double *effect)
{
	double h[MOST_TERMS][MOST_TERMS] = { { 0 } }, term[MOST_TERMS];
	double least[MOST_TERMS];
	int n = 0;

	memset(effect, 0, MOST_TERMS * sizeof(*effect));
	for (int x = 0; x < vs_table_order_cells(n_way); x++) {
		n = terms_of(x, n_way, additive, term);
		for (int r = 0; r < n && cell[x][0]; r++) {
			effect[r] += (double)cell[x][1] * term[r];
			for (int c = 0; c < n; c++)
				h[r][c] +=
					(double)cell[x][0] * term[r] * term[c];
		}
	}
	for (int k = 0; k < n; k++)
		least[k] = NONE * h[k][k];
	return vs_solve(n, MOST_TERMS, *h, effect, least);
}

/* The test of a table in one order. */
static struct vs_trait_test
test(const int64_t (*cell)[2], double squares, int n_way, bool additive)
{
	double effect[MOST_TERMS], term[MOST_TERMS], between = 0, all = 0, left;
	struct vs_trait_test t = { 0, -fit(cell, n_way, additive, effect), 0 };

	for (int x = 0; x < vs_table_order_cells(n_way); x++) {
		const double n = (double)cell[x][0], sum = (double)cell[x][1];
		const int n_term = terms_of(x, n_way, additive, term);
		double off = sum / n;

		if (!cell[x][0])
			continue;
		for (int k = 0; k < n_term; k++)
			off -= effect[k] * term[k];
		between += n * off * off;
		all += sum * sum / n;
		t.df1++;
		t.df2 += cell[x][0] - 1;
	}
	left = fmax(squares - all, squares * VS_TRAIT_TEST_LEFT);
	if (t.df1 > 0 && t.df2 > 0 && left > 0)
		t.f = between / t.df1 / (left / (double)t.df2);
	return t;
}

struct vs_trait_test
vs_trait_test(const int64_t (*cell)[2], double squares, int n_way,
	bool additive)
{
	int64_t best[VS_TABLE_ORDER_MOST][2];

	vs_table_order(cell, n_way,
		additive ? VS_TABLE_ORDER_COPIES : VS_TABLE_ORDER_ANY, best);
	return test((const int64_t(*)[2])best, squares, n_way, additive);
}

double
vs_trait_f(const int64_t (*cell)[2], double squares, int n_way)
{
	return vs_trait_test(cell, squares, n_way, false).f;
}

double
vs_trait_fadd(const int64_t (*cell)[2], double squares, int n_way)
{
	return vs_trait_test(cell, squares, n_way, true).f;
}

double
vs_trait_test_p(const struct vs_trait_test *t)
{
	return t->df1 < 1 || t->df2 < 1
		? 1
		: vs_correlation_f(t->f, t->df1, (double)t->df2);
}

/* A model's columns over the cells, times the root of their samples. */
static int
columns_of(const int64_t *n, int n_way, bool additive, double (*column)[27])
{
	int n_column = 0;

	for (int k = -1; k < n_way; k++) {
		const int by = k < 0     ? 27
			: k == n_way - 1 ? 1
			: k == n_way - 2 ? 3
					 : 9;

		for (int g = 0; g < (k < 0 || additive ? 1 : 3); g++) {
			for (int x = 0; x < (n_way == 3 ? 27 : 9); x++)
				column[n_column][x] = sqrt((double)n[x]) *
					(k < 0 ? 1
							: additive
							? x / by % 3
							: x / by % 3 == g);
			n_column++;
		}
	}
	return n_column;
}

static double
dot(const double *a, const double *b)
{
	double sum = 0;

	for (int x = 0; x < 27; x++)
		sum += a[x] * b[x];
	return sum;
}

double
vs_trait_plain(const int64_t *n, const double *mean, double within, int n_way,
	bool additive, double *all)
{
	double column[10][27] = { { 0 } }, size[10], rest[27] = { 0 };
	double cells = 0, total = 0;
	const int n_column = columns_of(n, n_way, additive, column);
	int rank = 0;

	for (int x = 0; x < (n_way == 3 ? 27 : 9); x++) {
		rest[x] = sqrt((double)n[x]) * mean[x];
		cells += n[x] > 0;
		total += (double)n[x];
	}
	for (int c = 0; c < n_column; c++) {
		const double before = dot(column[c], column[c]);

		/* twice, for the rounding of the first time */
		for (int b = 0; b < 2 * c; b++) {
			const double *of = column[b % c];
			const double f = size[b % c] > 0
				? dot(column[c], of) / size[b % c]
				: 0;

			for (int x = 0; x < 27; x++)
				column[c][x] -= f * of[x];
		}
		size[c] = dot(column[c], column[c]);
		if (!(size[c] > 1e-11 * before))
			size[c] = 0;
		rank += size[c] > 0;
		for (int twice = 0; twice < 2 && size[c] > 0; twice++) {
			const double f = dot(rest, column[c]) / size[c];

			for (int x = 0; x < 27; x++)
				rest[x] -= f * column[c][x];
		}
		if (!c) /* only the mean so far */
			*all = within + dot(rest, rest);
	}
	within = fmax(within, VS_TRAIT_TEST_LEFT * *all);
	if (cells <= rank || total <= cells || !(within > 0))
		return 0;
	return dot(rest, rest) / (cells - rank) / (within / (total - cells));
}
