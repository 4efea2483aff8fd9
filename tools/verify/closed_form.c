/* SPDX-License-Identifier: BSD-3-Clause */
/* Verification of synthetic results against the closed form of their values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/record_rules.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/synthetic.h"
#include "libcore/metric/metric.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/result_io.h"
#include "tools/verify/closed_form.h"
#include "tools/verify/definition.h"

#define CLASSES VS_SYNTHETIC_CLASSES
#define MOST_WAYS 3
#define MOST_CODES 64 /* combinations of levels of three vectors */

/* Vectors that are alike, and their common properties. */
struct kind {
	struct vs_pattern pattern;
	uint64_t c, s, sum; /* present, label-1 alleles, numbers */
	uint64_t *row;      /* indices that records use, ascending */
	size_t n_row;
};

struct closed {
	struct vs_closed_form *job;
	const struct vs_run *run;
	const struct vs_metric *metric;
	int ways, ploidy; /* ploidy 0: numbers */
	bool cells;       /* values by alleles, or one */
	struct vs_plain_recipe how;
	uint64_t n_field, side[3];
	struct kind kind[CLASSES];
	uint64_t *rows;  /* indices of all kinds, kind by kind */
	int64_t *source; /* vector number of an index in records */
	uint64_t n_expected;
	struct vs_digest_sum expected;
};

/* Compute all values of a pair or triple of kinds. */
struct values {
	int n_cell;
	double value[8];
};

/* ---- the closed form ---- */

/*
 * Number of fields by the levels of n vectors, the first one's the highest
 * digit of a code in base 4: for each axis the positions where the vectors
 * along it have their levels, and then the product over the axes. The fields
 * outside the box have level 0 for all.
 */
static void
join(const struct closed *x, const struct kind *const *k, int n,
	uint64_t count[MOST_CODES])
{
	uint64_t at_axis[3][MOST_CODES] = { 0 };
	unsigned mask[3] = { 0 }, n_code = 1u << 2 * n;

	for (int v = 0; v < n; v++)
		mask[k[v]->pattern.axis] |= 3u << 2 * (n - 1 - v);
	for (int a = 0; a < 3; a++)
		for (uint64_t d = 0; d < x->side[a]; d++) {
			unsigned code = 0;

			for (int v = 0; v < n; v++)
				if (k[v]->pattern.axis == a)
					code |= (unsigned)vs_synthetic_level(
							&k[v]->pattern, d)
						<< 2 * (n - 1 - v);
			at_axis[a][code]++;
		}
	for (unsigned code = 0; code < n_code; code++)
		count[code] = at_axis[0][code & mask[0]] *
			at_axis[1][code & mask[1]] * at_axis[2][code & mask[2]];
	count[0] += x->n_field - x->side[0] * x->side[1] * x->side[2];
}

static unsigned
level_of(unsigned code, int n, int v)
{
	return code >> 2 * (n - 1 - v) & 3;
}

/* Copies of the allele with this label in a genotype. */
static uint64_t
copies(const struct closed *x, unsigned level, unsigned label)
{
	return label ? level : (unsigned)x->ploidy - level;
}

static unsigned
label_of(int cell, int n, int v)
{
	return (unsigned)cell >> (n - 1 - v) & 1;
}

static double
allele_value(const struct closed *x, const struct kind *const *k,
	const uint64_t *count, int cell)
{
	int64_t s[MOST_WAYS], c[MOST_WAYS];
	uint64_t r = 0, both = 0;

	for (unsigned code = 0; code < 1u << 2 * x->ways; code++) {
		uint64_t product = count[code];
		bool present = true;

		for (int v = 0; v < x->ways && present; v++) {
			unsigned g = level_of(code, x->ways, v);

			present = g != VS_LEVEL_MISSING;
			if (present)
				product *= copies(x, g,
					label_of(cell, x->ways, v));
		}
		both += present ? count[code] : 0;
		r += present ? product : 0;
	}
	for (int v = 0; v < x->ways; v++) {
		c[v] = (int64_t)k[v]->c;
		s[v] = (int64_t)k[v]->s;
		if (!label_of(cell, x->ways, v))
			s[v] = x->ploidy * c[v] - s[v];
	}
	return vs_plain_value(&x->how, x->ways, (int64_t)r, (int64_t)both, s,
		c);
}

