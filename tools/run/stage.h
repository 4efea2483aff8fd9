/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of a run, computed apart from each other: option --stage K/N. */
#ifndef VS_TOOLS_RUN_STAGE_H
#define VS_TOOLS_RUN_STAGE_H

#include "formats/results/result.h"
#include "libcore/engine/job.h"

/* Parse the option's text into run; null: all of the run. 0; VS_EUSAGE */
int vs_stage_choose(const char *text, struct vs_run *run);

/*
 * Let the run state the chromosomes by which its stages are cut, if they are:
 * once it knows what is wanted, and before others are compared with it.
 * returns  0; VS_EMACHINE
 */
int vs_stage_chromosomes(struct vs_run *run);

/*
 * The edge of tiles of a run in stages, of most vectors where that is not 0:
 * all stages have to have the same, whatever ranks and memory they have, and
 * what is begun of one is lost by a kill. 0: there are no stages
 */
int64_t vs_stage_tile(const struct vs_run *run, int64_t most);

/*
 * The stage of pairs that is wanted, of tiles of that edge, which run gets: the
 * job gets it of the stages. Its ranks read what they need, which is less than
 * all, unless they are to fetch it; ring: they were asked for a ring.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_stage_job(struct vs_run *run, int64_t tile, bool ring,
	struct vs_stages *stages, struct vs_job *job);

/*
 * Mark the tiles of other stages in a bit per tile, made if there is none.
 * returns  0; VS_EMACHINE
 */
int vs_stage_leave(const struct vs_run *run, const struct vs_plan *plan,
	uint64_t **done);

/* Tiles that no bit of done marks, of all where it is null. */
uint64_t vs_stage_rest(const struct vs_plan *plan, const uint64_t *done);

#endif
