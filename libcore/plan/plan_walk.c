/* SPDX-License-Identifier: BSD-3-Clause */
/* Order in which a run computes a rank's tiles. */
#include "libcore/plan/plan_walk.h"

/* A partner's blocks are met in groups: a first share of all, then more in
 * proportion to those met so far, which arrive while those are counted. */
#define FIRST 32
#define LATER 4

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

/* State of a walk through a rank's own blocks and those of its partner. */
struct walk {
	const struct vs_plan *plan;
	int rank, step;
	vs_plan_walk_tile *tile;
	void *ctx;
	int64_t lines; /* number so far: every other pass goes backwards */
};

/* Tiles of block `one` of one rank with the blocks [lo, hi) of another. */
static int
walk_line(struct walk *w, int64_t one, bool own, int of, int64_t lo, int64_t hi)
{
	const bool back = w->lines++ % 2;
	int code = 0;

	for (int64_t x = lo; x < hi && !code; x++) {
		int64_t other =
			vs_plan_own(w->plan, of, back ? hi - 1 - (x - lo) : x);
		int64_t a = own ? one : other, b = own ? other : one;

		if (vs_plan_mine(w->plan, w->rank, w->step, a, b))
			code = w->tile(w->ctx, a < b ? a : b, a < b ? b : a);
	}
	return code;
}

/* Own blocks with the partner's blocks [lo, hi), by the first block of both. */
static int
walk_part(struct walk *w, int met, int64_t lo, int64_t hi)
{
	const int64_t n = vs_plan_n_own(w->plan, w->rank);
	int code = 0;

	for (int64_t k = 0; k < n && lo < hi && !code;) {
		const int64_t a = vs_plan_own(w->plan, w->rank, k),
			      b = vs_plan_own(w->plan, met, lo);

		code = a < b ? walk_line(w, a, true, met, lo, hi)
			     : walk_line(w, b, false, w->rank, k, n);
		if (a < b)
			k++;
		else
			lo++;
	}
	return code;
}

int
vs_plan_walk(const struct vs_plan *plan, int rank, int step,
	vs_plan_walk_tile *tile, void *ctx)
{
	struct walk w = { plan, rank, step, tile, ctx, 0 };
	const int64_t n = vs_plan_n_own(plan, rank);
	int64_t n_met, hi;
	int met, code = 0;

	if (plan->by_path)
		return walk_path(plan, rank, tile, ctx);
	for (int64_t k = 0; k < n && !step && !code; k++)
		code = walk_line(&w, vs_plan_own(plan, rank, k), true, rank, 0,
			n);
	if (!step || code)
		return code;
	met = vs_plan_partner(plan, rank, step);
	n_met = vs_plan_n_own(plan, met);
	for (int64_t lo = 0; lo < n_met && !code; lo = hi) {
		hi = lo + n_met / FIRST + lo / LATER + 1;
		hi = hi < n_met ? hi : n_met;
		code = walk_part(&w, met, lo, hi);
	}
	return code;
}
