/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of D' against sums of likelihoods that are made from logarithms;
 * few haplotypes, and more than a double's range of likelihoods has. */
#include <math.h>

#include "libcore/base/rng.h"
#include "libcore/metric/dprime_interval.h"
#include "tests/unit/test.h"

#define NEAR 1e-9 /* shares this close to a limit decide nothing */

/* PLINK's limits. */
static const struct vs_interval_limits limits = { 89, 97, { 52, 71, 72, 82 } };

/* Log likelihood of haplotypes with these frequencies. */
static double
log_likelihood(const int64_t known[4], int64_t both, const double of[4])
{
	double g[4], sum = 0;

	for (int k = 0; k < 4; k++) {
		g[k] = fmax(of[k], 1e-10);
		sum += (double)known[k] * log(g[k]);
	}
	return both ? sum + (double)both * log(g[0] * g[3] + g[1] * g[2]) : sum;
}

/* D of the most likely share of the phases, by a grid that is refined. */
static double
most_likely_d(const int64_t known[4], int64_t both, double i, double j)
{
	double low = 0, high = (double)both, best = 0;
	const double n =
		(double)(known[0] + known[1] + known[2] + known[3] + 2 * both);

	for (int round = 0; round < 6 && both; round++) {
		const double step = (high - low) / 400;
		double most = -INFINITY;

		for (int k = 0; k <= 400; k++) {
			const double x = low + k * step, y = (double)both - x;
			const double of[4] = { ((double)known[0] + x) / n,
				((double)known[1] + y) / n,
				((double)known[2] + y) / n,
				((double)known[3] + x) / n };
			const double is = log_likelihood(known, both, of);

			if (is > most) {
				most = is;
				best = x;
			}
		}
		low = fmax(0, best - step);
		high = fmin((double)both, best + step);
	}
	return ((double)known[0] + best) / n - i * j;
}

/* The kind by its definition; -1: a share is too near a limit to tell. */
static int
kind_of(const int64_t known[4], int64_t both)
{
	const double n =
		(double)(known[0] + known[1] + known[2] + known[3] + 2 * both);
	double i = (double)(known[0] + known[1] + both) / n;
	double j = (double)(known[0] + known[2] + both) / n;
	double d = most_likely_d(known, both, i, j), most, log_of[101];
	double s[102] = { 0 }, top = -INFINITY;
	int64_t k[4] = { known[0], known[1], known[2], known[3] };
	int kind = VS_INTERVAL_HIGH;

	if (fabs(d) < 1e-6)
		return -1;
	for (int f = 0; f < 4 && d < 0; f++)
		k[f] = known[f ^ 1];
	j = d < 0 ? 1 - j : j;
	most = fmin(i * (1 - j), (1 - i) * j);
	for (int q = 0; q <= 100; q++) {
		const double x = most * q / 100;
		const double of[4] = { i * j + x, i * (1 - j) - x,
			(1 - i) * j - x, (1 - i) * (1 - j) + x };

		log_of[q] = log_likelihood(k, both, of);
		top = fmax(top, log_of[q]);
	}
	for (int q = 100; q >= 0; q--)
		s[q] = s[q + 1] + exp(log_of[q] - top);
	for (int q = 0; q <= 100; q++)
		if (fabs(20 * s[q] / s[0] - 1) < NEAR ||
			fabs(s[q] / s[0] / 0.95 - 1) < NEAR)
			return -1;
	if (s[0] >= 20 * s[limits.low])
		return VS_INTERVAL_LOW;
	if (s[0] >= 20 * s[limits.high])
		return VS_INTERVAL_UNSURE;
	for (int x = 0; x < VS_INTERVAL_LIMITS; x++)
		kind += s[limits.least[x]] > 0.95 * s[0];
	return kind;
}

static double
fraction(struct vs_rng *rng)
{
	return (double)vs_rng_below(rng, 1 << 30) / (1 << 30);
}

/* A sample of haplotypes with random frequencies and D', of which a share is
 * in samples of unknown phase. */
static void
draw(struct vs_rng *rng, int64_t known[4], int64_t *both)
{
	const double n = (double)(20ull << vs_rng_below(rng, 19));
	const double i = 0.02 + 0.96 * fraction(rng),
		     j = 0.02 + 0.96 * fraction(rng);
	const double share = fmin(1, 1.2 * fraction(rng));
	const double d = vs_rng_below(rng, 2)
		? share * fmin(i * (1 - j), (1 - i) * j)
		: -share * fmin(i * j, (1 - i) * (1 - j));
	const double of[4] = { i * j + d, i * (1 - j) - d, (1 - i) * j - d,
		(1 - i) * (1 - j) + d };

	for (int k = 0; k < 4; k++)
		known[k] = (int64_t)(n * of[k] + 2 * fraction(rng));
	*both = known[0] < known[3] ? known[0] : known[3];
	*both = (int64_t)((double)*both * fraction(rng) / 2);
	known[0] -= *both;
	known[3] -= *both;
}

int
main(void)
{
	int n_of[VS_INTERVAL_HIGH + VS_INTERVAL_LIMITS + 1] = { 0 };
	int wrong = 0, near = 0, large = 0, other = 0, kinds = 0;
	enum vs_cpu best;
	struct vs_rng rng;

	T_OK(!vs_cpu_choose(NULL, &best), "the CPU is known");
	vs_rng_seed(&rng, 5);
	for (int trial = 0; trial < 3000; trial++) {
		int64_t known[4], both;
		int want, is;

		draw(&rng, known, &both);
		want = kind_of(known, both);
		near += want < 0;
		if (want < 0)
			continue;
		is = vs_dprime_interval(best, &limits, known, both);
		wrong += is != want;
		other += is !=
			vs_dprime_interval(VS_CPU_SCALAR, &limits, known, both);
		large += known[0] > 65536 || known[3] > 65536;
		n_of[want]++;
	}
	for (size_t k = 0; k < sizeof(n_of) / sizeof(*n_of); k++)
		kinds += n_of[k] > 20;
	T_OK(!wrong && !other && near < 300,
		"%d of 3000 intervals are not as defined, %d differ by CPU, %d "
		"are too near to tell",
		wrong, other, near);
	T_OK(large > 300 && kinds >= 6, "%d are of many haplotypes, %d kinds",
		large, kinds);
	return T_DONE();
}
