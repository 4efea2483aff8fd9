/* SPDX-License-Identifier: BSD-3-Clause */
/* From the sums of a row to the records that pass. */
#ifndef VS_ENGINE_SIFT_H
#define VS_ENGINE_SIFT_H

#include "libcore/engine/leads.h"

#define VS_SIFT_LANES 128 /* columns looked at together; arrays are padded */

/*
 * How much more than a leader's sums, and how much less, those of the vectors
 * can be that it stands for: by column, and the most of all columns.
 */
struct vs_loose {
	float *above, *below;
	float most_above, most_below;
};

/*
 * What the float test needs of columns, as arrays so that a register takes
 * many at once. With u(label) of the metric, and s the copies of the
 * leading label's allele:
 */
struct vs_sides {
	float *bl, *bo; /* 1 / u of the leading and of the other label */
	float *ws;      /* weight * s, of the leader */
	float *c;       /* fields present */
	struct vs_loose loose;
	/* of the columns that have a call: least of bl, bo, c, most of ws, and
	 * least fields with one and with two copies of the leading label */
	float least_bl, least_bo, least_c, most_ws, least_one, least_two;
};

/* Fill the arrays for all columns, and up to whole VS_SIFT_LANES. */
void vs_sides_fill(const struct vs_question *q, const struct vs_leads *cols,
	struct vs_sides *sides);

/*
 * Where only the first fields were counted: of the fields left those with one
 * and two copies of the leading label's allele, and how many are left.
 */
struct vs_rest {
	int first;          /* which of the panel's */
	float *at_least[2]; /* by column */
	struct vs_loose loose;
};

/* As vs_sides_fill(), for n columns from lo on. */
void vs_rest_fill(const struct vs_question *q, const struct vs_leads *cols,
	size_t lo, size_t n, struct vs_rest *rest);

/*
 * One row of a block of sums, those of leaders: of each pair all that they
 * stand for are decided.
 */
struct vs_sift {
	const struct vs_question *q;
	const struct vs_sparse *sparse; /* counts single pairs */
	const struct vs_leads *rows, *cols;
	size_t i;      /* the row, of rows */
	size_t lo, hi; /* columns wanted, of cols */
	/* of what they stand for vectors [from, to) of the panel, and on the
	 * diagonal those behind the row's */
	size_t from, to;
	bool diagonal;
	const struct vs_sides *sides; /* of the columns */
	const int32_t *pl; /* dense sums of the leading label; or null and */
	const int32_t *po; /* of the other, or null: bounded by pl */
	/* not null: pl is of some first fields alone */
	const struct vs_rest *rest;
	struct vs_tally sums; /* all four, of this row */
};

/*
 * Append the row's records that pass. With followers pl is what there is, and
 * po is null. A float test that can only err on the keeping side looks at all values; the metric's exact
 * recipe decides about what is left.
 *
 * Where calls are missing a dense sum is exact for the cell of its label
 * alone, and an upper bound follows for the others and for 1 / c_ij; what the
 * bound leaves is counted pair by pair.
 */
int vs_sift_row(const struct vs_sift *t, struct vs_found *found);

/* How many pairs of the row the float test leaves. */
size_t vs_sift_look(const struct vs_sift *t);

#endif
