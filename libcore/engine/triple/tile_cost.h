/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimated cost of tiles of triples, and their size by it. */
#ifndef VS_ENGINE_TRIPLE_TILE_COST_H
#define VS_ENGINE_TRIPLE_TILE_COST_H

#include "libcore/engine/job.h"
#include "libcore/engine/triple/cost_model.h"
#include "libcore/plan/cube.h"

/* True when the tile needs no work. */
static inline bool
vs_tile_cost_is_done(const struct vs_job *job, uint64_t tile)
{
	return job->done && job->done[tile / 64] >> (tile % 64) & 1;
}

/*
 * Make the plan's tiles smaller where they would take long.
 * f           of candidates; null: all triples are counted
 * returns     0; VS_EINPUT
 * collective  yes
 */
int vs_tile_cost_plan(const struct vs_job *job,
	const struct vs_triple_data *data, const struct vs_cost_model *f,
	struct vs_plan *plan);

/*
 * The same where thresholds fall step by step, which search each tile time and
 * again.
 * first  what the first step is to cost, seconds of one core
 */
int vs_tile_cost_plan_steps(const struct vs_job *job,
	const struct vs_triple_data *data, double first, struct vs_plan *plan);

/* With candidates: of blocks and all others, in millionths of a second. */
void vs_tile_cost_rows(const struct vs_job *job, const struct vs_cost_model *f,
	uint64_t *cost);

/* Seconds for the candidates of a vector, at most. */
double vs_tile_cost_row_seconds(const struct vs_job *job,
	const struct vs_cost_model *f);

#endif
