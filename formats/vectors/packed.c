/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of vectors files, NAME.vec.h5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/packed.h"
#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/record.h"

static const char *const content_attrs[] = {
	"/:format",
	"/vectors:element",
	"/vectors:n_vectors",
	"/vectors:n_fields",
	"/vectors:ploidy",
	"/vectors:plane_bytes",
	"/vectors:allele_rule",
	NULL,
};

static const char *const content_data[] = {
	"/vectors/planes",
	"/vectors/values",
	"/vectors/id",
	"/vectors/contig",
	"/vectors/pos",
	"/vectors/allele0/offset",
	"/vectors/allele0/bytes",
	"/vectors/allele1/offset",
	"/vectors/allele1/bytes",
	"/vectors/allele1_source",
	"/vectors/genotype_count",
	"/vectors/value_sum",
	"/vectors/source_row",
	"/contigs/*",
	"/samples/*",
	"/phenotypes/*",
	NULL,
};

const struct vs_content vs_packed_content = { content_attrs, content_data };

/* ---- reading ---- */

/* Attributes of genotypes, and the size of their rows. */
static int
read_genotype_head(struct vs_packed *p)
{
	int64_t plane_bytes = 0;
	int32_t ploidy = 0;
	int code = vs_h5_reader_i64(p->file, "/vectors", "plane_bytes",
		&plane_bytes, 1);

	if (!code)
		code = vs_h5_reader_i32(p->file, "/vectors", "ploidy", &ploidy,
			1);
	if (!code)
		code = vs_h5_reader_text(p->file, "/vectors", "allele_rule",
			&p->allele_rule);
	p->plane_bytes = (p->n_field + 63) / 64 * 8;
	p->row_bytes = 2 * p->plane_bytes;
	p->ploidy = ploidy;
	if (!code &&
		(ploidy < 1 || ploidy > 2 ||
			plane_bytes != (int64_t)p->plane_bytes))
		code = vs_fail(VS_EINPUT,
			"%s: states sizes that do not fit each other; make it "
			"anew",
			vs_h5_reader_path(p->file));
	return code;
}

/*
 * Numbers below 0, and missing ones, need a word of the features. Of numbers
 * below 0 none may be huge; else one may, as far as the sums of vectors allow.
 */
static int
read_kinds(struct vs_packed *p)
{
	char *all = NULL, *word, *rest;
	int code = vs_h5_reader_text(p->file, "/", "required_features", &all);

	if (code)
		return code;
	for (word = strtok_r(all, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest)) {
		if (!strcmp(word, "signed"))
			p->kinds |= VS_NUMBER_NEGATIVE;
		if (!strcmp(word, "missing"))
			p->kinds |= VS_NUMBER_MISSING;
	}
	if (!(p->kinds & VS_NUMBER_NEGATIVE))
		p->kinds |= VS_NUMBER_HUGE;
	free(all);
	return 0;
}

/* Group /part, where there is one. */
static int
read_part(struct vs_packed *p)
{
	struct vs_h5_reader *f = p->file;
	struct vs_part x = { 0 };
	char *unit = NULL;
	bool has;
	int code = vs_h5_reader_has(f, "/part", &has);

	if (code || !has)
		return code;
	if ((code = vs_h5_reader_i64(f, "/part", "k", &x.k, 1)) ||
		(code = vs_h5_reader_i64(f, "/part", "n", &x.n, 1)) ||
		(code = vs_h5_reader_u64(f, "/part", "lo", &x.lo, 1)) ||
		(code = vs_h5_reader_u64(f, "/part", "hi", &x.hi, 1)) ||
		(code = vs_h5_reader_u64(f, "/part", "all", &x.all, 1)) ||
		(code = vs_h5_reader_text(f, "/part", "unit", &unit)) ||
		(code = vs_h5_reader_text(f, "/part", "settings",
			 &p->settings)))
		goto out;
	x.bytes = !strcmp(unit, "byte");
	if (x.k < 1 || x.k > x.n || x.n > VS_PART_MOST || x.lo > x.hi ||
		x.hi > x.all)
		code = vs_fail(VS_EINPUT,
			"%s: /part: states sizes that do not fit each other; "
			"make it anew",
			vs_h5_reader_path(f));
	p->part = x;
out:
	free(unit);
	return code;
}