/*
 * Contribution of a field: 2 times the lesser of two numbers, or 3/2 times the
 * two lesser of three, over the sum of all.
 */
static double
number_value(const struct closed *x, const struct kind *const *k,
	const uint64_t *count)
{
	uint64_t least = 0, all = 0, n = (uint64_t)x->ways;

	for (unsigned code = 0; code < 1u << 2 * x->ways; code++) {
		uint64_t sum = 0, most = 0;

		for (int v = 0; v < x->ways; v++) {
			unsigned level = level_of(code, x->ways, v);
			uint64_t number = level == VS_LEVEL_MISSING
				? 0
				: level * k[v]->pattern.height;

			sum += number;
			most = number > most ? number : most;
		}
		least += count[code] * (sum - most);
	}
	for (int v = 0; v < x->ways; v++)
		all += k[v]->sum;
	return all ? (double)(n * least) / (double)((n - 1) * all) : 0;
}

static double
moment_value(const struct closed *x, const uint64_t *count)
{
	int64_t joint[4][4];

	for (unsigned code = 0; code < 16; code++)
		joint[level_of(code, 2, 0)][level_of(code, 2, 1)] =
			(int64_t)count[code];
	return vs_definition_moment(x->metric, x->ploidy,
		(const int64_t(*)[4])joint);
}

static double
value_of(const struct closed *x, const struct kind *const *k,
	const uint64_t *count, int cell)
{
	switch (x->metric->family) {
	case VS_FAMILY_ALLELES:
		return allele_value(x, k, count, cell);
	case VS_FAMILY_MOMENTS:
		return moment_value(x, count);
	case VS_FAMILY_MINIMA:
		return number_value(x, k, count);
	case VS_FAMILY_INNER:
	case VS_FAMILY_TABLES:
	case VS_FAMILY_NONE:
		break;
	}
	return NAN; /* which equals no value, see check_question() */
}

static void
evaluate(const struct closed *x, const struct kind *const *k,
	struct values *out)
{
	uint64_t count[MOST_CODES];

	join(x, k, x->ways, count);
	out->n_cell = x->cells ? 1 << x->ways : 1;
	for (int cell = 0; cell < out->n_cell; cell++)
		out->value[cell] = value_of(x, k, count, cell);
}

static bool
passes(const struct vs_run *run, const struct values *all, int cell)
{
	return vs_record_rules_passes(run, all->value) >> cell & 1 &&
		run->cell_mask >> cell & 1;
}

static double
stored(const struct vs_run *run, double value)
{
	return strcmp(run->value_type, "f32") ? value : (double)(float)value;
}

/* ---- records that must exist ---- */

/* Check the record of vectors at these indices, in any order, each with its
 * label. */
static void
expect(struct closed *x, const uint64_t *index, int cell, double value)
{
	uint64_t at[MOST_WAYS] = { 0, 0, VS_NO_VEC };
	unsigned label[MOST_WAYS];
	uint32_t turned = 0;

	for (int v = 0; v < x->ways; v++) {
		int to = v;

		for (; to && at[to - 1] > index[v]; to--) {
			at[to] = at[to - 1];
			label[to] = label[to - 1];
		}
		at[to] = index[v];
		label[to] = label_of(cell, x->ways, v);
	}
	for (int v = 0; v < x->ways; v++)
		turned = turned << 1 | label[v];
	x->n_expected++;
	vs_digest_sum_record(&x->expected, at[0], at[1], at[2],
		x->cells ? turned : VS_NO_CELL, value);
}

