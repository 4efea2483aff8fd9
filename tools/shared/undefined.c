/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs whose value is 0/0, such as the correlation of a constant vector, which
 * a result records as 0. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/shared/load_vectors.h"
#include "tools/shared/tool.h"
#include "tools/shared/undefined.h"

/* ---- one vector ---- */

/* Site k of the vectors file is vector v. */
static void
see_counts(struct vs_undefined *u, uint64_t v, const struct vs_sites *s,
	size_t k)
{
	const int64_t *count = s->count[k];
	const int64_t two = u->doubled && s->males ? s->males[k][1] : 0;
	const int64_t not_zero = count[1] + count[2];
	int64_t most = count[0];

	most = count[1] - two > most ? count[1] - two : most;
	most = count[2] + two > most ? count[2] + two : most;
	u->few[v] = (uint32_t)(u->when == VS_UNDEFINED_CONSTANT
			? count[0] + not_zero - most
			: not_zero);
	u->missing[v] = (uint32_t)count[3];
}

/*
 * Fields that differ from the most frequent number: exact if that is in more
 * than half of them (Boyer-Moore majority vote), else half of them.
 */
static uint32_t
not_most(const struct vs_undefined *u, const void *row, uint64_t n)
{
	uint64_t votes = 0, same = 0;
	double most = 0, x;

	for (uint64_t q = 0; q < u->n_field; q++) {
		x = vs_element_get(u->element, row, q);
		if (isnan(x))
			continue;
		if (!votes)
			most = x;
		votes = x == most ? votes + 1 : votes - 1;
	}
	for (uint64_t q = 0; q < u->n_field; q++)
		same += vs_element_get(u->element, row, q) == most;
	return (uint32_t)(2 * same > n ? n - same : n / 2);
}

static void
see_numbers(struct vs_undefined *u, uint64_t v, const void *row)
{
	uint64_t n = 0, not_zero = 0;

	for (uint64_t q = 0; q < u->n_field; q++) {
		double x = vs_element_get(u->element, row, q);

		n += !isnan(x);
		not_zero += !isnan(x) && x != 0;
	}
	u->missing[v] = (uint32_t)(u->n_field - n);
	u->few[v] = u->when == VS_UNDEFINED_CONSTANT ? not_most(u, row, n)
						     : (uint32_t)not_zero;
}

/* ---- the vectors file ---- */

/* Vectors of the result, in the file they come from. */
struct source {
	struct vs_packed *file;
	const uint64_t *vec; /* null: all */
	size_t n;
	uint64_t *place; /* row in the file, if named by source; or null */
};

static uint64_t
vector_of(const struct source *s, size_t k)
{
	return s->vec ? s->vec[k] : k;
}

static uint64_t
place_of(const struct source *s, size_t k)
{
	const uint64_t v = vector_of(s, k);

	return s->place ? s->place[v] : v;
}

/* Keep row x of the file's vector `place`. */
static void
keep_row(struct vs_undefined *u, const struct source *s, size_t x,
	uint64_t place, const void *row)
{
	struct vs_vec all = { .word = (uint64_t *)(void *)u->rows,
		.n_vec = s->n,
		.n_field = (size_t)u->n_field,
		.n_word = (size_t)u->n_word,
		.stride = (size_t)u->n_word };

	u->at[vector_of(s, x)] = x * u->row_bytes;
	memcpy(u->rows + x * u->row_bytes, row, (size_t)u->row_bytes);
	if (u->doubled && s->file->haploid && s->file->haploid[place])
		vs_haploid_double(&all, x, s->file->male);
}

/* Pass all rows to see() or, if that is null, keep them. */
static int
each_row(struct vs_undefined *u, const struct source *s,
	void (*see)(struct vs_undefined *u, uint64_t v, const void *row))
{
	const size_t most = 1 + (4u << 20) / (size_t)u->row_bytes;
	uint8_t *block = NULL;
	int code = vs_mem_room(&block, most, (size_t)u->row_bytes, "vectors");

	for (size_t k = 0, end; k < s->n && !code; k = end) {
		const uint64_t lo = place_of(s, k);

		for (end = k + 1; end < s->n && end - k < most &&
			place_of(s, end) == lo + (end - k);)
			end++;
		code = vs_packed_rows(s->file, lo, lo + (end - k), block);
		for (size_t x = k; x < end && !code; x++) {
			const uint8_t *row = block + (x - k) * u->row_bytes;

			if (see)
				see(u, vector_of(s, x), row);
			else
				keep_row(u, s, x, place_of(s, x), row);
		}
	}
	free(block);
	return code;
}

