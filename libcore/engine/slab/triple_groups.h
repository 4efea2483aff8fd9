/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LRU cache of groups of vectors, for triples of more vectors than memory
 * holds. A group is some consecutive blocks of the plan. Each has its place in
 * arrays of all vectors, which are only partly in memory, so that vectors keep
 * their numbers whether loaded or not.
 */
#ifndef VS_ENGINE_SLAB_TRIPLE_GROUPS_H
#define VS_ENGINE_SLAB_TRIPLE_GROUPS_H

#include "libcore/engine/job.h"
#include "libcore/engine/slab/triple_data.h"

/* Groups that a tile needs at a time: of its first, second and third
 * vectors. */
#define VS_TRIPLE_GROUPS_LEAST 3

struct vs_triple_groups {
	const struct vs_job *job;
	struct vs_triple_data *data; /* the streamed data */
	bool in_order;               /* vectors stay as read, for candidates */
	int64_t blocks;              /* vectors of a group */
	int64_t n;
	int64_t most, n_there; /* groups that fit in memory */
	uint64_t *used; /* of each, when it was last needed; 0: not loaded */
	uint64_t clock;
};

/*
 * Groups of the blocks of the job's plan.
 * room     bytes for rows of vectors, vs_triple_data_row_bytes(), at least
 *          three blocks
 * returns  0; VS_EMACHINE
 */
int vs_triple_groups_open(struct vs_triple_groups *g, const struct vs_job *job,
	struct vs_triple_data *data, uint64_t room);

/* Release the memory of all groups; the data remain. Zeroed is accepted. */
void vs_triple_groups_close(struct vs_triple_groups *g);

static inline int64_t
vs_triple_groups_of(const struct vs_triple_groups *g, int64_t block)
{
	return block / g->blocks;
}

/* The group of vector v. */
static inline int64_t
vs_triple_groups_at(const struct vs_triple_groups *g, size_t v)
{
	return vs_triple_groups_of(g, vs_plan_find(g->job->plan, v));
}

/* The vectors of a group. */
void vs_triple_groups_vectors(const struct vs_triple_groups *g, int64_t group,
	size_t *lo, size_t *hi);

/* Number of groups of third vectors that fit in memory with those of the first
 * and second ones. */
static inline int64_t
vs_triple_groups_thirds(const struct vs_triple_groups *g)
{
	return g->most - (VS_TRIPLE_GROUPS_LEAST - 1);
}

/*
 * Load groups u, v and [lo, hi), which may overlap; evict others if memory is
 * short. No vector may be in use during the call.
 * returns  0; what the job's load() returns; VS_EMACHINE
 */
int vs_triple_groups_need(struct vs_triple_groups *g, int64_t u, int64_t v,
	int64_t lo, int64_t hi);

#endif
