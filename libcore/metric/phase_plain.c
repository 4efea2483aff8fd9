/* SPDX-License-Identifier: BSD-3-Clause */
/* Most likely haplotypes of two variants by their definition: all places where
 * the likelihood stops rising are found by steps and halving, and compared. */
#include <math.h>

#include "libcore/metric/phase.h"

#define STEPS 64
#define HALVINGS 80
#define EQUALLY 1e-11L

/* Haplotypes 11, 12, 21 and 22 that are known, and samples of either phase. */
struct counts {
	long double known[4], both;
};

/* Samples of the first phase that are expected of x, less x. */
static long double
rise(const struct counts *n, long double x)
{
	const long double y = n->both - x;
	const long double one = (n->known[0] + x) * (n->known[3] + x);
	const long double two = (n->known[1] + y) * (n->known[2] + y);

	return n->both * one / (one + two) - x;
}

static long double
log_likelihood(const struct counts *n, long double x)
{
	const long double y = n->both - x,
			  g[4] = { n->known[0] + x, n->known[1] + y,
				  n->known[2] + y, n->known[3] + x };
	long double sum = n->both * logl(g[0] * g[3] + g[1] * g[2]);

	for (int k = 0; k < 4; k++)
		if (n->known[k] > 0)
			sum += n->known[k] * logl(g[k]);
	return sum;
}

static long double
halve(const struct counts *n, long double lo, long double hi)
{
	for (int k = 0; k < HALVINGS; k++) {
		const long double x = lo + (hi - lo) / 2;

		if (rise(n, x) > 0)
			lo = x;
		else
			hi = x;
	}
	/* an end that is approached is reached */
	return lo == 0 ? 0 : hi == n->both ? hi : lo + (hi - lo) / 2;
}

static long double
most_likely(const struct counts *n)
{
	const long double all = 2 * n->both + n->known[0] + n->known[1] +
		n->known[2] + n->known[3];
	long double best = 0, most = -INFINITY, was = rise(n, 0);

	for (int k = 1; k <= STEPS && n->both > 0; k++) {
		const long double hi = n->both * k / STEPS, now = rise(n, hi);
		const bool peak = was >= 0 && now <= 0;
		long double x, l;

		was = now;
		if (!peak)
			continue;
		x = halve(n, n->both * (k - 1) / STEPS, hi);
		l = log_likelihood(n, x);
		if (l > most + EQUALLY * all) {
			most = l;
			best = x;
		}
	}
	return best;
}

struct vs_phase
vs_phase_plain(const int64_t joint[4][4])
{
	struct counts n = { { 0 }, (long double)joint[1][1] };
	int met[2][3] = { { 0 } };
	long double one, first, second, all, d;

	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			met[0][x] |= joint[x][y] > 0;
			met[1][y] |= joint[x][y] > 0;
			/* chromosomes of a sample, unless both are split */
			for (int a = 0; a < 2 && (x != 1 || y != 1); a++)
				n.known[2 * (x < 1 + (a && x == 1)) +
					(y < 1 + (a && y == 1))] +=
					(long double)joint[x][y];
		}
	one = n.known[0] + most_likely(&n);
	first = n.known[0] + n.known[1] + n.both;
	second = n.known[0] + n.known[2] + n.both;
	all = first + n.known[2] + n.known[3] + n.both;
	d = one * all - first * second;
	if (met[0][0] + met[0][1] + met[0][2] < 2 ||
		met[1][0] + met[1][1] + met[1][2] < 2)
		d = 0;
	return (struct vs_phase){ (double)d,
		(double)fminl(first * (all - second), second * (all - first)),
		(double)fminl(first * second, (all - first) * (all - second)),
		(double)(all * all),
		(double)(first * (all - first) * second * (all - second)) };
}
