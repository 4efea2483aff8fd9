/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates of the counting kernels, and of whole tiles with the threshold in
 * them, beside a plain 64-bit population count in the same run. One thread;
 * every figure is the best of several.
 */
#include <stdio.h>
#include <stdlib.h>

#include "libcore/base/clock.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/backend.h"

#define N_VEC 1024
#define N_ROW 64
#define LD 512
#define TRIES 5

static struct vs_panel panel;

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

/* G comparisons/s of a kernel's counting alone. */
static double
count_rate(const struct vs_kernel *k, int sparse)
{
	int32_t *sum = NULL;
	void *cols = NULL;
	struct vs_tally out;
	double best = 0;

	if (vs_new(&sum, 4 * N_ROW * LD, 4, "sums") ||
		vs_new(&cols, k->room(LD, panel.vec.n_field), 1, "columns"))
		exit(4);
	out = (struct vs_tally){ sum, sum + N_ROW * LD, sum + 2 * N_ROW * LD,
		sum + 3 * N_ROW * LD, LD };
	k->prepare(&panel, 0, LD, cols);
	for (int t = 0; t < TRIES; t++) {
		double t0 = vs_clock();

		for (size_t row = 0; row < N_VEC; row += N_ROW)
			(sparse ? k->sparse : k->dense)(&panel, row, N_ROW,
				cols, 0, LD, &out);
		t0 = (double)N_VEC * LD * (double)panel.vec.n_field * 1e-9 /
			(vs_clock() - t0);
		best = t0 > best ? t0 : best;
	}
	free(sum);
	free(cols);
	return best;
}

/* G comparisons/s of tiles through the backend, threshold and records. */
static double
tile_rate(enum vs_cpu cpu, double threshold)
{
	struct vs_question q = { .metric = vs_metric_find("ccc"),
		.threshold = threshold,
		.cell_mask = 15,
		.n_field = panel.vec.n_field,
		.cpu = cpu };
	struct vs_tile_work work = { &panel, &panel, 0, LD, LD, 2 * LD };
	struct vs_found found = { 0 };
	double best = 0;
	void *state;

	if (vs_backend_cpu.open(&state, &q, 1, LD))
		exit(4);
	for (int t = 0; t < TRIES; t++) {
		double t0 = vs_clock();

		found.n = 0;
		if (vs_backend_cpu.tile(state, 0, &work, &found))
			exit(4);
		t0 = (double)LD * LD * (double)panel.vec.n_field * 1e-9 /
			(vs_clock() - t0);
		best = t0 > best ? t0 : best;
	}
	vs_backend_cpu.close(state);
	free(found.rec);
	return best;
}

int
main(void)
{
	static const size_t fields[] = { 882, 2504, 10000 };
	const struct vs_kernel *k;

	printf("%-8s %8s %8s %8s %8s %8s   G comparisons/s, 1 thread\n",
		"kernel", "fields", "dense", "x popcnt", "missing", "tile 0.7");
	for (size_t f = 0; f < sizeof(fields) / sizeof(fields[0]); f++)
		for (int n = 0; (k = vs_kernel_at(n)); n++) {
			double dense, sparse, reference, tile;

			if (k->cpu > vs_cpu_best())
				continue;
			make_panel(fields[f], 0);
			dense = count_rate(k, 0);
			reference =
				count_rate(vs_kernel_pick(VS_CPU_POPCNT), 0);
			tile = tile_rate(k->cpu, 0.7);
			vs_panel_free(&panel);
			make_panel(fields[f], 5);
			sparse = count_rate(k, 1);
			vs_panel_free(&panel);
			printf("%-8s %8zu %8.1f %8.2f %8.1f %8.1f\n", k->name,
				fields[f], dense, dense / reference, sparse,
				tile);
			fflush(stdout);
		}
	return 0;
}
