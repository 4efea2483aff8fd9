/* SPDX-License-Identifier: BSD-3-Clause */
/* Which pairs may pass a threshold, told by genotype counts alone. */
#ifndef VS_ENGINE_PRUNE_BLOCK_BOUND_H
#define VS_ENGINE_PRUNE_BLOCK_BOUND_H

#include "libcore/engine/backend.h"

/*
 * What a bound takes of a vector, and of several the most of each number: a
 * bound grows with all of them, so what cannot pass with the most of a group
 * passes with none of the group.
 */
#define VS_SIDE 7
#define VS_LOOK 16 /* columns looked at together */
#define VS_LOOK_ARGS                                                    \
	const struct vs_query *q, const float *row, float *const *cols, \
		size_t at, int32_t hit[VS_LOOK]
struct vs_group_bound {
	int n;      /* numbers of a vector, at most VS_SIDE */
	int n_zero; /* of them, those from 0 up; others are at least -n_field */
	void (*side)(const struct vs_query *q, const struct vs_panel *p,
		size_t v, float *side);
	/* hit[k]: may the row pass with column at + k? All columns have a side
	 * in arrays, by number */
	void (*look)(VS_LOOK_ARGS);
	/* may the vector pass with any at all? */
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

/* Of r, r2 and cosine. */
extern const struct vs_group_bound vs_bound_moment;

/* Vectors of a block, one by one and in groups of 32. */
#define VS_GROUP 32
struct vs_bound_groups {
	const struct vs_query *q;
	const struct vs_group_bound *bound;
	const struct vs_panel *panel;
	size_t lo, hi;
	bool singly; /* vectors are looked at one by one in the end */
	/* padded up to whole VS_LOOK with what never passes */
	float *one[VS_SIDE], *most[VS_SIDE];
	float *memory;
};

/* Vectors [lo, hi) of a panel. 0; VS_EMACHINE */
int vs_block_bound_make(struct vs_bound_groups *g, const struct vs_query *q,
	const struct vs_panel *panel, size_t lo, size_t hi);
void vs_block_bound_free(struct vs_bound_groups *g);

/*
 * The range of rows outside of which no row can pass with any of the columns
 * [lo, hi); lo less cols->lo is a multiple of VS_GROUP. Empty: *row_lo =
 * *row_hi.
 */
void vs_block_bound_range(const struct vs_bound_groups *rows,
	const struct vs_bound_groups *cols, size_t lo, size_t hi,
	size_t *row_lo, size_t *row_hi);

/* May vector v pass with any vector at all? */
bool vs_block_bound_passes(const struct vs_query *q, const struct vs_panel *p,
	size_t v);

#endif
