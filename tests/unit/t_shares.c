/* SPDX-License-Identifier: BSD-3-Clause */
/* Ten thousand ranks have equal shares of few enough tiles, planned soon. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/mem.h"
#include "libcore/engine/candidates/tile_cost.h"
#include "libcore/engine/sched/pair_run.h"
#include "libcore/plan/cube.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define MOST_TILES 2000000
#define SECONDS 10
#define LEAST_VECTORS 200 /* of a rank */
#define MEMORY (1ull << 40)

/* Loads of ranks, and the number of tiles of a run. */
struct shares {
	double most, least, mean, seconds;
	uint64_t n_tile;
};

static void
judge(const char *what, uint64_t n_vec, int n_rank, const struct shares *s)
{
	T_OK(s->most <= 1.01 * s->mean && s->least > 0 &&
			s->n_tile <= MOST_TILES && s->seconds <= SECONDS,
		"%s of %llu vectors on %d ranks: the most is %.4f of the mean, "
		"the least %.4f, %llu tiles, planned in %.1f s",
		what, (unsigned long long)n_vec, n_rank, s->most / s->mean,
		s->least / s->mean, (unsigned long long)s->n_tile, s->seconds);
}

static void
add(struct shares *s, double load, int n_rank)
{
	s->most = fmax(s->most, load);
	s->least = fmin(s->least, load);
	s->mean += load / n_rank;
}

/* Pairs between sets; of one part all pairs of it. */
static void
pairs(const struct vs_between *of, int n_rank)
{
	const uint64_t n_vec = of->n_first + of->n_both + of->n_second;
	const bool all = of->n_both == n_vec;
	struct vs_query q = { .metric = vs_metric_find("ccc"),
		.alleles = &vs_metric_find("ccc")->alleles,
		.threshold = 0.7,
		.cell_mask = 15,
		.prune = true,
		.n_field = 882,
		.rounds = 16 };
	const struct vs_wanted wanted = { .n_vec = n_vec,
		.n_way = 2,
		.by_sets = true,
		.of = *of };
	struct vs_plan plan, unit;
	struct vs_job job = { .query = &q,
		.backend = &vs_backend_cpu,
		.n_thread = 16,
		.limit = 10,
		.wanted = all ? NULL : &wanted,
		.n_rank = n_rank };
	struct shares s = { .least = INFINITY, .seconds = -vs_clock() };
	double met = 0;

	if (vs_pair_run_plan(&job, &plan, &unit, n_vec, 0, MEMORY))
		exit(4);
	s.seconds += vs_clock();
	s.n_tile = vs_plan_n_tile(&unit);
	for (int r = 0; r < n_rank; r++)
		add(&s, (double)vs_plan_load(&plan, r, NULL), n_rank);
	judge(all ? "pairs" : "pairs between sets", n_vec, n_rank, &s);
	if (!all)
		return;
	for (int r = 0; plan.by_path && r < n_rank; r += 97)
		met = fmax(met,
			(double)vs_plan_share_blocks(&plan, r) /
				(double)plan.n_block);
	T_OK(met <= 2.2 * sqrt(2.0 / n_rank) && (n_rank < 1000 || met > 0),
		"a rank of %d reads %.4f of the data at the most", n_rank, met);
}

static double *
loads(int n_rank, uint64_t n_tile, const int32_t *owner, const uint64_t *cost)
{
	double *load = NULL;

	if (vs_mem_new(&load, (size_t)n_rank, sizeof(*load), "loads"))
		exit(4);
	for (uint64_t t = 0; t < n_tile; t++)
		load[owner[t]] += (double)cost[t];
	return load;
}

