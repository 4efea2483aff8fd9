/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of a rank's tiles: the one in which a run does them. */
#include "libcore/plan/plan_walk.h"

static int
walk_path(const struct vs_plan *plan, int rank, vs_plan_walk_tile *tile,
	void *ctx)
{
	uint64_t end = vs_plan_share(plan, rank + 1);
	int64_t bi, bj;
	int code = 0;

	for (uint64_t x = vs_plan_share(plan, rank); x < end && !code; x++) {
		vs_plan_along(plan, x, &bi, &bj);
		code = tile(ctx, bi, bj);
	}
	return code;
}

int
vs_plan_walk(const struct vs_plan *plan, int rank, int step,
	vs_plan_walk_tile *tile, void *ctx)
{
	const int met =
		plan->by_path ? rank : vs_plan_partner(plan, rank, step);
	const int of[2] = { step ? met : rank, step ? rank : met };
	const int64_t n[2] = { vs_plan_n_own(plan, of[0]),
		vs_plan_n_own(plan, of[1]) };
	int code = 0;

	if (plan->by_path)
		return walk_path(plan, rank, tile, ctx);
	for (int64_t x = 0; x < n[0]; x++)
		for (int64_t k = 0; k < n[1] && !code; k++) {
			int64_t y = x % 2 ? n[1] - 1 - k : k;
			int64_t a = vs_plan_own(plan, of[0], x);
			int64_t b = vs_plan_own(plan, of[1], y);
			bool mine = step ? vs_plan_mine(plan, rank, step, b, a)
					 : vs_plan_mine(plan, rank, 0, a, b);

			if (mine)
				code = tile(ctx, a < b ? a : b, a < b ? b : a);
		}
	return code;
}
