/* SPDX-License-Identifier: BSD-3-Clause */
/* All pairs of a plan through a backend, tile after tile, into a sink. */
#ifndef VS_ENGINE_SCHED_PAIR_RUN_H
#define VS_ENGINE_SCHED_PAIR_RUN_H

#include "libcore/engine/job.h"
#include "libcore/plan/path_order.h"

/*
 * Load this rank's vectors, pass them round the ring of ranks during the
 * computation, and do every tile that the plan gives this rank.
 * pool        open for the job, vs_thread_pool_open(); this closes it
 * returns     0; VS_DONE when stopped; negative: the first failure of this
 *             rank, which still takes part in every exchange
 * collective  yes
 */
struct vs_thread_pool;
int vs_pair_run(struct vs_thread_pool *pool, struct vs_job_stats *stats);

/*
 * Choose the size of tiles (what the threads can do in two seconds), that of
 * the sink's tiles (at most a hundredth of that time), and whether blocks have
 * to be streamed, so that all fits in `memory` bytes on each rank. If tile is
 * not 0 it is the size of the sink's tiles, from an earlier run or other
 * stages; unit null: those of the plan. If even the smallest blocks do not fit,
 * job->n_thread is lowered. All other members of job must be set; between two
 * sets, these determine the vectors instead of n_vec.
 * returns     0; VS_EINPUT; VS_EMACHINE: not even the smallest blocks fit
 * collective  yes: the first rank chooses for all
 */
int vs_pair_run_plan(struct vs_job *job, struct vs_plan *plan,
	struct vs_plan *unit, uint64_t n_vec, int64_t tile, uint64_t memory);

/* Pairs that a rank has to do, in tiles that are not done yet. */
uint64_t vs_pair_run_load(const struct vs_job *job, int rank);

/*
 * Pairs counted in a tile of the plan, in a rank's step or in all its steps,
 * before bounds exclude any; 0 for tiles without a wanted pair and for tiles
 * done already.
 */
uint64_t vs_pair_run_counted(const struct vs_job *job, int64_t bi, int64_t bj);
uint64_t vs_pair_run_step(const struct vs_job *job, int rank, int step);
uint64_t vs_pair_run_share(const struct vs_job *job, int rank);

/* Blocks of vectors that a rank keeps in memory, if it reads them as its tiles
 * need them. */
int vs_pair_run_slots(const struct vs_job *job);

/* Order the tiles of shares of a path. */
void vs_pair_run_order(struct vs_path_order *order, const struct vs_job *job);

/* Peak memory of vs_pair_run() on a rank, for panels and workers. */
uint64_t vs_pair_run_bytes(const struct vs_job *job);

#endif
