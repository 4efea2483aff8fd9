/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a run over triples, as planned by triple_run_memory.c. */
#ifndef VS_ENGINE_TRIPLE_TRIPLE_RUN_INNER_H
#define VS_ENGINE_TRIPLE_TRIPLE_RUN_INNER_H

#include "libcore/engine/job.h"

/* Number of ranks that share one copy of the vectors. */
static inline int
vs_triple_run_shared_by(const struct vs_job *job)
{
	return !job->stream && job->n_share > 1 ? job->n_share : 1;
}

/* Bytes of a stream for candidates beyond what counting all triples needs. */
uint64_t vs_triple_run_spare(const struct vs_job *job);

/* Bytes for graphs and triangles in addition to all vectors: candidates get the
 * memory of the threads that count all triples, which are idle then. */
uint64_t vs_triple_run_whole_room(const struct vs_job *job, uint64_t memory);

/* Vectors of a tile by candidates: many for a stream, as other vectors are read
 * again for each tile, but few enough for several tiles per rank. */
int64_t vs_triple_run_row_grain(const struct vs_job *job,
	const struct vs_plan *plan);

/* Bytes for the rows of vectors of a stream. */
uint64_t vs_triple_run_streamed(const struct vs_job *job);

#endif
