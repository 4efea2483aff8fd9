/* SPDX-License-Identifier: BSD-3-Clause */
/* Comparison of two files by content, whatever their provenance. */
#include <stdlib.h>
#include <string.h>

#include "formats/check/compare.h"
#include "formats/results/ordered.h"
#include "formats/results/result_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

/* ---- vectors ---- */

static int
compare_texts(const char *names, const char *object,
	const struct vs_text_pool *a, const struct vs_text_pool *b)
{
	size_t la, lb;

	if (a->n != b->n)
		return vs_fail(VS_ENO, "%s: %s: %zu rows against %zu", names,
			object, a->n, b->n);
	for (size_t k = 0; k < a->n; k++) {
		const char *x = vs_text_pool_get(a, k, &la);
		const char *y = vs_text_pool_get(b, k, &lb);

		if (la != lb || memcmp(x, y, la))
			return vs_fail(VS_ENO,
				"%s: %s: row %zu: %.*s against %.*s", names,
				object, k, (int)la, x, (int)lb, y);
	}
	return 0;
}

/* Integers are below 2^53. */
static double
number_at(const struct vs_sites_column *c, const void *rows, uint64_t k)
{
	if (!rows)
		return 0;
	return c->type == VS_U8     ? ((const uint8_t *)rows)[k]
		: c->type == VS_I32 ? ((const int32_t *)rows)[k]
		: c->type == VS_F64 ? ((const double *)rows)[k]
				    : (double)((const int64_t *)rows)[k];
}

/* width numbers a row; an absent column holds 0. NaN equals NaN. */
static int
compare_column(const char *names, const struct vs_sites_column *c, uint64_t n,
	uint64_t width, const void *a, const void *b)
{
	for (uint64_t k = 0; k < n * width; k++) {
		const double x = number_at(c, a, k), y = number_at(c, b, k);

		if (x != y && (x == x || y == y))
			return vs_fail(VS_ENO,
				"%s: /vectors/%s: row %llu: %.17g against "
				"%.17g",
				names, c->name, (unsigned long long)(k / width),
				x, y);
	}
	return 0;
}

static int
compare_sites(const char *names, const struct vs_sites *a,
	const struct vs_sites *b)
{
	int code = compare_texts(names, "/vectors/id", &a->id, &b->id);

	if (!code)
		code = compare_texts(names, "/vectors/allele0", &a->allele[0],
			&b->allele[0]);
	if (!code)
		code = compare_texts(names, "/vectors/allele1", &a->allele[1],
			&b->allele[1]);
	if (!code)
		code = compare_texts(names, "/contigs/name", &a->contig_name,
			&b->contig_name);
	if (!code)
		code = compare_texts(names, "/annotations/name", &a->annotation,
			&b->annotation);
	for (int k = 0; k < VS_SITES_NUMBERS && !code; k++) {
		const struct vs_sites_column *c = &vs_sites_columns[k];

		/* several numbers count the genotypes, which are compared */
		if (c->n < 2)
			code = compare_column(names, c, a->n,
				c->n ? 1 : a->annotation.n, vs_sites_rows(a, k),
				vs_sites_rows(b, k));
	}
	return code;
}

/* First genotype that differs in row 0 of two blocks. */
static int
compare_row(const char *names, uint64_t row, const struct vs_vec *a,
	const struct vs_vec *b)
{
	for (size_t q = 0; q < a->n_field; q++) {
		int x = vs_vec_get(a, 0, q), y = vs_vec_get(b, 0, q);

		if (x != y)
			return vs_fail(VS_ENO,
				"%s: /vectors/planes: row %llu field %zu: %c "
				"against %c",
				names, (unsigned long long)row, q, "012."[x],
				"012."[y]);
	}
	return 0;
}

static int
compare_planes(const char *names, struct vs_packed *a, struct vs_packed *b)
{
	struct vs_vec x = { 0 }, y = { 0 };
	int code = vs_vec_new(&x, 1, a->n_field);

	if (!code)
		code = vs_vec_new(&y, 1, a->n_field);
	for (uint64_t v = 0; v < a->n_vec && !code; v++) {
		code = vs_packed_read(a, v, v + 1, &x, 0);
		if (!code)
			code = vs_packed_read(b, v, v + 1, &y, 0);
		if (!code && memcmp(x.word, y.word, 16 * x.n_word))
			code = compare_row(names, v, &x, &y);
	}
	vs_vec_free(&y);
	vs_vec_free(&x);
	return code;
}

