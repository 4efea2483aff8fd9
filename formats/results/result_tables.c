/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of the tables of a result other than records: tiles, index, nodes,
 * statistics. */
#include <stdlib.h>
#include <string.h>

#include "formats/results/result_columns.h"
#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/cube.h"

#define ROWS 65536 /* tiles read at a time: chunks of ours */

/* The columns of /tiles, open. */
struct tiles {
	struct vs_result *of;
	struct vs_h5_reader_data **column; /* null: the file has no tiles */
	uint8_t *room;                     /* rows of one */
	uint64_t n;
	/* of a shard */
	struct vs_plan plan;
	uint64_t next; /* number of records in the rows so far */
	struct vs_digest_sum sum;
};

static void
close_tiles(struct tiles *t)
{
	for (size_t c = 0; t->column && c < vs_n_tile_column; c++)
		vs_h5_reader_data_close(t->column[c]);
	free(t->column);
	free(t->room);
}

/* Number of values of a tile: of its pairs or of its triples. */
static int64_t
values_of(const struct vs_run *run, const struct vs_plan *plan, int64_t bi,
	int64_t bj)
{
	uint64_t n = run->n_way == 3 ? vs_cube_triples(plan, bi, bj)
				     : vs_plan_pairs(plan, bi, bj);

	return (int64_t)(n *
		(uint64_t)__builtin_popcount((unsigned)run->cell_mask));
}

static int
check_tile(struct tiles *t, const struct vs_tile_row *row, uint64_t number)
{
	const char *path = vs_h5_reader_path(t->of->file);
	const struct vs_run *run = &t->of->run;
	int64_t values;

	if (!vs_plan_has(&t->plan, row->bi, row->bj))
		return vs_fail(VS_EINPUT,
			"%s: /tiles: row %llu: %s 0 to %lld expected, tile %d "
			"%d found; recreate the file",
			path, (unsigned long long)number,
			*run->between ? "a tile between the sets of blocks"
				      : "blocks",
			(long long)run->n_blocks - 1, row->bi, row->bj);
	if ((uint64_t)row->first != t->next || row->count < 0 ||
		(uint64_t)row->count > t->of->n_records - t->next)
		return vs_fail(VS_EINPUT,
			"%s: /tiles: row %llu holds records that are not "
			"there: %lld from row %lld, row %llu of %llu expected; "
			"recreate the file",
			path, (unsigned long long)number, (long long)row->count,
			(long long)row->first, (unsigned long long)t->next,
			(unsigned long long)t->of->n_records);
	values = values_of(run, &t->plan, row->bi, row->bj);
	if (row->evaluated != values)
		return vs_fail(VS_EINPUT,
			"%s: /tiles: row %llu: %lld values evaluated, tile %d "
			"%d has %lld; recreate the file",
			path, (unsigned long long)number,
			(long long)row->evaluated, row->bi, row->bj,
			(long long)values);
	t->next += (uint64_t)row->count;
	vs_digest_sum_add(&t->sum, &row->sum);
	return 0;
}

/* Check that tiles follow one another and that their sums add up to the
 * total. */
static int
check_tiles(struct tiles *t, const struct vs_tile_row *row, uint64_t lo,
	uint64_t hi)
{
	const struct vs_result *r = t->of;
	int code = 0;

	for (uint64_t k = lo; k < hi && !code; k++)
		code = check_tile(t, row + (k - lo), k);
	if (code || hi < t->n ||
		(t->next == r->n_records &&
			vs_digest_sum_equal(&t->sum, &r->sum)))
		return code;
	return vs_fail(VS_EINPUT,
		"%s: /tiles: hold %llu records, the file %llu%s; make the file "
		"again",
		vs_h5_reader_path(r->file), (unsigned long long)t->next,
		(unsigned long long)r->n_records,
		t->next == r->n_records ? " of another sum" : "");
}

