/* SPDX-License-Identifier: BSD-3-Clause */
/* List of the fields whose bits are set in one row, or in two. */
#include "libcore/kern/lanes/lanes.h"

static size_t
list_words(const uint64_t *a, const uint64_t *b, size_t n_word, uint32_t first,
	uint32_t *field)
{
	size_t n = 0;

	for (size_t w = 0; w < n_word; w++)
		for (uint64_t x = b ? a[w] & b[w] : a[w]; x; x &= x - 1)
			field[n++] = first + (uint32_t)(64 * w) +
				(uint32_t)__builtin_ctzll(x);
	return n;
}

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET                                                         \
	__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2," \
			      "avx512dq,popcnt")))

/* Fields of 16 of the numbers that were moved together. */
#define PUT(k)                                \
	_mm512_storeu_si512(to + 16 * (k),    \
		_mm512_add_epi32(at,          \
			_mm512_cvtepu8_epi32( \
				_mm512_extracti32x4_epi32(bit, k))))

/*
 * VPCOMPRESSB packs the numbers of a word's set bits. Half of a word is always
 * stored in full, since no branch could predict how many there are.
 */
TARGET static size_t
list_compress(const uint64_t *a, const uint64_t *b, size_t n_word,
	uint32_t first, uint32_t *field)
{
	static const _Alignas(64) uint8_t number[64] = { 0, 1, 2, 3, 4, 5, 6, 7,
		8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
		24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
		40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55,
		56, 57, 58, 59, 60, 61, 62, 63 };
	const __m512i all = _mm512_load_si512(number);
	const __m512i word = _mm512_set1_epi32(64);
	__m512i at = _mm512_set1_epi32((int)first);
	uint32_t *to = field;

	for (size_t w = 0; w < n_word; w++) {
		const uint64_t x = b ? a[w] & b[w] : a[w];
		const size_t n = (size_t)__builtin_popcountll(x);
		const __m512i bit =
			_mm512_maskz_compress_epi8(_cvtu64_mask64(x), all);

		PUT(0);
		PUT(1);
		if (__builtin_expect(n > 32, 0)) {
			PUT(2);
			PUT(3);
		}
		at = _mm512_add_epi32(at, word);
		to += n;
	}
	return (size_t)(to - field);
}
#endif

size_t
vs_lanes_list(enum vs_cpu cpu, const uint64_t *a, const uint64_t *b,
	size_t n_word, uint32_t first, uint32_t *field)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512ICL)
		return list_compress(a, b, n_word, first, field);
#endif
	(void)cpu;
	return list_words(a, b, n_word, first, field);
}
