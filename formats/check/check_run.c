/* SPDX-License-Identifier: BSD-3-Clause */
/* Completeness check of a run: each of its tiles is in exactly one shard. */
#include <stdlib.h>
#include <string.h>

#include "formats/check/check.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* Note the tiles of shard s in owner[], 1-based, and its stages: a shard of
 * several stages may have some of those between its first and its last. */
static int
claim(struct vs_result *const *shards, size_t s, const struct vs_plan *plan,
	uint32_t *owner, bool *stage, uint64_t *n_tile)
{
	const char *path = vs_h5_reader_path(shards[s]->file);
	const struct vs_run *run = &shards[s]->run;
	struct vs_tile_row *tile = NULL;
	size_t n = 0;
	int code = vs_result_tiles(shards[s], &tile, &n);

	for (size_t k = 0; !code && k < n; k++) {
		const struct vs_tile_row *t = &tile[k];
		uint32_t *mine =
			&owner[vs_plan_number_unordered(plan, t->bi, t->bj)];

		if (*mine)
			code = vs_fail(VS_ENO, "%s: tile %d %d is in %s too",
				path, t->bi, t->bj,
				vs_h5_reader_path(shards[*mine - 1]->file));
		else if (t->phase < run->phase_begin ||
			t->phase >= run->phase_end ||
			t->stage < run->stage_begin ||
			t->stage >= run->stage_end)
			code = vs_fail(VS_ENO,
				"%s: tile %d %d belongs to phase %d stage %d, "
				"which are not the run's",
				path, t->bi, t->bj, t->phase, t->stage);
		*mine = (uint32_t)s + 1;
		if (!code)
			stage[t->stage] = true;
	}
	if (!code && run->stage_end == run->stage_begin + 1)
		stage[run->stage_begin] = true;
	*n_tile += n;
	free(tile);
	return code;
}

/* Check that every tile of the stages present was found. */
static int
check_stages(const struct vs_plan *plan, const struct vs_run *run,
	const uint32_t *owner, const bool *stage)
{
	struct vs_stages stages;
	uint64_t missing = 0, all = 0;
	int64_t bi, bj, first[2] = { 0 };
	int code;

	code = vs_run_stages(run, plan, &stages);
	if (code)
		return code;
	for (uint64_t t = 0; t < vs_plan_n_tile(plan); t++) {
		vs_plan_tile_of(plan, t, &bi, &bj);
		if (!stage[vs_stages_of(&stages, bi, bj)])
			continue;
		all++;
		if (owner[t] || missing++)
			continue;
		first[0] = bi;
		first[1] = bj;
	}
	vs_stages_free(&stages);
	if (!missing)
		return 0;
	return vs_fail(VS_ENO,
		"tile %lld %lld is in no shard; %llu of %llu tiles are missing",
		(long long)first[0], (long long)first[1],
		(unsigned long long)missing, (unsigned long long)all);
}

int
vs_check_run(struct vs_result *const *shards, size_t n, uint64_t *n_tile)
{
	const struct vs_run *run = &shards[0]->run;
	const char *why, *first = vs_h5_reader_path(shards[0]->file);
	struct vs_plan plan;
	uint64_t found = 0;
	uint32_t *owner = NULL;
	bool *stage = NULL;
	int code = 0;

	for (size_t s = 0; s < n; s++) {
		why = vs_run_differs(run, &shards[s]->run);
		if (why)
			return vs_fail(VS_ENO, "%s and %s: %s", first,
				vs_h5_reader_path(shards[s]->file), why);
	}
	if (run->n_stages < 1)
		return vs_fail(VS_ENO, "%s: %d stages", first, run->n_stages);
	code = vs_run_plan(run, &plan);
	VS_MEM_NEW(&code, owner, vs_plan_n_tile(&plan), "list of tiles");
	VS_MEM_NEW(&code, stage, (size_t)run->n_stages, "list of stages");
	for (size_t s = 0; s < n && !code; s++)
		code = claim(shards, s, &plan, owner, stage, &found);
	/* only the plan knows the tiles for some of the phases */
	if (!code && found < vs_plan_n_tile(&plan) && run->phase_begin == 0 &&
		run->phase_end == run->n_phases)
		code = check_stages(&plan, run, owner, stage);
	*n_tile = found;
	free(owner);
	free(stage);
	return code;
}

int
vs_check_structure_packed(struct vs_packed *p)
{
	return vs_h5_reader_check(p->file, &vs_packed_content, NULL);
}

int
vs_check_structure_result(struct vs_result *r)
{
	return vs_h5_reader_check(r->file,
		r->kind == VS_KIND_MERGED ? &vs_merged_content
					  : &vs_shard_content,
		NULL);
}
