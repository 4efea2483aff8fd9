/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bound by which a device drops tables of pairs and triples, against sums
 * of lgamma() and of n ln n in doubles: no table that reaches the requirement
 * is dropped, whatever the classes; a table far below it is. Then its two
 * screens of triples of alleles, against exact values.
 */
#include <math.h>

#include "cuda/allele_tiles.h"
#include "cuda/card_query.h"
#include "cuda/chi_bound.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define MOST_CELLS 27

/* Sum over a table. */
static double
plain(const int64_t cell[][2], int n_cell, bool entropy)
{
	double sum = 0;

	for (int x = 0; x < n_cell; x++) {
		double a = (double)cell[x][0], b = (double)cell[x][1];

		if (!entropy)
			sum += lgamma(a + 1) + lgamma(b + 1) -
				lgamma(a + b + 2);
		else if (a + b > 0)
			sum += (a > 0 ? a * log(a) : 0) +
				(b > 0 ? b * log(b) : 0) - (a + b) * log(a + b);
	}
	return sum;
}

/* True if the device keeps the table, whose class c has n[c] samples. */
static bool
keeps(const int64_t cell[][2], int n_cell, const int64_t n[2], double need,
	bool entropy)
{
	struct vs_card_chi q;
	struct vs_chi sum = { 0, 0, 0 };

	vs_card_chi_make(n, need, entropy, &q);
	for (int x = 0; x < n_cell; x++)
		vs_chi_add(&sum, (float)(cell[x][0] + cell[x][1]),
			(float)cell[x][1], q.share, entropy, q.skew);
	return vs_chi_may_pass(&sum, &q, (uint32_t)n_cell, entropy, q.skew);
}

/* The sum over a table with one share of cases in each cell. */
static double
by_chance(const int64_t n[2])
{
	double sum = 0;

	for (int c = 0; c < 2; c++)
		sum += (double)n[c] * log((double)n[c] / (double)(n[0] + n[1]));
	return sum;
}

static double
unit(struct vs_rng *rng)
{
	return (double)vs_rng_below(rng, 1 << 20) / (1 << 20);
}

static void
test_tables(int n_cell, bool entropy, struct vs_rng *rng)
{
	int n_table = 0, n_lost = 0, n_far = 0, n_kept = 0;

	for (int k = 0; k < 40000; k++) {
		/* few samples or up to 2^23, classes even or not, cells empty
		 * or of one class; every second table is one of chance */
		const double share = k % 3 ? unit(rng) : 0.45 + 0.1 * unit(rng);
		int64_t cell[MOST_CELLS][2], n[2] = { 0, 0 };
		double sum, far;

		for (int x = 0; x < n_cell; x++) {
			const uint64_t bits = 1 + vs_rng_below(rng, 1 + k % 17);
			const int64_t all = vs_rng_below(rng, 4)
				? (int64_t)vs_rng_below(rng, 1u << bits)
				: 0;
			const double of = k % 2 ? share : unit(rng);
			const double part = fmin(fmax(of, 0), 1) * (double)all;

			cell[x][1] = vs_rng_below(rng, 9) ? (int64_t)part
				: vs_rng_below(rng, 2)    ? all
							  : 0;
			cell[x][0] = all - cell[x][1];
			for (int c = 0; c < 2; c++)
				n[c] += cell[x][c];
		}
		if (!n[0] || !n[1])
			continue;
		n_table++;
		sum = plain(cell, n_cell, entropy);
		n_lost += !keeps(cell, n_cell, n, sum, entropy);
		/* what a cell has above chance counts 2.5 times at most */
		far = by_chance(n);
		if (entropy && 3 * n[0] < 4 * n[1] && 3 * n[1] < 4 * n[0]) {
			n_far++;
			n_kept += keeps(cell, n_cell, n,
				far + 2.5 * (sum - far) + 1, entropy);
		}
	}
	T_OK(n_table > 30000 && !n_lost, "%d cells, %s: %d tables, %d dropped",
		n_cell, entropy ? "entropy" : "factorials", n_table, n_lost);
	if (entropy)
		T_OK(n_far > 3000 && !n_kept,
			"%d cells: of %d far from what is needed %d are kept",
			n_cell, n_far, n_kept);
}

