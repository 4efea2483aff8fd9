/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads and memory of a rank, and how ranks exchange vectors. */
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/limits.h"
#include "libcore/engine/triple/triple_run.h"
#include "libcore/plan/comm.h"
#include "tools/run/share.h"
#include "tools/shared/tool.h"

#define MOST_CPUS 4096
#define PROGRAM_BYTES ((uint64_t)24 << 20)

int
vs_share_threads(void)
{
	static uint64_t mine[MOST_CPUS], all[MOST_CPUS];
	int rank, n_rank, quota = vs_limits_quota(""), threads;
	double share = 1e-9; /* three thirds may not add up to one */

	vs_comm_local(&rank, &n_rank);
	vs_limits_affinity(mine, MOST_CPUS);
	for (int c = 0; c < MOST_CPUS; c++)
		all[c] = mine[c];
	vs_comm_local_sum_u64(all, MOST_CPUS);
	for (int c = 0; c < MOST_CPUS; c++)
		share += mine[c] ? 1 / (double)all[c] : 0;
	threads = (int)share;
	if (threads > quota / n_rank)
		threads = quota / n_rank;
	return threads < 1 ? 1 : threads;
}

uint64_t
vs_share_memory(void)
{
	static uint64_t most; /* looked up once: it takes a hundred calls */
	uint64_t all;
	int rank, n_rank;

	most = most ? most : vs_limits_memory("");
	vs_comm_local(&rank, &n_rank);
	all = (most - most / 8) / (uint64_t)n_rank;
	return all > 2 * PROGRAM_BYTES ? all - PROGRAM_BYTES : all / 2;
}

void
vs_share_vectors(struct vs_job *job, const struct vs_cluster *model,
	int n_planned, uint64_t n_vec)
{
	const int n_rank = n_planned ? n_planned : vs_comm_size();
	int at, of;

	if (model)
		job->n_share = vs_cluster_ranks(model, n_rank);
	else if (!n_planned)
		vs_triple_run_share(job, n_vec);
	vs_comm_local(&at, &of);
	if (of > 1 && job->n_share == 1)
		vs_tool_say("the ranks of this machine cannot share memory: "
			    "each has a copy of all vectors");
}

void
vs_share_say_stream(const struct vs_job *job, bool device)
{
	unsigned long long whole;

	if (!job->stream)
		return;
	whole = (vs_triple_run_whole_bytes(job) >> 20) + 1;
	vs_tool_say(
		"vectors are read in groups: %llu MB of memory would hold all",
		whole);
	if (device)
		vs_tool_warn("no device computes triples of vectors that are "
			     "read in groups: --memory %lluM or more holds "
			     "all",
			whole);
	else if (vs_triple_run_lacks_candidates(job))
		vs_tool_warn("all triples are counted: candidates, which may "
			     "take less time, need more memory, --memory "
			     "%lluM holds all vectors beside them",
			whole);
}

const char *
vs_share_exchange(const struct vs_job *job, const struct vs_plan *plan)
{
	return job->hold        ? "fetch"
		: plan->by_path ? "file"
		: job->stream   ? "none"
				: "ring";
}

int
vs_share_check_exchange(const struct vs_job *job, const struct vs_plan *plan,
	const char *named)
{
	return named && plan->n_rank > 1 &&
			strcmp(named, vs_share_exchange(job, plan)) != 0
		? vs_fail(VS_EUSAGE,
			  "--exchange %s: not possible with this memory, "
			  "number of ranks or stage; leave it out, or give "
			  "more --memory",
			  named)
		: 0;
}
