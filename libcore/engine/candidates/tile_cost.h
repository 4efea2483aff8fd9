/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimated cost of tiles of triples, and their size by it. */
#ifndef VS_ENGINE_CANDIDATES_TILE_COST_H
#define VS_ENGINE_CANDIDATES_TILE_COST_H

#include "libcore/engine/candidates/cost_model.h"
#include "libcore/engine/job.h"
#include "libcore/plan/cube.h"

/*
 * The rank of each tile of the job's plan, by vs_plan_number(). With candidates
 * a rank has all tiles of a block, so that only it makes the graph of the
 * block's vectors, and neighbouring blocks, which share a graph.
 * f        for candidates; null: all triples are counted
 * owner    memory for each tile
 * returns  0; VS_EMACHINE
 */
int vs_tile_cost_deal(const struct vs_job *job, const struct vs_cost_model *f,
	int32_t *owner);

/*
 * Make the plan's tiles smaller if they would take long.
 * f           of candidates; null: all triples are counted
 * returns     0; VS_EINPUT
 * collective  yes
 */
int vs_tile_cost_plan(const struct vs_job *job,
	const struct vs_triple_data *data, const struct vs_cost_model *f,
	struct vs_plan *plan);

/*
 * The same for thresholds that fall step by step, with each tile searched
 * repeatedly.
 * first  what the first step may cost, in seconds of one core
 */
int vs_tile_cost_plan_steps(const struct vs_job *job,
	const struct vs_triple_data *data, double first, struct vs_plan *plan);

/* With candidates: cost of blocks with all others, in microseconds. */
void vs_tile_cost_rows(const struct vs_job *job, const struct vs_cost_model *f,
	uint64_t *cost);

#endif