static int
read_counts(struct vs_undefined *u, const struct source *s)
{
	struct vs_sites sites = { 0 };
	int code = vs_packed_lend_sites(s->file, &sites);

	for (size_t k = 0; k < s->n && !code; k++)
		see_counts(u, vector_of(s, k), &sites, place_of(s, k));
	vs_sites_free(&sites);
	return code;
}

/* True if missing fields of one vector may leave 0/0 with another. */
static bool
needs_rows(const struct vs_undefined *u, const struct source *s)
{
	uint32_t most = 0;

	for (size_t k = 0; k < s->n; k++)
		if (u->missing[vector_of(s, k)] > most)
			most = u->missing[vector_of(s, k)];
	for (size_t k = 0; k < s->n; k++) {
		const uint32_t few = u->few[vector_of(s, k)];

		if (few && few <= most)
			return true;
	}
	return false;
}

static int
read_file(struct vs_undefined *u, const struct vs_run *run, struct source *s)
{
	const bool numbers = vs_element_is_number(s->file->element);
	int code = vs_vector_names_places(run, s->file, &s->place);

	u->element = s->file->element;
	u->n_field = s->file->n_field;
	u->n_word = s->file->plane_bytes / 8;
	u->row_bytes = s->file->row_bytes;
	if (!code && !numbers && u->doubled)
		code = vs_packed_read_haploid(s->file);
	if (!code)
		code = numbers ? each_row(u, s, see_numbers)
			       : read_counts(u, s);
	/* for minima a missing bit is 0 */
	for (size_t k = 0; k < s->n && !code; k++)
		if (!strcmp(run->missing, "zero"))
			u->missing[vector_of(s, k)] = 0;
	if (!code && needs_rows(u, s)) {
		code = vs_mem_new(&u->at, (size_t)run->n_vectors,
			sizeof(*u->at), "vectors");
		if (!code)
			code = vs_mem_room(&u->rows, s->n, (size_t)u->row_bytes,
				"vectors");
		if (!code)
			code = each_row(u, s, NULL);
	}
	free(s->place);
	return code;
}

/* Without the file: only genotypes that are constant, whatever their labels. */
static void
read_names(struct vs_undefined *u, const struct vs_vector_names *names,
	uint64_t n_vec)
{
	const struct vs_sites *s = &names->sites;

	for (uint64_t v = 0; v < n_vec; v++) {
		const int64_t row = names->row ? names->row[v] : -1;
		const int64_t *count =
			row < 0 || !s->count ? NULL : s->count[row];

		u->few[v] = 1;
		if (count && u->when == VS_UNDEFINED_CONSTANT &&
			count[0] + count[1] + count[2] + count[3])
			see_counts(u, v, s, (size_t)row);
		u->missing[v] = 0;
	}
}

/* Without counts, u->few is null: no value is 0/0. */
static int
begin(struct vs_undefined *u, const struct vs_run *run)
{
	const struct vs_metric *metric = vs_metric_find(run->metric);
	const size_t n = (size_t)run->n_vectors;
	int code;

	memset(u, 0, sizeof(*u));
	u->when = metric ? metric->undefined : VS_UNDEFINED_NEVER;
	u->doubled = metric && vs_load_vectors_doubles(run->metric);
	if (u->when == VS_UNDEFINED_NEVER)
		return 0;
	code = vs_mem_new(&u->few, n, sizeof(*u->few), "vectors");
	return code
		? code
		: vs_mem_new(&u->missing, n, sizeof(*u->missing), "vectors");
}

int
vs_undefined_of_vectors(struct vs_undefined *u, const struct vs_run *run,
	struct vs_packed *vectors)
{
	struct source s = { vectors, .n = (size_t)run->n_vectors };
	int code = begin(u, run);

	return code || !u->few ? code : read_file(u, run, &s);
}

