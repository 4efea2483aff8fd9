/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimated cost of tiles of triples, and their size by it. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/engine/candidates/tile_cost.h"
#include "libcore/plan/comm.h"

#define GROUPS 64 /* groups of neighbouring blocks per rank, */
#define LAST 10   /* but a tenth of the cost in smaller ones, dealt last, */
#define FINER 8   /* so that shares differ by 0.2 % */

/* Group neighbouring blocks into groups of about equal cost; group[b] is block
 * b's, and cost[] becomes the groups'. Returns their number. */
static uint64_t
make_groups(uint64_t n, int n_rank, uint64_t *cost, int32_t *group)
{
	uint64_t all = 0, most, sum = 0, before = 0, n_group = 0;

	for (uint64_t b = 0; b < n; b++)
		all += cost[b];
	most = all / (uint64_t)n_rank / GROUPS;
	for (uint64_t b = 0; b < n; b++) {
		const uint64_t of =
			before < all / LAST * (LAST - 1) ? most : most / FINER;

		if (sum && sum + cost[b] > of) {
			cost[n_group++] = sum;
			sum = 0;
		}
		sum += cost[b];
		before += cost[b];
		group[b] = (int32_t)n_group;
	}
	if (n)
		cost[n_group++] = sum;
	return n_group;
}

static int
deal_rows(const struct vs_job *job, const struct vs_cost_model *f,
	uint64_t *cost, int32_t *owner)
{
	const struct vs_plan *plan = job->plan;
	uint64_t n = (uint64_t)plan->n_block, n_group = 0;
	int32_t *group = NULL, *rank = NULL;
	int code = vs_mem_new(&group, n, sizeof(*group), "list of blocks");

	VS_MEM_NEW(&code, rank, n, "list of blocks");
	if (!code) {
		vs_tile_cost_rows(job, f, cost);
		n_group = make_groups(n, plan->n_rank, cost, group);
		code = vs_cube_deal(plan->n_rank, n_group, cost, rank);
	}
	for (uint64_t t = 0; t < vs_plan_n_tile(plan) && !code; t++) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, t, &bi, &bj);
		owner[t] = rank[group[bi]];
	}
	free(group);
	free(rank);
	return code;
}

static int
deal_tiles(const struct vs_job *job, uint64_t *cost, int32_t *owner)
{
	const struct vs_plan *plan = job->plan;

	for (uint64_t t = 0; t < vs_plan_n_tile(plan); t++) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, t, &bi, &bj);
		if (!vs_plan_is_done(job->done, t))
			cost[t] = vs_cube_triples(plan, bi, bj);
	}
	return vs_cube_deal(plan->n_rank, vs_plan_n_tile(plan), cost, owner);
}

int
vs_tile_cost_deal(const struct vs_job *job, const struct vs_cost_model *f,
	int32_t *owner)
{
	uint64_t *cost = NULL;
	int code = vs_mem_new(&cost, vs_plan_n_tile(job->plan), sizeof(*cost),
		"costs of tiles");

	if (!code)
		code = f ? deal_rows(job, f, cost, owner)
			 : deal_tiles(job, cost, owner);
	free(cost);
	return code;
}

/* ---- the size of tiles, from their expected cost ---- */

#define SECONDS 0.1   /* of a tile, which may take a hundred times as long */
#define BLOCK 3       /* times that for a block of candidates */
#define TABLES 10     /* times that for a tile of tables */
#define CYCLE 0.33e-9 /* s, of a core */
#define STEPS 27      /* times that for a late step than for the first */
#define SHARE 4     /* share of a tile's limit, which it may exceed fourfold */
#define RECORD 3e-7 /* seconds for each, if none is excluded */
#define LEAST_EDGE 32
#define LEAST_STREAMED 128 /* reading then takes an eighth of it */
#define MOST_EDGES 1024

