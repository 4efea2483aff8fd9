/* SPDX-License-Identifier: BSD-3-Clause */
/* Searches of permuted data for a run, saved at intervals. */
#include <math.h>
#include <unistd.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/plan/comm.h"
#include "tools/run/permutations.h"
#include "tools/shared/tool.h"

#define STOPPED                                                             \
	"stopped by a signal; %lld of %lld permutations are sealed in %s, " \
	"and --resume continues"

/* Whether permutation k, from 0, is to be searched by this stage. */
static bool
is_open(const struct vs_run *run, int64_t k)
{
	return k % run->n_stages == run->stage_begin &&
		isnan(run->null_maxima[k]);
}

static int64_t
count(const struct vs_run *run, bool done)
{
	int64_t n = 0;

	for (int64_t k = 0; k < run->permutations; k++)
		n += done ? !isnan(run->null_maxima[k]) : is_open(run, k);
	return n;
}

/* Seal a shard without tiles in place of the one before it. */
static int
save(struct vs_permutations *p)
{
	struct vs_shard_writer_plan to = *p->to;
	struct vs_shard_writer *w = NULL;
	int code;

	to.n_thread = 1;
	to.aside = to.same = true;
	to.counts = NULL;
	code = vs_shard_writer_new(&w, &to, p->run);
	if (!code)
		code = vs_shard_writer_settle(w);
	vs_shard_writer_abandon(w);
	if (!code)
		p->n_sealed = count(p->run, true);
	return code;
}

static int
search_all(struct vs_permutations *p, struct vs_tool_progress *progress)
{
	struct vs_run *run = p->run;
	double best, saved = vs_clock();
	bool speaker;
	int64_t n = 0;
	int code = 0;

	for (int64_t k = 0; k < run->permutations && !code; k++) {
		if (!is_open(run, k))
			continue;
		code = vs_permute_test_search(&p->test, (uint64_t)k + 1, &best);
		if (code)
			break;
		run->null_maxima[k] =
			vs_strength_of_threshold(vs_run_strong(run), best);
		vs_tool_progress_step(progress, (double)++n, NULL);
		if (!vs_comm_rank() &&
			vs_clock() - saved >= p->to->commit_seconds) {
			code = save(p);
			saved = vs_clock();
		}
		code = vs_comm_agree(code, &speaker);
	}
	return code;
}

int
vs_permutations_search(struct vs_permutations *p)
{
	const int64_t open = count(p->run, false);
	struct vs_tool_progress progress = { 0 };
	bool speaker;
	int code = vs_permute_test_check(&p->test, "--permutations");

	if (code || !open)
		return code;
	if (p->test.pairs->device)
		vs_tool_warn("--permutations: the CPU alone searches the %lld "
			     "permuted data sets, the device the data",
			(long long)open);
	p->n_sealed = count(p->run, true);
	/* the present search is abandoned; what was found is sealed */
	vs_tool_phase(VS_PHASE_WORK);
	vs_tool_progress_begin(&progress, "permutations", (double)open);
	code = search_all(p, &progress);
	vs_tool_phase(code == VS_DONE ? VS_PHASE_SAVE : VS_PHASE_EARLY);
	vs_tool_progress_end(&progress);
	if (code != VS_DONE)
		return code;
	code = vs_comm_rank() ? 0 : save(p);
	code = vs_comm_agree(code, &speaker);
	if (code)
		return code;
	return vs_tool_is_step()
		? vs_fail(VS_EMACHINE, "stopped by a signal")
		: vs_fail(VS_EMACHINE, STOPPED, (long long)count(p->run, true),
			  (long long)p->run->permutations, p->to->dir);
}

bool
vs_permutations_say(const struct vs_permutations *p)
{
	if (!p->n_sealed)
		return false;
	vs_tool_line(STOPPED, (long long)p->n_sealed,
		(long long)p->run->permutations, p->to->dir);
	return true;
}

void
vs_permutations_end(const struct vs_permutations *p)
{
	struct vs_text path = { 0 };

	if (p->to && p->to->dir && !vs_comm_rank() &&
		!vs_shard_writer_aside(p->to, &path))
		unlink(path.bytes);
	vs_text_free(&path);
}
