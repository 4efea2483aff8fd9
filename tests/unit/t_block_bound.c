/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * No pair that passes is left out by the bound on groups of vectors: all pairs
 * of all vectors of few fields, calls missing or not, and of random vectors,
 * in the file's order and sorted, judged by the plain definition.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/prune/block_bound.h"
#include "tests/unit/moment_rows.h"
#include "tests/unit/panels.h"
#include "tests/unit/recipes.h"
#include "tests/unit/test.h"

static struct vs_panel panel;
static uint8_t *genotype; /* by number in the file */

static void
make(size_t n_vec, size_t n_field)
{
	if (panel_new(&panel, n_vec, n_field))
		exit(4);
	for (size_t v = 0; v < n_vec; v++)
		for (size_t f = 0; f < n_field; f++)
			vs_vec_set(&panel.vec, v, f, genotype[v * n_field + f]);
	panel_make(&panel, 0, n_vec, 1);
}

/* The largest value of a pair, by number in the file; -1 if the two share too
 * few fields. */
static double
value(const struct vs_query *q, size_t i, size_t j)
{
	const uint8_t *a = genotype + i * q->n_field;
	const uint8_t *b = genotype + j * q->n_field;
	struct vs_plain_pair pair;
	double most = 0;

	if (!q->alleles) {
		int64_t nvalid;

		most = moment_plain(q->metric, a, b, q->n_field, &nvalid);
		return nvalid < q->min_joint ? -1 : most;
	}
	plain_ccc(a, b, q->n_field, &pair);
	if (pair.nvalid < q->min_joint)
		return -1;
	for (int cell = 0; cell < 4; cell++)
		if (pair.value[cell] > most)
			most = pair.value[cell];
	return most;
}

/* Pairs outside the ranges of rows that pass; *kept counts those inside. */
static int
outside(const struct vs_bound_groups *g, const double *values, size_t *kept)
{
	size_t n = panel.n_vec;
	int wrong = 0;

	for (size_t col = 0; col < n; col += VS_SPAN) {
		size_t end = n - col < VS_SPAN ? n : col + VS_SPAN, lo, hi;

		vs_block_bound_range(g, g, col, end, &lo, &hi);
		*kept += (hi - lo) * (end - col);
		for (size_t i = 0; i < n; i++)
			for (size_t j = col; j < end && (i < lo || i >= hi);
				j++)
				wrong += values[(size_t)panel.row[i] * n +
						 (size_t)panel.row[j]] >
					g->q->threshold;
	}
	return wrong;
}

/* Numbers of a vector of CCC by its genotypes, gamma 2/3: fields with one copy
 * or more of the rarer allele, with two, u; the same of the other; calls. */
static void
side_of(const struct vs_query *q, size_t v, double side[7])
{
	const uint8_t *g = genotype + (size_t)panel.row[v] * q->n_field;
	int n[4] = { 0 }, c, rare;

	for (size_t f = 0; f < q->n_field; f++)
		n[g[f]]++;
	c = n[0] + n[1] + n[2];
	rare = n[2] <= n[0] ? 2 : 0;
	for (int k = 0; k < 2; k++, rare = 2 - rare, side += 3) {
		side[0] = n[1] + n[rare];
		side[1] = n[rare];
		side[2] = c ? 1 - (side[0] + side[1]) / (3.0 * c) : 0;
	}
	*side = -c;
}

/* Each vector has its numbers, each group their maxima, padding the lowest
 * possible ones. */
static int
wrong_sides(const struct vs_bound_groups *g)
{
	const size_t n = panel.n_vec, n_group = (n + VS_GROUP - 1) / VS_GROUP;
	const double least[7] = { [6] = -(double)g->q->n_field };
	int wrong = g->bound->n != 7;

	for (size_t at = 0; at < n_group + VS_LOOK; at++) {
		double most[7], side[7];

		memcpy(most, least, sizeof(most));
		for (size_t v = VS_GROUP * at;
			v < VS_GROUP * (at + 1) && at < n_group; v++) {
			memcpy(side, least, sizeof(side));
			if (v < n)
				side_of(g->q, v, side);
			for (int x = 0; x < 7; x++) {
				wrong += fabs(side[x] - g->one[x][v]) > 1e-6;
				most[x] = fmax(most[x], side[x]);
			}
		}
		for (int x = 0; x < 7; x++)
			wrong += fabs(most[x] - g->most[x][at]) > 1e-6;
	}
	return wrong;
}

/* The same above a threshold. */
static int
lost(struct vs_query *q, const double *values, double threshold, size_t *kept)
{
	struct vs_bound_groups g;
	int wrong = 0;

	q->threshold = threshold;
	if (vs_block_bound_make(&g, q, &panel, 0, panel.n_vec))
		exit(4);
	wrong += outside(&g, values, kept);
	wrong += q->alleles ? wrong_sides(&g) : 0;
	vs_block_bound_free(&g);
	return wrong;
}

