/* SPDX-License-Identifier: BSD-3-Clause */
/* Piece of work: rows and columns of a strip, and how parts are cut off. */
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
	/* Beside a device a CPU thread gets a block of `width` columns, halved
	 * up to `halvings` times if these would take too long, and of a
	 * multiple of `block` rows, from which it cuts off multiples of `fine`
	 * rows. Each new set of columns costs it `setup`. Columns are cut at
	 * multiples of their number, counted from the part's first. Width 0: a
	 * grain of all columns is cut off. */
	size_t fine, block, width, setup;
	int halvings;
	uint64_t cost; /* total cost */
};

/*
 * Cost of the rows and columns of a piece, which may differ; parts of cost 0 go
 * to no worker. Null: all rows of a piece cost the same, as do all columns, and
 * none is 0.
 */
typedef uint64_t vs_piece_cost_fn(const struct vs_piece *piece);

/* True if nothing of it is wanted. */
static inline bool
vs_piece_is_empty(const struct vs_piece *piece, vs_piece_cost_fn *cost)
{
	return cost && !piece->cost;
}

/* True if what was packed for one can be used by the other. */
static inline bool
vs_piece_is_alike(const struct vs_piece *a, const struct vs_piece *b)
{
	return a->of == b->of && a->part == b->part && a->col == b->col &&
		a->end == b->end;
}

/* This number of rows from the beginning or from the end, or all. */
struct vs_piece vs_piece_rows(const struct vs_piece *piece, size_t rows,
	bool end, vs_piece_cost_fn *cost);

/* Greatest number of rows, in whole steps but at least one, that costs at most
 * `most`. */
struct vs_piece vs_piece_for(const struct vs_piece *piece, size_t step,
	uint64_t most, bool end, vs_piece_cost_fn *cost);

/* The last columns: a whole width, or what exceeds one; or all. */
struct vs_piece vs_piece_columns(const struct vs_piece *piece, size_t width,
	vs_piece_cost_fn *cost);

#endif
