/* SPDX-License-Identifier: BSD-3-Clause */
/* The likelihood is a product of whole powers: no logarithm is needed. */
#include <math.h>

#include "libcore/base/inline.h"
#include "libcore/metric/dprime_interval.h"
#include "libcore/metric/phase.h"

#define LAST 100         /* q of D' = 1 */
#define LANES 16         /* values of q computed together */
#define LEAST 1e-10      /* frequency that stands for 0, as in Haploview */
#define ROUNDING 0x1p-44 /* of D, as for r2 of --clump */
#define FACTORS 5        /* four haplotypes, and pairs of them */
#define STEPS 32         /* bits of an exponent */
#define MANY 15          /* of more bits, a ratio of likelihoods may overflow */

/* 100 n^2 times the frequencies at q: from + q * step. */
struct likelihood {
	double from[4], step[4], least;
	double inverse[FACTORS]; /* 1 / the factors at q = centre */
	int centre;
	/* bits of the exponents of all factors, from the highest bit on */
	uint8_t bits[STEPS];
	int n_bit;
};

VS_INLINE void
factors(const struct likelihood *l, double q, double g[FACTORS])
{
	for (int k = 0; k < 4; k++) {
		g[k] = l->from[k] + q * l->step[k];
		g[k] = g[k] > l->least ? g[k] : l->least;
	}
	g[4] = g[0] * g[3] + g[1] * g[2];
}

/* L(q) / L(centre) for q = top, top - 1 ... */
VS_INLINE void
likelihoods_any(const struct likelihood *l, int top, double out[LANES])
{
	/* products of the factors of three, and of two, by bits */
	double a[8][LANES], b[4][LANES];

	for (int k = 0; k < LANES; k++) {
		double g[FACTORS];

		factors(l, top - k, g);
		for (int f = 0; f < FACTORS; f++)
			g[f] *= l->inverse[f];
		a[0][k] = b[0][k] = out[k] = 1;
		a[1][k] = g[0];
		a[2][k] = g[1];
		a[3][k] = g[0] * g[1];
		a[4][k] = g[2];
		a[5][k] = g[0] * g[2];
		a[6][k] = g[1] * g[2];
		a[7][k] = g[0] * g[1] * g[2];
		b[1][k] = g[3];
		b[2][k] = g[4];
		b[3][k] = g[3] * g[4];
	}
	for (int s = 0; s < l->n_bit; s++) {
		const double *x = a[l->bits[s] & 7], *y = b[l->bits[s] >> 3];

		for (int k = 0; k < LANES; k++)
			out[k] = out[k] * out[k] * (x[k] * y[k]);
	}
}

VS_BY_CPU(void, likelihoods, (l, top, out), const struct likelihood *l, int top,
	double out[LANES])

/* The point of comparison. */
static void
centre(struct likelihood *l, int q)
{
	double g[FACTORS];

	l->centre = q;
	factors(l, q, g);
	for (int f = 0; f < FACTORS; f++)
		l->inverse[f] = 1 / g[f];
}

/* Move it to the most likely q: of very many samples, another one may be out of
 * a double's range above it. */
static void
climb(enum vs_cpu cpu, struct likelihood *l)
{
	double of[LANES];

	for (int step = -1; step < 2; step += 2)
		for (int q = l->centre + step; q >= 0 && q <= LAST; q += step) {
			likelihoods(cpu, l, q, of);
			if (!(of[0] > 1))
				break;
			centre(l, q);
		}
}

static void
set_bits(struct likelihood *l, const int64_t k[FACTORS])
{
	int64_t all = 0;

	for (int f = 0; f < FACTORS; f++)
		all |= k[f];
	for (l->n_bit = 0; all >> l->n_bit;)
		l->n_bit++;
	for (int s = 0; s < l->n_bit; s++) {
		l->bits[s] = 0;
		for (int f = 0; f < FACTORS; f++)
			l->bits[s] |= (uint8_t)((k[f] >> (l->n_bit - 1 - s) & 1)
				<< f);
	}
}

/* False if a variant is constant. */
static bool
set_up(struct likelihood *l, const int64_t known[4], int64_t both)
{
	int64_t k[FACTORS] = { known[0], known[1], known[2], known[3], both };
	double d, most;
	int64_t i, j, n;

	if (!both && known[0] * known[3] == 0 && known[1] * known[2] == 0)
		return false;
	n = known[0] + known[1] + known[2] + known[3] + 2 * both;
	d = vs_phase_d(known, both);
	/* of D = 0, to rounding, either side is right: PLINK mostly takes this
	 * one */
	if (d < ROUNDING * ((double)n * (double)n)) {
		/* other labels of the second variant */
		for (int f = 0; f < 4; f++)
			k[f] = known[f ^ 1];
		d = fabs(d);
	}
	i = k[0] + k[1] + both;
	j = k[0] + k[2] + both;
	l->from[0] = 100 * ((double)i * (double)j);
	l->from[1] = 100 * ((double)i * (double)(n - j));
	l->from[2] = 100 * ((double)(n - i) * (double)j);
	l->from[3] = 100 * ((double)(n - i) * (double)(n - j));
	l->least = LEAST * 100 * ((double)n * (double)n);
	most = fmin(l->from[1], l->from[2]) / 100;
	for (int f = 0; f < 4; f++)
		l->step[f] = f == 0 || f == 3 ? most : -most;
	set_bits(l, k);
	centre(l, (int)fmin(d / most * 100 + 0.5, LAST - 1));
	return true;
}

int
vs_dprime_interval(enum vs_cpu cpu, const struct vs_interval_limits *limit,
	const int64_t known[4], int64_t both)
{
	struct likelihood l;
	double of[LANES], sum[LAST + 1], s = 0;
	int kind = VS_INTERVAL_HIGH;

	if (!set_up(&l, known, both))
		return VS_INTERVAL_UNSURE;
	if (l.n_bit > MANY)
		climb(cpu, &l);
	for (int top = LAST; top >= 0; top -= LANES) {
		likelihoods(cpu, &l, top, of);
		for (int k = 0; k < LANES && k <= top; k++)
			sum[top - k] = s += of[k];
		/* the centre is still to come, with a likelihood of 1 */
		if (top - LANES < limit->low &&
			s + (l.centre <= top - LANES) >= 20 * sum[limit->low])
			return VS_INTERVAL_LOW;
	}
	if (s >= 20 * sum[limit->high])
		return VS_INTERVAL_UNSURE;
	for (int k = 0;
		k < VS_INTERVAL_LIMITS && s * 0.95 < sum[limit->least[k]]; k++)
		kind++;
	return kind;
}
