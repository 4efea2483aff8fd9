/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound of a vector's values holds for every possible partner, with and
 * without missing calls: all pairs of all vectors of few fields.
 */
#include "libcore/metric/metric.h"
#include "tests/unit/test.h"

#define MOST_FIELDS 5

/* Genotypes, 3 missing, of vector number x: a digit to base 4 a field. */
static int
digits(int x, int n, int g[MOST_FIELDS])
{
	int present = 0;

	for (int q = 0; q < n; q++, x /= 4) {
		g[q] = x % 4;
		present += g[q] < 3;
	}
	return present;
}

/* Copies of a label's allele in all, and fields with one or two of them. */
static int
copies(const int g[MOST_FIELDS], int n, int label, int at_least[3])
{
	at_least[1] = at_least[2] = 0;
	for (int q = 0; q < n; q++) {
		int c = label ? g[q] : 2 - g[q];

		at_least[1] += g[q] < 3 && c >= 1;
		at_least[2] += g[q] < 3 && c == 2;
	}
	return at_least[1] + at_least[2];
}

/* Value of a cell by the integers of its definition. */
static double
value(const struct vs_alleles *m, const int *g, const int *h, int n, int a,
	int b, int ci, int cj)
{
	const struct vs_recipe *x = &m->recipe;
	int r = 0, c = 0, at_least[3];

	for (int q = 0; q < n; q++)
		if (g[q] < 3 && h[q] < 3) {
			c++;
			r += (a ? g[q] : 2 - g[q]) * (b ? h[q] : 2 - h[q]);
		}
	return vs_recipe_value(x, r,
		vs_recipe_factor(x, copies(g, n, 1, at_least), ci, a), ci,
		vs_recipe_factor(x, copies(h, n, 1, at_least), cj, b), cj, c);
}

static void
judge(const struct vs_alleles *m, int n)
{
	int all = 1 << 2 * n, wrong = 0, near = 0, full = 0;

	for (int x = 0; x < all; x++)
		for (int a = 0; a < 2; a++) {
			int g[MOST_FIELDS], h[MOST_FIELDS], at_least[3];
			int ci = digits(x, n, g);
			double most = 0, bound = 0;

			copies(g, n, a, at_least);
			for (int y = 0; ci && y < all; y++) {
				int cj = digits(y, n, h), c = ci + cj - n;

				if (c <= 0)
					continue;
				bound = vs_alleles_most(m, at_least[1],
					at_least[2], ci, n, c);
				for (int b = 0; b < 2; b++) {
					double v =
						value(m, g, h, n, a, b, ci, cj);

					wrong += v > bound * (1 + 1e-12);
					if (c == n && v > most)
						most = v;
				}
			}
			if (ci < n)
				continue;
			bound = vs_alleles_most(m, at_least[1], at_least[2], n,
				n, n);
			near += most > 0.9 * bound;
			full++;
		}
	T_OK(!wrong,
		"multiplier %g, gamma %g: %d fields: %d bounds are too low",
		m->multiplier, m->gamma, n, wrong);
	/* a single field is too coarse to come near */
	T_OK(n == 1 || 2 * near > full,
		"multiplier %g, gamma %g: %d fields: %d of %d bounds of "
		"complete vectors "
		"are within a tenth",
		m->multiplier, m->gamma, n, near, full);
}

/*
 * The largest value that counts allow, by trial: of all numbers of fields of
 * the other vector with one copy or more and with two. With many fields the
 * bound equals that, except that counts are whole numbers.
 */
static void
by_trial(const struct vs_alleles *m, int n)
{
	int wrong = 0, all = 0;

	for (int a1 = n / 8; a1 <= n; a1 += n / 8)
		for (int a2 = 0; a2 <= a1; a2 += n / 8) {
			double u = 1 - m->gamma * (a1 + a2) / (2.0 * n);
			double bound = vs_alleles_most(m, a1, a2, n, n, n);
			double most = 0;

			for (int b1 = 0; b1 <= n; b1++)
				for (int b2 = 0; b2 <= b1; b2++) {
					int r = 0;
					double v;

					r += a1 < b1 ? a1 : b1;
					r += a1 < b2 ? a1 : b2;
					r += a2 < b1 ? a2 : b1;
					r += a2 < b2 ? a2 : b2;
					v = 1 -
						m->gamma * (b1 + b2) /
							(2.0 * n);
					v *= r * u / (m->scale * n);
					most = v > most ? v : most;
				}
			wrong += bound < most * (1 - 1e-12) ||
				bound > most * 1.0005 + 1e-12;
			all++;
		}
	T_OK(!wrong,
		"multiplier %g, gamma %g: %d of %d bounds of %d fields are not "
		"the largest value",
		m->multiplier, m->gamma, wrong, all, n);
}

int
main(void)
{
	const struct vs_metric *m;

	static const struct vs_ratio gamma[] = { { 0, 1 }, { 1, 3 }, { 1, 1 },
		{ 2, 3 }, { 4, 5 } };
	struct vs_alleles other = vs_metric_at(0)->alleles;

	for (int k = 0; (m = vs_metric_at(k)) && vs_metric_has_cells(m); k++)
		for (int n = 1; n <= MOST_FIELDS; n++)
			judge(&m->alleles, n);
	for (int k = 0; k < 5; k++) {
		vs_alleles_set(&other, (struct vs_ratio){ 7, 5 }, gamma[k]);
		for (int n = 1; n < MOST_FIELDS; n++)
			judge(&other, n);
		by_trial(&other, 160);
	}
	return T_DONE();
}
