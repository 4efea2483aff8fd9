/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs without population counts. A lane is a bit of a 512-bit register and
 * stands for a column: for each field two registers hold the low and the high
 * bit of g of 512 columns. A row names the fields in which its genotype is not
 * its commonest one, its mode; the columns' registers of those fields are
 * summed by full adders (two VPTERNLOG each) into counters that are bit
 * planes themselves, and a counter is turned into integers once in thousands
 * of fields. With y = g - mode of the row,
 *
 *   sum g g' = mode s' + sum y g'        s' the sum of the column
 *
 * and y is 0 in at least a third of the fields, so the work follows the
 * length of the list: two full adders, 2 cycles on two ports, for an entry
 * and 512 pairs. Of the three genotypes those that are not the mode make two
 * lists:
 *
 *   mode 0: g = 1 counts 1, g = 2 counts 2
 *   mode 2: 2 - g counts instead, g = 1 for 1 and g = 0 for 2; then
 *           sum g g' = 2 s' - sum (2 - g) g'
 *   mode 1: g = 2 counts 1, g = 0 counts -1: the counter is complemented
 *           before and behind, since ~(~v + w) = v - w
 *
 * A missing call counts as genotype 0 on both sides.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "libcore/kern/tally.h"

#define TARGET                                                              \
	target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2," \
	       "gfni,popcnt,bmi,bmi2")
#define AVX512 __attribute__((TARGET))
#define INLINE static inline __attribute__((always_inline, TARGET))

#define LANES 512
#define ROW_BYTES 128 /* of a field: two registers */
/*
 * Fields of a chunk: its registers stay in the first caches while all rows
 * pass over it, and their byte offsets fit 16 bits. One more, all zero, fills
 * lists up to whole blocks.
 */
#define CHUNK 384
#define CHUNK_BYTES ((CHUNK + 1) * ROW_BYTES)
#define ZERO_ROW (CHUNK * ROW_BYTES)
/*
 * A counter has 14 planes. A chunk adds at most 4 a field, and with a mode of
 * 1 at least -2, so 4095 fields fit: 10 chunks.
 */
#define PLANES 14
#define TURN 10
#define BLOCK 16 /* entries that a list is filled up to */
/* Most entries of a list in a chunk. */
#define LIST (CHUNK + BLOCK)

static size_t
chunks(size_t n_field)
{
	return (n_field + CHUNK - 1) / CHUNK;
}

static size_t
blocks(size_t n_col)
{
	return (n_col + LANES - 1) / LANES;
}

/* A block of 512 columns: their sums, then chunk after chunk of fields. */
static size_t
block_bytes(size_t n_field)
{
	return LANES * sizeof(int32_t) + chunks(n_field) * CHUNK_BYTES;
}

static size_t
col_room(size_t n_col, size_t n_field)
{
	return blocks(n_col) * block_bytes(n_field);
}

/* ---- columns: 512 vectors x fields turned into fields x 512 lanes ---- */

/* 8 x 8 of 64-bit words. */
INLINE void
turn_words(__m512i r[8])
{
	__m512i t[8], u[8];

	for (int k = 0; k < 8; k += 2) {
		t[k] = _mm512_unpacklo_epi64(r[k], r[k + 1]);
		t[k + 1] = _mm512_unpackhi_epi64(r[k], r[k + 1]);
	}
	for (int k = 0; k < 2; k++)
		for (int h = 0; h < 2; h++) {
			u[4 * h + k] = _mm512_shuffle_i64x2(t[4 * h + k],
				t[4 * h + 2 + k], 0x88);
			u[4 * h + 2 + k] = _mm512_shuffle_i64x2(t[4 * h + k],
				t[4 * h + 2 + k], 0xdd);
		}
	for (int k = 0; k < 4; k++) {
		r[k] = _mm512_shuffle_i64x2(u[k], u[4 + k], 0x88);
		r[4 + k] = _mm512_shuffle_i64x2(u[k], u[4 + k], 0xdd);
	}
}

/*
 * 8 vectors x 64 fields, a word each, into 64 bytes: byte f holds field f of
 * the 8 vectors. Bytes are brought together by field, and each 8 x 8 bits
 * turned over: as a matrix applied to the unit vectors.
 */
