/* SPDX-License-Identifier: BSD-3-Clause */
/* From the sums of a row to the records that pass. */
#ifndef VS_ENGINE_SIFT_H
#define VS_ENGINE_SIFT_H

#include "libcore/engine/backend.h"

/* What the values of one column (or row) need besides the sums. */
struct vs_side {
	float u[2];   /* factor(label) / c; 0 when c = 0 */
	int32_t s, c; /* label-1 alleles, fields present */
	int64_t factor[2];
};

void vs_side_fill(const struct vs_question *q, int32_t s, int32_t c,
	struct vs_side *side);

/* Columns as arrays, so that a register takes many at once. */
struct vs_sides {
	float *u0, *u1;
	int32_t *s, *c;
};

/* One row against columns [lo, hi); sums of the row, hi - lo padded. */
struct vs_sift {
	const struct vs_question *q;
	struct vs_side row;
	const struct vs_sides *cols;
	const int32_t *xx, *xm, *mx, *mm; /* xm .. mm null: nothing missing */
	size_t lo, hi;
	uint64_t i, j; /* numbers of the row and of column 0 */
};

/*
 * Append the row's records that pass, rising by (j, cell). A float test that
 * can only err on the keeping side looks at all values; the metric's exact
 * recipe decides about what is left.
 */
int vs_sift_row(const struct vs_sift *t, struct vs_found *found);

#endif
