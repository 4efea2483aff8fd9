/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Correlation and cosine of two numeric vectors, from their inner product.
 *
 * vs_panel_centre() of libcore/bits/panel.h turns a vector x of n numbers into
 * a vector c with the same correlations or cosines; with p = sum c_i c_j, s =
 * sum c and q = sum c^2,
 *
 *   r = (p - s_i s_j / n) / sqrt(v_i v_j),   v = q - s^2 / n
 *
 * and 0 where v_i v_j is 0. For reals, and for a cosine, s is 0. p and q are
 * summed in the one order that libcore/bits/numbers.h states, each product
 * being added with one rounding, so they are the same whichever vector is
 * called i; all that follows is symmetric too.
 *
 * For whole numbers below 2^16 c, s, p and q are exact; 16-bit words of more
 * than VS_INNER_WORDS fields are treated as reals. c is x less the whole number
 * nearest to the mean, so |s| <= n / 2 and v >= |s| / 2: then s_i s_j / n is at
 * most sqrt(v_i v_j), and its rounding affects only the value's last bits. The
 * value is within 2^-50 of the true one.
 *
 * For f32 the 128 products of a run are added with an error of at most 128
 * times 2^-24 of the sum of their absolute values, which by Cauchy-Schwarz is
 * at most sqrt(q_i q_j) over all runs; q has the same error. So the value is
 * within 2^-16, 1.6e-5, of the true one, and commonly within 1e-7; for f64
 * within 2^-44, if a vector's spread is at least 1e-6 of its mean.
 *
 * Two equal vectors have p = v, and so the value 1.
 *
 * If entries are missing, all sums are f64 sums over the n fields that both
 * have, in the order of libcore/kern/dots/joint_dots.h. Each vector is first
 * multiplied by the power of two that brings its largest absolute value into
 * [1/2, 1). For r and r2 the sums are taken about the first number in common
 * or, if v_i < q_i / 8 or v_j < q_j / 8, about the mean s / n found from those
 * sums. A run of a lane has 128 fields, so with up to 2^17 fields sums are
 * right to 2^-45 of the sums of absolute values, and values to 2^-40, commonly
 * 1e-15.
 */
#ifndef VS_METRIC_INNER_H
#define VS_METRIC_INNER_H

#include <math.h>
#include <stdbool.h>

#include "libcore/base/host_device.h"

/* Most fields of 16-bit words: products below 2^32 then sum to at most 2^53, up
 * to which whole numbers are exact in a double. */
#define VS_INNER_WORDS (1 << 21)

/* v, from q and s. */
VS_BOTH double
vs_inner_norm(double n, double q, double s)
{
	double v = q - s * s / n;

	return v > 0 ? v : 0;
}

VS_BOTH double
vs_inner_value(double n, double p, double si, double sj, double vi, double vj)
{
	double d = vi * vj, r;

	if (!(d > 0))
		return 0;
	r = (p - si * sj / n) / sqrt(d);
	return r > 1 ? 1 : r < -1 ? -1 : r;
}

/* True if sums about some number lose more than three bits of v because that
 * number is far from the mean. */
static inline int
vs_inner_cancels(double n, const double q[2], const double s[2])
{
	return q[0] - s[0] * s[0] / n < q[0] / 8 ||
		q[1] - s[1] * s[1] / n < q[1] / 8;
}

/* False if the value of such a pair is 0/0. */
static inline bool
vs_inner_joint_defined(double n, const double q[2], const double s[2])
{
	return n > 0 && vs_inner_norm(n, q[0], s[0]) > 0 &&
		vs_inner_norm(n, q[1], s[1]) > 0;
}

/* Value of a pair of vectors with missing entries. */
static inline double
vs_inner_joint_value(double n, double p, const double q[2], const double s[2])
{
	double vi = n > 0 ? vs_inner_norm(n, q[0], s[0]) : 0;
	double vj = n > 0 ? vs_inner_norm(n, q[1], s[1]) : 0;

	if (vi * vj > 0x1p-900 || !(vi > 0 && vj > 0))
		return vs_inner_value(n, p, s[0], s[1], vi, vj);
	/* the numbers in common are far smaller than the others */
	return fmax(-1, fmin(1, (p - s[0] * s[1] / n) / (sqrt(vi) * sqrt(vj))));
}

#endif
