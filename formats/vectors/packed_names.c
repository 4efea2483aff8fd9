/* SPDX-License-Identifier: BSD-3-Clause */
/* Names in a vectors file: its sites, samples and phenotypes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/packed_held.h"
#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* Check that each source row occurs once. */
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
	int code;

	if (p->held)
		return vs_sites_copy(s, &p->held->sites);
	code = vs_site_columns_read(&q, p->file, "/vectors", p->n_vec, p->sited,
		p->element == VS_BIT2);
	if (!code && p->element == VS_BIT2)
		code = vs_packed_stated(p, 0, p->n_vec, q.count);
	if (!code)
		code = check_source(p, q.source_row);
	if (code) {
		vs_sites_free(&q);
		return code;
	}
	q.ploidy = p->ploidy;
	*s = q;
	return 0;
}

int
vs_packed_lend_sites(struct vs_packed *p, struct vs_sites *s)
{
	if (!p->held)
		return vs_packed_sites(p, s);
	*s = p->held->sites;
	s->lent = true;
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
	VS_MEM_NEW(&code, s->phenotype, s->phenotype_name.n, "phenotypes");
	for (size_t k = 0; k < s->phenotype_name.n && !code; k++) {
		const char *name =
			vs_text_pool_get(&s->phenotype_name, k, &len);

		snprintf(path, sizeof(path), "/phenotypes/%.*s", (int)len,
			name);
		code = vs_h5_reader_column(p->file, path, VS_F64, &n,
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

/* A column of the samples, if the file has it. to: address of a pointer, null
 * if it has not; held: the column of an input that is held */
static int
sample_column(struct vs_packed *p, const char *path, enum vs_type type,
	size_t bytes, const void *held, void *to)
{
	uint64_t n = p->n_field;
	bool has = false;
	int code = 0;

	if (p->held)
		return vs_mem_copy(to, held, n, bytes, "samples");
	code = vs_h5_reader_has(p->file, path, &has);
	return code || !has ? code
			    : vs_h5_reader_column(p->file, path, type, &n, to);
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
		code = sample_column(p, "/samples/sex", VS_U8, 1, NULL, &q.sex);
	if (!code)
		code = vs_packed_status(p, &q.case_status);
	if (!code)
		code = vs_packed_trait(p, &q.trait);
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

int
vs_packed_column(struct vs_packed *p, enum vs_sites_numbers column, uint64_t lo,
	uint64_t hi, void *to)
{
	const struct vs_sites_column *c = &vs_sites_columns[column];
	struct vs_h5_reader_data *d = NULL;
	uint64_t dim[2] = { p->n_vec, (uint64_t)c->n };
	char path[64];
	int code;

	if (p->held) {
		memcpy(to,
			(char *)vs_sites_rows(&p->held->sites, column) +
				lo * c->bytes,
			(hi - lo) * c->bytes);
		return 0;
	}
	snprintf(path, sizeof(path), "/vectors/%s", c->name);
	code = vs_h5_reader_data(p->file, path, c->type, c->n > 1 ? 2 : 1, dim,
		NULL, &d);
	if (!code)
		code = vs_h5_reader_rows(d, lo, hi, to);
	vs_h5_reader_data_close(d);
	return code;
}

int
vs_packed_status(struct vs_packed *p, uint8_t **status)
{
	*status = NULL;
	return sample_column(p, "/samples/case", VS_U8, 1,
		p->held ? p->held->status : NULL, status);
}

int
vs_packed_trait(struct vs_packed *p, double **trait)
{
	*trait = NULL;
	return sample_column(p, "/samples/trait", VS_F64, sizeof(double),
		p->held ? p->held->trait : NULL, trait);
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
		code = vs_packed_column(p, VS_SITES_ROW, 0, n, row);
	if (!code)
		code = check_source(p, row);
	if (!code && p->sited && !p->held)
		code = vs_site_columns_one(p->file, "/vectors", VS_SITES_SOURCE,
			n, &source);
	else if (!code)
		code = vs_mem_room(&source, n, 1, "sources of labels");
	if (!code && p->held)
		code = vs_packed_column(p, VS_SITES_SOURCE, 0, n, source);
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
