/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of the vectors of a tile's pairs or triples, for testing many of them
 * without divisions. */
#ifndef VS_PLAN_TILE_BOUNDS_H
#define VS_PLAN_TILE_BOUNDS_H

#include "libcore/plan/cube.h"

/*
 * The second vector is one of the n[1] from lo[1] on. Either the first is one
 * of the n[0] from lo[0] on and the third is not before `third`, or the third
 * is one of the n_tail from lo[1] on.
 */
struct vs_tile_bounds {
	uint64_t lo[2], n[2], third, n_tail;
};

/* Bounds of an existing tile of pairs, n_way 2, or of triples, 3. */
static inline void
vs_tile_bounds_make(struct vs_tile_bounds *t, const struct vs_plan *p,
	int64_t bi, int64_t bj, int n_way)
{
	uint64_t end[2];

	vs_plan_block(p, bi, &t->lo[0], &end[0]);
	vs_plan_block(p, bj, &t->lo[1], &end[1]);
	t->n[0] = end[0] - t->lo[0];
	t->n[1] = end[1] - t->lo[1];
	t->third = t->n_tail = 0;
	if (n_way == 2 || vs_cube_by_first_two(p))
		return;
	if (p->row_tiles)
		t->n[1] = p->n_vec - t->lo[1];
	else if (bi == bj)
		t->n_tail = t->n[1];
	else
		t->third = end[1];
}

/* True if a tile has the pair or triple a < b < c; for a pair c is
 * VS_NO_VEC. */
static inline bool
vs_tile_bounds_has(const struct vs_tile_bounds *t, uint64_t a, uint64_t b,
	uint64_t c)
{
	return (b - t->lo[1] < t->n[1]) &
		(((a - t->lo[0] < t->n[0]) & (c >= t->third)) |
			(c - t->lo[1] < t->n_tail));
}

#endif
