/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bounds for a row of triples, a pair u, v with many third vectors: the
 * range of sums in which no triple of a block of columns passes, and the
 * columns that may have a passing triple. Both err only on the safe side.
 */
#ifndef VS_ENGINE_SLAB_TRIPLE_BOUND_H
#define VS_ENGINE_SLAB_TRIPLE_BOUND_H

#include "libcore/engine/slab/triple_data.h"

/* Third vectors of rows: their sums, 1 / u by label, see vs_triple_data, and
 * the least of these in each block. */
#define VS_TRIPLE_BOUND_BLOCKS 2
struct vs_triple_thirds {
	const int32_t *s;
	const float *e[2], *c;
	size_t n, lanes;
	struct {
		float e[2], c;
	} least[VS_TRIPLE_BOUND_BLOCKS];
};

/* Set n vectors from lo on as third vectors, `lanes` of them per block. */
void vs_triple_bound_thirds(struct vs_triple_thirds *x,
	const struct vs_triple_data *t, size_t lo, size_t n, size_t lanes);

/* First or second vectors of rows. By label and third vector w, with G = g or 2
 * - g and m = mode or 2 - mode, sum G g_w - m s_w / 2 is between least and most
 * in a block of third vectors. */
#define VS_TRIPLE_BOUND_SIDE 512
struct vs_triple_side {
	float s[VS_TRIPLE_BOUND_SIDE], c[VS_TRIPLE_BOUND_SIDE],
		mode[VS_TRIPLE_BOUND_SIDE];
	float e[2][VS_TRIPLE_BOUND_SIDE];
	float least[VS_TRIPLE_BOUND_BLOCKS][2][VS_TRIPLE_BOUND_SIDE];
	float most[VS_TRIPLE_BOUND_BLOCKS][2][VS_TRIPLE_BOUND_SIDE];
};

/* Set place `at` of a side: vector v, counted from `mode`, whose sums with the
 * third vectors are p. */
void vs_triple_bound_side(struct vs_triple_side *side, size_t at,
	const struct vs_triple_data *t, size_t v, int mode,
	const struct vs_triple_thirds *x, const int32_t *p);

/*
 * Ranges of d = sum (g_u - mode_u) (g_v - mode_v) g_w, block by block, for the
 * rows of places [first, n) of u with place `at` of v: if d is within the
 * range, no triple with a third vector of the block passes. Bounds are within
 * +-2^30.
 *
 * uv    sum g_u g_v
 * open  bits of the cells 2a + b of each pair that are tested
 * lo    for block b of row k at [b * VS_TRIPLE_BOUND_SIDE + k], as is hi
 */
void vs_triple_bound_ranges(const struct vs_triple_data *t,
	const struct vs_triple_side *u, size_t first, size_t n,
	const struct vs_triple_side *v, size_t at,
	const struct vs_triple_thirds *x, const int32_t *uv,
	const uint32_t *open, int32_t *lo, int32_t *hi);

/* A row, and by third vector: sum g_u g_v g_w, sum g_u g_w, sum g_v g_w. */
struct vs_triple_bound_row {
	size_t u, v;
	int32_t uv;
	unsigned open;
	const int32_t *p, *gu, *gv;
};

/* From d: p += mode_v gu + mode_u gv - mode_u mode_v s, for third vectors [lo,
 * lo + n). */
void vs_triple_bound_fill(const struct vs_triple_data *t,
	const struct vs_triple_bound_row *row, const int mode[2],
	const struct vs_triple_thirds *x, size_t lo, size_t n, int32_t *p);

/* Test third vectors [lo, lo + n): no triple of one with hit 0 passes. */
#define VS_TRIPLE_BOUND_LOOK 128 /* most third vectors at a time */
void vs_triple_bound_look(const struct vs_triple_data *t,
	const struct vs_triple_bound_row *row, const struct vs_triple_thirds *x,
	size_t lo, size_t n, int32_t *hit);

#endif
