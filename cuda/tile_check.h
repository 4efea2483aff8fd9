/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check of the counts of triples by 1-bit products: the sum of a tile's counts
 * is a product of two sums of samples, over its rows and over its columns. The
 * blocks of 64 rows add up their counts; another kernel takes off the products,
 * made of the planes themselves, and 0 is left. Sums are modulo 2^32: a wrong
 * count is always noticed unless another one makes up for it.
 *
 * Counts that share a word count 2^16-fold in odd columns.
 */
#ifndef VS_CUDA_TILE_CHECK_H
#define VS_CUDA_TILE_CHECK_H

#include "cuda/table_tiles.h"

#define CHECK_SUMS 16 /* words with the sums of 32 samples, 16 bits each */
#define CHECK_MOST 8  /* lines that are added at a time */

/* Rows or columns of a launch for a pivot, or of all samples, from `first` on;
 * past n the last is repeated, as in tiles_line(). */
struct check_side {
	const struct vs_card_part *part;
	uint32_t first, n;
};

VS_BOTH struct check_side
check_side(const struct vs_card_triples *t, uint32_t k, int col)
{
	const struct vs_card_work *w = &t->work;
	const struct vs_card_pivot *p = &t->pivot[k];

	if (k == VS_CARD_PIVOTS)
		return (struct check_side){ col ? &w->j : &w->i,
			col ? w->j_lo : w->i_lo, col ? w->j_hi : w->i_hi };
	return (struct check_side){ col ? &p->j : &p->i,
		col ? w->j_lo - t->j_from : w->i_lo - t->i_from,
		col ? t->n_j : t->n_i };
}

/* Sums of three words, bit by bit. */
VS_DEVICE void
check_three(uint32_t a, uint32_t b, uint32_t c, uint32_t *one, uint32_t *two)
{
	*one = a ^ b ^ c;
	*two = (a & b) | (a & c) | (b & c);
}

/* Add `times` the bits of eight words. */
VS_DEVICE void
check_eight(const uint32_t v[CHECK_MOST], uint32_t times,
	uint32_t sum[CHECK_SUMS])
{
	uint32_t one[3], two[4], bit[4], four;

	check_three(v[0], v[1], v[2], &one[0], &two[0]);
	check_three(v[3], v[4], v[5], &one[1], &two[1]);
	check_three(one[0], one[1], v[6], &one[2], &two[2]);
	bit[0] = one[2] ^ v[7];
	two[3] = one[2] & v[7];
	check_three(two[0], two[1], two[2], &one[0], &four);
	bit[1] = one[0] ^ two[3];
	bit[2] = four ^ (one[0] & two[3]);
	bit[3] = four & one[0] & two[3];
	VS_UNROLL
	for (uint32_t x = 0; x < CHECK_SUMS; x++) {
		const uint32_t mask = 0x11111111, at = x % 4;
		const uint32_t fields = (bit[0] >> at & mask) |
			(bit[1] >> at & mask) << 1 |
			(bit[2] >> at & mask) << 2 | (bit[3] >> at & mask) << 3;

		sum[x] += times * (fields >> (x / 4 * 4) & 0x000f000f);
	}
}

/* Add 32 samples of word w of lines at, at + step, .. before end, a multiple of
 * eight of them. */
VS_DEVICE void
check_add(const struct check_side *s, uint32_t at, uint32_t step, uint32_t end,
	uint32_t w, const int alleles, const uint32_t planes,
	uint32_t sum[CHECK_SUMS])
{
	const struct vs_card_part *p = s->part;
	const uint32_t *from = p->plane + vs_tile_of(p, 0, w / 32, 0);
	const uint32_t far = p->n_block * planes * VS_TILE_WORDS;

	VS_ROLLED
	for (; at < end; at += CHECK_MOST * step) {
		uint32_t a[CHECK_MOST], b[CHECK_MOST];

		VS_UNROLL
		for (uint32_t k = 0; k < CHECK_MOST; k++) {
			const uint32_t line = s->first + at + k * step;
			const uint32_t v = line < s->n ? line : s->n - 1;
			const uint32_t *word = from +
				(size_t)(v / VS_TILE_VECS) * far +
				vs_tile_at(v % VS_TILE_VECS, w % 32);

			a[k] = word[0];
			b[k] = word[VS_TILE_WORDS];
			if (planes == 3)
				b[k] |= word[2 * VS_TILE_WORDS];
			if (!alleles)
				b[k] |= a[k];
		}
		check_eight(b, 1, sum);
		if (alleles)
			check_eight(a, 2, sum);
	}
}

