/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The way to count triples is chosen from a few vectors: judged by what was
 * counted, for all vectors and in both ways, it is never much more expensive
 * than the other way. A device that may count all triples is used where it is
 * faster than candidates.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
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

/* ---- with a device ---- */

static double device_rate; /* triples per second that it counts */

static int
device_open(void **state, const struct vs_query *q, int n_worker, size_t most)
{
	(void)q;
	(void)n_worker;
	(void)most;
	*state = &device_rate;
	return 0;
}

static int
device_slab(void *state, int worker, const struct vs_triple_data *data,
	const struct vs_slab *slab, struct vs_hits *found, size_t *upto)
{
	(void)state;
	(void)worker;
	(void)data;
	(void)slab;
	(void)found;
	(void)upto;
	return VS_UNABLE;
}

static void
device_close(void *state)
{
	(void)state;
}

static void
device_describe(const struct vs_query *q, size_t most, char *text, size_t room)
{
	(void)q;
	(void)most;
	snprintf(text, room, "device");
}

static size_t
device_bytes(const struct vs_query *q, int n_worker, size_t most)
{
	(void)q;
	(void)most;
	return (size_t)n_worker;
}

static double
device_rate_triples(const struct vs_query *q)
{
	return device_rate * (double)q->n_field;
}

static const struct vs_backend device = { .n_driver = 1,
	.open_triples = device_open,
	.slab = device_slab,
	.close = device_close,
	.describe = device_describe,
	.bytes = device_bytes,
	.rate_triples = device_rate_triples };

/* Name of what counts triples with a device of a rate, which is optional or
 * named. */
static const char *
with_device(double rate, bool optional, double threshold, bool prune)
{
	const struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = threshold,
		.cell_mask = 255,
		.least_present = N_FIELD,
		.prune = prune,
		.n_field = N_FIELD,
		.cpu = vs_cpu_best() };
	struct vs_job job = { .query = &q,
		.n_thread = 2,
		.device = &device,
		.dispensable = optional,
		.load = load,
		.sink = sink };
	struct vs_job_stats stats = { 0 };
	struct vs_triple_run *t = NULL;
	static char text[64];
	struct vs_plan plan;

	device_rate = rate;
	make(RANDOM);
	if (vs_triple_run_plan(&job, &plan, N_VEC, 0, 1ull << 33) ||
		vs_triple_run_new(&t, &job, &plan, 1ull << 33, &stats))
		exit(4);
	vs_triple_run_describe(&job, t, text, sizeof(text));
	vs_triple_run_free(t);
	return text;
}

static void
devices(void)
{
	const double all = (double)N_VEC * (N_VEC - 1) * (N_VEC - 2) / 6;
	static const struct {
		double rate;
		bool optional;
		double threshold;
		bool prune, used;
	} row[] = { { 1e14, true, 0.45, true, true },
		{ 1e-3, true, 0.45, true, false },
		{ 1e-3, false, 0.45, true, true },
		{ 4e9, true, 0.45, true, false },
		{ 4e9, true, 0.35, true, true },
		{ 1e-3, true, 0.1, false, true },
		{ 1e14, true, 0.1, false, true } };
	struct vs_triple_data t = { .beside = all / 3 };

	for (size_t k = 0; k < sizeof(row) / sizeof(row[0]); k++) {
		const char *by = with_device(row[k].rate, row[k].optional,
			row[k].threshold, row[k].prune);

		T_OK(!strncmp(by, "device", 6) == row[k].used,
			"%g triples/s, %s, above %g: %s", row[k].rate,
			row[k].optional ? "optional" : "named",
			row[k].threshold, by);
	}
	/* 6 s of a thread or 3 s of a device: both together 2 s */
	T_OK(fabs(vs_cost_model_beside(&t, all, 6) - 2) < 1e-9,
		"a device and a thread share the triples");
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
	devices();
	return T_DONE();
}
