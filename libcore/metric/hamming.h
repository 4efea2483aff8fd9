/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hamming distance of two vectors of ploidy 1, lower is closer: the number of
 * fields present in both where exactly one of the two has the allele,
 *
 *   q_i + q_j - 2 p
 *
 * It is 0 if no field is present in both.
 */
#ifndef VS_METRIC_HAMMING_H
#define VS_METRIC_HAMMING_H

#include <math.h>

#include "libcore/metric/moment.h"

VS_BOTH double
vs_hamming_value(const struct vs_moments *m)
{
	return (double)(m->qi + m->qj - 2 * m->p);
}

static inline double
vs_hamming_plain(const int64_t joint[4][4])
{
	return (double)(joint[0][1] + joint[1][0]);
}

#define VS_METRIC_hamming                                              \
	.family = VS_FAMILY_MOMENTS, .ploidy = 1, .highest = INFINITY, \
	.lower = true, .labelled = true, .value = vs_hamming_value,    \
	.plain = vs_hamming_plain

#endif
