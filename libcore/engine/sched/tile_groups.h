/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of the sink's that are done together, as one tile of the plan. */
#ifndef VS_ENGINE_SCHED_TILE_GROUPS_H
#define VS_ENGINE_SCHED_TILE_GROUPS_H

#include "libcore/engine/sched/thread_pool.h"

/*
 * Name records of a tile as the job does, and add them to two sums, as they are
 * then and as the source names them.
 */
void vs_tile_groups_sum(const struct vs_job *job,
	const struct vs_tile_task *task, struct vs_record *rec, size_t n,
	struct vs_digest_sum *sum, struct vs_digest_sum *renamed);

/*
 * Give the sink each of its tiles that the task has, with its share of all the
 * records, which are named as the plan does, or, where there is a rising
 * threshold, which are few and are no tile's, none.
 * returns  0; what the sink returns; VS_EMACHINE
 */
int vs_tile_groups_give(const struct vs_job *job,
	const struct vs_tile_task *task, const struct vs_tile_done *all);

/* Number of the sink's tiles in tile (bi, bj) of a plan, of n in all,
 * are done already. */
size_t vs_tile_groups_done(const struct vs_job *job, const struct vs_plan *plan,
	int64_t bi, int64_t bj, size_t *n);

#endif
