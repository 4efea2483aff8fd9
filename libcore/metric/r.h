/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * r, Pearson's correlation of two vectors, -1 to 1; for genotypes of the
 * alleles labelled 1; for numbers see inner.h:
 *
 *   (c p - s_i s_j) / sqrt((c q_i - s_i^2) (c q_j - s_j^2)),  0 where that is 0
 */
#ifndef VS_METRIC_R_H
#define VS_METRIC_R_H

#include <math.h>

#include "libcore/metric/moment.h"

VS_BOTH double
vs_r_value(const struct vs_moments *m)
{
	double cov = (double)(m->c * m->p - m->si * m->sj);
	double d = (double)(m->c * m->qi - m->si * m->si) *
		(double)(m->c * m->qj - m->sj * m->sj);

	return d > 0 ? cov / sqrt(d) : 0;
}

static inline double
vs_r_least(double t)
{
	return t;
}

static inline double
vs_r_plain(const int64_t joint[4][4])
{
	const struct vs_moments_plain m = vs_moments_of(joint);
	double cov = m.n * m.p - m.si * m.sj;
	double var = (m.n * m.qi - m.si * m.si) * (m.n * m.qj - m.sj * m.sj);

	return var > 0 ? cov / sqrt(var) : 0;
}

#define VS_METRIC_r                                                         \
	.family = VS_FAMILY_MOMENTS, .highest = 1, .itself = 1,             \
	.undefined = VS_UNDEFINED_CONSTANT, .lowest = -1, .labelled = true, \
	.numbers = true, .centred = true, .value = vs_r_value,              \
	.least = vs_r_least, .plain = vs_r_plain, .device = VS_DEVICE_R

#endif
