/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Population-count pair kernel for AVX2. Bits are counted in nibbles by a table
 * look-up within a register (Mula's method), into bytes.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>

#include "libcore/base/inline.h"

#define KERNEL avx2
#define KERNEL_CPU VS_CPU_AVX2
#define KERNEL_TARGET __attribute__((target("avx2")))
#define STEPS 31 /* at most 8 per byte */
typedef __m256i word;
typedef uint8_t part __attribute__((vector_size(32)));

KERNEL_TARGET VS_INLINE part
bits_of(word w)
{
	const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2,
		3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(15);

	return (part)_mm256_shuffle_epi8(table, _mm256_and_si256(w, low)) +
		(part)_mm256_shuffle_epi8(table,
			_mm256_and_si256(_mm256_srli_epi16(w, 4), low));
}

KERNEL_TARGET VS_INLINE int32_t
total(part n)
{
	__m256i w = _mm256_sad_epu8((__m256i)n, _mm256_setzero_si256());
	__m128i x = _mm_add_epi64(_mm256_castsi256_si128(w),
		_mm256_extracti128_si256(w, 1));

	return _mm_cvtsi128_si32(x) + _mm_extract_epi32(x, 2);
}

#include "libcore/kern/pair/counts.h"
#endif
