/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of a run: records as text, written by bands of finished tiles. */
#include <stdlib.h>
#include <string.h>

#include "formats/results/sorter.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "tools/run/table.h"
#include "tools/shared/contingency.h"
#include "tools/shared/record_line.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/shared/undefined.h"

/* Records of one row of tiles. */
struct band {
	struct vs_record *rec;
	size_t n, room;
	uint64_t left; /* tiles still to come */
};

struct vs_table {
	const struct vs_table_want *want;
	struct vs_vector_names names;
	const struct vs_column *column[VS_COLUMNS_MOST];
	struct vs_show show;
	struct vs_writer writer;
	struct vs_out out;
	struct vs_column_cache *cache;
	struct vs_undefined undefined;
	struct vs_contingency pairs; /* genotypes, if r is shown */
	bool original, omit;         /* omit records of 0/0 */
	uint64_t n_omitted;
	/* null: all go to the sorter */
	struct band *band;
	int64_t n_band, at; /* bands before this one have been written */
	size_t n_held;      /* records in bands */
	struct band spare;  /* buffer for a band being written */
	struct band room;   /* buffer for sorting it */
	/* sorter of all unwritten records, or null */
	struct vs_sorter *sorter;
};

/* ---- columns ---- */

static int
choose_columns(const struct vs_table_want *want, const struct vs_run *run,
	const struct vs_column **column, int *n, unsigned *needs)
{
	const struct vs_writer_kind *kind = vs_writer_find(want->to);
	int code = vs_record_line_columns(run, kind, want->columns, column, n,
		needs);

	if (!code)
		code = vs_record_line_check(run, kind, *needs, "this run");
	if (code ||
		!(*needs &
			(VS_NEEDS_TABLE | VS_NEEDS_TRAIT | VS_NEEDS_REFIT |
				VS_NEEDS_NULL | VS_NEEDS_Q)))
		return code;
	return vs_fail(VS_EUSAGE,
		"--columns: tables of cases or of a trait, effects, p_family "
		"and q are shown by vsim-view, of the file of --merge");
}

int
vs_table_check(const struct vs_table_want *want, const struct vs_run *run)
{
	const struct vs_column *column[VS_COLUMNS_MOST];
	unsigned needs;
	int n, code = 0;

	if (want->path && strcmp(want->path, "-"))
		code = vs_result_io_may_write(want->path, want->force);
	return code ? code : choose_columns(want, run, column, &n, &needs);
}

/* ---- lines ---- */

static int
put(struct vs_table *t, const struct vs_record *rec, size_t n)
{
	const bool printed = vs_record_line_has_value(&t->writer);
	struct vs_value_text text[VS_RECORD_LINE_BATCH];
	struct vs_line line = { 0 };
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		if (n - k > VS_RECORD_LINE_AHEAD)
			vs_record_line_fetch(&t->names, t->cache,
				&rec[k + VS_RECORD_LINE_AHEAD]);
		if (printed && k % VS_RECORD_LINE_BATCH == 0)
			vs_value_text(rec + k,
				vs_min_size(n - k, VS_RECORD_LINE_BATCH),
				t->show.f32, text);
		line.text = printed ? &text[k % VS_RECORD_LINE_BATCH] : NULL;
		code = vs_record_line_make(&t->names, t->original, &rec[k],
			&line);
		if (!code && t->pairs.word)
			line.r = vs_contingency_r(&t->pairs, line.vec);
		if (!code && t->omit && vs_column_undefined(&t->show, &line))
			t->n_omitted++;
		else if (!code)
			t->writer.kind->line(&t->writer, &line);
		if (!code && vs_out_closed(&t->out))
			code = t->out.code;
	}
	return code;
}

/* Allocate memory for at least n records of the band. */
static int
make_room(struct band *b, size_t n)
{
	return vs_mem_grow(&b->rec, &b->room, n, sizeof(*b->rec), "records");
}

/* Write the bands that are complete, or all. */
static int
put_bands(struct vs_table *t, bool all)
{
	int code = 0;

	for (; t->at < t->n_band && !code; t->at++) {
		struct band *b = &t->band[t->at];

		if (b->left && !all)
			break;
		code = make_room(&t->room, b->n);
		if (code)
			break;
		vs_record_sort_with(b->rec, b->n, t->room.rec);
		code = put(t, b->rec, b->n);
		t->n_held -= b->n;
		free(t->spare.rec);
		t->spare = *b;
		memset(b, 0, sizeof(*b));
	}
	return code;
}

/* ---- beyond the memory ---- */

/* Pass all unwritten and all later records to the sorter. */
static int
spill(struct vs_table *t)
{
	int code = vs_sorter_new(&t->sorter, VS_BY_PLACE, t->want->path,
		t->want->memory);

	for (int64_t b = t->at; b < t->n_band; b++) {
		struct band *from = &t->band[b];

		if (!code)
			code = vs_sorter_add(t->sorter, from->rec, from->n);
		free(from->rec);
		from->rec = NULL;
		from->n = 0;
	}
	t->n_held = 0;
	return code;
}

