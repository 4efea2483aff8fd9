/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Products of bytes in tiles. A tile is 16 rows of 64 bytes; one instruction
 * adds to 16 x 16 sums of 32 bits the products of 16 rows and 16 columns over
 * 64 fields, a byte g each. Four such products share the tiles of 32 rows and
 * 32 columns. All fields cost the same, whatever the genotypes: where most of a
 * row's are of one kind, lists of the others are shorter.
 *
 * A tile of columns has the bytes of fields 4 r to 4 r + 3 of 16 columns in its
 * row r. A missing call counts as genotype 0; past the last field rows hold 0,
 * and columns anything.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "libcore/kern/tally.h"

#define TARGET                                                               \
	target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,amx-tile,amx-" \
	       "int8")
#define AMX __attribute__((TARGET))
#define INLINE static inline __attribute__((always_inline, TARGET))

#define SIDE 16   /* rows or columns of a tile */
#define STEP 64   /* fields of a tile */
#define TILE 1024 /* bytes */
#define PAIR (2 * SIDE)
#define LANES (2 * PAIR) /* fewer are for population counts */
#define DEPTH 32 /* tiles of a row that stay in the second cache, all rows' */

static size_t
steps(size_t n_field)
{
	return (n_field + STEP - 1) / STEP;
}

/* Tiles so many fields deep, of n rows or columns, in pairs. */
static size_t
room(size_t n, size_t n_field)
{
	return (n + PAIR - 1) / PAIR * steps(n_field) * 2 * TILE;
}

/* Bytes g of 64 fields by the words that say where it is 1 and 2. */
INLINE __m512i
bytes_of(uint64_t one, uint64_t two)
{
	return _mm512_mask_mov_epi8(
		_mm512_maskz_mov_epi8(one, _mm512_set1_epi8(1)), two,
		_mm512_set1_epi8(2));
}

/* ---- rows ---- */

static inline uint64_t
fields_in(size_t n_field, size_t w)
{
	return n_field >= 64 * w + 64 ? ~0ull
				      : (1ull << (n_field - 64 * w)) - 1;
}

/* Rows in pairs of tiles, step after step; 0 up to whole pairs. */
AMX static void
take_rows(const struct vs_panel *a, size_t row, size_t n_row, int label,
	char *to)
{
	const uint64_t turn = label ? 0 : ~0ull;
	size_t n_field = a->vec.n_field, n_step = steps(n_field);

	if (n_row % PAIR)
		memset(to + n_row / PAIR * n_step * 2 * TILE, 0,
			n_step * 2 * TILE);
	for (size_t r = 0; r < n_row; r++) {
		const uint64_t *h = vs_vec_plane(&a->vec, row + r, 0);
		const uint64_t *p = vs_vec_plane(&a->vec, row + r, 1);
		char *at = to + r / PAIR * n_step * 2 * TILE + r % PAIR * STEP;

		for (size_t w = 0; w < n_step; w++, at += 2 * TILE) {
			uint64_t in = fields_in(n_field, w);

			_mm512_store_si512(at,
				bytes_of(~(h[w] | p[w]) & in,
					h[w] & (p[w] ^ turn) & in));
		}
	}
}

/* ---- columns ---- */

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
 * Eight columns from v on, each second one, n in all: words w to w + 7 of where
 * g is 1 and 2, turned over: a register for each word.
 */
INLINE void
load_eight(const struct vs_panel *b, size_t v, size_t n, size_t w, int label,
	__m512i one[8], __m512i two[8])
{
	for (size_t k = 0; k < 8; k++) {
		__m512i h, p;

		one[k] = two[k] = _mm512_setzero_si512();
		if (2 * k >= n)
			continue;
		h = _mm512_load_si512(vs_vec_plane(&b->vec, v + 2 * k, 0) + w);
		p = _mm512_load_si512(vs_vec_plane(&b->vec, v + 2 * k, 1) + w);
		/* neither h nor p; h & p, and h & ~p for the other label */
		one[k] = _mm512_ternarylogic_epi64(h, h, p, 0x11);
		two[k] = label ? _mm512_and_si512(h, p)
			       : _mm512_andnot_si512(p, h);
	}
	turn_words(one);
	turn_words(two);
}

