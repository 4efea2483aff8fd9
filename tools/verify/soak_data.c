/* SPDX-License-Identifier: BSD-3-Clause */
/* Random vectors, with all values of a metric by its plain definition. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/prune/dataset_stats.h"
#include "tools/verify/soak_data.h"

#define PAIRS_OF 384  /* vectors, of which all pairs are compared */
#define TRIPLES_OF 40 /* vectors, of which all triples are */
#define LEAST_FIELDS 500
#define MORE_FIELDS 3000
#define PASS 10 /* the share of the values that pass: a tenth */

/* ---- vectors ---- */

/* Genotypes, some vectors much like the one before; a byte each. */
static void
draw_genotypes(struct vs_soak_data *d, struct vs_rng *rng)
{
	for (size_t v = 0; v < d->n_vec; v++) {
		uint8_t *g = d->row + v * d->row_bytes;
		uint64_t often = 1 + vs_rng_below(rng, 63);
		bool kin = v % 4 == 1;

		for (size_t q = 0; q < d->n_field; q++) {
			g[q] = kin && vs_rng_below(rng, 16)
				? (g - d->row_bytes)[q]
				: (uint8_t)((vs_rng_below(rng, 64) < often) +
					  (vs_rng_below(rng, 64) < often));
			if (d->kind->missing && !vs_rng_below(rng, 25))
				g[q] = 3;
		}
	}
}

static void
draw_numbers(struct vs_soak_data *d, struct vs_rng *rng)
{
	const bool whole = vs_element_is_integer(d->kind->element);

	for (size_t v = 0; v < d->n_vec; v++)
		for (size_t q = 0; q < d->n_field; q++) {
			double x = (double)vs_rng_below(rng, 200);

			if (!whole)
				x += (double)vs_rng_below(rng, 1 << 20) *
					0x1p-20;
			vs_element_put(d->kind->element,
				d->row + v * d->row_bytes, q, x);
		}
}

/* Samples are controls and cases in turn, and some neither. */
static int
draw_cases(struct vs_soak_data *d, struct vs_rng *rng)
{
	int code = vs_mem_new(&d->cases.status, d->n_field, 1, "statuses");

	for (size_t q = 0; q < d->n_field && !code; q++)
		d->cases.status[q] = q < 2      ? (uint8_t)q
			: vs_rng_below(rng, 50) ? (uint8_t)vs_rng_below(rng, 2)
						: 2;
	if (!code)
		code = vs_classes_new(&d->cases.classes, d->cases.status,
			d->n_field);
	if (!code)
		code = vs_log_tables_new(&d->cases.logs, d->query.metric->log,
			d->cases.classes.n[0] + d->cases.classes.n[1]);
	d->query.classes = &d->cases.classes;
	d->query.logs = &d->cases.logs;
	return code;
}

/* ---- values ---- */

static size_t
index_of(const struct vs_soak_data *d, size_t i, size_t j, size_t k)
{
	size_t at = i * d->n_vec + j;

	if (d->kind->n_way == 3)
		at = at * d->n_vec + k;
	return at * (size_t)d->n_cell;
}

static const uint8_t *
row_of(const struct vs_soak_data *d, size_t v)
{
	return d->row + v * d->row_bytes;
}

/* Values of the pairs or triples with first vector i. */
static void
define_row(struct vs_soak_data *d, const struct vs_definition *by, size_t i)
{
	const size_t bytes = sizeof(double) * (size_t)d->n_cell;

	for (size_t j = i + 1; j < d->n_vec; j++) {
		struct vs_plain_pair pair = { 0 };

		if (d->kind->n_way == 2) {
			vs_definition_pair(by, row_of(d, i), row_of(d, j),
				d->n_field, &pair);
			memcpy(d->value + index_of(d, i, j, 0), pair.value,
				bytes);
			continue;
		}
		for (size_t k = j + 1; k < d->n_vec; k++) {
			const uint8_t *const v[3] = { row_of(d, i),
				row_of(d, j), row_of(d, k) };
			struct vs_plain_triple triple = { 0 };

			vs_definition_triple(by, v, d->n_field, &triple);
			memcpy(d->value + index_of(d, i, j, k), triple.value,
				bytes);
		}
	}
}

static void
define(struct vs_soak_data *d, int n_thread)
{
	const struct vs_definition by = { .metric = d->query.metric,
		.element = d->kind->element,
		.how = { 2, 9, 2, 2, 3 },
		.cases = &d->cases };

#pragma omp parallel for schedule(dynamic) num_threads(n_thread)
	for (size_t i = 0; i < d->n_vec; i++)
		define_row(d, &by, i);
}

/* Call each() for the values of all pairs or triples. */
static void
each_value(struct vs_soak_data *d,
	void (*each)(struct vs_soak_data *d, double strength, void *with),
	void *with)
{
	const bool pairs = d->kind->n_way == 2;

	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = i + 1; j < d->n_vec; j++)
			for (size_t k = j + 1; k < (pairs ? j + 2 : d->n_vec);
				k++)
				for (int c = 0; c < d->n_cell; c++)
					each(d,
						vs_metric_strength(
							d->query.metric,
							d->value[index_of(d, i,
									 j, k) +
								c]),
						with);
}

struct sample {
	double *x;
	size_t n, room, skip;
};

