/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Squared correlation of haplotypes, D^2 / (f_1. f_2. f_.1 f_.2), 0 to 1; see
 * phase.h
 *
 * It is 0 if one of the two is constant.
 */
#ifndef VS_METRIC_R2EM_H
#define VS_METRIC_R2EM_H

#include "libcore/metric/phase.h"

static inline double
vs_r2em_share(struct vs_phase x)
{
	return x.variances > 0 ? x.d * x.d / x.variances : 0;
}

static inline double
vs_r2em_value(const struct vs_moments *m)
{
	return vs_r2em_share(vs_phase_of(m));
}

static inline double
vs_r2em_plain(const int64_t joint[4][4])
{
	return vs_r2em_share(vs_phase_plain(joint));
}

#define VS_METRIC_r2em                                          \
	.family = VS_FAMILY_MOMENTS, .highest = 1, .itself = 1, \
	.undefined = VS_UNDEFINED_CONSTANT, .phased = true,     \
	.value = vs_r2em_value, .plain = vs_r2em_plain

#endif
