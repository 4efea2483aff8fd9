/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic load balance of ranks: the tiles that a plan gives each rank, step
 * after step, or a list in one step, which the rank and others that are done
 * take one by one.
 */
#ifndef VS_ENGINE_SCHED_TILE_CLAIMS_H
#define VS_ENGINE_SCHED_TILE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/engine/sched/claims.h"
#include "libcore/plan/path_order.h"
#include "libcore/plan/plan.h"

/* Tiles that a list gives to ranks, by vs_plan_number(). */
struct vs_tile_deal {
	const int32_t *owner;
	const uint64_t *done; /* a bit for each that needs no work; or null */
	bool runs; /* those of a rank that follow one another are taken at once,
		    * by the first of them; else one by one */
};

/* The end of the tiles that are taken with tile t, which is to be done. */
uint64_t vs_tile_claims_deal_end(const struct vs_tile_deal *deal,
	uint64_t n_tile, uint64_t t);

/* Blocks of tiles of one step of a rank, in the order of computation. */
struct vs_tile_claims_list {
	int rank, step; /* step -1: none */
	int32_t (*tile)[2];
	size_t n, room;
};

struct vs_tile_claims {
	const struct vs_plan *plan;
	const struct vs_tile_deal *deal; /* null: the plan's */
	struct vs_claims claims;
	struct vs_path_order order; /* of shares of a path, the same on all */
	struct vs_tile_claims_list mine, other;
	int64_t next; /* place in the list of mine behind the one given last */
	int code;     /* of the first failure; then nothing is taken */
};

/* Shares of a path keep their order unless c->order is set then.
 * deal     null: the plan gives tiles to ranks
 * returns  0; VS_EMACHINE */
int vs_tile_claims_begin(struct vs_tile_claims *c, const struct vs_plan *plan,
	const struct vs_tile_deal *deal, int rank,
	const struct vs_claims_counters *counters);
void vs_tile_claims_end(struct vs_tile_claims *c); /* zeroed is accepted */

/* Take the next tile, bi <= bj, of this rank's step; false: there is none. */
bool vs_tile_claims_own(struct vs_tile_claims *c, int step, int64_t *bi,
	int64_t *bj);

/*
 * The tile k places behind the one of this rank's step that was taken last,
 * which another rank may take; false: there is none. Any thread, beside the one
 * that takes more of that step, of which there was one.
 */
bool vs_tile_claims_ahead(const struct vs_tile_claims *c, int64_t k,
	int64_t *bi, int64_t *bj);

/*
 * Take a tile of another rank that has some left in its steps up to this one.
 * False: there is none.
 */
bool vs_tile_claims_steal(struct vs_tile_claims *c, int upto, int64_t *bi,
	int64_t *bj);

#endif
