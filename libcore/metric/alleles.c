/* SPDX-License-Identifier: BSD-3-Clause */
/* Multiplier, gamma and bounds of the metrics of alleles. */
#include <math.h>

#include "libcore/metric/alleles.h"

#define EXACT (1ll << 53) /* a double holds all integers up to it */
#define MOST_FIELDS VS_ALLELES_FIELDS

/* ---- multiplier and gamma ---- */

static __int128
divisor(__int128 a, __int128 b)
{
	while (b) {
		__int128 rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The greatest n with each * n * n <= EXACT, at most `most`. */
static int64_t
fields_for(int64_t each, int64_t most)
{
	int64_t n = (int64_t)sqrt((double)(EXACT / each));

	return n < most ? n : most;
}

/*
 * Set over / under for n_way vectors, in lowest terms. For n fields r is at
 * most w^n_way n, and A at most whole n. Powers of two in the denominator cost
 * a double no precision, but they do cost bits of a 63-bit integer.
 */
static void
set_way(struct vs_alleles *m, int n_way, struct vs_ratio multiplier)
{
	struct vs_recipe *x = &m->recipe;
	int64_t all = 1, *most = &m->most[n_way - 2];
	__int128 under = multiplier.q, common;

	for (int k = 0; k < n_way; k++) {
		all *= m->weight;
		under *= m->weight * x->whole;
	}
	common = divisor(under, multiplier.p);
	x->over[n_way - 2] = (int64_t)(multiplier.p / common);
	under /= common;
	*most = under <= 1ll << 62 ? MOST_FIELDS : 0;
	if (!*most)
		return;
	x->under[n_way - 2] = (int64_t)under;
	*most = fields_for((int64_t)(under >> 9 | 1), *most);
	while (under % 2 == 0)
		under /= 2;
	*most = fields_for((int64_t)under, *most);
	*most = fields_for(x->over[n_way - 2] * all * x->whole, *most);
	if (n_way == 3)
		*most = fields_for(x->whole * x->whole, *most);
}

void
vs_alleles_set(struct vs_alleles *m, struct vs_ratio multiplier,
	struct vs_ratio gamma)
{
	struct vs_recipe *x = &m->recipe;
	int64_t common = (int64_t)divisor(m->weight * gamma.q, gamma.p);

	x->whole = m->weight * gamma.q / common;
	x->part = gamma.p / common;
	m->multiplier = vs_ratio_value(multiplier);
	m->gamma = vs_ratio_value(gamma);
	m->scale = 4 / m->multiplier;
	m->scale3 = 2 * m->scale;
	for (int n_way = 2; n_way <= 3; n_way++)
		set_way(m, n_way, multiplier);
}

/* ---- bounds ---- */

/*
 * Let B_t be the fields with t copies or more in the other vector, and S = B_1
 * + B_2 its copies. Then r <= sum over s, t of min(A_s, B_t) (the rearrangement
 * inequality); over all B with this S that is at most
 *   2 S up to S = 2 A_2, S + 2 A_2 up to 2 A_1, 2 A_1 + 2 A_2 beyond,
 * and the value at most r u (1 - gamma S / (2 n)) / (scale c_ij): two parabolas
 * in S and a non-increasing line, greatest at a vertex or an end.
 */
double
vs_alleles_most(const struct vs_alleles *m, int64_t at_least1,
	int64_t at_least2, int64_t c, int64_t n, int64_t c_ij)
{
	double a1 = (double)at_least1, a2 = (double)at_least2, all = (double)n;
	double vertex = all / m->gamma; /* infinite if gamma is 0 */
	double s = vertex < 2 * a2 ? vertex : 2 * a2;
	double low = 2 * s * (1 - m->gamma * s / (2 * all)), high;

	s = vertex - a2;
	s = s < 2 * a2 ? 2 * a2 : s > 2 * a1 ? 2 * a1 : s;
	high = (s + 2 * a2) * (1 - m->gamma * s / (2 * all));
	return (low > high ? low : high) *
		(1 - m->gamma * (a1 + a2) / (2 * (double)c)) /
		(m->scale * (double)c_ij);
}

/*
 * Each vector has c_i of n fields and all share c, so that the sum of c_i is at
 * most (n_way - 1) n + c. An allele's copies in the shared fields are among its
 * copies in all: if f is the least of the alleles' frequencies in the shared
 * fields, then f_i >= f c / c_i, and a value is at most multiplier f times the
 * product of 1 - gamma f c / c_i, which is greatest where all c_i are alike:
 * there c / c_i is at most
 *
 *   k = n_way share / (n_way - 1 + share),  share = c / n,
 *
 * and f (1 - gamma f k)^n_way greatest at f = 1 / ((n_way + 1) gamma k), or at
 * 1. k is 1 if no call is missing. For a share of 0 the bound is the
 * multiplier: alleles that fill the shared fields and hardly occur in the
 * others.
 *
 * The maximum at a vertex is a fraction whose denominator is at most 256 *
 * 10^12: it is 1, or farther from 1 than the rounding errors; and values of at
 * most 1 stay so when rounded.
 */
double
vs_alleles_ceiling(const struct vs_alleles *m, int n_way, double share)
{
	double k = n_way * share / (n_way - 1 + share);
	bool vertex = m->gamma * (n_way + 1) * k > 1;
	double f = vertex ? 1 / (m->gamma * (n_way + 1) * k) : 1;
	double most = 4 / m->scale * f;

	for (int x = 0; x < n_way; x++)
		most *= 1 - m->gamma * f * k;
	return vertex && share >= 1 && fabs(most - 1) < 0x1p-49
		? 1
		: most * (1 + 0x1p-48);
}
