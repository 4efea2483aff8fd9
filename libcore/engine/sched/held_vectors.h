/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vectors that the ranks hold for each other: the file is read once, each rank
 * reading its share, and blocks are copied from the ranks that hold them.
 */
#ifndef VS_ENGINE_SCHED_HELD_VECTORS_H
#define VS_ENGINE_SCHED_HELD_VECTORS_H

#include "libcore/engine/job.h"

struct vs_held_vectors;

/* Most vectors of a rank's share. */
uint64_t vs_held_vectors_share(const struct vs_plan *plan);

/* Memory that a rank's share takes. */
uint64_t vs_held_vectors_bytes(const struct vs_job *job);

/*
 * Read this rank's share. Collective; others may copy from it once all ranks
 * have agreed on the codes. If the network has no memory that others can reach,
 * *out is null and 0 is returned. The share stays until vs_comm_memory_end().
 */
int vs_held_vectors_begin(struct vs_held_vectors **out,
	const struct vs_job *job);
void vs_held_vectors_free(struct vs_held_vectors *h); /* null is accepted */

/*
 * Append vectors [lo, hi) to a panel, as the job's load() does, but without the
 * planes of those that can pass with none, which are marked dead. Any thread
 * may call it, several at a time.
 */
void vs_held_vectors_load(struct vs_held_vectors *h, uint64_t lo, uint64_t hi,
	struct vs_panel *p);

/* The rank that holds a vector. */
int vs_held_vectors_holder(const struct vs_held_vectors *h, uint64_t v);

/* Note how much has been copied; h may be null. */
void vs_held_vectors_note(const struct vs_held_vectors *h,
	struct vs_job_stats *stats);

#endif
