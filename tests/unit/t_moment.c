/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of moments, by recipe and plainly, against the textbook. */
#include <math.h>

#include "libcore/base/rng.h"
#include "tests/unit/moment_rows.h"
#include "tests/unit/test.h"

#define MOST 40

/* The metrics that the textbook below has; others have to be added to it. */
static const char *const names[] = { "r2", "r", "cosine", "jaccard", "dice" };
#define N ((int)(sizeof(names) / sizeof(names[0])))

/* By means and deviations of the fields present in both. */
static void
textbook(const uint8_t *i, const uint8_t *j, int n, double out[N])
{
	long double mi = 0, mj = 0, cov = 0, vi = 0, vj = 0, c = 0;
	long double p = 0, qi = 0, qj = 0;

	for (int f = 0; f < n; f++)
		if (i[f] < 3 && j[f] < 3) {
			c++;
			mi += i[f];
			mj += j[f];
			p += i[f] * j[f];
			qi += i[f] * i[f];
			qj += j[f] * j[f];
		}
	for (int f = 0; f < n; f++)
		if (i[f] < 3 && j[f] < 3) {
			cov += (i[f] - mi / c) * (j[f] - mj / c);
			vi += (i[f] - mi / c) * (i[f] - mi / c);
			vj += (j[f] - mj / c) * (j[f] - mj / c);
		}
	/* deviations of a constant are no more than rounding */
	out[0] = vi > 1e-9L && vj > 1e-9L ? (double)(cov * cov / vi / vj) : 0;
	out[1] = vi > 1e-9L && vj > 1e-9L ? (double)(cov / sqrtl(vi * vj)) : 0;
	out[2] = qi > 0 && qj > 0 ? (double)(p / sqrtl(qi * qj)) : 0;
	/* what is alike over what there is: |a b| / |a + b - a b| */
	out[3] = qi + qj > 0 ? (double)(p / (qi + qj - p)) : 0;
	out[4] = qi + qj > 0 ? (double)(p / ((qi + qj) / 2)) : 0;
}

static void
recipe(const uint8_t *i, const uint8_t *j, int n, double out[N])
{
	struct vs_moments m = { 0 };

	for (int f = 0; f < n; f++)
		if (i[f] < 3 && j[f] < 3) {
			m.c++;
			m.p += i[f] * j[f];
			m.si += i[f];
			m.sj += j[f];
			m.qi += i[f] * i[f];
			m.qj += j[f] * j[f];
		}
	for (int k = 0; k < N; k++)
		out[k] = vs_metric_find(names[k])->value(&m);
}

static void
test_pairs(int missing)
{
	int wrong = 0, beyond = 0, turned = 0;
	struct vs_rng rng;

	vs_rng_seed(&rng, 5 + (uint64_t)missing);
	for (int trial = 0; trial < 20000; trial++) {
		int n = (int)vs_rng_below(&rng, MOST) + 1;
		uint8_t i[MOST], j[MOST];
		int64_t joint[4][4];
		double right[N], found[N], back[N];

		for (int f = 0; f < n; f++) {
			i[f] = (uint8_t)vs_rng_below(&rng, missing ? 4 : 3);
			/* alike, the reverse, or by chance */
			j[f] = trial % 3 == 0 || i[f] == 3 ? i[f]
				: trial % 3 == 1
				? (uint8_t)(2 - i[f])
				: (uint8_t)vs_rng_below(&rng, 3);
		}
		textbook(i, j, n, right);
		recipe(i, j, n, found);
		recipe(j, i, n, back);
		vs_plain_joint(i, j, (size_t)n, joint);
		for (int k = 0; k < N; k++) {
			wrong += fabs(found[k] - right[k]) > 1e-13;
			wrong += found[k] !=
				vs_metric_find(names[k])->plain(joint);
			turned += found[k] != back[k];
			beyond += found[k] > 1 || found[k] < -1;
		}
	}
	T_OK(!wrong && !beyond && !turned,
		"20000 pairs%s: %d differ from the textbook, %d beyond 1, %d "
		"by the order of the two",
		missing ? " with missing calls" : "", wrong, beyond, turned);
}

int
main(void)
{
	/* means 1, deviations -1 0 1 and -1 1 0: cov 1, variances 2; of 5 and 5
	 * copies squared 4 are shared */
	static const double hand[] = { 0.25, 0.5, 0.8, 4.0 / 6, 0.8 };

	T_OK(moment_rows() == N, "the table has %d metrics", moment_rows());
	for (int k = 0; k < N; k++) {
		const struct vs_metric *m = vs_metric_find(names[k]);
		const uint8_t a[] = { 0, 1, 2 }, b[] = { 0, 2, 1 };
		const uint8_t flat[] = { 1, 1, 1 }, none[] = { 0, 0, 0 };
		int64_t n;

		T_OK(moment_plain(m, a, b, 3, &n) == hand[k] && n == 3,
			"by hand: %s %g", names[k], hand[k]);
		T_OK((moment_plain(m, a, flat, 3, &n) > 0) == !m->centred,
			"%s: a constant vector has no correlation", names[k]);
		T_OK(moment_plain(m, none, none, 3, &n) == 0,
			"%s: of no copies 0", names[k]);
	}
	test_pairs(0);
	test_pairs(1);
	T_OK(!vs_metric_find("r3"), "no other names");
	return T_DONE();
}
