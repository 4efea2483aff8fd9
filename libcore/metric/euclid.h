/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Euclidean distance of two vectors of numbers, lower is closer:
 *
 *   sqrt(sum (u - v)^2)
 *
 * which libcore/kern/dots/distance.h sums of each pair that its inner product p
 * does not exclude. With q the sums of squares, all rounded, the true square is
 * at least (q_i + q_j) (1 - vs_euclid_error()) - 2 p.
 */
#ifndef VS_METRIC_EUCLID_H
#define VS_METRIC_EUCLID_H

#include <math.h>
#include <stdbool.h>

/*
 * Products are summed by the order of libcore/bits/numbers.h: those of a run of
 * 128 with a relative error of 128 units of rounding, 2^-17 of f32 and 2^-46 of
 * f64, those of up to 2^17 runs with 2^-36; of p relative to sum |u v| <= (q_i
 * + q_j) / 2. Twice the sum of both is allowed for.
 */
static inline double
vs_euclid_error(bool f32)
{
	return f32 ? 0x1p-15 : 0x1p-34;
}

/* Sums of squares from here on may have overflowed where p did. */
static inline double
vs_euclid_most(bool f32)
{
	return f32 ? 0x1p120 : 0x1p1000;
}

/* A sum of products smaller than any that counts may be lost. */
static inline double
vs_euclid_tiny(bool f32)
{
	return f32 ? 0x1p-120 : 0x1p-1040;
}

#define VS_METRIC_euclid                                               \
	.family = VS_FAMILY_INNER, .highest = INFINITY, .lower = true, \
	.numbers = true

#endif
