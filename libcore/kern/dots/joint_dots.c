/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of two vectors of f64 over the fields that both have. */
#include <math.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/kern/dots/joint_dots.h"

/* Sum of VS_JOINT_DOTS_LANES doubles. */
static double
total(const void *of)
{
	double x[VS_JOINT_DOTS_LANES];

	memcpy(x, of, sizeof(x));
	for (int step = VS_JOINT_DOTS_LANES / 2; step; step /= 2)
		for (int l = 0; l < step; l++)
			x[l] += x[l + step];
	return x[0];
}

#define SUM sum_scalar
#define TARGET
#define WIDTH 2
#include "libcore/kern/dots/joint_dots_lanes.h"

#if defined(__x86_64__)
#define SUM sum_avx2
#define TARGET __attribute__((target("avx2")))
#define WIDTH 4
#include "libcore/kern/dots/joint_dots_lanes.h"

#define SUM sum_avx512
#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define WIDTH 8
#include "libcore/kern/dots/joint_dots_lanes.h"
#endif

void
vs_joint_dots(enum vs_cpu cpu, const double *u, const double *v, size_t n_field,
	const double at[2], struct vs_joint_dots *out)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512) {
		sum_avx512(u, v, n_field, at, out);
		return;
	}
	if (cpu >= VS_CPU_AVX2) {
		sum_avx2(u, v, n_field, at, out);
		return;
	}
#endif
	(void)cpu;
	sum_scalar(u, v, n_field, at, out);
}
