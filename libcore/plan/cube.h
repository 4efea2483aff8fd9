/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who computes which triples. Vectors are cut into blocks as for pairs, and a
 * tile is a pair of blocks too: a triple belongs to the block that has two of
 * its vectors, tile (b, b), or, where three blocks have one each, to the tile
 * of the first two. So each triple is in one tile, and each tile can be done
 * by whoever has all vectors.
 *
 * Everything here is a pure function of its arguments.
 */
#ifndef VS_PLAN_CUBE_H
#define VS_PLAN_CUBE_H

#include "libcore/plan/plan.h"

/* C(n, 3) is below 2^64 for no more vectors. */
#define VS_CUBE_MOST 4801280

/*
 * Choose the block size (tile = 0) or take the one given: as large as rows and
 * columns are counted at once for one rank, tiles enough to be dealt out evenly
 * for several. returns 0; VS_EINPUT when there are more vectors than
 *         VS_CUBE_MOST, or values of a tile, eight for a triple, would not fit
 *         63 bits
 */
int vs_cube_plan(struct vs_plan *p, uint64_t n_vec, int n_rank, int64_t tile);

/* Triples of tile (bi, bj), bi <= bj; in all. */
uint64_t vs_cube_triples(const struct vs_plan *p, int64_t bi, int64_t bj);
uint64_t vs_cube_n_triple(const struct vs_plan *p);

/*
 * Deal n things, tiles by vs_plan_number() or whole rows of them, of so much
 * cost each to the ranks: the dearest first, always to the rank that has least.
 * returns  0; VS_EMACHINE
 */
int vs_cube_deal(int n_rank, uint64_t n, const uint64_t *cost, int32_t *owner);

#endif
