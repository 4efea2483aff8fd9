/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of a run, computed separately: option --stage K/N. */
#ifndef VS_TOOLS_RUN_STAGE_H
#define VS_TOOLS_RUN_STAGE_H

#include "formats/results/result.h"
#include "libcore/engine/job.h"

/* Parse the option's text into run; null: all of the run. 0; VS_EUSAGE */
int vs_stage_choose(const char *text, struct vs_run *run);

/*
 * Let the run state the chromosomes by which its stages are cut, if they are.
 * Call it once the wanted pairs are known, and before others are compared with
 * the run.
 * returns  0; VS_EMACHINE
 */
int vs_stage_chromosomes(struct vs_run *run);

/*
 * The edge of tiles of a run in stages, at most `most` vectors if that is not
 * 0. All stages must have the same, whatever their ranks and memory, and an
 * interrupted run loses the tiles it has begun. 0: there are no stages
 */
int64_t vs_stage_tile(const struct vs_run *run, int64_t most);

/*
 * The wanted stage of pairs, with tiles of that edge, which run gets; the job
 * gets the stage. Its ranks read what they need, which is less than all, unless
 * they are to fetch it; ring: a ring was requested.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_stage_job(struct vs_run *run, int64_t tile, bool ring,
	struct vs_stages *stages, struct vs_job *job);

/*
 * Mark the tiles of other stages in a bit per tile, allocated if there is none.
 * returns  0; VS_EMACHINE
 */
int vs_stage_leave(const struct vs_run *run, const struct vs_plan *plan,
	uint64_t **done);

/* Number of tiles not marked in done, or of all if it is null. */
uint64_t vs_stage_rest(const struct vs_plan *plan, const uint64_t *done);

#endif
