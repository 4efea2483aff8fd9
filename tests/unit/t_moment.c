/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics of moments, each row of the table: the recipe against the plain
 * definition, and properties of the values. */
#include <math.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/metric/inner.h"
#include "tests/unit/moment_rows.h"
#include "tests/unit/test.h"

#define MOST 40

/* Genotypes of two vectors of ploidy 1 or 2; 3 is missing. */
struct pair {
	uint8_t i[MOST], j[MOST];
	int n;
};

static struct vs_moments
sums(const uint8_t *i, const uint8_t *j, int n)
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
			m.both += i[f] == 1 && j[f] == 1;
		}
	return m;
}

static double
recipe(const struct vs_metric *metric, const uint8_t *i, const uint8_t *j,
	int n)
{
	const struct vs_moments m = sums(i, j, n);

	return metric->value(&m);
}

/* The value by a textbook, by means and deviations of the fields present in
 * both; NaN: there is none here of this metric. */
static double
textbook(const char *name, const struct pair *x)
{
	long double mi = 0, mj = 0, cov = 0, vi = 0, vj = 0, c = 0;
	long double p = 0, qi = 0, qj = 0;

	for (int pass = 0; pass < 2; pass++)
		for (int f = 0; f < x->n; f++) {
			const long double i = x->i[f], j = x->j[f];

			if (i > 2 || j > 2)
				continue;
			if (pass) {
				cov += (i - mi / c) * (j - mj / c);
				vi += (i - mi / c) * (i - mi / c);
				vj += (j - mj / c) * (j - mj / c);
				continue;
			}
			c++;
			mi += i;
			mj += j;
			p += i * j;
			qi += i * i;
			qj += j * j;
		}
	/* deviations of a constant are no more than rounding */
	const bool varies = vi > 1e-9L && vj > 1e-9L;
	const struct {
		const char *name;
		long double value;
	} all[] = {
		{ "r2", varies ? cov * cov / vi / vj : 0 },
		{ "r", varies ? cov / sqrtl(vi * vj) : 0 },
		{ "cosine", qi > 0 && qj > 0 ? p / sqrtl(qi * qj) : 0 },
		/* what is alike over what there is: |a b| / |a + b - a b| */
		{ "jaccard", qi + qj > 0 ? p / (qi + qj - p) : 0 },
		{ "dice", qi + qj > 0 ? p / ((qi + qj) / 2) : 0 },
	};

	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++)
		if (!strcmp(all[k].name, name))
			return (double)all[k].value;
	return NAN;
}

/* The value that vectors of numbers have by inner.h. */
static double
of_numbers(const struct vs_metric *m, const struct pair *x)
{
	const struct vs_moments s = sums(x->i, x->j, x->n);
	const double q[2] = { (double)s.qi, (double)s.qj };
	const double sum[2] = { m->centred ? (double)s.si : 0,
		m->centred ? (double)s.sj : 0 };
	const double r = vs_inner_joint_value((double)s.c, (double)s.p, q, sum);

	return m->squared ? r * r : r;
}

/* Alike, the reverse, or by chance. */
static void
draw(struct vs_rng *rng, int ploidy, bool missing, int how, struct pair *p)
{
	p->n = (int)vs_rng_below(rng, MOST) + 1;
	for (int f = 0; f < p->n; f++) {
		uint8_t x = (uint8_t)vs_rng_below(rng,
			(uint64_t)ploidy + 1 + missing);
		uint8_t y = (uint8_t)vs_rng_below(rng, (uint64_t)ploidy + 1);

		p->i[f] = x > ploidy ? 3 : x;
		p->j[f] = how == 2                ? y
			: how == 1 && p->i[f] < 3 ? (uint8_t)(ploidy - p->i[f])
						  : p->i[f];
	}
}

/* The value of vectors of one ploidy by recipe and plainly, in either order,
 * within its bounds. */
