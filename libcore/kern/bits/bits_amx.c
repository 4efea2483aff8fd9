/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit matrix product by byte dot products in AMX tiles: bits become bytes of 0
 * and 1, once for all rows and columns of a call, some fields after the other.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "libcore/base/inline.h"
#include "libcore/kern/bits/bits.h"
#include "libcore/kern/dots/dots.h"

#define AVX512                                                      \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq," \
			      "avx512vbmi")))

extern const struct vs_dots vs_dots_amx;

#define LINE VS_DOTS_LINE
#define LINES 24 /* of a part: bytes of both sides stay in L2 */
#define PLANE (VS_BITS_MOST * LINES * LINE)

#define WORDS 8 /* of each vector, read together */

/* Eight words of sixteen vectors: word k of all of them in x[2 k], x[2 k + 1].
 */
AVX512 VS_INLINE void
transpose(const uint64_t *const word[VS_DOTS_SIDE], size_t w, __m512i x[16])
{
	for (int half = 0; half < 2; half++) {
		__m512i a[8], b[8];

		for (int k = 0; k < 8; k++) {
			const uint64_t *from = word[8 * half + k];

			a[k] = from ? _mm512_loadu_si512(from + w)
				    : _mm512_setzero_si512();
		}
		for (int k = 0; k < 8; k += 2) {
			b[k] = _mm512_unpacklo_epi64(a[k], a[k + 1]);
			b[k + 1] = _mm512_unpackhi_epi64(a[k], a[k + 1]);
		}
		for (int k = 0; k < 2; k++) {
			a[k] = _mm512_shuffle_i64x2(b[k], b[k + 2], 0x88);
			a[k + 2] = _mm512_shuffle_i64x2(b[k], b[k + 2], 0xdd);
			a[k + 4] =
				_mm512_shuffle_i64x2(b[k + 4], b[k + 6], 0x88);
			a[k + 6] =
				_mm512_shuffle_i64x2(b[k + 4], b[k + 6], 0xdd);
		}
		/* 128-bit lanes of words 0 1, 2 3, 4 5, 6 7 of all vectors */
		for (int k = 0; k < 4; k++) {
			x[2 * (2 * (k & 2) / 2 + (k & 1)) + half] =
				_mm512_shuffle_i64x2(a[k], a[k + 4], 0x88);
			x[2 * (2 * (k & 2) / 2 + (k & 1) + 4) + half] =
				_mm512_shuffle_i64x2(a[k], a[k + 4], 0xdd);
		}
	}
}

/* Eight lines of a block of rows. */
AVX512 static void
open_rows(const uint64_t *const word[VS_DOTS_SIDE], size_t w, uint8_t *to)
{
	for (size_t k = 0; k < VS_DOTS_SIDE; k++)
		for (size_t x = 0; x < WORDS; x++)
			_mm512_store_si512(to + x * VS_DOTS_TILE + k * LINE,
				word[k] ? _mm512_maskz_set1_epi8(word[k][w + x],
						  1)
					: _mm512_setzero_si512());
}

/* Masks of four groups of fields of 16 columns, from four bytes of each side by
 * side: their lower or their upper halves. */
AVX512 VS_INLINE __m256i
masks_of(__m512i nibble)
{
	return _mm512_cvtepi16_epi8(
		_mm512_maddubs_epi16(nibble, _mm512_set1_epi16(1 + (16 << 8))));
}