/*
 * A word each of columns 0, 2 to 14 and 1, 3 to 15, four bits of which belong
 * to a row of a tile: the bits of all columns by row.
 */
INLINE void
turn_fours(__m512i even, __m512i odd, uint64_t row[SIDE])
{
	const __m512i gather = _mm512_set_epi8(63, 55, 47, 39, 31, 23, 15, 7,
		62, 54, 46, 38, 30, 22, 14, 6, 61, 53, 45, 37, 29, 21, 13, 5,
		60, 52, 44, 36, 28, 20, 12, 4, 59, 51, 43, 35, 27, 19, 11, 3,
		58, 50, 42, 34, 26, 18, 10, 2, 57, 49, 41, 33, 25, 17, 9, 1, 56,
		48, 40, 32, 24, 16, 8, 0);
	const __m512i low = _mm512_set1_epi8(15);
	__m512i a = _mm512_permutexvar_epi8(gather, even);
	__m512i b = _mm512_permutexvar_epi8(gather, odd);
	/* rows 0, 2 to 14, and those behind them; low ? first : second */
	__m512i first = _mm512_ternarylogic_epi64(low, a,
		_mm512_slli_epi64(b, 4), 0xca);
	__m512i second = _mm512_ternarylogic_epi64(low, _mm512_srli_epi64(a, 4),
		b, 0xca);

	for (int half = 0; half < 2; half++) {
		const __m512i order = half
			? _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4)
			: _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);

		_mm512_store_si512(row + 8 * half,
			_mm512_permutex2var_epi64(first, order, second));
	}
}

/* Words w to w + 7, as far as there are steps, of a tile's columns. */
AMX static void
take_tile(const struct vs_panel *b, size_t v, size_t n, size_t w, size_t n_step,
	int label, char *to)
{
	__m512i one[2][8], two[2][8];

	for (size_t odd = 0; odd < 2; odd++)
		load_eight(b, v + odd, n > odd ? n - odd : 0, w, label,
			one[odd], two[odd]);
	for (size_t k = 0; k < 8 && w + k < n_step; k++, to += 2 * TILE) {
		_Alignas(64) uint64_t ones[SIDE], twos[SIDE];

		turn_fours(one[0][k], one[1][k], ones);
		turn_fours(two[0][k], two[1][k], twos);
		for (size_t r = 0; r < SIDE; r++)
			_mm512_store_si512(to + r * STEP,
				bytes_of(ones[r], twos[r]));
	}
}

AMX static void
take_cols(const struct vs_panel *b, size_t lo, size_t n_col, int label,
	void *cols)
{
	size_t n_step = steps(b->vec.n_field);

	for (size_t v = 0; v < (n_col + PAIR - 1) / PAIR * PAIR; v += SIDE) {
		size_t n = v < n_col ? n_col - v : 0;
		char *to = (char *)cols + v / PAIR * n_step * 2 * TILE +
			v % PAIR / SIDE * TILE;

		for (size_t w = 0; w < n_step; w += 8)
			take_tile(b, lo + v, n < SIDE ? n : SIDE, w, n_step,
				label, to + w * 2 * TILE);
	}
}

/* ---- counting ---- */

/* All eight tiles whole. */
static const struct config {
	uint8_t palette, start, none[14];
	uint16_t row_bytes[16];
	uint8_t n_row[16];
} config = { 1, 0, { 0 }, { STEP, STEP, STEP, STEP, STEP, STEP, STEP, STEP },
	{ SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE } };

/*
 * n steps of 32 rows and 32 columns. Meanwhile the next columns are called for,
 * some bytes of each step.
 */
