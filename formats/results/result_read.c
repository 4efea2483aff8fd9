/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of shards and results. */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/result_columns.h"
#include "formats/results/result_seen.h"
#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/metric/metric.h"
#include "libcore/plan/cube.h"

#define ROWS 65536 /* rows of a column unpacked at a time */

static int
check_run(const struct vs_result *r)
{
	const struct vs_run *run = &r->run;
	struct vs_thresholds thresholds;
	struct vs_pair_rules rules;
	struct vs_plan plan;

	if (!vs_metric_find(run->metric))
		return vs_fail(VS_EINPUT,
			"%s: is of metric %s, which this version does not know",
			vs_h5_reader_path(r->file), run->metric);
	if ((run->n_way == 2 || run->n_way == 3) && run->n_vectors >= 1 &&
		run->n_vectors <= VS_RECORD_VECTORS &&
		(run->n_way == 2 || run->n_vectors <= VS_CUBE_MOST) &&
		run->n_fields >= 1 && run->n_fields <= VS_PACKED_FIELDS &&
		run->cell_mask >= 0 && run->min_joint >= 0 &&
		run->min_joint <= run->n_fields && run->case_seed >= 0 &&
		run->permutations >= 0 &&
		(!run->absolute ||
			(run->absolute == 1 &&
				vs_metric_is_signed(
					vs_metric_find(run->metric)))) &&
		run->permutations <= VS_NULL_MAXIMA_MOST &&
		(!run->case_seed ||
			vs_metric_find(run->metric)->family ==
				VS_FAMILY_TABLES) &&
		(!*run->pair_filter ||
			(run->filtered_pairs >= 0 &&
				vs_pair_rules_read(run->pair_filter,
					&rules))) &&
		(vs_run_has_cells(run) || run->cell_mask == 1) &&
		(strcmp(run->threshold_op, "class") ||
			(vs_run_has_cells(run) &&
				vs_thresholds_read(run->class_thresholds,
					run->n_way, &thresholds))) &&
		(!strcmp(run->value_type, "f32") ||
			!strcmp(run->value_type, "f64")) &&
		(!*run->against || *run->between) &&
		(!*run->order || (!*run->between && run->n_way == 2)) &&
		(r->kind == VS_KIND_MERGED ||
			(run->n_stages >= 1 && run->stage_begin >= 0 &&
				run->stage_begin < run->stage_end &&
				run->stage_end <= run->n_stages &&
				run->tile >= 1 && !vs_run_plan(run, &plan) &&
				(!run->row_tiles ||
					(run->row_tiles == 1 &&
						run->n_way == 3)) &&
				run->n_blocks == plan.n_block)))
		return 0;
	return vs_fail(VS_EINPUT, "%s: /run is inconsistent; recreate it",
		vs_h5_reader_path(r->file));
}

static int
read_chromosomes(struct vs_result *r)
{
	struct vs_chromosomes *c = &r->run.chromosomes;
	uint64_t n = VS_ROWS_UNKNOWN;
	bool has = false;
	int code = 0;

	if (r->kind == VS_KIND_SHARD)
		code = vs_h5_reader_has(r->file, "/chromosomes", &has);
	if (code || !has)
		return code;
	code = vs_h5_reader_column(r->file, VS_RUN_CHROMOSOMES, VS_I64, &n,
		&c->first);
	if (code)
		return code;
	c->n = n;
	if (vs_run_cuts_chromosomes(&r->run) &&
		vs_chromosomes_rise(c, (uint64_t)r->run.n_vectors))
		return 0;
	return vs_fail(VS_EINPUT,
		"%s: " VS_RUN_CHROMOSOMES " does not fit /run; recreate it",
		vs_h5_reader_path(r->file));
}

