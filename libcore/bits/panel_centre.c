/* SPDX-License-Identifier: BSD-3-Clause */
/* Centring and scaling of numeric vectors for inner products. */
#include <math.h>
#include <string.h>

#include "libcore/bits/panel.h"

#define RUN VS_NUMBERS_RUN
/* Numbers below LOW, whose mean might lose digits, are multiplied by LIFT:
 * exact. */
#define LOW 0x1p-900
#define LIFT 0x1p600

/* A number times 2^-e, rounded once even if that is subnormal. */
static double
scaled(double x, int e, double factor)
{
	return isnormal(factor) ? x * factor : ldexp(x, -e);
}

#define CENTRE(name, type)                                                     \
	static bool all_same_##name(const type *x, size_t n)                   \
	{                                                                      \
		size_t q = 1;                                                  \
                                                                               \
		while (q < n && x[q] == x[0])                                  \
			q++;                                                   \
		return q >= n;                                                 \
	}                                                                      \
                                                                               \
	/* Mean of the residuals about m. */                                   \
	static double rest_##name(const type *x, size_t n, double m)           \
	{                                                                      \
		double sum = 0;                                                \
                                                                               \
		for (size_t lo = 0; lo < n; lo += RUN) {                       \
			size_t hi = n - lo < RUN ? n : lo + RUN;               \
			double run = 0;                                        \
                                                                               \
			for (size_t q = lo; q < hi; q++)                       \
				run += (double)x[q] - m;                       \
			sum += run;                                            \
		}                                                              \
		return sum / (double)n;                                        \
	}                                                                      \
                                                                               \
	static double lift_##name(type *x, size_t n, double total)             \
	{                                                                      \
		size_t q = 0;                                                  \
                                                                               \
		while (q < n && fabs((double)x[q]) < LOW)                      \
			q++;                                                   \
		if (q < n)                                                     \
			return total;                                          \
		for (q = 0; q < n; q++)                                        \
			x[q] = (type)((double)x[q] * LIFT);                    \
		return total * LIFT;                                           \
	}                                                                      \
                                                                               \
	static void real_##name(type *x, size_t n, double total, bool centred) \
	{                                                                      \
		double m, rest, most = 0, factor;                              \
		int e;                                                         \
                                                                               \
		if (centred && all_same_##name(x, n)) {                        \
			memset(x, 0, n * sizeof(*x));                          \
			return;                                                \
		}                                                              \
		total = centred ? lift_##name(x, n, total) : 0;                \
		m = total / (double)n;                                         \
		rest = centred ? rest_##name(x, n, m) : 0;                     \
		for (size_t q = 0; q < n; q++) {                               \
			double far = fabs((double)x[q] - m - rest);            \
                                                                               \
			most = far > most ? far : most;                        \
		}                                                              \
		frexp(most, &e);                                               \
		factor = ldexp(1, -e);                                         \
		for (size_t q = 0; q < n; q++)                                 \
			x[q] = (type)scaled((double)x[q] - m - rest, e,        \
				factor);                                       \
	}                                                                      \
                                                                               \
	static int32_t whole_##name(type *x, size_t n, double total)           \
	{                                                                      \
		const type mean = (type)floor(total / (double)n + 0.5);        \
                                                                               \
		for (size_t q = 0; q < n; q++)                                 \
			x[q] -= mean;                                          \
		return (int32_t)(total - (double)n * (double)mean);            \
	}

CENTRE(f32, float)
CENTRE(f64, double)

void
vs_panel_centre(struct vs_panel *p, size_t v, bool centred, bool whole)
{
	const size_t n = p->number.n_field;
	void *x = (void *)vs_numbers_of(&p->number, v);
	bool f32 = p->number.element == VS_NUM_F32;

	p->sum[v] = 0;
	if (whole && centred)
		p->sum[v] = f32 ? whole_f32(x, n, p->total[v])
				: whole_f64(x, n, p->total[v]);
	else if (!whole && f32)
		real_f32(x, n, p->total[v], centred);
	else if (!whole)
		real_f64(x, n, p->total[v], centred);
}
