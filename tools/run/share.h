/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Default threads and memory of a rank, its share of what its machine allows,
 * and how ranks get each other's vectors.
 */
#ifndef VS_TOOLS_RUN_SHARE_H
#define VS_TOOLS_RUN_SHARE_H

#include <stdint.h>

#include "libcore/engine/job.h"
#include "tools/run/cluster.h"

/*
 * Threads: of each CPU that this rank may run on, 1 over the number of ranks
 * that may, but no more than its part of the quota of the cgroups; >= 1.
 * collective  of the ranks of a machine
 */
int vs_share_threads(void);

/*
 * Memory for what a plan counts: of the memory allowed an eighth and 24 MiB a
 * rank are left to the program itself and to the shard that is written.
 */
uint64_t vs_share_memory(void);

/*
 * Choose the ranks that have one copy of all vectors, which triples take. Of
 * ranks that are planned for, on machines that are not known, each has its own.
 * model      a cluster, or null
 * n_planned  ranks that are planned for, 0: those of vs_comm_size()
 */
void vs_share_vectors(struct vs_job *job, const struct vs_cluster *model,
	int n_planned, uint64_t n_vec);

/* Say that a job of triples is a stream, if it is, and what that may cost; it
 * had a device before it was planned. */
void vs_share_say_stream(const struct vs_job *job, bool device);

/* How ranks get each other's vectors: "ring", "fetch", "file" or, where each
 * reads the blocks of its tiles, "none". */
const char *vs_share_exchange(const struct vs_job *job,
	const struct vs_plan *plan);

/* Refuse a way that was named, null if none was, and that a plan of pairs for
 * several ranks has not. 0; VS_EUSAGE */
int vs_share_check_exchange(const struct vs_job *job,
	const struct vs_plan *plan, const char *named);

#endif