static int
read_head(struct vs_result *r)
{
	int64_t n = 0;
	bool has = false;
	int code = vs_run_fields_read(r->file, "/run", vs_run_fields, r->kind,
		&r->run);

	r->run.wanted.n_vec = (uint64_t)r->run.n_vectors;
	r->run.wanted.n_way = r->run.n_way;
	if (!code && *r->run.between && r->run.n_vectors > 0)
		code = vs_sets_read(&r->run.wanted, r->file, r->run.between,
			r->run.against);
	if (!code && *r->run.order && !*r->run.between && r->run.n_vectors > 0)
		code = vs_sets_order_read(&r->run.wanted, r->file,
			r->run.order);
	if (!code)
		code = check_run(r);
	if (!code)
		vs_record_rules_make(&r->rules, &r->run);
	if (!code)
		code = read_chromosomes(r);
	if (!code && r->run.permutations)
		code = vs_null_maxima_read(&r->run.null_maxima,
			r->run.permutations, r->file);
	if (!code)
		code = vs_h5_reader_i64(r->file, "/records", "n_records", &n,
			1);
	if (!code && n < 0)
		code = vs_fail(VS_EINPUT,
			"%s: a negative number of records; recreate it",
			vs_h5_reader_path(r->file));
	r->n_records = (uint64_t)n;
	if (!code)
		code = vs_h5_reader_u64(r->file, "/records", "records_sum",
			r->sum.h, 2);
	if (!code)
		code = vs_h5_reader_has_attr(r->file, "/records", "source_sum",
			&has);
	if (!code && has)
		code = vs_h5_reader_u64(r->file, "/records", "source_sum",
			r->source_sum.h, 2);
	if (!code)
		code = vs_h5_reader_has_attr(r->file, "/records", "counts_sum",
			&r->has_counts);
	if (!code && r->has_counts)
		code = vs_h5_reader_u64(r->file, "/records", "counts_sum",
			&r->counts, 1);
	if (!code)
		code = vs_h5_reader_text(r->file, "/", "uuid", &r->uuid);
	if (!code)
		code = vs_h5_reader_text(r->file, "/", "content_xxh128",
			&r->content);
	if (!code)
		code = vs_h5_reader_has(r->file, vs_run_column_path(VS_COL_NUM),
			&r->run.has_num);
	return code
		? code
		: vs_h5_reader_has(r->file, vs_run_column_path(VS_COL_NVALID),
			  &r->run.has_nvalid);
}

static int
open_columns(struct vs_result *r)
{
	int code = 0;

	for (int c = 0; c < VS_N_COL && !code; c++)
		if (vs_run_has_column(&r->run, c))
			code = vs_h5_reader_data(r->file, vs_run_column_path(c),
				vs_run_column_type(&r->run, c), 1,
				&r->n_records, NULL, &r->column[c]);
	return code;
}

int
vs_result_open(struct vs_result **r, const char *path, unsigned flags)
{
	struct vs_result *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), path);

	if (code)
		return code;
	code = vs_h5_reader_open(&p->file, path,
		1u << VS_KIND_SHARD | 1u << VS_KIND_MERGED, flags, &p->kind);
	if (!code)
		code = read_head(p);
	if (!code)
		code = open_columns(p);
	if (code) {
		vs_result_close(p);
		return code;
	}
	*r = p;
	return 0;
}

int
vs_result_open_tiles(struct vs_result **r, const char *path, unsigned flags,
	struct vs_tile_row **tiles, size_t *n)
{
	struct vs_result *open = NULL;
	int code = vs_result_open(&open, path, flags);

	if (!code)
		code = vs_result_tiles(open, tiles, n);
	if (code)
		vs_result_close(open);
	else
		*r = open;
	return code;
}

int
vs_result_look(const struct vs_text_pool *files)
{
	return vs_h5_reader_look(files,
		1u << VS_KIND_SHARD | 1u << VS_KIND_MERGED, 0);
}

static void
close_columns(struct vs_result *r)
{
	for (int c = 0; c < VS_N_COL; c++) {
		vs_h5_reader_data_close(r->column[c]);
		r->column[c] = NULL;
	}
	free(r->scratch);
	r->scratch = NULL;
}

void
vs_result_rest(struct vs_result *r)
{
	close_columns(r);
	vs_h5_reader_rest(r->file);
	r->resting = true;
	/* HDF5 data that stay allocated fragment the freed memory */
	malloc_trim(0);
}

void
vs_result_close(struct vs_result *r)
{
	if (!r)
		return;
	close_columns(r);
	vs_h5_reader_close(r->file);
	vs_run_free(&r->run);
	free(r->uuid);
	free(r->content);
	vs_result_seen_free(r->seen);
	free(r);
}

