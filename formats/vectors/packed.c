/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of vectors files, NAME.vec.h5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/packed_held.h"
#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/numbers.h"

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
	"/vectors/haploid",
	"/vectors/male_count",
	"/vectors/cm",
	"/vectors/annotation",
	"/vectors/value_sum",
	"/vectors/source_row",
	"/contigs/*",
	"/samples/*",
	"/phenotypes/*",
	"/annotations/*",
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
			"%s: states inconsistent sizes; recreate it",
			vs_h5_reader_path(p->file));
	return code;
}

/*
 * Numbers below 0, and missing ones, need a word in the features. If there are
 * numbers below 0, none may be huge; else one may, as far as the sums of
 * vectors allow.
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

/* Read group /part, if there is one. */
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
			"%s: /part: states inconsistent sizes; recreate it",
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
			"%s: states inconsistent sizes; recreate it", path);
	else if (p->element == VS_BIT2)
		code = read_genotype_head(p);
	else {
		p->row_bytes = p->n_field * vs_element_bytes(p->element);
		code = read_kinds(p);
	}
	p->sited = p->element == VS_BIT2;
	if (!code && !p->sited)
		code = vs_h5_reader_has(p->file, "/vectors/contig", &p->sited);
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
	vs_h5_reader_data_close(p->stated);
	vs_h5_reader_data_close(p->rows);
	vs_h5_reader_close(p->file);
	vs_packed_held_free(p->held);
	free(p->allele_rule);
	free(p->uuid);
	free(p->content);
	free(p->settings);
	free(p->haploid);
	free(p->male);
	vs_h5_reader_data_close(p->stated_males);
	free(p);
}

const char *
vs_packed_path(const struct vs_packed *p)
{
	return p->held ? p->held->name : vs_h5_reader_path(p->file);
}

/* The same for vectors in memory. */
static int
take_haploid(struct vs_packed *p)
{
	const struct vs_packed_held *h = p->held;
	int code = 0;

	if (h->sites.haploid && !p->haploid)
		code = vs_mem_copy(&p->male, h->male, p->n_field / 64 + 1,
			sizeof(*h->male), "vectors");
	if (h->sites.haploid && !p->haploid && !code)
		code = vs_mem_copy(&p->haploid, h->sites.haploid, p->n_vec, 1,
			"vectors");
	return code;
}

int
vs_packed_read_haploid(struct vs_packed *p)
{
	uint64_t n = p->n_field, dim[2] = { p->n_vec, 2 };
	uint8_t *sex = NULL;
	bool has = false;
	int code = p->held ? take_haploid(p)
		: p->haploid || p->element != VS_BIT2
		? 0
		: vs_h5_reader_has(p->file, "/vectors/haploid", &has);

	if (code || !has)
		return code;
	code = vs_h5_reader_column(p->file, "/samples/sex", VS_U8, &n, &sex);
	VS_MEM_NEW(&code, p->male, n / 64 + 1, "sexes");
	for (uint64_t q = 0; q < n && !code; q++)
		p->male[q / 64] |= (uint64_t)(sex[q] == 1) << q % 64;
	if (!code)
		code = vs_h5_reader_data(p->file, "/vectors/male_count", VS_I64,
			2, dim, NULL, &p->stated_males);
	if (!code)
		code = vs_site_columns_one(p->file, "/vectors",
			VS_SITES_HAPLOID, p->n_vec, &p->haploid);
	free(sex);
	return code;
}

int
vs_packed_want_genotypes(const struct vs_packed *p)
{
	return p->element == VS_BIT2
		? 0
		: vs_fail(VS_EINPUT,
			  "%s: holds numbers (%s), but genotypes are required",
			  vs_packed_path(p), vs_element_name(p->element));
}

/* ---- what the file states of its rows ---- */

static int
open_stated(struct vs_packed *p)
{
	uint64_t dim[2] = { p->n_vec, 4 };

	if (p->stated)
		return 0;
	if (p->element == VS_BIT2)
		return vs_h5_reader_data(p->file, "/vectors/genotype_count",
			VS_I64, 2, dim, NULL, &p->stated);
	return vs_h5_reader_data(p->file, "/vectors/value_sum",
		vs_element_is_integer(p->element) ? VS_U64 : VS_F64, 1, dim,
		NULL, &p->stated);
}

