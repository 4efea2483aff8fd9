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

/* Entries of a list, to be added in one way. */
struct list {
	const uint16_t *at;
	unsigned n_block;
	enum way way;
};

/* Most entries of a chunk: what is 2 or 4 may be there twice; what is written
 * behind the last one. */
#define ENTRIES (2 * CHUNK + 2 * BLOCK + 64)

/* A row's lists of one chunk. */
struct lists {
	uint16_t entry[ENTRIES];
	struct list list[2];
	int32_t extra; /* to be added to the counter */
};

static size_t
row_room3(size_t n_field)
{
	(void)n_field;
	return sizeof(struct lists);
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

/* Fill [from, to) up to whole blocks with a row of zeros; returns the end. */
INLINE uint16_t *
close_list(struct list *list, enum way way, const struct cut *cut,
	uint16_t *from, uint16_t *to)
{
	const uint16_t zero = (uint16_t)(cut->chunk * ROW_BYTES / UNIT);

	_mm256_storeu_si256((__m256i *)to, _mm256_set1_epi16((short)zero));
	list->at = from;
	list->way = way;
	list->n_block = (unsigned)((to - from + BLOCK - 1) / BLOCK);
	return from + (size_t)list->n_block * BLOCK;
}

/* Lists of a row for n fields from first on, which are in one chunk. */
AVX512 static void
make_lists3(struct lists *s, const struct vs_panel *a,
	const struct vs_triple_row *row, const struct cut *cut, size_t first,
	size_t n)
{
	bool even = row->mode[0] != 1 && row->mode[1] != 1;
	bool both = row->mode[0] == 1 && row->mode[1] == 1;
	size_t n_word = (n + 63) / 64;
	uint16_t *from = s->entry, *to;
	struct masks m;

	split(a, row, first, n, &m);
	to = offsets(m.one, n_word, from);
	if (!even && !both)
		to = offsets(m.one_more, n_word, to);
	from = close_list(&s->list[0], ONCE, cut, from, to);
	to = offsets(m.two, n_word, from);
	if (even)
		to = few_offsets(m.two_more, n_word, to);
	else if (!both)
		to = offsets(m.two_more, n_word, to);
	close_list(&s->list[1], even ? TWICE : NOT, cut, from, to);
	/* complements of two bits are 3 too many each */
	s->extra = even ? 0 : -3 * (int32_t)(s->list[1].n_block * BLOCK);
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

/* What a call does with one block of columns. */
struct goal {
	struct vs_range in;
	int32_t *sums;
	bool minus;       /* the sign of the counter */
	bool first, last; /* of the chunks */
};

INLINE void
begin_sums(const struct goal *goal, int32_t extra, bool *begun)
{
	__m512i v = _mm512_set1_epi32(goal->minus ? -extra : extra);

	for (size_t k = 0; k < LANES; k += 16)
		_mm512_storeu_si512(goal->sums + k,
			goal->first
				? v
				: _mm512_add_epi32(v,
					  _mm512_loadu_si512(goal->sums + k)));
	*begun = true;
}

/*
 * Lists of a row against the fields of a chunk of a block of columns; whether
 * the sums are wanted, if this is the last. A counter that would overflow is
 * emptied into the sums before.
 */
AVX512 static bool
count_lists(const struct lists *s, const char *fields, const struct goal *goal)
{
	static const int32_t most[] = { [ONCE] = 2, [TWICE] = 4, [NOT] = 3 };
	bool begun = false, minus = goal->minus;
	__m512i c[PLANES];
	int32_t full = 0;

	for (int k = 0; k < PLANES; k++)
		c[k] = _mm512_setzero_si512();
	for (int l = 0; l < 2; l++) {
		const struct list *list = &s->list[l];
		const uint16_t *at = list->at;
		unsigned left = list->n_block, n;

		for (; left; left -= n, at += n * BLOCK) {
			n = left < PIECE / BLOCK ? left : PIECE / BLOCK;
			full += most[list->way] * (int32_t)(n * BLOCK);
			if (full > MOST) {
				if (!begun)
					begin_sums(goal, s->extra, &begun);
				empty3(c, minus, goal->sums);
				full = most[list->way] * (int32_t)(n * BLOCK);
			}
			if (list->way == ONCE)
				add_piece(c, 0, 0, fields, at, n);
			else if (list->way == TWICE)
				add_piece(c, 1, 0, fields, at, n);
			else
				add_piece(c, 0, 1, fields, at, n);
		}
	}
	if (goal->first && goal->last && !begun) {
		const struct vs_range *in = &goal->in;

		if (minus ? !counter_leaves(c, -in->hi - s->extra,
				    -in->lo - s->extra)
			  : !counter_leaves(c, in->lo - s->extra,
				    in->hi - s->extra))
			return false;
		begin_sums(goal, s->extra, &begun);
		empty3(c, minus, goal->sums);
		return true;
	}
	if (!begun)
		begin_sums(goal, s->extra, &begun);
	empty3(c, minus, goal->sums);
	return goal->last && sums_leave(goal->sums, LANES, &goal->in);
}

AVX512 static uint64_t
count3(const struct vs_panel *a, const struct vs_triple_row *row,
	const void *cols, size_t n_col, const struct vs_range *range,
	void *scratch, int32_t *sums)
{
	const struct cut cut = cut_fields(a->vec.n_field);
	struct goal goal = { .minus = (row->mode[0] == 2) !=
			(row->mode[1] == 2) };
	uint64_t wanted = 0;

	for (size_t c = 0; c < cut.n_chunk; c++) {
		size_t first = c * cut.chunk, n = cut.n_field - first;

		make_lists3(scratch, a, row, &cut, first,
			n < cut.chunk ? n : cut.chunk);
		goal.first = !c;
		goal.last = c + 1 == cut.n_chunk;
		for (size_t k = 0; k < blocks(n_col); k++) {
			char *block = (char *)cols + k * block_bytes(&cut);

			goal.in = range[k];
			goal.sums = sums + k * LANES;
			if (count_lists(scratch, field_row(block, &cut, first),
				    &goal))
				wanted |= 1ull << k;
		}
	}
	return wanted;
}

extern const struct vs_triple vs_triple_lanes512;
const struct vs_triple vs_triple_lanes512 = { "lanes512", LANES, row_room3,
	count3 };
#endif
