/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No pair that passes is left out by the bound on groups of vectors: all pairs
 * of all vectors of few fields, calls missing or not, and of random vectors,
 * in the file's order and sorted, judged by the plain definition.
 */
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/bound.h"
#include "libcore/metric/plain.h"
#include "tests/unit/test.h"

static struct vs_panel panel;
static uint8_t *genotype; /* by number in the file */

static void
make(size_t n_vec, size_t n_field)
{
	if (vs_panel_new(&panel, n_vec, n_field))
		exit(4);
	for (size_t v = 0; v < n_vec; v++)
		for (size_t f = 0; f < n_field; f++)
			vs_vec_set(&panel.vec, v, f, genotype[v * n_field + f]);
	vs_panel_make(&panel, 0, n_vec, 1);
}

/* The largest value of a pair. */
static double
value(size_t i, size_t j)
{
	size_t n = panel.vec.n_field;
	struct vs_plain_pair pair;
	double most = 0;

	vs_plain_ccc(genotype + (size_t)panel.row[i] * n,
		genotype + (size_t)panel.row[j] * n, n, &pair);
	for (int cell = 0; cell < 4; cell++)
		if (pair.value[cell] > most)
			most = pair.value[cell];
	return most;
}

/* Rows outside the ranges that pass; *kept counts those inside. */
static int
lost(const double *values, double threshold, size_t *kept)
{
	struct vs_question q = { .metric = vs_metric_find("ccc"),
		.threshold = threshold,
		.prune = true,
		.n_field = panel.vec.n_field };
	struct vs_groups g;
	size_t n = panel.n_vec;
	int wrong = 0;

	if (vs_groups_make(&g, &q, &panel, 0, n))
		exit(4);
	for (size_t col = 0; col < n; col += VS_SPAN) {
		size_t end = n - col < VS_SPAN ? n : col + VS_SPAN, lo, hi;

		vs_groups_range(&g, &g, col, end, &lo, &hi);
		*kept += (hi - lo) * (end - col);
		for (size_t i = 0; i < n; i++)
			for (size_t j = col; j < end && (i < lo || i >= hi);
				j++)
				wrong += values[(size_t)panel.row[i] * n +
						 (size_t)panel.row[j]] >
					threshold;
	}
	vs_groups_free(&g);
	return wrong;
}

/* least: how much less is kept of sorted vectors. */
static void
judge(double least, const char *what)
{
	size_t n = panel.n_vec, kept[2] = { 0 };
	double *values = NULL;
	int wrong = 0;

	if (vs_new(&values, n * n, sizeof(*values), "values"))
		exit(4);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			values[i * n + j] = value(i, j);
	for (int sorted = 0; sorted < 2; sorted++) {
		if (sorted && vs_panel_sort(&panel, 0, n, 2))
			exit(4);
		for (int t = 0; t <= 20; t++)
			/* just below a value that occurs, and between */
			wrong += lost(values, t / 20.0 * (1 - 1e-12),
				&kept[sorted]);
		for (size_t t = 0; t < n; t += n / 32 + 1)
			wrong += lost(values,
				values[t * n + (7 * t + 1) % n] * (1 - 1e-15),
				&kept[sorted]);
	}
	T_OK(!wrong && (double)kept[1] <= least * (double)kept[0],
		"%s: %d pairs lost; %.2f as many kept when sorted", what, wrong,
		(double)kept[1] / (double)kept[0]);
	free(values);
	vs_panel_free(&panel);
}

/* Every vector of n fields. */
static void
all_vectors(size_t n_field, const char *what)
{
	size_t n = (size_t)1 << 2 * n_field;

	if (vs_new(&genotype, n * n_field, 1, "genotypes"))
		exit(4);
	for (size_t v = 0; v < n; v++)
		for (size_t f = 0; f < n_field; f++)
			genotype[v * n_field + f] = v >> 2 * f & 3;
	make(n, n_field);
	judge(2, what);
	free(genotype);
}

/* Frequencies of 0 to 1; odd: heterozygotes from none to all there can be. */
static void
random_vectors(size_t n_field, int one_missing_in, bool odd, const char *what)
{
	const size_t n = 1000;
	struct vs_rng rng;

	vs_rng_seed(&rng, n_field);
	if (vs_new(&genotype, n * n_field, 1, "genotypes"))
		exit(4);
	for (size_t v = 0; v < n; v++) {
		uint64_t often = vs_rng_below(&rng, 1001),
			 pairs = odd ? v % 3 : 2;

		for (size_t f = 0; f < n_field; f++) {
			uint8_t *g = &genotype[v * n_field + f];
			int a = vs_rng_below(&rng, 1000) < often;
			int b = vs_rng_below(&rng, 1000) < often;

			*g = (uint8_t)(pairs    ? a + (pairs > 1 ? b : a)
					: v & 1 ? 1
						: 2 * a);
			if (one_missing_in &&
				!vs_rng_below(&rng, (uint64_t)one_missing_in))
				*g = 3;
		}
	}
	make(n, n_field);
	judge(odd ? 1 : 0.95, what);
	free(genotype);
}

int
main(void)
{
	all_vectors(1, "all of 1 field");
	all_vectors(3, "all of 3 fields");
	all_vectors(5, "all of 5 fields");
	random_vectors(40, 0, true, "random, 40 fields");
	random_vectors(40, 20, true, "random, 40 fields, 5 % missing");
	random_vectors(300, 100, true, "random, 300 fields, 1 % missing");
	random_vectors(300, 0, false, "in proportion, 300 fields");
	random_vectors(300, 100, false, "in proportion, 1 % missing");
	return T_DONE();
}