int
vs_packed_stated(struct vs_packed *p, uint64_t lo, uint64_t hi,
	int64_t (*count)[4])
{
	int code;

	if (p->held) {
		memcpy(count, p->held->sites.count + lo,
			(hi - lo) * sizeof(*count));
		return 0;
	}
	code = open_stated(p);

	if (!code)
		code = vs_h5_reader_rows(p->stated, lo, hi, count);
	for (uint64_t v = 0; v < hi - lo && !code; v++) {
		uint64_t sum = 0;

		for (int g = 0; g < 4; g++)
			sum += count[v][g] < 0 ? (uint64_t)1 << 62
					       : (uint64_t)count[v][g];
		if (sum != p->n_field)
			code = vs_fail(VS_EINPUT,
				"%s: /vectors/genotype_count: row %llu does "
				"not add up to the fields; pack the file again",
				vs_h5_reader_path(p->file),
				(unsigned long long)(lo + v));
	}
	return code;
}

int
vs_packed_stated_males(struct vs_packed *p, uint64_t lo, uint64_t hi,
	int64_t (*males)[2])
{
	if (p->held) {
		memcpy(males, p->held->sites.males + lo,
			(hi - lo) * sizeof(*males));
		return 0;
	}
	return vs_h5_reader_rows(p->stated_males, lo, hi, males);
}

/* Check that the haploid calls of vector v are as stated, without two
 * copies. */
static bool
has_males(const struct vs_packed *p, uint64_t v, const uint8_t *row,
	const int64_t males[2])
{
	const struct vs_vec one = { .word = (uint64_t *)row,
		.n_vec = 1,
		.n_field = (size_t)p->n_field,
		.n_word = p->plane_bytes / 8,
		.stride = p->plane_bytes / 8 };
	int64_t male[4] = { 0 };

	if (p->haploid[v])
		vs_haploid_count(&one, 0, p->male, male);
	return male[0] == males[0] && male[1] == males[1] && !male[2];
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

static bool
has_counts(const struct vs_packed *p, const uint8_t *row,
	const int64_t stated[4])
{
	const size_t n_word = p->plane_bytes / 8;
	const struct vs_vec one = { (uint64_t *)(uintptr_t)row, 1, p->n_field,
		n_word, n_word, NULL };
	int64_t count[4];

	vs_vec_count(&one, 0, count);
	return !memcmp(count, stated, sizeof(count));
}

static bool
has_sum(const struct vs_packed *p, const uint8_t *row, const void *stated)
{
	const struct vs_numbers one = { row, p->element, p->n_field,
		p->row_bytes };
	const double sum = vs_numbers_total(&one, 0);
	uint64_t whole;
	double real;

	memcpy(&whole, stated, sizeof(whole));
	memcpy(&real, stated, sizeof(real));
	return vs_element_is_integer(p->element) ? (uint64_t)sum == whole
						 : sum == real;
}

#define FAULT 80

/*
 * True if a row is wrong or, unless that is null, differs from what is stated;
 * the message goes after "vector N".
 */
static bool
row_fault(const struct vs_packed *p, const uint8_t *row, const void *stated,
	char words[FAULT])
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
	else if (p->element != VS_BIT2) {
		if (stated && !has_sum(p, row, stated))
			snprintf(words, FAULT,
				" does not have the sum that "
				"/vectors/value_sum "
				"states");
	} else if (has_tail(p, row) || has_tail(p, row + p->plane_bytes))
		snprintf(words, FAULT, " has bits past its last field");
	else if (exceeds_ploidy(p, row))
		snprintf(words, FAULT,
			" has two copies of an allele in a file of ploidy 1");
	else if (stated && !has_counts(p, row, stated))
		snprintf(words, FAULT,
			" does not have the counts that "
			"/vectors/genotype_count states");
	return words[0];
}

/*
 * Processing of rows that several threads read. Every row before a wrong one is
 * checked, so the first wrong one is the same for any threads.
 */
