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

/* The fields of a chunk in words of 64; those behind are 0. */
#define WORDS ((CHUNK + 63) / 64)

/* What y y' is: 1 or, told from all complements, -1; and which are 2, or 4. */
struct masks {
	uint64_t one[WORDS + 8], one_more[WORDS + 8];
	uint64_t two[WORDS + 8], two_more[WORDS + 8];
};

/* A row of a call. */
struct row3 {
	__m512i counter[PLANES];
	struct vs_range in; /* of the block at hand */
	int32_t *sums;
	int32_t extra; /* to be added to the counter */
	int32_t full;  /* the most that the counter may hold */
	bool minus;    /* its sign in the sums */
	bool begun;    /* it has been emptied into the sums before */
};

/* Most entries of a row in a chunk: what is 2 or 4 may be there twice. */
#define ENTRIES (2 * CHUNK + 2 * BLOCK)
#define PIECES (ENTRIES / PIECE + 2)

struct rows3 {
	struct rows list; /* of entries and pieces; its rows are not used */
	struct row3 *row;
};

static size_t
row_room3(size_t n_field)
{
	(void)n_field;
	/* entries are written two registers at a time */
	return VS_TRIPLE_ROWS *
		(sizeof(struct row3) + 2 * PIECES * sizeof(struct piece) +
			ENTRIES * sizeof(uint16_t)) +
		128;
}

static struct rows3
lay_out3(void *scratch, size_t n_row, size_t n_field)
{
	struct rows3 s = { .row = scratch };

	s.list.cut = cut_fields(n_field);
	s.list.n_row = n_row;
	s.list.made = (struct piece *)(s.row + VS_TRIPLE_ROWS);
	s.list.piece = s.list.made + VS_TRIPLE_ROWS * PIECES;
	s.list.entry = (uint16_t *)(s.list.piece + VS_TRIPLE_ROWS * PIECES);
	return s;
}

/* ---- lists ---- */

/* Planes of both vectors, 512 fields. */
struct planes2 {
	__m512i h[2], p[2];
};

#define three(a, b, c, table) _mm512_ternarylogic_epi64(a, b, c, table)

/* Neither mode is 1: y is 0, 1, 2, or 0, -1, -2 where it is 2. */
INLINE void
split_even(const struct planes2 *x, const __m512i turn[2], __m512i in, size_t w,
	struct masks *to)
{
	/* h & (p ^ turn) */
	__m512i two0 = three(x->h[0], x->p[0], turn[0], 0x60);
	__m512i two1 = three(x->h[1], x->p[1], turn[1], 0x60);
	/* ~(h | h') & in */
	__m512i one = three(x->h[0], x->h[1], in, 0x02);
	__m512i both = _mm512_and_si512(two0, two1);
	/* one has 1, the other 2 */
	__m512i mixed = _mm512_or_si512(_mm512_andnot_si512(x->h[0], two1),
		_mm512_andnot_si512(x->h[1], two0));

	_mm512_storeu_si512(to->one + w, one);
	_mm512_storeu_si512(to->two + w, three(mixed, both, in, 0xa8));
	_mm512_storeu_si512(to->two_more + w, _mm512_and_si512(both, in));
}

/* The mode of the first is 1, that of the other is not. */
INLINE void
split_odd(const struct planes2 *x, const __m512i turn[2], __m512i in, size_t w,
	struct masks *to)
{
	__m512i more = three(x->h[0], x->p[0], in, 0x80);
	__m512i less = three(x->h[0], x->p[0], in, 0x20);
	__m512i two = three(x->h[1], x->p[1], turn[1], 0x60);

	/* & (~h' | two) */
	_mm512_storeu_si512(to->one + w, three(more, x->h[1], two, 0xb0));
	_mm512_storeu_si512(to->one_more + w, _mm512_and_si512(more, two));
	_mm512_storeu_si512(to->two + w, three(less, x->h[1], two, 0xb0));
	_mm512_storeu_si512(to->two_more + w, _mm512_and_si512(less, two));
}

/* Both modes are 1. */
INLINE void
split_both(const struct planes2 *x, __m512i in, size_t w, struct masks *to)
{
	__m512i both = three(x->h[0], x->h[1], in, 0x80);

	/* both & ~(p ^ p'), both & (p ^ p') */
	_mm512_storeu_si512(to->one + w, three(both, x->p[0], x->p[1], 0x90));
	_mm512_storeu_si512(to->two + w, three(both, x->p[0], x->p[1], 0x60));
}

