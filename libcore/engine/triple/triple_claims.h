/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dynamic load balance of ranks: the tiles of triples that each rank is dealt,
 * which the rank and others that are done take some at a time.
 */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_CLAIMS_H
#define VS_ENGINE_TRIPLE_TRIPLE_CLAIMS_H

#include "libcore/engine/job.h"
#include "libcore/engine/sched/claims.h"

/* Tiles [lo, hi), by vs_plan_number(). */
struct vs_triple_range {
	uint64_t lo, hi;
};

/* The tiles of a rank that are not done. */
struct vs_triple_list {
	int rank; /* -1: none */
	struct vs_triple_range *range;
	size_t n, room;
};

struct vs_triple_claims {
	const struct vs_job *job;
	const int32_t *owner;
	bool runs;
	struct vs_claims claims;
	struct vs_triple_list mine, other;
	int code; /* of the first failure; then nothing is taken */
};

/*
 * owner    of each tile
 * runs     tiles that follow one another are taken together, else one by one
 * returns  0; VS_EMACHINE
 */
int vs_triple_claims_begin(struct vs_triple_claims *c, const struct vs_job *job,
	const int32_t *owner, bool runs, int rank,
	const struct vs_claims_counters *counters);
void vs_triple_claims_end(struct vs_triple_claims *c); /* zeroed is accepted */

/* Take tiles of this rank; of another, *of. False: there are none. */
bool vs_triple_claims_own(struct vs_triple_claims *c,
	struct vs_triple_range *range);
bool vs_triple_claims_other(struct vs_triple_claims *c,
	struct vs_triple_range *range);

#endif
