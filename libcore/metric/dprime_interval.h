/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Confidence interval of D' of two variants, as of Haploview and PLINK 1.9's
 * --blocks (Gabriel et al. 2002, Science 296:2225).
 *
 * With the allele frequencies fixed, L(q) is the likelihood of D' = q / 100, q
 * from 0 to 100, on the side of 0 of the most likely D (phase.h). One 20th of
 * the sum of L lies above the interval, and one 20th below it, in steps of
 * 0.01: with S(q) = L(q) + ... + L(100), the upper end is at least (q + 1) /
 * 100 if S(q) > S(0) / 20, and the lower end at least (q - 1) / 100 if S(q) >
 * S(0) * 19 / 20.
 */
#ifndef VS_METRIC_DPRIME_INTERVAL_H
#define VS_METRIC_DPRIME_INTERVAL_H

#include <stdint.h>

#include "libcore/bits/cpu.h"

/* Kinds of intervals: the upper end is low, or not high, or it is high, and the
 * lower end is below the first limit or reaches the first, second ... */
enum vs_interval {
	VS_INTERVAL_LOW,
	VS_INTERVAL_UNSURE,
	VS_INTERVAL_HIGH,
};

#define VS_INTERVAL_LIMITS 4

/* Values of q, above 0; S(q) decides. */
struct vs_interval_limits {
	int low, high;                 /* of the upper end */
	int least[VS_INTERVAL_LIMITS]; /* ascending */
};

/*
 * known, both  as for vs_phase_d()
 * returns      VS_INTERVAL_LOW: the upper end is below `low`, which is at most
 *              `high`; VS_INTERVAL_UNSURE: below `high`, or a variant is
 *              constant; VS_INTERVAL_HIGH + n: the lower end reaches n limits.
 *              The same on every machine.
 */
int vs_dprime_interval(enum vs_cpu cpu, const struct vs_interval_limits *limit,
	const int64_t known[4], int64_t both);

#endif
