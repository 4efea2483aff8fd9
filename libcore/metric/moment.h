/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics of moments: one value of a pair from the sums of its genotypes and of
 * their products over the fields present in both.
 *
 * With c such fields: p = sum g_i g_j, s = sum g and q = sum g^2 of each
 * vector, the copies of the allele labelled 1 being counted. All are integers,
 * and c p, s s and c q below 2^53 while c < 2^24. Compiled by the C and by the
 * CUDA compiler.
 */
#ifndef VS_METRIC_MOMENT_H
#define VS_METRIC_MOMENT_H

#include <stdint.h>

#include "libcore/base/host_device.h"

struct vs_moments {
	int64_t c, p, si, sj, qi, qj;
	int64_t both; /* fields heterozygous in both; only for phase.h */
};

/*
 * Moments from joint[x][y], the number of fields with genotype x in i and y in
 * j (3: missing), for the plain definitions, which share no code with the
 * recipes.
 */
struct vs_moments_plain {
	double n, p, si, sj, qi, qj;
};

static inline struct vs_moments_plain
vs_moments_of(const int64_t joint[4][4])
{
	struct vs_moments_plain m = { 0, 0, 0, 0, 0, 0 };

	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			double n = (double)joint[x][y];

			m.n += n;
			m.p += x * y * n;
			m.si += x * n;
			m.sj += y * n;
			m.qi += x * x * n;
			m.qj += y * y * n;
		}
	return m;
}

#endif