/* Fields [first, first + n) of a row's vectors; n > 0, first 32 by 32. */
INLINE void
split(const struct vs_panel *a, const struct vs_triple_row *row, size_t first,
	size_t n, struct masks *to)
{
	/* one whose mode is 1 comes first */
	size_t swap = row->mode[0] != 1 && row->mode[1] == 1;
	const uint32_t *plane[2][2];
	__m512i turn[2];
	int mode[2];

	for (size_t k = 0; k < 2; k++) {
		size_t v = row->v[k ^ swap];

		mode[k] = row->mode[k ^ swap];
		turn[k] = _mm512_set1_epi32(mode[k] == 2 ? -1 : 0);
		for (int which = 0; which < 2; which++)
			plane[which][k] = (const uint32_t *)vs_vec_plane(
						  &a->vec, v, which) +
				first / 32;
	}
	for (size_t w = 0; 32 * w < n; w += 16) {
		size_t left = n - 32 * w, words = (left + 31) / 32;
		__mmask16 some = (__mmask16)_bzhi_u32(0xffff, (unsigned)words);
		/* the last word's bits past the last field */
		__m512i in = _mm512_maskz_set1_epi32(some, -1);
		struct planes2 x;

		if (left < 512 && left % 32)
			in = _mm512_mask_set1_epi32(in,
				(__mmask16)(1u << (words - 1)),
				(int)((1u << left % 32) - 1));
		for (int k = 0; k < 2; k++) {
			x.h[k] =
				_mm512_maskz_loadu_epi32(some, plane[0][k] + w);
			x.p[k] =
				_mm512_maskz_loadu_epi32(some, plane[1][k] + w);
		}
		if (mode[0] != 1)
			split_even(&x, turn, in, w / 2, to);
		else if (mode[1] != 1)
			split_odd(&x, turn, in, w / 2, to);
		else
			split_both(&x, in, w / 2, to);
	}
}

/* Offsets of the set bits of n_word words; returns their end. */
INLINE uint16_t *
offsets(const uint64_t *word, size_t n_word, uint16_t *to)
{
	const __m512i bytes = _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56,
		55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40,
		39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24,
		23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
		6, 5, 4, 3, 2, 1, 0);
	const __m512i step = _mm512_set1_epi16(64 * ROW_BYTES / UNIT);
	__m512i base = _mm512_setzero_si512();

	_Static_assert(ROW_BYTES / UNIT == 16, "as the shift has it");
	for (size_t w = 0; w < n_word; w++) {
		__m512i v = _mm512_maskz_compress_epi8(word[w], bytes);
		int n = __builtin_popcountll(word[w]);
		__m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(v));

		_mm512_storeu_si512(to,
			_mm512_add_epi16(_mm512_slli_epi16(low, 4), base));
		if (__builtin_expect(n > 32, 0)) {
			low = _mm512_cvtepu8_epi16(
				_mm512_extracti64x4_epi64(v, 1));
			_mm512_storeu_si512(to + 32,
				_mm512_add_epi16(_mm512_slli_epi16(low, 4),
					base));
		}
		to += n;
		base = _mm512_add_epi16(base, step);
	}
	return to;
}

/* The same where few bits are set. */
INLINE uint16_t *
few_offsets(const uint64_t *word, size_t n_word, uint16_t *to)
{
	for (size_t w = 0; w < n_word; w++)
		for (uint64_t left = word[w]; left; left &= left - 1)
			*to++ = (uint16_t)((64 * w +
						   (size_t)__builtin_ctzll(
							   left)) *
				(ROW_BYTES / UNIT));
	return to;
}

/* Lists of row r for n fields from first on, which are in one chunk; returns
 * the end of the entries. */
AVX512 static uint16_t *
make_lists3(struct rows3 *s, size_t r, const struct vs_panel *a,
	const struct vs_triple_row *pair, size_t first, size_t n, uint16_t *to)
{
	bool even = pair->mode[0] != 1 && pair->mode[1] != 1;
	bool both = pair->mode[0] == 1 && pair->mode[1] == 1;
	size_t n_word = (n + 63) / 64;
	uint16_t *from = to;
	struct masks m;

	split(a, pair, first, n, &m);
	to = offsets(m.one, n_word, to);
	if (!even && !both)
		to = offsets(m.one_more, n_word, to);
	to = cut_list(&s->list, r, ONCE, from, to);
	from = to;
	to = offsets(m.two, n_word, to);
	if (even)
		to = few_offsets(m.two_more, n_word, to);
	else if (!both)
		to = offsets(m.two_more, n_word, to);
	to = cut_list(&s->list, r, even ? TWICE : NOT, from, to);
	/* complements of two bits are 3 too many each */
	s->row[r].extra = even ? 0 : -3 * (int32_t)(to - from);
	return to;
}

