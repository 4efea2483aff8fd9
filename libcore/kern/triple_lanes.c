/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Triples by lists, as pair_lanes.c counts pairs: columns in the bits of
 * registers, and for a row, which is a pair of vectors, lists of fields. With
 * y = g - mode of each of the two vectors,
 *
 *   sum g g' g'' = sum y y' g'' + mode sum g' g'' + mode' sum g g'' -
 *                  mode mode' sum g''
 *
 * and y y' is 0 wherever either vector has its commonest genotype: of
 * genotypes in Hardy-Weinberg proportions no more than three fields in ten are
 * left, and at a minor allele of a tenth one in thirty. Where no mode is 1 its
 * other values are 1, 2 and 4, all of one sign: a list of fields that count
 * once and one of those that count twice, and 4 is twice in that. Else they are
 * 1 and 2 of either sign: a list for each sign, and 2 is twice in it.
 */
#if defined(__x86_64__)
#include "libcore/kern/lanes_add.h"

#define PART 1984 /* fields: a counter holds 8 for each and some filling */

/* Both rows' planes from some field on. */
struct planes2 {
	const uint32_t *h[2], *p[2];
};

/* Neither mode is 1: y is 0, 1, 2, or 0, -1, -2 where it is 2. */
INLINE void
split_even(const struct planes2 *x, const int mode[2], size_t n,
	struct words *to)
{
	const uint32_t turn0 = mode[0] ? ~0u : 0, turn1 = mode[1] ? ~0u : 0;

#pragma omp simd
	for (size_t w = 0; w < (n + 31) / 32; w++) {
		uint32_t h0 = x->h[0][w], h1 = x->h[1][w];
		uint32_t two0 = h0 & (x->p[0][w] ^ turn0);
		uint32_t two1 = h1 & (x->p[1][w] ^ turn1);

		to->one[w] = ~(h0 | h1);
		to->one_more[w] = 0;
		to->two[w] = (~h0 & two1) | (~h1 & two0) | (two0 & two1);
		to->two_more[w] = two0 & two1;
	}
}

/* The mode of one is 1, which is the first here, that of the other is not. */
INLINE void
split_odd(const struct planes2 *x, int mode, size_t n, struct words *to)
{
	const uint32_t turn = mode ? ~0u : 0;

#pragma omp simd
	for (size_t w = 0; w < (n + 31) / 32; w++) {
		uint32_t more = x->h[0][w] & x->p[0][w];
		uint32_t less = x->h[0][w] & ~x->p[0][w];
		uint32_t two = x->h[1][w] & (x->p[1][w] ^ turn);
		uint32_t some = ~x->h[1][w] | two;

		to->one[w] = more & some;
		to->one_more[w] = more & two;
		to->two[w] = less & some;
		to->two_more[w] = less & two;
	}
}

/* Both modes are 1. */
INLINE void
split_both(const struct planes2 *x, size_t n, struct words *to)
{
#pragma omp simd
	for (size_t w = 0; w < (n + 31) / 32; w++) {
		uint32_t both = x->h[0][w] & x->h[1][w];
		uint32_t unlike = x->p[0][w] ^ x->p[1][w];

		to->one[w] = both & ~unlike;
		to->two[w] = both & unlike;
		to->one_more[w] = to->two_more[w] = 0;
	}
}

/* A row of a call. */
struct row3 {
	int mode[2];
	int32_t extra;  /* to be added to the counter */
	size_t n_piece; /* of its lists */
};

struct rows3 {
	struct rows list; /* of entries and pieces; the rest is not used */
	struct row3 *row;
};

/* Most entries and pieces of a row in a part. */
#define ENTRIES (2 * PART + 4 * BLOCK)
#define PIECES (ENTRIES / PIECE + 2)

static size_t
row_room3(size_t n_row, size_t n_field)
{
	(void)n_field;
	return n_row *
		(sizeof(struct row3) + PIECES * sizeof(struct piece) +
			ENTRIES * sizeof(uint16_t)) +
		128;
}

static struct rows3
lay_out3(void *scratch, size_t n_row, size_t n_field)
{
	struct rows3 s = { .row = scratch };

	s.list.cut = cut_fields(n_field);
	s.list.n_row = n_row;
	s.list.made = (struct piece *)(s.row + n_row);
	s.list.entry = (uint16_t *)(s.list.made + n_row * PIECES);
	return s;
}

