/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in files of other programs. */
#ifndef VS_BASE_BYTES_H
#define VS_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

/* The little-endian number of n bytes, at most 8. */
static inline uint64_t
vs_bytes_number(const uint8_t *at, size_t n)
{
	uint64_t x = 0;

	for (size_t k = 0; k < n; k++)
		x |= (uint64_t)at[k] << (8 * k);
	return x;
}

#endif
