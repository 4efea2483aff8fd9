/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tiles taken by counters: whatever the order in which ranks take them, each is
 * taken once, and a slow rank takes few. Ranks are simulated, one clock for
 * all.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/engine/sched/tile_claims.h"
#include "libcore/plan/cube.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define MOST_RANKS 200

/* A plan's ranks, their counters, and how often each tile was taken. */
struct world {
	struct vs_plan plan;
	int64_t counter[MOST_RANKS];
	struct vs_tile_claims rank[MOST_RANKS];
	int step[MOST_RANKS];
	uint8_t *taken;
	int wrong;
	int64_t ahead[2]; /* of one rank: the tile that comes next */
	bool is_ahead;
	bool is_late; /* the answer to the next question */
	double now;   /* of the rank that takes a tile */
	int finer;    /* tiles have this part of the usual edge */
	bool foreign; /* the tile taken last is of another rank */
};

static int64_t
add(void *ctx, int rank, int64_t n)
{
	struct world *w = ctx;

	w->counter[rank] += n;
	return w->counter[rank] - n;
}

static bool
ask(void *ctx, int first, int n, int64_t *values)
{
	struct world *w = ctx;

	w->is_late = !w->is_late;
	if (w->is_late)
		return false;
	memcpy(values, w->counter + first, (size_t)n * sizeof(*values));
	return true;
}

static double
now_of(void *ctx)
{
	return ((struct world *)ctx)->now;
}

static void
begin(struct world *w)
{
	const struct vs_claims_counters counters = { add, ask, now_of, w };

	memset(w->counter, 0, sizeof(w->counter));
	memset(w->step, 0, sizeof(w->step));
	w->wrong = 0;
	w->now = 0;
	w->taken = calloc(vs_plan_n_tile(&w->plan) + 1, 1);
	if (!w->taken)
		exit(4);
	w->is_ahead = false;
	for (int r = 0; r < w->plan.n_rank; r++) {
		if (vs_tile_claims_begin(&w->rank[r], &w->plan, NULL, r,
			    &counters))
			exit(4);
		/* no list is there yet */
		w->wrong += vs_tile_claims_ahead(&w->rank[r], 0, &w->ahead[0],
			&w->ahead[1]);
		/* the same on all */
		w->rank[r].order = (struct vs_path_order){ 100,
			w->plan.n_vec / (uint64_t)w->plan.n_rank + 1 };
	}
}

static void
end(struct world *w)
{
	for (uint64_t t = 0; t < vs_plan_n_tile(&w->plan); t++)
		w->wrong += w->taken[t] != 1;
	for (int r = 0; r < w->plan.n_rank; r++)
		vs_tile_claims_end(&w->rank[r]);
	free(w->taken);
}

/* A rank takes a tile of its own, or of another rank; false: there is none. */
static bool
take(struct world *w, int rank)
{
	struct vs_tile_claims *c = &w->rank[rank];
	int n_step = vs_plan_n_step(&w->plan), *step = &w->step[rank], owner;
	int64_t bi, bj;
	bool own = false;

	while (*step < n_step &&
		!(own = vs_tile_claims_own(c, *step, &bi, &bj))) {
		/* the next step's list may take the place of this one */
		w->wrong += vs_tile_claims_ahead(c, 0, &bi, &bj);
		++*step;
	}
	if (!own && !vs_tile_claims_steal(c, n_step - 1, &bi, &bj))
		return false;
	/* nobody else takes it */
	if (w->is_ahead && w->plan.n_rank == 1)
		w->wrong += w->ahead[0] != bi || w->ahead[1] != bj;
	w->is_ahead = vs_tile_claims_ahead(c, 0, &w->ahead[0], &w->ahead[1]);
	w->foreign = !own;
	owner = vs_plan_owner(&w->plan, bi, bj);
	w->wrong += !vs_plan_has(&w->plan, bi, bj) || own != (owner == rank) ||
		owner / VS_CLAIMS_GROUP != rank / VS_CLAIMS_GROUP;
	w->taken[vs_plan_number(&w->plan, bi, bj)]++;
	return true;
}

