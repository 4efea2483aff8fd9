/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit matrix product on 64-bit words, compiled for each level that counts the
 * bits of one: KERNEL, KERNEL_CPU, KERNEL_COST and KERNEL_TARGET say which.
 */
#include "libcore/kern/bits/bits_walk.h"

#ifndef KERNEL /* read alone */
#define KERNEL none
#define KERNEL_CPU VS_CPU_SCALAR
#define KERNEL_COST 0
#define KERNEL_TARGET
#endif

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

KERNEL_TARGET static inline void
count_block(const struct block *b)
{
	uint64_t n[SIDE][SIDE] = { { 0 } };

	for (size_t w = 0; w < b->n_word; w++)
		for (size_t r = 0; r < SIDE; r++)
			for (size_t c = 0; c < SIDE; c++)
				n[r][c] += (uint64_t)__builtin_popcountll(
					b->row[r][w] & b->col[c][w]);
	put_block(b, n);
}

KERNEL_TARGET __attribute__((flatten)) static void
count(const struct vs_bits_call *call)
{
	walk(call, count_block);
}

extern const struct vs_bits PASTE(vs_bits_, KERNEL);
const struct vs_bits PASTE(vs_bits_, KERNEL) = { TEXT(KERNEL), KERNEL_CPU,
	KERNEL_COST, count };
