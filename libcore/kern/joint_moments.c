/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of a pair by population counts of its planes. */
#include "libcore/kern/joint_moments.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* A missing call has only bit 0 set, one copy only bit 1, two copies both. */
VS_INLINE void
count_any(const uint64_t *const a[2], const uint64_t *const b[2], size_t n_word,
	int64_t sum[6])
{
	int64_t missing = 0, one_a = 0, two_a = 0, one_b = 0, two_b = 0;
	int64_t product = 0;

#pragma omp simd reduction(+ : missing, one_a, two_a, one_b, two_b, product)
	for (size_t w = 0; w < n_word; w++) {
		const uint64_t no_a = a[0][w] & ~a[1][w];
		const uint64_t no_b = b[0][w] & ~b[1][w];
		const uint64_t low_a = a[1][w] & ~no_b, up_a = low_a & a[0][w];
		const uint64_t low_b = b[1][w] & ~no_a, up_b = low_b & b[0][w];

		missing += __builtin_popcountll(no_a | no_b);
		one_a += __builtin_popcountll(low_a);
		two_a += __builtin_popcountll(up_a);
		one_b += __builtin_popcountll(low_b);
		two_b += __builtin_popcountll(up_b);
		/* copies are the sum of both bits */
		product += __builtin_popcountll(low_a & low_b) +
			__builtin_popcountll(low_a & up_b) +
			__builtin_popcountll(up_a & low_b) +
			__builtin_popcountll(up_a & up_b);
	}
	sum[0] = missing;
	sum[1] = one_a - two_a;
	sum[2] = two_a;
	sum[3] = one_b - two_b;
	sum[4] = two_b;
	sum[5] = product;
}

VS_BY_POPCNT(void, count, (a, b, n_word, sum), const uint64_t *const a[2],
	const uint64_t *const b[2], size_t n_word, int64_t sum[6])

VS_INLINE int64_t
product_any(const uint64_t *const a[2], const uint64_t *const b[2],
	size_t n_word)
{
	int64_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t w = 0; w < n_word; w++) {
		const uint64_t low_a = a[1][w], up_a = low_a & a[0][w];
		const uint64_t low_b = b[1][w], up_b = low_b & b[0][w];

		sum += __builtin_popcountll(low_a & low_b) +
			__builtin_popcountll(low_a & up_b) +
			__builtin_popcountll(up_a & low_b) +
			__builtin_popcountll(up_a & up_b);
	}
	return sum;
}

VS_BY_POPCNT(int64_t, product, (a, b, n_word), const uint64_t *const a[2],
	const uint64_t *const b[2], size_t n_word)

#if defined(__x86_64__)
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

AVX2 static inline void
add_bytes(__m256i *sum, __m256i bytes)
{
	*sum = _mm256_add_epi64(*sum,
		_mm256_sad_epu8(bytes, _mm256_setzero_si256()));
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

AVX2 static int64_t
product_avx2(const uint64_t *const a[2], const uint64_t *const b[2],
	size_t n_word)
{
	__m256i sum = _mm256_setzero_si256();

	for (size_t w = 0; w < n_word; w += 4) {
		const __m256i low_a = words(a[1] + w), low_b = words(b[1] + w);

		add_bytes(&sum,
			products(low_a,
				_mm256_and_si256(low_a, words(a[0] + w)), low_b,
				_mm256_and_si256(low_b, words(b[0] + w))));
	}
	return total(sum);
}

AVX2 static void
count_avx2(const uint64_t *const a[2], const uint64_t *const b[2],
	size_t n_word, int64_t sum[6])
{
	const __m256i once = bits_once();
	__m256i s[6] = { _mm256_setzero_si256() };

	for (int k = 1; k < 6; k++)
		s[k] = s[0];
	for (size_t w = 0; w < n_word; w += 4) {
		const __m256i a0 = words(a[0] + w), a1 = words(a[1] + w),
			      b0 = words(b[0] + w), b1 = words(b[1] + w),
			      no_a = _mm256_andnot_si256(a1, a0),
			      no_b = _mm256_andnot_si256(b1, b0),
			      low_a = _mm256_andnot_si256(no_b, a1),
			      low_b = _mm256_andnot_si256(no_a, b1),
			      up_a = _mm256_and_si256(low_a, a0),
			      up_b = _mm256_and_si256(low_b, b0);

		add_bytes(&s[0], bits_of(_mm256_or_si256(no_a, no_b), once));
		add_bytes(&s[1], bits_of(low_a, once));
		add_bytes(&s[2], bits_of(up_a, once));
		add_bytes(&s[3], bits_of(low_b, once));
		add_bytes(&s[4], bits_of(up_b, once));
		add_bytes(&s[5], products(low_a, up_a, low_b, up_b));
	}
	for (int k = 0; k < 6; k++)
		sum[k] = total(s[k]);
	sum[1] -= sum[2];
	sum[3] -= sum[4];
}

/* True where Mula's method counts faster than the instruction for 64 bits. */
static bool
by_nibbles(enum vs_cpu cpu)
{
	return cpu >= VS_CPU_AVX2 && cpu < VS_CPU_AVX512ICL;
}
#endif

void
vs_joint_moments(enum vs_cpu cpu, const uint64_t *const first[2],
	const uint64_t *const second[2], size_t n_word, size_t n_field,
	struct vs_joint_moments *m)
{
	int64_t sum[6];

#if defined(__x86_64__)
	if (by_nibbles(cpu))
		count_avx2(first, second, n_word, sum);
	else
#endif
		count(cpu, first, second, n_word, sum);
	*m = (struct vs_joint_moments){
		.n = (int64_t)n_field - sum[0],
		.one = { sum[1], sum[3] },
		.two = { sum[2], sum[4] },
		.product = sum[5],
	};
}

int64_t
vs_joint_moments_product(enum vs_cpu cpu, const uint64_t *const first[2],
	const uint64_t *const second[2], size_t n_word)
{
#if defined(__x86_64__)
	if (by_nibbles(cpu))
		return product_avx2(first, second, n_word);
#endif
	return product(cpu, first, second, n_word);
}
