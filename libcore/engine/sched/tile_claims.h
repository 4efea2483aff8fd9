/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic load balance of ranks: the tiles that a plan gives each rank, step
 * after step, which the rank and others that are done take one by one.
 */
#ifndef VS_ENGINE_SCHED_TILE_CLAIMS_H
#define VS_ENGINE_SCHED_TILE_CLAIMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/engine/sched/claims.h"
#include "libcore/plan/path_order.h"
#include "libcore/plan/plan.h"

/* Blocks of tiles of one step of a rank, in the order of computation. */
struct vs_tile_claims_list {
	int rank, step; /* step -1: none */
	int32_t (*tile)[2];
	size_t n, room;
};

struct vs_tile_claims {
	const struct vs_plan *plan;
	struct vs_claims claims;
	struct vs_path_order order; /* of shares of a path, the same on all */
	struct vs_tile_claims_list mine, other;
	int64_t next; /* place in the list of mine behind the one given last */
	int code;     /* of the first failure; then nothing is taken */
};

/* Shares of a path keep their order unless c->order is set then.
 * returns  0; VS_EMACHINE */
int vs_tile_claims_begin(struct vs_tile_claims *c, const struct vs_plan *plan,
	int rank, const struct vs_claims_counters *counters);
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
