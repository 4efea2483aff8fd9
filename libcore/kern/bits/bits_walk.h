/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocking of bit matrix products on words, one loop nest for all kernels. */
#ifndef VS_KERN_BITS_BITS_WALK_H
#define VS_KERN_BITS_BITS_WALK_H

#include <stdbool.h>

#include "libcore/base/inline.h"
#include "libcore/kern/bits/bits.h"

#define SIDE 4   /* rows, and columns, of a block */
#define RANGE 64 /* words of a part, so that rows and columns stay in L2 */

/*
 * Rows and columns of a block, of one plane each: the words of a row are at
 * row[k]. Of fewer than SIDE the last one is repeated.
 * first  sums are set; else they are added to
 */
struct block {
	const uint64_t *row[SIDE], *col[SIDE];
	size_t n_row, n_col, n_word;
	int32_t *sum;
	size_t ld;
	bool first;
};

/* Lines [at, at + SIDE) of a plane, from word w on. Number of them. */
static inline size_t
lines_of(const struct vs_bits_side *s, size_t plane, size_t at, size_t w,
	const uint64_t *line[SIDE])
{
	const size_t n = s->n - at < SIDE ? s->n - at : SIDE;

	for (size_t k = 0; k < SIDE; k++)
		line[k] = s->word + plane * s->plane +
			(at + (k < n ? k : n - 1)) * s->stride + w;
	return n;
}

/* One plane of the rows with one of the columns, over a part of the words. */
VS_INLINE void
walk_planes(const struct vs_bits_call *call, size_t p, size_t q, size_t w,
	size_t n_word, void (*count)(const struct block *b))
{
	struct block b = { .n_word = n_word, .ld = call->ld, .first = !w };

	for (size_t r = 0; r < call->row.n; r += SIDE) {
		const int64_t from = call->from + (int64_t)r;
		size_t c = from > 0 ? (size_t)from / SIDE * SIDE : 0;

		b.n_row = lines_of(&call->row, p, r, w, b.row);
		for (; c < call->col.n; c += SIDE) {
			b.n_col = lines_of(&call->col, q, c, w, b.col);
			b.sum = call->sum + (p * VS_BITS_MOST + r) * call->ld +
				q * VS_BITS_MOST + c;
			count(&b);
		}
	}
}

VS_INLINE void
walk(const struct vs_bits_call *call, void (*count)(const struct block *b))
{
	const size_t n_plane = (size_t)call->n_plane;

	for (size_t w = 0; w < call->n_word; w += RANGE) {
		const size_t left = call->n_word - w;

		for (size_t p = 0; p < n_plane; p++)
			for (size_t q = 0; q < n_plane; q++)
				walk_planes(call, p, q, w,
					left < RANGE ? left : RANGE, count);
	}
}

/* Add the counts of a block to its sums. */
VS_INLINE void
put_block(const struct block *b, const uint64_t count[SIDE][SIDE])
{
	for (size_t r = 0; r < b->n_row; r++)
		for (size_t c = 0; c < b->n_col; c++) {
			int32_t *sum = b->sum + r * b->ld + c;

			*sum = (b->first ? 0 : *sum) + (int32_t)count[r][c];
		}
}

#endif
