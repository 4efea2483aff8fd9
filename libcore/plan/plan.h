/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work distribution of pairs over ranks. The vectors are cut into blocks of
 * equal size; a tile is a pair of blocks (bi <= bj). Blocks are dealt to the R
 * ranks round robin, block b to rank b mod R in round b / R, so that each rank
 * has a share of costly regions anywhere in the file. In step s rank r pairs
 * its blocks with those of rank r + s (mod R), s = 0 .. R/2 (block-circulant):
 * every pair of ranks meets once and each rank has the same work. With even R
 * both ranks could do the last step; there a tile belongs to one of them by the
 * parity of both rounds, as often to each along every diagonal.
 *
 * More ranks than VS_PLAN_MOST_RING would need more tiles than can be listed,
 * and each would get half of the data. Instead all tiles stand along a path,
 * vs_plan_along(), which goes through strips of some rows of tiles, column by
 * column. Each rank has an equal share of the path, as nearly a square as can
 * be: of n blocks it needs some sqrt(2 / R) n, and reads them itself. Rows and
 * columns stand in the order of a golden ratio sequence, so that each share has
 * blocks from anywhere in the file; between two sets, of each part by itself.
 *
 * Pairs may be restricted to those between two sets of vectors. The order then
 * is: vectors of the first set only, of both sets, of the second only. No block
 * has vectors of two of these three parts, and tiles without a wanted pair are
 * left out. Each rank has all vectors of the first set, which must be the
 * smaller one; blocks of the third part are dealt; there is one step.
 *
 * A rank's blocks stand in its panel in rising order, each but the last one of
 * a part full. Everything here is a pure function of its arguments.
 */
#ifndef VS_PLAN_PLAN_H
#define VS_PLAN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Vectors of the first set only, of both, of the second only. For all pairs,
 * all vectors are of both sets. Triples have a vector of the first set, another
 * of the second, and any third; vectors in neither set come last.
 */
struct vs_between {
	uint64_t n_first, n_both, n_second, n_rest;
	bool triples;
};

struct vs_plan {
	uint64_t n_vec;
	struct vs_between of;
	int64_t tile;     /* vectors in a block; a part's last may have fewer */
	int64_t n_block;  /* total; of each part ceil(vectors / tile) */
	int64_t both;     /* first block of the second part */
	int64_t second;   /* first block of the third part */
	int64_t rest;     /* of the fourth, of triples; blocks of pairs end */
	int64_t column;   /* first block that is a tile's second one */
	int64_t n_common; /* leading blocks that every rank has */
	int n_rank;
	/* of triples: each tile is a block of its own, (b, b), and there are no
	 * others; see vs_cube_row_tiles() */
	bool row_tiles;
	/* shares of a path: the height of its strips in the first part and the
	 * second; of part k's n blocks block b has row and column stride * b
	 * mod n, and back by the inverse, counted from the part's first */
	bool by_path;
	int64_t strip[2], stride[3], inverse[3];
	/* the path goes through these tiles alone, by vs_plan_key() in rising
	 * order, see vs_plan_take_order(); or null */
	uint64_t *order, n_order;
	/* of pairs within chromosomes the keys are of this path, and rank r's
	 * share begins at place cut[r] of it, [n_rank + 1]; or both null */
	struct vs_chromosome_path *within;
	uint64_t *cut;
};

#define VS_PLAN_MOST_BLOCKS 1999 /* two million tiles are listed in a file */
#define VS_PLAN_MOST_TILES 2000000
#define VS_PLAN_MOST_RING (VS_PLAN_MOST_BLOCKS / 2) /* two blocks a rank */
/* ranks of two sets, whose tiles fill a rectangle of two blocks a rank */
#define VS_PLAN_MOST_DEALT 700

/*
 * Choose the block size. A tile is the unit listed as done, and recomputed
 * after a killed run: as large as most_pairs allows, but two blocks or more for
 * each of several ranks, `rounds` blocks each if these are not too small, and
 * few enough to list. Threads share a tile.
 */
int64_t vs_plan_tile(uint64_t n_vec, int n_rank, double most_pairs, int rounds);

/*
 * The same for shares of a path: all differ by half a percent at most. Between
 * two sets blocks are such that those of the larger of the first two parts are
 * about full.
 */
int64_t vs_plan_path_tile(const struct vs_between *of, int n_rank,
	double most_pairs);

/*
 * Make the plan for a given block size. returns 0; VS_EINPUT when pairs would
 * not fit 63 bits
 */
