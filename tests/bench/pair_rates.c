/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates of the counting kernels on one thread, beside a plain loop of 64-bit
 * population counts, and beside the rate that the ports of the core allow.
 * Genotypes in Hardy-Weinberg proportions, minor alleles of 5 to 50 %.
 *
 * Every figure is the best of several, in CPU time of the thread, so that other
 * processes hardly matter. The clock is measured by a chain of additions, each
 * waiting for the one before: a cycle each.
 *
 * With the argument costs: what libcore/kern/rows.h says about the kernels,
 * measured.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/kern/kernels.h"
#include "tests/bench/tries.h"
#include "tests/unit/panels.h"

#define N_VEC 1024 /* columns; half of them are rows too */
#define N_ROW 128  /* rows at a time */
#define LD (N_VEC + VS_COLS)

/*
 * Least cycles that counting takes, for a number of elements, or for an entry
 * of a row's list and a number of lanes. The limits are those of a core with
 * two ports for 512-bit logic, three for 256-bit and one for population counts.
 */
static const struct limit {
	const char *name;
	double elements, cycles;
	bool listed;
} limits[] = {
	/* two full adders of two operations an entry */
	{ "lanes512", 512, 4 / 2.0, true },
	/* a product of tiles, 16 x 16 x 64, in 16 cycles */
	{ "amx", 1024, 1, false },
	/* two registers of 9 operations in 7 entries */
	{ "nibble256", 256, 18 / 7.0 / 2, true },
	{ "nibble128", 128, 18 / 7.0 / 3, true },
	{ "nibble64", 64, 18 / 7.0 / 3, true },
	/* two each of logic, population count and addition */
	{ "vpopcnt", 512, 6 / 2.0, false },
	/* the same by tables of 16 bytes */
	{ "avx2", 256, 17 / 3.0, false },
	/* two counts of a word */
	{ "popcnt", 64, 2, false },
	{ "sparse vpopcnt", 512, 21 / 2.0, false },
};

/* Minor allele frequency per thousand, or of 50 to 500. */
static void
make_panel(struct vs_panel *p, size_t n_field, uint64_t minor,
	uint64_t missing_percent)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 1);
	if (panel_new(p, N_VEC, n_field))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++) {
		uint64_t freq = minor ? minor : 50 + vs_rng_below(&rng, 450);

		for (size_t q = 0; q < n_field; q++) {
			int g = (vs_rng_below(&rng, 1000) < freq) +
				(vs_rng_below(&rng, 1000) < freq);

			if (vs_rng_below(&rng, 100) < missing_percent)
				g = 3;
			if (g)
				vs_vec_set(&p->vec, v, q, g);
		}
	}
	panel_make(p, 0, N_VEC, 1);
}

/* Share of the calls that differ from their vector's commonest genotype. */
static double
share_listed(const struct vs_panel *p)
{
	double listed = 0, n = (double)p->vec.n_field;

	for (size_t v = 0; v < N_VEC; v++) {
		const uint64_t *h = vs_vec_plane(&p->vec, v, 0);
		const uint64_t *two = vs_vec_plane(&p->vec, v, 1);
		double n2 = 0, n1, most;

		for (size_t w = 0; w < p->vec.n_word; w++)
			n2 += __builtin_popcountll(h[w] & two[w]);
		n1 = p->sum[v] - 2 * n2;
		most = n1 > n2 ? n1 : n2;
		most = n - n1 - n2 > most ? n - n1 - n2 : most;
		listed += 1 - most / n;
	}
	return listed / N_VEC;
}

#if defined(__x86_64__)
__attribute__((target("popcnt")))
#endif
static int32_t
plain_pair(const uint64_t *a, const uint64_t *b, size_t n_word)
{
	int64_t xx = 0;

	for (size_t w = 0; w < n_word; w++) {
		uint64_t u = a[w] & b[w];

		xx += __builtin_popcountll(u) -
			2 *
				__builtin_popcountll(
					u & (a[n_word + w] ^ b[n_word + w]));
	}
	return (int32_t)xx;
}

