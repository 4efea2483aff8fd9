/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound of a pair on its triples holds for every third vector, calls
 * missing or not, and some attain it: pairs of few fields, by the definition.
 */
#include <math.h>

#include "libcore/base/rng.h"
#include "libcore/engine/slab/triple_data.h"
#include "tests/unit/recipes.h"
#include "tests/unit/test.h"

#define N 4 /* fields */
#define THIRDS (1 << 2 * N)
#define PAIRS 3000

/* Counts of a vector: fields, and by label copies and fields with two. */
struct counts {
	int32_t c, s[2], two[2];
};

static struct counts
count(const uint8_t g[N])
{
	struct counts x = { 0 };

	for (int q = 0; q < N; q++) {
		x.c += g[q] < 3;
		for (int label = 0; label < 2 && g[q] < 3; label++) {
			int copies = label ? g[q] : 2 - g[q];

			x.s[label] += copies;
			x.two[label] += copies == 2;
		}
	}
	return x;
}

static int64_t
sum_of(const uint8_t i[N], const uint8_t j[N], int a, int b)
{
	int64_t r = 0;

	for (int q = 0; q < N; q++)
		if (i[q] < 3 && j[q] < 3)
			r += (a ? i[q] : 2 - i[q]) * (b ? j[q] : 2 - j[q]);
	return r;
}

/* The bound of a pair with every third vector; the nearest value there is. */
static double
judge(const struct vs_query *q, const uint8_t i[N], const uint8_t j[N],
	int *wrong)
{
	struct counts ci = count(i), cj = count(j);
	double near = 0;

	for (int third = 0; third < THIRDS && ci.c && cj.c; third++) {
		uint8_t k[N];
		const uint8_t *const v[3] = { i, j, k };
		struct vs_plain_triple t;

		for (int f = 0; f < N; f++)
			k[f] = (uint8_t)(third >> 2 * f & 3);
		plain_ccc3(v, N, &t);
		for (int cell = 0; cell < 8 && t.nvalid; cell++) {
			int a = cell >> 2, b = cell >> 1 & 1;
			const int32_t two[2] = { ci.two[a], cj.two[b] };
			double ui = 1 - ci.s[a] / (3.0 * ci.c);
			double uj = 1 - cj.s[b] / (3.0 * cj.c);
			double most = vs_triple_data_most(q, sum_of(i, j, a, b),
				two, ui * uj, t.nvalid);

			*wrong += t.value[cell] > most * (1 + 1e-9);
			near = fmax(near, most > 0 ? t.value[cell] / most : 0);
		}
	}
	return near;
}

int
main(void)
{
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.n_field = N };
	int wrong = 0, attained = 0;
	struct vs_rng rng;

	vs_rng_seed(&rng, 5);
	for (int pair = 0; pair < PAIRS; pair++) {
		uint8_t g[2][N];

		for (int x = 0; x < 2 * N; x++)
			g[x / N][x % N] = (uint8_t)vs_rng_below(&rng, 4);
		attained += judge(&q, g[0], g[1], &wrong) > 1 - 1e-9;
	}
	T_OK(!wrong, "%d pairs with %d third ones: %d beyond the bound", PAIRS,
		THIRDS, wrong);
	T_OK(attained > PAIRS / 20, "attained by %d of %d pairs", attained,
		PAIRS);
	return T_DONE();
}
