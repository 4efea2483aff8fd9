/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work distribution of pairs over ranks. The vectors are cut into blocks of
 * equal size; a tile is a pair of blocks (bi <= bj). Blocks are dealt to the R
 * ranks round robin, block b to rank b mod R in round b / R, so that each rank
 * gets its share of any costly region of the file. In step s rank r pairs its
 * blocks with those of rank r + s (mod R), s = 0 .. R/2 (block-circulant):
 * every pair of ranks meets once and each rank has the same work. If R is even,
 * either rank could do the last step; there the parity of both rounds gives
 * each tile to one of them, equally often along every diagonal.
 *
 * More ranks than VS_PLAN_MOST_RING would need more tiles than can be listed,
 * and each would get half of the data. Instead all tiles are put on a path,
 * vs_plan_along(), which goes through strips of some rows of tiles, column by
 * column. Each rank has an equal share of the path, as nearly square as
 * possible: it needs about sqrt(2 / R) n of n blocks, and reads them itself.
 * Rows and columns are in the order of a golden ratio sequence, so that each
 * share has blocks from anywhere in the file; between two sets, each part has a
 * sequence of its own.
 *
 * Pairs may be restricted to those between two sets of vectors. The order then
 * is: vectors of the first set only, of both sets, of the second only. No block
 * has vectors of two of these three parts, and tiles without a wanted pair are
 * left out. Each rank has all vectors of the first set, which must be the
 * smaller one; blocks of the third part are dealt; there is one step.
 *
 * A rank's blocks are in its panel in ascending order, all full but the last of
 * a part. Everything here is a pure function of its arguments.
 */
#ifndef VS_PLAN_PLAN_H
#define VS_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Numbers of vectors in the first set only, in both, in the second only. For
 * all pairs, all vectors are in both sets. Triples have a vector of the first
 * set, another of the second, and any third; vectors in neither set come last.
 */
struct vs_between {
	uint64_t n_first, n_both, n_second, n_rest;
	bool triples;
};

struct vs_plan {
	uint64_t n_vec;
	struct vs_between of;
	int64_t tile;     /* vectors in a block; a part's last may have fewer */
	int64_t n_block;  /* in total; each part has ceil(vectors / tile) */
	int64_t both;     /* first block of the second part */
	int64_t second;   /* first block of the third part */
	int64_t rest;     /* of the fourth, triples; end for pairs */
	int64_t column;   /* first block that is the second one of a tile */
	int64_t n_common; /* leading blocks that every rank has */
	int n_rank;
	/* for triples: all tiles are diagonal, (b, b), see
	 * vs_cube_row_tiles() */
	bool row_tiles;
	/* shares of a path: strip height in the first part and the second; in
	 * part k of n blocks, block b has row and column stride * b mod n, and
	 * back by the inverse, counted from the part's first */
	bool by_path;
	int64_t strip[2], stride[3], inverse[3];
	/* if not null, the path has only these tiles, as ascending
	 * vs_plan_key(), see vs_plan_take_order() */
	uint64_t *order, n_order;
	/* for pairs within chromosomes: keys are those of this path, and rank
	 * r's share begins at place cut[r] of it, [n_rank + 1]; or both null */
	struct vs_chromosome_path *within;
	uint64_t *cut;
};

#define VS_PLAN_MOST_BLOCKS 1999 /* two million tiles can be listed in a file */
#define VS_PLAN_MOST_TILES 2000000
#define VS_PLAN_MOST_RING (VS_PLAN_MOST_BLOCKS / 2) /* two blocks per rank */
/* ranks between two sets, whose tiles fill a rectangle of two blocks per
 * rank */
#define VS_PLAN_MOST_DEALT 700

/*
 * Choose the block size. A tile is the unit that is listed as done, and that is
 * recomputed after an interrupted run. It is as large as most_pairs allows, but
 * small enough for at least two blocks for each of several ranks, `rounds`
 * blocks each if these are not too small, and large enough for all tiles to be
 * listed. Threads share a tile.
 */
int64_t vs_plan_tile(uint64_t n_vec, int n_rank, double most_pairs, int rounds);

/*
 * The same for shares of a path: they differ by at most half a percent. Between
 * two sets, the blocks of the larger of the first two parts are about full.
 */
int64_t vs_plan_path_tile(const struct vs_between *of, int n_rank,
	double most_pairs);

/*
 * Make the plan for a given block size. returns 0; VS_EINPUT if pairs do not
 * fit 63 bits
 */
int vs_plan_make(struct vs_plan *p, uint64_t n_vec, int n_rank, int64_t tile);

/* Give each rank of a plan of pairs a share of the path, with strips of at most
 * that many rows. */
void vs_plan_by_path(struct vs_plan *p, int64_t most);

/* The same with strips of single rows, in file order. */
void vs_plan_by_rows(struct vs_plan *p);

/*
 * Place of a tile on a path by strips of one height, within these by columns;
 * or on the plan's path within chromosomes. For at most VS_PLAN_MOST_KEYS
 * blocks.
 */
