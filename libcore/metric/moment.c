/* SPDX-License-Identifier: BSD-3-Clause */
#include "libcore/metric/moment.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

double
vs_r_value(const struct vs_moments *m)
{
	double cov = (double)(m->c * m->p - m->si * m->sj);
	double d = (double)(m->c * m->qi - m->si * m->si) *
		(double)(m->c * m->qj - m->sj * m->sj);

	return d > 0 ? cov / sqrt(d) : 0;
}

double
vs_cosine_value(const struct vs_moments *m)
{
	double d = (double)m->qi * (double)m->qj;

	return d > 0 ? (double)m->p / sqrt(d) : 0;
}

const struct vs_moment *
vs_moment_find(const char *name)
{
	static const struct vs_moment moments[] = {
		{ "r2", vs_r2_value, 1, 1 },
		{ "r", vs_r_value, 1, 0 },
		{ "cosine", vs_cosine_value, 0, 0 },
	};

	for (size_t k = 0; k < sizeof(moments) / sizeof(moments[0]); k++)
		if (!strcmp(moments[k].name, name))
			return &moments[k];
	return NULL;
}