/* Visit all vectors of these kinds; for one kind, each set once. */
static void
expect_all(struct closed *x, const struct kind *const *k, int cell,
	double value)
{
	uint64_t index[MOST_WAYS];

	for (size_t a = 0; a < k[0]->n_row; a++) {
		index[0] = k[0]->row[a];
		for (size_t b = k[1] == k[0] ? a + 1 : 0; b < k[1]->n_row;
			b++) {
			index[1] = k[1]->row[b];
			if (x->ways == 2) {
				expect(x, index, cell, value);
				continue;
			}
			for (size_t c = k[2] == k[1] ? b + 1 : 0;
				c < k[2]->n_row; c++) {
				index[2] = k[2]->row[c];
				expect(x, index, cell, value);
			}
		}
	}
}

static void
expect_kinds(struct closed *x, const struct kind *const *k)
{
	struct values all;

	evaluate(x, k, &all);
	for (int cell = 0; cell < all.n_cell; cell++)
		if (passes(x->run, &all, cell))
			expect_all(x, k, cell, stored(x->run, all.value[cell]));
}

static void
expect_every(struct closed *x)
{
	const struct kind *k[MOST_WAYS], *end = x->kind + CLASSES;

	for (k[0] = x->kind; k[0] < end; k[0]++)
		for (k[1] = k[0]; k[1] < end && k[0]->n_row; k[1]++) {
			if (!k[1]->n_row)
				continue;
			if (x->ways == 2) {
				expect_kinds(x, k);
				continue;
			}
			for (k[2] = k[1]; k[2] < end; k[2]++)
				if (k[2]->n_row)
					expect_kinds(x, k);
		}
}

/* ---- records that exist ---- */

static int
check_record(const struct closed *x, const struct vs_record *rec)
{
	uint64_t index[MOST_WAYS] = { rec->i, rec->j, rec->k };
	const struct kind *k[MOST_WAYS];
	struct values all;
	int cell = x->cells ? (int)rec->cell : 0;
	const char *why = NULL;
	char third[32] = "";

	for (int v = 0; v < x->ways; v++)
		k[v] = &x->kind[x->source[index[v]] % CLASSES];
	evaluate(x, k, &all);
	if (rec->value != stored(x->run, all.value[cell]))
		why = "differs from";
	else if (!passes(x->run, &all, cell))
		why = "should not be listed, it does not pass as";
	if (!why)
		return 0;
	if (x->ways == 3)
		snprintf(third, sizeof(third), " %llu",
			(unsigned long long)rec->k);
	return vs_fail(VS_ENO,
		"%s: vectors %llu %llu%s, cell %d: %.17g %s %.17g of the "
		"closed form",
		x->job->name, (unsigned long long)rec->i,
		(unsigned long long)rec->j, third, cell, rec->value, why,
		stored(x->run, all.value[cell]));
}

static int
check_records(void *with, struct vs_record *rec, size_t n)
{
	int code = 0;

	for (size_t k = 0; k < n && !code; k++)
		code = check_record(with, &rec[k]);
	return code;
}

static int
check_all(struct closed *x)
{
	struct vs_digest_sum found = { { 0 } };
	uint64_t n = 0;
	int code = 0;

	for (size_t s = 0; s < x->job->n && !code; s++) {
		struct vs_result *r = x->job->r[s];

		code = vs_result_io_each(r, 0, r->n_records, check_records, x);
		n += r->n_records;
		vs_digest_sum_add(&found, &r->sum);
	}
	if (code)
		return code;
	expect_every(x);
	x->job->n_record = x->n_expected;
	if (n != x->n_expected)
		return vs_fail(VS_ENO,
			"%s: %llu records where the closed form has %llu",
			x->job->name, (unsigned long long)n,
			(unsigned long long)x->n_expected);
	if (!vs_digest_sum_equal(&found, &x->expected))
		return vs_fail(VS_ENO,
			"%s: all records are right, but not those of the "
			"closed form: some occur twice and others are missing",
			x->job->name);
	return 0;
}

/* ---- query and vectors ---- */

