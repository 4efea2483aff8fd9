/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit compression: the bits of a word that a mask selects, moved together, as
 * PEXT does, by the method of parallel suffixes (Warren, Hacker's Delight).
 */
#ifndef VS_BITS_COMPRESS_H
#define VS_BITS_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

/* A mask, and the bits that move by 1, 2, 4 .. 32. */
struct vs_compress {
	uint64_t mask, move[6];
	uint32_t n, before; /* bits of this mask; of those before */
};

/* Prepare the masks of n words. returns the number of bits in all of them */
size_t vs_compress_prepare(struct vs_compress *c, const uint64_t *mask,
	size_t n);

/*
 * Compress the selected bits of the n words of each row to the low bits of its
 * row of out, and set the rest of the n_out words to 0.
 */
void vs_compress_rows(enum vs_cpu cpu, const struct vs_compress *c, size_t n,
	const uint64_t *const *in, uint64_t *const *out, int n_row,
	size_t n_out);

#endif