/* Seconds of one core for all tiles. */
static double
seconds_of_all(const struct vs_job *job, const struct vs_triple_data *data,
	const struct vs_cost_model *f)
{
	const struct vs_query *q = &data->q;
	double n = (double)vs_cube_n_triple(job->plan);
	double seconds = vs_element_is_number(q->element) || q->classes
		? n * (double)q->n_field / vs_backend_cpu.rate(q)
		: vs_cost_model_all(data, n);

	/* the first tile knows no threshold, so it should be small */
	if (q->classes && q->shared_threshold)
		seconds += n * 10 * q->metric->cycles * CYCLE;
	seconds = f ? f->seconds[1] : vs_cost_model_beside(data, n, seconds);
	/* for tables no threshold says that all are kept if it rises */
	if (q->threshold < 0 && !(q->classes && q->shared_threshold))
		seconds +=
			n * RECORD * (double)__builtin_popcount(q->cell_mask);
	return seconds;
}

static int
make_smaller(const struct vs_job *job, double n_block, struct vs_plan *plan)
{
	/* each tile reads the third vectors, with one thread */
	const int64_t least = job->stream
		? (int64_t)(LEAST_STREAMED * sqrt(job->n_thread))
		: LEAST_EDGE;
	double n_vec = (double)plan->n_vec;
	double edge = ceil(n_vec / fmin(ceil(n_block), MOST_EDGES));
	int64_t tile = plan->tile;

	if (edge < (double)tile)
		tile = edge < (double)least ? least : (int64_t)edge;
	vs_comm_share(&tile, sizeof(tile));
	return tile < plan->tile ? vs_cube_retile(plan, tile) : 0;
}

/* Blocks of all vectors that give this many tiles: half a square of them or,
 * with two sets, (first / edge + 1) (second / edge) tiles. */
static double
blocks_of(const struct vs_plan *plan, double n_tile)
{
	const double n = (double)plan->n_vec,
		     first = (double)(plan->of.n_first + plan->of.n_both),
		     second = n - (double)plan->of.n_rest;

	return vs_cube_by_first_two(plan) ? 2 * n * n_tile /
			(second +
				sqrt(second * second +
					4 * n_tile * first * second))
					  : sqrt(2 * n_tile);
}

int
vs_tile_cost_plan(const struct vs_job *job, const struct vs_triple_data *data,
	const struct vs_cost_model *f, struct vs_plan *plan)
{
	double n_tile =
		seconds_of_all(job, data, f) / SECONDS / fmax(job->n_thread, 1);

	/* candidates are made for a block at a time; tables move vectors again
	 * for each tile */
	if (data->q.classes)
		n_tile /= TABLES;
	return make_smaller(job, f ? n_tile / BLOCK : blocks_of(plan, n_tile),
		plan);
}

int
vs_tile_cost_plan_steps(const struct vs_job *job,
	const struct vs_triple_data *data, double first, struct vs_plan *plan)
{
	struct vs_triple_data all = *data;
	double seconds = job->limit / SHARE * fmax(job->n_thread, 1);
	double by_candidates = STEPS * first / seconds / BLOCK;

	if (!(job->limit > 0))
		return make_smaller(job, 1, plan);
	all.q.threshold = job->query->threshold;
	return make_smaller(job,
		fmax(by_candidates,
			sqrt(2 * seconds_of_all(job, &all, NULL) / seconds)),
		plan);
}

void
vs_tile_cost_rows(const struct vs_job *job, const struct vs_cost_model *f,
	uint64_t *cost)
{
	const struct vs_plan *plan = job->plan;

	for (int64_t bi = 0; bi < plan->n_block; bi++) {
		uint64_t lo, hi, n = 0;
		double edges, pairs;

		for (int64_t bj = bi;
			bj < plan->n_block && vs_plan_has(plan, bi, bj); bj++)
			if (!vs_plan_is_done(job->done,
				    vs_plan_number(plan, bi, bj)))
				n += vs_cube_triples(plan, bi, bj);
		if (!n)
			continue;
		vs_plan_block(plan, bi, &lo, &hi);
		pairs = (double)(hi - lo) *
			(double)(plan->n_vec - (plan->row_tiles ? lo : 0));
		edges = vs_cost_model_edges(f, (size_t)lo, (size_t)hi);
		cost[bi] = (uint64_t)(1e6 *
			(pairs * (f->pair + edges * f->edge) +
				(double)n * f->triple * edges /
					fmax(f->edges, 1e-9)));
	}
}