/* G comparisons/s of the obvious loop over pairs. */
static double
plain_rate(const struct vs_panel *p)
{
	static int32_t out[N_ROW][N_VEC];
	struct tries t = { 0 };

	while (again(&t)) {
		for (size_t r = 0; r < N_ROW; r++)
			for (size_t c = 0; c < N_VEC; c++)
				out[r][c] =
					plain_pair(vs_vec_plane(&p->vec, r, 0),
						vs_vec_plane(&p->vec, c, 0),
						p->vec.n_word);
		__asm__ volatile("" : : "r"(out) : "memory");
	}
	return N_ROW * N_VEC * (double)p->vec.n_field * 1e-9 / t.best;
}

/* Seconds for N_VEC / 2 rows. */
static double
kernel_seconds(const struct vs_panel *p, const struct vs_dense *d, size_t n_col)
{
	size_t n_field = p->vec.n_field;
	int32_t *sum = NULL;
	void *cols = NULL, *scratch = NULL;
	struct tries t = { 0 };

	if (vs_mem_new(&sum, N_ROW * LD, 4, "sums") ||
		vs_mem_new(&scratch, d->row_room(N_ROW, n_field), 1, "rows") ||
		vs_mem_new(&cols, d->col_room(n_col, n_field), 1, "columns"))
		exit(4);
	d->take_cols(p, 0, n_col, 1, cols);
	while (again(&t))
		for (size_t row = 0; row < N_VEC / 2; row += N_ROW)
			d->count(p, row, N_ROW, 1, cols, 0, n_col, scratch, sum,
				LD);
	free(sum);
	free(scratch);
	free(cols);
	return t.best;
}

/* G comparisons/s */
static double
kernel_rate(const struct vs_panel *p, const struct vs_dense *d)
{
	return (double)N_VEC / 2 * N_VEC * (double)p->vec.n_field * 1e-9 /
		kernel_seconds(p, d, N_VEC);
}

/* G comparisons/s of single pairs. */
static double
sparse_rate(const struct vs_panel *p, const struct vs_sparse *k)
{
	struct tries t = { 0 };
	int32_t sum[4];

	while (again(&t))
		for (size_t row = 0; row < N_ROW; row++)
			for (size_t col = 0; col < N_VEC; col++)
				k->pair(p, row, p, col, sum);
	return (double)N_ROW * N_VEC * (double)p->vec.n_field * 1e-9 / t.best;
}

static void
print_row(const char *name, size_t n_field, double rate, double plain,
	double clock, double listed)
{
	double cycle = rate * 1e9 / clock, limit = 0;

	for (size_t k = 0; k < sizeof(limits) / sizeof(limits[0]); k++)
		if (!strcmp(name, limits[k].name))
			limit = limits[k].elements / limits[k].cycles /
				(limits[k].listed ? listed : 1);
	printf("%-14s %7zu %8.1f %8.1f %8.1f ", name, n_field, rate,
		rate / plain, cycle);
	if (limit > 0)
		printf("%8.1f %5.0f\n", limit, 100 * cycle / limit);
	else
		printf("%8s %5s\n", "-", "-");
	fflush(stdout);
}

static void
print_rows(size_t n_field, double clock)
{
	struct vs_panel dense, sparse;
	const struct vs_dense *d;
	const struct vs_sparse *k;
	double plain, listed;
	char name[32];

	make_panel(&dense, n_field, 0, 0);
	make_panel(&sparse, n_field, 0, 5);
	listed = share_listed(&dense);
	plain = plain_rate(&dense);
	print_row("plain loop", n_field, plain, plain, clock, 1);
	for (int n = 0; (d = vs_registry_dense[n]); n++)
		if (d->cpu <= vs_cpu_best())
			print_row(d->name, n_field, kernel_rate(&dense, d),
				plain, clock, listed);
	for (int n = 0; (k = vs_registry_sparse[n]); n++)
		if (k->cpu <= vs_cpu_best()) {
			snprintf(name, sizeof(name), "sparse %s", k->name);
			print_row(name, n_field, sparse_rate(&sparse, k), plain,
				clock, 1);
		}
	vs_panel_free(&dense);
	vs_panel_free(&sparse);
}

