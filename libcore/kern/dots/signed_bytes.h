/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quantiser of numbers of any sign into bytes, whose dot products bound inner
 * products.
 *
 * A vector x is multiplied by a factor and shifted, both its own, to give y,
 * and y is rounded to integers b = round(y / step), |b| <= MIDDLE; a byte is b
 * + MIDDLE. So the dot product of the bytes of two vectors of n fields is
 *
 *   D = sum b b' + MIDDLE (sum b + sum b') + n MIDDLE^2
 *
 * and with e = y - step b, clipping included, the inner product satisfies
 *
 *   |sum y y' - step^2 sum b b'| <= |e'| (|y| + |e|) + |e| |y'|
 */
#ifndef VS_KERN_DOTS_SIGNED_BYTES_H
#define VS_KERN_DOTS_SIGNED_BYTES_H

#include "libcore/bits/cpu.h"
#include "libcore/bits/numbers.h"
#include "libcore/kern/dots/dots.h"

#define VS_SIGNED_MIDDLE 63

/* A vector's factor and shift; then sum b, and an upper bound of |e| if |y| is
 * at most 1. */
struct vs_signed_vector {
	double factor, shift;
	double sum, error;
};

/*
 * Convert vectors [lo, lo + n) of b, f32 or f64, to blocks of rows or of
 * columns as in libcore/kern/dots/dots.h, padded with 0 to whole pairs of
 * blocks.
 * vector   filled in for each vector
 * scratch  a block, for columns; all 64-byte aligned
 */
void vs_signed_bytes_rows(enum vs_cpu cpu, double step,
	const struct vs_numbers *b, size_t lo, size_t n, uint8_t *rows,
	struct vs_signed_vector *vector);
void vs_signed_bytes_cols(enum vs_cpu cpu, double step,
	const struct vs_numbers *b, size_t lo, size_t n, uint8_t *cols,
	struct vs_signed_vector *vector, uint8_t *scratch);

#endif
