/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit compression of a vector's planes by several masks at once. */
#ifndef VS_KERN_BITS_BITS_MOVE_H
#define VS_KERN_BITS_BITS_MOVE_H

#include "libcore/bits/compress.h"
#include "libcore/kern/bits/bits.h"

/*
 * The bits of each plane that each mask selects move together: those of plane p
 * and mask a into n_out[a] words of out[a][p], of which those past the bits
 * become 0; their number is counted.
 * in       planes of n_word words; no bit is set in two of them
 * scratch  VS_BITS_MOVE_SCRATCH(n_word) bytes
 */
struct vs_bits_move {
	const struct vs_compress *mask[VS_BITS_PLANES];
	const uint64_t *in[VS_BITS_PLANES];
	int n_mask, n_plane;
	size_t n_word;
	uint64_t *out[VS_BITS_PLANES][VS_BITS_PLANES];
	size_t n_out[VS_BITS_PLANES];
	int32_t count[VS_BITS_PLANES][VS_BITS_PLANES];
	void *scratch;
};
#define VS_BITS_MOVE_SCRATCH(n_word) \
	(VS_BITS_PLANES * (64 * (size_t)(n_word) + 128))

void vs_bits_move_planes(enum vs_cpu cpu, struct vs_bits_move *m);

#endif
