/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of a run: reading, writing, comparison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/result_columns.h"
#include "libcore/base/fail.h"
#include "libcore/metric/metric.h"

/* ---- what files state ---- */

enum {
	SHARD = 1 << VS_KIND_SHARD,
	MERGED = 1 << VS_KIND_MERGED,
	BOTH = SHARD | MERGED,
	ALWAYS = 0,
	IF_ANY = 1 << 30, /* not stated if it is empty or 0 */
	NEEDED = IF_ANY | 1 << 29
};

#define FIELD(s, member, kind, where, agree, words)                            \
	{                                                                      \
#member, VS_FIELD_##kind, offsetof(struct s, member),          \
			sizeof(((struct s *)0)->member), (where), agree, words \
	}

const struct vs_field vs_run_fields[] = {
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	FIELD(vs_run, name, type, files | when, VS_AGREE_##agree, words),
#include "libcore/metric/query_rows.h"
	{ 0 },
};

/* A row that is part of the question is compared, stated by merged files too
 * and part of their digest, unless it says BESIDE. */
enum { IN, LATE, IN_SHARD, OUT, BESIDE };
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	enum { AGREE_##name = (int)VS_AGREE_##agree };                      \
	_Static_assert(AGREE_##name < (int)VS_AGREE_CHOSEN ||               \
			((files) == BOTH && (digest) != OUT &&              \
				(digest) != IN_SHARD),                      \
		#name " is asked, and merged files do not tell it apart");  \
	_Static_assert(AGREE_##name <= (int)VS_AGREE_DERIVED ||             \
			sizeof(words) > 1,                                  \
		#name " is compared and has no words");
enum { AGREE_SAME_BITS = VS_AGREE_ASKED };
/* A member that engines read is stated by a row in which shards must agree. */
#define QUERY(declaration, name, stated, engine)                             \
	_Static_assert(AGREE_##stated > (int)VS_AGREE_DERIVED,               \
		#name " is stated by " #stated ", which may differ between " \
		      "shards of one result");
#include "libcore/metric/query_rows.h"

#define STAT(member, kind, where) \
	FIELD(vs_stats, member, kind, where, VS_AGREE_OWN, "")

const struct vs_field vs_stats_fields[] = {
	STAT(seconds_total, F64, BOTH),
	STAT(seconds_input, F64, BOTH),
	STAT(seconds_compute, F64, BOTH),
	STAT(seconds_output, F64, BOTH),
	STAT(seconds_wait, F64, BOTH),
	STAT(comparisons, F64, BOTH),
	STAT(metrics, I64, BOTH),
	STAT(metrics_exact, ROOM, BOTH | IF_ANY),
	STAT(bytes_input, I64, BOTH),
	STAT(peak_rss, I64, BOTH),
	STAT(device, ROOM, BOTH),
	{ 0 },
};

static const struct {
	const char *path;
	enum vs_type type;
} columns[VS_N_COL] = {
	[VS_COL_I] = { "/records/i", VS_I64 },
	[VS_COL_J] = { "/records/j", VS_I64 },
	[VS_COL_K] = { "/records/k", VS_I64 },
	[VS_COL_CELL] = { "/records/cell", VS_U8 },
	[VS_COL_VALUE] = { "/records/value", VS_F64 },
	[VS_COL_NUM] = { "/records/num", VS_I64 },
	[VS_COL_NVALID] = { "/records/nvalid", VS_I64 },
};

#define TILE(member, type)                                                    \
	{                                                                     \
		"/tiles/" #member, type, offsetof(struct vs_tile_row, member) \
	}

const struct vs_tile_column vs_tile_columns[] = {
	TILE(bi, VS_I32),
	TILE(bj, VS_I32),
	TILE(phase, VS_I32),
	TILE(stage, VS_I32),
	TILE(first, VS_I64),
	TILE(count, VS_I64),
	TILE(evaluated, VS_I64),
	{ "/tiles/sum0", VS_U64, offsetof(struct vs_tile_row, sum.h[0]) },
	{ "/tiles/sum1", VS_U64, offsetof(struct vs_tile_row, sum.h[1]) },
	TILE(seconds, VS_F32),
};
const size_t vs_n_tile_column =
	sizeof(vs_tile_columns) / sizeof(vs_tile_columns[0]);

#define RECORDS                                                    \
	"/records/i", "/records/j", "/records/k", "/records/cell", \
		"/records/value", "/records/num", "/records/nvalid"

/* An attribute if it is part of a digest; else nothing. */
#define ATTRIBUTE(name, is_part) (is_part) ? "/run:" #name : "",

static const char *const shard_attrs[] = { "/:format",
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	ATTRIBUTE(name, (files)&SHARD && (digest) < OUT)
#include "libcore/metric/query_rows.h"
	NULL };

static const char *const shard_data[] = { RECORDS, "/tiles/bi", "/tiles/bj",
	"/tiles/phase", "/tiles/stage", "/tiles/first", "/tiles/count",
	"/tiles/evaluated", "/tiles/sum0", "/tiles/sum1", "/tiles/seconds",
	"/histogram/*", "/summary/*", "/permutations/*", "/chromosomes/*",
	NULL };

/* Nothing that depends on what computed it: two ways to one result are
 * equal. */
static const char *const merged_attrs[] = { "/:format",
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	ATTRIBUTE(name, (files)&MERGED && (digest) == IN)
#include "libcore/metric/query_rows.h"
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	ATTRIBUTE(name, (files)&MERGED && (digest) == LATE)
#include "libcore/metric/query_rows.h"
	NULL };

static const char *const merged_data[] = { RECORDS, "/index/*",
	"/permutations/*", NULL };

const struct vs_content vs_shard_content = { shard_attrs, shard_data };
const struct vs_content vs_merged_content = { merged_attrs, merged_data };

bool
vs_run_has_cells(const struct vs_run *run)
{
	const struct vs_metric *m = vs_metric_find(run->metric);

	return m && vs_metric_has_cells(m);
}

int64_t
vs_run_least_joint(const struct vs_run *run)
{
	const struct vs_metric *m = vs_metric_find(run->metric);

	return m && m->family == VS_FAMILY_TABLES && run->min_joint < 1
		? 1
		: run->min_joint;
}

enum vs_strong
vs_run_strong(const struct vs_run *run)
{
	const struct vs_metric *m = vs_metric_find(run->metric);

	return run->absolute ? VS_STRONG_FAR
		: m          ? vs_metric_strong(m)
			     : VS_STRONG_HIGH;
}

const char *
vs_run_column_path(int column)
{
	return columns[column].path;
}

enum vs_type
vs_run_column_type(const struct vs_run *run, int column)
{
	if (column == VS_COL_VALUE && !strcmp(run->value_type, "f32"))
		return VS_F32;
	return columns[column].type;
}

bool
vs_run_has_column(const struct vs_run *run, int column)
{
	switch (column) {
	case VS_COL_K:
		return run->n_way == 3;
	case VS_COL_CELL:
		return vs_run_has_cells(run);
	case VS_COL_NUM:
		return run->has_num;
	case VS_COL_NVALID:
		return run->has_nvalid;
	}
	return true;
}

/* ---- attributes of a struct ---- */

static bool
states(const struct vs_field *f, enum vs_kind kind)
{
	return f->kinds & (1u << kind);
}

/* True if a text is empty, an integer of 64 bits is 0, or there is no limit. */
static bool
is_empty(const struct vs_field *f, const void *v)
{
	int64_t whole;

	if (f->type == VS_FIELD_LIMIT)
		return !((const struct vs_limit *)v)->is;
	if (f->type != VS_FIELD_I64)
		return !*(const char *)v;
	memcpy(&whole, v, sizeof(whole));
	return !whole;
}

bool
vs_run_field_equal(const struct vs_field *f, const void *a, const void *b)
{
	const char *x = (const char *)a + f->offset;
	const char *y = (const char *)b + f->offset;
	char rooms[2][VS_NUM_ROOM];

	return f->type == VS_FIELD_I32 || f->type == VS_FIELD_I64
		? !memcmp(x, y, f->size)
		: !strcmp(vs_run_field_text(f, a, rooms[0]),
			  vs_run_field_text(f, b, rooms[1]));
}

const char *
vs_run_field_text(const struct vs_field *f, const void *from, char *room)
{
	const char *at = (const char *)from + f->offset, *text;
	int64_t whole;
	int32_t small;
	double real;

	switch (f->type) {
	case VS_FIELD_TEXT:
		memcpy(&text, at, sizeof(text));
		return text ? text : "";
	case VS_FIELD_ROOM:
		return at;
	case VS_FIELD_I32:
		memcpy(&small, at, sizeof(small));
		snprintf(room, VS_NUM_ROOM, "%d", small);
		break;
	case VS_FIELD_I64:
		memcpy(&whole, at, sizeof(whole));
		snprintf(room, VS_NUM_ROOM, "%lld", (long long)whole);
		break;
	case VS_FIELD_F64:
		memcpy(&real, at, sizeof(real));
		vs_num_print(real, room);
		break;
	case VS_FIELD_LIMIT:
		if (is_empty(f, at))
			return "";
		vs_num_print(((const struct vs_limit *)at)->at, room);
		break;
	}
	return room;
}

const char *
vs_run_limit(const struct vs_run *run)
{
	for (const struct vs_field *f = vs_run_fields; f->name; f++)
		if (f->type == VS_FIELD_LIMIT &&
			!is_empty(f, (const char *)run + f->offset))
			return f->name;
	return NULL;
}

void
vs_run_features(const struct vs_run *run, enum vs_kind kind, char *text,
	size_t room)
{
	for (const struct vs_field *f = vs_run_fields; f->name; f++)
		if (states(f, kind) && (f->kinds & NEEDED) == NEEDED &&
			!is_empty(f, (const char *)run + f->offset)) {
			size_t n = strlen(text);

			snprintf(text + n, room - n, " %s", f->name);
		}
}

int
vs_run_fields_write(struct vs_h5_writer *w, const char *group,
	const struct vs_field *field, enum vs_kind kind, const void *from)
{
	vs_h5_writer_group(w, group);
	for (const struct vs_field *f = field; f->name; f++) {
		const void *v = (const char *)from + f->offset;
		const char *text;

		if (!states(f, kind) || (f->kinds & IF_ANY && is_empty(f, v)))
			continue;
		switch (f->type) {
		case VS_FIELD_ROOM:
			vs_h5_writer_text(w, group, f->name, v);
			break;
		case VS_FIELD_TEXT:
			memcpy(&text, v, sizeof(text));
			vs_h5_writer_text(w, group, f->name, text ? text : "");
			break;
		case VS_FIELD_I32:
			vs_h5_writer_i32(w, group, f->name, v, 1);
			break;
		case VS_FIELD_I64:
			vs_h5_writer_i64(w, group, f->name, v, 1);
			break;
		case VS_FIELD_F64:
			vs_h5_writer_f64(w, group, f->name, v, 1);
			break;
		case VS_FIELD_LIMIT:
			vs_h5_writer_f64(w, group, f->name,
				&((const struct vs_limit *)v)->at, 1);
			break;
		}
	}
	return vs_h5_writer_code(w);
}

static int
read_text(struct vs_h5_reader *r, const char *group, const struct vs_field *f,
	void *to)
{
	char *text = NULL;
	int code = vs_h5_reader_text(r, group, f->name, &text);

	if (code)
		return code;
	if (f->type == VS_FIELD_TEXT) {
		memcpy(to, &text, sizeof(text));
		return 0;
	}
	if (strlen(text) >= f->size)
		code = vs_fail(VS_EINPUT,
			"%s: attribute %s of %s is too long; make the file "
			"again",
			vs_h5_reader_path(r), f->name, group);
	else
		strcpy(to, text);
	free(text);
	return code;
}

int
vs_run_fields_read(struct vs_h5_reader *r, const char *group,
	const struct vs_field *field, enum vs_kind kind, void *to)
{
	int code = 0;

	for (const struct vs_field *f = field; f->name && !code; f++) {
		void *v = (char *)to + f->offset;
		bool has = true;

		if (!states(f, kind))
			continue;
		if (f->kinds & IF_ANY)
			code = vs_h5_reader_has_attr(r, group, f->name, &has);
		if (code)
			break;
		if (!has) {
			memset(v, 0, f->size);
			continue;
		}
		switch (f->type) {
		case VS_FIELD_ROOM:
		case VS_FIELD_TEXT:
			code = read_text(r, group, f, v);
			break;
		case VS_FIELD_I32:
			code = vs_h5_reader_i32(r, group, f->name, v, 1);
			break;
		case VS_FIELD_I64:
			code = vs_h5_reader_i64(r, group, f->name, v, 1);
			break;
		case VS_FIELD_F64:
			code = vs_h5_reader_f64(r, group, f->name, v, 1);
			break;
		case VS_FIELD_LIMIT:
			((struct vs_limit *)v)->is = true;
			code = vs_h5_reader_f64(r, group, f->name,
				&((struct vs_limit *)v)->at, 1);
			break;
		}
	}
	return code;
}

/* ---- stats ---- */

vs_wide
vs_run_stats_values(const struct vs_stats *stats)
{
	vs_wide n = 0;

	if (vs_num_read_wide(stats->metrics_exact, &n))
		return n;
	return stats->metrics < 0 ? 0 : (vs_wide)stats->metrics;
}

void
vs_run_stats_set_values(struct vs_stats *stats, vs_wide n)
{
	stats->metrics = n < INT64_MAX ? (int64_t)n : INT64_MAX;
	stats->metrics_exact[0] = 0;
	if (n > INT64_MAX)
		vs_num_print_wide(n, stats->metrics_exact);
}

/* ---- runs ---- */

void
vs_run_free(struct vs_run *run)
{
	free(run->vectors_path);
	run->vectors_path = NULL;
	free(run->between_names);
	run->between_names = NULL;
	vs_wanted_free(&run->wanted);
	vs_chromosomes_free(&run->chromosomes);
	free(run->null_maxima);
	run->null_maxima = NULL;
}

int
vs_run_plan(const struct vs_run *run, struct vs_plan *plan)
{
	const struct vs_between of =
		vs_wanted_parts(&run->wanted, (uint64_t)run->n_vectors);
	int code = vs_plan_between(plan, &of, 1, run->tile);

	plan->row_tiles = !code && run->row_tiles;
	return code;
}

static enum vs_stages_by
stages_by(const struct vs_run *run)
{
	struct vs_pair_rules rules = { 0 };

	if (run->n_way == 3)
		return VS_STAGES_SPREAD;
	/* read earlier, and used to make the run */
	(void)vs_pair_rules_read(run->pair_filter, &rules);
	return vs_pair_rules_is_window(&rules) ? VS_STAGES_ROWS
		: rules.within                 ? VS_STAGES_CHROMOSOMES
					       : VS_STAGES_SQUARES;
}

int
vs_run_stages(const struct vs_run *run, const struct vs_plan *plan,
	struct vs_stages *stages)
{
	enum vs_stages_by by = stages_by(run);

	/* programs that spread tiles did not state chromosomes */
	if (by == VS_STAGES_CHROMOSOMES && !run->chromosomes.n)
		by = VS_STAGES_SPREAD;
	return vs_stages_make(stages, plan, by, &run->chromosomes,
		run->wanted.row, run->n_stages);
}

bool
vs_run_cuts_chromosomes(const struct vs_run *run)
{
	return run->n_stages > 1 && stages_by(run) == VS_STAGES_CHROMOSOMES;
}

/* Words of the first row of this kind that differs; null: none does. */
static const char *
differing(const struct vs_run *a, const struct vs_run *b, enum vs_agree agree)
{
	for (const struct vs_field *f = vs_run_fields; f->name; f++)
		if (f->agree == agree && !vs_run_field_equal(f, a, b))
			return f->words;
	return NULL;
}

const char *
vs_run_differs(const struct vs_run *a, const struct vs_run *b)
{
	static const enum vs_agree order[] = { VS_AGREE_VECTORS, VS_AGREE_ASKED,
		VS_AGREE_CHOSEN, VS_AGREE_CUT, VS_AGREE_GRID };
	const char *why = NULL;

	for (size_t k = 0; k < sizeof(order) / sizeof(order[0]) && !why; k++)
		why = differing(a, b, order[k]);
	if (!why &&
		(a->has_num != b->has_num || a->has_nvalid != b->has_nvalid))
		why = "treatment of missing genotypes";
	if (!why && a->chromosomes.n != b->chromosomes.n)
		why = "order of stages, which an earlier program spread,";
	return why;
}

const char *
vs_run_differs_from_old(const struct vs_run *run, const struct vs_run *old)
{
	const char *why = differing(run, old, VS_AGREE_ASKED);

	if (why)
		return why;
	if (run->n_fields != old->n_fields)
		return "number of fields";
	/* if none was missing, all fields are valid */
	if ((strcmp(run->missing, old->missing) &&
		    strcmp(old->missing, "none")) ||
		run->has_num != old->has_num)
		return "treatment of missing genotypes";
	return NULL;
}

static inline void
pair_to_source(struct vs_record *rec, const int64_t *row, const uint8_t *label)
{
	uint32_t a = row ? (uint32_t)row[rec->i] : rec->i;
	uint32_t b = row ? (uint32_t)row[rec->j] : rec->j;
	uint32_t flip = label ? (label[rec->i] == VS_ALLELE_FIRST) << 1 |
			(label[rec->j] == VS_ALLELE_FIRST)
			      : 0;

	vs_record_rename_pair(rec, a, b, flip);
}

void
vs_run_record_to_source(struct vs_record *rec, const int64_t *source_row,
	const uint8_t *allele1_source)
{
	const uint64_t v[3] = { rec->i, rec->j, rec->k };
	int64_t source[3] = { 0 };
	uint8_t flip[3] = { 0 };

	if (rec->k == VS_NO_VEC) {
		pair_to_source(rec, source_row, allele1_source);
		return;
	}
	for (int x = 0; x < 3; x++) {
		source[x] = source_row ? source_row[v[x]] : (int64_t)v[x];
		flip[x] = allele1_source &&
			allele1_source[v[x]] == VS_ALLELE_FIRST;
	}
	vs_record_rename(rec, source, flip);
}
