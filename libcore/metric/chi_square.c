/* SPDX-License-Identifier: BSD-3-Clause */
/* Tail of the chi-square distribution, by its finite series. */
#include "libcore/metric/chi_square.h"
#include "libcore/metric/elementary.h"

double
vs_chi_square_tail(double x, int df)
{
	const double half = x / 2;
	double term, sum = 0, p;

	if (df < 1 || !(x > 0))
		return 1;
	/* terms half^k / k! from k = 0, or half^(k - 1/2) / gamma(k + 1/2) */
	term = (df % 2 ? 2 * sqrt(half / M_PI) : 1) * vs_elementary_exp(-half);
	for (int k = df % 2 ? 3 : 2; k <= df; k += 2) {
		sum += term;
		term *= half / (k / 2.0);
	}
	p = sum + (df % 2 ? vs_elementary_erfc_root(half) : 0);
	return p < 1 ? p : 1;
}
