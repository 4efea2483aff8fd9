/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plain definition of triples against values worked out by hand, and the
 * recipe of the metrics against it: every triple of vectors of two fields, and
 * the largest counts that are taken.
 */
#include <math.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/metric/metric.h"
#include "tests/unit/recipes.h"
#include "tests/unit/test.h"

typedef void plain_fn(const uint8_t *const v[3], size_t n_field,
	struct vs_plain_triple *out);

static struct vs_plain_triple
triple(plain_fn *plain, const char *i, const char *j, const char *k)
{
	const char *text[3] = { i, j, k };
	uint8_t g[3][64];
	struct vs_plain_triple t;

	for (int x = 0; x < 3; x++)
		for (size_t q = 0; q < strlen(i); q++)
			g[x][q] = text[x][q] == '.'
				? 3
				: (uint8_t)(text[x][q] - '0');
	plain((const uint8_t *const[]){ g[0], g[1], g[2] }, strlen(i), &t);
	return t;
}

static void
is(plain_fn *plain, const char *i, const char *j, const char *k, int64_t nvalid,
	const int64_t num[8], const double v[8])
{
	struct vs_plain_triple t = triple(plain, i, j, k);
	int good = t.nvalid == nvalid;

	for (int c = 0; c < 8; c++)
		good = good && t.num[c] == num[c] && t.value[c] == v[c];
	T_OK(good, "%s %s %s: %g to %g", i, j, k, t.value[0], t.value[7]);
}

static void
by_hand(void)
{
	/* f = 1/2 each, no heterozygote: r = 2 * 8, f_ijk = 1/2, weights 2/3:
	 * 9/2 * 1/2 * 8/27 */
	is(plain_ccc3, "0202", "0202", "0202", 4,
		(int64_t[]){ 16, 0, 0, 0, 0, 0, 0, 16 },
		(double[]){ 2.0 / 3, 0, 0, 0, 0, 0, 0, 2.0 / 3 });
	/* heterozygous: each r = 4, f_ijk = 1/8: 9/2 / 8 * 8/27 */
	is(plain_ccc3, "1111", "1111", "1111", 4,
		(int64_t[]){ 4, 4, 4, 4, 4, 4, 4, 4 },
		(double[]){ 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6, 1.0 / 6,
			1.0 / 6, 1.0 / 6, 1.0 / 6 });
	/* c = 2 2 3, s = 2 2 4: joint field 0 alone with 2, 0, 2, so r_101 = 8;
	 * weights 1 - 2/3 * 1/2 twice and 1 - 2/3 * 4/6:
	 * 9/2 * 1 * 2/3 * 2/3 * 5/9 */
	is(plain_ccc3, "20..", "02..", "2.20", 1,
		(int64_t[]){ 0, 0, 0, 0, 0, 8, 0, 0 },
		(double[]){ 0, 0, 0, 0, 0, 10.0 / 9, 0, 0 });
	is(plain_ccc3, "20..", "..20", "1111", 0,
		(int64_t[]){ 0, 0, 0, 0, 0, 0, 0, 0 },
		(double[]){ 0, 0, 0, 0, 0, 0, 0, 0 });
	/* f = 1/2 each: 4 * 1/2 * 8/27 */
	is(plain_duo3, "0101", "0101", "0101", 4,
		(int64_t[]){ 2, 0, 0, 0, 0, 0, 0, 2 },
		(double[]){ 16.0 / 27, 0, 0, 0, 0, 0, 0, 16.0 / 27 });
}

/* The recipe on what one triple has, its vectors in the order given. */
static double
recipe(const struct vs_alleles *m, const struct vs_plain_triple *t, int cell,
	int64_t r_of_num, const int64_t s[3], const int64_t c[3],
	const int order[3])
{
	int64_t factor[3], present[3];

	for (int x = 0; x < 3; x++) {
		present[x] = c[order[x]];
		factor[x] = vs_recipe_factor(&m->recipe, s[order[x]],
			c[order[x]], cell >> (2 - order[x]) & 1);
	}
	return vs_recipe_value3(&m->recipe, t->num[cell] * r_of_num, factor,
		present, t->nvalid);
}