/* Ranks in any order; until none finds a tile. */
static int
covered_wrong(struct world *w, uint64_t seed)
{
	struct vs_rng rng;
	int n = w->plan.n_rank;
	bool some = true;

	vs_rng_seed(&rng, seed);
	begin(w);
	while (some) {
		some = false;
		for (int k = 0; k < 4 * n; k++, w->now++)
			some |= take(w, (int)vs_rng_below(&rng, (uint64_t)n));
		for (int r = 0; r < n; r++)
			some |= take(w, r);
	}
	end(w);
	return w->wrong;
}

static void
cover(struct world *w)
{
	static const struct vs_between sets[] = { { .n_both = 3000 },
		{ .n_first = 300, .n_both = 100, .n_second = 2000 },
		{ .n_both = 500, .n_second = 2500 }, { .n_both = 40 } };
	int wrong = 0;

	for (int n = 1; n <= MOST_RANKS; n += n < 9 ? 1 : 37)
		for (size_t k = 0; k < sizeof(sets) / sizeof(*sets); k++) {
			if (vs_plan_between(&w->plan, &sets[k], n, 32))
				exit(4);
			wrong += covered_wrong(w, (uint64_t)n + k);
			vs_plan_by_path(&w->plan, INT64_MAX);
			wrong += covered_wrong(w, (uint64_t)n);
		}
	T_OK(!wrong, "each tile is taken once: %d wrong", wrong);
}

/*
 * Rank 0 takes `slow` times as long for a tile; its last ones, a twentieth of a
 * rank's, take all `dear` times as long, and those of another rank `foreign`
 * times. The end of the last tile, in seconds, where a tile takes one.
 */
static double
finish(struct world *w, int n, double slow, double dear, double foreign)
{
	double now[MOST_RANKS] = { 0 }, last = 0, tiles;
	bool done[MOST_RANKS] = { false };
	int64_t own;

	if (vs_plan_make(&w->plan, 100000, n,
		    vs_plan_tile(100000, n, 1e12, 0) / w->finer))
		exit(4);
	tiles = (double)vs_plan_n_tile(&w->plan);
	begin(w);
	own = w->rank[0].claims.end[vs_plan_n_step(&w->plan) - 1];
	for (int left = n; left;) {
		int r = -1;

		for (int k = 0; k < n; k++)
			if (!done[k] && (r < 0 || now[k] < now[r]))
				r = k;
		w->now = now[r];
		if (take(w, r)) {
			bool of_0 = r
				? w->foreign && w->rank[r].claims.victim == 0
				: !w->foreign;
			bool late = of_0 &&
				(double)w->counter[0] >
					(double)own - 0.05 * tiles / n;

			now[r] += (r ? 1 : slow) * (late ? dear : 1) *
				(w->foreign ? foreign : 1);
			last = now[r] > last ? now[r] : last;
		} else {
			done[r] = true;
			left--;
		}
	}
	end(w);
	return last;
}

static double
tiles_of(const struct world *w, int n)
{
	return (double)vs_plan_n_tile(&w->plan) / n;
}

static void
slow_rank(struct world *w)
{
	w->finer = 1;
	for (int n = 2; n <= 64; n *= 2) {
		double same = finish(w, n, 1, 1, 1) / tiles_of(w, n),
		       slow = finish(w, n, 19, 1, 1) / tiles_of(w, n) *
			(n - 1 + 1. / 19) / n;

		T_OK(same < 1.03 && slow < 1.3 && !w->wrong,
			"%d ranks end at %.3f of the ideal, at %.3f where one "
			"is 19 times slower",
			n, same, slow);
	}
}

/*
 * Tiles that take others three times as long are still taken from a slow rank;
 * those that take too long to be of use are not.
 */
