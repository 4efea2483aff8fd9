/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Correlation of the genotypes of a pair over the fields present in both:
 * r (Pearson's, label 1 counted in each), its square, and the cosine.
 *
 * With c such fields, p = sum g_i g_j, s = sum g and q = sum g^2 of each over
 * these fields:
 *
 *   r       (c p - s_i s_j) / sqrt((c q_i - s_i^2) (c q_j - s_j^2))
 *   r2      its square
 *   cosine  p / sqrt(q_i q_j)
 *
 * 0 where a denominator is. Ranges -1 to 1, 0 to 1, 0 to 1. Compiled by the C
 * and by the CUDA compiler.
 */
#ifndef VS_METRIC_MOMENT_H
#define VS_METRIC_MOMENT_H

#include <math.h>
#include <stdint.h>

#include "libcore/base/both.h"

struct vs_moments {
	int64_t c, p, si, sj, qi, qj;
};

/*
 * All factors are integers below 2^53 while c < 2^24, so each product is the
 * correctly rounded exact one whichever vector is called i. Rounding does not
 * turn an order around: no r2 comes out above 1.
 */
VS_BOTH double
vs_r2_value(const struct vs_moments *m)
{
	double cov = (double)(m->c * m->p - m->si * m->sj);
	double d = (double)(m->c * m->qi - m->si * m->si) *
		(double)(m->c * m->qj - m->sj * m->sj);

	return d > 0 ? cov * cov / d : 0;
}

VS_BOTH double
vs_r_value(const struct vs_moments *m)
{
	double cov = (double)(m->c * m->p - m->si * m->sj);
	double d = (double)(m->c * m->qi - m->si * m->si) *
		(double)(m->c * m->qj - m->sj * m->sj);

	return d > 0 ? cov / sqrt(d) : 0;
}

VS_BOTH double
vs_cosine_value(const struct vs_moments *m)
{
	double d = (double)m->qi * (double)m->qj;

	return d > 0 ? (double)m->p / sqrt(d) : 0;
}

/* The values that devices have code for. */
enum vs_moment_device {
	VS_DEVICE_NONE, /* computed by the CPU alone */
	VS_DEVICE_R2,
	VS_DEVICE_R,
	VS_DEVICE_COSINE
};

/* One of them; the test that goes before the recipe is in the engine. */
struct vs_moment {
	const char *name;
	double (*value)(const struct vs_moments *m);
	int centred; /* about the means: r, r2 */
	int squared; /* both signs pass */
	/* the value by this name on a device; a row that does not say is of the
	 * CPU alone */
	enum vs_moment_device device;
};

/* The one of this name, or null. */
const struct vs_moment *vs_moment_find(const char *name);

#endif
