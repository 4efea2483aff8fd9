/* SPDX-License-Identifier: BSD-3-Clause */
/* Assignment of tiles of triples to ranks, by their estimated costs. */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_DEAL_H
#define VS_ENGINE_TRIPLE_TRIPLE_DEAL_H

#include "libcore/engine/job.h"
#include "libcore/engine/triple/cost_model.h"

/*
 * The rank of each tile of the job's plan, by vs_plan_number(). Of candidates a
 * rank has all tiles of a block, so that it alone makes the graph of its
 * vectors, and neighbouring blocks, whose graph is made at once.
 * f        of candidates; null: all triples are counted
 * owner    memory for each tile
 * returns  0; VS_EMACHINE
 */
int vs_triple_deal(const struct vs_job *job, const struct vs_cost_model *f,
	int32_t *owner);

#endif
