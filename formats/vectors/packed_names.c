/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in a vectors file: its sites, samples and phenotypes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/packed_held.h"
#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* The columns of vectors of numbers, whose sites are unknown. */
static int
make_number_columns(struct vs_packed *p, struct vs_sites *s)
{
	uint64_t n = p->n_vec;
	int code = vs_mem_room(&s->contig, n, sizeof(*s->contig), "contigs");

	for (uint64_t v = 0; v < n && !code; v++)
		s->contig[v] = -1;
	if (!code)
		code = vs_mem_new(&s->pos, n, sizeof(*s->pos), "positions");
	for (uint64_t v = 0; v < n && !code; v++)
		for (int a = 0; a < 2 && !code; a++)
			code = vs_text_pool_add(&s->allele[a], "", 0);
	s->n = n;
	for (int k = 0; k < 5; k++)
		s->room[k] = n;
	return code;
}

int
vs_packed_id(struct vs_packed *p, uint64_t v, char id[VS_PACKED_ID])
{
	struct vs_h5_reader_data *d = NULL;
	uint64_t n = p->n_vec;
	char *row = NULL;
	size_t width = 0;
	int code;

	if (p->held) {
		const char *text =
			vs_text_pool_get(&p->held->sites.id, v, &width);

		snprintf(id, VS_PACKED_ID, "%.*s", (int)width, text);
		return 0;
	}
	code = vs_h5_reader_data(p->file, "/vectors/id", VS_STR, 1, &n, &width,
		&d);

	if (!code)
		code = vs_mem_room(&row, 1, width, "an id");
	if (!code)
		code = vs_h5_reader_rows(d, v, v + 1, row);
	if (!code)
		snprintf(id, VS_PACKED_ID, "%.*s", (int)width, row);
	free(row);
	vs_h5_reader_data_close(d);
	return code;
}

int
vs_packed_sites(struct vs_packed *p, struct vs_sites *s)
{
	struct vs_sites q = { 0 };
	uint64_t n = p->n_vec;
	int code;

	if (p->held)
		return vs_sites_copy(s, &p->held->sites);
	code = vs_h5_reader_strings(p->file, "/vectors/id", n, &q.id);
	if (!code)
		code = p->sited
			? vs_site_columns_read(&q, p->file, "/vectors", n)
			: make_number_columns(p, &q);
	if (!code && p->element == VS_BIT2)
		code = vs_packed_counts(p, &q.count);
	else if (!code)
		code = vs_mem_new(&q.count, n, sizeof(*q.count), "counts");
	if (!code)
		code = vs_packed_source(p, &q.source_row, &q.allele1_source);
	if (code) {
		vs_sites_free(&q);
		return code;
	}
	q.ploidy = p->ploidy;
	*s = q;
	return 0;
}

static int
read_phenotypes(struct vs_packed *p, struct vs_samples *s)
{
	uint64_t n = p->n_field;
	char path[512];
	size_t len;
	bool has;
	int code = vs_h5_reader_has(p->file, "/phenotypes", &has);

	if (code || !has)
		return code;
	code = vs_h5_reader_members(p->file, "/phenotypes", &s->phenotype_name);
	if (!code)
		code = vs_mem_new(&s->phenotype, s->phenotype_name.n,
			sizeof(*s->phenotype), "phenotypes");
	for (size_t k = 0; k < s->phenotype_name.n && !code; k++) {
		const char *name =
			vs_text_pool_get(&s->phenotype_name, k, &len);

		snprintf(path, sizeof(path), "/phenotypes/%.*s", (int)len,
			name);
		code = vs_h5_reader_column(p->file, path, VS_F64, NULL, &n,
			&s->phenotype[k]);
	}
	return code;
}

/* A sample is identified by its family and id, in sets and in new files. */
static int
check_twice(struct vs_packed *p, const struct vs_samples *s)
{
	struct vs_text key = { 0 };
	int64_t row[2];
	int code = vs_sites_samples_twice(s, row, &key);

	if (!code && row[1] >= 0)
		code = vs_fail(VS_EINPUT,
			"%s: /samples/id: row %lld: %s occurs twice; make the "
			"file again",
			vs_h5_reader_path(p->file), (long long)row[1],
			key.bytes);
	vs_text_free(&key);
	return code;
}