/* ---- counters into sums ---- */

/* sums +- counter, 512 columns */
INLINE void
empty3(__m512i counter[PLANES], bool minus, int32_t *sums)
{
	const __m512i none = _mm512_setzero_si512();
	/* v ^ -1 less -1 is -v */
	const __m512i sign = _mm512_set1_epi32(minus ? -1 : 0);
	__m512i low[8], high[8];

	turn_counter(counter, low, high);
	for (int m = 0; m < 8; m++) {
		__m512i pair[2] = { _mm512_unpacklo_epi8(low[m], high[m]),
			_mm512_unpackhi_epi8(low[m], high[m]) };

		for (int k = 0; k < 4; k++, sums += 16) {
			__m512i v = k % 2
				? _mm512_unpackhi_epi16(pair[k / 2], none)
				: _mm512_unpacklo_epi16(pair[k / 2], none);

			v = _mm512_sub_epi32(_mm512_xor_si512(v, sign), sign);
			_mm512_storeu_si512(sums,
				_mm512_add_epi32(v, _mm512_loadu_si512(sums)));
		}
	}
}

#define MOST ((1 << PLANES) - 1)

/* Is the counter of some column out of [lo, hi]? */
INLINE bool
counter_leaves(const __m512i c[PLANES], int32_t lo, int32_t hi)
{
	const __m512i digit = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7,
		6, 5, 4, 3, 2, 1, 0);
	__m512i above = _mm512_setzero_si512(), below = above;
	int32_t not_hi[16], is_lo[16];

	lo = lo > 0 ? lo : 0;
	hi = hi < MOST ? hi : MOST;
	if (lo > hi)
		return true;
	/* the digits of ~hi and of lo, each in all bits of a number */
	_mm512_storeu_si512(not_hi,
		_mm512_srai_epi32(
			_mm512_sllv_epi32(_mm512_set1_epi32(~hi),
				_mm512_sub_epi32(_mm512_set1_epi32(31), digit)),
			31));
	_mm512_storeu_si512(is_lo,
		_mm512_srai_epi32(
			_mm512_sllv_epi32(_mm512_set1_epi32(lo),
				_mm512_sub_epi32(_mm512_set1_epi32(31), digit)),
			31));
	/* from the lowest digit on: a higher one that differs decides */
	UNROLL
	for (int k = 0; k < PLANES; k++) {
		above = _mm512_ternarylogic_epi32(above, c[k],
			_mm512_set1_epi32(not_hi[k]), 0xe8);
		below = _mm512_ternarylogic_epi32(below, c[k],
			_mm512_set1_epi32(is_lo[k]), 0xb2);
	}
	return _mm512_test_epi64_mask(above, above) ||
		_mm512_test_epi64_mask(below, below);
}

/* The same of n sums. */
INLINE bool
sums_leave(const int32_t *sums, size_t n, const struct vs_range *in)
{
	const __m512i lo = _mm512_set1_epi32(in->lo);
	const __m512i hi = _mm512_set1_epi32(in->hi);

	for (size_t k = 0; k < n; k += 16) {
		__m512i v = _mm512_loadu_si512(sums + k);

		if (_mm512_cmplt_epi32_mask(v, lo) |
			_mm512_cmpgt_epi32_mask(v, hi))
			return true;
	}
	return false;
}

/* ---- rows ---- */

/* Empty the counter of a row into its sums, which are there already or not. */
__attribute__((noinline)) AVX512 static void
empty_row(struct row3 *row)
{
	if (!row->begun)
		memset(row->sums, 0, LANES * sizeof(*row->sums));
	empty3(row->counter, row->minus, row->sums);
	row->begun = true;
	row->full = 0;
}

/* 64 fields, twice that often: of rows with a vector in common about four in
 * ten are wanted, which stay in the first cache by each other. */
#define STRETCH 3