/* Fields [first, first + n) of a row's vectors into words. */
INLINE void
split(const struct vs_panel *a, const struct vs_triple_row *pair,
	const int m[2], size_t first, size_t n, struct words *to)
{
	/* the last word's bits past the last field */
	const uint32_t in = n % 32 ? (1u << n % 32) - 1 : ~0u;
	size_t last = (n + 31) / 32 - 1;
	/* one whose mode is 1 comes first */
	size_t turn = m[0] != 1 && m[1] == 1;
	struct planes2 x;

	for (size_t k = 0; k < 2; k++) {
		size_t v = pair->v[k ^ turn];

		x.h[k] = (uint32_t *)vs_vec_plane(&a->vec, v, 0) + first / 32;
		x.p[k] = (uint32_t *)vs_vec_plane(&a->vec, v, 1) + first / 32;
	}
	if (m[0] == 1 && m[1] == 1)
		split_both(&x, n, to);
	else if (m[0] == 1 || m[1] == 1)
		split_odd(&x, m[!turn], n, to);
	else
		split_even(&x, m, n, to);
	to->one[last] &= in;
	to->two[last] &= in;
}

/* Lists of row r for n fields from first on; returns the end of the entries. */
AVX512 static uint16_t *
make_lists3(struct rows3 *s, size_t r, const struct vs_panel *a,
	const struct vs_triple_row *pair, size_t first, size_t n, uint16_t *to)
{
	struct row3 *row = &s->row[r];
	bool even = row->mode[0] != 1 && row->mode[1] != 1;
	bool both = row->mode[0] == 1 && row->mode[1] == 1;
	size_t n_word = (n + 31) / 32, before = s->list.n_piece;
	struct words words = { .more = 0 };
	uint16_t *from = to;

	split(a, pair, row->mode, first, n, &words);
	to = entries(words.one, n_word, to);
	if (!even && !both)
		to = entries(words.one_more, n_word, to);
	to = cut_list(&s->list, r, ONCE, from, to);
	from = to;
	to = entries(words.two, n_word, to);
	if (!both)
		to = entries(words.two_more, n_word, to);
	to = cut_list(&s->list, r, even ? TWICE : NOT, from, to);
	/* complements of two bits are 3 too many each */
	row->extra = even ? 0 : -3 * (int32_t)(to - from);
	row->n_piece = s->list.n_piece - before;
	return to;
}

/* ---- counters into sums ---- */

/* What is to be added to a row's counter. */
struct base3 {
	const int32_t *g[2],
		*s; /* by column: of the two vectors; its own sum */
	bool has[2], has_both;
	__m128i shift[2], shift_both;
	bool minus; /* the counter's sign */
	bool first; /* else the sums so far stand where they go */
};

/* Multiples of 0, 1, 2 or 4. */
INLINE __m512i
times(bool has, __m128i shift, const int32_t *from)
{
	return has ? _mm512_sll_epi32(_mm512_loadu_si512(from), shift)
		   : _mm512_setzero_si512();
}

INLINE void
put3(const struct base3 *b, __m512i extra, __m512i v, size_t at, int32_t *p)
{
	__m512i sum;

	if (b->first) {
		/* one's mode goes with the other's sums */
		sum = _mm512_add_epi32(
			times(b->has[1], b->shift[1], b->g[0] + at),
			times(b->has[0], b->shift[0], b->g[1] + at));
		sum = _mm512_sub_epi32(sum,
			times(b->has_both, b->shift_both, b->s + at));
	} else {
		sum = _mm512_loadu_si512(p + at);
	}
	v = _mm512_add_epi32(v, extra);
	_mm512_storeu_si512(p + at,
		b->minus ? _mm512_sub_epi32(sum, v) : _mm512_add_epi32(sum, v));
}

INLINE void
empty3(__m512i counter[PLANES], int32_t more, const struct base3 *b, int32_t *p)
{
	const __m512i none = _mm512_setzero_si512();
	__m512i extra = _mm512_set1_epi32(more), low[8], high[8];
	size_t at = 0;

	turn_counter(counter, low, high);
	for (int m = 0; m < 8; m++) {
		__m512i pair[2] = { _mm512_unpacklo_epi8(low[m], high[m]),
			_mm512_unpackhi_epi8(low[m], high[m]) };

		for (int k = 0; k < 2; k++, at += 32) {
			put3(b, extra, _mm512_unpacklo_epi16(pair[k], none), at,
				p);
			put3(b, extra, _mm512_unpackhi_epi16(pair[k], none),
				at + 16, p);
		}
	}
}