/* The same for numbers. */
static int
compare_values(const char *names, struct vs_packed *a, struct vs_packed *b)
{
	const size_t bytes = vs_element_bytes(a->element);
	uint8_t *x = NULL, *y = NULL;
	int code = vs_mem_room(&x, 1, a->row_bytes, "a vector");

	if (!code)
		code = vs_mem_room(&y, 1, a->row_bytes, "a vector");
	for (uint64_t v = 0; v < a->n_vec && !code; v++) {
		uint64_t q = 0;

		code = vs_packed_rows(a, v, v + 1, x);
		if (!code)
			code = vs_packed_rows(b, v, v + 1, y);
		if (code || !memcmp(x, y, a->row_bytes))
			continue;
		while (!memcmp(x + q * bytes, y + q * bytes, bytes))
			q++;
		code = vs_fail(VS_ENO,
			"%s: /vectors/values: row %llu field %llu: %.17g "
			"against %.17g",
			names, (unsigned long long)v, (unsigned long long)q,
			vs_element_get(a->element, x, q),
			vs_element_get(a->element, y, q));
	}
	free(x);
	free(y);
	return code;
}

static int
compare_content(const char *names, struct vs_packed *a, struct vs_packed *b)
{
	struct vs_sites sites[2] = { 0 };
	struct vs_samples samples[2] = { 0 };
	int code = 0;

	if (a->n_vec != b->n_vec || a->n_field != b->n_field)
		return vs_fail(VS_ENO, "%s: %llu x %llu against %llu x %llu",
			names, (unsigned long long)a->n_vec,
			(unsigned long long)a->n_field,
			(unsigned long long)b->n_vec,
			(unsigned long long)b->n_field);
	if (a->element != b->element)
		return vs_fail(VS_ENO, "%s: element: %s against %s", names,
			vs_element_name(a->element),
			vs_element_name(b->element));
	if (a->element == VS_BIT2 && strcmp(a->allele_rule, b->allele_rule))
		return vs_fail(VS_ENO, "%s: allele_rule: %s against %s", names,
			a->allele_rule, b->allele_rule);
	for (int k = 0; k < 2 && !code; k++) {
		code = vs_packed_sites(k ? b : a, &sites[k]);
		if (!code)
			code = vs_packed_samples(k ? b : a, &samples[k]);
	}
	if (!code)
		code = compare_sites(names, &sites[0], &sites[1]);
	if (!code)
		code = compare_texts(names, "/samples/id", &samples[0].id,
			&samples[1].id);
	if (!code)
		code = a->element == VS_BIT2 ? compare_planes(names, a, b)
					     : compare_values(names, a, b);
	for (int k = 0; k < 2; k++) {
		vs_sites_samples_free(&samples[k]);
		vs_sites_free(&sites[k]);
	}
	return code;
}

int
vs_compare_packed(struct vs_packed *a, struct vs_packed *b)
{
	struct vs_text names = { 0 };
	int code = vs_text_add(&names, "%s and %s", vs_h5_reader_path(a->file),
		vs_h5_reader_path(b->file));

	if (!code && strcmp(a->content, b->content))
		code = compare_content(names.bytes, a, b);
	else if (!code)
		goto out;
	if (!code)
		code = vs_fail(VS_ENO,
			"%s: phenotypes or facts about samples or contigs "
			"differ",
			names.bytes);
out:
	vs_text_free(&names);
	return code;
}

/* ---- results ---- */

#define ORDER_HINT                                                      \
	"; if these are the same vectors in another order, vsim-merge " \
	"--unpermute of both runs makes results that compare"

