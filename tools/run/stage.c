/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of a run, computed separately: option --stage. */
#include <math.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/run/stage.h"

#define MOST_STAGES 10000
#define BLOCKS 16 /* for one stage; for several, by the root of their number */
#define EDGE 2048 /* longest edge of a tile, in vectors */
#define LEAST 32  /* shortest */
#define MOST_BLOCKS 1024 /* for triples: half a million tiles can be listed */
#define MOST 4e10        /* comparisons per tile; a core does 1e10 per second */

int
vs_stage_choose(const char *text, struct vs_run *run)
{
	int64_t k = 1, n = 1;

	if (text && !vs_num_part(text, MOST_STAGES, &k, &n))
		return vs_fail(VS_EUSAGE,
			"--stage %s: expected K/N, such as 2/5, with N up to "
			"%d",
			text, MOST_STAGES);
	run->n_stages = (int32_t)n;
	run->stage_begin = (int32_t)k - 1;
	run->stage_end = (int32_t)k;
	return 0;
}

int
vs_stage_chromosomes(struct vs_run *run)
{
	return vs_run_cuts_chromosomes(run)
		? vs_chromosomes_find(&run->chromosomes, &run->wanted)
		: 0;
}

/* Stages whose tiles have no wanted pair have as many of the others. */
static double
tiles_a_wanted(const struct vs_run *run)
{
	const struct vs_between of =
		vs_wanted_parts(&run->wanted, (uint64_t)run->n_vectors);
	const double n = (double)of.n_both,
		     all = n * (n - 1) / 2 +
		(double)of.n_first * (double)(of.n_both + of.n_second) +
		(double)of.n_both * (double)of.n_second;

	return run->chromosomes.n ? all / fmax((double)run->filtered_pairs, 1)
				  : 1;
}

int64_t
vs_stage_tile(const struct vs_run *run, int64_t most)
{
	const struct vs_between of =
		vs_wanted_parts(&run->wanted, (uint64_t)run->n_vectors);
	double n_vec = (double)(vs_plan_extent(&of) + of.n_rest);
	/* each pair of a tile is in as many triples as there are vectors */
	bool triples = run->n_way == 3;
	double work = (double)run->n_fields * (triples ? n_vec : 1);
	double least =
		ceil(n_vec / (triples ? MOST_BLOCKS : VS_PLAN_MOST_BLOCKS));
	double edge = fmin(EDGE, sqrt(MOST / fmax(work, 1)));
	double n_block;

	edge = fmax(fmax(edge, least), LEAST);
	n_block = fmin(ceil(BLOCKS * sqrt(run->n_stages * tiles_a_wanted(run))),
		VS_PLAN_MOST_BLOCKS);
	n_block = fmax(n_block, ceil(n_vec / edge));
	if (run->n_stages == 1)
		return 0;
	if (most)
		return (int64_t)fmin((double)most, edge);
	return (int64_t)fmax(ceil(n_vec / n_block), LEAST);
}

int
vs_stage_leave(const struct vs_run *run, const struct vs_plan *plan,
	uint64_t **done)
{
	uint64_t words = vs_plan_n_tile(plan) / 64 + 1;
	struct vs_stages stages;
	int code = 0;

	if (run->n_stages == 1)
		return 0;
	code = vs_run_stages(run, plan, &stages);
	if (code)
		return code;
	if (!*done)
		code = vs_mem_new(done, words, sizeof(**done), "list of tiles");
	for (uint64_t t = 0; t < vs_plan_n_tile(plan) && !code; t++) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, t, &bi, &bj);
		if (vs_stages_of(&stages, bi, bj) != run->stage_begin)
			vs_plan_mark(plan, *done, bi, bj);
	}
	vs_stages_free(&stages);
	return code;
}

uint64_t
vs_stage_rest(const struct vs_plan *plan, const uint64_t *done)
{
	uint64_t n = vs_plan_n_tile(plan), n_done = 0;

	for (uint64_t t = 0; t < n; t++)
		n_done += vs_plan_is_done(done, t);
	return n - n_done;
}

int
vs_stage_job(struct vs_run *run, int64_t tile, bool ring,
	struct vs_stages *stages, struct vs_job *job)
{
	const int n_rank = vs_job_ranks(job);
	struct vs_plan tiles;
	int code;

	if (run->n_stages == 1 || run->n_way == 3)
		return 0;
	run->tile = tile;
	code = vs_run_plan(run, &tiles);
	if (code)
		return code;
	code = vs_run_stages(run, &tiles, stages);
	if (code)
		return code;
	stages->at = run->stage_begin;
	job->stages = stages;
	if (n_rank == 1 || (ring && n_rank <= VS_PLAN_MOST_RING))
		job->no_hold = true;
	return 0;
}
