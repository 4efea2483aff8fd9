/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work distribution of triples over ranks. Vectors are cut into blocks as for
 * pairs, and a tile is a pair of blocks, too. A triple belongs to tile (b, b)
 * if block b has two of its vectors; if it has vectors in three blocks, to the
 * tile of the first two. So each triple is in exactly one tile, and any rank
 * that has all vectors can compute any tile.
 *
 * With row tiles a tile is one block, (b, b), and a triple belongs to the block
 * of its first vector: tiles may then be as small as a few vectors.
 *
 * Triples with a vector of one set, another of a second set, and any third,
 * vs_cube_between(): the first set's vectors come before the second set's. So
 * the first two vectors of a triple come from one set each or, if the third is
 * in the second set, both from the first. The tile of its first two vectors has
 * the triple.
 *
 * Everything here is a pure function of its arguments.
 */
#ifndef VS_PLAN_CUBE_H
#define VS_PLAN_CUBE_H

#include "libcore/plan/plan.h"

/* The largest n with C(n, 3) below 2^64. */
#define VS_CUBE_MOST 4801280

/*
 * Choose the block size (tile = 0) or take the given one: for one rank as many
 * rows and columns as are counted at once; for several ranks small enough for
 * tiles to balance.
 * of      of all triples has of->n_both alone; for triples of two sets,
 *         of->triples: if the second set is all vectors, of->n_first and
 *         of->n_rest are 0: triples with at least one of the first of->n_both
 *         vectors
 * returns 0; VS_EINPUT if there are more than VS_CUBE_MOST vectors, or the
 *         number of a tile's values, eight per triple, would not fit 63 bits
 */
int vs_cube_between(struct vs_plan *p, const struct vs_between *of, int n_rank,
	int64_t tile);

/* A plan of the same vectors with another tile size. */
int vs_cube_retile(struct vs_plan *p, int64_t tile);

/*
 * Make each block a tile: at most half a million blocks, no larger than the
 * plan's, and if possible multiples of `grain` vectors.
 * returns 0; VS_EINPUT
 */
int vs_cube_row_tiles(struct vs_plan *p, int64_t grain);

/* True if a triple belongs to the tile of its first two vectors. */
static inline bool
vs_cube_by_first_two(const struct vs_plan *p)
{
	return p->of.n_second || p->of.n_rest;
}

/* Third vectors [lo, hi) for pairs whose second vector is in block bj, if the
 * first two define the tile; only those after the second count. */
void vs_cube_thirds(const struct vs_plan *p, int64_t bj, uint64_t *lo,
	uint64_t *hi);

/*
 * Number of the tile of triple i < j < k or, if k is VS_NO_VEC, of the pair i
 * and j in any order.
 */
uint64_t vs_cube_tile_of(const struct vs_plan *p, uint64_t i, uint64_t j,
	uint64_t k);

/* Triples of an existing tile (bi, bj); in total. */
uint64_t vs_cube_triples(const struct vs_plan *p, int64_t bi, int64_t bj);
uint64_t vs_cube_n_triple(const struct vs_plan *p);

/* The same without a plan, for at most VS_CUBE_MOST vectors. */
uint64_t vs_cube_triples_of(const struct vs_between *of);

/*
 * Assign n items (tiles by vs_plan_number() or rows of them) with given costs
 * to ranks, longest processing time first: the next most expensive item goes to
 * the rank with the least work.
 * returns  0; VS_EMACHINE
 */
int vs_cube_deal(int n_rank, uint64_t n, const uint64_t *cost, int32_t *owner);

#endif
