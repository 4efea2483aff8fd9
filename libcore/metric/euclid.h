/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Euclidean distance of two vectors of numbers, lower is closer:
 *
 *   sqrt(sum (u - v)^2)
 *
 * which libcore/kern/dots/distance.h computes for each pair that is not
 * excluded by its inner product p. With q the sums of squares, all rounded, the
 * true square is at least (q_i + q_j) (1 - vs_euclid_error()) - 2 p.
 */
#ifndef VS_METRIC_EUCLID_H
#define VS_METRIC_EUCLID_H

#include <math.h>
#include <stdbool.h>

/*
 * Products are summed in the order of libcore/bits/numbers.h: a run of 128 has
 * a relative error of at most 128 units of rounding, 2^-17 for f32 and 2^-46
 * for f64; the sum of up to 2^17 runs adds 2^-36. For p the error is relative
 * to sum |u v| <= (q_i + q_j) / 2. The bound allows twice the sum of both.
 */
static inline double
vs_euclid_error(bool f32)
{
	return f32 ? 0x1p-15 : 0x1p-34;
}

/* Sums of squares from here on may overflow in p. */
static inline double
vs_euclid_most(bool f32)
{
	return f32 ? 0x1p120 : 0x1p1000;
}

/* Products that underflow may change the sum by this much. */
static inline double
vs_euclid_tiny(bool f32)
{
	return f32 ? 0x1p-120 : 0x1p-1040;
}

#define VS_METRIC_euclid                                               \
	.family = VS_FAMILY_INNER, .highest = INFINITY, .lower = true, \
	.numbers = true

#endif