static void
test_pairs(const struct vs_metric *m, int ploidy, bool missing)
{
	const int n_trial = m->phased ? 1000 : 10000;
	int wrong = 0, beyond = 0, turned = 0, itself = 0, apart = 0;
	struct vs_rng rng;

	vs_rng_seed(&rng, 5 + (uint64_t)missing);
	for (int trial = 0; trial < n_trial; trial++) {
		struct pair p;
		int64_t c, one = 0;
		double v, plain;

		draw(&rng, ploidy, missing, trial % 3, &p);
		plain = moment_plain(m, p.i, p.j, (size_t)p.n, &c);
		v = recipe(m, p.i, p.j, p.n);
		/* roots of an equation are near those by the definition */
		wrong += m->phased
			? !(fabs(v - plain) < 1e-12)
			: v != plain || fabs(v - textbook(m->name, &p)) > 1e-13;
		apart += m->numbers && fabs(v - of_numbers(m, &p)) > 1e-13;
		turned += v != recipe(m, p.j, p.i, p.n);
		beyond += !(v >= m->lowest && v <= m->highest);
		for (int f = 1; f < p.n; f++)
			one += p.i[f] < 3 && p.i[0] < 3 && p.i[f] != p.i[0];
		/* neither constant nor 0 */
		itself += one &&
			fabs(recipe(m, p.i, p.i, p.n) - m->itself) > 1e-15;
	}
	T_OK(!wrong && !beyond && !turned && !itself,
		"%s, ploidy %d%s: of %d pairs %d differ from the plain "
		"definition or the textbook, %d are beyond %g to %g, %d depend "
		"on the order of "
		"the two, %d are not %g with itself",
		m->name, ploidy, missing ? " with missing calls" : "", n_trial,
		wrong, beyond, m->lowest, m->highest, turned, itself,
		m->itself);
	if (m->numbers)
		T_OK(!apart,
			"%s, ploidy %d: %d values differ from the values for "
			"numbers",
			m->name, ploidy, apart);
}

/* Nothing to compare, constant vectors, and those of no copies. */
static void
test_undefined(const struct vs_metric *m, int ploidy)
{
	const uint8_t a[] = { 0, 1, 1 }, none[] = { 0, 0, 0 };
	const uint8_t flat[] = { (uint8_t)ploidy, (uint8_t)ploidy,
		(uint8_t)ploidy };
	const uint8_t gone[] = { 3, 3, 3 };

	T_OK(recipe(m, a, gone, 3) == 0, "%s: of nothing 0", m->name);
	T_OK(m->undefined == VS_UNDEFINED_NEVER ||
			recipe(m, none, none, 3) == 0,
		"%s: of no copies 0", m->name);
	switch (m->undefined) {
	case VS_UNDEFINED_NEVER:
		break;
	case VS_UNDEFINED_CONSTANT:
		T_OK(recipe(m, a, flat, 3) == 0, "%s: of a constant 0",
			m->name);
		break;
	case VS_UNDEFINED_ZERO:
		T_OK(recipe(m, a, none, 3) == 0 && recipe(m, a, flat, 3) > 0,
			"%s: of no copies 0, a constant has a value", m->name);
		break;
	case VS_UNDEFINED_ZEROS:
		T_OK(recipe(m, a, flat, 3) > 0, "%s: a constant has a value",
			m->name);
		break;
	}
}

/* By hand: copies 0 1 2 and 0 2 1, means 1, deviations -1 0 1 and -1 1 0: cov
 * 1, variances 2; of 5 and 5 copies squared 4 are shared. Alleles 0 0 1 1 1 and
 * 0 1 0 1 1: of both 2, of neither 1, of one 1 and 1. */
static const struct {
	const char *name;
	double value;
} hand2[] = { { "r2", 0.25 }, { "r", 0.5 }, { "cosine", 0.8 },
	{ "jaccard", 4.0 / 6 }, { "dice", 0.8 } },
  hand1[] = { { "jaccard", 0.5 }, { "dice", 4.0 / 6 } };

static void
test_hand(void)
{
	const uint8_t a[] = { 0, 1, 2 }, b[] = { 0, 2, 1 };
	const uint8_t u[] = { 0, 0, 1, 1, 1 }, v[] = { 0, 1, 0, 1, 1 };

	for (size_t k = 0; k < sizeof(hand2) / sizeof(hand2[0]); k++)
		T_OK(recipe(vs_metric_find(hand2[k].name), a, b, 3) ==
				hand2[k].value,
			"by hand: %s %g", hand2[k].name, hand2[k].value);
	for (size_t k = 0; k < sizeof(hand1) / sizeof(hand1[0]); k++)
		T_OK(recipe(vs_metric_find(hand1[k].name), u, v, 5) ==
				hand1[k].value,
			"by hand, ploidy 1: %s %g", hand1[k].name,
			hand1[k].value);
}

int
main(void)
{
	for (int k = 0; k < moment_rows(); k++)
		for (int ploidy = 1; ploidy <= 2; ploidy++) {
			const struct vs_metric *m = moment_row((uint64_t)k);

			if (m->ploidy && m->ploidy != ploidy)
				continue;
			test_pairs(m, ploidy, false);
			test_pairs(m, ploidy, true);
			test_undefined(m, ploidy);
		}
	test_hand();
	T_OK(!vs_metric_find("r3"), "no other names");
	return T_DONE();
}
