/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs may pass a threshold, told by genotype counts alone. */
#ifndef VS_ENGINE_BOUND_H
#define VS_ENGINE_BOUND_H

#include "libcore/engine/backend.h"

/*
 * Of a vector, or the most of each of several, by label of the rarer (0) and
 * of the commoner allele (1): at_least[t - 1] fields have t copies or more.
 *
 * A pair's value in the cell of labels a and b is r u_i(a) u_j(b) / (scale
 * c_ij), u = 1 - gamma f. By the rearrangement inequality r is at most the sum
 * over s, t in {1, 2} of min(at_least_i(a, s), at_least_j(b, t)), and c_ij is
 * no less than c_i + c_j - n. All that grows with each number here, so what
 * cannot pass with the most of a group passes with none of the group.
 */
struct vs_side {
	float at_least[2][2], u[2];
	float c; /* fields present: the fewest */
};

/* Vectors of a block in groups of 32. */
#define VS_GROUP 32
struct vs_groups {
	const struct vs_question *q;
	const struct vs_panel *panel;
	size_t lo, hi;
	/* by group, padded by 16 that never pass */
	float *at_least[2][2], *u[2], *c;
	float *memory;
};

/* Vectors [lo, hi) of a panel. 0; VS_EMACHINE */
int vs_groups_make(struct vs_groups *g, const struct vs_question *q,
	const struct vs_panel *panel, size_t lo, size_t hi);
void vs_groups_free(struct vs_groups *g);

/*
 * The range of rows outside of which no row can pass with any of the columns
 * [lo, hi); lo less cols->lo is a multiple of VS_GROUP. Empty: *row_lo = *row_hi.
 */
void vs_groups_range(const struct vs_groups *rows, const struct vs_groups *cols,
	size_t lo, size_t hi, size_t *row_lo, size_t *row_hi);

/* May vector v pass with any vector at all? */
bool vs_side_passes(const struct vs_question *q, const struct vs_panel *p,
	size_t v);

#endif
