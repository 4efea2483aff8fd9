/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * exp, ln and erfc of doubles by additions, multiplications, divisions and
 * square roots alone, so that they are the same to the bit on every machine;
 * exp and ln within 4 units in the last place, erfc within 1e-14 of its value.
 */
#ifndef VS_METRIC_ELEMENTARY_H
#define VS_METRIC_ELEMENTARY_H

#include <math.h>

#define VS_ELEMENTARY_LN2_HIGH 0x1.62e42fefa3800p-1 /* 42 bits */
#define VS_ELEMENTARY_LN2_LOW 0x1.ef35793c76730p-45

/* e^x, x < 700; 0 below -745: 2^k e^r, |r| <= ln 2 / 2, by the series. */
static inline double
vs_elementary_exp(double x)
{
	const double k = floor(x / 0x1.62e42fefa39efp-1 + 0.5);
	const double r =
		x - k * VS_ELEMENTARY_LN2_HIGH - k * VS_ELEMENTARY_LN2_LOW;
	double sum = 1;

	for (int n = 14; n; n--)
		sum = 1 + r * sum / n;
	return ldexp(sum, (int)k);
}

/* ln x, x > 0: x = 2^k m, ln m = 2 artanh((m - 1) / (m + 1)) by its series. */
static inline double
vs_elementary_ln(double x)
{
	int k;
	double m = frexp(x, &k), s, square, sum = 0;

	if (m < 0x1.6a09e667f3bcdp-1) {
		m *= 2;
		k--;
	}
	s = (m - 1) / (m + 1);
	square = s * s;
	for (int n = 23; n > 1; n -= 2)
		sum = square * (sum + 1.0 / n);
	return k * VS_ELEMENTARY_LN2_HIGH +
		(2 * s + (2 * s * sum + k * VS_ELEMENTARY_LN2_LOW));
}

/* erfc(sqrt(x)), x >= 0: by the series of erf, or by the continued fraction of
 * the incomplete gamma function (Abramowitz and Stegun, 7.1.6 and 6.5.31). */
static inline double
vs_elementary_erfc_root(double x)
{
	const double front =
		sqrt(x) / 0x1.c5bf891b4ef6ap+0 * vs_elementary_exp(-x);
	double sum = 0;

	if (x < 2) {
		for (int n = 40; n; n--)
			sum = 2 * x * (1 + sum) / (2 * n + 1);
		return 1 - 2 * front * (1 + sum);
	}
	for (int n = 60; n; n--)
		sum = n * (n - 0.5) / (x + 2 * n + 0.5 - sum);
	return front / (x + 0.5 - sum);
}

#endif
