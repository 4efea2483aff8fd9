/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linkage disequilibrium of haplotypes: D = f_11 - f_1. f_.1, of two variants
 * whose calls may be unphased.
 *
 * Of n haplotypes, two of each sample, K_11, K_12, K_21 and K_22 are known from
 * the calls, and H samples are heterozygous at both variants: each has either a
 * 11 and a 22 or a 12 and a 21. If x of them have the former, the likelihood
 *
 *   g_11^K_11 g_12^K_12 g_21^K_21 g_22^K_22 (g_11 g_22 + g_12 g_21)^H
 *
 * with g_11 = K_11 + x, g_22 = K_22 + x, g_12 = K_12 + H - x, g_21 = K_21 + H -
 * x is greatest where x = H g_11 g_22 / (g_11 g_22 + g_12 g_21), a cubic
 * equation (Hill 1974, Heredity 33:229). It has one or two maxima in [0, H]; if
 * both are equally likely, the one with the lower D is taken. Haplotypes that
 * are known, of ploidy 1, are samples with two equal ones: H = 0.
 */
#ifndef VS_METRIC_PHASE_H
#define VS_METRIC_PHASE_H

#include <stdbool.h>
#include <stdint.h>

#include "libcore/metric/moment.h"

/*
 * n^2 D, with the same bits on every machine, whichever variant comes first;
 * other labels of a variant only change its sign. Relative error about 1e-15
 * near 0 too.
 *
 * known  K_11, K_12, K_21, K_22, together less than 2^25
 * both   H
 */
double vs_phase_d(const int64_t known[4], int64_t both);

/* D of vectors and its bounds, all n^2 times; 0 if one of the vectors is
 * constant, even heterozygous. */
struct vs_phase {
	double d, most, least; /* d is within -least and most */
	double n2, variances;  /* n^2; n_1. n_2. n_.1 n_.2 */
};

/* m->both has been counted. */
struct vs_phase vs_phase_of(const struct vs_moments *m);

/* The same D / n^2 by its definition, for the plain ones. */
struct vs_phase vs_phase_plain(const int64_t joint[4][4]);

#endif