/* Arrays of rows, one per column; null: there is none. */
struct rows {
	const uint64_t *i, *j, *k;
	const uint8_t *cell;
	const void *value;
	const int64_t *num, *nvalid;
};

/* True if vectors and cell of a row are valid: indices are rows of the vectors
 * file and ascend; a negative one becomes large. */
static inline bool
is_named(const struct rows *c, const struct vs_record_rules *q, uint64_t at)
{
	uint64_t i = c->i[at], j = c->j[at], k = c->k ? c->k[at] : q->n_vec;

	return (i < j) & (j < k) & (c->k ? k < q->n_vec : true) &
		(c->cell ? (c->cell[at] < (c->k ? 8 : 4)) &
					(q->cells >> (c->cell[at] & 7))
			 : true);
}

/* True if the counts of a row are valid. */
static inline bool
is_counted(const struct rows *c, const struct vs_record_rules *q, uint64_t at)
{
	const int64_t present = c->nvalid ? c->nvalid[at] : q->n_field;
	/* num may be anything if the number of present fields is invalid */
	const int64_t most = (int64_t)((uint64_t)q->most_num +
		(uint64_t)q->num_each * (uint64_t)present);

	return (present >= q->least_joint) & (present <= q->n_field) &
		(c->num ? (c->num[at] >= q->least_num) & (c->num[at] <= most)
			: true);
}

static inline double
value_of(const struct rows *c, bool f32, uint64_t at)
{
	return f32 ? (double)((const float *)c->value)[at]
		   : ((const double *)c->value)[at];
}

/* Check records of n rows; false: one is invalid. */
static inline __attribute__((always_inline)) bool
join_any(const struct rows *c, const struct vs_record_rules *q, bool f32,
	uint64_t n, struct vs_record *out)
{
	bool good = true;

	for (uint64_t r = 0; r < n; r++) {
		good &= is_named(c, q, r);
		good &= is_counted(c, q, r);
		good &= vs_record_rules_within(q, value_of(c, f32, r));
		out[r] = (struct vs_record){ .i = (uint32_t)c->i[r],
			.j = (uint32_t)c->j[r],
			.k = c->k ? (uint32_t)c->k[r] : VS_NO_VEC,
			.nvalid = c->nvalid ? (int32_t)c->nvalid[r] : -1,
			.value = value_of(c, f32, r),
			.num = c->num ? c->num[r] : -1,
			.cell = (c->cell ? c->cell[r] : VS_NO_CELL) &
				VS_NO_CELL };
	}
	for (uint64_t r = 0; r < n && q->by_class && good; r++)
		good = vs_record_rules_class(q, &out[r]);
	return good;
}

/* The same; the most frequent columns are known at compile time. */
static bool
join(const struct rows *c, const struct vs_record_rules *q, bool f32,
	uint64_t n, struct vs_record *out)
{
	struct rows own = *c;

	if (f32 || c->k || !c->cell || !c->num || c->nvalid)
		return join_any(c, q, f32, n, out);
	own.k = NULL;
	own.nvalid = NULL;
	return join_any(&own, q, false, n, out);
}

/* Report which of n rows is invalid, and why. */
static int
bad_row(const struct vs_result *r, const struct rows *c, bool f32, uint64_t lo,
	uint64_t n, const struct vs_record *rec)
{
	const struct vs_record_rules *q = &r->rules;
	const struct vs_run *run = &r->run;
	const char *path = vs_h5_reader_path(r->file);
	char value[VS_NUM_ROOM], bound[VS_NUM_ROOM];
	uint64_t at = 0;

	while (at < n && is_named(c, q, at) && is_counted(c, q, at) &&
		vs_record_rules_within(q, value_of(c, f32, at)) &&
		vs_record_rules_class(q, &rec[at]))
		at++;
	if (!is_named(c, q, at) || !is_counted(c, q, at) ||
		!isfinite(rec[at].value))
		return vs_fail(VS_EINPUT,
			"%s: /records: row %llu %s that cannot be; make the "
			"file again",
			path, (unsigned long long)(lo + at),
			!is_named(c, q, at) ? "names vectors or a cell"
				: !is_counted(c, q, at) ? "has a count"
							: "has a value");
	vs_num_print(rec[at].value, value);
	vs_num_print(run->threshold, bound);
	return vs_fail(VS_EINPUT,
		"%s: /records: row %llu has the value %s, which does not pass "
		"the threshold %s of its run; recreate the file",
		path, (unsigned long long)(lo + at), value,
		*run->class_thresholds ? run->class_thresholds : bound);
}

