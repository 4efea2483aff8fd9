/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * r2, the squared correlation of two vectors, 0 to 1; for numbers see inner.h;
 * for genotypes:
 *
 *   (c p - s_i s_j)^2 / ((c q_i - s_i^2) (c q_j - s_j^2)),  0 where that is 0
 */
#ifndef VS_METRIC_R2_H
#define VS_METRIC_R2_H

#include <math.h>

#include "libcore/metric/moment.h"

/*
 * All factors are integers below 2^53, so each product is correctly rounded, in
 * either order of the vectors. Rounding is monotonic: no value is above 1.
 */
VS_BOTH double
vs_r2_value(const struct vs_moments *m)
{
	double cov = (double)(m->c * m->p - m->si * m->sj);
	double d = (double)(m->c * m->qi - m->si * m->si) *
		(double)(m->c * m->qj - m->sj * m->sj);

	return d > 0 ? cov * cov / d : 0;
}

static inline double
vs_r2_least(double t)
{
	return sqrt(t);
}

static inline double
vs_r2_plain(const int64_t joint[4][4])
{
	const struct vs_moments_plain m = vs_moments_of(joint);
	double cov = m.n * m.p - m.si * m.sj;
	double var = (m.n * m.qi - m.si * m.si) * (m.n * m.qj - m.sj * m.sj);

	return var > 0 ? cov * cov / var : 0;
}

#define VS_METRIC_r2                                                          \
	.family = VS_FAMILY_MOMENTS, .highest = 1, .itself = 1,               \
	.undefined = VS_UNDEFINED_CONSTANT, .numbers = true, .centred = true, \
	.squared = true, .value = vs_r2_value, .least = vs_r2_least,          \
	.plain = vs_r2_plain, .device = VS_DEVICE_R2

#endif