/* Pairs that the bound rejects just below their own value. */
static int
refused(struct vs_query *q, const double *values)
{
	struct vs_bound_groups g;
	size_t n = panel.n_vec;
	int wrong = 0;

	if (vs_block_bound_make(&g, q, &panel, 0, n))
		exit(4);
	for (size_t i = 0; i < n; i++) {
		float side[VS_SIDE];

		g.bound->side(q, &panel, i, side);
		for (size_t j = 0; j < n; j++) {
			const double value = values[(size_t)panel.row[i] * n +
				(size_t)panel.row[j]];
			int32_t hit[VS_LOOK];

			q->threshold = value * (1 - 1e-14);
			if (!(value > q->threshold) || value <= 0)
				continue;
			g.bound->look(q, side, g.one, j / VS_LOOK * VS_LOOK,
				hit);
			wrong += !hit[j % VS_LOOK];
		}
	}
	vs_block_bound_free(&g);
	return wrong;
}

/* Rows of a stretch of the panel left out just below their value with a column
 * of another stretch; stretches of one vector and of two groups. */
static int
lost_between(struct vs_query *q, const double *values)
{
	size_t n = panel.n_vec, step = n / 40 + 1;
	int wrong = 0;

	for (size_t i = 0; i < n; i += step)
		for (size_t j = 0; j < n; j += step) {
			const double value = values[(size_t)panel.row[i] * n +
				(size_t)panel.row[j]];
			const size_t more = (i + j) % 2 ? 1 : VS_GROUP + 1;
			struct vs_bound_groups rows, cols;
			size_t lo, hi, end = i + more < n ? i + more : n;

			q->threshold = value * (1 - 1e-14);
			if (!(value > q->threshold) || value <= 0)
				continue;
			if (vs_block_bound_make(&rows, q, &panel, i, end) ||
				vs_block_bound_make(&cols, q, &panel, j, j + 1))
				exit(4);
			vs_block_bound_range(&rows, &cols, j, j + 1, &lo, &hi);
			wrong += lo != i || hi <= i || hi > end;
			vs_block_bound_free(&rows);
			vs_block_bound_free(&cols);
		}
	return wrong;
}

/* Vectors marked as passing with no other that do pass. */
static int
lost_alone(const struct vs_query *q, const double *values, int *n_alone)
{
	size_t n = panel.n_vec;
	int wrong = 0;

	for (size_t v = 0; v < n; v++)
		*n_alone += !vs_block_bound_passes(q, &panel, v);
	for (size_t v = 0; v < n; v++)
		for (size_t j = 0;
			j < n && !vs_block_bound_passes(q, &panel, v); j++)
			wrong += values[(size_t)panel.row[v] * n + j] >
				q->threshold;
	return wrong;
}

/* least: how much less is kept of sorted vectors. */
static void
judge(const struct vs_metric *metric, int64_t min_joint, double least,
	const char *what)
{
	struct vs_query q = { .metric = metric,
		.alleles =
			vs_metric_has_cells(metric) ? &metric->alleles : NULL,
		.prune = true,
		.n_field = panel.vec.n_field,
		.min_joint = min_joint,
		.least_present = (int64_t)panel.vec.n_field };
	size_t n = panel.n_vec, kept[2] = { 0 };
	double *values = NULL;
	int wrong = 0, n_alone = 0;

	if (vs_mem_new(&values, n * n, sizeof(*values), "values"))
		exit(4);
	for (size_t i = 0; i < n; i++) {
		if (panel.present[i] && panel.present[i] < q.least_present)
			q.least_present = panel.present[i];
		for (size_t j = 0; j < n; j++)
			values[i * n + j] = value(&q, i, j);
	}
	if (q.least_present < min_joint)
		q.least_present = min_joint;
	for (int sorted = 0; sorted < 2; sorted++) {
		if (sorted && vs_panel_sort(&panel, 0, n, 0, n, 2))
			exit(4);
		for (int t = 0; t <= 20; t++) {
			/* just below a value that occurs, and between */
			wrong += lost(&q, values, t / 20.0 * (1 - 1e-12),
				&kept[sorted]);
			wrong += lost_alone(&q, values, &n_alone);
		}
		for (size_t t = 0; t < n; t += n / 32 + 1) {
			double v = values[t * n + (7 * t + 1) % n];

			if (v > 0)
				wrong += lost(&q, values, v * (1 - 1e-15),
					&kept[sorted]);
		}
	}
	wrong += refused(&q, values);
	wrong += lost_between(&q, values);
	/* of calls that are all there a bound is sharp enough to refuse some */
	wrong += q.alleles && q.least_present == (int64_t)q.n_field && !n_alone;
	T_OK(!wrong && (double)kept[1] <= least * (double)kept[0],
		"%s, %s, %lld shared: %d pairs lost; %.2f as many kept when "
		"sorted",
		metric->name, what, (long long)min_joint, wrong,
		(double)kept[1] / (double)kept[0]);
	free(values);
}

/* A new panel for each, in the order of the file; any pair, and
 * those that share many fields. */
