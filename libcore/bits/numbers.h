/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of numbers, and what each sums up to. */
#ifndef VS_BITS_NUMBERS_H
#define VS_BITS_NUMBERS_H

#include "libcore/bits/element.h"

/*
 * n_field numbers of one type for each vector, finite and not negative; vector
 * v begins stride bytes after the one before. The memory is another's.
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
 * The one order in which reals are summed: runs of so many consecutive fields,
 * each from its first to its last in the type of the numbers, f32 or f64; the
 * sums of the runs in f64, from the first to the last. Each addition rounds to
 * nearest. It is the same whatever computes, so that bits agree.
 *
 * Rounding keeps order. So where each summand is at most another one's, so is
 * the sum: sums of minima never exceed the sums of either vector.
 */
#define VS_NUMBERS_RUN 128

/*
 * Integers are summed exactly, in any order, as long as sums stay below this;
 * then the sum of two is an exact double too.
 */
#define VS_NUMBERS_MOST 4503599627370496.0 /* 2^52 */

/* Sum of the numbers of vector v. */
double vs_numbers_total(const struct vs_numbers *b, size_t v);

#endif