INLINE __m512i
turn_bits(__m512i v)
{
	const __m512i units = _mm512_set1_epi64(0x8040201008040201);
	const __m512i gather = _mm512_set_epi8(7, 15, 23, 31, 39, 47, 55, 63, 6,
		14, 22, 30, 38, 46, 54, 62, 5, 13, 21, 29, 37, 45, 53, 61, 4,
		12, 20, 28, 36, 44, 52, 60, 3, 11, 19, 27, 35, 43, 51, 59, 2,
		10, 18, 26, 34, 42, 50, 58, 1, 9, 17, 25, 33, 41, 49, 57, 0, 8,
		16, 24, 32, 40, 48, 56);

	return _mm512_gf2p8affine_epi64_epi8(units,
		_mm512_permutexvar_epi8(gather, v), 0);
}

/*
 * 8 registers of 64 bytes by field into 8 registers whose word 2 L + h of
 * register m holds the 8 bytes of field 16 L + 2 m + h.
 */
INLINE void
turn_bytes(__m512i r[8])
{
	__m512i t[8];

	for (int k = 0; k < 8; k += 2) {
		t[k] = _mm512_unpacklo_epi8(r[k], r[k + 1]);
		t[k + 1] = _mm512_unpackhi_epi8(r[k], r[k + 1]);
	}
	for (int k = 0; k < 8; k += 4)
		for (int h = 0; h < 2; h++) {
			r[k + 2 * h] =
				_mm512_unpacklo_epi16(t[k + h], t[k + 2 + h]);
			r[k + 2 * h + 1] =
				_mm512_unpackhi_epi16(t[k + h], t[k + 2 + h]);
		}
	for (int k = 0; k < 4; k++) {
		t[2 * k] = _mm512_unpacklo_epi32(r[k], r[4 + k]);
		t[2 * k + 1] = _mm512_unpackhi_epi32(r[k], r[4 + k]);
	}
	for (int k = 0; k < 8; k++)
		r[k] = t[k];
}

/* 512 fields of 8 vectors: eight registers by field, for each 64 fields. */
INLINE void
load_eight(const struct vs_panel *b, size_t lo, size_t n, size_t w, int label,
	int high, __m512i to[8])
{
	for (size_t k = 0; k < 8; k++) {
		__m512i h, p;

		to[k] = _mm512_setzero_si512();
		if (k >= n)
			continue;
		h = _mm512_load_si512(vs_vec_plane(&b->vec, lo + k, 0) + w);
		p = _mm512_load_si512(vs_vec_plane(&b->vec, lo + k, 1) + w);
		/* g = 2: h & p, and h & ~p for the other label;
		 * g = 1: neither h nor p, and so the padding of a plane */
		to[k] = !high   ? _mm512_ternarylogic_epi64(h, h, p, 0x11)
			: label ? _mm512_and_si512(h, p)
				: _mm512_andnot_si512(p, h);
	}
	turn_words(to);
	for (int k = 0; k < 8; k++)
		to[k] = turn_bits(to[k]);
}

/* Where a field's registers stand within a block. */
static inline char *
field_row(char *block, size_t f)
{
	return block + LANES * sizeof(int32_t) + f / CHUNK * CHUNK_BYTES +
		f % CHUNK * ROW_BYTES;
}

AVX512 static void
take_fields(const struct vs_panel *b, size_t lo, size_t n_col, size_t w,
	int label, int high, char *block)
{
	__m512i by_word[8][64], by_lane[8][8];
	size_t n_field = b->vec.n_field;

	for (size_t g = 0; g < 64; g++) {
		__m512i t[8];

		load_eight(b, lo + 8 * g, n_col > 8 * g ? n_col - 8 * g : 0, w,
			label, high, t);
		for (int k = 0; k < 8; k++)
			by_word[k][g] = t[k];
	}
	for (size_t k = 0; k < 8; k++) {
		size_t first = 64 * (w + k);

		if (first >= n_field)
			break;
		for (int g = 0; g < 8; g++) {
			__m512i t[8];

			memcpy(t, &by_word[k][8 * g], sizeof(t));
			turn_bytes(t);
			for (int m = 0; m < 8; m++)
				by_lane[m][g] = t[m];
		}
		for (size_t m = 0; m < 8; m++) {
			turn_words(by_lane[m]);
			for (size_t q = 0; q < 8; q++) {
				size_t f = first + 16 * (q / 2) + 2 * m + q % 2;

				if (f < n_field)
					_mm512_store_si512(field_row(block, f) +
							high * 64,
						by_lane[m][q]);
			}
		}
	}
}

