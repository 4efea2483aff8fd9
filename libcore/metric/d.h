/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linkage disequilibrium D of two variants, -1/4 to 1/4; see phase.h
 *
 * It is 0 if one of the two is constant.
 */
#ifndef VS_METRIC_D_H
#define VS_METRIC_D_H

#include <math.h>

#include "libcore/metric/phase.h"

static inline double
vs_d_share(struct vs_phase x)
{
	return x.n2 > 0 ? x.d / x.n2 : 0;
}

static inline double
vs_d_value(const struct vs_moments *m)
{
	return vs_d_share(vs_phase_of(m));
}

static inline double
vs_d_plain(const int64_t joint[4][4])
{
	return vs_d_share(vs_phase_plain(joint));
}

#define VS_METRIC_d                                                          \
	.family = VS_FAMILY_MOMENTS, .lowest = -0.25, .highest = 0.25,       \
	.itself = NAN, .labelled = true, .undefined = VS_UNDEFINED_CONSTANT, \
	.phased = true, .value = vs_d_value, .plain = vs_d_plain

#endif
