/* SPDX-License-Identifier: BSD-3-Clause */
/* Piece of work: rows and columns of a strip, and how some are cut off. */
#ifndef VS_ENGINE_SCHED_PIECE_H
#define VS_ENGINE_SCHED_PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows [lo, hi) by columns [col, end) of an object that only the caller knows.
 */
struct vs_piece {
	void *of;
	size_t part;
	size_t lo, hi;
	size_t col, end; /* of slabs of triples: 0 */
	size_t grain;    /* rows that are cut off at a time; hi - lo: all */
	/* Beside a device a thread of the CPU gets a block of `width` columns,
	 * halved where these would take long, `halvings` times at most, and of
	 * a multiple of `block` rows, and cuts off multiples of `fine` rows of
	 * it. Other columns cost it `setup` each. Columns are cut at multiples
	 * of their number from the part's first on. Width 0: a grain of all
	 * columns is cut off. */
	size_t fine, block, width, setup;
	int halvings;
	uint64_t cost; /* of it all */
};

/*
 * Cost of the rows and columns of a piece, which need not be alike; what costs
 * nothing is no worker's. Null: all rows of a piece cost the same, and so do
 * all columns, and all are some worker's.
 */
typedef uint64_t vs_piece_cost_fn(const struct vs_piece *piece);

/* True if nothing of it is wanted. */
static inline bool
vs_piece_is_empty(const struct vs_piece *piece, vs_piece_cost_fn *cost)
{
	return cost && !piece->cost;
}

/* True if the other can use what was packed for one. */
static inline bool
vs_piece_is_alike(const struct vs_piece *a, const struct vs_piece *b)
{
	return a->of == b->of && a->part == b->part && a->col == b->col &&
		a->end == b->end;
}

/* This number of rows from the beginning or from the end, or all. */
struct vs_piece vs_piece_rows(const struct vs_piece *piece, size_t rows,
	bool end, vs_piece_cost_fn *cost);

/* The most rows, in whole steps, that cost no more than most, and one step at
 * least. */
struct vs_piece vs_piece_for(const struct vs_piece *piece, size_t step,
	uint64_t most, bool end, vs_piece_cost_fn *cost);

/* The last columns, of a whole width, or what is beyond one; or all. */
struct vs_piece vs_piece_columns(const struct vs_piece *piece, size_t width,
	vs_piece_cost_fn *cost);

#endif