static int
check_query(struct closed *x)
{
	const struct vs_run *run = x->run;
	const struct vs_metric *m = vs_metric_find(run->metric);
	const char *name = x->job->name;

	if (!m || m->family == VS_FAMILY_TABLES ||
		!vs_metric_options_of(run, &x->how))
		return vs_fail(VS_EINPUT, "%s: %d-way %s has no closed form",
			name, run->n_way, run->metric);
	x->metric = m;
	x->cells = vs_metric_has_cells(m);
	if ((m->family == VS_FAMILY_MINIMA ? x->ploidy > 1 : !x->ploidy) ||
		(m->ploidy && m->ploidy != x->ploidy) ||
		run->n_vectors != (int64_t)x->job->vectors->n_vec ||
		run->n_fields != (int64_t)x->n_field ||
		(strcmp(run->index_space, "source") &&
			strcmp(run->vectors_content, x->job->vectors->content)))
		return vs_fail(VS_EINPUT, "%s: was not computed from %s", name,
			vs_h5_reader_path(x->job->vectors->file));
	if (*run->selection || *run->between || *run->pair_filter ||
		(x->job->r[0]->kind == VS_KIND_MERGED &&
			strcmp(run->coverage, "full")))
		return vs_fail(VS_EINPUT,
			"%s: is part of a run; the closed form is of a whole "
			"one",
			name);
	return 0;
}

/* Numbers of the vectors, by the index that records use. */
static int
read_order(struct closed *x)
{
	struct vs_packed *p = x->job->vectors;
	uint8_t *allele1 = NULL;
	int code = vs_packed_source(p, &x->source, &allele1);

	free(allele1);
	for (uint64_t v = 0; v < p->n_vec && !code; v++)
		if (!strcmp(x->run->index_space, "source"))
			x->source[v] = (int64_t)v;
	return code;
}

static int
gather_rows(struct closed *x)
{
	uint64_t n_vec = x->job->vectors->n_vec, at = 0;
	int code = vs_mem_room(&x->rows, n_vec, sizeof(*x->rows), "vectors");

	if (code)
		return code;
	for (uint64_t v = 0; v < n_vec; v++)
		x->kind[x->source[v] % CLASSES].n_row++;
	for (size_t c = 0; c < CLASSES; c++) {
		x->kind[c].row = x->rows + at;
		at += x->kind[c].n_row;
		x->kind[c].n_row = 0;
	}
	for (uint64_t v = 0; v < n_vec; v++) {
		struct kind *k = &x->kind[x->source[v] % CLASSES];

		k->row[k->n_row++] = v;
	}
	return 0;
}

static void
know_kinds(struct closed *x, const struct vs_synthetic *how)
{
	uint64_t count[MOST_CODES];

	vs_synthetic_box(x->n_field, x->side);
	for (size_t c = 0; c < CLASSES; c++) {
		struct kind *k = &x->kind[c];
		const struct kind *alone = k;

		vs_synthetic_pattern(how, c, x->n_field, x->ploidy,
			&k->pattern);
		join(x, &alone, 1, count);
		k->c = count[0] + count[1] + count[2];
		k->s = count[1] + 2 * count[2];
		k->pattern.height = x->ploidy ? 1 : k->pattern.height;
		k->sum = k->s * k->pattern.height;
	}
}

int
vs_closed_form_check(struct vs_closed_form *job)
{
	struct vs_packed *p = job->vectors;
	struct vs_synthetic how;
	struct closed *x = NULL;
	int code = vs_packed_synthetic(p, &how);

	if (!code && !how.analytic)
		code = vs_fail(VS_EINPUT,
			"%s: random vectors have no closed form; --against "
			"recomputes",
			vs_h5_reader_path(p->file));
	VS_MEM_NEW(&code, x, 1, "the closed form");
	if (code)
		return code;
	x->job = job;
	x->run = &job->r[0]->run;
	x->ways = x->run->n_way;
	x->ploidy = p->element == VS_BIT2 ? p->ploidy : 0;
	x->n_field = p->n_field;
	code = check_query(x);
	if (!code)
		code = read_order(x);
	if (!code) {
		know_kinds(x, &how);
		code = gather_rows(x);
	}
	if (!code)
		code = check_all(x);
	free(x->rows);
	free(x->source);
	free(x);
	return code;
}