static int
read_head(struct vs_packed *p)
{
	const char *path = vs_h5_reader_path(p->file);
	int64_t n_vec = 0, n_field = 0;
	char *element = NULL;
	int code;

	if ((code = vs_h5_reader_text(p->file, "/vectors", "element",
		     &element)) ||
		(code = vs_h5_reader_i64(p->file, "/vectors", "n_vectors",
			 &n_vec, 1)) ||
		(code = vs_h5_reader_i64(p->file, "/vectors", "n_fields",
			 &n_field, 1)) ||
		(code = vs_h5_reader_text(p->file, "/", "uuid", &p->uuid)) ||
		(code = vs_h5_reader_text(p->file, "/", "content_xxh128",
			 &p->content)))
		goto out;
	code = read_part(p);
	if (code)
		goto out;
	p->n_vec = (uint64_t)n_vec;
	p->n_field = (uint64_t)n_field;
	if (!vs_element_find(element, &p->element))
		code = vs_fail(VS_EINPUT,
			"%s: holds vectors of %.20s, which this version does "
			"not know",
			path, element);
	else if (n_vec < !p->part.n || p->n_vec > VS_PACKED_VECTORS ||
		n_field < 1 || p->n_field > VS_PACKED_FIELDS)
		code = vs_fail(VS_EINPUT,
			"%s: states sizes that do not fit each other; make it "
			"anew",
			path);
	else if (p->element == VS_BIT2)
		code = read_genotype_head(p);
	else {
		p->row_bytes = p->n_field * vs_element_bytes(p->element);
		code = read_kinds(p);
	}
out:
	free(element);
	return code;
}

enum vs_type
vs_packed_type(enum vs_element e)
{
	static const enum vs_type type[] = {
		[VS_BIT2] = VS_U8,
		[VS_NUM_U8] = VS_U8,
		[VS_NUM_U16] = VS_U16,
		[VS_NUM_U32] = VS_U32,
		[VS_NUM_F32] = VS_F32,
		[VS_NUM_F64] = VS_F64,
	};

	return type[e];
}

static int
open_rows(struct vs_packed *p)
{
	uint64_t planes[3] = { p->n_vec, 2, p->plane_bytes };
	uint64_t values[2] = { p->n_vec, p->n_field };

	if (p->element == VS_BIT2)
		return vs_h5_reader_data(p->file, "/vectors/planes", VS_U8, 3,
			planes, NULL, &p->rows);
	return vs_h5_reader_data(p->file, "/vectors/values",
		vs_packed_type(p->element), 2, values, NULL, &p->rows);
}

int
vs_packed_open(struct vs_packed **p, const char *path, unsigned flags)
{
	struct vs_packed *q = NULL;
	int code = vs_mem_new(&q, 1, sizeof(*q), path);

	if (code)
		return code;
	code = vs_h5_reader_open(&q->file, path, 1u << VS_KIND_VECTORS,
		flags & ~VS_PACKED_PART, NULL);
	if (!code)
		code = read_head(q);
	if (!code && q->part.n && !(flags & VS_PACKED_PART))
		code = vs_fail(VS_EINPUT,
			"%s: is part %lld of %lld of a vectors file; vsim-pack "
			"--parts puts them together",
			path, (long long)q->part.k, (long long)q->part.n);
	if (!code)
		code = open_rows(q);
	if (code) {
		vs_packed_close(q);
		return code;
	}
	*p = q;
	return 0;
}

void
vs_packed_close(struct vs_packed *p)
{
	if (!p)
		return;
	vs_h5_reader_data_close(p->rows);
	vs_h5_reader_close(p->file);
	free(p->allele_rule);
	free(p->uuid);
	free(p->content);
	free(p->settings);
	free(p);
}

int
vs_packed_want_genotypes(const struct vs_packed *p)
{
	return p->element == VS_BIT2
		? 0
		: vs_fail(VS_EINPUT,
			  "%s: holds numbers (%s), wanted are genotypes",
			  vs_h5_reader_path(p->file),
			  vs_element_name(p->element));
}

/* The last word of a plane must be zero past the last field. */
static bool
has_tail(const struct vs_packed *p, const uint8_t *plane)
{
	uint64_t last;

	memcpy(&last, plane + p->plane_bytes - 8, 8);
	return p->n_field % 64 && last >> p->n_field % 64;
}

