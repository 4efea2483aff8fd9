/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Byte dot products for AVX-512 VNNI: one instruction adds the products of four
 * bytes each to 16 sums; the bytes of one side are signed.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#include "libcore/kern/dots/dots_walk.h"

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))
#define SIDE VS_DOTS_SIDE
#define TILE VS_DOTS_TILE
#define PAIR VS_DOTS_PAIR
#define ROWS 8
#define RANGE 8 /* lines of 32 columns that stay in L1 */

/* 8 rows and 32 columns, of two blocks. */
VNNI static void
add_lines(const uint8_t *row, const uint8_t *col, size_t apart, size_t n,
	bool first, uint32_t *sum, size_t ld)
{
	__m512i s[ROWS][2];

#pragma GCC unroll 8
	for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 2
		for (int c = 0; c < 2; c++)
			s[r][c] = first ? _mm512_setzero_si512()
					: _mm512_load_si512(sum +
						  (size_t)r * ld + c * SIDE);
	for (size_t g = 0; g < n * SIDE; g++, col += VS_DOTS_LINE) {
		const uint8_t *at = row + g / SIDE * TILE + g % SIDE * 4;
		__m512i a = _mm512_load_si512(col);
		__m512i b = _mm512_load_si512(col + apart);

#pragma GCC unroll 8
		for (int r = 0; r < ROWS; r++) {
			__m512i v;
			int four;

			memcpy(&four, at + r * VS_DOTS_LINE, 4);
			v = _mm512_set1_epi32(four);
			s[r][0] = _mm512_dpbusd_epi32(s[r][0], a, v);
			s[r][1] = _mm512_dpbusd_epi32(s[r][1], b, v);
		}
	}
#pragma GCC unroll 8
	for (int r = 0; r < ROWS; r++)
#pragma GCC unroll 2
		for (int c = 0; c < 2; c++)
			_mm512_store_si512(sum + (size_t)r * ld + c * SIDE,
				s[r][c]);
}

static void
count(const struct vs_dots_call *k)
{
	vs_dots_walk(k, ROWS, PAIR, RANGE, add_lines);
}

extern const struct vs_dots vs_dots_vnni;
const struct vs_dots vs_dots_vnni = { "vnni", VS_CPU_AVX512ICL, 127, INT32_MAX,
	1.0 / 90, count };
#endif