static const int orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
	{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

/* Metric, plain and every order of the vectors agree to the bit. */
static int
agrees(const char *name, const uint8_t v[3][8], size_t n, int *unlike)
{
	const struct vs_alleles *m = &vs_metric_find(name)->alleles;
	int duo = !strcmp(name, "duo"), good = 1;
	struct vs_plain_triple t, turned;
	int64_t s[3] = { 0 }, c[3] = { 0 };

	(duo ? plain_duo3
	     : plain_ccc3)((const uint8_t *const[]){ v[0], v[1], v[2] }, n, &t);
	for (int x = 0; x < 3; x++)
		for (size_t f = 0; f < n; f++)
			if (v[x][f] < 3) {
				c[x]++;
				s[x] += v[x][f] * (duo ? 2 : 1);
			}
	for (int o = 0; o < 6; o++) {
		const int *order = orders[o];

		(duo ? plain_duo3
		     : plain_ccc3)((const uint8_t *const[]){ v[order[0]],
					   v[order[1]], v[order[2]] },
			n, &turned);
		for (int cell = 0; cell < 8; cell++) {
			int there = 0;

			for (int x = 0; x < 3; x++)
				there = 2 * there +
					(cell >> (2 - order[x]) & 1);
			good = good &&
				recipe(m, &t, cell, duo ? 8 : 1, s, c, order) ==
					t.value[cell] &&
				turned.value[there] == t.value[cell] &&
				turned.num[there] == t.num[cell];
			*unlike += t.value[cell] > 0;
		}
	}
	return good;
}

static void
all_small(const char *name, int n_entry)
{
	static const uint8_t ccc[4] = { 0, 1, 2, 3 }, duo[3] = { 0, 1, 3 };
	const uint8_t *entry = n_entry == 4 ? ccc : duo;
	int good = 1, some = 0, n = 1;

	for (int x = 0; x < 6; x++)
		n *= n_entry;
	for (int x = 0; x < n && good; x++) {
		uint8_t v[3][8] = { { 0 } };

		for (int f = 0, y = x; f < 6; f++, y /= n_entry)
			v[f / 2][f % 2] = entry[y % n_entry];
		good = agrees(name, v, 2, &some);
	}
	T_OK(good && some,
		"%s: recipe, definition and order of all triples of "
		"2 fields",
		name);
}

/*
 * Counts near 2^24: the definition in integers of 128 bits. Each product of
 * four has to be the exact one, once rounded.
 */
static void
large(void)
{
	struct vs_rng rng;
	const int64_t most = (1 << 24) - 1;
	int wrong = 0;

	vs_rng_seed(&rng, 5);
	for (int k = 0; k < 20000; k++) {
		const struct vs_alleles *m =
			&vs_metric_find(k % 2 ? "ccc" : "duo")->alleles;
		int64_t c[3], f[3], all, r;
		__int128 above, below;

		for (int x = 0; x < 3; x++) {
			c[x] = most - (int64_t)vs_rng_below(&rng, 1000);
			f[x] = 3 * c[x] - (int64_t)vs_rng_below(&rng, 1000);
		}
		all = most - 2000 - (int64_t)vs_rng_below(&rng, 1000);
		r = 8 * all - (int64_t)vs_rng_below(&rng, 1000);
		above = (__int128)r * f[0] * f[1] * f[2];
		below = (__int128)m->recipe.under[1] * all * c[0] * c[1] * c[2];
		for (int o = 0; o < 6; o++) {
			const int *x = orders[o];

			wrong += vs_recipe_value3(&m->recipe, r,
					 (int64_t[]){ f[x[0]], f[x[1]],
						 f[x[2]] },
					 (int64_t[]){ c[x[0]], c[x[1]],
						 c[x[2]] },
					 all) != (double)above / (double)below;
		}
	}
	T_OK(!wrong,
		"2^24 fields: each product is the exact one, rounded once");
}

int
main(void)
{
	by_hand();
	all_small("ccc", 4);
	all_small("duo", 3);
	large();
	return T_DONE();
}
