/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Check of the counts of triples: the sum of a tile's counts over some samples
 * is a product of two sums for each sample, over its rows and over its columns.
 * Blocks add up their counts by rows of tiles. Another kernel takes off the
 * products, made of the vectors before their samples are gathered, each as
 * often as pivots count the sample; and 0 is left. Sums are modulo 2^32: a
 * wrong count is always noticed unless another one makes up for it.
 *
 * Counts that share a word count 2^16-fold in odd columns.
 */
#ifndef VS_CUDA_TILE_CHECK_H
#define VS_CUDA_TILE_CHECK_H

#include "cuda/table_tiles.h"

#define CHECK_SUMS 16 /* words with the sums of 32 samples, 16 bits each */
#define CHECK_MOST 8  /* lines that are added at a time */

/* How a kernel counts: in tiles of rows x cols, multiples of 16; whether it
 * counts all samples in addition to those of pivots; and, wide, whether a word
 * has one count, not two. */
struct check_tiles {
	uint32_t rows, cols;
	int all, wide;
};

/* Rows or columns of a launch: past n the last is repeated, as in
 * tiles_line(). */
struct check_side {
	const struct vs_card_part *part;
	uint32_t first, n;
};

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

/* Samples of word w that pivot k counts. */
VS_DEVICE uint32_t
check_mask(const struct vs_card_triples *t, uint32_t k, uint32_t w)
{
	uint32_t bits = 0;

	for (uint32_t level = 0; level < t->n_level; level++)
		bits |= vs_card_triples_bits(t, &t->pivot[k], w, level);
	return bits & vs_card_triples_within(&t->u, w >= t->u.end[0], w);
}

/* How often samples of word w are counted by the first n pivots, and among all
 * samples if they are. */
VS_DEVICE void
check_times(const struct vs_card_triples *t, uint32_t n, uint32_t w, int all,
	uint32_t sum[CHECK_SUMS])
{
	VS_UNROLL
	for (uint32_t x = 0; x < CHECK_SUMS; x++)
		sum[x] = 0;
	VS_ROLLED
	for (uint32_t at = 0; at <= n; at += CHECK_MOST) {
		uint32_t v[CHECK_MOST];

		VS_UNROLL
		for (uint32_t k = 0; k < CHECK_MOST; k++)
			v[k] = at + k < n            ? check_mask(t, at + k, w)
				: at + k == n && all ? ~0u
						     : 0;
		check_eight(v, 1, sum);
	}
}

/* Sum of products of three. */
VS_DEVICE uint32_t
check_product(const uint32_t a[CHECK_SUMS], const uint32_t b[CHECK_SUMS],
	const uint32_t c[CHECK_SUMS])
{
	uint32_t sum = 0;

	VS_UNROLL
	for (uint32_t x = 0; x < CHECK_SUMS; x++)
		sum += (a[x] & 0xffff) * (b[x] & 0xffff) * (c[x] & 0xffff) +
			(a[x] >> 16) * (b[x] >> 16) * (c[x] >> 16);
	return sum;
}

/* True if tile `col` of columns is left out beside tile `row` of rows, as by
 * tiles_idle(). */
VS_BOTH int
check_idle(const struct vs_card_triples *t, const struct check_tiles *c,
	uint32_t row, uint32_t col)
{
	const uint64_t v = t->work.i.first + t->work.i_lo + row * c->rows;
	const uint64_t x = t->work.j.first + t->work.j_lo + col * c->cols;

	return x >= t->skip && x + c->cols - 1 <= v;
}

/* Tiles of rows, and of columns. */
VS_BOTH uint32_t
check_rows(const struct vs_card_triples *t, const struct check_tiles *c)
{
	return (t->work.i_hi - t->work.i_lo + c->rows - 1) / c->rows;
}

VS_BOTH uint32_t
check_cols(const struct vs_card_triples *t, const struct check_tiles *c)
{
	return (t->work.j_hi - t->work.j_lo + c->cols - 1) / c->cols;
}

/* Tiles of columns that a thread takes: more if there are many samples, and so
 * many threads. */
VS_BOTH uint32_t
check_most(const struct vs_card_triples *t, const struct check_tiles *c)
{
	return (t->work.i.n_block > 16 ? 4096 : 1024) / c->cols;
}

/* Add a tile of columns, by parity. */
VS_DEVICE void
check_columns(const struct check_side *col, uint32_t at, uint32_t end,
	uint32_t w, const int alleles, const uint32_t planes,
	uint32_t sum[2][CHECK_SUMS])
{
	VS_UNROLL
	for (uint32_t odd = 0; odd < 2; odd++)
		check_add(col, at + odd, 2, end, w, alleles, planes, sum[odd]);
}

/* Take off the products of word w, for one range of columns. */
VS_DEVICE void
check_word(const struct vs_card_triples *t, const struct check_tiles *c,
	uint32_t range, uint32_t w, const int alleles, const uint32_t planes)
{
	const struct vs_card_work *work = &t->work;
	const struct check_side row = { &work->i, work->i_lo, work->i_hi };
	const struct check_side col = { &work->j, work->j_lo, work->j_hi };
	const uint32_t most = check_most(t, c), n = c->cols;
	uint32_t lo = range * most, hi = check_cols(t, c), pivots = ~0u;
	uint32_t cols[2][CHECK_SUMS] = { { 0 } }, times[CHECK_SUMS];

	if (w >= work->i.end[1])
		return;
	hi = hi < lo + most ? hi : lo + most;
	/* from the last tile of rows on none is left out any more once it is
	 * not; those before t->skip never are */
	for (uint32_t y = check_rows(t, c); y-- > 0;) {
		const uint32_t at = y * c->rows, end = at + c->rows;
		const uint32_t counted =
			vs_card_triples_pivots(t, work->i_lo + end - 1);
		uint32_t rows[CHECK_SUMS] = { 0 };

		for (; lo < hi && work->j.first + work->j_lo + lo * n < t->skip;
			lo++)
			check_columns(&col, lo * n, lo * n + n, w, alleles,
				planes, cols);
		for (; lo < hi && !check_idle(t, c, y, hi - 1); hi--)
			check_columns(&col, hi * n - n, hi * n, w, alleles,
				planes, cols);
		if (counted != pivots)
			check_times(t, counted, w, c->all, times);
		pivots = counted;
		check_add(&row, at, 1, end, w, alleles, planes, rows);
		isa_add(t->check + y,
			0 - check_product(rows, cols[0], times) -
				(check_product(rows, cols[1], times)
					<< (c->wide ? 0 : 16)));
	}
}

#endif
