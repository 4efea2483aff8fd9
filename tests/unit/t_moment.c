/* SPDX-License-Identifier: BSD-3-Clause */
/* r2, r and cosine of genotypes, by recipe and plainly, against the textbook. */
#include <math.h>

#include "libcore/base/rng.h"
#include "libcore/metric/moment.h"
#include "libcore/metric/plain.h"
#include "tests/unit/test.h"

#define MOST 40

/* By means and deviations of the fields present in both. */
static void
textbook(const uint8_t *i, const uint8_t *j, int n, double out[3])
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
}

static void
recipe(const uint8_t *i, const uint8_t *j, int n, double out[3])
{
	static const char *const names[] = { "r2", "r", "cosine" };
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
	for (int k = 0; k < 3; k++)
		out[k] = vs_moment_find(names[k])->value(&m);
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
		struct vs_plain_moments p;
		double right[3], found[3], back[3];

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
		vs_plain_moments(i, j, (size_t)n, &p);
		wrong += p.r2 != found[0] || p.r != found[1] ||
			p.cosine != found[2];
		for (int k = 0; k < 3; k++) {
			wrong += fabs(found[k] - right[k]) > 1e-13;
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
	struct vs_plain_moments p;

	/* means 1, deviations -1 0 1 and -1 1 0: cov 1, variances 2 */
	vs_plain_moments((uint8_t[]){ 0, 1, 2 }, (uint8_t[]){ 0, 2, 1 }, 3, &p);
	T_OK(p.r2 == 0.25 && p.r == 0.5 && p.cosine == 4.0 / 5 && p.num == 4,
		"by hand: r2 1/4, r 1/2, cosine 4/5");
	vs_plain_moments((uint8_t[]){ 0, 1, 2 }, (uint8_t[]){ 1, 1, 1 }, 3, &p);
	T_OK(p.r2 == 0 && p.r == 0 && p.cosine > 0,
		"a constant vector has no correlation");
	test_pairs(0);
	test_pairs(1);
	T_OK(!vs_moment_find("r3"), "no other names");
	return T_DONE();
}
