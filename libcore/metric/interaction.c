/* SPDX-License-Identifier: BSD-3-Clause */
/* Likelihood ratio test of pure interaction, by Newton's method. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/metric/elementary.h"
#include "libcore/metric/interaction.h"
#include "libcore/metric/margin.h"
#include "libcore/metric/solve.h"
#include "libcore/metric/table_order.h"

#define MOST_CELLS 27
#define MOST_TERMS VS_SOLVE_MOST /* 1 + 3 x 2 + 3 x 4 */
#define STEPS 80
#define HALVINGS 20
#define FLAT 1e-14   /* of the samples: less curvature counts as none */
#define ENOUGH 1e-13 /* of the value: gain of a step that ends it */
#define NOISE 2e-16  /* the same, relative to the samples */

struct table {
	int64_t cell[MOST_CELLS][2];
	int n_way, n_cell;
};

/* ---- the model ---- */

/* Terms of a cell in the model without the highest interaction. */
static int
terms_of(const struct table *t, int x, uint8_t term[7])
{
	const int *by = vs_table_order_stride[t->n_way - 2];
	int n = 0, first = 1;

	term[n++] = 0;
	for (int k = 0; k < t->n_way; k++, first += 2)
		if (x / by[k] % 3)
			term[n++] = (uint8_t)(first + x / by[k] % 3 - 1);
	for (int k = 0; k < t->n_way && t->n_way == 3; k++)
		for (int j = 0; j < k; j++, first += 4)
			if (x / by[k] % 3 && x / by[j] % 3)
				term[n++] = (uint8_t)(first +
					2 * (x / by[k] % 3 - 1) +
					x / by[j] % 3 - 1);
	return n;
}

struct model {
	const struct table *t;
	int n_term;
	uint8_t n_of[MOST_CELLS], term[MOST_CELLS][7];
	double saturated, n; /* samples */
	double beta[MOST_TERMS];
};

static double
predict(const struct model *m, const double *beta, int x)
{
	double sum = 0;

	for (int k = 0; k < m->n_of[x]; k++)
		sum += beta[m->term[x][k]];
	return sum > 600 ? 600 : sum < -600 ? -600 : sum;
}

/* The log likelihood of the saturated model. */
static double
saturate(const struct table *t)
{
	double sum = 0;

	for (int x = 0; x < t->n_cell; x++)
		for (int c = 0; c < 2; c++) {
			const double n = (double)t->cell[x][c];
			const double all =
				(double)(t->cell[x][0] + t->cell[x][1]);

			if (n > 0 && n < all)
				sum += n * vs_elementary_ln(n / all);
		}
	return sum;
}

/* Deviance: twice the difference between the log likelihoods of the saturated
 * model and this one. */
static double
deviance(const struct model *m, const double *beta)
{
	double sum = m->saturated;

	for (int x = 0; x < m->t->n_cell; x++) {
		const double b = (double)m->t->cell[x][1];
		const double n = (double)m->t->cell[x][0] + b;
		double y;

		if (n <= 0)
			continue;
		/* n ln (1 + e^y) - b y, without overflow */
		y = predict(m, beta, x);
		sum += n * vs_elementary_ln(1 + vs_elementary_exp(-fabs(y))) +
			(y > 0 ? n - b : -b) * y;
	}
	return 2 * sum;
}

/* Gradient and curvature of the log likelihood. */
static void
derive(const struct model *m, double g[MOST_TERMS],
	double h[MOST_TERMS][MOST_TERMS])
{
	memset(g, 0, MOST_TERMS * sizeof(*g));
	memset(h, 0, MOST_TERMS * sizeof(*h));
	for (int x = 0; x < m->t->n_cell; x++) {
		const double b = (double)m->t->cell[x][1];
		const double n = (double)m->t->cell[x][0] + b;
		double p, w;

		if (n <= 0)
			continue;
		p = 1 / (1 + vs_elementary_exp(-predict(m, m->beta, x)));
		w = n * p * (1 - p);
		for (int k = 0; k < m->n_of[x]; k++) {
			g[m->term[x][k]] += b - n * p;
			for (int j = 0; j < m->n_of[x]; j++)
				h[m->term[x][k]][m->term[x][j]] += w;
		}
	}
}

/*
 * A Newton step, halved until it does not lower the likelihood. By the
 * gradient, the whole step gains its product with the step; false: that is
 * negligible.
 */