struct each {
	const struct vs_packed *p;
	vs_h5_reader_sink *sink; /* or null */
	void *ctx;
	uint64_t wrong;        /* the first wrong vector; n_vec: none */
	const uint8_t *stated; /* of vectors from lo on; or null */
	uint64_t lo;
	size_t stated_bytes; /* of a vector */
	int64_t (*males)[2]; /* the same for haploid calls */
	char words[FAULT];
};

static int
check_rows(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	struct each *e = ctx;
	const uint8_t *row = rows;
	char words[FAULT];

	for (uint64_t v = lo; v < hi; v++, row += e->p->row_bytes) {
		const uint8_t *stated = e->stated
			? e->stated + (v - e->lo) * e->stated_bytes
			: NULL;

		if (!row_fault(e->p, row, stated, words) &&
			(!e->males ||
				has_males(e->p, v, row, e->males[v - e->lo])))
			continue;
		if (!*words)
			snprintf(words, FAULT,
				" does not have the haploid calls that "
				"/vectors/male_count states");
#pragma omp critical(vs_packed_wrong)
		if (v < e->wrong) {
			e->wrong = v;
			memcpy(e->words, words, FAULT);
		}
		return VS_EINPUT;
	}
	return e->sink ? e->sink(e->ctx, lo, hi, rows) : 0;
}

#define SLICE (1u << 18) /* vectors whose counts are in memory at a time */

/* Rows in memory, which were checked on arrival. */
static int
each_held(const struct vs_packed *p, uint64_t lo, uint64_t hi, void *out,
	vs_h5_reader_sink *sink, void *ctx)
{
	const uint8_t *row = p->held->row + lo * p->row_bytes;

	if (out)
		memcpy(out, row, (hi - lo) * p->row_bytes);
	return sink ? sink(ctx, lo, hi, out ? out : row) : 0;
}

static int
each_read(struct vs_packed *p, uint64_t lo, uint64_t hi, void *out,
	vs_h5_reader_sink *sink, void *ctx)
{
	const size_t bytes =
		p->element == VS_BIT2 ? sizeof(int64_t[4]) : sizeof(double);
	struct each e = { .p = p,
		.sink = sink,
		.ctx = ctx,
		.wrong = p->n_vec,
		.stated_bytes = bytes };
	void *stated = NULL;
	uint8_t *to = out;
	int code = p->unheld ? 0 : open_stated(p);

	if (!code && !p->unheld)
		code = vs_mem_room(&stated, hi - lo < SLICE ? hi - lo : SLICE,
			bytes, "genotype counts");
	if (!p->unheld && p->haploid)
		VS_MEM_ROOM(&code, e.males, hi - lo < SLICE ? hi - lo : SLICE,
			"counts of males");
	e.stated = stated;
	for (uint64_t end; lo < hi && !code; lo = end) {
		end = hi - lo < SLICE ? hi : lo + SLICE;
		e.lo = lo;
		if (stated && p->element == VS_BIT2)
			code = vs_packed_stated(p, lo, end, stated);
		else if (stated)
			code = vs_h5_reader_rows(p->stated, lo, end, stated);
		if (!code && e.males)
			code = vs_packed_stated_males(p, lo, end, e.males);
		if (!code)
			code = vs_h5_reader_each(p->rows, lo, end, to,
				check_rows, &e);
		to += to ? (end - lo) * p->row_bytes : 0;
	}
	free(stated);
	free(e.males);
	return e.wrong == p->n_vec
		? code
		: vs_fail(VS_EINPUT, "%s: vector %llu%s; pack the file again",
			  vs_h5_reader_path(p->file),
			  (unsigned long long)e.wrong, e.words);
}

int
vs_packed_each(struct vs_packed *p, uint64_t lo, uint64_t hi, void *out,
	vs_h5_reader_sink *sink, void *ctx)
{
	return p->held ? each_held(p, lo, hi, out, sink, ctx)
		       : each_read(p, lo, hi, out, sink, ctx);
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
	/* spread from the end, so that rows may be read in place */
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

	VS_MEM_ROOM(&code, c, p->n_vec, "genotype counts");
	if (!code)
		code = vs_packed_stated(p, 0, p->n_vec, c);
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
			"%s: its vectors were not generated by vsim-pack "
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
		vs_element_is_integer(p->element) ? VS_U64 : VS_F64, &n, sums);
}
