/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a table of sites: writing and reading. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/haploid.h"

/* Path of a column; it is valid only within the expression that asks for it. */
struct path {
	char text[64];
};

static struct path
path_of(const char *group, const char *column)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), "%s/%s", group, column);
	return p;
}

#define PATH(column) path_of(group, column).text

/* The first of the columns that only vectors files have. */
#define FIRST_OF_VECTORS VS_SITES_CM

/* True for a column that is there, or for one that none may be. */
static bool
is_stored(int column, bool places, bool counts, bool has)
{
	return column == VS_SITES_ROW ||
		(places && (counts || column != VS_SITES_COUNT) &&
			(column < VS_SITES_HAPLOID || has));
}

int
vs_site_columns_write(const struct vs_sites *s, struct vs_h5_writer *w,
	const char *group, bool places, bool counts, struct vs_codec codec)
{
	const bool vectors = !strcmp(group, "/vectors");

	vs_h5_writer_strings(w, PATH("id"), &s->id, codec);
	for (int k = 0; k < VS_SITES_NUMBERS; k++) {
		const struct vs_sites_column *c = &vs_sites_columns[k];
		char dims[64];
		struct vs_h5_writer_shape shape = {
			.type = c->type,
			.n_dim = c->n == 1 ? 1 : 2,
			.dim = { s->n,
				c->n ? (uint64_t)c->n : s->annotation.n },
			.dims = c->n == 1 ? NULL : dims,
			.codec = codec,
			.shuffle = c->type != VS_U8,
		};

		/* "/nodes": node,genotype */
		snprintf(dims, sizeof(dims), "%.*s,%s", (int)strlen(group) - 2,
			group + 1,
			!c->n               ? "annotation"
				: c->n == 4 ? "genotype"
					    : "allele");
		if (is_stored(k, places, counts,
			    vs_sites_rows(s, k) &&
				    (k < FIRST_OF_VECTORS || vectors)))
			vs_h5_writer_rows(w, PATH(c->name), &shape,
				vs_sites_rows(s, k));
	}
	if (s->annotated && vectors) {
		vs_h5_writer_group(w, "/annotations");
		vs_h5_writer_strings(w, "/annotations/name", &s->annotation,
			codec);
	}
	if (!places)
		return vs_h5_writer_code(w);
	vs_h5_writer_pool(w, PATH("allele0"), &s->allele[0], codec);
	vs_h5_writer_pool(w, PATH("allele1"), &s->allele[1], codec);
	vs_h5_writer_group(w, "/contigs");
	vs_h5_writer_strings(w, "/contigs/name", &s->contig_name, codec);
	return vs_h5_writer_column(w, "/contigs/length", VS_I64,
		s->contig_length, s->contig_name.n, codec);
}

/* The value of a row if it is one that cannot be. */
static bool
is_wrong(enum vs_sites_numbers column, const void *rows, uint64_t v,
	double *value)
{
	if (vs_sites_columns[column].type == VS_F64) {
		*value = ((const double *)rows)[v];
		return column == VS_SITES_CM
			? fabs(*value) > VS_SITES_CM_MOST
			: !(fabs(*value) <= VS_SITES_ANNOTATED_MOST);
	}
	*value = vs_sites_columns[column].type == VS_U8
		? ((const uint8_t *)rows)[v]
		: (double)((const int64_t *)rows)[v];
	return column == VS_SITES_POS ? *value < 0
		: column == VS_SITES_SOURCE
		? *value > 1 && *value != VS_ALLELE_UNKNOWN
		: column == VS_SITES_HAPLOID ? *value > VS_HAPLOID_Y
					     : false;
}

/* Open a column; *width: numbers of a row, which for annotations differ. */
static int
open_rows(struct vs_h5_reader *r, const char *group,
	const struct vs_sites_column *c, uint64_t n, uint64_t *width,
	struct vs_h5_reader_data **d)
{
	uint64_t dim[2] = { n, c->n ? (uint64_t)c->n : VS_ROWS_UNKNOWN };
	int code = vs_h5_reader_data(r, PATH(c->name), c->type,
		c->n == 1 ? 1 : 2, dim, NULL, d);

	*width = c->n == 1 ? 1 : dim[1];
	return code || *width <= VS_SITES_ANNOTATIONS
		? code
		: vs_fail(VS_EINPUT,
			  "%s: %s: has %llu columns, and %d are allowed",
			  vs_h5_reader_path(r), PATH(c->name),
			  (unsigned long long)*width, VS_SITES_ANNOTATIONS);
}

static int
read_rows(struct vs_h5_reader *r, const char *group,
	enum vs_sites_numbers column, uint64_t n, uint64_t *width, void *out)
{
	const struct vs_sites_column *c = &vs_sites_columns[column];
	struct vs_h5_reader_data *d = NULL;
	void *rows = NULL;
	double value;
	int code = open_rows(r, group, c, n, width, &d);