/* No field of a vector of ploidy 1 may have two copies of an allele. */
static bool
exceeds_ploidy(const struct vs_packed *p, const uint8_t *row)
{
	uint64_t two = 0, w[2];

	for (size_t at = 0; at < p->plane_bytes && p->ploidy == 1; at += 8) {
		memcpy(&w[0], row + at, 8);
		memcpy(&w[1], row + p->plane_bytes + at, 8);
		two |= w[0] & w[1];
	}
	return two;
}

#define FAULT 80

/* True if a row is wrong; the words go after "vector N". */
static bool
row_fault(const struct vs_packed *p, const uint8_t *row, char words[FAULT])
{
	size_t q = p->n_field;

	words[0] = '\0';
	if (p->element != VS_BIT2)
		q = vs_element_odd(p->element, row, p->n_field, p->kinds);
	if (q < p->n_field)
		snprintf(words, FAULT, ", field %zu: %g is %s", q,
			vs_element_get(p->element, row, q),
			p->kinds & VS_NUMBER_NEGATIVE
				? "not finite, or 2^990 or more"
				: "negative or not finite");
	else if (p->element != VS_BIT2)
		return false;
	else if (has_tail(p, row) || has_tail(p, row + p->plane_bytes))
		snprintf(words, FAULT, " has bits past its last field");
	else if (exceeds_ploidy(p, row))
		snprintf(words, FAULT,
			" has two copies of an allele in a file of ploidy 1");
	return words[0];
}

/*
 * Processing of rows that are read by several threads. Every row before a wrong
 * one is looked at, so the first wrong one is the same for any threads.
 */
struct each {
	const struct vs_packed *p;
	vs_h5_reader_sink *sink; /* or null */
	void *ctx;
	uint64_t wrong; /* the first wrong vector; n_vec: none */
	char words[FAULT];
};

static int
check_rows(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	struct each *e = ctx;
	const uint8_t *row = rows;
	char words[FAULT];

	for (uint64_t v = lo; v < hi; v++, row += e->p->row_bytes) {
		if (!row_fault(e->p, row, words))
			continue;
#pragma omp critical(vs_packed_wrong)
		if (v < e->wrong) {
			e->wrong = v;
			memcpy(e->words, words, FAULT);
		}
		return VS_EINPUT;
	}
	return e->sink ? e->sink(e->ctx, lo, hi, rows) : 0;
}

int
vs_packed_each(struct vs_packed *p, uint64_t lo, uint64_t hi, void *out,
	vs_h5_reader_sink *sink, void *ctx)
{
	struct each e = { p, sink, ctx, p->n_vec, "" };
	int code = vs_h5_reader_each(p->rows, lo, hi, out, check_rows, &e);

	return e.wrong == p->n_vec
		? code
		: vs_fail(VS_EINPUT, "%s: vector %llu%s; make the file anew",
			  vs_h5_reader_path(p->file),
			  (unsigned long long)e.wrong, e.words);
}

int
vs_packed_rows(struct vs_packed *p, uint64_t lo, uint64_t hi, void *out)
{
	return vs_packed_each(p, lo, hi, out, NULL, NULL);
}

int
vs_packed_read(struct vs_packed *p, uint64_t lo, uint64_t hi,
	struct vs_vec *out, uint64_t at)
{
	size_t bytes = p->plane_bytes, wide = out->n_word * 8;
	uint8_t *to = (uint8_t *)vs_vec_plane(out, at, 0);
	int code = vs_packed_want_genotypes(p);

	if (!code)
		code = vs_packed_rows(p, lo, hi, to);
	/* spread from behind, so that rows may be read in place */
	for (uint64_t k = 2 * (hi - lo); k-- > 0 && !code && wide != bytes;) {
		memmove(to + k * wide, to + k * bytes, bytes);
		memset(to + k * wide + bytes, 0, wide - bytes);
	}
	return code;
}

int
vs_packed_counts(struct vs_packed *p, int64_t (**count)[4])
{
	int64_t(*c)[4] = NULL;
	int code = vs_packed_want_genotypes(p);

	if (!code)
		code = vs_site_columns_counts(p->file, "/vectors", p->n_vec,
			&c);
	for (uint64_t v = 0; v < p->n_vec && !code; v++) {
		uint64_t sum = 0;

		for (int g = 0; g < 4; g++)
			sum += c[v][g] < 0 ? (uint64_t)1 << 62
					   : (uint64_t)c[v][g];
		if (sum != p->n_field)
			code = vs_fail(VS_EINPUT,
				"%s: /vectors/genotype_count: row %llu does "
				"not add up to the fields; make the file anew",
				vs_h5_reader_path(p->file),
				(unsigned long long)v);
	}
	if (code) {
		free(c);
		return code;
	}
	*count = c;
	return 0;
}

