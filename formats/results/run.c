/* SPDX-License-Identifier: BSD-3-Clause */
/* Attributes of a run: reading, writing, comparison. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/result_columns.h"
#include "libcore/base/fail.h"
#include "libcore/metric/metric.h"

/* ---- what is in the files ---- */

#define SHARD (1u << VS_KIND_SHARD)
#define MERGED (1u << VS_KIND_MERGED)
#define BOTH (SHARD | MERGED)

/* Not stated where it is empty or 0. */
#define OPTIONAL (1u << 31)

#define FIELD(s, member, kind, where)                                 \
	{                                                             \
#member, VS_FIELD_##kind, offsetof(struct s, member), \
			sizeof(((struct s *)0)->member), where        \
	}

/* IN: what the content of a shard is made of; OUT: what else is stated. */
#define RUN_FIELDS(IN, OUT)                      \
	IN(run_uuid, ROOM, BOTH)                 \
	IN(metric, ROOM, BOTH)                   \
	IN(n_way, I32, BOTH)                     \
	IN(vectors_uuid, ROOM, BOTH)             \
	IN(vectors_content, ROOM, BOTH)          \
	OUT(vectors_path, TEXT, BOTH)            \
	IN(n_vectors, I64, BOTH)                 \
	IN(n_fields, I64, BOTH)                  \
	IN(value_type, ROOM, BOTH)               \
	IN(compute, ROOM, BOTH)                  \
	IN(ccc_gamma, F64, BOTH)                 \
	IN(ccc_multiplier, F64, BOTH)            \
	IN(missing, ROOM, BOTH)                  \
	IN(threshold_op, ROOM, BOTH)             \
	IN(threshold, F64, BOTH)                 \
	IN(class_thresholds, ROOM, BOTH)         \
	IN(cell_mask, I32, BOTH)                 \
	IN(selection, ROOM, BOTH)                \
	OUT(kept_list, ROOM, BOTH | OPTIONAL)    \
	IN(min_joint, I64, BOTH | OPTIONAL)      \
	IN(case_seed, I64, BOTH | OPTIONAL)      \
	IN(permutations, I64, BOTH | OPTIONAL)   \
	IN(pair_filter, ROOM, BOTH | OPTIONAL)   \
	IN(filtered_pairs, I64, BOTH | OPTIONAL) \
	IN(between, ROOM, BOTH)                  \
	OUT(between_names, TEXT, BOTH)           \
	IN(against, ROOM, SHARD | OPTIONAL)      \
	IN(tile, I64, SHARD)                     \
	IN(n_blocks, I64, SHARD)                 \
	IN(row_tiles, I64, SHARD | OPTIONAL)     \
	IN(n_phases, I32, SHARD)                 \
	IN(phase_begin, I32, SHARD)              \
	IN(phase_end, I32, SHARD)                \
	IN(n_stages, I32, SHARD)                 \
	IN(stage_begin, I32, SHARD)              \
	IN(stage_end, I32, SHARD)                \
	IN(n_proc, I32, SHARD)                   \
	IN(shard, I32, SHARD)                    \
	OUT(coverage, ROOM, MERGED)              \
	OUT(part, ROOM, MERGED | OPTIONAL)       \
	OUT(n_shards, I32, MERGED)               \
	OUT(index_space, ROOM, MERGED)

#define OF_RUN(...) FIELD(vs_run, __VA_ARGS__),
#define ATTRIBUTE(member, ...) "/run:" #member,
#define NOTHING(...)

const struct vs_field vs_run_fields[] = { RUN_FIELDS(OF_RUN, OF_RUN){ 0 } };

