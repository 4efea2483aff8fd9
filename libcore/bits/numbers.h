/* SPDX-License-Identifier: BSD-3-Clause */
/* Numeric vectors and their totals, with a fixed order of summation. */
#ifndef VS_BITS_NUMBERS_H
#define VS_BITS_NUMBERS_H

#include "libcore/bits/element.h"

/*
 * n_field numbers of one type per vector, finite or NaN, missing; vector v
 * starts v * stride bytes after the first. The memory belongs to the caller.
 */
struct vs_numbers {
	const void *at;
	enum vs_element element;
	size_t n_field, stride;
};

static inline const void *
vs_numbers_of(const struct vs_numbers *b, size_t v)
{
	return (const char *)b->at + v * b->stride;
}

/*
 * Fixed summation order of reals: each run of VS_NUMBERS_RUN consecutive fields
 * is summed from first to last in the type of the numbers, f32 or f64; then the
 * sums of the runs in f64, from first to last. Each addition rounds to nearest.
 * Every kernel and device keeps this order, so results are the same bits.
 * Rounding is monotonic: if each summand is at most its counterpart, so is the
 * sum. So a sum of minima never exceeds the total of either vector.
 */
#define VS_NUMBERS_RUN 128

/*
 * Integer totals stay below this, so they are exact in any order, and the sum
 * of two totals is an exact double too.
 */
#define VS_NUMBERS_MOST 4503599627370496.0 /* 2^52 */

/* Sum of the numbers of vector v; missing ones add nothing. */
double vs_numbers_total(const struct vs_numbers *b, size_t v);

/* Whether the sum of two such totals is exact or, for reals, finite. */
bool vs_numbers_total_fits(enum vs_element element, double total);

/* Format for the message if it is not, with a remedy. */
const char *vs_numbers_too_much(enum vs_element element);

#endif