/* Eight lines of a block of columns: groups of four fields of each column. */
AVX512 static void
open_cols(const uint64_t *const word[VS_DOTS_SIDE], size_t w, uint8_t *to)
{
	static const _Alignas(64) uint8_t order[64] = { 0, 8, 16, 24, 32, 40,
		48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 1, 9, 17, 25, 33, 41,
		49, 57, 65, 73, 81, 89, 97, 105, 113, 121, 2, 10, 18, 26, 34,
		42, 50, 58, 66, 74, 82, 90, 98, 106, 114, 122, 3, 11, 19, 27,
		35, 43, 51, 59, 67, 75, 83, 91, 99, 107, 115, 123 };
	const __m512i low = _mm512_set1_epi8(15);
	const __m512i first = _mm512_load_si512(order);
	_Alignas(64) uint64_t mask[WORDS][2][2][4];
	__m512i x[2 * WORDS];

	transpose(word, w, x);
	for (int k = 0; k < WORDS; k++)
		for (int half = 0; half < 2; half++) {
			const __m512i at = _mm512_add_epi8(first,
				_mm512_set1_epi8((char)(4 * half)));
			const __m512i y = _mm512_permutex2var_epi8(x[2 * k], at,
				x[2 * k + 1]);

			_mm256_store_si256((__m256i *)mask[k][half][0],
				masks_of(_mm512_and_si512(y, low)));
			_mm256_store_si256((__m256i *)mask[k][half][1],
				masks_of(_mm512_and_si512(
					_mm512_srli_epi16(y, 4), low)));
		}
	for (size_t k = 0; k < WORDS; k++)
		for (size_t g = 0; g < 16; g++)
			_mm512_store_si512(to + k * VS_DOTS_TILE + g * LINE,
				_mm512_maskz_set1_epi8(
					mask[k][g / 8][g % 2][g / 2 % 4], 1));
}

/* n words of a side, from word w on, padded to pairs of blocks; blocks of a
 * plane are n lines apart. */
AVX512 static void
open_side(const struct vs_bits_side *s, int n_plane, size_t w, size_t n,
	void (*open)(const uint64_t *const word[VS_DOTS_SIDE], size_t w,
		uint8_t *to),
	uint8_t *to)
{
	for (size_t p = 0; p < (size_t)n_plane; p++)
		for (size_t v = 0; v < s->n || v % VS_DOTS_PAIR;
			v += VS_DOTS_SIDE) {
			const uint64_t *word[VS_DOTS_SIDE];
			uint8_t *block = to + p * PLANE + v * n * LINE;

			for (size_t k = 0; k < VS_DOTS_SIDE; k++)
				word[k] = v + k < s->n
					? s->word + p * s->plane +
						(v + k) * s->stride
					: NULL;
			for (size_t x = 0; x < n; x += WORDS)
				open(word, w + x, block + x * VS_DOTS_TILE);
		}
}

static size_t
padded(size_t n)
{
	return (n + VS_DOTS_PAIR - 1) / VS_DOTS_PAIR * VS_DOTS_PAIR;
}

/* All planes of the lines that are open. */
static void
add_lines(const struct vs_bits_call *call, const uint8_t *rows,
	const uint8_t *cols, size_t n_line, bool more)
{
	const size_t n_col = padded(call->col.n);
	const size_t n_plane = (size_t)call->n_plane;

	for (size_t r = 0; r < call->row.n; r += VS_DOTS_PAIR) {
		const int64_t from = call->from + (int64_t)r;
		const size_t c = from > 0
			? (size_t)from / VS_DOTS_PAIR * VS_DOTS_PAIR
			: 0;

		for (size_t k = 0; k < n_plane * n_plane && c < n_col; k++) {
			const size_t p = k / n_plane, q = k % n_plane;
			const struct vs_dots_call part = { .rows = rows +
					p * PLANE + r * n_line * LINE,
				.cols = cols + q * PLANE + c * n_line * LINE,
				.n_row = VS_DOTS_PAIR,
				.n_col = n_col - c,
				.n_line = n_line,
				.sum = (uint32_t *)call->sum +
					(p * VS_BITS_MOST + r) * call->ld +
					q * VS_BITS_MOST + c,
				.ld = call->ld,
				.more = more };

			vs_dots_amx.count(&part);
		}
	}
}

static void
count(const struct vs_bits_call *call)
{
	uint8_t *rows = call->scratch, *cols = rows + VS_BITS_PLANES * PLANE;

	for (size_t w = 0; w < call->n_word; w += LINES) {
		const size_t left = call->n_word - w;
		const size_t n = left < LINES ? left : LINES;

		open_side(&call->row, call->n_plane, w, n, open_rows, rows);
		open_side(&call->col, call->n_plane, w, n, open_cols, cols);
		add_lines(call, rows, cols, n, w > 0);
	}
}

extern const struct vs_bits vs_bits_amx;
const struct vs_bits vs_bits_amx = { "amx", VS_CPU_AMX, 0.06, count };
#endif
