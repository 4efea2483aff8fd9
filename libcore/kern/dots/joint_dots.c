/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of two vectors of f64 over the fields that both have. */
#include <math.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/kern/dots/joint_dots.h"

#define LANES VS_JOINT_DOTS_LANES

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef int64_t masks __attribute__((vector_size(8 * LANES)));

struct sums {
	masks n;
	lanes s[2], q[2], p;
};

/* Add LANES fields. */
VS_INLINE void
add(struct sums *a, const double *u, const double *v, const double at[2])
{
	lanes x, y, both;
	masks joint;

	memcpy(&x, u, sizeof(x));
	memcpy(&y, v, sizeof(y));
	x -= at[0];
	y -= at[1];
	/* NaN if one of the two is */
	both = x + y;
	joint = both == both;
	x = (lanes)((masks)x & joint);
	y = (lanes)((masks)y & joint);
	a->n -= joint;
	a->s[0] += x;
	a->s[1] += y;
	a->q[0] += x * x;
	a->q[1] += y * y;
	a->p += x * y;
}

/* A run of n fields; those past the last count as missing. */
VS_INLINE void
add_run(struct sums *to, const double *u, const double *v, size_t n,
	const double at[2])
{
	struct sums a = { .n = to->n };
	double last[2][LANES];
	size_t k = 0;

	for (; k + LANES <= n; k += LANES)
		add(&a, u + k, v + k, at);
	if (k < n) {
		for (size_t x = 0; x < LANES; x++) {
			last[0][x] = k + x < n ? u[k + x] : (double)NAN;
			last[1][x] = k + x < n ? v[k + x] : (double)NAN;
		}
		add(&a, last[0], last[1], at);
	}
	to->n = a.n;
	for (int x = 0; x < 2; x++) {
		to->s[x] += a.s[x];
		to->q[x] += a.q[x];
	}
	to->p += a.p;
}

static double
total(const lanes *of)
{
	double x[LANES];

	memcpy(x, of, sizeof(x));
	for (int step = LANES / 2; step; step /= 2)
		for (int l = 0; l < step; l++)
			x[l] += x[l + step];
	return x[0];
}

VS_INLINE void
sum_any(const double *u, const double *v, size_t n_field, const double at[2],
	struct vs_joint_dots *out)
{
	struct sums a = { 0 };

	for (size_t lo = 0; lo < n_field; lo += VS_JOINT_DOTS_RUN) {
		size_t n = n_field - lo;

		add_run(&a, u + lo, v + lo,
			n < VS_JOINT_DOTS_RUN ? n : VS_JOINT_DOTS_RUN, at);
	}
	out->n = 0;
	for (int l = 0; l < LANES; l++)
		out->n += a.n[l];
	for (int x = 0; x < 2; x++) {
		out->s[x] = total(&a.s[x]);
		out->q[x] = total(&a.q[x]);
	}
	out->p = total(&a.p);
}

VS_BY_CPU(void, sum, (u, v, n_field, at, out), const double *u, const double *v,
	size_t n_field, const double at[2], struct vs_joint_dots *out)

void
vs_joint_dots(enum vs_cpu cpu, const double *u, const double *v, size_t n_field,
	const double at[2], struct vs_joint_dots *out)
{
	sum(cpu, u, v, n_field, at, out);
}
