/* SPDX-License-Identifier: BSD-3-Clause */
/* Coefficients of the float filter: one set for each row and for each
 * column. */
#ifndef VS_ENGINE_PRUNE_COEFFICIENTS_H
#define VS_ENGINE_PRUNE_COEFFICIENTS_H

#include "libcore/base/minmax.h"
#include "libcore/engine/prune/representatives.h"

#define VS_ROW_FILTER_LANES 128 /* columns tested together; arrays are padded */

/*
 * By how much the sums of the vectors that a leader represents may lie above
 * and below its own: by column, and the maximum over columns.
 */
struct vs_loose {
	float *above, *below;
	float most_above, most_below;
};

/*
 * Coefficients of columns for the float test, as arrays, so that a register
 * takes many at once. With u(label) of the metric, and s the copies of the
 * leading label's allele:
 */
struct vs_sides {
	float *bl, *bo; /* 1 / u of the leading and of the other label */
	float *ws;      /* weight * s, of the leader */
	float *c;       /* fields present */
	struct vs_loose loose;
	/* over the columns with a call: least bl, bo, c, greatest ws, and
	 * fewest fields with one and with two copies of the leading label */
	float least_bl, least_bo, least_c, most_ws, least_one, least_two;
};

/* Fill the arrays for all columns, padded to whole VS_ROW_FILTER_LANES. */
void vs_coefficients_sides(const struct vs_query *q,
	const struct vs_representatives *cols, struct vs_sides *sides);

/*
 * Remainder of a prefix count: the number of fields not counted, and how many
 * of these have one and two copies of the leading label's allele.
 */
struct vs_rest {
	int first;          /* which prefix of the panel */
	float *at_least[2]; /* by column */
	struct vs_loose loose;
};

/* Like vs_coefficients_sides(), for n columns from lo on. */
void vs_coefficients_rest(const struct vs_query *q,
	const struct vs_representatives *cols, size_t lo, size_t n,
	struct vs_rest *rest);

/*
 * Coefficients of a row for the float test.
 *
 * A cell passes if r u_i u_j > scale t c_ij. With l the leading label, o the
 * other, s the copies of the leading one, w the weight and n all fields, the
 * dense sum p of the leading label gives r:
 *   r_ll = p   r_lo <= w s_i - p   r_ol <= w s_j - p
 *   r_oo <= w w n - w (s_i + s_j) + p, or the dense sum of the other label
 * with equality if no call is missing, and c_ij >= c_i + c_j - n. With a =
 * scale t / u_i, t of the cell's class, and e = (c_i + c_j - n) / u_j, no cell
 * can pass while
 *   max(w s_i - a_l e_o, w s_j - a_o e_l) <= p <=
 *   min(a_l e_l, a_o e_o - w w n + w (s_i + s_j))
 * If i and j are leaders, each p stands for sums between p - below and p +
 * above, those of i and j together; w s rises by w (above - below), and a, 1 /
 * u_j and c are the least of any: p needs that much more margin. The terms that
 * matter are below 16 n and take fewer than fifteen roundings of 2^-24 each: a
 * slack of n / 65536 + 1e-5 exceeds them all.
 *
 * Common alleles often coincide by chance and come near the threshold, so the
 * leading label, whose sum is exact if calls are missing, should be theirs.
 */
struct vs_coefficients {
	/* scale t / u_i for the cell of two leading labels, and so on */
	float ll, lo, ol, oo;
	float window; /* c_i - n */
	float joint;  /* fields shared by any useful pair: c_ij or less */
	/* w s_i + slack + above, w s_i - w w n - slack - below */
	float low, high;
	float slack, above, below; /* these two with the slack added */
	bool mixed;                /* the cells of unlike labels may pass */
};

/*
 * Row i, against the columns of sides; for sums of a prefix or, if rest is
 * null, of all fields.
 */
void vs_coefficients_row(const struct vs_query *q,
	const struct vs_representatives *rows, size_t i,
	const struct vs_sides *sides, const struct vs_rest *rest,
	struct vs_coefficients *e);

/* Least c_ij of the row with a column of c fields. */
static inline __attribute__((always_inline)) float
vs_coefficients_both(const struct vs_coefficients *e, float c)
{
	return vs_max_f32(e->window + c, e->joint);
}

/* Fields of vector v past the prefix: those with at least one copy of the
 * leading label's allele, and those with two. */
static inline void
vs_coefficients_rest_of(const struct vs_panel *p, const struct vs_panel *first,
	size_t v, int lead, float *one, float *two)
{
	int32_t all = vs_panel_sum(p, v, lead) - vs_panel_sum(first, v, lead);
	int32_t both = vs_panel_two(p, v, lead) - vs_panel_two(first, v, lead);

	*one = (float)(all - both);
	*two = (float)both;
}

#endif
