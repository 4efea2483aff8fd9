/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Yule's Q of two vectors of ploidy 1, -1 to 1: with n_xy the fields present in
 * both with allele x in the first and y in the second
 *
 *   (n_11 n_00 - n_10 n_01) / (n_11 n_00 + n_10 n_01)
 *
 * It is 0 for 0/0, for instance if one of the two is constant.
 */
#ifndef VS_METRIC_YULE_H
#define VS_METRIC_YULE_H

#include "libcore/metric/moment.h"

/* Products of two counts are below 2^48, so one rounding makes the value. */
VS_BOTH double
vs_yule_value(const struct vs_moments *m)
{
	int64_t like = m->p * (m->c - m->si - m->sj + m->p);
	int64_t unlike = (m->si - m->p) * (m->sj - m->p);

	return like + unlike > 0
		? (double)(like - unlike) / (double)(like + unlike)
		: 0;
}

/* From the four counts themselves. */
static inline double
vs_yule_plain(const int64_t joint[4][4])
{
	const double like = (double)joint[1][1] * (double)joint[0][0];
	const double unlike = (double)joint[1][0] * (double)joint[0][1];

	if (!(like > 0) || !(unlike > 0))
		return like > 0 ? 1 : unlike > 0 ? -1 : 0;
	return (like - unlike) / (like + unlike);
}

#define VS_METRIC_yule                                                        \
	.family = VS_FAMILY_MOMENTS, .ploidy = 1, .lowest = -1, .highest = 1, \
	.itself = 1, .undefined = VS_UNDEFINED_CONSTANT, .labelled = true,    \
	.value = vs_yule_value, .plain = vs_yule_plain

#endif
