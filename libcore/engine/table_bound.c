/* SPDX-License-Identifier: BSD-3-Clause */
/* Upper bound of the mutual information of contingency tables. */
#include <math.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/engine/table_bound.h"

#define WIDE VS_TABLE_BOUND_WIDE
/*
 * Bits of 1 / x from those of x, 5.1 % off at most; a step of Newton's makes
 * that 0.26 % too little. The polynomial's relative change is at most 6 times
 * that of v, and d v changes as v does: 2 % in all, for which 1/32 stands.
 */
#define RECIPROCAL 0x7ef311c7
#define ROOM (1 + 1.0F / 32)
#define ROUGH_ROOM (1 + 1.0F / 16)
/* The rounding of d is 2^-23 n at most; by 2 x y <= x^2 / 2^10 + 2^10 y^2 that
 * of all cells is 0.1 % and A N 2^-36. */
#define ABSOLUTE 1e-3
#define TWO_BITS 0x40000000 /* of 2.0F */
#define KEPT 6              /* bits left out of a logarithm's, for sums */

typedef float floats __attribute__((vector_size(4 * WIDE), may_alias));
typedef int32_t ints __attribute__((vector_size(4 * WIDE), may_alias));
/* of sums: the counts of tables that are not asked for may be anything */
typedef uint32_t words __attribute__((vector_size(4 * WIDE), may_alias));

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
	/* ln (N + 1) C(N, N_1) is whole, N H at least ln (N + 1) less */
	if (by_cell && exact)
		least += n_log(n[0] + n[1]) - n_log(n[0]) - n_log(n[1]) - whole;
	else if (by_cell)
		least -= log((double)q->n_field + 1);
	least -= ABSOLUTE + ldexp(a * all, -30) + fabs(least) * 1e-6;
	terms.least = (float)least;
	return terms;
}

/* Samples of cell x, and the cases that are more than expected. */
VS_INLINE void
cell_of(const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int x, floats *all,
	floats *d)
{
	const words one = *(const words *)count[1][x];
	const words n = one + *(const words *)count[0][x];

	*all = __builtin_convertvector((ints)n, floats);
	*d = __builtin_convertvector((ints)one, floats) -
		*(const floats *)b->p * *all;
}

/* The information that tables need, with the parts of their cells. */
VS_INLINE void
add_cells(const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell,
	floats *needed)
{
	words logs = { 0 };

	for (int x = 0; x < n_cell; x++) {
		floats all, d;
		ints bits;

		cell_of(b, count, x, &all, &d);
		/* bits of a float are a lower bound of its logarithm */
		bits = (ints)((words)all - TWO_BITS);
		logs += (words)(bits & (bits > 0)) >> KEPT;
	}
	*needed = *(const floats *)b->least;
	if (b->by_cell)
		*needed += __builtin_convertvector((ints)logs, floats) *
			(float)(0.5 * M_LN2 * (1 << KEPT) / (1 << 23) *
				(1 - 1e-6));
}

/* A bound by chi-square, twice the information of a weak association. */
VS_INLINE void
bound_roughly(const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell,
	floats *bound)
{
	floats sum = { 0 };

	for (int x = 0; x < n_cell; x++) {
		floats all, d;

		cell_of(b, count, x, &all, &d);
		sum += d * d * (floats)(RECIPROCAL - (words)all);
	}
	*bound = sum * *(const floats *)b->a * (2 * ROUGH_ROOM);
}

VS_INLINE void
bound_closely(const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell,
	floats *bound)
{
	const floats square = *(const floats *)b->a;
	const floats cubic = *(const floats *)b->b;
	const floats fourth = *(const floats *)b->c;
	floats sum = { 0 };

	for (int x = 0; x < n_cell; x++) {
		floats all, d, near, v;

		cell_of(b, count, x, &all, &d);
		near = (floats)(RECIPROCAL - (words)all);
		v = d * (near * (2.0F - all * near));
		sum += d * v * (square + v * (cubic + v * fourth));
	}
	*bound = sum * ROOM;
}

/* Tables whose bound is no less than what they need, or is no number. */
VS_INLINE uint32_t
kept_of(const floats *bound, const floats *needed)
{
	const ints kept = ~(*bound < *needed);
	uint64_t two[WIDE / 2], any = 0;
	uint32_t bits = 0;

	memcpy(two, &kept, sizeof(two));
	for (int k = 0; k < WIDE / 2; k++)
		any |= two[k];
	for (int c = 0; any && c < WIDE; c++)
		bits |= (uint32_t)(kept[c] & 1) << c;
	return bits;
}

VS_INLINE uint32_t
look_any(const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell)
{
	floats needed, bound;
	uint32_t kept;

	add_cells(b, count, n_cell, &needed);
	bound_roughly(b, count, n_cell, &bound);
	kept = kept_of(&bound, &needed);
	if (!kept)
		return 0;
	bound_closely(b, count, n_cell, &bound);
	return kept & kept_of(&bound, &needed);
}

VS_BY_CPU(uint32_t, look, (b, count, n_cell), const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell)

uint32_t
vs_table_bound_look(enum vs_cpu cpu, const struct vs_table_bound *b,
	int32_t (*const count[2])[VS_TABLE_BOUND_WIDE], int n_cell)
{
	return look(cpu, b, count, n_cell);
}
