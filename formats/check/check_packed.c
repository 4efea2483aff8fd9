/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrity check of a vectors file: every value against vsim-vectors(5). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/check/check.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/numbers.h"

/* Bits at and past n_field of a plane. */
static bool
pad_is_zero(const struct vs_vec *b, size_t row)
{
	size_t full = b->n_field / 64, tail = b->n_field % 64;

	for (int p = 0; p < 2; p++) {
		const uint64_t *w = vs_vec_plane(b, row, p);

		if (tail && w[full] >> tail)
			return false;
		for (size_t k = full + (tail > 0); k < b->n_word; k++)
			if (w[k])
				return false;
	}
	return true;
}

static int
check_row(const struct vs_packed *p, const struct vs_vec *b, size_t at,
	uint64_t row, const int64_t stated[4])
{
	const char *path = vs_h5_reader_path(p->file);
	int64_t found[4];

	if (!pad_is_zero(b, at))
		return vs_fail(VS_ENO,
			"%s: /vectors/planes: row %llu: bits past field %llu "
			"are not zero",
			path, (unsigned long long)row,
			(unsigned long long)p->n_field - 1);
	vs_vec_count(b, at, found);
	if (memcmp(found, stated, sizeof(found)))
		return vs_fail(VS_ENO,
			"%s: /vectors/genotype_count: row %llu: states %lld "
			"%lld %lld %lld, the planes hold %lld %lld %lld %lld",
			path, (unsigned long long)row, (long long)stated[0],
			(long long)stated[1], (long long)stated[2],
			(long long)stated[3], (long long)found[0],
			(long long)found[1], (long long)found[2],
			(long long)found[3]);
	return 0;
}

static int
check_planes(struct vs_packed *p, int64_t (*stated)[4])
{
	uint64_t rows = (16ull << 20) / (2 * vs_vec_words(p->n_field) * 8) + 1;
	struct vs_vec block = { 0 };
	int code;

	if (rows > p->n_vec)
		rows = p->n_vec;
	code = vs_vec_new(&block, rows, p->n_field);
	for (uint64_t lo = 0; !code && lo < p->n_vec; lo += rows) {
		if (rows > p->n_vec - lo)
			rows = p->n_vec - lo;
		code = vs_packed_read(p, lo, lo + rows, &block, 0);
		for (uint64_t k = 0; !code && k < rows; k++)
			code = check_row(p, &block, k, lo + k, stated[lo + k]);
	}
	vs_vec_free(&block);
	return code;
}

/* By a plain definition: the header's order, and nothing of its code. */
static double
sum_of_reals(enum vs_element e, const void *row, uint64_t n)
{
	double sum = 0;

	for (uint64_t lo = 0; lo < n; lo += VS_NUMBERS_RUN) {
		uint64_t hi = n - lo < VS_NUMBERS_RUN ? n : lo + VS_NUMBERS_RUN;
		float single = 0;
		double twice = 0;

		for (uint64_t q = lo; q < hi; q++) {
			double x = vs_element_get(e, row, q);

			single += isnan(x) ? 0 : (float)x;
			twice += isnan(x) ? 0 : x;
		}
		sum += e == VS_NUM_F32 ? (double)single : twice;
	}
	return sum;
}

static int
check_sum(const struct vs_packed *p, uint64_t v, const void *row,
	const void *stated)
{
	const char *path = vs_h5_reader_path(p->file);
	uint64_t whole = 0;
	double real;

	if (!vs_element_is_integer(p->element)) {
		real = sum_of_reals(p->element, row, p->n_field);
		if (real == ((const double *)stated)[v])
			return 0;
		return vs_fail(VS_ENO,
			"%s: /vectors/value_sum: row %llu: states %.17g, the "
			"values sum up to %.17g",
			path, (unsigned long long)v,
			((const double *)stated)[v], real);
	}
	for (uint64_t q = 0; q < p->n_field; q++)
		whole += (uint64_t)vs_element_get(p->element, row, q);
	if (whole == ((const uint64_t *)stated)[v])
		return 0;
	return vs_fail(VS_ENO,
		"%s: /vectors/value_sum: row %llu: states %llu, the values sum "
		"up to %llu",
		path, (unsigned long long)v,
		(unsigned long long)((const uint64_t *)stated)[v],
		(unsigned long long)whole);
}

