/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of a pair by population counts of its planes. */
#include "libcore/kern/joint_moments.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Words whose counts fit 16 bits each, also the sum of products. */
#define BLOCK 128

#define BITS(x) ((uint64_t)__builtin_popcountll(x))

/* The sum of products, from bits of at least one copy, and of two. */
#define PRODUCTS(low_a, up_a, low_b, up_b)                      \
	(BITS((low_a) & (low_b)) +                              \
		BITS(((low_a) & (up_b)) ^ ((up_a) & (low_b))) + \
		3 * BITS((up_a) & (up_b)))

/*
 * Four counts in a word, 16 bits each, so that only two words are summed over
 * the lanes of a register: calls missing in either, and copies: at least one in
 * the first, two in the first, one in the second; two in the second, products.
 */
struct packed {
	uint64_t low, high;
};

static inline int64_t
count_of(uint64_t packed, int k)
{
	return (int64_t)(packed >> 16 * k & 0xffff);
}

/*
 * Count n words of each vector, whose second plane is `apart` words after the
 * first. A missing call has only bit 0 set, one copy only bit 1, two copies
 * both. Each plane has its own pointer: loops over arrays of pointers become
 * gathers.
 */
VS_INLINE struct packed
count_any(const uint64_t *a, const uint64_t *b, size_t apart, size_t n)
{
	const uint64_t *const a1 = a + apart, *const b1 = b + apart;
	uint64_t low = 0, high = 0;

	for (size_t w = 0; w < n; w++) {
		const uint64_t no_a = a[w] & ~a1[w], no_b = b[w] & ~b1[w];
		const uint64_t low_a = a1[w] & ~no_b, up_a = low_a & a[w];
		const uint64_t low_b = b1[w] & ~no_a, up_b = low_b & b[w];

		low += BITS(no_a | no_b) + (BITS(low_a) << 16) +
			(BITS(up_a) << 32) + (BITS(low_b) << 48);
		high += BITS(up_b) + (PRODUCTS(low_a, up_a, low_b, up_b) << 16);
	}
	return (struct packed){ low, high };
}

VS_BY_POPCNT(struct packed, count, (a, b, apart, n), const uint64_t *a,
	const uint64_t *b, size_t apart, size_t n)

VS_INLINE int64_t
product_any(const uint64_t *a, const uint64_t *b, size_t n_word)
{
	const uint64_t *const a1 = a + n_word, *const b1 = b + n_word;
	uint64_t sum = 0;

	for (size_t w = 0; w < n_word; w++) {
		const uint64_t up_a = a1[w] & a[w], up_b = b1[w] & b[w];

		sum += PRODUCTS(a1[w], up_a, b1[w], up_b);
	}
	return (int64_t)sum;
}

VS_BY_POPCNT(int64_t, product, (a, b, n_word), const uint64_t *a,
	const uint64_t *b, size_t n_word)

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

AVX2 static int64_t
product_avx2(const uint64_t *a, const uint64_t *b, size_t n_word)
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

AVX2 static struct packed
count_avx2(const uint64_t *a, const uint64_t *b, size_t apart, size_t n)
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
	return (struct packed){ (uint64_t)total(low), (uint64_t)total(high) };
}

/* True where Mula's method counts faster than the instruction for 64 bits. */
static bool
by_nibbles(enum vs_cpu cpu)
{
	return cpu >= VS_CPU_AVX2 && cpu < VS_CPU_AVX512ICL;
}
#endif

void
vs_joint_moments(enum vs_cpu cpu, const uint64_t *a, const uint64_t *b,
	size_t n_word, size_t n_field, struct vs_joint_moments *m)
{
	*m = (struct vs_joint_moments){ .n = (int64_t)n_field };
	for (size_t w = 0, n; w < n_word; w += n) {
		struct packed c;

		n = n_word - w < BLOCK ? n_word - w : BLOCK;
#if defined(__x86_64__)
		if (by_nibbles(cpu))
			c = count_avx2(a + w, b + w, n_word, n);
		else
#endif
			c = count(cpu, a + w, b + w, n_word, n);
		for (int k = 0; k < 2; k++) {
			const uint64_t x =
				k ? c.low >> 48 | c.high << 16 : c.low >> 16;

			m->sum[k] += count_of(x, 0) + count_of(x, 1);
			m->square[k] += count_of(x, 0) + 3 * count_of(x, 1);
		}
		m->n -= count_of(c.low, 0);
		m->product += count_of(c.high, 1);
	}
}

int64_t
vs_joint_moments_product(enum vs_cpu cpu, const uint64_t *a, const uint64_t *b,
	size_t n_word)
{
#if defined(__x86_64__)
	if (by_nibbles(cpu))
		return product_avx2(a, b, n_word);
#endif
	return product(cpu, a, b, n_word);
}
