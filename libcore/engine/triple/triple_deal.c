/* SPDX-License-Identifier: BSD-3-Clause */
/* Assignment of tiles of triples to ranks, by their estimated costs. */
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/engine/triple/tile_cost.h"
#include "libcore/engine/triple/triple_deal.h"

#define GROUPS 64 /* of neighbouring blocks, a rank, */
#define LAST 10   /* but a tenth of the cost in smaller ones, dealt last, */
#define FINER 8   /* so that shares differ by 0.2 % */

/* Neighbouring blocks in groups of about equal cost; group[b] is block b's, and
 * cost[] becomes theirs. Returns their number. */
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

	if (!code)
		code = vs_mem_new(&rank, n, sizeof(*rank), "list of blocks");
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
		if (!vs_tile_cost_is_done(job, t))
			cost[t] = vs_cube_triples(plan, bi, bj);
	}
	return vs_cube_deal(plan->n_rank, vs_plan_n_tile(plan), cost, owner);
}

int
vs_triple_deal(const struct vs_job *job, const struct vs_cost_model *f,
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
