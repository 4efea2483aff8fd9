/* SPDX-License-Identifier: BSD-3-Clause */
/* Resumption of a run from its directory: option --resume. */
#include "tools/run/resume.h"
#include "formats/results/shard_logs.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/comm.h"
#include "tools/shared/tool.h"

/* Each rank examines its part of the logs that an unfinished run has left. */
static int
recover(const char *dir, const struct vs_run *run,
	const struct vs_tile_counts *counts)
{
	const struct vs_shard_logs of = { .dir = dir,
		.generator = vs_tool_generator(),
		.run = run,
		.counts = counts,
		.part = vs_comm_rank(),
		.n_part = vs_comm_size() };
	char has = dir != NULL;
	int code;

	vs_comm_share(&has, sizeof(has));
	code = has ? vs_shard_logs_recover(&of) : 0;
	return vs_comm_agree(code);
}

int
vs_resume_scan(const char *dir, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed)
{
	uint64_t head[7] = { 0 };
	struct vs_plan plan;
	int code = sealed->look ? 0 : recover(dir, run, sealed->counts);

	if (!code && !vs_comm_rank() && dir) {
		code = vs_shard_writer_scan(dir, run, sealed);
		if (!code && sealed->done)
			code = vs_run_plan(run, &plan);
		if (!code && sealed->done)
			head[0] = vs_plan_n_tile(&plan) / 64 + 1;
		if (!code && sealed->above)
			head[3] = vs_plan_n_tile(&plan);
	}
	code = vs_comm_agree(code);
	if (code)
		return code;
	head[1] = (uint64_t)run->tile;
	head[2] = sealed->n_done;
	head[4] = sealed->n_bare;
	head[5] = (uint64_t)run->row_tiles;
	head[6] = sealed->n_record;
	vs_comm_share(head, sizeof(head));
	vs_comm_share(run->run_uuid, sizeof(run->run_uuid));
	vs_comm_share(run->order, sizeof(run->order));
	if (vs_comm_rank() && head[0])
		code = vs_mem_new(&sealed->done, head[0], 8, "list of tiles");
	if (vs_comm_rank() && head[3] && !code)
		code = vs_mem_new(&sealed->above, head[3], 8, "list of tiles");
	code = vs_comm_agree(code);
	if (code)
		return code;
	run->tile = (int64_t)head[1];
	run->row_tiles = (int64_t)head[5];
	sealed->n_done = head[2];
	sealed->n_bare = head[4];
	sealed->n_record = head[6];
	vs_comm_share(sealed->done, head[0] * 8);
	vs_comm_share(sealed->above, head[3] * 8);
	vs_comm_share(run->null_maxima, (size_t)run->permutations * 8);
	if (sealed->n_bare)
		return vs_fail(VS_EUSAGE,
			"--metric-histogram counts all values, but %llu of the "
			"%llu tiles in %s were computed without it: start "
			"again, in an empty directory",
			(unsigned long long)sealed->n_bare,
			(unsigned long long)sealed->n_done, dir);
	return 0;
}