static int
open_tiles(struct tiles *t, struct vs_result *r)
{
	bool has;
	int code = vs_h5_reader_has(r->file, "/tiles", &has);

	*t = (struct tiles){ .of = r };
	if (!code && r->kind == VS_KIND_SHARD)
		code = vs_run_plan(&r->run, &t->plan);
	if (!code && !has && r->kind == VS_KIND_SHARD && r->n_records)
		code = vs_fail(VS_EINPUT,
			"%s: /tiles: missing, though there are records",
			vs_h5_reader_path(r->file));
	if (code || !has)
		return code;
	t->n = VS_ROWS_UNKNOWN;
	code = vs_mem_new(&t->column, vs_n_tile_column, sizeof(*t->column),
		"columns of tiles");
	for (size_t c = 0; c < vs_n_tile_column && !code; c++)
		code = vs_h5_reader_data(r->file, vs_tile_columns[c].path,
			vs_tile_columns[c].type, 1, &t->n, NULL, &t->column[c]);
	if (!code)
		code = vs_mem_room(&t->room, t->n < ROWS ? t->n : ROWS, 8,
			"tiles");
	/* without rows there are no records */
	if (!code && !t->n && r->kind == VS_KIND_SHARD)
		code = check_tiles(t, NULL, 0, 0);
	return code;
}

/* The tiles that a merged result lacks, without checks against a grid. */
static int
check_gaps(const struct tiles *t, const struct vs_tile_row *row, uint64_t lo,
	uint64_t hi)
{
	for (uint64_t k = lo; k < hi; k++, row++)
		if (row->bi < 0 || row->bj < 0)
			return vs_fail(VS_EINPUT,
				"%s: /tiles: row %llu: tile %d %d cannot be; "
				"recreate the file",
				vs_h5_reader_path(t->of->file),
				(unsigned long long)k, row->bi, row->bj);
	return 0;
}

/* Interleave numbers of 4 or 8 bytes into a column of rows: each size is known
 * at compile time. */
static void
spread(const uint8_t *from, size_t size, size_t n, char *to)
{
	const size_t step = sizeof(struct vs_tile_row);

	for (size_t k = 0; size == 4 && k < n; k++)
		memcpy(to + k * step, from + k * 4, 4);
	for (size_t k = 0; size == 8 && k < n; k++)
		memcpy(to + k * step, from + k * 8, 8);
}

/* Read rows [lo, hi), at most ROWS. */
static int
read_tiles(struct tiles *t, uint64_t lo, uint64_t hi, struct vs_tile_row *rows)
{
	int code = 0;

	for (size_t c = 0; c < vs_n_tile_column && !code; c++) {
		const struct vs_tile_column *of = &vs_tile_columns[c];
		size_t size = of->type == VS_I32 || of->type == VS_F32 ? 4 : 8;
		code = vs_h5_reader_rows(t->column[c], lo, hi, t->room);
		if (!code)
			spread(t->room, size, (size_t)(hi - lo),
				(char *)rows + of->offset);
	}
	if (code)
		return code;
	return t->of->kind == VS_KIND_SHARD ? check_tiles(t, rows, lo, hi)
					    : check_gaps(t, rows, lo, hi);
}

int
vs_result_tiles_each(struct vs_result *r, vs_result_take_tiles *take, void *ctx,
	uint64_t *n)
{
	struct vs_tile_row *rows = NULL;
	struct tiles t;
	int code = open_tiles(&t, r);

	VS_MEM_ROOM(&code, rows, t.n < ROWS ? t.n : ROWS, "tiles");
	for (uint64_t lo = 0, hi; lo < t.n && !code; lo = hi) {
		hi = t.n - lo < ROWS ? t.n : lo + ROWS;
		code = read_tiles(&t, lo, hi, rows);
		if (!code && take)
			code = take(ctx, rows, (size_t)(hi - lo));
	}
	if (!code)
		*n = t.n;
	close_tiles(&t);
	free(rows);
	return code;
}

struct mark {
	struct vs_plan plan;
	uint64_t *done, n_new;
};

static int
mark_some(void *ctx, const struct vs_tile_row *tile, size_t n)
{
	struct mark *m = ctx;

	for (size_t k = 0; k < n; k++)
		m->n_new +=
			vs_plan_mark(&m->plan, m->done, tile[k].bi, tile[k].bj);
	return 0;
}

