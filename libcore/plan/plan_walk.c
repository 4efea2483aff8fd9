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
	int64_t n = vs_plan_n_own(plan, rank), n_met = vs_plan_n_own(plan, met);
	int code = 0;

	if (plan->by_path)
		return walk_path(plan, rank, tile, ctx);
	for (int64_t x = 0; x < n; x++)
		for (int64_t k = 0; k < n_met && !code; k++) {
			int64_t y = x % 2 ? n_met - 1 - k : k;
			int64_t a = vs_plan_own(plan, rank, x);
			int64_t b = vs_plan_own(plan, met, y);

			if (vs_plan_mine(plan, rank, step, a, b))
				code = tile(ctx, a < b ? a : b, a < b ? b : a);
		}
	return code;
}
