/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Absolute value of D', 0 to 1: linkage disequilibrium of two variants as a
 * share of the most that their allele frequencies allow; see phase.h:
 *
 *   D / min(f_1. f_.2, f_2. f_.1) if D > 0, else -D / min(f_1. f_.1, f_2. f_.2)
 *
 * It is 0 if one of the two is constant.
 */
#ifndef VS_METRIC_DPRIME_H
#define VS_METRIC_DPRIME_H

#include "libcore/metric/phase.h"

static inline double
vs_dprime_share(struct vs_phase x)
{
	return x.d > 0 ? x.d / x.most : x.d < 0 ? -x.d / x.least : 0;
}

static inline double
vs_dprime_value(const struct vs_moments *m)
{
	return vs_dprime_share(vs_phase_of(m));
}

static inline double
vs_dprime_plain(const int64_t joint[4][4])
{
	return vs_dprime_share(vs_phase_plain(joint));
}

#define VS_METRIC_dprime                                        \
	.family = VS_FAMILY_MOMENTS, .highest = 1, .itself = 1, \
	.undefined = VS_UNDEFINED_CONSTANT, .phased = true,     \
	.value = vs_dprime_value, .plain = vs_dprime_plain

#endif
