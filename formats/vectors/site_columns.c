/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a table of sites: writing and reading. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* Path of a column; it lives as long as the expression that asks for it. */
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
	const char *group, struct vs_codec codec)
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
	vs_h5_writer_rows(w, PATH("genotype_count"), &counts, s->count);
	vs_h5_writer_group(w, "/contigs");
	vs_h5_writer_strings(w, "/contigs/name", &s->contig_name, codec);
	return vs_h5_writer_column(w, "/contigs/length", VS_I64, 0,
		s->contig_length, s->contig_name.n, codec);
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
		if (s->contig[v] < -1 || s->contig[v] >= (int64_t)n_contig)
			return vs_fail(VS_EINPUT,
				"%s: %s: row %llu names no contig; make the "
				"file anew",
				vs_h5_reader_path(r), PATH("contig"),
				(unsigned long long)v);
	s->n = n;
	for (int k = 0; k < 5; k++)
		s->room[k] = n;
	s->room[5] = n_contig;
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
