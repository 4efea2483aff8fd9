/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit matrix transposition of 64 x 64 bits, a template for words or for vectors
 * of them, which hold a matrix in each of their words.
 */
#ifndef VS_KERN_SQUARES_H
#define VS_KERN_SQUARES_H

#include <stdint.h>

#include "libcore/base/inline.h"

#ifndef SQUARES
#define SQUARES uint64_t
#define SQUARES_INLINE VS_INLINE
#endif

/* Swap bits j apart of the words j apart. */
SQUARES_INLINE void
swap_bits(SQUARES m[64], const int j, const uint64_t low)
{
	for (int b = 0; b < 64; b += 2 * j)
		for (int k = b; k < b + j; k++) {
			SQUARES t = ((m[k] >> j) ^ m[k + j]) & low;

			m[k] ^= t << j;
			m[k + j] ^= t;
		}
}

/* Bit c of word r becomes bit r of word c. */
SQUARES_INLINE void
transpose_bits(SQUARES m[64])
{
	swap_bits(m, 32, 0x00000000ffffffff);
	swap_bits(m, 16, 0x0000ffff0000ffff);
	swap_bits(m, 8, 0x00ff00ff00ff00ff);
	swap_bits(m, 4, 0x0f0f0f0f0f0f0f0f);
	swap_bits(m, 2, 0x3333333333333333);
	swap_bits(m, 1, 0x5555555555555555);
}

#endif