int
vs_undefined_open(struct vs_undefined *u, struct vs_result *result,
	const char *given, const struct vs_vector_names *names,
	const uint64_t *vec, size_t n)
{
	const struct vs_run *run = &result->run;
	struct source s = { .vec = vec, .n = vec ? n : (size_t)run->n_vectors };
	int code = begin(u, run);

	if (code || !u->few)
		return code;
	code = vs_vector_names_open(&s.file, run,
		vs_h5_reader_path(result->file), given, "");
	if (code == VS_EINPUT && !given) {
		vs_tool_warn("%s; without it 0/0 may be shown as 0 or 1",
			vs_fail_text());
		vs_fail_clear();
		read_names(u, names, (uint64_t)run->n_vectors);
		return 0;
	}
	if (!code)
		code = read_file(u, run, &s);
	if (!code)
		code = vs_h5_reader_unchanged(s.file->file);
	vs_packed_close(s.file);
	return code;
}

void
vs_undefined_close(struct vs_undefined *u)
{
	free(u->few);
	free(u->missing);
	free(u->at);
	free(u->rows);
	memset(u, 0, sizeof(*u));
}

/* ---- two vectors ---- */

/* Values of two vectors in the fields that both have. */
struct seen {
	bool differs[2], not_zero[2]; /* not constant */
};

static void
look_at_genotypes(const struct vs_undefined *u, const uint64_t *const row[2],
	struct seen *out)
{
	bool value[2][3] = { { false } };

	for (uint64_t w = 0; w < u->n_word; w++) {
		uint64_t joint = ~0ull;

		for (int k = 0; k < 2; k++)
			joint &= ~row[k][w] | row[k][u->n_word + w];
		if (w == u->n_word - 1 && u->n_field % 64)
			joint &= (1ull << u->n_field % 64) - 1;
		for (int k = 0; k < 2; k++) {
			const uint64_t a = row[k][w], b = row[k][u->n_word + w];

			value[k][0] |= (joint & ~a & ~b) != 0;
			value[k][1] |= (joint & ~a & b) != 0;
			value[k][2] |= (joint & a & b) != 0;
		}
	}
	for (int k = 0; k < 2; k++) {
		out->not_zero[k] = value[k][1] || value[k][2];
		out->differs[k] = value[k][0] + value[k][1] + value[k][2] > 1;
	}
}

static void
look_at_numbers(const struct vs_undefined *u, const void *const row[2],
	struct seen *out)
{
	double first[2] = { NAN, NAN }, x[2];

	for (uint64_t q = 0; q < u->n_field; q++) {
		for (int k = 0; k < 2; k++)
			x[k] = vs_element_get(u->element, row[k], q);
		if (isnan(x[0]) || isnan(x[1]))
			continue;
		for (int k = 0; k < 2; k++) {
			out->not_zero[k] |= x[k] != 0;
			out->differs[k] |= !isnan(first[k]) && x[k] != first[k];
			first[k] = x[k];
		}
	}
}

static bool
look(const struct vs_undefined *u, const uint64_t *vec)
{
	const void *const row[2] = { u->rows + u->at[vec[0]],
		u->rows + u->at[vec[1]] };
	struct seen seen = { { false, false }, { false, false } };

	if (vs_element_is_number(u->element))
		look_at_numbers(u, row, &seen);
	else
		look_at_genotypes(u,
			(const uint64_t *const[2]){ row[0], row[1] }, &seen);
	switch (u->when) {
	case VS_UNDEFINED_CONSTANT:
		return !seen.differs[0] || !seen.differs[1];
	case VS_UNDEFINED_ZERO:
		return !seen.not_zero[0] || !seen.not_zero[1];
	case VS_UNDEFINED_ZEROS:
		return !seen.not_zero[0] && !seen.not_zero[1];
	case VS_UNDEFINED_NEVER:
		break;
	}
	return false;
}

bool
vs_undefined_is(const void *undefined, const uint64_t *vec, int n)
{
	const struct vs_undefined *u = undefined;
	int n_zero = 0, n_near = 0; /* each by itself; by what others miss */

	if (u->when == VS_UNDEFINED_NEVER)
		return false;
	for (int k = 0; k < n; k++)
		n_zero += !u->few[vec[k]];
	if (u->when == VS_UNDEFINED_ZEROS ? n_zero == n : n_zero > 0)
		return true;
	for (int k = 0; k < n; k++)
		n_near += u->few[vec[k]] <= u->missing[vec[n == 2 ? !k : k]];
	if (n != 2 || !u->at ||
		(u->when == VS_UNDEFINED_ZEROS ? n_near < n : !n_near))
		return false;
	return look(u, vec);
}
