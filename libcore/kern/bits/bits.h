/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of the kernels that multiply matrices of bits. */
#ifndef VS_KERN_BITS_BITS_H
#define VS_KERN_BITS_BITS_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

/*
 * n vectors of some planes: n_word words, a multiple of 8, of plane p of vector
 * v begin at word + p plane + v stride.
 */
struct vs_bits_side {
	const uint64_t *word;
	size_t n, plane, stride;
};

/* Vectors of either side, and planes of both, that a call may have. */
#define VS_BITS_MOST 128
#define VS_BITS_PLANES 3
#define VS_BITS_ALL (-VS_BITS_MOST)
#define VS_BITS_SCRATCH (2 * VS_BITS_PLANES * VS_BITS_MOST * 1536)

/*
 * Arguments of a call.
 * sum      of plane p of row r and plane q of column c at
 *          sum[(p VS_BITS_MOST + r) ld + q VS_BITS_MOST + c], 64-byte aligned
 * ld       at least planes VS_BITS_MOST, a multiple of 16
 * from     of row r, columns before from + r are not wanted and need not be
 *          written; VS_BITS_ALL: all are wanted
 * scratch  VS_BITS_SCRATCH bytes, 64-byte aligned
 */
struct vs_bits_call {
	struct vs_bits_side row, col;
	int n_plane;
	size_t n_word;
	int64_t from;
	int32_t *sum;
	size_t ld;
	void *scratch;
};

/*
 * A kernel counts, for each plane of each row and of each column, the bits set
 * in both.
 * cost  cycles for a word of a row and a column, one plane each, as measured
 */
struct vs_bits {
	const char *name;
	enum vs_cpu cpu; /* lowest level that it runs on */
	double cost;
	void (*count)(const struct vs_bits_call *call);
};

/* The best kernel that cpu allows. */
const struct vs_bits *vs_registry_bits_pick(enum vs_cpu cpu);

/* Kernel number k, best first; null past the last. */
const struct vs_bits *vs_registry_bits_at(int k);

#endif