static int
compare_queries(const char *names, const struct vs_result *x,
	const struct vs_result *y)
{
	const struct vs_run *a = &x->run, *b = &y->run;
	const char *space_a = *a->index_space ? a->index_space : "file";
	const char *space_b = *b->index_space ? b->index_space : "file";
	char of_a[VS_NUM_ROOM], of_b[VS_NUM_ROOM];

	if (a->n_way != b->n_way || a->n_vectors != b->n_vectors ||
		a->n_fields != b->n_fields)
		return vs_fail(VS_ENO,
			"%s: %d of %lld vectors with %lld fields against %d of "
			"%lld with %lld",
			names, a->n_way, (long long)a->n_vectors,
			(long long)a->n_fields, b->n_way,
			(long long)b->n_vectors, (long long)b->n_fields);
	if (strcmp(space_a, space_b))
		return vs_fail(VS_EUSAGE,
			"%s: one names vectors by their rows in its file, the "
			"other by those of the first input: vsim-merge "
			"--unpermute of both runs makes results that compare",
			names);
	for (const struct vs_field *f = vs_run_fields; f->name; f++) {
		/* by source rows, the vectors may be in any order */
		const bool vectors = f->agree == VS_AGREE_VECTORS;

		if (f->agree < VS_AGREE_VECTORS ||
			(vectors && !strcmp(space_a, "source")) ||
			vs_run_field_equal(f, a, b))
			continue;
		return vs_fail(VS_ENO, "%s: %s: %s against %s%s", names,
			f->name, vs_run_field_text(f, a, of_a),
			vs_run_field_text(f, b, of_b),
			vectors ? ORDER_HINT : "");
	}
	if (a->permutations &&
		!vs_null_maxima_agree(a->null_maxima, b->null_maxima,
			a->permutations))
		return vs_fail(VS_ENO,
			"%s: the strongest values of permutations differ",
			names);
	return 0;
}

static void
name_record(const struct vs_record *rec, struct vs_text *text)
{
	vs_text_add(text, "vectors %llu %llu", (unsigned long long)rec->i,
		(unsigned long long)rec->j);
	if (rec->k != VS_NO_VEC)
		vs_text_add(text, " %llu", (unsigned long long)rec->k);
	if (rec->cell != VS_NO_CELL)
		vs_text_add(text, " cell %u", rec->cell);
}

/* way: vs_record_compare(a, b) */
static int
differ(const struct vs_compared *a, const struct vs_compared *b,
	const struct vs_record *x, const struct vs_record *y, int way)
{
	char tx[VS_NUM_ROOM], ty[VS_NUM_ROOM];
	struct vs_text text = { 0 };
	int code;

	name_record(way > 0 ? y : x, &text);
	vs_num_print(x->value, tx);
	vs_num_print(y->value, ty);
	if (way)
		code = vs_fail(VS_ENO, "%s and %s: %s is only in %s", a->name,
			b->name, text.bytes, way < 0 ? a->name : b->name);
	else
		code = vs_fail(VS_ENO,
			"%s and %s: %s: value %s num %lld nvalid %lld against "
			"%s %lld %lld",
			a->name, b->name, text.bytes, tx, (long long)x->num,
			(long long)x->nvalid, ty, (long long)y->num,
			(long long)y->nvalid);
	vs_text_free(&text);
	return code;
}

static int
compare_records(const struct vs_compared *a, const struct vs_compared *b,
	struct vs_ordered *of_a, struct vs_ordered *of_b)
{
	bool num = a->r[0]->run.has_num && b->r[0]->run.has_num;
	bool nvalid = a->r[0]->run.has_nvalid && b->r[0]->run.has_nvalid;
	struct vs_record x = { 0 }, y = { 0 };
	int got_a, got_b, way;

	for (;;) {
		got_a = vs_ordered_next(of_a, &x);
		got_b = got_a < 0 ? 0 : vs_ordered_next(of_b, &y);
		if (got_a < 0 || got_b < 0)
			return got_a < 0 ? got_a : got_b;
		if (!got_a && !got_b)
			return 0;
		way = !got_a ? 1 : !got_b ? -1 : vs_record_compare(&x, &y);
		if (way || memcmp(&x.value, &y.value, sizeof(x.value)) ||
			(num && x.num != y.num) ||
			(nvalid && x.nvalid != y.nvalid))
			return differ(a, b, &x, &y, way);
	}
}

int
vs_compare_results(const struct vs_compared *a, const struct vs_compared *b,
	uint64_t memory)
{
	struct vs_ordered *of_a = NULL, *of_b = NULL;
	struct vs_text names = { 0 };
	int code = vs_text_add(&names, "%s and %s", a->name, b->name);

	if (!code)
		code = compare_queries(names.bytes, a->r[0], b->r[0]);
	if (!code)
		code = vs_ordered_new(&of_a, a->r, a->n, memory / 2);
	if (!code)
		code = vs_ordered_new(&of_b, b->r, b->n, memory / 2);
	if (!code)
		code = compare_records(a, b, of_a, of_b);
	vs_ordered_free(of_b);
	vs_ordered_free(of_a);
	vs_text_free(&names);
	return code;
}