int
vs_result_tiles_mark(struct vs_result *r, uint64_t *done, uint64_t *n_new,
	uint64_t *n)
{
	struct mark m = { .done = done };
	int code = vs_run_plan(&r->run, &m.plan);

	if (!code)
		code = vs_result_tiles_each(r, mark_some, &m, n);
	*n_new = m.n_new;
	return code;
}

int
vs_result_tiles(struct vs_result *r, struct vs_tile_row **tiles, size_t *n)
{
	struct vs_tile_row *rows = NULL;
	struct tiles t;
	int code = open_tiles(&t, r);

	VS_MEM_ROOM(&code, rows, t.n, "tiles");
	for (uint64_t lo = 0, hi; lo < t.n && !code; lo = hi) {
		hi = t.n - lo < ROWS ? t.n : lo + ROWS;
		code = read_tiles(&t, lo, hi, rows + lo);
	}
	if (code) {
		free(rows);
	} else {
		*tiles = rows;
		*n = t.n;
	}
	close_tiles(&t);
	return code;
}

int
vs_result_index(struct vs_result *r, int64_t **i_offset)
{
	uint64_t n = (uint64_t)r->run.n_vectors + 1;
	int64_t *at = NULL;
	int code = vs_h5_reader_column(r->file, "/index/i_offset", VS_I64, &n,
		&at);

	for (uint64_t v = 0; v < n && !code; v++)
		if (at[v] < (v ? at[v - 1] : 0) || (!v && at[0]) ||
			(v == n - 1 && (uint64_t)at[v] != r->n_records))
			code = vs_fail(VS_EINPUT,
				"%s: /index/i_offset does not fit the records; "
				"recreate the file",
				vs_h5_reader_path(r->file));
	if (code) {
		free(at);
		return code;
	}
	*i_offset = at;
	return 0;
}

/* Read columns of /nodes and /contigs into a table of sites. */
static int
read_sites(struct vs_h5_reader *f, uint64_t n, struct vs_sites *s)
{
	bool has = false;
	int code = vs_site_columns_read(s, f, "/nodes", n, true, true);

	if (!code)
		code = vs_h5_reader_has_attr(f, "/nodes", "ploidy", &has);
	if (code || !has)
		return code;
	return vs_h5_reader_i32(f, "/nodes", "ploidy", &s->ploidy, 1);
}

int
vs_result_nodes(struct vs_result *r, struct vs_nodes *nodes)
{
	struct vs_nodes got = { 0 };
	uint64_t n = VS_ROWS_UNKNOWN;
	int code = vs_h5_reader_column(r->file, "/nodes/vector", VS_I64, &n,
		&got.vector);

	for (uint64_t k = 0; k < n && !code; k++)
		if (got.vector[k] >= r->run.n_vectors ||
			got.vector[k] <= (k ? got.vector[k - 1] : -1))
			code = vs_fail(VS_EINPUT,
				"%s: /nodes/vector does not rise; make the "
				"file again",
				vs_h5_reader_path(r->file));
	if (!code)
		code = read_sites(r->file, n, &got.site);
	for (uint64_t k = 0; k < n && !code; k++)
		if (got.site.source_row[k] < 0 ||
			got.site.source_row[k] >= VS_RECORD_VECTORS)
			code = vs_fail(VS_EINPUT,
				"%s: /nodes/source_row: row %llu is negative "
				"or too large; recreate the file",
				vs_h5_reader_path(r->file),
				(unsigned long long)k);
	if (code) {
		vs_result_nodes_free(&got);
		return code;
	}
	got.n = n;
	*nodes = got;
	return 0;
}

int
vs_result_stats(struct vs_result *r, struct vs_stats *stats)
{
	struct vs_stats s = { 0 };
	bool has;
	int code = vs_h5_reader_has(r->file, "/stats", &has);

	if (!code && has)
		code = vs_run_fields_read(r->file, "/stats", vs_stats_fields,
			r->kind, &s);
	if (!code)
		*stats = s;
	return code;
}