/* What row r needs of columns [at, at + LANES), whose sums are own. */
INLINE struct base3
base_of(const struct row3 *row, const struct vs_triple_row *pair,
	const int32_t *own, size_t at, bool first)
{
	const int *m = row->mode;
	struct base3 b = { .s = own,
		.has_both = m[0] && m[1],
		.shift_both = _mm_cvtsi32_si128((m[0] == 2) + (m[1] == 2)),
		.minus = (m[0] == 2) != (m[1] == 2),
		.first = first };

	for (int k = 0; k < 2; k++) {
		b.g[k] = pair->g[k] + at;
		b.has[k] = m[k];
		b.shift[k] = _mm_cvtsi32_si128(m[k] == 2);
	}
	return b;
}

/*
 * Pieces of a row against the fields of a part of a block of columns. Rows
 * follow one another, as their lists are short: a counter that stays in
 * registers saves more than fields that stay in the first cache.
 */
AVX512 static void
count_row3(const struct rows3 *s, const struct piece *piece, size_t n_piece,
	int32_t extra, const char *fields, const struct base3 *b, int32_t *p)
{
	__m512i c[PLANES];

	for (int k = 0; k < PLANES; k++)
		c[k] = _mm512_setzero_si512();
	for (size_t x = 0; x < n_piece; x++) {
		const uint16_t *at = s->list.entry + piece[x].at;

		if (piece[x].way == ONCE)
			add_piece(c, 0, 0, fields, at, piece[x].n_block);
		else if (piece[x].way == TWICE)
			add_piece(c, 1, 0, fields, at, piece[x].n_block);
		else
			add_piece(c, 0, 1, fields, at, piece[x].n_block);
	}
	empty3(c, extra, b, p);
}

/* Fields [first, first + n), which are in one chunk, from part on in it. */
AVX512 static void
count_part(struct rows3 *s, const struct vs_panel *a,
	const struct vs_triple_row *pair, size_t first, size_t n, void *cols,
	size_t n_col, int32_t *p, size_t ld)
{
	const struct cut cut = s->list.cut;
	uint16_t *to = s->list.entry;

	/* offsets begin at the part, the row of zeros stays where it is */
	s->list.cut.chunk = cut.chunk - first % cut.chunk;
	s->list.n_piece = 0;
	for (size_t r = 0; r < s->list.n_row; r++)
		to = make_lists3(s, r, a, &pair[r], first, n, to);
	s->list.cut = cut;
	for (size_t at = 0; at < n_col; at += LANES) {
		char *block = (char *)cols + at / LANES * block_bytes(&cut);
		const char *fields = field_row(block, &cut, first);
		const struct piece *piece = s->list.made;

		for (size_t r = 0; r < s->list.n_row; r++) {
			const struct row3 *row = &s->row[r];
			struct base3 b = base_of(row, &pair[r],
				(int32_t *)block, at, !first);

			count_row3(s, piece, row->n_piece, row->extra, fields,
				&b, p + r * ld + at);
			piece += row->n_piece;
		}
	}
}

AVX512 static void
count3(const struct vs_panel *a, const struct vs_triple_row *pair, size_t n_row,
	const void *cols, size_t n_col, void *scratch, int32_t *p, size_t ld)
{
	size_t n_field = a->vec.n_field;
	struct rows3 s = lay_out3(scratch, n_row, n_field);
	size_t chunk = s.list.cut.chunk, n;

	for (size_t r = 0; r < n_row; r++) {
		int64_t others;

		for (size_t k = 0; k < 2; k++)
			s.row[r].mode[k] = mode_of(a, pair[r].v[k], 1, &others);
	}
	for (size_t first = 0; first < n_field; first += n) {
		size_t left = chunk - first % chunk;

		n = left < PART ? left : PART;
		n = n_field - first < n ? n_field - first : n;
		count_part(&s, a, pair, first, n, (void *)cols, n_col, p, ld);
	}
}

extern const struct vs_triple vs_triple_lanes512;
const struct vs_triple vs_triple_lanes512 = { "lanes512", row_room3, count3 };
#endif
