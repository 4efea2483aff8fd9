/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recipes of other multipliers and gammas: against the plain definition for all
 * vectors of few fields in every order, and against integers of 128 bits where
 * counts are as large as they may be.
 */
#include <math.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/metric/metric.h"
#include "libcore/metric/plain.h"
#include "tests/unit/test.h"

static const struct {
	struct vs_ratio multiplier, gamma;
} recipes[] = {
	{ { 9, 2 }, { 2, 3 } },
	{ { 4, 1 }, { 2, 3 } },
	{ { 512, 81 }, { 2, 3 } },
	{ { 1, 1 }, { 0, 1 } },
	{ { 1, 1 }, { 1, 1 } },
	{ { 3, 7 }, { 1, 3 } },
	{ { 47, 10 }, { 13, 20 } },
	{ { 9, 2 }, { 3333, 5000 } },
	{ { 999983, 1000 }, { 99, 100 } },
	/* products of two factors are the largest numbers */
	{ { 1, 1 }, { 1, 8 } },
	{ { 1, 1 }, { 1, 16 } },
};
#define N_RECIPE ((int)(sizeof(recipes) / sizeof(recipes[0])))

static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
	{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

static struct vs_alleles
with(const struct vs_alleles *m, int k)
{
	struct vs_alleles out = *m;

	vs_alleles_set(&out, recipes[k].multiplier, recipes[k].gamma);
	return out;
}

/* The rule gives the rows that are built in. */
static void
built_in(void)
{
	struct vs_alleles m;

	for (int k = 0; k < 2; k++) {
		const struct vs_alleles *own = &vs_metric_at(k)->alleles;

		m = with(own, k);
		T_OK(!memcmp(&m.recipe, &own->recipe, sizeof(m.recipe)) &&
				m.multiplier == own->multiplier &&
				m.gamma == own->gamma &&
				m.scale == own->scale &&
				m.scale3 == own->scale3 &&
				m.most[0] == own->most[0] &&
				m.most[1] == own->most[1],
			"%s: its own multiplier and gamma by the general rule",
			vs_metric_at(k)->name);
	}
}

/* A vector of n fields, number x: present fields, copies as genotypes. */
struct vector {
	uint8_t g[4];
	int64_t c, s;
};

static struct vector
vector(int x, int n, int ploidy)
{
	struct vector v = { 0 };

	for (int f = 0; f < n; f++, x /= ploidy + 2) {
		v.g[f] = (uint8_t)(x % (ploidy + 2));
		if (v.g[f] > ploidy)
			v.g[f] = 3;
		v.c += v.g[f] < 3;
		v.s += v.g[f] < 3 ? v.g[f] * (3 - ploidy) : 0;
	}
	return v;
}

static double
by_recipe(const struct vs_recipe *m, const struct vector *v, int n_way,
	const int *order, int cell, int64_t r, int64_t both)
{
	int64_t factor[3], c[3];

	for (int x = 0; x < n_way; x++) {
		const struct vector *one = &v[order[x]];

		factor[x] = vs_recipe_factor(m, one->s, one->c,
			cell >> (n_way - 1 - order[x]) & 1);
		c[x] = one->c;
	}
	return n_way == 2
		? vs_recipe_value(m, r, factor[0], c[0], factor[1], c[1], both)
		: vs_recipe_value3(m, r, factor, c, both);
}

static struct vs_plain_triple
plain(const struct vs_plain_recipe *how, const struct vector v[3], size_t n,
	int n_way)
{
	struct vs_plain_triple t = { 0 };
	struct vs_plain_pair p;

	if (n_way == 3) {
		vs_plain_alleles3(how,
			(const uint8_t *const[]){ v[0].g, v[1].g, v[2].g }, n,
			&t);
		return t;
	}
	vs_plain_alleles(how, v[0].g, v[1].g, n, &p);
	t.nvalid = p.nvalid;
	memcpy(t.num, p.num, sizeof(p.num));
	memcpy(t.value, p.value, sizeof(p.value));
	return t;
}

static void
all_small(const struct vs_alleles *own, int k, int n_way)
{
	const struct vs_alleles m = with(own, k);
	int ploidy = m.recipe.fold == 1 ? 2 : 1, n = 5 - n_way, all = 1;
	int wrong = 0, some = 0, above = 0, each = 1, cells = 1 << n_way;
	const struct vs_plain_recipe how = { ploidy, recipes[k].multiplier.p,
		recipes[k].multiplier.q, recipes[k].gamma.p,
		recipes[k].gamma.q };

	for (int f = 0; f < n; f++)
		each *= ploidy + 2;
	for (int x = 0; x < n_way; x++)
		all *= each;
	for (int x = 0; x < all; x++) {
		const struct vector v[3] = { vector(x, n, ploidy),
			vector(x / each, n, ploidy),
			vector(x / each / each, n, ploidy) };
		struct vs_plain_triple t = plain(&how, v, (size_t)n, n_way);
		double top = vs_alleles_ceiling(&m, n_way,
			(double)t.nvalid / (double)n);

		for (int cell = 0; cell < cells; cell++)
			above += t.value[cell] > top;
		for (int y = 0; y < 6 * cells; y++) {
			const int *order = orders[y / cells], cell = y % cells;
			int64_t r = t.num[cell] * (ploidy == 1 ? cells : 1);

			if (n_way == 2 && order[2] != 2)
				continue;
			some += t.value[cell] > 0;
			wrong += by_recipe(&m.recipe, v, n_way, order, cell, r,
					 t.nvalid) != t.value[cell];
		}
	}
	T_OK(!wrong && some,
		"multiplier %g, recipe %d: %d of all %d-way values in any "
		"order differ",
		own->multiplier, k, wrong, n_way);
	T_OK(!above,
		"multiplier %g, recipe %d: %d of them are above the ceiling",
		own->multiplier, k, above);
}

/*
 * No value of few fields is above the ceiling, and vectors that are alike in
 * the part of many fields that they share, and without the allele elsewhere,
 * come near it.
 */
static void
ceiling(const struct vs_alleles *own, int k, int n_way)
{
	const struct vs_alleles m = with(own, k);
	static const double part[] = { 1, 0.9, 0.5, 0.3, 0.05 };
	const struct vs_plain_recipe how = { 1, recipes[k].multiplier.p,
		recipes[k].multiplier.q, recipes[k].gamma.p,
		recipes[k].gamma.q };
	const int64_t rare[3] = { 1, 1, 1 }, many[3] = { 6000, 6000, 6000 };
	double top = vs_alleles_ceiling(&m, n_way, 0);
	double odd = vs_plain_value(&how, n_way, 1, 1, rare, many);

	T_OK(odd <= top && odd > top * (1 - 1e-3),
		"multiplier %g, recipe %d: %d-way, %g is below %g",
		own->multiplier, k, n_way, odd, top);
	for (size_t x = 0; x < sizeof(part) / sizeof(*part); x++) {
		/* each has these, and shares the rest with all others */
		const int64_t all = 6000, c = (int64_t)(part[x] * all);
		const int64_t own_c = ((n_way - 1) * all + c) / n_way;
		const int64_t has[3] = { own_c, own_c, own_c };
		double most = 0;

		top = vs_alleles_ceiling(&m, n_way, (double)c / (double)all);
		for (int64_t f = 0; f <= c; f++) {
			const int64_t s[3] = { f, f, f };

			most = fmax(most,
				vs_plain_value(&how, n_way, f, c, s, has));
		}
		T_OK(most <= top && most > top * (1 - 1e-3),
			"multiplier %g, recipe %d: %d-way, of %g shared, %g is "
			"below %g",
			own->multiplier, k, n_way, part[x], most, top);
	}
}

/* Products that are not the exact ones, with up to n fields. */
static int
inexact(const struct vs_recipe *m, int64_t n, int n_way, int k)
{
	struct vs_rng rng;
	int wrong = 0;

	vs_rng_seed(&rng, (uint64_t)k);
	for (int trial = 0; trial < 2000; trial++) {
		int64_t c[3], f[3], all = n - (int64_t)vs_rng_below(&rng, 9);
		int64_t r = (1 << n_way) * all - (int64_t)vs_rng_below(&rng, 9);
		__int128 above = (__int128)m->over[n_way - 2] * r;
		__int128 below = (__int128)m->under[n_way - 2] * all;

		for (int x = 0; x < n_way; x++) {
			c[x] = n - (int64_t)vs_rng_below(&rng, 9);
			f[x] = vs_recipe_factor(m,
				(int64_t)vs_rng_below(&rng, 9), c[x], 1);
			above *= f[x];
			below *= c[x];
		}
		for (int o = 0; o < 6; o++) {
			const int *x = orders[o];
			double v;

			if (n_way == 2 && x[2] != 2)
				continue;
			v = n_way == 2 ? vs_recipe_value(m, r, f[x[0]], c[x[0]],
						 f[x[1]], c[x[1]], all)
				       : vs_recipe_value3(m, r,
						 (int64_t[]){ f[x[0]], f[x[1]],
							 f[x[2]] },
						 (int64_t[]){ c[x[0]], c[x[1]],
							 c[x[2]] },
						 all);
			wrong += v != (double)above / (double)below;
		}
	}
	return wrong;
}

static void
large(const struct vs_alleles *own, int k)
{
	const struct vs_alleles m = with(own, k);

	for (int n_way = 2; n_way <= 3; n_way++) {
		int64_t n = m.most[n_way - 2];

		T_OK(n > 16 && !inexact(&m.recipe, n, n_way, k),
			"multiplier %g, recipe %d: %d-way products of %lld "
			"fields are the "
			"exact ones",
			own->multiplier, k, n_way, (long long)n);
	}
}

int
main(void)
{
	struct vs_alleles m;

	built_in();
	for (int k = 0; k < N_RECIPE; k++)
		for (int metric = 0; metric < 2; metric++) {
			all_small(&vs_metric_at(metric)->alleles, k, 2);
			all_small(&vs_metric_at(metric)->alleles, k, 3);
			ceiling(&vs_metric_at(metric)->alleles, k, 2);
			ceiling(&vs_metric_at(metric)->alleles, k, 3);
			large(&vs_metric_at(metric)->alleles, k);
		}
	m = with(&vs_metric_at(0)->alleles, 8);
	T_OK(m.most[1] < (1 << 24) - 1 &&
			inexact(&m.recipe, 4 * m.most[1], 3, 1),
		"4 times as many fields as are taken would not be");
	vs_alleles_set(&m, (struct vs_ratio){ 1, 999983 },
		(struct vs_ratio){ 1, 999979 });
	T_OK(m.most[1] == 0, "what 63 bits do not hold takes no field at all");
	/* 2^82, the low bits of which are those of 0 */
	vs_alleles_set(&m, (struct vs_ratio){ 1, 1 << 19 },
		(struct vs_ratio){ 1, 1 << 19 });
	T_OK(m.most[1] == 0, "nor does what 128 bits hold");
	for (int n_way = 2; n_way <= 3; n_way++) {
		m = with(&vs_metric_at(0)->alleles, n_way == 2 ? 0 : 2);
		T_OK(vs_alleles_ceiling(&m, n_way, 1) == 1,
			"complete vectors, %d of them, reach 1, no more",
			n_way);
	}
	vs_alleles_set(&m, (struct vs_ratio){ 9, 2 },
		(struct vs_ratio){ 1, 1 });
	T_OK(vs_alleles_ceiling(&m, 2, 0.5) > 1,
		"a ceiling of incomplete vectors is rounded up");
	return T_DONE();
}
