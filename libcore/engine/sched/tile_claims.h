/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic load balance of ranks: the tiles that a plan gives each rank, step
 * after step, or those of a list in one step. They are taken one by one, by the
 * rank itself and by others that have finished.
 */
#ifndef VS_ENGINE_SCHED_TILE_CLAIMS_H
#define VS_ENGINE_SCHED_TILE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/engine/job.h"
#include "libcore/engine/sched/claims.h"
#include "libcore/plan/path_order.h"
#include "libcore/plan/plan.h"

/* Tiles that a list gives to ranks, by vs_plan_number(). */
struct vs_tile_deal {
	const int32_t *owner;
	const uint64_t *done; /* a bit for each that is done already; or null */
	bool runs;            /* consecutive tiles of a rank are taken as one */
};

/* The end of the tiles that are taken together with tile t, which is to be
 * done. */
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
	struct vs_path_order order; /* for shares of a path */
	/* whose tiles without a wanted pair come first; or null */
	const struct vs_job *job;
	struct vs_tile_claims_list mine, other;
	int64_t next; /* place in the list `mine` after the tile given last */
	int code;     /* the first failure; then nothing more is taken */
};

/* Shares of a path keep their order unless c->order is set afterwards, and
 * tiles that none wants their place unless c->job is.
 * deal     null: the plan gives tiles to ranks
 * returns  0; VS_EMACHINE */
int vs_tile_claims_begin(struct vs_tile_claims *c, const struct vs_plan *plan,
	const struct vs_tile_deal *deal, int rank,
	const struct vs_claims_counters *counters);
void vs_tile_claims_end(struct vs_tile_claims *c); /* zeroed is accepted */

/*
 * Order the n tiles, bi and bj of each, of a step of a rank: those without a
 * wanted pair come first, since they take no time and would hide from readers
 * which blocks come next; the others keep their order or, in a share of a path,
 * have that of vs_path_order(). job null: all are wanted. 0; VS_EMACHINE
 */
int vs_tile_claims_sort(const struct vs_job *job,
	const struct vs_path_order *order, const struct vs_plan *plan, int rank,
	int32_t (*tile)[2], size_t n);

/* Take the next tile, bi <= bj, of this rank's step; false: there is none. */
bool vs_tile_claims_own(struct vs_tile_claims *c, int step, int64_t *bi,
	int64_t *bj);

/*
 * The tile k places after the last one taken from this rank's step, which
 * another rank may take; false: none. Any thread may call it concurrently with
 * the one that takes tiles of that step, once one was taken.
 */
bool vs_tile_claims_ahead(const struct vs_tile_claims *c, int64_t k,
	int64_t *bi, int64_t *bj);

/*
 * Take a tile of another rank that has some left in its steps up to this one.
 * False: none.
 */
bool vs_tile_claims_steal(struct vs_tile_claims *c, int upto, int64_t *bi,
	int64_t *bj);

#endif
