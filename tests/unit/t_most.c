/* SPDX-License-Identifier: BSD-3-Clause */
/* The bound of a vector's values holds for every partner there is. */
#include "libcore/metric/formula.h"
#include "tests/unit/test.h"

#define MOST_FIELDS 6

/* Genotypes of vector number x, a digit to base 3 a field. */
static void
digits(int x, int n, int g[MOST_FIELDS])
{
	for (int q = 0; q < n; q++, x /= 3)
		g[q] = x % 3;
}

/* Largest value of vector g with any other of n fields, by definition. */
static double
largest(const struct vs_metric *m, const int g[MOST_FIELDS], int n, int label)
{
	int h[MOST_FIELDS], all = 1, s = 0;
	double most = 0;

	for (int q = 0; q < n; q++) {
		all *= 3;
		s += g[q];
	}
	for (int y = 0; y < all; y++) {
		digits(y, n, h);
		for (int b = 0; b < 2; b++) {
			int r = 0, t = 0;
			double v;

			for (int q = 0; q < n; q++) {
				r += (label ? g[q] : 2 - g[q]) *
					(b ? h[q] : 2 - h[q]);
				t += h[q];
			}
			v = m->value(r, m->factor(s, n, label), n,
				m->factor(t, n, b), n, n);
			most = v > most ? v : most;
		}
	}
	return most;
}

int
main(void)
{
	const struct vs_metric *m;

	for (int k = 0; (m = vs_metric_at(k)); k++)
		for (int n = 1; n <= MOST_FIELDS; n++) {
			int all = 1, wrong = 0, near = 0;

			for (int q = 0; q < n; q++)
				all *= 3;
			for (int x = 0; x < all; x++)
				for (int label = 0; label < 2; label++) {
					int g[MOST_FIELDS], n1 = 0, n2 = 0;
					double bound, have;

					digits(x, n, g);
					for (int q = 0; q < n; q++) {
						int c = label ? g[q] : 2 - g[q];

						n1 += c >= 1;
						n2 += c == 2;
					}
					bound = m->most(n1, n2, n);
					have = largest(m, g, n, label);
					wrong += have > bound * (1 + 1e-12);
					near += have > bound * 0.9;
				}
			T_OK(!wrong, "%s: %d fields: %d bounds are too low",
				m->name, n, wrong);
			/* a single field is too coarse to come near */
			T_OK(n == 1 || near * 3 > all,
				"%s: %d fields: %d of %d bounds are "
				"within a tenth",
				m->name, n, near, 2 * all);
		}
	return T_DONE();
}
