/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of a pair: sums of its genotypes, squares and products. */
#ifndef VS_KERN_JOINT_MOMENTS_H
#define VS_KERN_JOINT_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

/*
 * Over the fields that neither vector misses: their number n; the sums of
 * copies, and of their squares, in the first vector and in the second; and the
 * sum of the products of copies.
 */
struct vs_joint_moments {
	int64_t n, sum[2], square[2], product;
};

/*
 * Both planes of a vector lie one after the other, `apart` words each, in which
 * bits past the last field are zero, vec.h; apart is a multiple of 8. Functions
 * of one pair are inline: callers compile their loop over pairs for each
 * instruction set. nibbles: vs_joint_moments_by_nibbles() of this CPU.
 */

#define VS_JOINT_BITS(x) ((uint64_t)__builtin_popcountll(x))

/* The sum of products, from bits of at least one copy, and of two. */
#define VS_JOINT_PRODUCTS(low_a, up_a, low_b, up_b)                      \
	(VS_JOINT_BITS((low_a) & (low_b)) +                              \
		VS_JOINT_BITS(((low_a) & (up_b)) ^ ((up_a) & (low_b))) + \
		3 * VS_JOINT_BITS((up_a) & (up_b)))

/* Words whose counts fit 16 bits each, also the sum of products. */
#define VS_JOINT_BLOCK 128

/*
 * Four counts in a word, 16 bits each, so that only two words are summed over
 * the lanes of a register: calls missing in either, and copies: at least one in
 * the first, two in the first, one in the second; two in the second, products.
 */
struct vs_joint_packed {
	uint64_t low, high;
};

/*
 * Count n words, VS_JOINT_BLOCK at most. A missing call has only bit 0 set, one
 * copy only bit 1, two copies both. Each plane has its own pointer: loops over
 * arrays of pointers become gathers.
 */
VS_INLINE struct vs_joint_packed
vs_joint_count(const uint64_t *a, const uint64_t *b, size_t apart, size_t n)
{
	const uint64_t *const a1 = a + apart, *const b1 = b + apart;
	uint64_t low = 0, high = 0;

	for (size_t w = 0; w < n; w++) {
		const uint64_t no_a = a[w] & ~a1[w], no_b = b[w] & ~b1[w];
		const uint64_t low_a = a1[w] & ~no_b, up_a = low_a & a[w];
		const uint64_t low_b = b1[w] & ~no_a, up_b = low_b & b[w];

		low += VS_JOINT_BITS(no_a | no_b) +
			(VS_JOINT_BITS(low_a) << 16) +
			(VS_JOINT_BITS(up_a) << 32) +
			(VS_JOINT_BITS(low_b) << 48);
		high += VS_JOINT_BITS(up_b) +
			(VS_JOINT_PRODUCTS(low_a, up_a, low_b, up_b) << 16);
	}
	return (struct vs_joint_packed){ low, high };
}

/* By Mula's method; and the sum of products of n_word words. */
#if defined(__x86_64__)
struct vs_joint_packed vs_joint_moments_count_nibbles(const uint64_t *a,
	const uint64_t *b, size_t apart, size_t n);
int64_t vs_joint_moments_product_nibbles(const uint64_t *a, const uint64_t *b,
	size_t n_word);
#else /* not called */
#define vs_joint_moments_count_nibbles vs_joint_count
#define vs_joint_moments_product_nibbles(a, b, n_word) 0
#endif

/* True where that counts faster than the instruction for 64 bits. */
bool vs_joint_moments_by_nibbles(enum vs_cpu cpu);

/* Count a pair of n_word words, of n_field fields. */
VS_INLINE struct vs_joint_moments
vs_joint_moments(bool nibbles, const uint64_t *a, const uint64_t *b,
	size_t n_word, size_t n_field)
{
	struct vs_joint_moments m = { .n = (int64_t)n_field };

	for (size_t w = 0, n; w < n_word; w += n) {
		struct vs_joint_packed c;

		n = n_word - w < VS_JOINT_BLOCK ? n_word - w : VS_JOINT_BLOCK;
		c = nibbles ? vs_joint_moments_count_nibbles(a + w, b + w,
				      n_word, n)
			    : vs_joint_count(a + w, b + w, n_word, n);
		for (int k = 0; k < 2; k++) {
			const uint64_t x =
				k ? c.low >> 48 | c.high << 16 : c.low >> 16;
			const int64_t one = x & 0xffff, two = x >> 16 & 0xffff;

			m.sum[k] += one + two;
			m.square[k] += one + 3 * two;
		}
		m.n -= (int64_t)(c.low & 0xffff);
		m.product += (int64_t)(c.high >> 16 & 0xffff);
	}
	return m;
}

/* The sum of the products alone: a missing call has no copies. */
VS_INLINE int64_t
vs_joint_product(bool nibbles, const uint64_t *a, const uint64_t *b,
	size_t n_word)
{
	const uint64_t *const a1 = a + n_word, *const b1 = b + n_word;
	uint64_t sum = 0;

	if (nibbles)
		return vs_joint_moments_product_nibbles(a, b, n_word);
	for (size_t w = 0; w < n_word; w++) {
		const uint64_t up_a = a1[w] & a[w], up_b = b1[w] & b[w];

		sum += VS_JOINT_PRODUCTS(a1[w], up_a, b1[w], up_b);
	}
	return (int64_t)sum;
}

#endif
