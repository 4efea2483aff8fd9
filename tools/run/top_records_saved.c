/* SPDX-License-Identifier: BSD-3-Clause */
/* Saved state of --top: shards from which a run resumes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/results/result_seen.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/comm.h"
#include "tools/run/top_records_inner.h"
#include "tools/shared/tool.h"

/* Remove what was saved or loaded, once all of it is sealed elsewhere. */
static void
forget(struct vs_top_records *s)
{
	for (size_t k = 0; k < s->old.n; k++)
		unlink(vs_text_pool_string(&s->old, k));
	vs_text_pool_free(&s->old);
}

static int
add_tile(void *ctx, const struct vs_tile_done *tile)
{
	return vs_record_sink_add(ctx, tile);
}

/* Write those tiles into a shard, and add its path to the list. */
static int
save_some(struct vs_top_records *s, const double *above,
	const struct vs_top_records_place *to, struct vs_text_pool *saved)
{
	struct vs_record_sink h = { 0 };
	struct vs_shard_writer_plan one = *to->to;
	struct vs_run of = *to->run;
	const char *path;
	size_t n;
	int code;

	if (above)
		vs_shard_writer_set_above(&of, *above);
	n = strlen(of.selection);
	snprintf(of.selection + n, sizeof(of.selection) - n, "%s",
		VS_SHARD_WRITER_UNFINISHED);
	/* sealed all at once */
	one.commit_seconds = INFINITY;
	one.aside = true;
	code = vs_record_sink_begin(&h, &one, &of);
	if (!code)
		code = vs_top_records_give_tiles(s, above, to->plan, to->place,
			add_tile, &h);
	if (!code)
		code = vs_shard_writer_settle(h.shards);
	path = code ? NULL : vs_shard_writer_path(h.shards);
	if (path)
		code = vs_text_pool_add(saved, path, strlen(path) + 1);
	vs_record_sink_abandon(&h);
	return code;
}

/* The greatest number below `below` above which tiles are searched. */
static bool
next_above(const struct vs_top_records *s, double below, double *above)
{
	*above = -INFINITY;
	for (size_t k = 0; k < s->n_tile; k++)
		if (!s->tile[k].last && s->tile[k].above < below)
			*above = fmax(*above, s->tile[k].above);
	return *above > -INFINITY;
}

static int
save(struct vs_top_records *s, const struct vs_top_records_place *to,
	struct vs_text_pool *saved)
{
	bool whole = false;
	double above = INFINITY;
	int code = 0;

	vs_strongest_trim(&s->best);
	vs_top_records_sort_tiles(s);
	for (size_t k = 0; k < s->n_tile && !whole; k++)
		whole = s->tile[k].last;
	if (whole)
		code = save_some(s, NULL, to, saved);
	while (!code && next_above(s, above, &above))
		code = save_some(s, &above, to, saved);
	return code;
}

int
vs_top_records_save(struct vs_top_records *s,
	const struct vs_top_records_place *to)
{
	struct vs_text_pool saved = { 0 };
	int code;

	s->saved = vs_clock();
	if (!s->n_tile)
		return 0;
	code = save(s, to, &saved);
	/* the new file has everything that the others have */
	if (!code) {
		forget(s);
		s->old = saved;
	} else {
		vs_text_pool_free(&saved);
	}
	s->saved = vs_clock();
	return code;
}

bool
vs_top_records_is_due(const struct vs_top_records *s, double seconds)
{
	return vs_clock() - s->saved >= seconds;
}

/* A tile and its records. */
static int
load_tile(struct vs_top_records *s, struct vs_result *r,
	const struct vs_tile_row *row, const double *above)
{
	struct vs_tile_done tile = { .bi = row->bi,
		.bj = row->bj,
		.n = (size_t)row->count,
		.last = !above,
		.searched = above,
		.above = above ? *above : 0,
		.evaluated = (uint64_t)row->evaluated,
		.seconds = row->seconds };
	struct vs_record *rec = NULL;
	int code = vs_mem_room(&rec, tile.n, sizeof(*rec), "records");

	if (!code)
		code = vs_result_read(r, (uint64_t)row->first,
			(uint64_t)(row->first + row->count), rec);
	tile.rec = rec;
	if (!code)
		code = vs_top_records_add(s, &tile);
	free(rec);
	return code;
}

