/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way to count triples is chosen from a few vectors: judged by what was
 * counted, for all vectors and in both ways, it is never much more expensive
 * than the other way.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/candidates/cost_model.h"
#include "libcore/engine/triple/triple_run.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define N_VEC 320
#define N_FIELD 100

enum kind { RANDOM, LINKED, RARE, MISSING, KINDS };
static const char *const names[] = { "random", "linked", "rare", "missing" };

static uint8_t data[N_VEC][N_FIELD]; /* 3: missing */

static uint8_t
draw(struct vs_rng *rng, double f)
{
	return (uint8_t)((double)vs_rng_below(rng, 10000) < 10000 * f);
}

static void
make(enum kind kind)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, (uint64_t)kind + 1);
	for (size_t v = 0; v < N_VEC; v++) {
		double x = (double)vs_rng_below(&rng, 1000) / 1000;
		double f = kind == RARE ? 0.005 / (0.01 + x) : 0.05 + 0.45 * x;

		for (size_t q = 0; q < N_FIELD; q++) {
			uint8_t *g = &data[v][q];
			bool new = v % 20 == 0 || !vs_rng_below(&rng, 30);

			*g = (uint8_t)(draw(&rng, f) + draw(&rng, f));
			if ((kind == LINKED || kind == MISSING) && !new)
				*g = data[v - 1][q];
		}
	}
	for (size_t v = 0; v < N_VEC && kind == MISSING; v++)
		for (size_t q = 0; q < N_FIELD; q++)
			if (!vs_rng_below(&rng, 20))
				data[v][q] = 3;
}

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	(void)ctx;
	memset(p->vec.word, 0, p->bytes);
	for (uint64_t v = lo; v < hi; v++)
		for (size_t q = 0; q < N_FIELD; q++)
			vs_vec_set(&p->vec, v - lo, q, data[v][q]);
	panel_make(p, lo, (size_t)(hi - lo), 1);
	return 0;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	(void)ctx;
	(void)tile;
	return 0;
}

static int
forget(struct vs_hits *found)
{
	found->n = 0;
	return 0;
}

/* Triples counted if there is no memory for candidates. */
static double
count_all(const struct vs_query *q)
{
	struct vs_job job = { .query = q,
		.n_thread = 1,
		.load = load,
		.sink = sink };
	struct vs_job_stats stats = { 0 };
	struct vs_triple_run *t = NULL;
	struct vs_plan plan;

	if (vs_triple_run_plan(&job, &plan, N_VEC, 0, 1ull << 33) ||
		vs_triple_run_new(&t, &job, NULL, 0, &stats) ||
		vs_triple_run_all(t, &stats))
		exit(4);
	vs_triple_run_free(t);
	return (double)stats.counted;
}

static double
count_candidates(const struct vs_triple_data *t)
{
	struct vs_corner all = { .u_hi = N_VEC, .v_hi = N_VEC, .same = true };
	struct vs_hits found = { .drain = forget };
	struct vs_effort effort = { 0 };
	struct vs_triangles *w = NULL;
	struct vs_candidate_graph g = { 0 };
	double n_edge;

	if (vs_candidate_graph_make(&g, t, 0, N_VEC, false, 1, INT64_MAX) ||
		vs_triangles_open(&w, t) ||
		vs_triangles_do(w, &g, &all, &found, &effort))
		exit(4);
	n_edge = (double)vs_candidate_graph_edges(&g) / 2;
	free(w);
	vs_candidate_graph_free(&g);
	free(found.rec);
	return vs_cost_model_candidates(t, n_edge, &effort);
}

/* 1: by candidates */
static int
chooses(enum kind kind, double threshold)
{
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = threshold,
		.cell_mask = 255,
		.has_missing = kind == MISSING,
		.least_present = kind == MISSING ? N_FIELD * 85 / 100 : N_FIELD,
		.prune = true,
		.lead = 0,
		.n_field = N_FIELD,
		.cpu = vs_cpu_best() };
	struct vs_cost_model f;
	struct vs_triple_data t;
	double cost[2], best;
	int way;

	if (vs_triple_data_open(&t, &q, N_VEC, false, load, NULL, 1) ||
		vs_cost_model_make(&f, &t))
		exit(4);
	way = f.seconds[1] < f.seconds[0];
	cost[0] = vs_cost_model_all(&t, count_all(&q));
	cost[1] = count_candidates(&t);
	vs_triple_data_close(&t);
	best = cost[0] < cost[1] ? cost[0] : cost[1];
	T_OK(cost[way] <= 1.5 * best,
		"%s at %g: %s; all %.3g, candidates %.3g, thought %.3g, %.3g",
		names[kind], threshold, way ? "candidates" : "all", cost[0],
		cost[1], f.seconds[0], f.seconds[1]);
	return way;
}

int
main(void)
{
	static const double thresholds[] = { 0.25, 0.3, 0.35, 0.4, 0.45, 0.5,
		0.65 };
	const int n = (int)(sizeof(thresholds) / sizeof(thresholds[0]));

	int some = 0;

	for (enum kind kind = RANDOM; kind < KINDS; kind++) {
		make(kind);
		for (int k = 0; k < n; k++)
			some += chooses(kind, thresholds[k]);
	}
	T_OK(some && some < KINDS * n, "%d of %d by candidates", some,
		KINDS * n);
	return T_DONE();
}
