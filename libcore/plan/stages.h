/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stages of a run: parts of its tiles that are computed at different times and
 * places, on any number of ranks each.
 *
 * The tiles of pairs follow the path of vs_plan_by_path() for as many ranks as
 * there are stages, and each stage has an equal share of it: tiles of some rows
 * and columns, so that stage k of N needs at most 3 n / sqrt(2 N) of n vectors.
 * Pairs in a band along the diagonal are taken row by row instead. Pairs within
 * chromosomes follow vs_chromosome_path_new(), and each stage has an equal
 * share of its pairs: with p pairs in all it needs at most about n / N + 3
 * sqrt(p / N) vectors. Triples need all vectors in any stage: their tiles are
 * spread along every row, column and diagonal.
 */
#ifndef VS_PLAN_STAGES_H
#define VS_PLAN_STAGES_H

#include "libcore/plan/chromosomes.h"
#include "libcore/plan/plan.h"

enum vs_stages_by {
	VS_STAGES_SQUARES,
	VS_STAGES_ROWS,
	VS_STAGES_CHROMOSOMES,
	VS_STAGES_SPREAD
};

struct vs_stages {
	enum vs_stages_by by;
	int n, at;           /* at: the stage that a job computes */
	struct vs_plan path; /* its ranks are the stages */
	/* by chromosomes: these, the path through them, and the key at which
	 * each stage begins, the first below all, [n] */
	const struct vs_chromosomes *of;
	const int64_t *row; /* of each vector, between two sets; or null */
	struct vs_chromosome_path *within;
	uint64_t *begin;
};

/*
 * Split the tiles of a plan into n stages, whatever its ranks.
 * of, row  kept by s, used by VS_STAGES_CHROMOSOMES alone; row: of two sets,
 *          each vector's in the file; else null
 * returns  0; by VS_STAGES_CHROMOSOMES alone VS_EINPUT, VS_EMACHINE
 */
int vs_stages_make(struct vs_stages *s, const struct vs_plan *plan,
	enum vs_stages_by by, const struct vs_chromosomes *of,
	const int64_t *row, int n);
void vs_stages_free(struct vs_stages *s); /* all zero is accepted */

/* The stage of an existing tile, from 0. */
int vs_stages_of(const struct vs_stages *s, int64_t bi, int64_t bj);

/*
 * Deal one stage, not by VS_STAGES_SPREAD, to the ranks of a plan of the same
 * blocks: each gets a share of a path through the stage's tiles alone, with
 * strips of at most that many rows. Free it with vs_plan_free().
 * returns  0; VS_EINPUT: too many blocks; VS_EMACHINE
 */
int vs_stages_deal(const struct vs_stages *s, int stage, int64_t most,
	struct vs_plan *plan);

#endif
