/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who computes which pairs. The vectors are cut into blocks of equal size; a
 * tile is a pair of blocks (bi <= bj). Blocks are dealt to the R ranks in turn,
 * block b to rank b mod R in round b / R, so that each has a share of what is
 * costly wherever that stands in the file. In step s rank r meets the blocks of
 * rank r + s (mod R), s = 0 .. R/2: block-circulant, so that every pair of ranks
 * meets once and each rank has the same work. With even R the last step would be
 * done from both sides; there a tile belongs to the one side or the other by the
 * parity of both rounds: as often to each along every diagonal.
 *
 * A rank's blocks stand in its panel in rising order, each but the file's last
 * one full.
 *
 * Everything here is a pure function of its arguments.
 */
#ifndef VS_PLAN_TILE_H
#define VS_PLAN_TILE_H

#include <stdbool.h>
#include <stdint.h>

struct vs_plan {
	uint64_t n_vec;
	int64_t tile;    /* vectors in a block, the last may have fewer */
	int64_t n_block; /* ceil(n_vec / tile) */
	int n_rank;
};

/*
 * Choose the block size. A tile is what is listed as done, and lost when a run
 * is killed: as large as most_pairs allows, but two blocks or more for each of
 * several ranks, so many as rounds if these are not too small, and few enough
 * to list. Threads share a tile.
 */
int64_t vs_plan_tile(uint64_t n_vec, int n_rank, double most_pairs, int rounds);

/*
 * The plan of blocks of so many vectors.
 * returns 0; VS_EINPUT when pairs would not fit 63 bits
 */
int vs_plan_make(struct vs_plan *p, uint64_t n_vec, int n_rank, int64_t tile);

/* Vectors [lo, hi) of block b. */
void vs_plan_block(const struct vs_plan *p, int64_t b, uint64_t *lo,
	uint64_t *hi);

/* How many blocks a rank owns; may be none. They are vs_plan_own(), k from 0. */
int64_t vs_plan_n_own(const struct vs_plan *p, int rank);

static inline int64_t
vs_plan_own(const struct vs_plan *p, int rank, int64_t k)
{
	return k * p->n_rank + rank;
}

/* Where block b's first vector stands in its owner's panel. */
static inline uint64_t
vs_plan_place(const struct vs_plan *p, int64_t b)
{
	return (uint64_t)(b / p->n_rank * p->tile);
}

/* Vectors that a rank owns; the most that any does. */
uint64_t vs_plan_held(const struct vs_plan *p, int rank);
uint64_t vs_plan_most(const struct vs_plan *p);

int vs_plan_n_step(const struct vs_plan *p);
int vs_plan_partner(const struct vs_plan *p, int rank, int step);

/* Is the tile of own block a and met block b this rank's in this step? */
bool vs_plan_mine(const struct vs_plan *p, int rank, int step, int64_t a,
	int64_t b);

/* Number of tile (bi, bj), bi <= bj, among all n_block (n_block + 1) / 2. */
uint64_t vs_plan_number(const struct vs_plan *p, int64_t bi, int64_t bj);
uint64_t vs_plan_n_tile(const struct vs_plan *p);

/* Pairs i < j in tile (bi, bj); in all. */
uint64_t vs_plan_pairs(const struct vs_plan *p, int64_t bi, int64_t bj);
uint64_t vs_plan_n_pair(const struct vs_plan *p);

/* Pairs that a rank computes; done: a bit per tile that it leaves out, or null. */
uint64_t vs_plan_load(const struct vs_plan *p, int rank, const uint64_t *done);

/*
 * Of so many stages, parts of a run that can be computed at different times and
 * places, the one that has tile (bi, bj): each has its share of the tiles along
 * every row, column and diagonal, whatever the ranks, of pairs and triples.
 */
int vs_plan_stage(int64_t bi, int64_t bj, int n_stage);

#endif
