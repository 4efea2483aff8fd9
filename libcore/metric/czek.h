/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Proportional Similarity, also Czekanowski's; 1 minus it is the dissimilarity
 * of Bray and Curtis. For vectors u and v of numbers not below 0, all finite,
 *
 *   c2(u, v) = 2 sum min(u, v) / (sum u + sum v),  0 where all is 0
 *
 * The three sums are taken in the one order that libcore/bits/numbers.h
 * states, exact for integers below 2^52. Then the product is exact, the sum of
 * two is rounded once, and so is the quotient: the bits do not depend on which
 * vector is called u.
 *
 * Range 0 to 1, rounding included: it keeps order, so sum min <= sum u and
 * <= sum v as they are computed, twice it is at most the exact sum of the two,
 * and as twice it is a double, at most the rounded one.
 *
 * Compiled by the C and by the CUDA compiler.
 */
#ifndef VS_METRIC_CZEK_H
#define VS_METRIC_CZEK_H

#include "libcore/base/both.h"

VS_BOTH double
vs_czek_value(double least, double u, double v)
{
	return u + v > 0 ? 2 * least / (u + v) : 0;
}

/* The most for sums u and v, whatever the vectors: one below the other. */
VS_BOTH double
vs_czek_most(double u, double v)
{
	return vs_czek_value(u < v ? u : v, u, v);
}

/*
 * With a sum v no more than with a sum u nearer to w on the same side. Three
 * roundings, by 2^-53 each, could turn two that are nearly equal: what is
 * compared with a threshold t is a little more, so that no range of sums
 * leaves out any that passes.
 */
static inline int
vs_czek_may_pass(double u, double v, double t)
{
	return vs_czek_most(u, v) * (1 + 0x1p-48) + 0x1p-1000 > t;
}

/*
 * Least sum of minima that may pass t >= 0: at least this of u and of v
 * together. It is below the exact bound by more than roundings amount to.
 */
static inline double
vs_czek_cut(double u, double t)
{
	return t / 2 * u * (1 - 0x1p-40) - 0x1p-1000;
}

#endif
