/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over fields in common, and distances, against sums taken field by field
 * in the order that the headers state: on every CPU level, of every length
 * across a register and a run, before a guard page.
 */
#include <math.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/kern/dots/distance.h"
#include "libcore/kern/dots/joint_dots.h"
#include "tests/unit/fence.h"
#include "tests/unit/test.h"

#define MOST 2060

static double u[MOST], v[MOST];

/* 0 to 1. */
static double
unit(struct vs_rng *rng)
{
	return (double)(vs_rng_next(rng) >> 11) * 0x1p-53;
}

static void
fill(size_t n, bool missing, struct vs_rng *rng)
{
	for (size_t k = 0; k < n; k++) {
		u[k] = unit(rng) - 0.5;
		v[k] = u[k] + unit(rng);
		if (missing && !vs_rng_below(rng, 4))
			u[k] = NAN;
		if (missing && !vs_rng_below(rng, 4))
			v[k] = -(double)NAN;
	}
}

/* Sum over lanes and runs of f(k). */
static double
in_order(size_t n, double (*f)(size_t k, const double at[2]),
	const double at[2])
{
	double lane[8];

	for (size_t l = 0; l < 8; l++) {
		lane[l] = 0;
		for (size_t lo = 0; lo < n; lo += 1024) {
			double run = 0;

			for (size_t k = lo + l; k < n && k < lo + 1024; k += 8)
				run += f(k, at);
			lane[l] += run;
		}
	}
	return lane[0] + lane[4] + (lane[2] + lane[6]) +
		(lane[1] + lane[5] + (lane[3] + lane[7]));
}

static double
first(size_t k, const double at[2])
{
	return isnan(u[k]) || isnan(v[k]) ? 0 : u[k] - at[0];
}

static double
second(size_t k, const double at[2])
{
	return isnan(u[k]) || isnan(v[k]) ? 0 : v[k] - at[1];
}

static double
first_squared(size_t k, const double at[2])
{
	return first(k, at) * first(k, at);
}

static double
second_squared(size_t k, const double at[2])
{
	return second(k, at) * second(k, at);
}

static double
both(size_t k, const double at[2])
{
	return first(k, at) * second(k, at);
}

static double
apart(size_t k, const double at[2])
{
	double scale = at[0], x = u[k] * scale - v[k] * scale;

	return x * x;
}

static bool
same(const struct vs_joint_dots *a, const struct vs_joint_dots *b)
{
	return a->n == b->n && !memcmp(a->s, b->s, sizeof(a->s)) &&
		!memcmp(a->q, b->q, sizeof(a->q)) && a->p == b->p;
}

/* A copy that ends where the fence begins. */
static double *
fenced(char *fence, const double *x, size_t n)
{
	double *to = (double *)fence - n;

	memcpy(to, x, n * sizeof(*x));
	return to;
}

static bool
try_joint(char *const fence[2], size_t n, enum vs_cpu cpu)
{
	const double at[2] = { 0.125, -3 }, turned[2] = { -3, 0.125 };
	struct vs_joint_dots want = { 0, { 0, 0 }, { 0, 0 }, 0 }, got, other;
	const double *a = fenced(fence[0], u, n), *b = fenced(fence[1], v, n);

	for (size_t k = 0; k < n; k++)
		want.n += !isnan(u[k]) && !isnan(v[k]);
	want.s[0] = in_order(n, first, at);
	want.s[1] = in_order(n, second, at);
	want.q[0] = in_order(n, first_squared, at);
	want.q[1] = in_order(n, second_squared, at);
	want.p = in_order(n, both, at);
	vs_joint_dots(cpu, a, b, n, at, &got);
	vs_joint_dots(cpu, b, a, n, turned, &other);
	return same(&got, &want) && other.n == got.n &&
		other.s[0] == got.s[1] && other.q[1] == got.q[0] &&
		other.p == got.p;
}

static bool
try_distance(char *const fence[2], size_t n, enum vs_cpu cpu)
{
	static const double scales[] = { 1, 0x1p-700, 0x1p800, 0 };
	bool right = true;

	for (int s = 0; s < 4; s++) {
		const double one[2] = { 1, 0 };
		double want = sqrt(in_order(n, apart, one)) * scales[s];
		double *a = fenced(fence[0], u, n), *b = fenced(fence[1], v, n);
		double got;

		for (size_t k = 0; k < n; k++) {
			a[k] *= scales[s];
			b[k] *= scales[s];
		}
		got = vs_distance(cpu, VS_NUM_F64, a, b, n);
		/* a power of two that is divided by changes no bit */
		right &= got == want &&
			got == vs_distance(cpu, VS_NUM_F64, b, a, n);
	}
	return right;
}

static bool
try_singles(char *const fence[2], size_t n, enum vs_cpu cpu)
{
	const double one[2] = { 1, 0 };
	float *a = (float *)fence[0] - n, *b = (float *)fence[1] - n;

	for (size_t k = 0; k < n; k++) {
		u[k] = a[k] = (float)u[k];
		v[k] = b[k] = (float)v[k];
	}
	return vs_distance(cpu, VS_NUM_F32, a, b, n) ==
		sqrt(in_order(n, apart, one));
}

int
main(void)
{
	char *fence[2] = { fence_new(sizeof(u)), fence_new(sizeof(u)) };
	struct vs_rng rng;

	vs_rng_seed(&rng, 18);
	for (enum vs_cpu cpu = VS_CPU_SCALAR; cpu <= vs_cpu_best(); cpu++) {
		int wrong[3] = { 0 };

		for (size_t n = 0; n <= MOST; n += n == 70 ? 930 : 1) {
			if (n > 1040 && n < 2040)
				continue;
			fill(n, true, &rng);
			wrong[0] += !try_joint(fence, n, cpu);
			fill(n, false, &rng);
			wrong[0] += !try_joint(fence, n, cpu);
			wrong[1] += !try_distance(fence, n, cpu);
			wrong[2] += !try_singles(fence, n, cpu);
		}
		T_OK(!wrong[0], "%s: sums over fields in common: %d wrong",
			vs_cpu_name(cpu), wrong[0]);
		T_OK(!wrong[1],
			"%s: distances of f64, huge and tiny too: %d "
			"wrong",
			vs_cpu_name(cpu), wrong[1]);
		T_OK(!wrong[2], "%s: distances of f32: %d wrong",
			vs_cpu_name(cpu), wrong[2]);
	}
	for (int k = 0; k < 2; k++)
		fence_free(fence[k], sizeof(u));
	return T_DONE();
}