struct work {
	const char *row, *col, *ahead;
	size_t n, ahead_bytes;
	bool first; /* else added to the sums that are there */
};

AMX static void
add_steps(const struct work *w, int32_t *p, size_t ld)
{
	const char *row = w->row, *col = w->col, *ahead = w->ahead;
	size_t stride = ld * sizeof(*p);
	int32_t *q = p + SIDE * ld;

	if (w->first) {
		_tile_zero(0);
		_tile_zero(1);
		_tile_zero(2);
		_tile_zero(3);
	} else {
		_tile_loadd(0, p, stride);
		_tile_loadd(1, p + SIDE, stride);
		_tile_loadd(2, q, stride);
		_tile_loadd(3, q + SIDE, stride);
	}
	for (size_t k = 0; k < w->n;
		k++, row += 2 * TILE, col += 2 * TILE, ahead += 2 * TILE) {
		for (size_t x = 0; x < w->ahead_bytes; x += STEP)
			_mm_prefetch(ahead + x, _MM_HINT_T1);
		_tile_loadd(4, row, STEP);
		_tile_loadd(6, col, STEP);
		_tile_loadd(7, col + TILE, STEP);
		_tile_dpbuud(0, 4, 6);
		_tile_dpbuud(1, 4, 7);
		_tile_loadd(5, row + TILE, STEP);
		_tile_dpbuud(2, 5, 6);
		_tile_dpbuud(3, 5, 7);
	}
	_tile_stored(0, p, stride);
	_tile_stored(1, p + SIDE, stride);
	_tile_stored(2, q, stride);
	_tile_stored(3, q + SIDE, stride);
}

/* The same for the last rows, which are fewer than 32. */
static void
add_last(const struct work *w, int32_t *p, size_t ld, size_t n_row)
{
	_Alignas(64) int32_t sum[PAIR * PAIR];

	for (size_t r = 0; r < n_row && !w->first; r++)
		memcpy(sum + r * PAIR, p + r * ld, PAIR * sizeof(*p));
	/* of rows past the last one nothing is asked, but numbers they are */
	memset(sum + n_row * PAIR, 0, (PAIR - n_row) * PAIR * sizeof(*p));
	add_steps(w, sum, PAIR);
	for (size_t r = 0; r < n_row; r++)
		memcpy(p + r * ld, sum + r * PAIR, PAIR * sizeof(*p));
}

AMX static void
count(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld)
{
	size_t n_step = steps(a->vec.n_field), block = n_step * 2 * TILE;
	size_t n_pair = (n_row + PAIR - 1) / PAIR;
	struct work w;

	take_rows(a, row, n_row, label, scratch);
	_tile_loadconfig(&config);
	for (size_t k = 0; k < n_step; k += DEPTH) {
		w.n = n_step - k < DEPTH ? n_step - k : DEPTH;
		w.first = !k;
		w.ahead_bytes = (2 * TILE / n_pair + STEP - 1) / STEP * STEP;
		for (size_t c = col / PAIR * PAIR; c < n_col; c += PAIR) {
			w.row = (const char *)scratch + k * 2 * TILE;
			w.col = (const char *)cols + c / PAIR * block +
				k * 2 * TILE;
			/* past the last there is nothing to call for */
			w.ahead = w.col + (c + PAIR < n_col ? block : 0);
			for (size_t r = 0; r < n_row; r += PAIR) {
				int32_t *sum = p + r * ld + c;

				if (n_row - r >= PAIR)
					add_steps(&w, sum, ld);
				else
					add_last(&w, sum, ld, n_row - r);
				w.row += block;
				w.ahead += w.ahead_bytes;
			}
		}
	}
	_tile_release();
}

extern const struct vs_dense vs_dense_amx;
const struct vs_dense vs_dense_amx = { "amx", VS_CPU_AMX, LANES, room,
	take_cols, room, count };
#endif