/* Excess of a cell's bound over its part of the sum, with room for rounding. */
static double
term(const int64_t cell[2], const struct vs_card_chi *q)
{
	const double p = (double)q->share, k = (double)cell[1],
		     n = (double)cell[0] + k;
	struct vs_chi x = { 0, 0, 0 };
	double most;

	vs_chi_add(&x, (float)n, (float)k, q->share, q->entropy, q->skew);
	most = (double)x.all * (double)q->scale;
	if (q->skew)
		most += (double)x.above * (double)q->more;
	if (!q->entropy)
		most -= (double)q->half * (double)(x.logs - VS_CHI_ONE);
	/* what a cell adds to the need: 18 more of them in a triple */
	most -= (double)(q->least[1] - q->least[0]) / 18;
	return most -
		(plain((const int64_t(*)[2])cell, 1, q->entropy) - k * log(p) -
			(n - k) * log(1 - p)) +
		1e-5;
}

/* The term of each single cell, n up to 300 and each share of cases: nothing
 * else in a table can make up for a term that is too low. */
static void
test_cells(void)
{
	long n_cell = 0, n_low = 0;

	for (int share = 1; share < 100; share++) {
		const int64_t n[2] = { 100 - share, share };
		struct vs_card_chi q[2];

		for (int e = 0; e < 2; e++)
			vs_card_chi_make(n, 0, e, &q[e]);
		for (int64_t all = 0; all < 300; all++)
			for (int64_t b = 0; b <= all; b++)
				for (int e = 0; e < 2; e++) {
					const int64_t cell[1][2] = { { all - b,
						b } };

					n_low += term(cell[0], &q[e]) < 0;
					n_cell++;
				}
	}
	T_OK(n_cell > 8000000 && !n_low, "%ld cells, %ld bounds are too low",
		n_cell, n_low);
}

/* The sum of the classes' own samples, by which it differs from a strength. */
static double
whole(const int64_t n[2], bool entropy)
{
	return plain((const int64_t(*)[2])n, 1, entropy);
}

/* The sum that a table of n samples needs for a value, and the value of a table
 * with such a sum: by a metric's number below. */
enum { K2, LBF, MI, G, BETA, RULES };

static double
needed(int rule, const int64_t n[2], double value)
{
	const double a = (double)n[0], b = (double)n[1];
	const double w = whole(n, rule > LBF), all = a + b;
	const double none = (a * a + b * b) / (all * all);

	return rule == K2     ? value
		: rule == LBF ? value + w
		: rule == MI  ? value * all + w
		: rule == G   ? value / 2 + w
			      : (value - none) * all + w;
}

static double
value_of(int rule, const int64_t n[2], double sum)
{
	/* each is a line */
	const double at = needed(rule, n, 0);

	return (sum - at) / (needed(rule, n, 1) - at);
}

/* Tables that lack some samples, by chance or more of one class: none is
 * dropped that has what it needs, and most are that are far from it. */
