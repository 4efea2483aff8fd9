/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who computes which pairs. The vectors are cut into blocks of equal size; a
 * tile is a pair of blocks (bi <= bj). Blocks are dealt to the R ranks in turn,
 * block b to rank b mod R in round b / R, so that each has a share of what is
 * costly wherever that stands in the file. In step s rank r meets the blocks of
 * rank r + s (mod R), s = 0 .. R/2: block-circulant, so that every pair of
 * ranks meets once and each rank has the same work. With even R the last step
 * would be done from both sides; there a tile belongs to the one side or the
 * other by the parity of both rounds: as often to each along every diagonal.
 *
 * Pairs may be wanted between two sets of vectors alone. Those of the first set
 * only stand in front then, behind them those of both, and last those of the
 * second only. No block has vectors of two of these three parts, and tiles none
 * of whose pairs is wanted are not there. Each rank has all vectors of the
 * first set, which is to be the smaller one, and blocks of the third part are
 * dealt; there is one step.
 *
 * A rank's blocks stand in its panel in rising order, each but the last one of
 * a part full.
 *
 * Everything here is a pure function of its arguments.
 */
#ifndef VS_PLAN_PLAN_H
#define VS_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Vectors of the first set only, of both, of the second only. All pairs: all
 * vectors are of both.
 */
struct vs_between {
	uint64_t n_first, n_both, n_second;
};

struct vs_plan {
	uint64_t n_vec;
	struct vs_between of;
	int64_t tile;     /* vectors in a block, a part's last may have fewer */
	int64_t n_block;  /* of each part ceil(vectors / tile) */
	int64_t both;     /* the block that begins the second part */
	int64_t second;   /* the third part */
	int64_t n_common; /* first blocks that every rank has */
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

/* The same of pairs between two sets. */
int vs_plan_between(struct vs_plan *p, const struct vs_between *of, int n_rank,
	int64_t tile);

/*
 * Vectors by which to choose the block size: those that are dealt, or shared.
 */
static inline uint64_t
vs_plan_extent(const struct vs_between *of)
{
	uint64_t shared = of->n_first + of->n_both;

	return shared > of->n_second ? shared : of->n_second;
}

/* The block of vector v. */
int64_t vs_plan_find(const struct vs_plan *p, uint64_t v);

/* Vectors [lo, hi) of block b. */
void vs_plan_block(const struct vs_plan *p, int64_t b, uint64_t *lo,
	uint64_t *hi);

/*
 * How many blocks a rank owns; may be none. They are vs_plan_own(), k from 0.
 */
int64_t vs_plan_n_own(const struct vs_plan *p, int rank);

static inline int64_t
vs_plan_own(const struct vs_plan *p, int rank, int64_t k)
{
	return k < p->n_common
		? k
		: p->n_common + (k - p->n_common) * p->n_rank + rank;
}

/* Where block b's first vector stands in its owner's panel. */
uint64_t vs_plan_place(const struct vs_plan *p, int64_t b);

/* Vectors that a rank owns; the most that any does. */
uint64_t vs_plan_held(const struct vs_plan *p, int rank);
uint64_t vs_plan_most(const struct vs_plan *p);

int vs_plan_n_step(const struct vs_plan *p);
int vs_plan_partner(const struct vs_plan *p, int rank, int step);

/* Is the tile of own block a and met block b this rank's in this step? */
bool vs_plan_mine(const struct vs_plan *p, int rank, int step, int64_t a,
	int64_t b);

/* The rank that has tile (bi, bj), which is there, in one step or another. */
int vs_plan_owner(const struct vs_plan *p, int64_t bi, int64_t bj);

/*
 * Is there a tile (bi, bj)? All with bi <= bj, unless it is between two sets.
 */
bool vs_plan_has(const struct vs_plan *p, int64_t bi, int64_t bj);

/* Number of a tile that is there, row by row; and the tile of a number. */
uint64_t vs_plan_number(const struct vs_plan *p, int64_t bi, int64_t bj);
void vs_plan_tile_of(const struct vs_plan *p, uint64_t number, int64_t *bi,
	int64_t *bj);
uint64_t vs_plan_n_tile(const struct vs_plan *p);

/* Pairs i < j in tile (bi, bj) that is there; in all. */
uint64_t vs_plan_pairs(const struct vs_plan *p, int64_t bi, int64_t bj);
uint64_t vs_plan_n_pair(const struct vs_plan *p);

/*
 * Pairs that a rank computes; done: a bit per tile that it leaves out, or null.
 */
uint64_t vs_plan_load(const struct vs_plan *p, int rank, const uint64_t *done);

/*
 * Of so many stages, parts of a run that can be computed at different times and
 * places, the one that has tile (bi, bj): each has its share of the tiles along
 * every row, column and diagonal, whatever the ranks, of pairs and triples.
 */
int vs_plan_stage(int64_t bi, int64_t bj, int n_stage);

#endif
