/* SPDX-License-Identifier: BSD-3-Clause */
/* Driver of triples: computes all tiles of a plan into a sink; pair_run.h does
 * pairs. */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_RUN_H
#define VS_ENGINE_TRIPLE_TRIPLE_RUN_H

#include "libcore/engine/job.h"
#include "libcore/plan/cube.h"

/*
 * Choose the size of tiles such that all vectors fit in `memory` bytes on each
 * rank, or a share of them if the job's ranks share them, with fewer threads if
 * necessary; see vs_pair_run_plan(). If they do not fit or, without candidates,
 * not along with all threads, the job becomes a stream: each rank reads groups
 * of vectors repeatedly, and counts all triples, or candidates if these have
 * memory next to vectors. The job's backend is not used; an optional device is
 * dropped, as it needs all vectors.
 * returns     0; VS_EINPUT; VS_EMACHINE: there is not even memory for three
 *             blocks of the fewest vectors
 * collective  yes
 */
int vs_triple_run_plan(struct vs_job *job, struct vs_plan *plan, uint64_t n_vec,
	int64_t tile, uint64_t memory);

/*
 * Set n_share of the job, whose query is complete: the ranks of this machine,
 * if they can share one copy of n_vec vectors. Collective.
 */
void vs_triple_run_share(struct vs_job *job, uint64_t n_vec);

/* Memory of a rank without candidates; of shared vectors its share. */
uint64_t vs_triple_run_bytes(const struct vs_job *job);

/* The same for a streamed job, as if it were not streamed. */
uint64_t vs_triple_run_whole_bytes(const struct vs_job *job);

/* True if a streamed job has no memory for candidates, with which it would
 * exclude triples if it were not streamed. */
bool vs_triple_run_lacks_candidates(const struct vs_job *job);

/*
 * Load all vectors, except for a stream, and choose how to count: exhaustively
 * or, if a threshold leaves few pairs that a passing triple can have, by
 * candidates, as long as those fit `memory` bytes along with all else. Records
 * are the same.
 * plan        the job's, whose tiles are made smaller if they would take long;
 *             null: they stay
 * returns     0; negative: the first failure of this rank, or VS_DONE for one
 *             of another rank's
 * collective  yes
 */
struct vs_triple_run;
int vs_triple_run_new(struct vs_triple_run **t, const struct vs_job *job,
	struct vs_plan *plan, uint64_t memory, struct vs_job_stats *stats);
void vs_triple_run_free(struct vs_triple_run *t); /* null is accepted */

/* Name of what computes, as recorded in the file: "cpu-tiles", "cpu-lanes512
 * candidates". t null, as there is none yet: as if all triples were to be
 * counted. */
void vs_triple_run_describe(const struct vs_job *job,
	const struct vs_triple_run *t, char *text, size_t room);

/* True if this rank is to do the tile. */
bool vs_triple_run_has(const struct vs_triple_run *t, int64_t bi, int64_t bj);

/* Triples of this rank. */
uint64_t vs_triple_run_load(const struct vs_triple_run *t);

/*
 * Do every tile dealt to this rank; the pairs of stats are triples.
 * returns  0; VS_DONE if stopped; negative: the first failure
 */
int vs_triple_run_all(struct vs_triple_run *t, struct vs_job_stats *stats);

#endif
