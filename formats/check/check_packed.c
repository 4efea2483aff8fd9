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

/* A haploid call has no two copies; on Y all others are missing. */
static int
check_haploid(const struct vs_packed *p, const struct vs_vec *b, size_t at,
	uint64_t row, const struct vs_sites *sites, const uint8_t *sex)
{
	const char *path = vs_h5_reader_path(p->file);
	int64_t male[4] = { 0 };
	int kind = sites->haploid ? sites->haploid[row] : VS_HAPLOID_NONE;

	if (kind == VS_HAPLOID_NONE)
		return 0;
	for (uint64_t q = 0; q < p->n_field; q++) {
		int x = vs_vec_get(b, at, q);

		if (sex[q] == 1)
			male[x]++;
		if (sex[q] == 1 ? x == 2 : kind == VS_HAPLOID_Y && x < 3)
			return vs_fail(VS_ENO,
				"%s: /vectors/planes: row %llu: field %llu: %d "
				"copies in %s",
				path, (unsigned long long)row,
				(unsigned long long)q, x,
				sex[q] == 1
					? "a haploid call"
					: "a sample that is not male, on Y");
	}
	if (male[0] == sites->males[row][0] && male[1] == sites->males[row][1])
		return 0;
	return vs_fail(VS_ENO,
		"%s: /vectors/male_count: row %llu: states %lld %lld, the "
		"planes hold %lld %lld",
		path, (unsigned long long)row, (long long)sites->males[row][0],
		(long long)sites->males[row][1], (long long)male[0],
		(long long)male[1]);
}

static int
check_planes(struct vs_packed *p, const struct vs_sites *sites,
	const uint8_t *sex)
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
			code = check_row(p, &block, k, lo + k,
				sites->count[lo + k]);
		for (uint64_t k = 0; !code && k < rows; k++)
			code = check_haploid(p, &block, k, lo + k, sites, sex);
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

int
vs_check_packed(struct vs_packed *p)
{
	const char *path = vs_h5_reader_path(p->file);
	struct vs_samples samples = { 0 };
	struct vs_sites sites = { 0 };
	int code = vs_packed_sites(p, &sites);

	p->unheld = true; /* by plain definitions below */
	if (!code)
		code = vs_packed_samples(p, &samples);
	if (!code && sites.haploid && !samples.sex)
		code = vs_fail(VS_ENO,
			"%s: /samples/sex: is missing where /vectors/haploid "
			"needs it",
			path);
	if (!code)
		code = p->element == VS_BIT2
			? check_planes(p, &sites, samples.sex)
			: check_values(p);
	vs_sites_samples_free(&samples);
	vs_sites_free(&sites);
	return code;
}
