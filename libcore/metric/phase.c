/* SPDX-License-Identifier: BSD-3-Clause */
/* Most likely haplotypes of two variants, by + - * / and sqrt() alone. */
#include <math.h>

#include "libcore/metric/elementary.h"
#include "libcore/metric/phase.h"

#define STEPS 200     /* of Newton's method; a simple root takes five to ten */
#define EQUALLY 1e-11 /* likely: difference of logarithms, by haplotype */

/*
 * 2 x^3 - w x^2 + c x + d, which rises through 0 at each maximum x of the
 * likelihood; 0 to h. All are whole numbers; d = d[0] + d[1] may need two
 * doubles.
 */
struct cubic {
	double w, c, d[2], h;
	bool from_0, to_h; /* 0 is a root; h is */
};

/* a times x plus b; its error is added to *error. */
static inline double
step(double a, double x, double b, double *error)
{
	const double p = a * x, s = p + b, t = s - p;

	*error = *error * x + (fma(a, x, -p) + ((p - (s - t)) + (b - t)));
	return s;
}

/* Horner's scheme as if in twice the precision (Graillat, Langlois and Louvet
 * 2009): two roots may be close. fma() rounds once on every machine. */
static double
at(const struct cubic *f, double x)
{
	double error = 0, y = step(2, x, -f->w, &error);

	y = step(y, x, f->c, &error);
	y = step(y, x, f->d[0], &error);
	return y + (error + f->d[1]);
}

/* The root where the cubic rises on the same side of its inflection as an end,
 * from which steps of Newton's method never pass it. */
static double
root(const struct cubic *f, double end)
{
	double x = end;

	for (int k = 0; k < STEPS; k++) {
		const double next =
			x - at(f, x) / ((6 * x - 2 * f->w) * x + f->c);

		if (!(end > 0 ? next < x : next > x))
			break;
		x = next;
	}
	return x;
}

static double
lower(const struct cubic *f)
{
	return f->from_0 ? 0 : root(f, 0);
}

static double
upper(const struct cubic *f)
{
	return f->to_h ? f->h : root(f, f->h);
}

/* Logarithm of the likelihood of x = b less that of x = a. */
static double
likelier(const double known[4], double both, double a, double b)
{
	double g[2][4], sum;

	for (int k = 0; k < 4; k++) {
		const bool with = k == 0 || k == 3;

		g[0][k] = known[k] + (with ? a : both - a);
		g[1][k] = known[k] + (with ? b : both - b);
	}
	sum = both *
		vs_elementary_ln((g[1][0] * g[1][3] + g[1][1] * g[1][2]) /
			(g[0][0] * g[0][3] + g[0][1] * g[0][2]));
	for (int k = 0; k < 4; k++)
		if (known[k] > 0)
			sum += known[k] * vs_elementary_ln(g[1][k] / g[0][k]);
	return sum;
}

/*
 * The most likely x.
 * side  of the value at the inflection, w / 6: 1, 0 or -1
 */
static double
best(const struct cubic *f, int side, const double known[4])
{
	/* exact, as is the slope at h */
	const double turns = f->w * f->w - 6 * f->c, r = sqrt(fmax(turns, 0));
	const double slope = (6 * f->h - 2 * f->w) * f->h + f->c;
	double a = (f->w - r) / 6, b = (f->w + r) / 6, n = 2 * f->h;
	bool low, high;

	/* an end is a root, and no maximum lies beyond the inflection */
	if (f->to_h && 6 * f->h <= f->w && slope >= 0)
		return f->h;
	if (f->from_0 && f->w <= 0 && f->c >= 0)
		return 0;
	if (turns <= 0)
		return side > 0 ? lower(f) : side < 0 ? upper(f) : f->w / 6;
	/* the turn that would lose digits, from the product of both */
	*(f->w > 0 ? &a : &b) = f->c / (6 * (f->w > 0 ? b : a));
	low = a > 0 && at(f, a) >= 0;
	high = b < f->h && at(f, b) <= 0;
	if (!low || !high)
		return low     ? lower(f)
			: high ? upper(f)
			       /* a double root, to rounding */
			       : fmin(fmax(side < 0 ? a : b, 0), f->h);
	for (int k = 0; k < 4; k++)
		n += known[k];
	a = lower(f);
	b = upper(f);
	return likelier(known, f->h, a, b) > EQUALLY * n ? b : a;
}

/* Other labels of one variant give the same equation from its other end: it is
 * written for the labels by which K_11 K_22 is the greater product. */
double
vs_phase_d(const int64_t known[4], int64_t both)
{
	typedef __int128 wide;
	const int64_t p[2] = { known[0] * known[3], known[1] * known[2] };
	const int64_t s[2] = { known[0] + known[3], known[1] + known[2] };
	const int t = p[0] < p[1] || (p[0] == p[1] && s[0] < s[1]);
	const int64_t h = both, n = s[0] + s[1] + 2 * h;
	const int64_t w = 3 * h + s[!t] - s[t];
	const int64_t c = p[0] + p[1] + h * (s[!t] - s[t]) + h * h;
	const wide d = -(wide)h * p[t];
	const wide middle = 18 * (wide)w * c + 108 * d - 2 * (wide)w * w * w;
	struct cubic f = { (double)w, (double)c, { (double)d, 0 }, (double)h,
		!p[t], !p[!t] };
	double k[4], x;

	if (!h)
		return (double)(p[0] - p[1]);
	f.d[1] = (double)(d - (wide)f.d[0]);
	for (int a = 0; a < 4; a++)
		k[a] = (double)known[a ^ t];
	x = best(&f, (middle > 0) - (middle < 0), k);
	x = (double)(p[t] - p[!t] - h * (s[!t] + h)) + (double)n * x;
	return t ? -x : x;
}

struct vs_phase
vs_phase_of(const struct vs_moments *m)
{
	const int64_t n = 2 * m->c, i = m->si, j = m->sj;
	const int64_t both = (m->p - m->both) / 2;
	const int64_t known[4] = { both, i - both - m->both, j - both - m->both,
		n - i - j + both };
	const int64_t a = i * (n - j), b = j * (n - i);
	struct vs_phase of = { .most = (double)(a < b ? a : b),
		.least = fmin((double)(i * j), (double)((n - i) * (n - j))),
		.n2 = (double)(n * n),
		.variances = (double)a * (double)b };

	if (m->c * m->qi > i * i && m->c * m->qj > j * j)
		of.d = fmin(fmax(vs_phase_d(known, m->both), -of.least),
			of.most);
	return of;
}