AVX512 static void
take_cols(const struct vs_panel *b, size_t lo, size_t n_col, int label,
	void *cols)
{
	size_t n_field = b->vec.n_field;

	for (size_t k = 0; k < blocks(n_col); k++) {
		char *block = (char *)cols + k * block_bytes(n_field);
		size_t at = k * LANES;
		size_t n = n_col - at < LANES ? n_col - at : LANES;

		memset(block, 0, LANES * sizeof(int32_t));
		for (size_t v = 0; v < n; v++)
			((int32_t *)block)[v] =
				vs_panel_sum(b, lo + at + v, label);
		for (size_t w = 0; w < b->vec.n_word; w += 8)
			for (int high = 0; high < 2; high++)
				take_fields(b, lo + at, n, w, label, high,
					block);
		for (size_t c = 0; c < chunks(n_field); c++)
			memset(field_row(block, c * CHUNK) + ZERO_ROW, 0,
				ROW_BYTES);
	}
}

/* ---- rows: lists of the fields that are not the mode ---- */

struct list {
	uint16_t n1, n2; /* whole blocks of entries */
	uint16_t at[2 * LIST];
};

struct row {
	__m512i counter[PLANES];
	int mode;
	struct list list[TURN];
};

static size_t
row_room(size_t n_row, size_t n_field)
{
	(void)n_field;
	return n_row * sizeof(struct row);
}

