/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cosine of two vectors. For numbers see inner.h; for genotypes, 0 to 1, it is
 * that of the alleles labelled 1:
 *
 *   p / sqrt(q_i q_j),  0 where a vector has no copy
 */
#ifndef VS_METRIC_COSINE_H
#define VS_METRIC_COSINE_H

#include <math.h>

#include "libcore/metric/moment.h"

VS_BOTH double
vs_cosine_value(const struct vs_moments *m)
{
	double d = (double)m->qi * (double)m->qj;

	return d > 0 ? (double)m->p / sqrt(d) : 0;
}

static inline double
vs_cosine_least(double t)
{
	return t;
}

static inline double
vs_cosine_plain(const int64_t joint[4][4])
{
	const struct vs_moments_plain m = vs_moments_of(joint);

	return m.p > 0 ? m.p / sqrt(m.qi * m.qj) : 0;
}

#define VS_METRIC_cosine                                                   \
	.family = VS_FAMILY_MOMENTS, .highest = 1, .itself = 1,            \
	.undefined = VS_UNDEFINED_ZERO, .numbers = true, .labelled = true, \
	.value = vs_cosine_value, .least = vs_cosine_least,                \
	.plain = vs_cosine_plain, .device = VS_DEVICE_COSINE

#endif
