/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertical addition of bits by AVX2: a full adder is five operations. */
#if defined(__x86_64__)
#include <immintrin.h>

#include "libcore/kern/lanes/lanes.h"
#include "libcore/kern/lanes/lanes_take.h"

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

extern const struct vs_lanes vs_lanes_avx2;
const struct vs_lanes vs_lanes_avx2 = { "bit-lanes256", VS_CPU_AVX2, 8, count,
	vs_lanes_take_words };
#endif