/* Pieces of one row, as many as follow one another; returns how many. */
INLINE size_t
count_run(const struct rows3 *s, const struct piece *piece, size_t n,
	const char *fields, struct row3 *row)
{
	static const int32_t most[] = { [ONCE] = 2, [TWICE] = 4, [NOT] = 3 };
	__m512i c[PLANES];
	size_t x = 0;

	UNROLL
	for (int k = 0; k < PLANES; k++)
		c[k] = row->counter[k];
	for (; x < n && piece[x].row == piece[0].row; x++) {
		const uint16_t *at = s->list.entry + piece[x].at;
		unsigned way = piece[x].way, n_block = piece[x].n_block;
		int32_t more = most[way] * (int32_t)(n_block * BLOCK);

		if (row->full + more > MOST)
			break;
		row->full += more;
		if (way == ONCE)
			add_piece(c, 0, 0, fields, at, n_block);
		else if (way == TWICE)
			add_piece(c, 1, 0, fields, at, n_block);
		else
			add_piece(c, 0, 1, fields, at, n_block);
	}
	UNROLL
	for (int k = 0; k < PLANES; k++)
		row->counter[k] = c[k];
	return x;
}

/* Pieces of all rows against the fields of a chunk of a block of columns. */
AVX512 static void
count_pieces3(const struct rows3 *s, const char *fields)
{
	for (size_t x = 0; x < s->list.n_piece;) {
		const struct piece *piece = &s->list.piece[x];
		struct row3 *row = &s->row[piece->row];
		size_t n =
			count_run(s, piece, s->list.n_piece - x, fields, row);

		if (!n)
			empty_row(row);
		x += n;
	}
}

/* A row at the end of a chunk: are its sums wanted? */
AVX512 static bool
end_row(struct row3 *row, bool first, bool last)
{
	const struct vs_range *in = &row->in;
	int32_t extra = row->extra;
	__m512i more;

	if (first && last && !row->begun &&
		!(row->minus ? counter_leaves(row->counter, -in->hi - extra,
				       -in->lo - extra)
			     : counter_leaves(row->counter, in->lo - extra,
				       in->hi - extra)))
		return false;
	empty_row(row);
	more = _mm512_set1_epi32(row->minus ? -extra : extra);
	for (size_t k = 0; k < LANES; k += 16)
		_mm512_storeu_si512(row->sums + k,
			_mm512_add_epi32(more,
				_mm512_loadu_si512(row->sums + k)));
	return last && sums_leave(row->sums, LANES, in);
}

AVX512 static void
count3(const struct vs_panel *a, const struct vs_triple_row *pair, size_t n_row,
	const void *cols, size_t n_col, const struct vs_range *range,
	void *scratch, int32_t *sums, size_t ld, uint64_t *wanted)
{
	size_t n_block = blocks(n_col), n_field = a->vec.n_field;
	struct rows3 s = lay_out3(scratch, n_row, n_field);
	const struct cut *cut = &s.list.cut;

	memset(wanted, 0, n_row * sizeof(*wanted));
	for (size_t c = 0; c < cut->n_chunk; c++) {
		size_t first = c * cut->chunk, n = n_field - first;
		bool last = c + 1 == cut->n_chunk;
		uint16_t *to = s.list.entry;

		s.list.n_piece = 0;
		for (size_t r = 0; r < n_row; r++)
			to = make_lists3(&s, r, a, &pair[r], first,
				last ? n : cut->chunk, to);
		sort_pieces(&s.list, STRETCH);
		for (size_t k = 0; k < n_block; k++) {
			char *block = (char *)cols + k * block_bytes(cut);

			for (size_t r = 0; r < n_row; r++) {
				struct row3 *row = &s.row[r];

				UNROLL
				for (int x = 0; x < PLANES; x++)
					row->counter[x] =
						_mm512_setzero_si512();
				row->in = range[r * n_block + k];
				row->sums = sums + r * ld + k * LANES;
				row->minus = (pair[r].mode[0] == 2) !=
					(pair[r].mode[1] == 2);
				row->begun = c > 0;
				row->full = 0;
			}
			count_pieces3(&s, chunk_rows(block, cut, c));
			for (size_t r = 0; r < n_row; r++)
				wanted[r] |=
					(uint64_t)end_row(&s.row[r], !c, last)
					<< k;
		}
	}
}

extern const struct vs_triple vs_triple_lanes512;
const struct vs_triple vs_triple_lanes512 = { "lanes512", LANES, row_room3,
	count3 };
#endif
