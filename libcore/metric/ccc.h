/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Custom correlation coefficient of Climer et al. (2014) with multiplier 9/2
 * and gamma 2/3, for genotypes of two alleles:
 *
 *   CCC(a, b) = 9/2 f_ij(a, b) (1 - 2/3 f_i(a)) (1 - 2/3 f_j(b))
 *
 * f_i(1) = s_i / (2 c_i), f_ij = r / (4 c_ij). With A(1) = 3 c - s and
 * A(0) = c + s, so that 1 - 2/3 f(a) = A(a) / (3 c), this is
 *
 *   r A_i A_j / (8 c_ij c_i c_j)
 *
 * Range 0 to 1. Compiled by the C and by the CUDA compiler.
 */
#ifndef VS_METRIC_CCC_H
#define VS_METRIC_CCC_H

#include <stdint.h>

#include "libcore/base/both.h"

/* A(label), exact. */
VS_BOTH int64_t
vs_ccc_factor(int64_t s, int64_t c, int label)
{
	return label ? 3 * c - s : c + s;
}

/*
 * Bound of every value of a vector. With B_t fields of t copies or more in the
 * other one and S = B_1 + B_2 its copies, r <= sum over s, t of min(A_s, B_t)
 * (the rearrangement inequality); of all B with this S that is at most
 *   2 S up to S = 2 A_2, S + 2 A_2 up to 2 A_1, 2 A_1 + 2 A_2 beyond,
 * and the value at most r (3 - (A_1 + A_2) / c) (3 - S / n) / (8 c_ij): two
 * parabolas in S and a falling line, greatest at a vertex or an end.
 */
static inline double
vs_ccc_most(int64_t at_least1, int64_t at_least2, int64_t c, int64_t n,
	int64_t c_ij)
{
	double a1 = (double)at_least1, a2 = (double)at_least2, all = (double)n;
	double s = 1.5 * all < 2 * a2 ? 1.5 * all : 2 * a2;
	double low = 2 * s * (3 - s / all), high;

	s = (3 * all - 2 * a2) / 2;
	s = s < 2 * a2 ? 2 * a2 : s > 2 * a1 ? 2 * a1 : s;
	high = (s + 2 * a2) * (3 - s / all);
	return (low > high ? low : high) * (3 - (a1 + a2) / (double)c) /
		(8 * (double)c_ij);
}

/*
 * Both products below have two factors that are exact in a double while
 * c < 2^24 (r <= 4c, A <= 3c), so each is the correctly rounded exact product
 * whichever vector is called i; no fused multiply-add may arise. A pair that
 * shares no field has value 0.
 */
VS_BOTH double
vs_ccc_value(int64_t r, int64_t factor_i, int64_t c_i, int64_t factor_j,
	int64_t c_j, int64_t c_ij)
{
	double n = (double)(r * factor_i) * (double)factor_j;
	double d = (double)(8 * c_ij * c_i) * (double)c_j;

	return c_ij ? n / d : 0;
}

/*
 * Three vectors: r A_i A_j A_k / (scale c_ijk c_i c_j c_k) with r <= 8 c and
 * A <= 3 c. The first factors of both products are exact in a double, the
 * lower one for being 16 or 2 times an odd multiple of c_ijk c_i that fits 53
 * bits, so the order of the three does not matter here either.
 */
VS_BOTH double
vs_three_value(int64_t scale, int64_t r, const int64_t factor[3],
	const int64_t c[3], int64_t c_ijk)
{
	double n = (double)(r * factor[0]) * (double)(factor[1] * factor[2]);
	double d = (double)(scale * c_ijk * c[0]) * (double)(c[1] * c[2]);

	return c_ijk ? n / d : 0;
}

/* 9/2 f_ijk (1 - 2/3 f_i) (1 - 2/3 f_j) (1 - 2/3 f_k), f_ijk = r / (8 c_ijk);
 * dense data stay below 0.712 */
enum { vs_ccc_scale3 = 48 };

VS_BOTH double
vs_ccc_value3(int64_t r, const int64_t factor[3], const int64_t c[3],
	int64_t c_ijk)
{
	return vs_three_value(vs_ccc_scale3, r, factor, c, c_ijk);
}

/* What is stored of r, of a pair and of a triple. */
VS_BOTH int32_t
vs_ccc_num(int32_t r)
{
	return r;
}

VS_BOTH int32_t
vs_ccc_num3(int32_t r)
{
	return r;
}

#endif
