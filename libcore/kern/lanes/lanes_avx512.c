/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertical addition of bits by AVX-512: a full adder is two VPTERNLOG. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "libcore/base/inline.h"
#include "libcore/kern/lanes/lanes.h"

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))

#define COUNT count_all
#define WORDS __m512i
#define LOAD(p) _mm512_load_si512(p)
#define STORE(p, x) _mm512_store_si512(p, x)
#define ZERO _mm512_setzero_si512()
#define ADD(carry, sum, a, b)                                        \
	do {                                                         \
		const WORDS a_ = a, b_ = b, s_ = sum;                \
		carry = _mm512_ternarylogic_epi64(s_, a_, b_, 0xe8); \
		sum = _mm512_ternarylogic_epi64(s_, a_, b_, 0x96);   \
	} while (0)
#include "libcore/kern/lanes/lanes_count.h"

#define COUNT count_half
#define WORDS __m256i
#define LOAD(p) _mm256_loadu_si256((const void *)(p))
#define STORE(p, x) _mm256_storeu_si256((void *)(p), x)
#define ZERO _mm256_setzero_si256()
#define ADD(carry, sum, a, b)                                        \
	do {                                                         \
		const WORDS a_ = a, b_ = b, s_ = sum;                \
		carry = _mm256_ternarylogic_epi64(s_, a_, b_, 0xe8); \
		sum = _mm256_ternarylogic_epi64(s_, a_, b_, 0x96);   \
	} while (0)
#include "libcore/kern/lanes/lanes_count.h"

TARGET static void
count(const struct vs_lanes_call *c)
{
	if (c->hi - c->lo > VS_LANES_HALF)
		count_all(c, 0);
	else
		count_half(c, c->lo < VS_LANES_HALF ? c->lo : VS_LANES_HALF);
}

/* Bits [from, to) of 64 lanes' counts, as bytes. */
TARGET VS_INLINE __m512i
bytes_of(const uint64_t *count, int from, int to)
{
	__m512i sum = _mm512_setzero_si512();

	for (int k = from; k < to; k++)
		sum = _mm512_mask_add_epi8(sum,
			_cvtu64_mask64(count[VS_LANES_WORDS * k]), sum,
			_mm512_set1_epi8((char)(1 << (k - from))));
	return sum;
}

#define PART(x, k) _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(x, k))
#define PUT(k)                                                         \
	do {                                                           \
		__m512i n = PART(x[0], k);                             \
		if (n_bit > 8)                                         \
			n = _mm512_or_si512(n,                         \
				_mm512_slli_epi32(PART(x[1], k), 8));  \
		if (n_bit > 16)                                        \
			n = _mm512_or_si512(n,                         \
				_mm512_slli_epi32(PART(x[2], k), 16)); \
		if (n_bit > 24)                                        \
			n = _mm512_or_si512(n,                         \
				_mm512_slli_epi32(PART(x[3], k), 24)); \
		_mm512_storeu_si512(out + 64 * w + 16 * k, n);         \
	} while (0)

TARGET static void
take(const uint64_t *count_at, int n_bit, size_t word, int32_t *out)
{
	for (size_t w = 0; w < VS_LANES_TAKEN / 64; w++) {
		const uint64_t *at = count_at + word + w;
		__m512i x[4];

		for (int b = 0; b < 4; b++)
			x[b] = bytes_of(at, 8 * b < n_bit ? 8 * b : n_bit,
				8 * b + 8 < n_bit ? 8 * b + 8 : n_bit);
		PUT(0);
		PUT(1);
		PUT(2);
		PUT(3);
	}
}

extern const struct vs_lanes vs_lanes_avx512;
const struct vs_lanes vs_lanes_avx512 = { "bit-lanes512", VS_CPU_AVX512, 2.5,
	count, take };
#endif