static void
dear_tiles(struct world *w)
{
	w->finer = 4;
	for (int n = 4; n <= 64; n *= 2) {
		double slow = finish(w, n, 19, 1, 3) / tiles_of(w, n),
		       /* the others share the rest, at a third of the pace */
			ideal = 1 + (1 - 1. / 19) / ((n - 1) / 3. + 1. / 19),
		       dear = tiles_of(w, n) / 40,
		       late = finish(w, n, 1, dear, 1) / tiles_of(w, n),
		       all = 1 + 0.05 * (dear - 1) / n,
		       alone = finish(w, n, 5, 1, 8 * dear) / tiles_of(w, n);

		T_OK(slow < 1.12 * ideal && !w->wrong,
			"%d ranks, tiles of others taking 3 times as long: "
			"%.3f of the time of a rank, %.3f at best",
			n, slow, ideal);
		T_OK(late < 1.1 * all && !w->wrong,
			"%d ranks, the last tiles of one taking %.0f times as "
			"long: %.3f of the time of a rank, %.3f at best",
			n, dear, late, all);
		T_OK(alone < 5.1 && !w->wrong,
			"%d ranks, tiles of others taking %.0f times as long: "
			"%.3f of the time of a rank, 5 alone",
			n, 8 * dear, alone);
	}
}

/* Tiles of triples: of any owners, some done. */
static int
triples_wrong(struct world *w, int n, bool runs)
{
	static struct vs_tile_claims claims[MOST_RANKS];
	const struct vs_claims_counters counters = { add, ask, now_of, w };
	uint64_t done[16] = { 0 }, taken[16], n_tile;
	int32_t owner[1024];
	const struct vs_tile_deal deal = { owner, done, runs };
	struct vs_rng rng;
	int64_t bi, bj;
	int wrong = 0;

	vs_rng_seed(&rng, (uint64_t)n);
	if (cube_plan(&w->plan, 600, n, 20))
		exit(4);
	n_tile = vs_plan_n_tile(&w->plan);
	if (n_tile > 1024)
		exit(4);
	memset(w->counter, 0, sizeof(w->counter));
	for (uint64_t t = 0; t < n_tile; t++) {
		owner[t] = t && vs_rng_below(&rng, 4)
			? owner[t - 1]
			: (int32_t)vs_rng_below(&rng, (uint64_t)n);
		if (!vs_rng_below(&rng, 5))
			done[t / 64] |= (uint64_t)1 << t % 64;
	}
	memcpy(taken, done, sizeof(taken));
	for (int r = 0; r < n; r++)
		if (vs_tile_claims_begin(&claims[r], &w->plan, &deal, r,
			    &counters))
			exit(4);
	for (int some = 1; some;) {
		some = 0;
		for (int k = 0; k < 5 * n; k++, w->now++) {
			struct vs_tile_claims *c = &claims[k < n
					? k
					: (int)vs_rng_below(&rng, (uint64_t)n)];
			uint64_t lo, hi;

			if (!vs_tile_claims_own(c, 0, &bi, &bj) &&
				!vs_tile_claims_steal(c, 0, &bi, &bj))
				continue;
			some = 1;
			lo = vs_plan_number(&w->plan, bi, bj);
			hi = vs_tile_claims_deal_end(&deal, n_tile, lo);
			wrong += !runs && hi != lo + 1;
			for (uint64_t t = lo; t < hi; t++) {
				wrong += taken[t / 64] >> t % 64 & 1;
				taken[t / 64] |= (uint64_t)1 << t % 64;
			}
		}
	}
	for (uint64_t t = 0; t < n_tile; t++)
		wrong += !(taken[t / 64] >> t % 64 & 1);
	for (int r = 0; r < n; r++)
		vs_tile_claims_end(&claims[r]);
	return wrong;
}

static void
triples(struct world *w)
{
	int wrong = 0;

	for (int n = 1; n < 10; n++)
		wrong += triples_wrong(w, n, false) + triples_wrong(w, n, true);
	T_OK(!wrong, "tiles of triples that are not done: %d wrong", wrong);
}

int
main(void)
{
	static struct world w;

	cover(&w);
	triples(&w);
	slow_rank(&w);
	dear_tiles(&w);
	return T_DONE();
}
