/* SPDX-License-Identifier: BSD-3-Clause */
/* Moments of a pair: sums of its genotypes, squares and products. */
#ifndef VS_KERN_JOINT_MOMENTS_H
#define VS_KERN_JOINT_MOMENTS_H

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
 * Count a pair from the planes of its vectors, vec.h: both planes of one lie
 * one after the other, n_word words each, in which bits past the last of
 * n_field fields are zero. n_word is a multiple of 8.
 */
void vs_joint_moments(enum vs_cpu cpu, const uint64_t *a, const uint64_t *b,
	size_t n_word, size_t n_field, struct vs_joint_moments *m);

/* The sum of the products alone: a missing call has no copies. */
int64_t vs_joint_moments_product(enum vs_cpu cpu, const uint64_t *a,
	const uint64_t *b, size_t n_word);

#endif
