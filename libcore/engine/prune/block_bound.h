/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bounds of the values of groups of vectors, from genotype counts alone.
 * Gains 1.1 times for CCC at 0.7, 1.4 to 4 times for r2 at 0.8 on chr20 and
 * 1/f.
 */
#ifndef VS_ENGINE_PRUNE_BLOCK_BOUND_H
#define VS_ENGINE_PRUNE_BLOCK_BOUND_H

#include "libcore/engine/backend.h"

/*
 * Shrink the range of rows [*row_lo, *row_hi) so that no row outside can pass
 * with any of the columns [lo, hi), lo < hi. Both panels hold numbers sorted by
 * total, and each range is within a block.
 */
void vs_block_bound_minima_range(const struct vs_query *q,
	const struct vs_panel *rows, const struct vs_panel *cols, size_t lo,
	size_t hi, size_t *row_lo, size_t *row_hi);

/*
 * The numbers of a vector that a bound uses; a group has the greatest of each.
 * A bound rises with every number, so a vector that cannot pass with the maxima
 * of a group passes with no member of it.
 */
#define VS_SIDE 10
#define VS_LOOK 16 /* columns tested together */
#define VS_LOOK_ARGS                                                    \
	const struct vs_query *q, const float *row, float *const *cols, \
		size_t at, int32_t hit[VS_LOOK]
struct vs_group_bound {
	int n;      /* numbers of a vector, at most VS_SIDE */
	int n_zero; /* of these, those >= 0; others are >= -n_field */
	void (*side)(const struct vs_query *q, const struct vs_panel *p,
		size_t v, float *side);
	/* hit[k]: whether the row can pass with column at + k; cols has an
	 * array of all columns for each number */
	void (*look)(VS_LOOK_ARGS);
	/* whether the vector can pass with any other one */
	bool (*alone)(const struct vs_query *q, const struct vs_panel *p,
		size_t v);
};

/* Define look() of a bound by look_by_any(), an inline function of the same
 * arguments, compiled for what q->cpu allows. */
#define VS_LOOK_BY_CPU                                                  \
	VS_BY_CPU(void, look_by, (q, row, cols, at, hit), VS_LOOK_ARGS) \
	static void look(VS_LOOK_ARGS)                                  \
	{                                                               \
		look_by(q->cpu, q, row, cols, at, hit);                 \
	}

/* The bound of r, r2, cosine, jaccard and dice. */
extern const struct vs_group_bound vs_bound_moment;

/* Vectors of a block, one by one and in groups of 32. */
#define VS_GROUP 32
struct vs_bound_groups {
	const struct vs_query *q;
	const struct vs_group_bound *bound;
	const struct vs_panel *panel;
	size_t lo, hi;
	/* padded to whole VS_LOOK with vectors that never pass */
	float *one[VS_SIDE], *most[VS_SIDE];
	float *memory;
};

/* Vectors [lo, hi) of a panel. 0; VS_EMACHINE */
int vs_block_bound_make(struct vs_bound_groups *g, const struct vs_query *q,
	const struct vs_panel *panel, size_t lo, size_t hi);
void vs_block_bound_free(struct vs_bound_groups *g);

/*
 * The range of rows such that no row outside can pass with any of the columns
 * [lo, hi); lo less cols->lo is a multiple of VS_GROUP. Empty: *row_lo =
 * *row_hi.
 */
void vs_block_bound_range(const struct vs_bound_groups *rows,
	const struct vs_bound_groups *cols, size_t lo, size_t hi,
	size_t *row_lo, size_t *row_hi);

/* Whether vector v can pass with any other vector. */
bool vs_block_bound_passes(const struct vs_query *q, const struct vs_panel *p,
	size_t v);

#endif