static void
sample_one(struct vs_soak_data *d, double strength, void *with)
{
	struct sample *s = with;

	(void)d;
	if (s->skip++ % 7 == 0 && s->n < s->room)
		s->x[s->n++] = strength;
}

static void
count_one(struct vs_soak_data *d, double strength, void *with)
{
	(void)with;
	d->n_pass += strength > d->query.threshold;
}

static int
by_value(const void *x, const void *y)
{
	const double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* A threshold that one in PASS values is above, and how many are. */
static int
choose_threshold(struct vs_soak_data *d)
{
	struct sample s = { .room = 1 << 16 };
	int code = vs_mem_room(&s.x, s.room, sizeof(*s.x), "values");

	if (code)
		return code;
	each_value(d, sample_one, &s);
	qsort(s.x, s.n, sizeof(*s.x), by_value);
	d->query.threshold = s.x[s.n - 1 - s.n / PASS];
	free(s.x);
	each_value(d, count_one, NULL);
	return 0;
}

/* ---- the whole ---- */

static int
take_counts(struct vs_soak_data *d)
{
	struct vs_dataset_stats s;
	int code = vs_mem_new(&d->dead, d->n_vec / 64 + 1, 8, "counts");

	if (code || vs_element_is_number(d->kind->element))
		return code;
	vs_dataset_stats_begin(&s, &d->query, d->n_vec, d->dead);
	for (size_t v = 0; v < d->n_vec; v++) {
		int64_t count[1][4] = { { 0 } };

		for (size_t q = 0; q < d->n_field; q++)
			count[0][row_of(d, v)[q]]++;
		vs_dataset_stats_take(&s, count, 1);
	}
	vs_dataset_stats_end(&s);
	return 0;
}

int
vs_soak_data_new(struct vs_soak_data *d, const struct vs_soak_kind *kind,
	uint64_t seed, int n_thread)
{
	const bool number = vs_element_is_number(kind->element);
	size_t n_value;
	struct vs_rng rng;
	int code;

	memset(d, 0, sizeof(*d));
	vs_rng_seed(&rng, seed);
	d->kind = kind;
	d->n_vec = kind->n_way == 3 ? TRIPLES_OF : PAIRS_OF;
	d->n_field = LEAST_FIELDS + vs_rng_below(&rng, MORE_FIELDS);
	d->row_bytes =
		d->n_field * (number ? vs_element_bytes(kind->element) : 1);
	d->query = (struct vs_query){ .metric = vs_metric_find(kind->metric),
		.element = kind->element,
		.n_field = d->n_field,
		.prune = true };
	if (d->query.metric->alleles.weight)
		d->query.alleles = &d->query.metric->alleles;
	d->n_cell = vs_metric_has_cells(d->query.metric) ? 1 << kind->n_way : 1;
	d->query.cell_mask = (1u << d->n_cell) - 1;
	n_value = index_of(d, d->n_vec, 0, 0);
	code = vs_mem_new(&d->row, d->n_vec * d->row_bytes, 1, "vectors");
	if (!code)
		code = vs_mem_new(&d->value, n_value, sizeof(double), "values");
	if (!code && d->query.metric->family == VS_FAMILY_TABLES)
		code = draw_cases(d, &rng);
	if (code)
		return code;
	if (number)
		draw_numbers(d, &rng);
	else
		draw_genotypes(d, &rng);
	define(d, n_thread);
	code = choose_threshold(d);
	return code ? code : take_counts(d);
}

void
vs_soak_data_free(struct vs_soak_data *d)
{
	vs_case_control_free(&d->cases);
	free(d->row);
	free(d->value);
	free(d->dead);
	memset(d, 0, sizeof(*d));
}

int
vs_soak_data_load(const struct vs_soak_data *d, uint64_t lo, uint64_t hi,
	struct vs_panel *p)
{
	const size_t n = (size_t)(hi - lo), at = p->n_vec;
	int code = 0;

	if (!vs_element_is_number(d->kind->element)) {
		memset(p->vec.word + 2 * at * p->vec.n_word, 0,
			2 * n * p->vec.n_word * 8);
		for (size_t v = 0; v < n; v++) {
			for (size_t q = 0; q < d->n_field; q++)
				vs_vec_set(&p->vec, at + v, q,
					row_of(d, lo + v)[q]);
			p->source[at + v] = (int64_t)(lo + v);
			p->flip[at + v] = 0;
		}
		vs_panel_make(p, lo, n, 1);
		return 0;
	}
	vs_panel_begin(p, lo, n);
	for (size_t v = 0; v < n && !code; v++) {
		memcpy((char *)p->number.at + (at + v) * p->number.stride,
			row_of(d, lo + v), d->row_bytes);
		code = vs_panel_total(p, at + v, lo + v, "random vectors");
		p->source[at + v] = (int64_t)(lo + v);
	}
	return code;
}

const double *
vs_soak_data_at(const struct vs_soak_data *d, const struct vs_record *r)
{
	const bool pair = d->kind->n_way == 2;
	const uint32_t cell = r->cell == VS_NO_CELL ? 0 : r->cell;

	if (r->i >= r->j || r->j >= d->n_vec || cell >= (uint32_t)d->n_cell ||
		(pair ? r->k != VS_NO_VEC : r->j >= r->k || r->k >= d->n_vec))
		return NULL;
	return d->value + index_of(d, r->i, r->j, pair ? 0 : r->k) + cell;
}