static void
judge_all(size_t n_vec, size_t n_field, int64_t many, double least,
	const char *what)
{
	for (int k = 0; k < 1 + bounded_rows(); k++)
		for (int joint = 0; joint < 1 + (many > 0); joint++) {
			make(n_vec, n_field);
			judge(k ? bounded_row(k - 1) : vs_metric_find("ccc"),
				joint ? many : 0, k || joint ? 2 : least, what);
			vs_panel_free(&panel);
		}
}

/* Every vector of n fields with at most a given number missing. */
static void
all_vectors(size_t n_field, size_t most, const char *what)
{
	size_t all = (size_t)1 << 2 * n_field, n = 0;

	if (vs_mem_new(&genotype, all * n_field, 1, "genotypes"))
		exit(4);
	for (size_t v = 0; v < all; v++) {
		size_t missing = 0;

		for (size_t f = 0; f < n_field; f++) {
			uint8_t g = v >> 2 * f & 3;

			genotype[n * n_field + f] = g;
			missing += g == 3;
		}
		n += missing <= most;
	}
	judge_all(n, n_field, most ? (int64_t)(n_field + 1) / 2 : 0, 2, what);
	free(genotype);
}

/* Frequencies of 0 to 1; odd: heterozygotes from none to all there can be. */
static void
random_vectors(size_t n_field, int one_missing_in, bool odd, const char *what)
{
	const size_t n = T_LONG ? 600 : 200;
	struct vs_rng rng;

	vs_rng_seed(&rng, n_field);
	if (vs_mem_new(&genotype, n * n_field, 1, "genotypes"))
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
	judge_all(n, n_field,
		one_missing_in && odd ? (int64_t)n_field -
				(int64_t)n_field * 2 / one_missing_in
				      : 0,
		odd ? 1 : 0.95, what);
	free(genotype);
}

/* The range of very many groups ends at the outermost vectors that pass: those
 * with an allele in half of the fields, where all others have one copy. */
static void
far_apart(size_t a, size_t b, size_t c)
{
	const size_t n = 2 * VS_LOOK * VS_GROUP + 5, n_field = 40;
	const struct vs_metric *ccc = vs_metric_find("ccc");
	struct vs_query q = { .metric = ccc,
		.alleles = &ccc->alleles,
		.prune = true,
		.n_field = n_field,
		.least_present = (int64_t)n_field,
		.threshold = 0.7 };
	struct vs_bound_groups g, col;
	size_t least, most, empty_lo, empty_hi;

	if (vs_mem_new(&genotype, n * n_field, 1, "genotypes"))
		exit(4);
	for (size_t v = 0; v < n; v++)
		for (size_t f = 0; f < n_field; f++)
			genotype[v * n_field + f] =
				v == a || v == b || v == c ? f % 2 * 2 : !f;
	make(n, n_field);
	if (vs_block_bound_make(&g, &q, &panel, 0, n) ||
		vs_block_bound_make(&col, &q, &panel, b, b + 1))
		exit(4);
	vs_block_bound_range(&g, &col, b, b + 1, &least, &most);
	T_OK(least == a && most == c + 1,
		"vectors %zu, %zu, %zu pass: rows %zu to %zu", a, b, c, least,
		most);
	q.threshold = 1.1;
	vs_block_bound_range(&g, &col, b, b + 1, &empty_lo, &empty_hi);
	T_OK(empty_lo == empty_hi, "none passes: rows %zu to %zu", empty_lo,
		empty_hi);
	vs_block_bound_free(&g);
	vs_block_bound_free(&col);
	vs_panel_free(&panel);
	free(genotype);
}

/* A vector without calls passes with any other, with a value of 0. */
static void
without_calls(void)
{
	const struct vs_metric *ccc = vs_metric_find("ccc");
	struct vs_query q = { .metric = ccc,
		.alleles = &ccc->alleles,
		.n_field = 4 };
	static uint8_t none[4] = { 3, 3, 3, 3 };
	bool at_zero;

	genotype = none;
	make(1, 4);
	at_zero = vs_block_bound_passes(&q, &panel, 0);
	q.threshold = -1;
	T_OK(!at_zero && vs_block_bound_passes(&q, &panel, 0),
		"no call: passes below 0, not at 0");
	vs_panel_free(&panel);
}

int
main(void)
{
	without_calls();
	far_apart(3, 700, 1020);
	far_apart(530, 600, 900);
	far_apart(40, 41, 200);
	far_apart(900, 1000, 1028);
	all_vectors(1, 1, "all of 1 field");
	all_vectors(3, 3, "all of 3 fields");
	all_vectors(4, 4, "all of 4 fields");
	all_vectors(5, 1, "all of 5 fields, one missing");
	random_vectors(40, 0, true, "random, 40 fields");
	random_vectors(40, 20, true, "random, 40 fields, 5 % missing");
	random_vectors(300, 100, true, "random, 300 fields, 1 % missing");
	random_vectors(300, 0, false, "in proportion, 300 fields");
	random_vectors(300, 100, false, "in proportion, 1 % missing");
	return T_DONE();
}
