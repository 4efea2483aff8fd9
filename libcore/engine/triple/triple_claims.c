/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamic load balance of ranks: tiles of triples taken by counters. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/triple/tile_cost.h"
#include "libcore/engine/triple/triple_claims.h"

/* The end of the range that begins at tile t, which is to be done. */
static uint64_t
range_end(const struct vs_triple_claims *c, uint64_t t)
{
	const uint64_t n = vs_plan_n_tile(c->job->plan);
	uint64_t end = t + 1;

	while (c->runs && end < n && c->owner[end] == c->owner[t] &&
		!vs_tile_cost_is_done(c->job, end))
		end++;
	return end;
}

static int
list_tiles(const struct vs_triple_claims *c, struct vs_triple_list *list,
	int rank)
{
	const uint64_t n = vs_plan_n_tile(c->job->plan);
	int code = 0;

	if (list->rank == rank)
		return 0;
	list->rank = rank;
	list->n = 0;
	for (uint64_t t = 0, end; t < n && !code; t = end) {
		end = t + 1;
		if (c->owner[t] != rank || vs_tile_cost_is_done(c->job, t))
			continue;
		end = range_end(c, t);
		code = vs_mem_grow(&list->range, &list->room, list->n + 1,
			sizeof(*list->range), "list of tiles");
		if (!code)
			list->range[list->n++] =
				(struct vs_triple_range){ t, end };
	}
	if (code)
		list->rank = -1;
	return code;
}

int
vs_triple_claims_begin(struct vs_triple_claims *c, const struct vs_job *job,
	const int32_t *owner, bool runs, int rank,
	const struct vs_claims_counters *counters)
{
	const uint64_t n = vs_plan_n_tile(job->plan);
	int code;

	memset(c, 0, sizeof(*c));
	c->job = job;
	c->owner = owner;
	c->runs = runs;
	c->mine.rank = c->other.rank = -1;
	code = vs_claims_begin(&c->claims, rank, job->plan->n_rank, 1,
		counters);
	if (code)
		return code;
	for (uint64_t t = 0, end; t < n; t = end) {
		end = t + 1;
		if (vs_tile_cost_is_done(job, t))
			continue;
		end = range_end(c, t);
		if (owner[t] / VS_CLAIMS_GROUP == rank / VS_CLAIMS_GROUP)
			vs_claims_add(&c->claims, owner[t], 0, 1);
	}
	vs_claims_ready(&c->claims);
	return 0;
}

void
vs_triple_claims_end(struct vs_triple_claims *c)
{
	vs_claims_end(&c->claims);
	free(c->mine.range);
	free(c->other.range);
	memset(c, 0, sizeof(*c));
}

static bool
give(struct vs_triple_claims *c, struct vs_triple_list *list, int rank,
	int64_t place, struct vs_triple_range *range)
{
	c->code = list_tiles(c, list, rank);
	if (!c->code)
		*range = list->range[place];
	return !c->code;
}

bool
vs_triple_claims_own(struct vs_triple_claims *c, struct vs_triple_range *range)
{
	int64_t place = c->code ? -1 : vs_claims_own(&c->claims, 0);

	return place >= 0 && give(c, &c->mine, c->claims.rank, place, range);
}

bool
vs_triple_claims_other(struct vs_triple_claims *c,
	struct vs_triple_range *range)
{
	int rank, step;
	int64_t place =
		c->code ? -1 : vs_claims_other(&c->claims, 0, &rank, &step);

	return place >= 0 && give(c, &c->other, rank, place, range);
}