static bool
step(struct model *m, double *now)
{
	double g[MOST_TERMS], s[MOST_TERMS], h[MOST_TERMS][MOST_TERMS];
	double least[MOST_TERMS];
	double gain = 0;

	derive(m, g, h);
	memcpy(s, g, sizeof(s));
	for (int k = 0; k < m->n_term; k++)
		least[k] = FLAT * m->n;
	vs_solve(m->n_term, MOST_TERMS, *h, s, least);
	for (int k = 0; k < m->n_term; k++)
		gain += g[k] * s[k];
	if (!(gain > ENOUGH * (1 + *now) + NOISE * m->n))
		return false;
	for (int half = 0; half < HALVINGS; half++) {
		double beta[MOST_TERMS], after;

		for (int k = 0; k < m->n_term; k++)
			beta[k] = m->beta[k] + ldexp(s[k], -half);
		after = deviance(m, beta);
		if (after > *now)
			continue;
		memcpy(m->beta, beta, sizeof(beta[0]) * (size_t)m->n_term);
		*now = after;
		return true;
	}
	return false;
}

double
vs_interaction_value(const int64_t (*cell)[2], int n_way, double least)
{
	struct model m = { .n_term = n_way == 3 ? 19 : 5 };
	struct table t;
	double now;
	bool more = true;

	t.n_way = n_way;
	t.n_cell = vs_table_order_cells(n_way);
	vs_table_order(cell, n_way, VS_TABLE_ORDER_ANY, t.cell);
	m.t = &t;
	for (int x = 0; x < t.n_cell; x++) {
		m.n_of[x] = (uint8_t)terms_of(&t, x, m.term[x]);
		m.n += (double)(t.cell[x][0] + t.cell[x][1]);
	}
	m.saturated = saturate(&t);
	now = deviance(&m, m.beta);
	for (int k = 0; k < STEPS && more && now > least; k++)
		more = step(&m, &now);
	return now > 0 ? now : 0;
}

int
vs_interaction_df(const int64_t (*cell)[2], int n_way)
{
	int df = 1;

	for (int k = 0; k < n_way; k++) {
		const int n = vs_table_order_levels(cell, n_way, k);

		df *= n > 1 ? n - 1 : 0;
	}
	return df;
}

/* Sum of n ln n over cells and classes less that over cells. */
static int64_t
sum_of(const struct vs_log_tables *t, const int64_t (*cell)[2], int n_cell)
{
	int64_t sum = 0;

	for (int x = 0; x < n_cell; x++)
		sum += t->one[cell[x][0]] + t->one[cell[x][1]] -
			t->both[cell[x][0] + cell[x][1]];
	return sum;
}

double
vs_interaction_most(const struct vs_log_tables *t, const int64_t (*cell)[2],
	int n_way, double least)
{
	const int64_t all = sum_of(t, cell, vs_table_order_cells(n_way));
	double most = INFINITY;
	int64_t to[9][2];

	for (int k = 0; k < n_way && most > least; k++) {
		const int n = vs_margin_without(cell, n_way, k, to);
		const int64_t left =
			all - sum_of(t, (const int64_t(*)[2])to, n);

		/* table entries are within one unit */
		most = fmin(most,
			2 * (double)(left + 200) * t->unit * (1 + 1e-9));
	}
	return most;
}

double
vs_interaction_plain(const int64_t (*cell)[2], int n_cell)
{
	const int n_way = n_cell == vs_table_order_cells(3) ? 3 : 2;
	const int by[3] = { n_way == 3 ? 9 : 3, n_way == 3 ? 3 : 1, 1 };
	double fit[27][2], sum = 0, moved = 1;

	for (int x = 0; x < n_cell; x++)
		fit[x][0] = fit[x][1] = 1;
	for (int round = 0; round < 3000 && moved > 1e-13; round++) {
		moved = 0;
		for (int out = 0; out <= n_way; out++) {
			/* margins without vector `out`, or without the class */
			for (int x = 0; x < n_cell; x++) {
				double want[2] = { 0, 0 }, have[2] = { 0, 0 };
				const int step_of = out < n_way ? by[out] : 1;

				if (out < n_way && x / step_of % 3)
					continue;
				for (int g = 0; g < (out < n_way ? 3 : 1); g++)
					for (int c = 0; c < 2; c++) {
						const int to =
							out < n_way ? c : 0;

						want[to] += (double)cell[x +
							g * step_of][c];
						have[to] +=
							fit[x + g * step_of][c];
					}
				for (int g = 0; g < (out < n_way ? 3 : 1); g++)
					for (int c = 0; c < 2; c++) {
						const int to =
							out < n_way ? c : 0;
						double *f = &fit[x +
							g * step_of][c];
						const double old = *f;

						*f = have[to] > 0
							? old * want[to] /
								have[to]
							: 0;
						moved = fmax(moved,
							fabs(*f - old) /
								(1 + old));
					}
			}
		}
	}
	for (int x = 0; x < n_cell; x++)
		for (int c = 0; c < 2; c++)
			if (cell[x][c])
				sum += (double)cell[x][c] *
					log((double)cell[x][c] / fit[x][c]);
	return sum > 0 ? 2 * sum : 0;
}