const struct vs_field vs_stats_fields[] = {
	FIELD(vs_stats, seconds_total, F64, BOTH),
	FIELD(vs_stats, seconds_input, F64, BOTH),
	FIELD(vs_stats, seconds_compute, F64, BOTH),
	FIELD(vs_stats, seconds_output, F64, BOTH),
	FIELD(vs_stats, seconds_wait, F64, BOTH),
	FIELD(vs_stats, comparisons, F64, BOTH),
	FIELD(vs_stats, metrics, I64, BOTH),
	FIELD(vs_stats, metrics_exact, ROOM, BOTH | OPTIONAL),
	FIELD(vs_stats, bytes_input, I64, BOTH),
	FIELD(vs_stats, peak_rss, I64, BOTH),
	FIELD(vs_stats, device, ROOM, BOTH),
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

static const char *const shard_attrs[] = { "/:format",
	RUN_FIELDS(ATTRIBUTE, NOTHING) NULL };

static const char *const shard_data[] = { RECORDS, "/tiles/bi", "/tiles/bj",
	"/tiles/phase", "/tiles/stage", "/tiles/first", "/tiles/count",
	"/tiles/evaluated", "/tiles/sum0", "/tiles/sum1", "/tiles/seconds",
	"/histogram/*", "/permutations/*", "/chromosomes/*", NULL };

/* Nothing that depends on who computed: two ways to one result are equal. */
static const char *const merged_attrs[] = {
	"/:format",
	"/run:metric",
	"/run:n_way",
	"/run:n_vectors",
	"/run:n_fields",
	"/run:value_type",
	"/run:missing",
	"/run:threshold_op",
	"/run:threshold",
	"/run:class_thresholds",
	"/run:cell_mask",
	"/run:selection",
	"/run:min_joint",
	"/run:case_seed",
	"/run:permutations",
	"/run:pair_filter",
	"/run:filtered_pairs",
	"/run:between",
	"/run:ccc_gamma",
	"/run:ccc_multiplier",
	"/run:coverage",
	"/run:part",
	"/run:index_space",
	NULL,
};

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

bool
vs_run_is_lower(const struct vs_run *run)
{
	const struct vs_metric *m = vs_metric_find(run->metric);

	return m && m->lower;
}

uint32_t
vs_run_passes(const struct vs_run *run, const double *value)
{
	int n_cell = vs_run_has_cells(run) ? 1 << run->n_way : 1;
	struct vs_thresholds thresholds;
	uint32_t bits = 0;

	if (!strcmp(run->threshold_op, "class"))
		return vs_thresholds_read(run->class_thresholds, run->n_way,
			       &thresholds)
			? vs_thresholds_pass(&thresholds, run->n_way, value)
			: 0;
	for (int c = 0; c < n_cell; c++)
		bits |= (uint32_t)(!strcmp(run->threshold_op, "gt")
					? value[c] > run->threshold
					: !strcmp(run->threshold_op, "ge")
					? value[c] >= run->threshold
					: !strcmp(run->threshold_op, "lt")
					? value[c] < run->threshold
					: !strcmp(run->threshold_op, "le")
					? value[c] <= run->threshold
					: true)
			<< c;
	return bits;
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

/* Whether a text is empty, or an integer of 64 bits 0. */
static bool
is_empty(const struct vs_field *f, const void *v)
{
	int64_t whole;

	if (f->type != VS_FIELD_I64)
		return !*(const char *)v;
	memcpy(&whole, v, sizeof(whole));
	return !whole;
}

int
vs_run_fields_write(struct vs_h5_writer *w, const char *group,
	const struct vs_field *field, enum vs_kind kind, const void *from)
{
	vs_h5_writer_group(w, group);
	for (const struct vs_field *f = field; f->name; f++) {
		const void *v = (const char *)from + f->offset;
		const char *text;

		if (!states(f, kind) || (f->kinds & OPTIONAL && is_empty(f, v)))
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
			"anew",
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
		if (f->kinds & OPTIONAL)
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
	vs_sets_free(&run->sets);
	vs_chromosomes_free(&run->chromosomes);
	free(run->null_maxima);
	run->null_maxima = NULL;
}

int
vs_run_plan(const struct vs_run *run, struct vs_plan *plan)
{
	int code = *run->between
		? vs_plan_between(plan, &run->sets.of, 1, run->tile)
		: vs_plan_make(plan, (uint64_t)run->n_vectors, 1, run->tile);

	plan->row_tiles = !code && run->row_tiles;
	return code;
}

static enum vs_stages_by
stages_by(const struct vs_run *run)
{
	struct vs_pair_rules rules = { 0 };

	if (run->n_way == 3)
		return VS_STAGES_SPREAD;
	/* it was read before: by which the run was taken */
	(void)vs_pair_rules_read(run->pair_filter, &rules);
	if (rules.max_kb > 0 || rules.max_sites > 0)
		return VS_STAGES_ROWS;
	if (!rules.within)
		return VS_STAGES_SQUARES;
	/* programs that spread tiles did not state chromosomes */
	return run->chromosomes.n ? VS_STAGES_CHROMOSOMES : VS_STAGES_SPREAD;
}

int
vs_run_stages(const struct vs_run *run, const struct vs_plan *plan,
	struct vs_stages *stages)
{
	const enum vs_stages_by by = stages_by(run);
	const bool within = by == VS_STAGES_CHROMOSOMES;

	return vs_stages_make(stages, plan, by,
		within ? &run->chromosomes : NULL,
		within && *run->between ? run->sets.row : NULL, run->n_stages);
}

bool
vs_run_cuts_chromosomes(const struct vs_run *run)
{
	struct vs_pair_rules rules = { 0 };

	return run->n_stages > 1 && run->n_way == 2 &&
		vs_pair_rules_read(run->pair_filter, &rules) && rules.within &&
		!(rules.max_kb > 0) && !(rules.max_sites > 0);
}

/* Reason why a and b are not the same question, whatever the vectors. */
static const char *
asks_differ(const struct vs_run *a, const struct vs_run *b)
{
	if (strcmp(a->metric, b->metric))
		return "metric";
	if (a->n_way != b->n_way)
		return "number of ways";
	if (strcmp(a->value_type, b->value_type))
		return "type of value";
	if (strcmp(a->threshold_op, b->threshold_op) ||
		strcmp(a->class_thresholds, b->class_thresholds) ||
		a->threshold != b->threshold)
		return "threshold";
	if (a->cell_mask != b->cell_mask)
		return "choice of cells";
	if (strcmp(a->selection, b->selection))
		return "selection of records";
	if (strcmp(a->kept_list, b->kept_list))
		return "list of vectors whose records were kept";
	if (a->min_joint != b->min_joint)
		return "least number of joint calls";
	if (a->case_seed != b->case_seed)
		return "shuffling of cases";
	if (a->permutations != b->permutations)
		return "number of permutations";
	if (strcmp(a->pair_filter, b->pair_filter))
		return "choice of pairs by chromosome and distance";
	if (a->ccc_gamma != b->ccc_gamma ||
		a->ccc_multiplier != b->ccc_multiplier)
		return "gamma or multiplier";
	return NULL;
}

const char *
vs_run_differs(const struct vs_run *a, const struct vs_run *b)
{
	const char *why = asks_differ(a, b);

	if (a->n_vectors != b->n_vectors || a->n_fields != b->n_fields ||
		strcmp(a->vectors_content, b->vectors_content))
		return "vectors file";
	if (why)
		return why;
	if (strcmp(a->missing, b->missing) || a->has_num != b->has_num ||
		a->has_nvalid != b->has_nvalid)
		return "treatment of missing genotypes";
	if (strcmp(a->between, b->between))
		return "choice of two sets of vectors";
	if (strcmp(a->against, b->against))
		return "earlier result";
	if (a->n_stages != b->n_stages)
		return "number of stages";
	if (a->chromosomes.n != b->chromosomes.n)
		return "order of stages, which an earlier program spread,";
	if (a->tile != b->tile || a->n_blocks != b->n_blocks ||
		a->row_tiles != b->row_tiles)
		return "size of tile";
	return NULL;
}

const char *
vs_run_differs_from_old(const struct vs_run *run, const struct vs_run *old)
{
	const char *why = asks_differ(run, old);

	if (why)
		return why;
	if (run->n_fields != old->n_fields)
		return "number of fields";
	/* where none was missing all fields are valid */
	if ((strcmp(run->missing, old->missing) &&
		    strcmp(old->missing, "none")) ||
		run->has_num != old->has_num ||
		(old->has_nvalid && !run->has_nvalid))
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