/* A rank takes the complete tiles of its files, and of the others those that it
 * resumes. */
static int
load_file(struct vs_top_records *s, const char *path,
	const struct vs_run_kind *way, bool own, bool *begun)
{
	struct vs_tile_row *row = NULL;
	struct vs_result *r = NULL;
	double above;
	size_t n = 0;
	bool is_begun = false, has;
	int code = vs_result_open_tiles(&r, path, VS_H5_OURS | VS_H5_TRUSTED,
		&row, &n);

	if (!code)
		code = vs_result_watch(r, false);
	if (!code)
		is_begun = vs_shard_writer_above(&r->run, &above);
	if (!code && own && !is_begun && s->counts.count)
		code = vs_tile_counts_add_file(&s->counts, r->file, &has);
	for (size_t k = 0; k < n && !code; k++)
		if (is_begun ? vs_run_kind_has(way, row[k].bi, row[k].bj) : own)
			code = load_tile(s, r, &row[k],
				is_begun ? &above : NULL);
	if (!code)
		code = vs_result_seen_check(r);
	*begun |= is_begun;
	free(row);
	vs_result_close(r);
	return code;
}

static int
load_files(struct vs_top_records *s, const char *dir,
	const struct vs_run_kind *way, bool *begun)
{
	struct vs_text_pool all = { 0 };
	size_t rank = (size_t)vs_comm_rank(), size = (size_t)vs_comm_size();
	int code = vs_run_shards(dir, &all);

	for (size_t k = 0; k < all.n && !code; k++) {
		const char *path = vs_text_pool_string(&all, k);
		bool own = k % size == rank;

		code = load_file(s, path, way, own, begun);
		if (!code && own)
			code = vs_text_pool_add(&s->old, path,
				strlen(path) + 1);
	}
	vs_text_pool_free(&all);
	return code;
}

int
vs_top_records_load(struct vs_top_records *s,
	const struct vs_top_records_place *to, const struct vs_run_kind *way)
{
	struct vs_text_pool saved = { 0 };
	bool speaker, begun = false;
	int code = load_files(s, to->to->dir, way, &begun);

	code = vs_comm_agree(code, &speaker);
	if (code || !begun)
		return code;
	vs_tool_say("tiles that were searched above a threshold are gone on "
		    "with below it");
	/* a file with tiles of several ranks stays until all have theirs in
	 * files of their own */
	code = vs_comm_agree(save(s, to, &saved), &speaker);
	if (!code) {
		forget(s);
		s->old = saved;
	} else {
		vs_text_pool_free(&saved);
	}
	return code;
}

int
vs_top_records_finish(struct vs_top_records *s,
	const struct vs_top_records_place *to, struct vs_record_sink *h,
	int code)
{
	uint64_t stopped = code != 0;
	bool speaker;

	if (code == VS_DONE && !h->table) {
		vs_tool_phase(VS_PHASE_SAVE);
		code = vs_top_records_save(s, to);
		vs_tool_phase(VS_PHASE_LATE);
		code = code ? code : VS_DONE;
	}
	vs_comm_sum_u64(&stopped, 1);
	/* unfinished runs are resumed */
	if (stopped && !code) {
		code = h->table ? 0 : vs_top_records_save(s, to);
		code = code ? code : VS_DONE;
	}
	if (code)
		return code;
	code = vs_top_records_give(s, to->plan, to->place, add_tile, h);
	/* saved files are removed after all ranks have sealed their shards */
	if (!code && !h->table)
		code = vs_shard_writer_settle(h->shards);
	code = vs_comm_agree(code, &speaker);
	if (!code)
		forget(s);
	return vs_comm_agree(code, &speaker) ? VS_EMACHINE : 0;
}