/* Sum of products. */
VS_DEVICE uint32_t
check_product(const uint32_t a[CHECK_SUMS], const uint32_t b[CHECK_SUMS])
{
	uint32_t sum = 0;

	VS_UNROLL
	for (uint32_t x = 0; x < CHECK_SUMS; x++)
		sum += (a[x] & 0xffff) * (b[x] & 0xffff) +
			(a[x] >> 16) * (b[x] >> 16);
	return sum;
}

/* True if tile `col` of columns is left out beside tile `row` of rows, as by
 * tiles_idle(). */
VS_BOTH int
check_idle(const struct vs_card_triples *t, uint32_t row, uint32_t col)
{
	const uint64_t v = t->work.i.first + t->work.i_lo + row * TILES_ROWS;
	const uint64_t x = t->work.j.first + t->work.j_lo + col * TILES_COLS;

	return x >= t->skip && x + TILES_COLS - 1 <= v;
}

/* Tiles of rows, and of columns. */
VS_BOTH uint32_t
check_rows(const struct vs_card_triples *t)
{
	return (t->work.i_hi - t->work.i_lo + TILES_ROWS - 1) / TILES_ROWS;
}

VS_BOTH uint32_t
check_cols(const struct vs_card_triples *t)
{
	return (t->work.j_hi - t->work.j_lo + TILES_COLS - 1) / TILES_COLS;
}

/* Tiles of columns that a thread takes: all if there are many samples, and so
 * many threads. */
VS_BOTH uint32_t
check_most(const struct vs_card_triples *t)
{
	return t->work.i.n_block > 16 ? 256 : 32;
}

/* Add a tile of columns, by parity. */
VS_DEVICE void
check_tile(const struct check_side *col, uint32_t tile, uint32_t w,
	uint32_t n_word, const int alleles, const uint32_t planes,
	uint32_t sum[2][CHECK_SUMS])
{
	const uint32_t at = tile * TILES_COLS;

	VS_UNROLL
	for (uint32_t odd = 0; odd < 2 && w < n_word; odd++)
		check_add(col, at + odd, 2, at + TILES_COLS, w, alleles, planes,
			sum[odd]);
}

/* Take off the products of word w, for pivot k and one range of columns. */
VS_DEVICE void
check_word(const struct vs_card_triples *t, uint32_t k, uint32_t range,
	uint32_t w, const int alleles, const uint32_t planes, int wide)
{
	const struct check_side row = check_side(t, k, 0);
	const struct check_side col = check_side(t, k, 1);
	const uint32_t n_word = row.part->n_segment
		? row.part->end[row.part->n_segment - 1]
		: 0;
	const uint32_t most = check_most(t);
	uint32_t lo = range * most, hi = check_cols(t);
	uint32_t cols[2][CHECK_SUMS] = { { 0 } };

	hi = hi < lo + most ? hi : lo + most;
	/* from the last tile of rows on none is left out any more once it is
	 * not; those before t->skip never are */
	for (uint32_t y = check_rows(t); y-- > 0;) {
		const uint32_t end = (y + 1) * TILES_ROWS;
		uint32_t rows[CHECK_SUMS] = { 0 }, sum = 0;

		while (lo < hi &&
			t->work.j.first + t->work.j_lo + lo * TILES_COLS <
				t->skip)
			check_tile(&col, lo++, w, n_word, alleles, planes,
				cols);
		while (lo < hi && !check_idle(t, y, hi - 1))
			check_tile(&col, --hi, w, n_word, alleles, planes,
				cols);
		if (k < VS_CARD_PIVOTS &&
			k >= vs_card_triples_pivots(t, t->work.i_lo + end - 1))
			continue;
		if (w < n_word) {
			check_add(&row, end - TILES_ROWS, 1, end, w, alleles,
				planes, rows);
			sum = check_product(rows, cols[0]) +
				(check_product(rows, cols[1])
					<< (wide ? 0 : 16));
		}
		isa_add(t->check + y, 0 - sum);
	}
}

#endif
