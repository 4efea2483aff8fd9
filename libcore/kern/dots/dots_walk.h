/* SPDX-License-Identifier: BSD-3-Clause */
/* Cache blocking of byte dot products, one loop nest for all kernels. */
#ifndef VS_KERN_DOTS_DOTS_WALK_H
#define VS_KERN_DOTS_DOTS_WALK_H

#include "libcore/kern/dots/dots.h"

/*
 * Inner kernel: a fixed number of rows and columns over n lines. The lines of a
 * column are TILE bytes apart, blocks are `apart` bytes apart.
 * first  sums are set; else they are added to
 */
typedef void vs_dots_lines(const uint8_t *row, const uint8_t *col, size_t apart,
	size_t n, bool first, uint32_t *sum, size_t ld);

/*
 * Loop over n_row rows and n_col columns at a time, `range` lines of all before
 * the next ones.
 */
static inline void
vs_dots_walk(const struct vs_dots_call *k, size_t n_row, size_t n_col,
	size_t range, vs_dots_lines *add)
{
	const size_t side = VS_DOTS_SIDE, tile = VS_DOTS_TILE;
	const size_t apart = k->n_line * tile;

	for (size_t at = 0; at < k->n_line; at += range) {
		const uint8_t *rows = k->rows + at * tile;
		const uint8_t *cols = k->cols + at * tile;
		size_t n = k->n_line - at < range ? k->n_line - at : range;

		for (size_t c = 0; c < k->n_col; c += n_col)
			for (size_t r = 0; r < k->n_row; r += n_row)
				add(rows + r / side * apart +
						r % side * VS_DOTS_LINE,
					cols + c / side * apart, apart, n,
					!at && !k->more, k->sum + r * k->ld + c,
					k->ld);
	}
}

#endif
