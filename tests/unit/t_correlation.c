/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * p-values of correlations against closed forms, summed with 400 digits: with x
 * = 1 - r^2, for n - 2 = 2 k degrees of freedom 1 - |r| sum_{j < k} C(2j, j) (x
 * / 4)^j; for an odd number 1 - 2/pi (asin |r| + |r| sqrt(x) sum of the
 * products of 2 x / 3, 4 x / 5, ...) (A. and S. 26.7.3, 26.7.4).
 */
#include <math.h>

#include "libcore/metric/correlation.h"
#include "tests/unit/test.h"

static const struct {
	double value;
	bool squared;
	int64_t n;
	double p;
} known[] = {
	{ 0.5, false, 3, 0.66666666666666663 },
	{ 0.999, false, 3, 0.028472874812479322 },
	{ 0.25, true, 4, 0.5 },
	{ 0.9, false, 5, 0.037386073468498635 },
	{ -0.3, false, 6, 0.5635 },
	{ 0.01, false, 10, 0.97812718736875315 },
	{ 0.7, true, 17, 2.8321983469905579e-05 },
	{ 0.8, true, 100, 5.0473655110047694e-36 },
	{ 0.2, true, 427, 2.1858467462220386e-22 },
	{ 0.9, true, 427, 1.2890089666331128e-214 },
	{ 0.999999, true, 427, 0 },
	{ 0.03125, false, 1000, 0.32353631777453173 },
	{ 0.5, false, 2504, 1.602893765696576e-158 },
	{ -0.4, false, 5004, 1.1812083406305489e-191 },
	{ 0.001, true, 99999, 1.4885837639120558e-23 },
	{ 0.0123, false, 100000, 0.00010036821083032881 },
	{ 0.9, true, 129, 2.3533621426895572e-65 },
	{ 0.9, true, 130, 7.4130201882896722e-66 },
	{ 0.9, true, 131, 2.3351496054676025e-66 },
	{ 0.05, false, 20001, 1.4920334200278733e-12 },
};

int
main(void)
{
	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
		const double p = vs_correlation_p(known[k].value,
			known[k].squared, known[k].n);

		T_OK(fabs(p - known[k].p) <= 1e-12 * known[k].p,
			"%s %g of %lld fields: p %.17g, not %.17g",
			known[k].squared ? "r2" : "r", known[k].value,
			(long long)known[k].n, p, known[k].p);
	}
	T_OK(vs_correlation_p(1, false, 9) == 0, "r 1: p 0");
	T_OK(vs_correlation_p(0, true, 9) == 1, "r2 0: p 1");
	T_OK(vs_correlation_p(0.5, false, 2) == 1, "2 fields: p 1");
	return T_DONE();
}