/* Offsets of the set bits of a plane's word-pairs, filled up with ZERO_ROW. */
INLINE uint16_t
entries(const uint32_t *plane, size_t n_word, uint16_t *to)
{
	__m512i at = _mm512_mullo_epi16(_mm512_set_epi16(31, 30, 29, 28, 27, 26,
						25, 24, 23, 22, 21, 20, 19, 18,
						17, 16, 15, 14, 13, 12, 11, 10,
						9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
		_mm512_set1_epi16(ROW_BYTES));
	const __m512i step = _mm512_set1_epi16(32 * ROW_BYTES);
	uint16_t *end = to;

	for (size_t w = 0; w < n_word; w++) {
		_mm512_storeu_si512(end,
			_mm512_maskz_compress_epi16(plane[w], at));
		end += __builtin_popcount(plane[w]);
		at = _mm512_add_epi16(at, step);
	}
	_mm256_storeu_si256((__m256i *)end, _mm256_set1_epi16((short)ZERO_ROW));
	return (uint16_t)((end - to + BLOCK - 1) / BLOCK);
}

/* Lists of chunk c of a vector. */
INLINE void
make_list(const uint64_t *h, const uint64_t *p, int label, int mode,
	size_t n_field, size_t c, struct list *list)
{
	size_t first = c * CHUNK / 32;
	size_t n = n_field - c * CHUNK < CHUNK ? n_field - c * CHUNK : CHUNK;
	size_t n_word = (n + 31) / 32;
	uint32_t one[CHUNK / 32], two[CHUNK / 32];

	for (size_t w = 0; w < n_word; w++) {
		uint32_t a = ((const uint32_t *)h)[first + w];
		uint32_t b = ((const uint32_t *)p)[first + w];
		uint32_t in = n - 32 * w < 32 ? (1u << (n - 32 * w)) - 1 : ~0u;
		uint32_t g2 = a & (label ? b : ~b), g1 = ~(a | b) & in,
			 g0 = ~(g1 | g2) & in;

		one[w] = mode == 1 ? g2 : g1;
		two[w] = mode == 0 ? g2 : g0;
	}
	list->n1 = entries(one, n_word, list->at);
	list->n2 = entries(two, n_word, list->at + list->n1 * BLOCK);
}

/* The commonest genotype, missing counted as 0, from the sum and the bits. */
static int
mode_of(const struct vs_panel *a, size_t v, int label)
{
	const uint64_t *h = vs_vec_plane(&a->vec, v, 0);
	const uint64_t *p = vs_vec_plane(&a->vec, v, 1);
	int64_t n = (int64_t)a->vec.n_field, n2 = 0, n1, n0;

	for (size_t w = 0; w < a->vec.n_word; w++)
		n2 += __builtin_popcountll(h[w] & (label ? p[w] : ~p[w]));
	n1 = vs_panel_sum(a, v, label) - 2 * n2;
	n0 = n - n1 - n2;
	return n0 >= n1 && n0 >= n2 ? 0 : n2 >= n1 ? 2 : 1;
}

/* ---- counting ---- */

/* Add b and d to the plane *s; the carry comes back. maj(a, b, d) in terms
 * of the new sum, so that no register is copied. */
INLINE __m512i
add(__m512i *s, __m512i b, __m512i d)
{
	*s = _mm512_ternarylogic_epi64(*s, b, d, 0x96);
	return _mm512_ternarylogic_epi64(b, *s, d, 0xb2);
}

/* Add b alone. */
INLINE __m512i
bump(__m512i *s, __m512i b)
{
	__m512i carry = _mm512_and_si512(*s, b);

	*s = _mm512_xor_si512(*s, b);
	return carry;
}

/* Three carries into plane k and on to the last. */
INLINE void
ripple(__m512i c[PLANES], const int k, const __m512i w[3])
{
	__m512i d = add(&c[k], w[0], w[1]);
	__m512i e = bump(&c[k], w[2]);

	d = add(&c[k + 1], d, e);
	for (int x = k + 2; x < PLANES; x++)
		d = bump(&c[x], d);
}

/* Four entries at plane k; three carries at plane k + 2. */
INLINE void
add4(__m512i c[PLANES], const int k, const char *rows, const uint16_t *at,
	__m512i w[3])
{
#define LOW(x) _mm512_load_si512(rows + at[x])
#define HIGH(x) _mm512_load_si512(rows + at[x] + 64)
	__m512i t = add(&c[k], LOW(0), LOW(1)), u;

	w[0] = add(&c[k + 1], HIGH(0), HIGH(1));
	u = add(&c[k], LOW(2), LOW(3));
	w[1] = add(&c[k + 1], HIGH(2), HIGH(3));
	w[2] = add(&c[k + 1], t, u);
#undef LOW
#undef HIGH
}

/* Twice as many entries leave three carries one plane up. */
#define DOUBLE(twice, once, n, plane)                                       \
	INLINE void twice(__m512i c[PLANES], const int k, const char *rows, \
		const uint16_t *at, __m512i w[3])                           \
	{                                                                   \
		__m512i a[3], b[3];                                         \
                                                                            \
		once(c, k, rows, at, a);                                    \
		w[0] = add(&c[k + plane], a[0], a[1]);                      \
		once(c, k, rows, at + n, b);                                \
		w[1] = add(&c[k + plane], a[2], b[0]);                      \
		w[2] = add(&c[k + plane], b[1], b[2]);                      \
	}
DOUBLE(add8, add4, 4, 2)
DOUBLE(add16, add8, 8, 3)
DOUBLE(add32, add16, 16, 4)
DOUBLE(add64, add32, 32, 5)

/* A list of n whole blocks, each entry counting 2^k. */
INLINE void
add_list(__m512i c[PLANES], const int k, const char *rows, const uint16_t *at,
	unsigned n)
{
	__m512i w[3];

	for (; n >= 4; n -= 4, at += 64) {
		add64(c, k, rows, at, w);
		ripple(c, k + 6, w);
	}
	if (n & 2) {
		add32(c, k, rows, at, w);
		ripple(c, k + 5, w);
		at += 32;
	}
	if (n & 1) {
		add16(c, k, rows, at, w);
		ripple(c, k + 4, w);
	}
}

AVX512 static void
count_chunk(struct row *r, const struct list *list, const char *rows)
{
	const uint16_t *one = list->at, *two = one + list->n1 * BLOCK;
	__m512i c[PLANES];

	for (int k = 0; k < PLANES; k++)
		c[k] = r->counter[k];
	add_list(c, 0, rows, one, list->n1);
	if (r->mode != 1) {
		add_list(c, 1, rows, two, list->n2);
	} else {
		for (int k = 0; k < PLANES; k++)
			c[k] = _mm512_xor_si512(c[k], _mm512_set1_epi8(-1));
		add_list(c, 0, rows, two, list->n2);
		for (int k = 0; k < PLANES; k++)
			c[k] = _mm512_xor_si512(c[k], _mm512_set1_epi8(-1));
	}
	for (int k = 0; k < PLANES; k++)
		r->counter[k] = c[k];
}

/* ---- counters into integers ---- */

/*
 * 8 planes of 512 lanes into 512 bytes, in register m the lanes of bytes
 * 16 L + 2 m and 16 L + 2 m + 1 of each 16 of a plane.
 */
INLINE void
turn_planes(__m512i r[8])
{
	const __m512i units = _mm512_set1_epi64(0x8040201008040201);

	turn_bytes(r);
	for (int k = 0; k < 8; k++)
		r[k] = _mm512_gf2p8affine_epi64_epi8(units, r[k], 0);
}

/* Counter of a row as 512 integers, added to what the mode alone gives. */
AVX512 static void
empty(struct row *r, const int32_t *sums, int first, int32_t *p)
{
	__m512i low[8], high[8];
	int factor = first ? r->mode : 0, minus = r->mode == 2;

	/* bit 7 of a byte comes first in the matrix: planes in falling order */
	for (int k = 0; k < 8; k++) {
		low[k] = r->counter[7 - k];
		/* a mode of 1 makes negative counts: the sign goes on */
		high[k] = 15 - k < PLANES ? r->counter[15 - k]
			: r->mode == 1    ? r->counter[PLANES - 1]
					  : _mm512_setzero_si512();
	}
	turn_planes(low);
	turn_planes(high);
	for (int m = 0; m < 8; m++) {
		/* bytes of a lane side by side; 128 bits hold 16 lanes */
		__m512i even = _mm512_unpacklo_epi8(low[m], high[m]);
		__m512i odd = _mm512_unpackhi_epi8(low[m], high[m]);

		for (int l = 0; l < 4; l++) {
			size_t lane = 8 * (size_t)(16 * l + 2 * m);
			__m128i e = l == 0 ? _mm512_extracti32x4_epi32(even, 0)
				: l == 1   ? _mm512_extracti32x4_epi32(even, 1)
				: l == 2   ? _mm512_extracti32x4_epi32(even, 2)
					   : _mm512_extracti32x4_epi32(even, 3);
			__m128i o = l == 0 ? _mm512_extracti32x4_epi32(odd, 0)
				: l == 1   ? _mm512_extracti32x4_epi32(odd, 1)
				: l == 2   ? _mm512_extracti32x4_epi32(odd, 2)
					   : _mm512_extracti32x4_epi32(odd, 3);
			__m512i v =
				_mm512_cvtepi16_epi32(_mm256_set_m128i(o, e));
			__m512i base = first ? _mm512_setzero_si512()
					     : _mm512_loadu_si512(p + lane);

			base = _mm512_add_epi32(base,
				_mm512_mullo_epi32(_mm512_set1_epi32(factor),
					_mm512_loadu_si512(sums + lane)));
			v = minus ? _mm512_sub_epi32(base, v)
				  : _mm512_add_epi32(base, v);
			_mm512_storeu_si512(p + lane, v);
		}
	}
	for (int k = 0; k < PLANES; k++)
		r->counter[k] = _mm512_setzero_si512();
}

AVX512 static void
count(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld)
{
	size_t n_field = a->vec.n_field, n_chunk = chunks(n_field);
	struct row *rows = scratch;

	for (size_t r = 0; r < n_row; r++) {
		memset(rows[r].counter, 0, sizeof(rows[r].counter));
		rows[r].mode = mode_of(a, row + r, label);
	}
	for (size_t c0 = 0; c0 < n_chunk; c0 += TURN) {
		size_t c1 = n_chunk - c0 < TURN ? n_chunk : c0 + TURN;

		for (size_t r = 0; r < n_row; r++)
			for (size_t c = c0; c < c1; c++)
				make_list(vs_vec_plane(&a->vec, row + r, 0),
					vs_vec_plane(&a->vec, row + r, 1),
					label, rows[r].mode, n_field, c,
					&rows[r].list[c - c0]);
		for (size_t b = col / LANES; b < blocks(n_col); b++) {
			char *block = (char *)cols + b * block_bytes(n_field);

			for (size_t c = c0; c < c1; c++)
				for (size_t r = 0; r < n_row; r++)
					count_chunk(&rows[r],
						&rows[r].list[c - c0],
						field_row(block, c * CHUNK));
			for (size_t r = 0; r < n_row; r++)
				empty(&rows[r], (const int32_t *)block, !c0,
					p + r * ld + b * LANES);
		}
	}
}

extern const struct vs_dense vs_dense_lanes512;
const struct vs_dense vs_dense_lanes512 = { "lanes512", VS_CPU_AVX512ICL, LANES,
	col_room, take_cols, row_room, count };
#endif