int
vs_packed_synthetic(struct vs_packed *p, struct vs_synthetic *s)
{
	const char *path = vs_h5_reader_path(p->file);
	struct vs_synthetic t = { 0 };
	char *kind = NULL;
	bool has;
	int code = vs_h5_reader_has(p->file, "/synthetic", &has);

	if (code)
		return code;
	if (!has)
		return vs_fail(VS_EINPUT,
			"%s: its vectors were not made up by vsim-pack "
			"--synthetic random or analytic",
			path);
	code = vs_h5_reader_text(p->file, "/synthetic", "kind", &kind);
	if (!code)
		code = vs_h5_reader_u64(p->file, "/synthetic", "seed", &t.seed,
			1);
	if (!code)
		code = vs_h5_reader_f64(p->file, "/synthetic", "missing",
			&t.missing, 1);
	t.analytic = !code && !strcmp(kind, "analytic");
	if (!code &&
		((!t.analytic && strcmp(kind, "random")) ||
			!(t.missing >= 0 && t.missing <= 1)))
		code = vs_fail(VS_EINPUT,
			"%s: /synthetic: this version does not know how", path);
	if (!code)
		*s = t;
	free(kind);
	return code;
}

int
vs_packed_sums(struct vs_packed *p, void *sums)
{
	uint64_t n = p->n_vec;

	return vs_h5_reader_column(p->file, "/vectors/value_sum",
		vs_element_is_integer(p->element) ? VS_U64 : VS_F64, NULL, &n,
		sums);
}

int
vs_packed_source(struct vs_packed *p, int64_t **source_row,
	uint8_t **allele1_source)
{
	uint64_t n = p->n_vec;
	int64_t *row = NULL;
	uint8_t *source = NULL;
	int code = vs_h5_reader_column(p->file, "/vectors/source_row", VS_I64,
		NULL, &n, &row);

	if (!code && p->element == VS_BIT2)
		code = vs_h5_reader_column(p->file, "/vectors/allele1_source",
			VS_U8, NULL, &n, &source);
	else if (!code)
		code = vs_mem_room(&source, n, 1, "sources of labels");
	if (!code && p->element != VS_BIT2)
		memset(source, VS_ALLELE_UNKNOWN, n);
	for (uint64_t v = 0; v < n && !code; v++)
		if (row[v] < 0 || row[v] >= VS_RECORD_VECTORS)
			code = vs_fail(VS_EINPUT,
				"%s: /vectors/source_row: row %llu is "
				"negative or too large; make the file anew",
				vs_h5_reader_path(p->file),
				(unsigned long long)v);
	if (code) {
		free(row);
		free(source);
		return code;
	}
	*source_row = row;
	*allele1_source = source;
	return 0;
}

/* The columns of vectors of numbers, of whose sites nothing is known. */
static int
make_number_columns(struct vs_packed *p, struct vs_sites *s)
{
	uint64_t n = p->n_vec;
	int code = vs_mem_room(&s->contig, n, sizeof(*s->contig), "contigs");

	for (uint64_t v = 0; v < n && !code; v++)
		s->contig[v] = -1;
	if (!code)
		code = vs_mem_new(&s->pos, n, sizeof(*s->pos), "positions");
	if (!code)
		code = vs_mem_new(&s->count, n, sizeof(*s->count), "counts");
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
	int code = vs_h5_reader_data(p->file, "/vectors/id", VS_STR, 1, &n,
		&width, &d);

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
	int code = vs_h5_reader_strings(p->file, "/vectors/id", n, &q.id);

	if (!code)
		code = p->element == VS_BIT2
			? vs_site_columns_read(&q, p->file, "/vectors", n)
			: make_number_columns(p, &q);
	if (!code && p->element == VS_BIT2)
		code = vs_packed_counts(p, &q.count);
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
	if (code) {
		vs_sites_samples_free(&q);
		return code;
	}
	*s = q;
	return 0;
}
