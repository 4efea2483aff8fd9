/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatch between runs over pairs and runs over triples. */
#ifndef VS_TOOLS_RUN_RUN_KIND_H
#define VS_TOOLS_RUN_RUN_KIND_H

#include "libcore/engine/sched/pair_run.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/engine/triple/triple_run.h"

struct vs_run_kind {
	int n;                /* vectors in a combination: 2 or 3 */
	bool has_cells;       /* a value for each choice of alleles, or one */
	const char *what;     /* "pairs" */
	uint64_t memory;      /* what it was planned with */
	struct vs_plan *plan; /* for triples, while it may still change */
	struct vs_triple_run *triples;
	struct vs_thread_pool pool; /* for pairs */
	bool idle;                  /* likewise: all tiles are done */
};

void vs_run_kind_set(struct vs_run_kind *w, int n, bool has_cells);

/* Values per combination. */
static inline int
vs_run_kind_cells(const struct vs_run_kind *w)
{
	return w->has_cells ? 1 << w->n : 1;
}

/* Plan the run: vs_pair_run_plan(), or vs_triple_run_plan(), which ignores
 * unit. */
int vs_run_kind_plan(struct vs_run_kind *w, struct vs_job *job,
	struct vs_plan *plan, struct vs_plan *unit, uint64_t n_vec,
	int64_t tile, uint64_t memory);

/* Number of all combinations; memory of a rank. */
uint64_t vs_run_kind_all(const struct vs_run_kind *w,
	const struct vs_plan *plan);
uint64_t vs_run_kind_bytes(const struct vs_run_kind *w,
	const struct vs_job *job);

/* Number of values in the tiles done, a bit each; null: none. */
vs_wide vs_run_kind_values(const struct vs_run_kind *w,
	const struct vs_plan *plan, const uint64_t *done);

/* The fewest and the most combinations that a rank counts in unfinished tiles,
 * before bounds exclude any. 0; VS_EMACHINE */
int vs_run_kind_shares(const struct vs_run_kind *w, const struct vs_job *job,
	uint64_t *least, uint64_t *most);

/* Name of the backend and kernel, as far as known. */
void vs_run_kind_describe(const struct vs_run_kind *w, const struct vs_job *job,
	char *text, size_t room);

/*
 * Prepare the run and name the backend; see vs_triple_run_new(), collective.
 * Where the job's device is dispensable and cannot be opened the job has none
 * from now on.
 * load  combinations that this rank has to do; of pairs, where all tiles are
 *       done, 0, and vs_run_kind_run() then does nothing
 */
int vs_run_kind_begin(struct vs_run_kind *w, struct vs_job *job,
	struct vs_job_stats *stats, char *text, size_t room, uint64_t *load);

/* Compute: vs_pair_run() or vs_triple_run_all(). */
int vs_run_kind_run(struct vs_run_kind *w, struct vs_job_stats *stats);
/*
 * True if this unfinished tile belongs to this rank, after a run over triples
 * has begun.
 */
bool vs_run_kind_has(const struct vs_run_kind *w, int64_t bi, int64_t bj);

void vs_run_kind_end(struct vs_run_kind *w);

#endif
