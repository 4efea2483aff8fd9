/* SPDX-License-Identifier: BSD-3-Clause */
/* Population counts of the planes of a pair by nibbles, Mula's method. */
#include "libcore/kern/joint_moments.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i
words(const uint64_t *p)
{
	return _mm256_loadu_si256((const __m256i *)p);
}

/* Bits of each byte, `weight` each, by a table look-up of nibbles (Mula's
 * method). */
AVX2 static inline __m256i
bits_of(__m256i x, __m256i weight)
{
	const __m256i low = _mm256_set1_epi8(15);

	return _mm256_add_epi8(
		_mm256_shuffle_epi8(weight, _mm256_and_si256(x, low)),
		_mm256_shuffle_epi8(weight,
			_mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
}

/* The table of weight 1. */
AVX2 static inline __m256i
bits_once(void)
{
	return _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
		0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
}

/* Bits of each 64-bit lane. */
AVX2 static inline __m256i
lanes(__m256i bytes)
{
	return _mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

AVX2 static inline int64_t
total(__m256i sum)
{
	const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sum),
		_mm256_extracti128_si256(sum, 1));

	return _mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1);
}

/*
 * Products of each byte's copies: 1, 2 or 4, which is a bit where both vectors
 * have a copy, one more where one of them has two, three more where both have.
 */
AVX2 static inline __m256i
products(__m256i low_a, __m256i up_a, __m256i low_b, __m256i up_b)
{
	const __m256i once = bits_once(),
		      thrice = _mm256_add_epi8(once,
			      _mm256_add_epi8(once, once)),
		      one = _mm256_xor_si256(_mm256_and_si256(low_a, up_b),
			      _mm256_and_si256(up_a, low_b));

	return _mm256_add_epi8(
		_mm256_add_epi8(bits_of(_mm256_and_si256(low_a, low_b), once),
			bits_of(one, once)),
		bits_of(_mm256_and_si256(up_a, up_b), thrice));
}

AVX2 int64_t
vs_joint_moments_product_nibbles(const uint64_t *a, const uint64_t *b,
	size_t n_word)
{
	__m256i sum = _mm256_setzero_si256();

	for (size_t w = 0; w < n_word; w += 4) {
		const __m256i low_a = words(a + n_word + w),
			      low_b = words(b + n_word + w);

		sum = _mm256_add_epi64(sum,
			lanes(products(low_a,
				_mm256_and_si256(low_a, words(a + w)), low_b,
				_mm256_and_si256(low_b, words(b + w)))));
	}
	return total(sum);
}

AVX2 struct vs_joint_packed
vs_joint_moments_count_nibbles(const uint64_t *a, const uint64_t *b,
	size_t apart, size_t n)
{
	const __m256i once = bits_once();
	__m256i low = _mm256_setzero_si256(), high = low;

	for (size_t w = 0; w < n; w += 4) {
		const __m256i x0 = words(a + w), x1 = words(a + apart + w),
			      y0 = words(b + w), y1 = words(b + apart + w),
			      no_a = _mm256_andnot_si256(x1, x0),
			      no_b = _mm256_andnot_si256(y1, y0),
			      low_a = _mm256_andnot_si256(no_b, x1),
			      low_b = _mm256_andnot_si256(no_a, y1),
			      up_a = _mm256_and_si256(low_a, x0),
			      up_b = _mm256_and_si256(low_b, y0);
		const __m256i of[] = {
			bits_of(_mm256_or_si256(no_a, no_b), once),
			bits_of(low_a, once),
			bits_of(up_a, once),
			bits_of(low_b, once),
			bits_of(up_b, once),
			products(low_a, up_a, low_b, up_b),
		};

		low = _mm256_add_epi64(low,
			_mm256_or_si256(
				_mm256_or_si256(lanes(of[0]),
					_mm256_slli_epi64(lanes(of[1]), 16)),
				_mm256_or_si256(
					_mm256_slli_epi64(lanes(of[2]), 32),
					_mm256_slli_epi64(lanes(of[3]), 48))));
		high = _mm256_add_epi64(high,
			_mm256_or_si256(lanes(of[4]),
				_mm256_slli_epi64(lanes(of[5]), 16)));
	}
	return (struct vs_joint_packed){ (uint64_t)total(low),
		(uint64_t)total(high) };
}

#endif

bool
vs_joint_moments_by_nibbles(enum vs_cpu cpu)
{
	return cpu >= VS_CPU_AVX2 && cpu < VS_CPU_AVX512ICL;
}
