/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of the tables beside the records of a result: tiles, index, nodes,
 * statistics. */
#include <stdlib.h>
#include <string.h>

#include "formats/results/result_columns.h"
#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

int
vs_result_tiles(struct vs_result *r, struct vs_tile_row **tiles, size_t *n)
{
	struct vs_tile_row *rows = NULL;
	uint64_t n_tile = VS_ROWS_UNKNOWN;
	uint8_t *column = NULL;
	bool has;
	int code = vs_h5_reader_has(r->file, "/tiles", &has);

	if (!code && !has)
		n_tile = 0;
	for (size_t c = 0; c < vs_n_tile_column && n_tile && !code; c++) {
		const struct vs_tile_column *t = &vs_tile_columns[c];
		size_t size = t->type == VS_I32 || t->type == VS_F32 ? 4 : 8;

		code = vs_h5_reader_column(r->file, t->path, t->type, NULL,
			&n_tile, &column);
		if (!code && !rows)
			code = vs_mem_new(&rows, n_tile, sizeof(*rows),
				"tiles");
		for (size_t k = 0; k < n_tile && !code; k++)
			memcpy((char *)&rows[k] + t->offset, column + k * size,
				size);
		free(column);
		column = NULL;
	}
	for (size_t k = 0; k < n_tile && !code; k++)
		if (rows[k].first < 0 || rows[k].count < 0 ||
			rows[k].evaluated < 0 ||
			(uint64_t)rows[k].first > r->n_records ||
			(uint64_t)rows[k].count >
				r->n_records - (uint64_t)rows[k].first)
			code = vs_fail(VS_EINPUT,
				"%s: /tiles: row %zu holds records that are "
				"not there; make the file anew",
				vs_h5_reader_path(r->file), k);
	if (code) {
		free(rows);
		return code;
	}
	*tiles = rows;
	*n = n_tile;
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
vs_result_index(struct vs_result *r, int64_t **i_offset)
{
	uint64_t n = (uint64_t)r->run.n_vectors + 1;
	int64_t *at = NULL;
	int code = vs_h5_reader_column(r->file, "/index/i_offset", VS_I64, NULL,
		&n, &at);

	for (uint64_t v = 0; v < n && !code; v++)
		if (at[v] < (v ? at[v - 1] : 0) || (!v && at[0]) ||
			(v == n - 1 && (uint64_t)at[v] != r->n_records))
			code = vs_fail(VS_EINPUT,
				"%s: /index/i_offset does not fit the records; "
				"make the file anew",
				vs_h5_reader_path(r->file));
	if (code) {
		free(at);
		return code;
	}
	*i_offset = at;
	return 0;
}

/* Columns of /nodes and /contigs into a table of sites. */
static int
read_sites(struct vs_h5_reader *f, uint64_t n, struct vs_sites *s)
{
	bool has;
	int code;

	if ((code = vs_site_columns_read(s, f, "/nodes", n)) ||
		(code = vs_h5_reader_strings(f, "/nodes/id", n, &s->id)) ||
		(code = vs_h5_reader_column(f, "/nodes/allele1_source", VS_U8,
			 NULL, &n, &s->allele1_source)) ||
		(code = vs_h5_reader_column(f, "/nodes/source_row", VS_I64,
			 NULL, &n, &s->source_row)) ||
		(code = vs_site_columns_counts(f, "/nodes", n, &s->count)) ||
		(code = vs_h5_reader_has_attr(f, "/nodes", "ploidy", &has)) ||
		!has)
		return code;
	return vs_h5_reader_i32(f, "/nodes", "ploidy", &s->ploidy, 1);
}

int
vs_result_nodes(struct vs_result *r, struct vs_nodes *nodes)
{
	struct vs_nodes got = { 0 };
	uint64_t n = VS_ROWS_UNKNOWN;
	int code = vs_h5_reader_column(r->file, "/nodes/vector", VS_I64, NULL,
		&n, &got.vector);

	for (uint64_t k = 0; k < n && !code; k++)
		if (got.vector[k] >= r->run.n_vectors ||
			got.vector[k] <= (k ? got.vector[k - 1] : -1))
			code = vs_fail(VS_EINPUT,
				"%s: /nodes/vector does not rise; make the "
				"file anew",
				vs_h5_reader_path(r->file));
	if (!code)
		code = read_sites(r->file, n, &got.site);
	for (uint64_t k = 0; k < n && !code; k++)
		if (got.site.source_row[k] < 0 ||
			got.site.source_row[k] >= VS_RECORD_VECTORS)
			code = vs_fail(VS_EINPUT,
				"%s: /nodes/source_row: row %llu is negative "
				"or too large; make the file anew",
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
