/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertical addition of bits by AVX2: a full adder is five operations; counts
 * are taken from them 32 at a time. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "libcore/kern/lanes/lanes.h"

#define TARGET __attribute__((target("avx2")))

#define COUNT count_half
#define WORDS __m256i
#define LOAD(p) _mm256_load_si256((const void *)(p))
#define STORE(p, x) _mm256_store_si256((void *)(p), x)
#define ZERO _mm256_setzero_si256()
#define ADD(carry, sum, a, b)                                     \
	do {                                                      \
		const WORDS a_ = a, b_ = b, s_ = sum;             \
		const WORDS x_ = _mm256_xor_si256(a_, b_);        \
		carry = _mm256_or_si256(_mm256_and_si256(a_, b_), \
			_mm256_and_si256(x_, s_));                \
		sum = _mm256_xor_si256(x_, s_);                   \
	} while (0)
#include "libcore/kern/lanes/lanes_count.h"

TARGET static void
count(const struct vs_lanes_call *c)
{
	if (c->lo < VS_LANES_HALF)
		count_half(c, 0);
	if (c->hi > VS_LANES_HALF)
		count_half(c, VS_LANES_HALF);
}

/* Bits [from, to) of the counts of 32 lanes, as bytes. half: of words. */
TARGET static __m256i
bytes_of(const uint32_t *half, int from, int to)
{
	const __m256i byte = _mm256_setr_epi64x(0, 0x0101010101010101,
		0x0202020202020202, 0x0303030303030303);
	const __m256i bit = _mm256_set1_epi64x((int64_t)0x8040201008040201);
	__m256i sum = _mm256_setzero_si256();

	for (int k = to; k-- > from;) {
		const __m256i x = _mm256_shuffle_epi8(
			_mm256_set1_epi32(
				(int)half[2 * VS_LANES_WORDS * (size_t)k]),
			byte);

		/* twice, and 1 where the bit is set, which is -1 compared */
		sum = _mm256_sub_epi8(_mm256_add_epi8(sum, sum),
			_mm256_cmpeq_epi8(_mm256_and_si256(x, bit), bit));
	}
	return sum;
}

/* Both halves of x, 16 numbers apart. */
TARGET static void
put(int32_t *out, __m256i x)
{
	_mm_storeu_si128((void *)out, _mm256_castsi256_si128(x));
	_mm_storeu_si128((void *)(out + 16), _mm256_extracti128_si256(x, 1));
}

/* Bytes of 32 lanes side by side to numbers, of 16 bits and then of 32. */
TARGET static void
take(const uint64_t *count, int n_bit, size_t word, int32_t *out)
{
	const uint32_t *half = (const uint32_t *)(count + word);

	for (size_t x = 0; x < VS_LANES_TAKEN / 32; x++, out += 32) {
		__m256i byte[4], low, high;

		for (int b = 0; b < 4; b++)
			byte[b] = 8 * b < n_bit
				? bytes_of(half + x, 8 * b,
					  8 * b + 8 < n_bit ? 8 * b + 8 : n_bit)
				: _mm256_setzero_si256();
		low = _mm256_unpacklo_epi8(byte[0], byte[1]);
		high = _mm256_unpacklo_epi8(byte[2], byte[3]);
		put(out, _mm256_unpacklo_epi16(low, high));
		put(out + 4, _mm256_unpackhi_epi16(low, high));
		low = _mm256_unpackhi_epi8(byte[0], byte[1]);
		high = _mm256_unpackhi_epi8(byte[2], byte[3]);
		put(out + 8, _mm256_unpacklo_epi16(low, high));
		put(out + 12, _mm256_unpackhi_epi16(low, high));
	}
}

extern const struct vs_lanes vs_lanes_avx2;
const struct vs_lanes vs_lanes_avx2 = { "bit-lanes256", VS_CPU_AVX2, 8, count,
	take };
#endif
