/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bound of the mutual information of contingency tables, by a few float
 * operations per cell instead of look-ups: tables that cannot pass are not
 * scored.
 *
 * Let a cell have n samples, n_1 of them cases; let p be the share of cases, q
 * = 1 - p, d = n_1 - p n and v = d / n. The information of all N samples is
 *   N MI = sum n p f(v / p) + n q f(-v / q),  f(u) = (1 + u) ln (1 + u) - u
 *       <= sum n v^2 (A + B v + C v^2),  A = 1 / (2 p q),
 *          B = (1 / q^2 - 1 / p^2) / 6,  C = (1 / p^3 + 1 / q^3) / 3,
 * since f(u) <= u^2 / 2 - u^3 / 6 + u^4 / 3 for u >= -1: the second derivative
 * of the difference is u^2 (3 + 4 u) / (1 + u), which is positive down to u =
 * -3/4 and negative below; at 0 the difference and its slope are 0, and at -1
 * the difference is 0. Chi-square, 2 A sum d v, is tested first: it is a bound,
 * too, since f(u) <= u^2.
 *
 * For scores of factorials, ln (n + 1) C(n, n_1) >= n H(n_1 / n) + ln(n / 2) /
 * 2, as C(n, k) >= sqrt(n / (8 k (n - k))) exp(n H(k / n)) (Ash, Information
 * Theory, lemma 4.7.1); so each cell with two samples or more adds ln(n / 2) /
 * 2 to the information that a table needs.
 */
#ifndef VS_ENGINE_TABLES_TABLE_BOUND_H
#define VS_ENGINE_TABLES_TABLE_BOUND_H

#include <stdint.h>

#include "libcore/engine/query.h"

#define VS_TABLE_BOUND_WIDE 16

/* Terms of a table: p, the coefficients A, B and C, and the information that it
 * needs to pass, apart from the cells' terms if each adds one. */
struct vs_table_bound_terms {
	float p, a, b, c, least;
};

/* The same for each table; by_cell: for factorials, whose cells add a term
 * each. */
struct vs_table_bound {
	_Alignas(64) float p[VS_TABLE_BOUND_WIDE];
	float a[VS_TABLE_BOUND_WIDE], b[VS_TABLE_BOUND_WIDE];
	float c[VS_TABLE_BOUND_WIDE], least[VS_TABLE_BOUND_WIDE];
	bool by_cell;
};

/* Terms of a table of n samples by class that passes if the sum of its entries,
 * in units, is at least `needed`. exact: all tables of the query have as many
 * samples */
struct vs_table_bound_terms vs_table_bound_terms_of(const struct vs_query *q,
	const int64_t n[2], double needed, bool exact);

static inline void
vs_table_bound_init(struct vs_table_bound *b, const struct vs_query *q)
{
	b->by_cell = q->metric->log == VS_LOG_FACTORIAL;
}

static inline void
vs_table_bound_set(struct vs_table_bound *b, size_t c,
	const struct vs_table_bound_terms *terms)
{
	b->p[c] = terms->p;
	b->a[c] = terms->a;
	b->b[c] = terms->b;
	b->c[c] = terms->c;
	b->least[c] = terms->least;
}

/*
 * Tables that may pass: bit c stands for table c.
 * count  of controls and of cases by cell, of VS_TABLE_BOUND_WIDE tables each
 */
uint32_t vs_table_bound_look(enum vs_cpu cpu, const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell);

#endif