	if (!code)
		code = vs_mem_room(&rows, n, c->bytes * (c->n ? 1 : *width),
			c->name);
	if (!code)
		code = vs_h5_reader_rows(d, 0, n, rows);
	vs_h5_reader_data_close(d);
	for (uint64_t k = 0;
		k < n * *width && c->expected && c->type != VS_I32 && !code;
		k++)
		if (is_wrong(column, rows, k, &value))
			code = vs_fail(VS_EINPUT,
				"%s: %s: row %llu: %s expected, %.16g found; "
				"recreate the file",
				vs_h5_reader_path(r), PATH(c->name),
				(unsigned long long)(k / *width), c->expected,
				value);
	if (code)
		free(rows);
	else
		memcpy(out, &rows, sizeof(rows));
	return code;
}

int
vs_site_columns_one(struct vs_h5_reader *r, const char *group,
	enum vs_sites_numbers column, uint64_t n, void *out)
{
	uint64_t width;

	return read_rows(r, group, column, n, &width, out);
}

/* True if contig c is in the list by name, or is unknown, -1. */
static bool
has_contig(const struct vs_sites *s, int64_t c)
{
	size_t len = 0;

	if (c >= 0 && (uint64_t)c < s->contig_name.n)
		vs_text_pool_get(&s->contig_name, (size_t)c, &len);
	return c == -1 || len;
}

/* Numbers of males that cannot be. */
static bool
has_odd_males(const struct vs_sites *s, uint64_t v)
{
	const int64_t *n = s->males[v], most = s->haploid[v] ? INT32_MAX : 0;

	return n[0] < 0 || n[1] < 0 || n[0] > most || n[1] > most;
}

/* Check the columns against one another. */
static int
check_places(const struct vs_sites *s, struct vs_h5_reader *r,
	const char *group)
{
	for (uint64_t v = 0; v < s->n; v++) {
		if (!has_contig(s, s->contig[v]))
			return vs_fail(VS_EINPUT,
				"%s: %s: row %llu names no contig; make the "
				"file again",
				vs_h5_reader_path(r), PATH("contig"),
				(unsigned long long)v);
		if (s->haploid && has_odd_males(s, v))
			return vs_fail(VS_EINPUT,
				"%s: %s: row %llu cannot be; make the file "
				"again",
				vs_h5_reader_path(r), PATH("male_count"),
				(unsigned long long)v);
	}
	return 0;
}

/* A column of rows of which none states a value. */
static int
fill(struct vs_sites *s, int column)
{
	const struct vs_sites_column *c = &vs_sites_columns[column];
	void *rows = NULL;
	int code = vs_mem_new(&rows, s->n, c->bytes, c->name);

	if (code)
		return code;
	memcpy((char *)s + c->at, &rows, sizeof(rows));
	/* a contig of -1, a source of VS_ALLELE_UNKNOWN */
	if (column == VS_SITES_CONTIG || column == VS_SITES_SOURCE)
		memset(rows, 0xff, s->n * c->bytes);
	return 0;
}

static int
read_texts(struct vs_sites *s, struct vs_h5_reader *r, const char *group,
	bool places)
{
	uint64_t n_contig = VS_ROWS_UNKNOWN;
	int code = vs_h5_reader_strings(r, PATH("id"), s->n, &s->id);

	for (uint64_t v = 0; v < s->n && !places && !code; v++)
		for (int a = 0; a < 2 && !code; a++)
			code = vs_text_pool_add(&s->allele[a], "", 0);
	if (code || !places)
		return code;
	code = vs_h5_reader_column(r, "/contigs/length", VS_I64, &n_contig,
		&s->contig_length);
	if (!code)
		code = vs_h5_reader_strings(r, "/contigs/name", n_contig,
			&s->contig_name);
	if (!code)
		code = vs_h5_reader_pool(r, PATH("allele0"), s->n,
			&s->allele[0]);
	s->room[VS_SITES_NUMBERS] = n_contig;
	return code
		? code
		: vs_h5_reader_pool(r, PATH("allele1"), s->n, &s->allele[1]);
}

int
vs_site_columns_read(struct vs_sites *s, struct vs_h5_reader *r,
	const char *group, uint64_t n, bool places, bool counts)
{
	uint64_t width = 0;
	int code;

	s->n = n;
	code = read_texts(s, r, group, places);
	for (int k = 0; k < VS_SITES_NUMBERS && !code; k++) {
		const char *path = PATH(vs_sites_columns[k].name);
		bool has = false;

		/* files without haploid fields, a map or annotations have no
		 * columns for these */
		if (places && k >= VS_SITES_HAPLOID)
			code = vs_h5_reader_has(r, path, &has);
		if (!code && is_stored(k, places, counts, has))
			code = read_rows(r, group, (enum vs_sites_numbers)k, n,
				&width, (char *)s + vs_sites_columns[k].at);
		else if (!code && k < VS_SITES_HAPLOID)
			code = fill(s, k);
		s->room[k] = vs_sites_rows(s, k) ? n : 0;
	}
	if (!code && s->annotated)
		code = vs_h5_reader_strings(r, "/annotations/name", width,
			&s->annotation);
	return code || !places ? code : check_places(s, r, group);
}