#define VS_PLAN_MOST_KEYS (1 << 21)
uint64_t vs_plan_key(const struct vs_plan *p, int64_t bi, int64_t bj);
void vs_plan_sort_keys(uint64_t *key, uint64_t n);

/* Restrict the path to n tiles, which this sorts and the plan then owns. */
void vs_plan_take_order(struct vs_plan *p, uint64_t *key, uint64_t n);

/* False if only pairs within chromosomes are wanted and tile (bi, bj) has
 * none. */
bool vs_plan_wants(const struct vs_plan *p, int64_t bi, int64_t bj);

/* Free the order, if there is one. */
void vs_plan_free(struct vs_plan *p);

/* Like vs_plan_make(), for pairs between two sets. */
int vs_plan_between(struct vs_plan *p, const struct vs_between *of, int n_rank,
	int64_t tile);

/*
 * Number of vectors that determines the block size: those dealt, or common to
 * all ranks.
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
 * Number of blocks that a rank owns, possibly 0. Block k, from 0, is
 * vs_plan_own().
 */
int64_t vs_plan_n_own(const struct vs_plan *p, int rank);

static inline int64_t
vs_plan_own(const struct vs_plan *p, int rank, int64_t k)
{
	return k < p->n_common
		? k
		: p->n_common + (k - p->n_common) * p->n_rank + rank;
}

/* Place of block b's first vector in its owner's panel. */
uint64_t vs_plan_place(const struct vs_plan *p, int64_t b);

/* Number of vectors that a rank owns; its maximum over ranks. */
uint64_t vs_plan_held(const struct vs_plan *p, int rank);
uint64_t vs_plan_most(const struct vs_plan *p);

int vs_plan_n_step(const struct vs_plan *p);
int vs_plan_partner(const struct vs_plan *p, int rank, int step);

/*
 * True if this rank computes the tile of its own block a and remote block b in
 * this step.
 */
bool vs_plan_mine(const struct vs_plan *p, int rank, int step, int64_t a,
	int64_t b);

/*
 * The rank that computes an existing tile (bi, bj), in any step; -1: the path
 * does not go through it.
 */
int vs_plan_owner(const struct vs_plan *p, int64_t bi, int64_t bj);

/*
 * True if tile (bi, bj) exists: any bi <= bj, unless pairs are between two sets
 * or each tile is one block.
 */
bool vs_plan_has(const struct vs_plan *p, int64_t bi, int64_t bj);

/*
 * With shares of a path: rank r has places [vs_plan_share(r), vs_plan_share(r +
 * 1)) of the path; the tile at a place is (bi, bj), bi <= bj.
 */
uint64_t vs_plan_share(const struct vs_plan *p, int rank);
void vs_plan_along(const struct vs_plan *p, uint64_t place, int64_t *bi,
	int64_t *bj);

/* Blocks that the tiles of a rank's share need, each counted once. */
int64_t vs_plan_share_blocks(const struct vs_plan *p, int rank);

/* Most vectors that a rank reads from the file. */
uint64_t vs_plan_n_read(const struct vs_plan *p, int rank);

/* Number of an existing tile, counted row by row; and the tile with a
 * number. */
uint64_t vs_plan_number(const struct vs_plan *p, int64_t bi, int64_t bj);
void vs_plan_tile_of(const struct vs_plan *p, uint64_t number, int64_t *bi,
	int64_t *bj);
uint64_t vs_plan_n_tile(const struct vs_plan *p);

/* True if a tile is marked in a bit per tile; done may be null. */
static inline bool
vs_plan_is_done(const uint64_t *done, uint64_t t)
{
	return done && done[t / 64] >> (t % 64) & 1;
}

/* Mark a tile of its grid in a bit per tile; false: it was marked already. */
static inline bool
vs_plan_mark(const struct vs_plan *p, uint64_t *done, int64_t bi, int64_t bj)
{
	const uint64_t t = vs_plan_number(p, bi, bj), bit = 1ull << (t % 64);
	const bool is_new = !(done[t / 64] & bit);

	done[t / 64] |= bit;
	return is_new;
}

/* Number of the tile of two blocks, whichever comes first. */
uint64_t vs_plan_number_unordered(const struct vs_plan *p, int64_t a,
	int64_t b);

/* Pairs i < j in an existing tile (bi, bj); in total. */
uint64_t vs_plan_pairs(const struct vs_plan *p, int64_t bi, int64_t bj);
uint64_t vs_plan_n_pair(const struct vs_plan *p);

/* Number of pairs that a rank computes; done: a bit per tile to leave out, or
 * null. */
uint64_t vs_plan_load(const struct vs_plan *p, int rank, const uint64_t *done);

/*
 * The part, out of n, of tile (bi, bj): each part has its share of the tiles
 * along every row, column and diagonal, for any number of ranks.
 */
int vs_plan_spread(int64_t bi, int64_t bj, int n);

#endif
