/* SPDX-License-Identifier: BSD-3-Clause */
/* Fletcher-32 checksum over 16-bit words, the first byte high. */
#include "formats/h5/fletcher.h"

#define BLOCK 128 /* words: their weighted sum has 32 bits */

/* 2^16 is 1 modulo 65535; as in HDF5, a nonzero sum stays nonzero */
static uint64_t
fold(uint64_t x)
{
	return (x & 0xffffffff) + (x >> 32);
}

static uint32_t
fold_all(uint64_t x)
{
	while (x > 0xffff)
		x = (x & 0xffff) + (x >> 16);
	return (uint32_t)x;
}

uint32_t
vs_fletcher_sum(const void *bytes, size_t n)
{
	const uint8_t *b = bytes;
	uint64_t sum = 0, sums = 0;
	size_t at = 0;

	for (; n - at >= 2 * BLOCK; at += 2 * BLOCK) {
		uint32_t all = 0, weighted = 0;

		for (uint32_t k = 0; k < BLOCK; k++) {
			uint32_t word = (uint32_t)b[at + 2 * k] << 8 |
				b[at + 2 * k + 1];

			all += word;
			weighted += word * (BLOCK - k);
		}
		sums = fold(sums + sum * BLOCK + weighted);
		sum = fold(sum + all);
	}
	for (; at < n; at += 2) {
		sum += (uint32_t)b[at] << 8 | (at + 1 < n ? b[at + 1] : 0);
		sums += sum;
	}
	return fold_all(sums) << 16 | fold_all(sum);
}