struct vs_result_reader {
	struct vs_h5_unpacker *unpacker;
	uint64_t column[VS_N_COL][ROWS];
};

int
vs_result_reader_new(struct vs_result_reader **reader)
{
	struct vs_result_reader *p = NULL;
	int code = vs_mem_room(&p, 1, sizeof(*p), "records");

	if (!code)
		code = vs_h5_unpacker_new(&p->unpacker);
	if (code) {
		free(p);
		return code;
	}
	*reader = p;
	return 0;
}

void
vs_result_reader_free(struct vs_result_reader *reader)
{
	if (reader)
		vs_h5_unpacker_free(reader->unpacker);
	free(reader);
}

/* Reopen the columns that were closed meanwhile. */
int
vs_result_wake(struct vs_result *r)
{
	bool resting = r->resting;

	r->resting = false;
	return resting ? open_columns(r) : 0;
}

/* Read at most ROWS rows of all columns: with a reader, a chunk at a time, else
 * on all threads. */
static int
read_columns(const struct vs_result *r, struct vs_result_reader *reader,
	uint64_t lo, uint64_t hi, struct rows *rows)
{
	const void *at[VS_N_COL] = { NULL };
	uint64_t *room = reader ? reader->column[0] : r->scratch;
	int code = 0;

	for (int c = 0; c < VS_N_COL && !code; c++) {
		if (!r->column[c])
			continue;
		code = reader ? vs_h5_unpacker_rows(reader->unpacker,
					r->column[c], lo, hi, room)
			      : vs_h5_reader_rows(r->column[c], lo, hi, room);
		at[c] = room;
		room += ROWS;
	}
	*rows = (struct rows){ at[VS_COL_I], at[VS_COL_J], at[VS_COL_K],
		at[VS_COL_CELL], at[VS_COL_VALUE], at[VS_COL_NUM],
		at[VS_COL_NVALID] };
	return code;
}

/* up to the end of one of our chunks */
static uint64_t
piece_end(uint64_t lo, uint64_t hi)
{
	return ROWS - lo % ROWS < hi - lo ? lo + ROWS - lo % ROWS : hi;
}

static int
read_records(const struct vs_result *r, struct vs_result_reader *reader,
	uint64_t lo, uint64_t hi, struct vs_record *out)
{
	uint64_t end;
	bool f32 = vs_run_column_type(&r->run, VS_COL_VALUE) == VS_F32;
	struct rows rows;
	int code = 0;

	for (; lo < hi && !code; out += end - lo, lo = end) {
		end = piece_end(lo, hi);
		code = read_columns(r, reader, lo, end, &rows);
		if (!code && !join(&rows, &r->rules, f32, end - lo, out))
			code = bad_row(r, &rows, f32, lo, end - lo, out);
		if (!code && r->seen)
			code = vs_result_see(r, out, lo, end - lo, !reader);
	}
	return code;
}

int
vs_result_read(struct vs_result *r, uint64_t lo, uint64_t hi,
	struct vs_record *out)
{
	int code = vs_result_wake(r);

	if (!code && !r->scratch)
		code = vs_mem_room(&r->scratch, VS_N_COL * ROWS, 8, "records");
	return code ? code : read_records(r, NULL, lo, hi, out);
}

int
vs_result_reader_records(struct vs_result_reader *reader,
	const struct vs_result *r, uint64_t lo, uint64_t hi,
	struct vs_record *out)
{
	return read_records(r, reader, lo, hi, out);
}

int
vs_result_reader_first(struct vs_result_reader *reader,
	const struct vs_result *r, uint64_t lo, uint64_t hi, uint64_t *i)
{
	return vs_h5_unpacker_rows(reader->unpacker, r->column[VS_COL_I], lo,
		hi, i);
}
