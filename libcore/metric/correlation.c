/* SPDX-License-Identifier: BSD-3-Clause */
/* Tails of Student's t, of correlations, and of F. */
#include <math.h>
#include <stddef.h>

#include "libcore/metric/correlation.h"

#define PI 3.14159265358979323846
#define LARGE 64 /* from here on the series of the ratio is exact */
#define MOST_TERMS 100000
#define TINY 1e-300

/* Gamma(a + 1/2) / Gamma(a), a > 0 a multiple of 1/2; its asymptotic series is
 * A. and S. 6.1.47. */
static double
gamma_ratio(double a)
{
	static const double term[] = { 869.0 / 4194304, -399.0 / 262144,
		-21.0 / 32768, 5.0 / 1024, 1.0 / 128, -1.0 / 8, 1 };
	double sum = 0;

	if (a < LARGE)
		return tgamma(a + 0.5) / tgamma(a);
	for (size_t k = 0; k < sizeof(term) / sizeof(*term); k++)
		sum = sum / a + term[k];
	return sqrt(a) * sum;
}

static double
away_from_0(double x)
{
	return fabs(x) < TINY ? TINY : x;
}

/* The continued fraction of I_x(a, b), A. and S. 26.5.8, by Lentz's method. */
static double
fraction(double a, double b, double x)
{
	double c = 1, d = 1 / away_from_0(1 - (a + b) * x / (a + 1)), h = d;

	for (int m = 1; m < MOST_TERMS; m++) {
		const double even =
			m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		const double odd = -(a + m) * (a + b + m) * x /
			((a + 2 * m) * (a + 2 * m + 1));
		double step;

		d = 1 / away_from_0(1 + even * d);
		c = away_from_0(1 + even / c);
		h *= d * c;
		d = 1 / away_from_0(1 + odd * d);
		c = away_from_0(1 + odd / c);
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 2e-16)
			break;
	}
	return h;
}

/*
 * I_x(a, b) where y = 1 - x, a and b multiples of 1/2: x^a y^b / B(a, b) times
 * a continued fraction, or 1 less that of I_y(b, a).
 */
static double
incomplete_beta(double a, double b, double x, double y, double log_x)
{
	const double whole = floor(b);
	double front = exp(a * log_x) * pow(y, whole) / tgamma(b), up = a;

	if (!(y > 0))
		return 1;
	if (!(x > 0))
		return 0;
	/* Gamma(a + b) / Gamma(a) */
	for (int k = 0; k < (int)whole; k++)
		front *= up++;
	if (b > whole)
		front *= sqrt(y) * gamma_ratio(up);
	if (x < (a + 1) / (a + b + 2))
		return front * fraction(a, b, x) / a;
	return 1 - front * fraction(b, a, y) / b;
}

double
vs_correlation_p(double value, bool squared, int64_t n)
{
	const double r = fabs(value), a = (double)(n - 2) / 2;
	const double y = squared ? r : r * r;
	const double x = squared ? 1 - r : (1 - r) * (1 + r);

	return n < 3 ? 1
		     : incomplete_beta(a, 0.5, x, y,
			       squared ? log1p(-r) : log1p(-r) + log1p(r));
}

double
vs_correlation_f(double f, double df1, double df2)
{
	const double a = df2 / 2, b = df1 / 2, up = b * f;

	return incomplete_beta(a, b, a / (a + up), up / (a + up),
		-log1p(up / a));
}