static int
put_sorted(struct vs_table *t)
{
	struct vs_record *rec;
	size_t n = 1;
	int code = 0;

	while (!code && n) {
		code = vs_sorter_next(t->sorter, &rec, &n);
		if (!code)
			code = put(t, rec, n);
	}
	return code;
}

/* ---- */

/* Recognise 0/0, unless it is shown as 0. */
static int
find_undefined(struct vs_table *t, const struct vs_run *run,
	struct vs_packed *vectors)
{
	const char *as = t->want->undefined;

	if (!as || !strcmp(as, "0"))
		return 0;
	t->omit = !strcmp(as, "omit");
	t->show.undefined = vs_undefined_is;
	t->show.undefined_with = &t->undefined;
	return vs_undefined_of_vectors(&t->undefined, run, vectors);
}

/* A tile has pairs of a block of lower vectors. */
static int
make_bands(struct vs_table *t, const struct vs_plan *plan)
{
	int code = vs_mem_new(&t->band, (size_t)plan->n_block, sizeof(*t->band),
		"rows of tiles");

	t->n_band = code ? 0 : plan->n_block;
	for (uint64_t k = 0; k < vs_plan_n_tile(plan) && !code; k++) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, k, &bi, &bj);
		t->band[bi].left++;
	}
	return code;
}

int
vs_table_new(struct vs_table **out, const struct vs_table_want *want,
	const struct vs_run *run, struct vs_packed *vectors,
	const struct vs_plan *plan)
{
	struct vs_table *t = NULL;
	unsigned needs;
	int code = vs_mem_new(&t, 1, sizeof(*t), "table");

	if (code)
		return code;
	*out = t;
	t->want = want;
	t->out.file.fd = -1;
	vs_record_line_show(run, &t->show);
	t->show.sites = &t->names.sites;
	t->show.column = t->column;
	t->show.head = !want->no_header;
	code = choose_columns(want, run, t->column, &t->show.n_column, &needs);
	t->original = needs & (VS_NEEDS_INDEX | VS_NEEDS_SITES);
	if (!code && t->original)
		code = vs_vector_names_of_vectors(&t->names, vectors, false);
	if (!code && needs & VS_NEEDS_R)
		code = vs_contingency_of_vectors(&t->pairs, run, vectors);
	if (!code)
		code = find_undefined(t, run, vectors);
	if (!code)
		code = vs_out_open(&t->out, want->path, want->force);
	if (!code)
		code = vs_writer_begin(&t->writer, vs_writer_find(want->to),
			&t->show, &t->out);
	if (!code)
		code = vs_column_cache_new(&t->cache);
	t->writer.cache = t->cache;
	if (!code)
		code = plan ? make_bands(t, plan) : spill(t);
	return code;
}

int
vs_table_add(struct vs_table *t, const struct vs_tile_done *tile)
{
	struct band *b = t->band ? &t->band[tile->bi] : NULL;
	int code;

	if (t->sorter)
		return vs_sorter_add(t->sorter, tile->rec, tile->n);
	if (!b->rec && tile->n) {
		b->rec = t->spare.rec;
		b->room = t->spare.room;
		t->spare.rec = NULL;
		t->spare.room = 0;
	}
	code = make_room(b, b->n + tile->n);
	if (code)
		return code;
	if (tile->n)
		memcpy(b->rec + b->n, tile->rec, tile->n * sizeof(*b->rec));
	b->n += tile->n;
	t->n_held += tile->n;
	b->left -= tile->last;
	code = put_bands(t, false);
	return code || t->n_held * sizeof(*b->rec) <= t->want->memory
		? code
		: spill(t);
}

bool
vs_table_is_closed(const struct vs_table *t)
{
	return t->out.code == VS_DONE;
}

int
vs_table_finish(struct vs_table *t)
{
	int code = t->sorter ? put_sorted(t) : put_bands(t, true);

	if (!code && t->writer.kind->finish)
		code = t->writer.kind->finish(&t->writer);
	if (!code)
		code = vs_out_finish(&t->out);
	if (!code && t->n_omitted)
		vs_tool_say("omitted %llu records of 0/0",
			(unsigned long long)t->n_omitted);
	return code;
}

void
vs_table_free(struct vs_table *t)
{
	if (!t)
		return;
	vs_out_abandon(&t->out);
	vs_writer_end(&t->writer);
	vs_column_cache_free(t->cache);
	vs_vector_names_free(&t->names);
	vs_contingency_close(&t->pairs);
	vs_undefined_close(&t->undefined);
	vs_sorter_free(t->sorter);
	for (int64_t b = 0; b < t->n_band; b++)
		free(t->band[b].rec);
	free(t->band);
	free(t->spare.rec);
	free(t->room.rec);
	free(t);
}
