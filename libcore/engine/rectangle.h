/* SPDX-License-Identifier: BSD-3-Clause */
/* Split a strip into rectangles of rows that want the same columns. */
#ifndef VS_ENGINE_RECTANGLE_H
#define VS_ENGINE_RECTANGLE_H

#include "libcore/engine/backend.h"

/* Rows [row, row + n_row), columns [lo, hi) counted from the strip's first. */
struct vs_rectangle {
	size_t row, n_row, lo, hi;
};

/*
 * The next rows from k->row on, at most `most`, that want the same spans, and
 * those columns; hi = 0: none. A gap between two spans is counted, too; there
 * is none between neighbours.
 */
void vs_rectangle_next(const struct vs_strip *s, size_t most,
	struct vs_rectangle *k);

/* Wanted columns of a row in the chunk that begins at `first`. */
size_t vs_rectangle_wanted(const struct vs_strip *s, size_t first, size_t row);

/* The first column wanted of a row: on the diagonal only those past it. */
static inline size_t
vs_rectangle_from(const struct vs_strip *s, const struct vs_rectangle *k,
	size_t row)
{
	size_t past = row + 1 - s->j_lo;

	return s->diagonal && row >= s->j_lo && past > k->lo ? past : k->lo;
}

/* Number of leading rows that want the same columns; each later row wants one
 * column less. */
static inline size_t
vs_rectangle_level(const struct vs_strip *s, const struct vs_rectangle *k)
{
	return s->diagonal ? s->j_lo + k->lo - k->row - 1 : k->n_row;
}

#endif
