/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jaccard index of two genotype vectors, 0 to 1, of the alleles labelled 1; for
 * counts 0 1 2 it is also called Tanimoto's coefficient:
 *
 *   p / (q_i + q_j - p),  0 where neither vector has a copy
 *
 * For haploid vectors: the fields with 1 in both over those with 1 in either.
 */
#ifndef VS_METRIC_JACCARD_H
#define VS_METRIC_JACCARD_H

#include "libcore/metric/moment.h"

VS_BOTH double
vs_jaccard_value(const struct vs_moments *m)
{
	int64_t either = m->qi + m->qj - m->p;

	return either > 0 ? (double)m->p / (double)either : 0;
}

/*
 * By q_i + q_j >= 2 sqrt(q_i q_j), t (q_i + q_j) < (1 + t) p implies that the
 * cosine p / sqrt(q_i q_j) is above 2 t / (1 + t).
 */
static inline double
vs_jaccard_least(double t)
{
	return 2 * t / (1 + t);
}

/*
 * Sum of the products over the sum of g_i^2 + g_j^2 - g_i g_j, field by field.
 */
static inline double
vs_jaccard_plain(const int64_t joint[4][4])
{
	int64_t both = 0, either = 0;

	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			both += joint[x][y] * (x * y);
			either += joint[x][y] * (x * x + y * y - x * y);
		}
	return either ? (double)both / (double)either : 0;
}

#define VS_METRIC_jaccard                                       \
	.family = VS_FAMILY_MOMENTS, .highest = 1, .itself = 1, \
	.undefined = VS_UNDEFINED_ZEROS, .labelled = true,      \
	.value = vs_jaccard_value, .least = vs_jaccard_least,   \
	.plain = vs_jaccard_plain, .device = VS_DEVICE_JACCARD

#endif
