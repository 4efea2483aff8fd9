/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Default threads and memory of a rank, its share of the machine's allowance,
 * and how ranks get each other's vectors.
 */
#ifndef VS_TOOLS_RUN_SHARE_H
#define VS_TOOLS_RUN_SHARE_H

#include <stdint.h>

#include "libcore/engine/job.h"
#include "tools/run/cluster.h"

/*
 * Threads: each CPU that this rank may use counts 1 over the number of ranks
 * that may use it; at most its part of the cgroups' quota; >= 1.
 * collective  of the ranks of a machine
 */
int vs_share_threads(void);

/*
 * Memory for what a plan counts: an eighth of the memory allowed and 24 MiB per
 * rank are left for the program itself and the shard being written.
 */
uint64_t vs_share_memory(void);

/*
 * Choose the ranks that share one copy of all vectors, for triples. Ranks that
 * are planned for, on unknown machines, each have their own.
 * model      a cluster, or null
 * n_planned  ranks that are planned for, 0: those of vs_comm_size()
 */
void vs_share_vectors(struct vs_job *job, const struct vs_cluster *model,
	int n_planned, uint64_t n_vec);

/* Report if a job of triples is a stream, and what that may cost; whether it
 * had a device before it was planned. */
void vs_share_say_stream(const struct vs_job *job, bool device);

/* How ranks get each other's vectors: "ring", "fetch", "file" or, if each reads
 * the blocks of its tiles, "none". */
const char *vs_share_exchange(const struct vs_job *job,
	const struct vs_plan *plan);

/* Refuse a method that was named, null if none was, but that a plan of pairs
 * for several ranks does not have. 0; VS_EUSAGE */
int vs_share_check_exchange(const struct vs_job *job,
	const struct vs_plan *plan, const char *named);

#endif
