/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Byte dot products for AVX2: one instruction multiplies 32 bytes, one side
 * signed, and adds neighbours in 16 bits, which hold two products of 127;
 * another adds neighbours of these.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "libcore/kern/dots/dots_walk.h"

#define AVX2 __attribute__((target("avx2")))
#define SIDE VS_DOTS_SIDE
#define TILE VS_DOTS_TILE
#define ROWS 4
#define RANGE 8 /* lines of 16 columns that stay in L1 */

/* 4 rows and 16 columns, of one block. */
AVX2 static void
add_lines(const uint8_t *row, const uint8_t *col, size_t apart, size_t n,
	bool first, uint32_t *sum, size_t ld)
{
	const __m256i one = _mm256_set1_epi16(1);
	__m256i s[ROWS][2];

	(void)apart;
#pragma GCC unroll 4
	for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 2
		for (int c = 0; c < 2; c++)
			s[r][c] = first
				? _mm256_setzero_si256()
				: _mm256_load_si256((const __m256i *)(sum +
							    (size_t)r * ld) +
					  c);
	for (size_t g = 0; g < n * SIDE; g++, col += VS_DOTS_LINE) {
		const uint8_t *at = row + g / SIDE * TILE + g % SIDE * 4;
		__m256i a = _mm256_load_si256((const __m256i *)col);
		__m256i b = _mm256_load_si256((const __m256i *)col + 1);

#pragma GCC unroll 4
		for (int r = 0; r < ROWS; r++) {
			__m256i v, x, y;
			int four;

			memcpy(&four, at + r * VS_DOTS_LINE, 4);
			v = _mm256_set1_epi32(four);
			x = _mm256_maddubs_epi16(a, v);
			y = _mm256_maddubs_epi16(b, v);
			x = _mm256_madd_epi16(x, one);
			y = _mm256_madd_epi16(y, one);
			s[r][0] = _mm256_add_epi32(s[r][0], x);
			s[r][1] = _mm256_add_epi32(s[r][1], y);
		}
	}
#pragma GCC unroll 4
	for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 2
		for (int c = 0; c < 2; c++)
			_mm256_store_si256(
				(__m256i *)(sum + (size_t)r * ld) + c, s[r][c]);
}

static void
count(const struct vs_dots_call *k)
{
	vs_dots_walk(k, ROWS, SIDE, RANGE, add_lines);
}

extern const struct vs_dots vs_dots_avx2;
const struct vs_dots vs_dots_avx2 = { "avx2", VS_CPU_AVX2, 127, INT32_MAX,
	1.0 / 28, count };
#endif
