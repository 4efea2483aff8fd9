/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/shared/resume.h"
#include "formats/segments.h"
#include "libcore/base/mem.h"
#include "libcore/plan/comm.h"

int
vs_resume_look(const char *dir, struct vs_run *run, uint64_t **done,
	uint64_t *n_done, double **above)
{
	uint64_t head[4] = { 0 };
	struct vs_plan plan;
	bool speaker;
	int code = 0;

	if (!vs_comm_rank() && dir) {
		code = vs_segments_scan(dir, run, done, n_done, above);
		if (!code && *done)
			code = vs_run_plan(run, &plan);
		if (!code && *done)
			head[0] = vs_plan_n_tile(&plan) / 64 + 1;
		if (!code && *above)
			head[3] = vs_plan_n_tile(&plan);
	}
	code = vs_comm_agree(code, &speaker);
	if (code)
		return code;
	head[1] = (uint64_t)run->tile;
	head[2] = *n_done;
	vs_comm_share(head, sizeof(head));
	vs_comm_share(run->run_uuid, sizeof(run->run_uuid));
	if (vs_comm_rank() && head[0])
		code = vs_new(done, head[0], 8, "list of tiles");
	if (vs_comm_rank() && head[3] && !code)
		code = vs_new(above, head[3], 8, "list of tiles");
	code = vs_comm_agree(code, &speaker);
	if (code)
		return code;
	run->tile = (int64_t)head[1];
	*n_done = head[2];
	vs_comm_share(*done, head[0] * 8);
	vs_comm_share(*above, head[3] * 8);
	return 0;
}
