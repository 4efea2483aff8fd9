/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Minima kernels for bytes that are all 0 or 1: 64 of them are packed into a
 * lane, whose minima are the bits that both vectors have.
 */
#if defined(__x86_64__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* The first n <= 64 bytes at v, as bits. */
static inline uint64_t
bits_of(const uint8_t *v, size_t n)
{
	uint8_t byte[64] = { 0 };
	uint64_t bits = 0;

	memcpy(byte, v, n);
	for (int k = 0; k < 4; k++) {
		const __m128i x = _mm_loadu_si128((__m128i *)byte + k);

		bits |= (uint64_t)_mm_movemask_epi8(_mm_slli_epi16(x, 7))
			<< 16 * k;
	}
	return bits;
}

#define KERNEL popcnt
#define CPU VS_CPU_POPCNT
#define TARGET __attribute__((target("popcnt")))
#define ONLY_BITS

#define TYPE bit
#define ELEMENT VS_NUM_U8
#define NUMBER uint8_t
#define UNIT uint64_t
#define GROUP 64
#define PACK(v, n) bits_of(v, n)
#define ADD(s, a, b) ((s) + (uint64_t)__builtin_popcountll((a) & (b)))
#define N_ROW 2
#define N_REG 4
#include "libcore/kern/minima/minima_kernel.h"

#undef KERNEL
#undef CPU
#undef TARGET
#define KERNEL avx2
#define CPU VS_CPU_AVX2
#define TARGET __attribute__((target("avx2")))

/* Bits set in each lane of 64, by a table for four bits. */
TARGET static inline __m256i
count_bits(__m256i x)
{
	const __m256i four = _mm256_set1_epi8(15);
	const __m256i table = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
	const __m256i low = _mm256_and_si256(x, four),
		      high = _mm256_and_si256(_mm256_srli_epi16(x, 4), four);

	return _mm256_sad_epu8(_mm256_add_epi8(_mm256_shuffle_epi8(table, low),
				       _mm256_shuffle_epi8(table, high)),
		_mm256_setzero_si256());
}

#define TYPE bit
#define ELEMENT VS_NUM_U8
#define NUMBER uint8_t
#define UNIT uint64_t
#define GROUP 64
#define PACK(v, n) bits_of(v, n)
#define VEC __m256i
#define LANES 4
#define LOAD(p) _mm256_load_si256((const __m256i *)(p))
#define FILL(p) _mm256_set1_epi64x(*(const int64_t *)(p))
#define START(n) _mm256_setzero_si256()
#define ADD(s, a, b) _mm256_add_epi64(s, count_bits(_mm256_and_si256(a, b)))
#define STORE(p, s) _mm256_store_si256((__m256i *)(p), s)
#define N_ROW 4
#define N_REG 2
#include "libcore/kern/minima/minima_kernel.h"
#endif