/* f: of candidates, whose costs are the model's; or null: of triples. */
static void
triples(uint64_t n_vec, int n_rank, const struct vs_cost_model *f)
{
	struct vs_plan plan;
	struct vs_job job = { .plan = &plan, .n_thread = 16 };
	struct shares s = { .least = INFINITY, .seconds = -vs_clock() };
	uint64_t *cost = NULL;
	int32_t *owner = NULL;
	double *load;

	if (cube_plan(&plan, n_vec, n_rank, 0) ||
		(f && vs_cube_row_tiles(&plan, 16)))
		exit(4);
	s.n_tile = vs_plan_n_tile(&plan);
	if (vs_mem_new(&owner, s.n_tile, sizeof(*owner), "owners") ||
		vs_mem_new(&cost, s.n_tile, sizeof(*cost), "costs") ||
		vs_tile_cost_deal(&job, f, owner))
		exit(4);
	s.seconds += vs_clock();
	if (f)
		vs_tile_cost_rows(&job, f, cost);
	for (uint64_t t = 0; t < s.n_tile && !f; t++) {
		int64_t bi, bj;

		vs_plan_tile_of(&plan, t, &bi, &bj);
		cost[t] = vs_cube_triples(&plan, bi, bj);
	}
	load = loads(n_rank, s.n_tile, owner, cost);
	for (int r = 0; r < n_rank; r++)
		add(&s, load[r], n_rank);
	judge(f ? "candidate triples" : "triples", n_vec, n_rank, &s);
	free(load);
	free(cost);
	free(owner);
}

/* Rare vectors first, whose candidates are few: a sorted file. */
static struct vs_cost_model
candidates(uint64_t n_vec)
{
	struct vs_cost_model f = { .n = VS_COST_MODEL_VECTORS,
		.edges = 1e-4,
		.pair = 1e-9,
		.edge = 2e-7,
		.triple = 1e-16 };

	for (size_t k = 0; k < f.n; k++) {
		f.v[k] = (uint32_t)(n_vec * k / f.n);
		f.degree[k] = 4e-4 * pow((double)k / (double)f.n, 3);
	}
	return f;
}

/* Sets of very unlike sizes, and with vectors of both. */
static void
between(void)
{
	static const struct vs_between sets[] = {
		{ .n_first = 1000000, .n_second = 1000000 },
		{ .n_first = 700001, .n_second = 28000000 },
		{ .n_first = 1000, .n_second = 10000000 },
		{ .n_first = 100, .n_second = 40000000 },
		{ .n_both = 500000, .n_second = 4000000 },
		{ .n_first = 100000, .n_both = 200000, .n_second = 3000000 },
	};
	static const int ranks[] = { 64, 701, 750, 999, 1000, 1024, 2003, 4600,
		9209, 9216 };

	for (size_t k = 0; k < sizeof(sets) / sizeof(*sets); k++)
		for (size_t r = 0; r < sizeof(ranks) / sizeof(*ranks); r++)
			if (T_LONG || (k + r) % 3 == 0)
				pairs(&sets[k], ranks[r]);
}

int
main(void)
{
	static const int ranks[] = { 1, 2, 3, 7, 64, 333, 499, 500, 512, 640,
		750, 999, 1000, 1024, 1999, 2000, 2003, 4600, 4603, 6144, 9209,
		9216 };
	static const uint64_t vectors[] = { 1000000, 1999999, 4800000, 28342758,
		40000000 };

	for (size_t k = 0; k < sizeof(vectors) / sizeof(*vectors); k++)
		for (size_t r = 0; r < sizeof(ranks) / sizeof(*ranks); r++) {
			const uint64_t n = vectors[k];
			const struct vs_cost_model f = candidates(n);

			if (n < (uint64_t)LEAST_VECTORS * (unsigned)ranks[r] ||
				(!T_LONG && (k + r) % 5))
				continue;
			pairs(&(struct vs_between){ .n_both = n }, ranks[r]);
			if (n > VS_CUBE_MOST)
				continue;
			triples(n, ranks[r], NULL);
			triples(n, ranks[r], &f);
		}
	between();
	return T_DONE();
}