int
vs_packed_samples(struct vs_packed *p, struct vs_samples *s)
{
	struct vs_samples q = { 0 };
	uint64_t n = p->n_field;
	bool has = false;
	int code = vs_h5_reader_strings(p->file, "/samples/id", n, &q.id);

	q.n = n;
	if (!code)
		code = vs_h5_reader_has(p->file, "/samples/family", &has);
	if (!code && has)
		code = vs_h5_reader_strings(p->file, "/samples/family", n,
			&q.family);
	if (!code)
		code = vs_h5_reader_has(p->file, "/samples/sex", &has);
	if (!code && has)
		code = vs_h5_reader_column(p->file, "/samples/sex", VS_U8, NULL,
			&n, &q.sex);
	if (!code)
		code = vs_h5_reader_has(p->file, "/samples/case", &has);
	if (!code && has)
		code = vs_h5_reader_column(p->file, "/samples/case", VS_U8,
			NULL, &n, &q.case_status);
	if (!code)
		code = read_phenotypes(p, &q);
	if (!code)
		code = check_twice(p, &q);
	if (code) {
		vs_sites_samples_free(&q);
		return code;
	}
	*s = q;
	return 0;
}

/* Check that source rows are those of all vectors, once each. */
static int
check_source(const struct vs_packed *p, const int64_t *row)
{
	const uint64_t n = p->n_vec;
	uint64_t *seen = NULL;
	int code = vs_mem_new(&seen, n / 64 + 1, sizeof(*seen), "source rows");

	for (uint64_t v = 0; v < n && !code; v++) {
		const uint64_t from = (uint64_t)row[v];
		const bool in = from < n;

		if (!in || seen[from / 64] >> from % 64 & 1)
			code = vs_fail(VS_EINPUT,
				"%s: /vectors/source_row: row %llu: %lld %s; "
				"recreate the file",
				vs_h5_reader_path(p->file),
				(unsigned long long)v, (long long)row[v],
				in ? "occurs twice" : "is out of range");
		else
			seen[from / 64] |= (uint64_t)1 << from % 64;
	}
	free(seen);
	return code;
}

/* Rows [lo, hi) of a column of the file's vectors. */
static int
read_rows(struct vs_packed *p, const char *path, enum vs_type type, uint64_t lo,
	uint64_t hi, void *to)
{
	struct vs_h5_reader_data *d = NULL;
	uint64_t n = p->n_vec;
	int code = vs_h5_reader_data(p->file, path, type, 1, &n, NULL, &d);

	if (!code)
		code = vs_h5_reader_rows(d, lo, hi, to);
	vs_h5_reader_data_close(d);
	return code;
}

int
vs_packed_source_rows(struct vs_packed *p, uint64_t lo, uint64_t hi,
	int64_t *row)
{
	if (!p->held)
		return read_rows(p, "/vectors/source_row", VS_I64, lo, hi, row);
	memcpy(row, p->held->sites.source_row + lo, (hi - lo) * sizeof(*row));
	return 0;
}

int
vs_packed_labels(struct vs_packed *p, uint64_t lo, uint64_t hi,
	uint8_t *allele1_source)
{
	if (!p->held)
		return read_rows(p, "/vectors/allele1_source", VS_U8, lo, hi,
			allele1_source);
	memcpy(allele1_source, p->held->sites.allele1_source + lo, hi - lo);
	return 0;
}

int
vs_packed_status(struct vs_packed *p, uint8_t **status)
{
	uint64_t n = p->n_field;
	bool has = false;
	int code = 0;

	*status = NULL;
	if (p->held)
		return vs_packed_held_status(p->held, n, status);
	code = vs_h5_reader_has(p->file, "/samples/case", &has);
	return code || !has ? code
			    : vs_h5_reader_column(p->file, "/samples/case",
				      VS_U8, NULL, &n, status);
}

int
vs_packed_source(struct vs_packed *p, int64_t **source_row,
	uint8_t **allele1_source)
{
	uint64_t n = p->n_vec;
	int64_t *row = NULL;
	uint8_t *source = NULL;
	int code = vs_mem_room(&row, n, sizeof(*row), "source rows");

	if (!code)
		code = vs_packed_source_rows(p, 0, n, row);
	if (!code)
		code = check_source(p, row);
	if (!code && p->sited && !p->held)
		code = vs_site_columns_labels(p->file, "/vectors", n, &source);
	else if (!code)
		code = vs_mem_room(&source, n, 1, "sources of labels");
	if (!code && p->held)
		code = vs_packed_labels(p, 0, n, source);
	else if (!code && !p->sited)
		memset(source, VS_ALLELE_UNKNOWN, n);
	if (code) {
		free(row);
		free(source);
		return code;
	}
	*source_row = row;
	*allele1_source = source;
	return 0;
}
