/* SPDX-License-Identifier: BSD-3-Clause */
/* Dynamic load balance of ranks: tiles taken by shared counters. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/sched/tile_claims.h"
#include "libcore/engine/sched/tile_split.h"
#include "libcore/plan/plan_walk.h"

#define NOWHERE (INT64_MAX / 2) /* end of a list */

/* ---- the tiles of a step ---- */

static int
append(void *ctx, int64_t bi, int64_t bj)
{
	struct vs_tile_claims_list *list = ctx;
	int code = vs_mem_grow(&list->tile, &list->room, list->n + 1,
		sizeof(*list->tile), "list of tiles");

	if (code)
		return code;
	list->tile[list->n][0] = (int32_t)bi;
	list->tile[list->n++][1] = (int32_t)bj;
	return 0;
}

/* ---- tiles of a list ---- */

uint64_t
vs_tile_claims_deal_end(const struct vs_tile_deal *deal, uint64_t n_tile,
	uint64_t t)
{
	uint64_t end = t + 1;

	while (deal->runs && end < n_tile &&
		deal->owner[end] == deal->owner[t] &&
		!vs_plan_is_done(deal->done, end))
		end++;
	return end;
}

/* Append what is dealt to a rank; or, without a list, count it for each rank of
 * the group. */
static int
walk_deal(struct vs_tile_claims *c, int rank, struct vs_tile_claims_list *list)
{
	const uint64_t n = vs_plan_n_tile(c->plan);
	int code = 0;

	for (uint64_t t = 0, end; t < n && !code; t = end) {
		const int owner = c->deal->owner[t];
		int64_t bi, bj;

		end = t + 1;
		if (vs_plan_is_done(c->deal->done, t) ||
			(list ? owner != rank
			      : owner / VS_CLAIMS_GROUP !=
						rank / VS_CLAIMS_GROUP))
			continue;
		end = vs_tile_claims_deal_end(c->deal, n, t);
		vs_plan_tile_of(c->plan, t, &bi, &bj);
		if (list)
			code = append(list, bi, bj);
		else
			vs_claims_add(&c->claims, owner, 0, 1);
	}
	return code;
}

/* ---- tiles of a plan ---- */

/* Put tiles without a wanted pair first, in their order. *n_empty gets their
 * number */
static int
put_empty_first(const struct vs_job *job, int32_t (*tile)[2], size_t n,
	size_t *n_empty)
{
	int32_t(*left)[2] = NULL;
	size_t n_left = 0;
	int code;

	if (!job || !vs_wanted_is_by_place(job->wanted))
		return 0;
	code = vs_mem_room(&left, n, sizeof(*left), "list of tiles");
	for (size_t k = 0; k < n && !code; k++) {
		const struct vs_tile_task task = { .bi = tile[k][0],
			.bj = tile[k][1] };

		memmove(vs_tile_split_is_empty(job, &task) ? tile[(*n_empty)++]
							   : left[n_left++],
			tile[k], sizeof(*left));
	}
	if (!code)
		memcpy(tile + *n_empty, left, n_left * sizeof(*left));
	free(left);
	return code;
}

int
vs_tile_claims_sort(const struct vs_job *job, const struct vs_path_order *order,
	const struct vs_plan *plan, int rank, int32_t (*tile)[2], size_t n)
{
	size_t n_empty = 0;
	int code = put_empty_first(job, tile, n, &n_empty);

	return code || !plan->by_path
		? code
		: vs_path_order(order, plan, rank, tile + n_empty, n - n_empty);
}

static int
list_step(struct vs_tile_claims *c, struct vs_tile_claims_list *list, int rank,
	int step)
{
	const struct vs_plan *plan = c->plan;
	int code;

	if (list->rank == rank && list->step == step)
		return 0;
	list->rank = rank;
	list->step = step;
	list->n = 0;
	code = c->deal ? walk_deal(c, rank, list)
		       : vs_plan_walk(plan, rank, step, append, list);
	if (!code && !c->deal)
		code = vs_tile_claims_sort(c->job, &c->order, plan, rank,
			list->tile, list->n);
	if (code)
		list->step = -1;
	return code;
}

