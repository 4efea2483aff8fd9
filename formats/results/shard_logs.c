/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs that unfinished ranks have left in a run directory. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/h5/seal.h"
#include "formats/results/shard_log.h"
#include "formats/results/shard_logs.h"
#include "formats/results/shard_names.h"
#include "libcore/base/fail.h"

static bool
has_shard(const char *log)
{
	char *shard = NULL;
	bool has = !vs_shard_log_shard(log, &shard) && !access(shard, F_OK);

	free(shard);
	return has;
}

/* ---- before a run resumes ---- */

static int
drop(const char *path)
{
	return unlink(path) && errno != ENOENT
		? vs_fail_errno(VS_EMACHINE, "%s: cannot remove", path)
		: 0;
}

/* True if this rank can continue it: its tiles use the same counters, or
 * none. */
static bool
is_own(const struct vs_shard_logs *of, const struct vs_shard_log *l)
{
	static const struct vs_tile_counts none;
	const struct vs_shard_log_state s = vs_shard_log_state(l);
	const struct vs_run *run = &s.head->run;

	return run->shard == of->part &&
		run->stage_begin == of->run->stage_begin &&
		run->stage_end == of->run->stage_end &&
		vs_tile_counts_alike(of->counts ? of->counts : &none, s.counts);
}

/* found    set if the log that this rank continues was found, now or before */
static int
recover(const struct vs_shard_logs *of, const char *path, bool *found)
{
	struct vs_shard_log *l = NULL;
	int code = has_shard(path) ? drop(path) : vs_shard_log_open(&l, path);

	if (code || !l)
		return code;
	/* records selected so far are in shards, too */
	if (vs_shard_log_is_empty(l) ||
		*vs_shard_log_state(l).head->run.selection) {
		code = drop(path);
	} else if (!*found && is_own(of, l)) {
		*found = true;
	} else {
		code = vs_shard_log_each(l, NULL, NULL);
		if (!code)
			code = vs_shard_log_seal(l, of->generator, NULL);
	}
	vs_shard_log_close(l);
	return code;
}

/* List the logs; refuse what an earlier version left. */
static int
list_logs(const char *dir, struct vs_text_pool *files)
{
	struct vs_text_pool left = { 0 };
	int code = vs_run_shards_temporaries(dir, &left);

	for (size_t k = 0; k < left.n && !code; k++)
		if (vs_seal_has_checkpoint(vs_text_pool_string(&left, k)))
			code = vs_fail(VS_EINPUT,
				"%s: was left by an earlier version of "
				"vsim-run: finish the run with that one, or "
				"remove the file to repeat its part",
				vs_text_pool_string(&left, k));
	vs_text_pool_free(&left);
	return code ? code : vs_run_shards_logs(dir, files);
}

int
vs_shard_logs_recover(const struct vs_shard_logs *of)
{
	struct vs_text_pool files = { 0 };
	bool found = false, segment;
	int code = list_logs(of->dir, &files);

	for (size_t k = 0; k < files.n && !code; k++) {
		const char *path = vs_text_pool_string(&files, k);
		int rank = vs_shard_names_rank(path, &segment);

		if (rank >= 0 && rank % of->n_part == of->part)
			code = recover(of, path, &found);
	}
	vs_text_pool_free(&files);
	return code;
}

/* ---- one shard from all logs ---- */

struct gathering {
	struct vs_shard_log *first; /* gives run and provenance */
	struct vs_result_writer *writer;
	uint64_t n_records;
	struct vs_digest_sum source_sum;
	struct vs_tile_counts counts;
};

static int
add_records(void *ctx, const struct vs_record *rec, size_t n)
{
	struct gathering *g = ctx;

	return vs_result_add(g->writer, rec, n);
}

static int
add_log(struct gathering *g, struct vs_shard_log *l)
{
	const struct vs_shard_log_state s = vs_shard_log_state(l);
	struct vs_counted list[2];
	int code;

	if (!vs_tile_counts_alike(&g->counts, s.counts))
		return vs_fail(VS_EINPUT,
			"%s: has another histogram than %s; vsim-run --resume "
			"makes shards of both",
			s.path, vs_shard_log_state(g->first).path);
	code = vs_shard_log_each(l, add_records, g);
	for (size_t k = 0; k < s.n_tile && !code; k++) {
		struct vs_tile_row tile = s.tile[k];

		tile.first += (int64_t)g->n_records;
		code = vs_result_tile(g->writer, &tile);
	}
	g->n_records += s.n_records;
	vs_digest_sum_add(&g->source_sum, &s.source_sum);
	vs_tile_counts_add(&g->counts, vs_tile_counts_all(s.counts, list));
	return code;
}

static int
begin(struct gathering *g, struct vs_shard_log *l,
	const struct vs_result_plan *plan)
{
	const struct vs_shard_log_state s = vs_shard_log_state(l);
	struct vs_run run = s.head->run;
	int code;

	/* other logs may have tiles of any stage */
	run.stage_begin = 0;
	run.stage_end = run.n_stages;
	g->first = l;
	code = vs_result_create(&g->writer, plan, &run);
	return code ? code : vs_tile_counts_like(&g->counts, s.counts);
}

static int
gather(struct gathering *g, const char *path, struct vs_result_plan *plan)
{
	struct vs_shard_log *l = NULL;
	int code = has_shard(path) ? 0 : vs_shard_log_open(&l, path);

	if (code == VS_EINPUT && access(path, F_OK)) {
		vs_fail_clear(); /* sealed since it was listed */
		code = 0;
	}
	if (code || !l)
		return code;
	if (!vs_shard_log_is_empty(l) &&
		!*vs_shard_log_state(l).head->run.selection) {
		plan->codec = vs_shard_log_state(l).codec;
		if (!g->first)
			code = begin(g, l, plan);
		if (!code)
			code = add_log(g, l);
	}
	if (l != g->first)
		vs_shard_log_close(l);
	return code;
}

/* Seal it with the provenance of the first log. */
static int
finish(struct gathering *g)
{
	struct vs_provenance provenance = { 0 };
	struct vs_result_end end = { .provenance = &provenance,
		.source_sum = &g->source_sum,
		.counts = &g->counts };
	int code = vs_provenance_read(&provenance,
		vs_shard_log_state(g->first).head->file);

	if (!code) {
		code = vs_result_finish(g->writer, &end, NULL);
		g->writer = NULL;
	}
	vs_provenance_free(&provenance);
	return code;
}

int
vs_shard_logs_gather(const char *dir, const char *path, const char *generator,
	bool *made)
{
	struct vs_result_plan plan = { .path = path,
		.kind = VS_KIND_SHARD,
		.generator = generator,
		.force = true };
	struct vs_text_pool files = { 0 };
	struct gathering g = { 0 };
	int code = list_logs(dir, &files);

	for (size_t k = 0; k < files.n && !code; k++)
		code = gather(&g, vs_text_pool_string(&files, k), &plan);
	*made = !code && g.first;
	if (*made)
		code = finish(&g);
	vs_result_abandon(g.writer);
	vs_tile_counts_free(&g.counts);
	vs_shard_log_close(g.first);
	vs_text_pool_free(&files);
	return code;
}
