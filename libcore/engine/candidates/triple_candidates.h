/* SPDX-License-Identifier: BSD-3-Clause */
/* Triples by candidate graphs, one for each range of vectors of a rank. */
#ifndef VS_ENGINE_CANDIDATES_TRIPLE_CANDIDATES_H
#define VS_ENGINE_CANDIDATES_TRIPLE_CANDIDATES_H

#include "libcore/engine/candidates/cost_model.h"
#include "libcore/engine/job.h"
#include "libcore/engine/sched/tile_split.h"
#include "libcore/engine/slab/slab.h"

/* First vectors whose triangles a thread takes at a time. */
#define VS_TRIPLE_CANDIDATES_VECTORS 16

struct vs_triple_candidates {
	const struct vs_job *job;
	const struct vs_triple_data *data;
	struct vs_cost_model model;
	struct vs_candidate_graph graph; /* of the present range; or zeroed */
	uint64_t room;                   /* most bytes of a graph */
	double edges;                    /* edges per pair, as far as known */
	double row; /* seconds for the edges of a vector, as measured; or 0 */
	struct vs_triangles **worker; /* by thread; null: not open */
	/* for a stream: the vectors whose triples are counted now, or null */
	const struct vs_slab_window *only;
};

/*
 * Estimate the cost for the data's threshold.
 * memory   bytes for workers and graphs
 * pays     set if candidates cost less than all triples, and one vector's
 *          candidates fit the memory
 * returns  0; VS_EMACHINE
 */
int vs_triple_candidates_choose(struct vs_triple_candidates *c,
	const struct vs_job *job, const struct vs_triple_data *data,
	uint64_t memory, bool *pays);

/* Least memory that candidates of n_vec vectors take. */
uint64_t vs_triple_candidates_least(const struct vs_query *q, uint64_t n_vec,
	int n_thread);

/* Open each thread's worker. 0; VS_EMACHINE, and it still has to be closed */
int vs_triple_candidates_open(struct vs_triple_candidates *c);
void vs_triple_candidates_close(
	struct vs_triple_candidates *c); /* zeroed is accepted */

/*
 * Make the graph of block bi's vectors from u on, and of later blocks up to
 * vector `end`, as far as memory and the time between checkpoints allow.
 * returns  0; VS_DONE if stopped; VS_EMACHINE
 */
int vs_triple_candidates_make(struct vs_triple_candidates *c, int64_t bi,
	size_t u, size_t end);

/*
 * Count part of a tile, whose vectors the graph has, on one thread: append what
 * passes to found, and add the triples that no bound excluded to counted.
 * returns  0; VS_DONE if stopped; a failure
 */
int vs_triple_candidates_count(struct vs_triple_candidates *c, int thread,
	const struct vs_tile_task *part, struct vs_hits *found,
	uint64_t *counted);

#endif
