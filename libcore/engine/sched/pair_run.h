/* SPDX-License-Identifier: BSD-3-Clause */
/* All pairs of a plan through a backend, tile after tile, into a sink. */
#ifndef VS_ENGINE_SCHED_PAIR_RUN_H
#define VS_ENGINE_SCHED_PAIR_RUN_H

#include "libcore/engine/job.h"
#include "libcore/plan/path_order.h"

/*
 * Load this rank's vectors, pass them round the ring of ranks behind the
 * computation, and do every tile that the plan gives this rank.
 * pool        open for the job, vs_thread_pool_open(); is closed
 * returns     0; VS_DONE when stopped; negative: the first failure of this
 *             rank, which still takes part in every exchange
 * collective  yes
 */
struct vs_thread_pool;
int vs_pair_run(struct vs_thread_pool *pool, struct vs_job_stats *stats);

/*
 * Choose the size of tiles, what the threads may do in two seconds, that of the
 * sink's, which take a hundredth of that at most, and whether blocks have to be
 * streamed, so that all fits in memory bytes on each rank. Tile not 0 is the
 * sink's, as an earlier run or other stages have it; unit null: it is the
 * plan's. Where even the smallest blocks do not fit, job->n_thread is lowered.
 * All that matters of job must be set; where it is between two sets
 * these tell the vectors in place of n_vec.
 * returns     0; VS_EINPUT; VS_EMACHINE: not even the smallest blocks fit
 * collective  yes: the first rank chooses for all
 */
int vs_pair_run_plan(struct vs_job *job, struct vs_plan *plan,
	struct vs_plan *unit, uint64_t n_vec, int64_t tile, uint64_t memory);

/* Pairs that a rank has to do, in tiles that are not done. */
uint64_t vs_pair_run_load(const struct vs_job *job, int rank);

/*
 * Pairs that are counted of a tile of the plan, of a rank's step or of all its
 * steps, before bounds leave any out. Of a filter's tiles without a pair that
 * is wanted, and of what is done, there are none.
 */
uint64_t vs_pair_run_counted(const struct vs_job *job, int64_t bi, int64_t bj);
uint64_t vs_pair_run_step(const struct vs_job *job, int rank, int step);
uint64_t vs_pair_run_share(const struct vs_job *job, int rank);

/* Blocks of vectors that a rank keeps in memory, where it reads them as its
 * tiles need them. */
int vs_pair_run_slots(const struct vs_job *job);

/* The order of the tiles of shares of a path. */
void vs_pair_run_order(struct vs_path_order *order, const struct vs_job *job);

/* Peak memory that vs_pair_run will take on a rank, panels and workers. */
uint64_t vs_pair_run_bytes(const struct vs_job *job);

#endif