static int
count_one(void *n, int64_t bi, int64_t bj)
{
	(void)bi;
	(void)bj;
	++*(int64_t *)n;
	return 0;
}

/* Tiles of a rank's step. */
static int64_t
count_step(const struct vs_plan *plan, int rank, int step)
{
	int64_t n = 0;

	if (plan->by_path)
		return (int64_t)(vs_plan_share(plan, rank + 1) -
			vs_plan_share(plan, rank));
	vs_plan_walk(plan, rank, step, count_one, &n);
	return n;
}

int
vs_tile_claims_begin(struct vs_tile_claims *c, const struct vs_plan *plan,
	const struct vs_tile_deal *deal, int rank,
	const struct vs_claims_counters *counters)
{
	int code;

	memset(c, 0, sizeof(*c));
	c->plan = plan;
	c->deal = deal;
	c->next = NOWHERE;
	c->mine.step = c->other.step = -1;
	code = vs_claims_begin(&c->claims, rank, plan->n_rank,
		deal ? 1 : vs_plan_n_step(plan), counters);
	if (code)
		return code;
	for (int k = 0; k < c->claims.n && !deal; k++)
		for (int s = 0; s < c->claims.n_step; s++)
			vs_claims_add(&c->claims, c->claims.first + k, s,
				count_step(plan, c->claims.first + k, s));
	if (deal)
		walk_deal(c, rank, NULL);
	vs_claims_ready(&c->claims);
	return 0;
}

void
vs_tile_claims_end(struct vs_tile_claims *c)
{
	vs_claims_end(&c->claims);
	free(c->mine.tile);
	free(c->other.tile);
	memset(c, 0, sizeof(*c));
}

/* The tile at a place in that step's list. */
static bool
give(struct vs_tile_claims *c, struct vs_tile_claims_list *list, int rank,
	int step, int64_t place, int64_t *bi, int64_t *bj)
{
	const int64_t at = place - vs_claims_first(&c->claims, rank, step);

	c->code = list_step(c, list, rank, step);
	if (c->code)
		return false;
	*bi = list->tile[at][0];
	*bj = list->tile[at][1];
	return true;
}

bool
vs_tile_claims_own(struct vs_tile_claims *c, int step, int64_t *bi, int64_t *bj)
{
	const int rank = c->claims.rank;
	int64_t place = c->code ? -1 : vs_claims_own(&c->claims, step);

	if (place < 0 || !give(c, &c->mine, rank, step, place, bi, bj)) {
		/* the list of another step may replace it */
		__atomic_store_n(&c->next, NOWHERE, __ATOMIC_RELEASE);
		return false;
	}
	place -= vs_claims_first(&c->claims, rank, step);
	__atomic_store_n(&c->next, place + 1, __ATOMIC_RELEASE);
	return true;
}

bool
vs_tile_claims_ahead(const struct vs_tile_claims *c, int64_t k, int64_t *bi,
	int64_t *bj)
{
	const int64_t at = __atomic_load_n(&c->next, __ATOMIC_ACQUIRE) + k;

	/* nothing is read from a list that is not complete */
	if (at >= NOWHERE || at >= (int64_t)c->mine.n)
		return false;
	*bi = c->mine.tile[at][0];
	*bj = c->mine.tile[at][1];
	return true;
}

bool
vs_tile_claims_steal(struct vs_tile_claims *c, int upto, int64_t *bi,
	int64_t *bj)
{
	int rank, step;
	int64_t place =
		c->code ? -1 : vs_claims_other(&c->claims, upto, &rank, &step);

	return place >= 0 && give(c, &c->other, rank, step, place, bi, bj);
}
