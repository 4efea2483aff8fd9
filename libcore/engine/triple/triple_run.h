/* SPDX-License-Identifier: BSD-3-Clause */
/* Driver of triples: all tiles of a plan into a sink; pair_run.h for pairs. */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_RUN_H
#define VS_ENGINE_TRIPLE_TRIPLE_RUN_H

#include "libcore/engine/job.h"
#include "libcore/plan/cube.h"

/*
 * Choose the size of tiles such that all vectors fit in memory bytes on each
 * rank, or a share of them where the job's ranks share them, by fewer threads
 * of the job if need be; see vs_pair_run_plan(). Where they do not fit, or, of
 * what is not counted by candidates, not beside all threads, the job becomes a
 * stream: each rank reads groups of vectors time and again, and counts all
 * triples, or candidates where these have memory beside vectors. Of the job no
 * backend is used; a device that is dispensable goes, as it has all vectors.
 * returns     0; VS_EINPUT; VS_EMACHINE: there is not even memory for three
 *             blocks of the fewest vectors
 * collective  yes
 */
int vs_triple_run_plan(struct vs_job *job, struct vs_plan *plan, uint64_t n_vec,
	int64_t tile, uint64_t memory);

/*
 * Set n_share of the job, whose query is complete: the ranks of this machine,
 * where they can have one copy of n_vec vectors. Collective.
 */
void vs_triple_run_share(struct vs_job *job, uint64_t n_vec);

/* Memory of a rank, but for candidates; of shared vectors its share. */
uint64_t vs_triple_run_bytes(const struct vs_job *job);

/* The same of a job that is a stream, if it were none. */
uint64_t vs_triple_run_whole_bytes(const struct vs_job *job);

/* True where a job that is a stream has no memory for candidates, by which it
 * would leave triples out if it were none. */
bool vs_triple_run_lacks_candidates(const struct vs_job *job);

/*
 * Load all vectors, but of a stream, and choose how to count: exhaustively, or,
 * where a threshold leaves few pairs that a triple that passes can have, by
 * candidates, as long as those fit memory bytes with all else. Records are the
 * same.
 * plan        the job's, whose tiles are made smaller where they would take
 *             long; null: they stay
 * returns     0; negative: the first failure of this rank or VS_DONE for one
 *             of another rank's
 * collective  yes
 */
struct vs_triple_run;
int vs_triple_run_new(struct vs_triple_run **t, const struct vs_job *job,
	struct vs_plan *plan, uint64_t memory, struct vs_job_stats *stats);
void vs_triple_run_free(struct vs_triple_run *t); /* null is accepted */

/* Name of what computes, for the file: "cpu-tiles", "cpu-lanes512 candidates".
 * t null, as there is none yet: as if all triples were to be counted. */
void vs_triple_run_describe(const struct vs_job *job,
	const struct vs_triple_run *t, char *text, size_t room);

/* True when this tile is to be done by this rank. */
bool vs_triple_run_has(const struct vs_triple_run *t, int64_t bi, int64_t bj);

/* Triples of this rank. */
uint64_t vs_triple_run_load(const struct vs_triple_run *t);

/*
 * Do every tile that this rank is dealt; the pairs of stats are triples.
 * returns  0; VS_DONE when stopped; negative: the first failure
 */
int vs_triple_run_all(struct vs_triple_run *t, struct vs_job_stats *stats);

#endif
