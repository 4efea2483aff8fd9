/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of the sink's tiles that are computed as one tile of the plan. */
#ifndef VS_ENGINE_SCHED_TILE_GROUPS_H
#define VS_ENGINE_SCHED_TILE_GROUPS_H

#include "libcore/engine/sched/thread_pool.h"

/*
 * Give the records of a tile the job's vector numbers, and add them to two
 * digests: with these numbers, and with the source file's.
 */
void vs_tile_groups_sum(const struct vs_job *job,
	const struct vs_tile_task *task, struct vs_record *rec, size_t n,
	struct vs_digest_sum *sum, struct vs_digest_sum *renamed);

/*
 * Give the sink each of its tiles in the task, with its share of the records,
 * whose vectors are numbered as in the plan; with a rising threshold without
 * records, which are then kept for the whole run.
 * returns  0; what the sink returns; VS_EMACHINE
 */
int vs_tile_groups_give(const struct vs_job *job,
	const struct vs_tile_task *task, const struct vs_tile_done *all);

/* Number of the sink's tiles in tile (bi, bj) of a plan that are done already,
 * of *n in all. */
size_t vs_tile_groups_done(const struct vs_job *job, const struct vs_plan *plan,
	int64_t bi, int64_t bj, size_t *n);

#endif