static void
test_called(struct vs_rng *rng)
{
	static const enum vs_device_code code[RULES] = { VS_DEVICE_K2,
		VS_DEVICE_LBF, VS_DEVICE_MI, VS_DEVICE_G, VS_DEVICE_BETA };
	int n_table = 0, n_lost = 0, n_far = 0, n_kept = 0;

	for (int k = 0; k < 100000; k++) {
		const int rule = k % RULES;
		const bool entropy = rule > LBF;
		const double share = k % 3 ? 0.1 + 0.8 * unit(rng) : 0.5;
		int64_t n[2] = { 0, 0 }, all[2];
		struct vs_chi sum = { 0, 0, 0 };
		int32_t called[2];
		struct vs_card_chi q;
		int64_t cell[MOST_CELLS][2];
		double value, exact;

		for (int x = 0; x < MOST_CELLS; x++)
			for (int c = 0; c < 2; c++) {
				cell[x][c] = (int64_t)((c ? share : 1 - share) *
					(double)vs_rng_below(rng,
						1u << (1 + k % 15)));
				n[c] += cell[x][c];
			}
		if (!n[0] || !n[1])
			continue;
		n_table++;
		for (int c = 0; c < 2; c++) {
			called[c] = (int32_t)n[c];
			all[c] = n[c] +
				(int64_t)vs_rng_below(rng,
					(uint64_t)n[c] / (1 + (k / 7 % 99)) +
						1);
		}
		exact = plain((const int64_t(*)[2])cell, MOST_CELLS, entropy);
		for (int far = 0; far < 2; far++) {
			/* more than 2.5 times the information */
			value = value_of(rule, n,
				far ? whole(n, true) +
						3 * (exact - whole(n, true)) +
						20
				    : exact);
			vs_card_chi_make(all, needed(rule, all, value), entropy,
				&q);
			vs_card_chi_called(all, code[rule], &q);
			sum = (struct vs_chi){ 0, 0, 0 };
			for (int x = 0; x < MOST_CELLS; x++)
				vs_chi_add(&sum,
					(float)(cell[x][0] + cell[x][1]),
					(float)cell[x][1], q.share, entropy,
					q.skew);
			if (!far)
				n_lost += !vs_chi_called_may_pass(&sum, &q,
					called, entropy, q.skew);
			else if (entropy && k / 7 % 99 > 20 && !q.skew) {
				n_far++;
				n_kept += vs_chi_called_may_pass(&sum, &q,
					called, entropy, q.skew);
			}
		}
	}
	T_OK(n_table > 80000 && !n_lost && n_far > 3000 && n_kept * 100 < n_far,
		"samples not called: %d tables, %d dropped; of %d far from "
		"what is needed %d are kept",
		n_table, n_lost, n_far, n_kept);
}

static void
test_edges(void)
{
	const int64_t cell[9][2] = { { 5, 0 } }, none[2] = { 5, 0 },
		      many[2] = { 1 << 23, 1 << 23 }, some[2] = { 4, 1 };

	T_OK(keeps(cell, 9, none, 0, true) && keeps(cell, 9, none, 0, false),
		"a class without samples: all are kept");
	T_OK(keeps(cell, 9, many, 1e9, true) &&
			keeps(cell, 9, many, 1e9, false),
		"too many samples: all are kept");
	T_OK(keeps(cell, 9, some, -INFINITY, false) &&
			keeps(cell, 9, some, NAN, true) &&
			!keeps(cell, 9, some, INFINITY, true),
		"all, and none, are needed");
}

/* ---- triples of alleles ---- */

static uint32_t shared[ALLELE_FLOATS * TILES_LINES];

void
isa_store(uint32_t to, uint32_t v)
{
	shared[to / 4] = v;
}

uint32_t
isa_load(uint32_t from)
{
	return shared[from / 4];
}

/* A triple: its sums of g, and of x = 2 - g. */
struct triple {
	int32_t g[8], x[8];
	double most; /* of its values */
};

/* Cells of random sizes, about n samples in all; some are empty. */
static void
triple_make(struct triple *t, int32_t n, const struct vs_alleles *m,
	struct vs_rng *rng)
{
	const uint32_t genotype[3] = { 2, 0, 1 };
	const uint64_t rare = 1 + vs_rng_below(rng, 3);
	int32_t cell[27];

