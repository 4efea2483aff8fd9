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
 * The range is 0 to 1, rounding included. Rounding is monotonic, so the
 * computed sum min is at most the computed sums of u and of v. Twice it is
 * therefore at most the exact sum of these two and, being a double, at most the
 * rounded sum.
 *
 * Compiled by the C and by the CUDA compiler.
 */
#ifndef VS_METRIC_PS_H
#define VS_METRIC_PS_H

#include "libcore/base/host_device.h"
#include "libcore/metric/dice.h"

VS_BOTH double
vs_ps_value(double least, double u, double v)
{
	return u + v > 0 ? 2 * least / (u + v) : 0;
}

/* The same of bits: their minima are products. */
static inline double
vs_ps_of_bits(const struct vs_moments *m)
{
	return vs_ps_value((double)m->p, (double)m->si, (double)m->sj);
}

/*
 * Upper bound of the value of any vectors with totals u and v: attained if one
 * vector is nowhere above the other.
 */
VS_BOTH double
vs_ps_most(double u, double v)
{
	return vs_ps_value(u < v ? u : v, u, v);
}

/*
 * True if vectors of totals u and v may pass t. The bound decreases as v moves
 * away from u to either side. Three roundings, of 2^-53 each, could reverse two
 * nearly equal bounds, so the bound is increased slightly before it is
 * compared: no range of totals leaves out one that passes.
 */
static inline int
vs_ps_may_pass(double u, double v, double t)
{
	return vs_ps_most(u, v) * (1 + 0x1p-48) + 0x1p-1000 > t;
}

/*
 * For t >= 0, the sum of minima of a pair with totals u and v that passes t is
 * at least vs_ps_least_sum(u, t) + vs_ps_least_sum(v, t), which is below the
 * exact bound by more than rounding errors.
 */
VS_BOTH double
vs_ps_least_sum(double u, double t)
{
	/* halve u, not t: half of the smallest t would be rounded up */
	return t * (u / 2) * (1 - 0x1p-40) - 0x1p-1000;
}

/*
 * Bound of three vectors,
 *
 *   c3(u, v, w) = 3/2 sum [min(u,v) + min(u,w) + min(v,w) - min(u,v,w)]
 *                 / (sum u + sum v + sum w),  0 where all is 0
 *
 * which adds up the two lesser of three numbers. The seven sums are taken in
 * that order as well, and combined by size: with a <= b <= c of the pairs and u
 * <= v <= w of the vectors, (a + b) + (c - m) over (u + v) + w. So the bits do
 * not depend on the order of the vectors, three that are equal give 1, and
 * integers are exact below 2^51. For nearly equal reals, rounding of the sums
 * could give a value above 1, which is set to 1.
 *
 * pair  the sums of the pairs' minima, in any order
 * m     that of all three
 * all   of the vectors, in any order
 */
struct vs_ps3 {
	double pair[3], m, all[3];
};

VS_BOTH void
vs_ps3_sort(double x[3])
{
	double lo = x[0] < x[1] ? x[0] : x[1], hi = x[0] < x[1] ? x[1] : x[0];
	double last = x[2];

	x[0] = lo < last ? lo : last;
	x[2] = hi > last ? hi : last;
	x[1] = lo > last ? lo : hi < last ? hi : last;
}

/* Sum of the two smaller of three numbers; value() also sorts x. */
VS_BOTH double
vs_ps3_least(struct vs_ps3 *x)
{
	vs_ps3_sort(x->pair);
	return (x->pair[0] + x->pair[1]) + (x->pair[2] - x->m);
}

VS_BOTH double
vs_ps3_value(struct vs_ps3 *x)
{
	double least = vs_ps3_least(x), all, v;

	vs_ps3_sort(x->all);
	all = (x->all[0] + x->all[1]) + x->all[2];
	v = all > 0 ? 1.5 * least / all : 0;
	return v < 1 ? v : 1;
}

/*
 * A triple that passes t >= 0 has least >= vs_ps3_least_share(t) times the sum
 * of its three totals, less VS_PS3_TINY, in any order of summation: the margin
 * exceeds a few roundings of 2^-53.
 */
#define VS_PS3_TINY 0x1p-1000

static inline double
vs_ps3_least_share(double t)
{
	return t / 1.5 * (1 - 0x1p-40);
}

/*
 * Bounds from sums before m is known, P being those of pairs. As m is at least
 * 0, and P_uv + P_uw - U,
 *   least <= P_uv + P_uw + P_vw, P_uv + W, P_uw + V, P_vw + U
 * of exact sums. Computed ones are off by up to a share e: of f32 by
 * 127 times 2^-24, as runs are 128 long; of f64, and sums of runs, by n_field /
 * 128 + 127 times 2^-53, n_field < 2^24. As the pairs' sums are at most 3/2 of
 * least, and m at most half of it, that makes 2 e of least, and less than 8 e
 * including the errors of a bound and of the totals.
 */
static inline double
vs_ps3_slack(int f32)
{
	return 1 + (f32 ? 0x1p-13 : 0x1p-32);
}

/*
 * True if some third vector may pass with a pair whose totals are u and v and
 * whose minima sum to p. Least is at most p + W and at most u + v: relative to
 * the sum of totals it is largest at W = u + v - p.
 */
static inline int
vs_ps3_may_pass(double u, double v, double p, double t, double slack)
{
	double both = u + v;

	return both * slack >=
		vs_ps3_least_share(t) * (both + (both - p)) - VS_PS3_TINY;
}

#define VS_METRIC_ps                                             \
	.family = VS_FAMILY_MINIMA, .highest = 1, .itself = 1,   \
	.undefined = VS_UNDEFINED_ZEROS, .value = vs_ps_of_bits, \
	.least = vs_dice_least, .device = VS_DEVICE_DICE

#endif
