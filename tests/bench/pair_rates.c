/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates of the counting kernels, and of whole tiles with the threshold in
 * them, beside a plain 64-bit population count in the same run. One thread;
 * every figure is the best of several.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/backend.h"

#define N_VEC 2048
#define N_ROW 64
#define LD 1024
#define TRIES 5

static struct vs_panel panel;

/* Seconds that this thread computed: others on the machine do not count. */
static double
cpu_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
make_panel(size_t n_field, int missing_percent)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, 1);
	if (vs_panel_new(&panel, N_VEC, n_field))
		exit(4);
	for (size_t v = 0; v < N_VEC; v++) {
		/* minor allele frequency 5 to 50 %, Hardy-Weinberg */
		uint64_t freq = 50 + vs_rng_below(&rng, 450);

		for (size_t q = 0; q < n_field; q++) {
			int g = (vs_rng_below(&rng, 1000) < freq) +
				(vs_rng_below(&rng, 1000) < freq);

			if ((int)vs_rng_below(&rng, 100) < missing_percent)
				g = 3;
			if (g)
				vs_vec_set(&panel.vec, v, q, g);
		}
	}
	vs_panel_make(&panel, 0, N_VEC);
	for (size_t v = 0; v < N_VEC; v++)
		panel.source[v] = (int64_t)v;
}

/* G comparisons/s of counting alone, by a dense or a sparse kernel. */
static double
count_rate(const struct vs_dense *d, const struct vs_sparse *k)
{
	size_t n_field = panel.vec.n_field;
	int32_t *sum = NULL;
	void *cols = NULL, *scratch = NULL;
	struct vs_tally out;
	double best = 0;

	if (vs_new(&sum, 4 * N_ROW * LD, 4, "sums") ||
		vs_new(&scratch, d ? d->row_room(N_ROW, n_field) : 1, 1,
			"rows") ||
		vs_new(&cols, (d ? d->col_room : k->col_room)(LD, n_field), 1,
			"columns"))
		exit(4);
	out = (struct vs_tally){ sum, sum + N_ROW * LD, sum + 2 * N_ROW * LD,
		sum + 3 * N_ROW * LD, LD };
	if (d)
		d->take_cols(&panel, 0, LD, 1, cols);
	else
		k->take_cols(&panel, 0, LD, cols);
	for (int t = 0; t < TRIES; t++) {
		double t0 = cpu_clock();

		for (size_t row = 0; row < N_VEC; row += N_ROW)
			if (d)
				d->count(&panel, row, N_ROW, 1, cols, 0, LD,
					scratch, sum, LD);
			else
				k->count(&panel, row, N_ROW, cols, 0, LD, &out);
		t0 = (double)N_VEC * LD * (double)panel.vec.n_field * 1e-9 /
			(cpu_clock() - t0);
		best = t0 > best ? t0 : best;
	}
	free(sum);
	free(scratch);
	free(cols);
	return best;
}

/* G comparisons/s of tiles through the backend, threshold and records. */
static double
tile_rate(const struct vs_dense *d, int missing, double threshold)
{
	struct vs_question q = { .metric = vs_metric_find("ccc"),
		.threshold = threshold,
		.cell_mask = 15,
		.n_field = panel.vec.n_field,
		.cpu = d->cpu,
		.kernel = d->name,
		.has_missing = missing };
	struct vs_tile_work work = { &panel, &panel, 0, LD, LD, 2 * LD };
	struct vs_found found = { 0 };
	double best = 0;
	void *state;

	if (vs_backend_cpu.open(&state, &q, 1, LD))
		exit(4);
	for (int t = 0; t < TRIES; t++) {
		double t0 = cpu_clock();

		found.n = 0;
		if (vs_backend_cpu.tile(state, 0, &work, &found))
			exit(4);
		t0 = (double)LD * LD * (double)panel.vec.n_field * 1e-9 /
			(cpu_clock() - t0);
		best = t0 > best ? t0 : best;
	}
	vs_backend_cpu.close(state);
	free(found.rec);
	return best;
}

int
main(void)
{
	static const size_t fields[] = { 882, 2504 };
	const struct vs_dense *d;
	const struct vs_sparse *k;

	printf("G comparisons/s, 1 thread\n%-14s %8s %8s %8s %9s %9s\n",
		"kernel", "fields", "count", "x popcnt", "tile 0.7",
		"5 % miss.");
	for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++) {
		for (int n = 0; (d = vs_dense_at(n)); n++) {
			double rate, reference, tile;

			if (d->cpu > vs_cpu_best())
				continue;
			make_panel(fields[f], 0);
			rate = count_rate(d, NULL);
			reference = count_rate(
				vs_dense_pick(VS_CPU_POPCNT, NULL), NULL);
			tile = tile_rate(d, 0, 0.7);
			vs_panel_free(&panel);
			make_panel(fields[f], 5);
			printf("%-14s %8zu %8.1f %8.2f %9.1f %9.1f\n", d->name,
				fields[f], rate, rate / reference, tile,
				tile_rate(d, 1, 0.7));
			vs_panel_free(&panel);
			fflush(stdout);
		}
		make_panel(fields[f], 5);
		for (int n = 0; (k = vs_sparse_at(n)); n++)
			if (k->cpu <= vs_cpu_best())
				printf("sparse %-7s %8zu %8.1f\n", k->name,
					fields[f], count_rate(NULL, k));
		vs_panel_free(&panel);
	}
	return 0;
}
