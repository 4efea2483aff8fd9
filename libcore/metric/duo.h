/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Duo similarity of binary vectors (haplotypes, presence and absence), with
 * multiplier 4 and gamma 2/3:
 *
 *   DUO(a, b) = 4 f_ij(a, b) (1 - 2/3 f_i(a)) (1 - 2/3 f_j(b))
 *
 * With 1 taken as genotype 2 all its frequencies are those of CCC, so counts
 * and sums are CCC's and the value is 8/9 of it:
 *
 *   r A_i A_j / (9 c_ij c_i c_j)
 *
 * where r counts each field 4 times. Range 0 to 8/9. Compiled by the C and by
 * the CUDA compiler.
 */
#ifndef VS_METRIC_DUO_H
#define VS_METRIC_DUO_H

#include "libcore/metric/ccc.h"

VS_BOTH int64_t
vs_duo_factor(int64_t s, int64_t c, int label)
{
	return vs_ccc_factor(s, c, label);
}

static inline double
vs_duo_most(int64_t at_least1, int64_t at_least2, int64_t c, int64_t n,
	int64_t c_ij)
{
	return vs_ccc_most(at_least1, at_least2, c, n, c_ij) * 8 / 9;
}

/* As vs_ccc_value(). */
VS_BOTH double
vs_duo_value(int64_t r, int64_t factor_i, int64_t c_i, int64_t factor_j,
	int64_t c_j, int64_t c_ij)
{
	double n = (double)(r * factor_i) * (double)factor_j;
	double d = (double)(9 * c_ij * c_i) * (double)c_j;

	return c_ij ? n / d : 0;
}

/* Fields with both, of r. */
VS_BOTH int32_t
vs_duo_num(int32_t r)
{
	return r / 4;
}

/* 4 f_ijk (1 - 2/3 f_i) (1 - 2/3 f_j) (1 - 2/3 f_k); r counts a field 8 times */
enum { vs_duo_scale3 = 54 };

VS_BOTH double
vs_duo_value3(int64_t r, const int64_t factor[3], const int64_t c[3],
	int64_t c_ijk)
{
	return vs_three_value(vs_duo_scale3, r, factor, c, c_ijk);
}

VS_BOTH int32_t
vs_duo_num3(int32_t r)
{
	return r / 8;
}

#endif