/* Least squares: x of the normal equations a x = b, which are overwritten. */
#define N_TERM 4
static void
solve(double a[N_TERM][N_TERM], double b[N_TERM], double x[N_TERM])
{
	for (int k = 0; k < N_TERM; k++)
		for (int r = k + 1; r < N_TERM; r++) {
			double f = a[k][k] > 0 ? a[r][k] / a[k][k] : 0;

			for (int c = k; c < N_TERM; c++)
				a[r][c] -= f * a[k][c];
			b[r] -= f * b[k];
		}
	for (int k = N_TERM - 1; k >= 0; k--) {
		x[k] = b[k];
		for (int c = k + 1; c < N_TERM; c++)
			x[k] -= a[k][c] * x[c];
		x[k] = a[k][k] > 1e-9 && x[k] > 0 ? x[k] / a[k][k] : 0;
	}
}

/* Terms of struct vs_cost that fit kernel n on panels, and how far they do. */
static void
print_cost(int n, const struct vs_panel *panel, size_t n_panel, double clock)
{
	const struct vs_dense *d = vs_registry_dense[n];
	struct vs_cost cost = vs_registry_dense_costs[n];
	const size_t n_col[2] = { d->lanes, N_VEC };
	double a[N_TERM][N_TERM] = { 0 }, b[N_TERM] = { 0 }, x[N_TERM];
	double cycles[64], off = 0;

	for (size_t k = 0; k < 2 * n_panel; k++) {
		const struct vs_panel *p = &panel[k / 2];
		double f = (double)p->vec.n_field, s = share_listed(p);
		double blocks = (double)(n_col[k % 2] / cost.width);
		double term[N_TERM] = { blocks, blocks * f, blocks * f * s, f };

		cycles[k] = kernel_seconds(p, d, n_col[k % 2]) * clock /
			(N_VEC / 2);
		/* all as exact in relation to what they are */
		for (int i = 0; i < N_TERM; i++) {
			for (int j = 0; j < N_TERM; j++)
				a[i][j] += term[i] * term[j] /
					(cycles[k] * cycles[k]);
			b[i] += term[i] / cycles[k];
		}
	}
	solve(a, b, x);
	cost = (struct vs_cost){ cost.width, (float)x[0], (float)x[1],
		(float)x[2], (float)x[3] };
	for (size_t k = 0; k < 2 * n_panel; k++) {
		const struct vs_panel *p = &panel[k / 2];
		double ratio = vs_registry_dense_cost(&cost, n_col[k % 2],
				       p->vec.n_field, share_listed(p)) /
			cycles[k];

		ratio = ratio < 1 ? 1 / ratio : ratio;
		off = ratio - 1 > off ? ratio - 1 : off;
	}
	printf("%-10s %4zu, %.0f, %.3f, %.3f, %.2f   off by %.0f %% at most\n",
		d->name, cost.width, x[0], x[1], x[2], x[3], 100 * off);
	fflush(stdout);
}

static void
print_costs(double clock)
{
	static const size_t fields[] = { 500, 2504, 10000 };
	static const uint64_t minor[] = { 50, 150, 330 };
	struct vs_panel panel[9];

	for (size_t k = 0; k < 9; k++)
		make_panel(&panel[k], fields[k / 3], minor[k % 3], 0);
	for (int n = 0; vs_registry_dense[n]; n++)
		if (vs_registry_dense[n]->cpu <= vs_cpu_best())
			print_cost(n, panel, 9, clock);
	for (size_t k = 0; k < 9; k++)
		vs_panel_free(&panel[k]);
}

int
main(int argc, char **argv)
{
	double clock = core_clock();

	if (argc > 1 && !strcmp(argv[1], "costs")) {
		print_costs(clock);
		return 0;
	}

	printf("counting kernels, 1 thread at %.2f GHz: G comparisons/s, times "
	       "the plain loop,\nelements a cycle, the limit of these, share "
	       "of it\n",
		clock * 1e-9);
	printf("%-14s %7s %8s %8s %8s %8s %5s\n", "kernel", "fields", "G/s",
		"x plain", "a cycle", "limit", "%");
	print_rows(882, clock);
	print_rows(2504, clock);
	return 0;
}