int vs_plan_make(struct vs_plan *p, uint64_t n_vec, int n_rank, int64_t tile);

/* Give each rank of a plan of pairs a share of the path, whose strips have that
 * many rows at the most. */
void vs_plan_by_path(struct vs_plan *p, int64_t most);

/* The same, whose strips are single rows in the order of the file. */
void vs_plan_by_rows(struct vs_plan *p);

/*
 * Place of a tile in a path by strips of one height, in these by columns, or of
 * the plan's within. Of VS_PLAN_MOST_KEYS blocks at the most.
 */
#define VS_PLAN_MOST_KEYS (1 << 21)
uint64_t vs_plan_key(const struct vs_plan *p, int64_t bi, int64_t bj);
void vs_plan_sort_keys(uint64_t *key, uint64_t n);

/*
 * Let the path go through n tiles alone, which this sorts and the plan then
 * owns.
 */
void vs_plan_take_order(struct vs_plan *p, uint64_t *key, uint64_t n);

/* False if tile (bi, bj) has no pair within chromosomes, which alone are
 * wanted. */
bool vs_plan_wants(const struct vs_plan *p, int64_t bi, int64_t bj);

/* Free the order, if there is one. */
void vs_plan_free(struct vs_plan *p);

/* Like vs_plan_make(), for pairs between two sets. */
int vs_plan_between(struct vs_plan *p, const struct vs_between *of, int n_rank,
	int64_t tile);

/*
 * Number of vectors that determines the block size: those that are dealt or
 * common.
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
 * Number of blocks that a rank owns, possibly 0. They are vs_plan_own(), k from
 * 0.
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

/* Vectors that a rank owns; the maximum over ranks. */
uint64_t vs_plan_held(const struct vs_plan *p, int rank);
uint64_t vs_plan_most(const struct vs_plan *p);

int vs_plan_n_step(const struct vs_plan *p);
int vs_plan_partner(const struct vs_plan *p, int rank, int step);

/*
 * True if this rank computes the tile of own block a and remote block b in this
 * step.
 */
bool vs_plan_mine(const struct vs_plan *p, int rank, int step, int64_t a,
	int64_t b);

/*
 * The rank that computes tile (bi, bj), which exists, in any step; -1: the path
 * does not go through it.
 */
int vs_plan_owner(const struct vs_plan *p, int64_t bi, int64_t bj);

/*
 * True if tile (bi, bj) exists: any bi <= bj, unless pairs are between two
 * sets, or a tile is a block.
 */
bool vs_plan_has(const struct vs_plan *p, int64_t bi, int64_t bj);

/*
 * With shares of a path: rank r has places [vs_plan_share(r), of r + 1) of the
 * path, whose tile at a place is (bi, bj), bi <= bj.
 */
uint64_t vs_plan_share(const struct vs_plan *p, int rank);
void vs_plan_along(const struct vs_plan *p, uint64_t place, int64_t *bi,
	int64_t *bj);

/* Blocks that the tiles of a rank's share need, each counted once. */
int64_t vs_plan_share_blocks(const struct vs_plan *p, int rank);

/* Vectors that a rank reads from the file, at the most. */
uint64_t vs_plan_n_read(const struct vs_plan *p, int rank);

/* Number of an existing tile, row by row; and the tile of a number. */
uint64_t vs_plan_number(const struct vs_plan *p, int64_t bi, int64_t bj);
void vs_plan_tile_of(const struct vs_plan *p, uint64_t number, int64_t *bi,
	int64_t *bj);
uint64_t vs_plan_n_tile(const struct vs_plan *p);

/* Number of the tile of two blocks, whichever comes first. */
uint64_t vs_plan_number_unordered(const struct vs_plan *p, int64_t a,
	int64_t b);

/* Pairs i < j in an existing tile (bi, bj); in total. */
uint64_t vs_plan_pairs(const struct vs_plan *p, int64_t bi, int64_t bj);
uint64_t vs_plan_n_pair(const struct vs_plan *p);

/* Pairs that a rank computes; done: a bit per tile to leave out, or null. */
uint64_t vs_plan_load(const struct vs_plan *p, int rank, const uint64_t *done);

/*
 * The part of tile (bi, bj), out of n: each part has its share of the tiles
 * along every row, column and diagonal, for any number of ranks.
 */
int vs_plan_spread(int64_t bi, int64_t bj, int n);

#endif
