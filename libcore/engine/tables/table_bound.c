/* SPDX-License-Identifier: BSD-3-Clause */
/* Upper bound of the mutual information of contingency tables. */
#include <math.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/engine/tables/table_bound.h"

#define WIDE VS_TABLE_BOUND_WIDE
/*
 * Bits of 1 / x from those of x, at most 5.1 % off; after one Newton step at
 * most 0.26 % too small. The polynomial's relative error is at most 6 times
 * that of v, and d v has the error of v: 2 % in all, covered by the 1/32.
 */
#define RECIPROCAL 0x7ef311c7
#define ROOM (1 + 1.0F / 32)
#define ROUGH_ROOM (1 + 1.0F / 16)
/* Rounding changes d by at most 2^-23 n; as 2 x y <= x^2 / 2^10 + 2^10 y^2, all
 * cells together change by 0.1 % and A N 2^-36. */
#define ABSOLUTE 1e-3
#define TWO_BITS 0x40000000 /* bits of 2.0F */
#define KEPT 6 /* bits dropped from a logarithm, so that sums fit */

static double
n_log(int64_t n)
{
	return n ? (double)n * log((double)n) : 0;
}

struct vs_table_bound_terms
vs_table_bound_terms_of(const struct vs_query *q, const int64_t n[2],
	double needed, bool exact)
{
	const bool by_cell = q->metric->log == VS_LOG_FACTORIAL;
	const struct vs_log_tables *t = q->logs;
	const double all = (double)(n[0] + n[1]);
	const double p = all > 0 ? (double)n[1] / all : 0, o = 1 - p;
	const double whole = (double)vs_association_whole(t, n) * t->unit;
	struct vs_table_bound_terms terms = { .p = (float)p };
	double least = needed + whole, a = 0;

	if (p > 0 && o > 0) {
		a = 1 / (2 * p * o);
		terms.a = (float)a;
		terms.b = (float)((1 / (o * o) - 1 / (p * p)) / 6);
		terms.c = (float)((1 / (p * p * p) + 1 / (o * o * o)) / 3);
	}
	/* whole is ln (N + 1) C(N, N_1), and N H at least whole - ln (N + 1) */
	if (by_cell && exact)
		least += n_log(n[0] + n[1]) - n_log(n[0]) - n_log(n[1]) - whole;
	else if (by_cell)
		least -= log((double)q->n_field + 1);
	least -= ABSOLUTE + ldexp(a * all, -30) + fabs(least) * 1e-6;
	terms.least = (float)least;
	return terms;
}

#define LANES 16
#define NAME(f) f##_16
#include "libcore/engine/tables/table_bound_lanes.h"

#define LANES 8
#define NAME(f) f##_8
#include "libcore/engine/tables/table_bound_lanes.h"

VS_INLINE uint32_t
look_wide_any(const struct vs_table_bound *b, int32_t (*const count[2])[WIDE],
	int n_cell)
{
	return look_16(b, count, 0, n_cell);
}

/* gcc keeps vectors longer than a register in memory and compares them one by
 * one: with AVX2 that takes 5 times as long. */
VS_INLINE uint32_t
look_any(const struct vs_table_bound *b, int32_t (*const count[2])[WIDE],
	int n_cell)
{
	return look_8(b, count, 0, n_cell) | look_8(b, count, 8, n_cell) << 8;
}

VS_BY_CPU(uint32_t, look_wide, (b, count, n_cell),
	const struct vs_table_bound *b, int32_t (*const count[2])[WIDE],
	int n_cell)
VS_BY_CPU(uint32_t, look, (b, count, n_cell), const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell)

uint32_t
vs_table_bound_look(enum vs_cpu cpu, const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell)
{
	return cpu >= VS_CPU_AVX512 ? look_wide(cpu, b, count, n_cell)
				    : look(cpu, b, count, n_cell);
}