	for (int k = 0; k < 27; k++)
		cell[k] = vs_rng_below(rng, rare)
			? 0
			: (int32_t)vs_rng_below(rng,
				  (uint64_t)(n / (k % 13 ? 100 : 3) + 1));
	cell[vs_rng_below(rng, 27)]++;
	vs_card_alleles_sums(genotype, cell, t->g);
	memcpy(t->x, t->g, sizeof(t->x));
	for (int bit = 1; bit < 8; bit *= 2)
		for (int s = 0; s < 8; s++)
			if (s & bit)
				t->x[s] = 2 * t->x[s - bit] - t->x[s];
	t->most = 0;
	for (int s = 0; s < 8; s++) {
		int64_t r = 0, factor[3];
		const int64_t c[3] = { t->g[0], t->g[0], t->g[0] };

		for (int k = 0; k < 27; k++) {
			const int64_t of[3] = { (int64_t)genotype[k / 9],
				k / 3 % 3, k % 3 };

			r += cell[k] * (s & 4 ? of[0] : 2 - of[0]) *
				(s & 2 ? of[1] : 2 - of[1]) *
				(s & 1 ? of[2] : 2 - of[2]);
		}
		for (int v = 0; v < 3; v++)
			factor[v] = vs_recipe_factor(&m->recipe, t->g[4 >> v],
				c[v], s >> (2 - v) & 1);
		t->most = fmax(t->most,
			vs_recipe_value3(&m->recipe, r, factor, c, t->g[0]));
	}
}

/* Screens that keep the triple for a threshold: bit 0 the one of cells, bit 1
 * that of a block. */
static int
screens(const struct triple *t, const struct vs_metric *metric,
	double threshold)
{
	const struct vs_query q = { .metric = metric,
		.alleles = &metric->alleles,
		.threshold = threshold,
		.n_field = (size_t)t->g[0],
		.cell_mask = 255 };
	struct allele_pivot u = { .sum = (float)t->x[4] };
	struct vs_card_rule rule = { 0 };
	struct allele_row row;
	float e[3][2];

	vs_card_rule_make(&q, true, &rule);
	for (int k = 0; k < 6; k++) {
		const struct vs_card_side side = {
			.u = { (float)vs_alleles_u(&metric->alleles,
				t->g[4 >> k / 2], t->g[0], k % 2) }
		};

		e[k / 2][k % 2] = vs_card_alleles_e(&side, 0);
	}
	for (uint32_t k = 0; k < 2; k++) {
		u.e[k] = e[0][k];
		allele_store(0, ALLELE_E + k, 0, e[1][k]);
		allele_store(0, ALLELE_E + k, TILES_ROWS, e[2][k]);
	}
	allele_store(0, ALLELE_SUM, 0, (float)t->x[2]);
	allele_store(0, ALLELE_SUM, TILES_ROWS, (float)t->x[1]);
	allele_store(0, ALLELE_WITH, 0, (float)t->x[6]);
	allele_store(0, ALLELE_WITH, TILES_ROWS, (float)t->x[5]);
	row = allele_row_of(&rule, &u, 0, 0);
	return vs_card_alleles_may_pass(&rule, t->g, e) |
		allele_may_pass(&rule, &u, &row, 0, TILES_ROWS, t->x[3],
			t->x[7])
		<< 1;
}

static void
test_alleles(struct vs_rng *rng)
{
	static const int32_t sizes[] = { 1, 2, 31, 33, 255, 257, 1023, 1025,
		3000, 100000, 1 << 21, 1 << 24 };
	const struct vs_metric *metric = vs_metric_find("ccc");
	long lost = 0, kept = 0, n = 0;

	for (int k = 0; k < 12 * 2000; k++) {
		struct triple t;

		triple_make(&t, sizes[k % 12], &metric->alleles, rng);
		lost += screens(&t, metric, t.most * (1 - 1e-12)) != 3;
		lost += screens(&t, metric, 0) != 3;
		lost += screens(&t, metric, -1) != 3;
		kept += screens(&t, metric, 1.02 * t.most) != 0;
		n++;
	}
	T_OK(!lost && !kept, "alleles: of %ld triples %ld lost, %ld kept", n,
		lost, kept);
}

int
main(void)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 20261126);
	for (int e = 0; e < 2; e++) {
		test_tables(9, e, &rng);
		test_tables(27, e, &rng);
	}
	test_cells();
	test_called(&rng);
	test_edges();
	test_alleles(&rng);
	return T_DONE();
}
