/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of the kernels that sum products of bytes. */
#ifndef VS_KERN_DOTS_DOTS_H
#define VS_KERN_DOTS_DOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

/*
 * Vectors are lines of 64 bytes, in blocks of 16 vectors, line after line. In a
 * block of rows a line holds the 64 bytes of one vector after another; in a
 * block of columns the first four bytes of each vector, then the next four of
 * each, and so on: 1024 bytes in both. Blocks come in pairs, padded with 0.
 */
#define VS_DOTS_LINE 64
#define VS_DOTS_SIDE 16
#define VS_DOTS_TILE 1024
#define VS_DOTS_PAIR 32

/*
 * Arguments of a call.
 * rows, cols    blocks of n_line lines, 64-byte aligned
 * n_row, n_col  multiples of VS_DOTS_PAIR
 * sum           for row r and column c at sum[r * ld + c], ld a multiple of 16,
 *               64-byte aligned
 * more          add to the sums, else set them
 */
struct vs_dots_call {
	const uint8_t *rows, *cols;
	size_t n_row, n_col, n_line;
	uint32_t *sum;
	size_t ld;
	bool more;
};

/*
 * A kernel sums, for each row and column, the products of their bytes.
 * most   largest byte value
 * limit  largest sum
 * cost   cycles of a product, as measured
 */
struct vs_dots {
	const char *name;
	enum vs_cpu cpu; /* lowest level that it runs on */
	uint8_t most;
	uint32_t limit;
	double cost;
	void (*count)(const struct vs_dots_call *call);
};

/* All kernels, best first, then null; the best one that cpu allows, or null. */
extern const struct vs_dots *const vs_registry_dots[];
const struct vs_dots *vs_registry_dots_pick(enum vs_cpu cpu);

#endif
