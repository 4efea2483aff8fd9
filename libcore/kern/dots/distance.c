/* SPDX-License-Identifier: BSD-3-Clause */
/* Euclidean distance of two vectors of reals. */
#include <math.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/kern/dots/distance.h"
#include "libcore/kern/dots/joint_dots.h"

#define LANES VS_JOINT_DOTS_LANES

typedef double lanes __attribute__((vector_size(8 * LANES)));
typedef float singles __attribute__((vector_size(4 * LANES)));

/* Sum of a register's lanes. */
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

/* Sum of the squared differences: name_f32_any and name_f64_any, by CPU. */
#define SQUARES(name, type, reg)                                            \
	VS_INLINE void take_##name(lanes *to, const type *from)             \
	{                                                                   \
		reg x;                                                      \
                                                                            \
		memcpy(&x, from, sizeof(x));                                \
		*to = __builtin_convertvector(x, lanes);                    \
	}                                                                   \
                                                                            \
	VS_INLINE double name##_any(const type *u, const type *v, size_t n) \
	{                                                                   \
		lanes sum = { 0 };                                          \
                                                                            \
		for (size_t lo = 0; lo < n; lo += VS_JOINT_DOTS_RUN) {      \
			size_t hi = n - lo < VS_JOINT_DOTS_RUN              \
				? n                                         \
				: lo + VS_JOINT_DOTS_RUN;                   \
			type last[2][LANES] = { { 0 } };                    \
			lanes run = { 0 }, x, y;                            \
			size_t k = lo;                                      \
                                                                            \
			for (; k + LANES <= hi; k += LANES) {               \
				take_##name(&x, u + k);                     \
				take_##name(&y, v + k);                     \
				run += (x - y) * (x - y);                   \
			}                                                   \
			for (size_t l = 0; k + l < hi; l++) {               \
				last[0][l] = u[k + l];                      \
				last[1][l] = v[k + l];                      \
			}                                                   \
			take_##name(&x, last[0]);                           \
			take_##name(&y, last[1]);                           \
			sum += run + (x - y) * (x - y);                     \
		}                                                           \
		return total(&sum);                                         \
	}                                                                   \
                                                                            \
	VS_BY_CPU(double, name, (u, v, n), const type *u, const type *v,    \
		size_t n)

SQUARES(squares_f32, float, singles)
SQUARES(squares_f64, double, lanes)

/* Differences, times the power of two that brings the largest below 1. */
static double
scaled(enum vs_element element, const void *u, const void *v, size_t n)
{
	double most = 0, lane[LANES] = { 0 }, run[LANES];
	lanes sum;
	int e;

	for (size_t k = 0; k < n; k++)
		most = fmax(most,
			fabs(vs_element_get(element, u, k) -
				vs_element_get(element, v, k)));
	frexp(most, &e);
	for (size_t lo = 0; lo < n && most > 0; lo += VS_JOINT_DOTS_RUN) {
		memset(run, 0, sizeof(run));
		for (size_t k = lo; k < n && k < lo + VS_JOINT_DOTS_RUN; k++) {
			double x = ldexp(vs_element_get(element, u, k) -
					vs_element_get(element, v, k),
				-e);

			run[k % LANES] += x * x;
		}
		for (size_t l = 0; l < LANES; l++)
			lane[l] += run[l];
	}
	memcpy(&sum, lane, sizeof(sum));
	return ldexp(sqrt(total(&sum)), e);
}

double
vs_distance(enum vs_cpu cpu, enum vs_element element, const void *u,
	const void *v, size_t n_field)
{
	double sum = element == VS_NUM_F32 ? squares_f32(cpu, u, v, n_field)
					   : squares_f64(cpu, u, v, n_field);

	return sum >= 0x1p-900 && sum <= 0x1p900
		? sqrt(sum)
		: scaled(element, u, v, n_field);
}
