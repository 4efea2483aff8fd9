/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a table of sites: writing and reading. */
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

int
vs_site_columns_write(const struct vs_sites *s, struct vs_h5_writer *w,
	const char *group, bool with_counts, struct vs_codec codec)
{
	char dims[64];
	struct vs_h5_writer_shape counts = {
		.type = VS_I64,
		.n_dim = 2,
		.dim = { s->n, 4 },
		.dims = dims,
		.codec = codec,
		.shuffle = true,
	};

	/* "/nodes": node,genotype */
	snprintf(dims, sizeof(dims), "%.*s,genotype", (int)strlen(group) - 2,
		group + 1);
	vs_h5_writer_column(w, PATH("contig"), VS_I32, 0, s->contig, s->n,
		codec);
	vs_h5_writer_column(w, PATH("pos"), VS_I64, 0, s->pos, s->n, codec);
	vs_h5_writer_pool(w, PATH("allele0"), &s->allele[0], codec);
	vs_h5_writer_pool(w, PATH("allele1"), &s->allele[1], codec);
	vs_h5_writer_column(w, PATH("allele1_source"), VS_U8, 0,
		s->allele1_source, s->n, codec);
	if (with_counts)
		vs_h5_writer_rows(w, PATH("genotype_count"), &counts, s->count);
	if (s->haploid) {
		vs_h5_writer_column(w, PATH("haploid"), VS_U8, 0, s->haploid,
			s->n, codec);
		snprintf(dims, sizeof(dims), "%.*s,allele",
			(int)strlen(group) - 2, group + 1);
		counts.dim[1] = 2;
		vs_h5_writer_rows(w, PATH("male_count"), &counts, s->males);
	}
	vs_h5_writer_group(w, "/contigs");
	vs_h5_writer_strings(w, "/contigs/name", &s->contig_name, codec);
	return vs_h5_writer_column(w, "/contigs/length", VS_I64, 0,
		s->contig_length, s->contig_name.n, codec);
}

/* Columns for haploid fields, which a file without any does not have. */
static int
read_haploid(struct vs_sites *s, struct vs_h5_reader *r, const char *group,
	uint64_t n)
{
	struct vs_h5_reader_data *d = NULL;
	uint64_t dim[2] = { n, 2 };
	bool has;
	int code = vs_h5_reader_has(r, PATH("haploid"), &has);

	if (code || !has)
		return code;
	code = vs_site_columns_haploid(r, group, n, &s->haploid);
	if (!code)
		code = vs_h5_reader_data(r, PATH("male_count"), VS_I64, 2, dim,
			NULL, &d);
	if (!code)
		code = vs_mem_new(&s->males, n, sizeof(*s->males),
			"counts of males");
	if (!code)
		code = vs_h5_reader_rows(d, 0, n, s->males);
	vs_h5_reader_data_close(d);
	for (uint64_t v = 0; v < n && !code; v++)
		if (s->males[v][0] < 0 || s->males[v][1] < 0 ||
			s->males[v][0] > INT32_MAX ||
			s->males[v][1] > INT32_MAX ||
			(!s->haploid[v] && (s->males[v][0] || s->males[v][1])))
			code = vs_fail(VS_EINPUT,
				"%s: %s: row %llu cannot be; make the file "
				"again",
				vs_h5_reader_path(r), PATH("male_count"),
				(unsigned long long)v);
	s->room[6] = s->room[7] = n;
	return code;
}

int
vs_site_columns_haploid(struct vs_h5_reader *r, const char *group, uint64_t n,
	uint8_t **haploid)
{
	uint8_t *h = NULL;
	int code = vs_h5_reader_column(r, PATH("haploid"), VS_U8, NULL, &n, &h);

	for (uint64_t v = 0; v < n && !code; v++)
		if (h[v] > VS_HAPLOID_Y)
			code = vs_fail(VS_EINPUT,
				"%s: %s: row %llu: %u is not a kind of vector; "
				"recreate the file",
				vs_h5_reader_path(r), PATH("haploid"),
				(unsigned long long)v, h[v]);
	if (code) {
		free(h);
		return code;
	}
	*haploid = h;
	return 0;
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

int
vs_site_columns_read(struct vs_sites *s, struct vs_h5_reader *r,
	const char *group, uint64_t n)
{
	uint64_t n_contig = VS_ROWS_UNKNOWN;
	int code;

	if ((code = vs_h5_reader_column(r, "/contigs/length", VS_I64, NULL,
		     &n_contig, &s->contig_length)) ||
		(code = vs_h5_reader_strings(r, "/contigs/name", n_contig,
			 &s->contig_name)) ||
		(code = vs_h5_reader_column(r, PATH("contig"), VS_I32, NULL, &n,
			 &s->contig)) ||
		(code = vs_h5_reader_column(r, PATH("pos"), VS_I64, NULL, &n,
			 &s->pos)) ||
		(code = vs_h5_reader_pool(r, PATH("allele0"), n,
			 &s->allele[0])) ||
		(code = vs_h5_reader_pool(r, PATH("allele1"), n,
			 &s->allele[1])))
		return code;
	for (uint64_t v = 0; v < n; v++)
		if (!has_contig(s, s->contig[v]))
			return vs_fail(VS_EINPUT,
				"%s: %s: row %llu names no contig; make the "
				"file again",
				vs_h5_reader_path(r), PATH("contig"),
				(unsigned long long)v);
	for (uint64_t v = 0; v < n; v++)
		if (s->pos[v] < 0)
			return vs_fail(VS_EINPUT,
				"%s: %s: row %llu: 0 or more expected, %lld "
				"found; recreate the file",
				vs_h5_reader_path(r), PATH("pos"),
				(unsigned long long)v, (long long)s->pos[v]);
	s->n = n;
	for (int k = 0; k < 5; k++)
		s->room[k] = n;
	s->room[5] = n_contig;
	return read_haploid(s, r, group, n);
}

int
vs_site_columns_labels(struct vs_h5_reader *r, const char *group, uint64_t n,
	uint8_t **allele1_source)
{
	uint8_t *x = NULL;
	int code = vs_h5_reader_column(r, PATH("allele1_source"), VS_U8, NULL,
		&n, &x);

	for (uint64_t v = 0; v < n && !code; v++)
		if (x[v] != VS_ALLELE_FIRST && x[v] != VS_ALLELE_SECOND &&
			x[v] != VS_ALLELE_UNKNOWN)
			code = vs_fail(VS_EINPUT,
				"%s: %s: row %llu: 0, 1 or 255 expected, %u "
				"found; recreate the file",
				vs_h5_reader_path(r), PATH("allele1_source"),
				(unsigned long long)v, (unsigned)x[v]);
	if (code) {
		free(x);
		return code;
	}
	*allele1_source = x;
	return 0;
}

int
vs_site_columns_counts(struct vs_h5_reader *r, const char *group, uint64_t n,
	int64_t (**count)[4])
{
	struct vs_h5_reader_data *d = NULL;
	uint64_t dim[2] = { n, 4 };
	int64_t(*c)[4] = NULL;
	int code = vs_h5_reader_data(r, PATH("genotype_count"), VS_I64, 2, dim,
		NULL, &d);

	if (!code)
		code = vs_mem_new(&c, n, sizeof(*c), "genotype counts");
	if (!code)
		code = vs_h5_reader_rows(d, 0, n, c);
	vs_h5_reader_data_close(d);
	if (code) {
		free(c);
		return code;
	}
	*count = c;
	return 0;
}