static int
check_values(struct vs_packed *p)
{
	uint64_t rows = (16ull << 20) / p->row_bytes + 1;
	uint8_t *block = NULL;
	void *stated = NULL;
	int code = vs_packed_sums(p, &stated);

	if (!code)
		code = vs_mem_room(&block, rows, p->row_bytes, "vectors");
	for (uint64_t lo = 0; !code && lo < p->n_vec; lo += rows) {
		if (rows > p->n_vec - lo)
			rows = p->n_vec - lo;
		code = vs_packed_rows(p, lo, lo + rows, block);
		for (uint64_t k = 0; !code && k < rows; k++)
			code = check_sum(p, lo + k, block + k * p->row_bytes,
				stated);
	}
	free(block);
	free(stated);
	return code;
}

static int
check_source(const char *path, const struct vs_sites *s)
{
	uint8_t *seen = NULL;
	int code = vs_mem_new(&seen, s->n, 1, "source rows");

	for (uint64_t v = 0; !code && v < s->n; v++) {
		int64_t from = s->source_row[v];

		if (from < 0 || (uint64_t)from >= s->n || seen[from])
			code = vs_fail(VS_ENO,
				"%s: /vectors/source_row: row %llu: %lld %s",
				path, (unsigned long long)v, (long long)from,
				from < 0 || (uint64_t)from >= s->n
					? "is out of range"
					: "stands twice");
		else
			seen[from] = 1;
	}
	free(seen);
	return code;
}

static int
check_places(const char *path, const struct vs_sites *s)
{
	for (uint64_t v = 0; v < s->n; v++) {
		unsigned from = s->allele1_source[v];

		if (from != VS_ALLELE_FIRST && from != VS_ALLELE_SECOND &&
			from != VS_ALLELE_UNKNOWN)
			return vs_fail(VS_ENO,
				"%s: /vectors/allele1_source: row %llu: 0, 1 "
				"or 255 expected, %u found",
				path, (unsigned long long)v, from);
		if (s->contig &&
			(s->contig[v] < -1 ||
				s->contig[v] >= (int64_t)s->contig_name.n))
			return vs_fail(VS_ENO,
				"%s: /vectors/contig: row %llu: -1 to %lld "
				"expected, %d found",
				path, (unsigned long long)v,
				(long long)s->contig_name.n - 1, s->contig[v]);
		if (s->pos && s->pos[v] < 0)
			return vs_fail(VS_ENO,
				"%s: /vectors/pos: row %llu: 0 or more "
				"expected, %lld found",
				path, (unsigned long long)v,
				(long long)s->pos[v]);
	}
	return 0;
}

static int
check_samples(const char *path, const struct vs_samples *s)
{
	struct vs_text key = { 0 };
	int64_t row[2];
	int code = vs_sites_samples_twice(s, row, &key);

	if (!code && row[1] >= 0)
		code = vs_fail(VS_ENO,
			"%s: /samples/id: row %lld: %s stands twice", path,
			(long long)row[1], key.bytes);
	vs_text_free(&key);
	return code;
}

int
vs_check_packed(struct vs_packed *p)
{
	const char *path = vs_h5_reader_path(p->file);
	struct vs_samples samples = { 0 };
	struct vs_sites sites = { 0 };
	int code = vs_packed_sites(p, &sites);

	if (!code)
		code = vs_packed_samples(p, &samples);
	if (!code)
		code = p->element == VS_BIT2 ? check_planes(p, sites.count)
					     : check_values(p);
	if (!code)
		code = check_source(path, &sites);
	if (!code)
		code = check_places(path, &sites);
	if (!code)
		code = check_samples(path, &samples);
	vs_sites_samples_free(&samples);
	vs_sites_free(&sites);
	return code;
}
