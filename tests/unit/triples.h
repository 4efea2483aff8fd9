/* SPDX-License-Identifier: BSD-3-Clause */
/* Test data for bounds of triples: vectors.h as triple data, and plain
 * values. */
#ifndef VS_TESTS_UNIT_TRIPLES_H
#define VS_TESTS_UNIT_TRIPLES_H

#include "libcore/engine/slab/triple_data.h"
#include "tests/unit/panels.h"
#include "tests/unit/recipes.h"
#include "tests/unit/vectors.h"

struct triples {
	struct vectors v;
	struct vs_triple_data data;
	struct vs_plain_triple *plain; /* of u, v, w at [(u n + v) n + w] */
	double *sorted; /* all values of three different vectors, rising */
	size_t n_sorted;
};

static inline int
triples_load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	const struct vectors *d = ctx;

	memset(p->vec.word, 0, p->bytes);
	for (uint64_t v = lo; v < hi; v++) {
		for (size_t f = 0; f < d->n_field; f++)
			vs_vec_set(&p->vec, v - lo, f,
				d->g[v * d->n_field + f]);
		p->source[v - lo] = (int64_t)v;
	}
	panel_make(p, lo, (size_t)(hi - lo), 1);
	return 0;
}

static inline const struct vs_plain_triple *
triples_plain(const struct triples *d, size_t u, size_t v, size_t w)
{
	const size_t n = d->v.n_vec;

	return &d->plain[(u * n + v) * n + w];
}

static inline void
triples_values(struct triples *d)
{
	const size_t n = d->v.n_vec, n_field = d->v.n_field;
	uint8_t *bytes = malloc(n * n_field);

	d->plain = malloc(n * n * n * sizeof(*d->plain));
	d->sorted = malloc(8 * n * n * n * sizeof(*d->sorted));
	if (!bytes || !d->plain || !d->sorted)
		abort();
	for (size_t v = 0; v < n; v++)
		vectors_plain(&d->v, v, bytes + v * n_field);
	for (size_t x = 0; x < n * n * n; x++) {
		const size_t u = x / n / n, v = x / n % n, w = x % n;
		const uint8_t *const of[3] = { bytes + u * n_field,
			bytes + v * n_field, bytes + w * n_field };

		if (u == v || u == w || v == w)
			continue;
		(d->v.duo ? plain_duo3 : plain_ccc3)(of, n_field, &d->plain[x]);
		for (int c = 0; c < 8; c++)
			d->sorted[d->n_sorted++] = d->plain[x].value[c];
	}
	qsort(d->sorted, d->n_sorted, sizeof(*d->sorted), vectors_rise);
	free(bytes);
}

/* Vectors and all their values; no triple data yet. */
static inline void
triples_make(struct triples *d, size_t n_vec, size_t n_field, unsigned missing,
	bool duo, uint64_t seed)
{
	memset(d, 0, sizeof(*d));
	vectors_make(&d->v, n_vec, n_field, missing, duo, seed);
	triples_values(d);
}

static inline double
triples_value(const struct triples *d, double share)
{
	return d->sorted[(size_t)(share * (double)(d->n_sorted - 1))];
}

/* Triple data by the query as it is; least_present as the engine sets it. */
static inline void
triples_open(struct triples *d)
{
	struct vs_query *q = &d->v.q;

	vs_triple_data_close(&d->data);
	q->least_present = (int64_t)d->v.n_field;
	for (size_t v = 0; v < d->v.n_vec; v++) {
		int64_t c = 0;

		for (size_t f = 0; f < d->v.n_field; f++)
			c += d->v.g[v * d->v.n_field + f] != 3;
		if (c && c < q->least_present)
			q->least_present = c;
	}
	if (q->least_present < q->min_joint)
		q->least_present = q->min_joint;
	if (vs_triple_data_open(&d->data, q, d->v.n_vec, false, triples_load,
		    &d->v, 1))
		abort();
}

/* Threshold of a cell by its number of labels 1; infinity: it is off. */
static inline double
triples_threshold(const struct vs_query *q, uint32_t cell)
{
	uint32_t ones = (cell & 1) + (cell >> 1 & 1) + (cell >> 2);

	return q->thresholds ? q->thresholds->one[ones] : q->threshold;
}

/* By how much the value of a cell is above its threshold; -1: it is none. */
static inline double
triples_excess(const struct triples *d, const struct vs_plain_triple *t,
	uint32_t cell)
{
	return t->nvalid && t->nvalid >= d->v.q.min_joint
		? t->value[cell] - triples_threshold(&d->v.q, cell)
		: -1;
}

static inline void
triples_free(struct triples *d)
{
	vs_triple_data_close(&d->data);
	vectors_free(&d->v);
	free(d->plain);
	free(d->sorted);
}

/* The data and the query of a case, for messages. */
#define TRIPLES_FORMAT "%s, %zu fields, %u missing, joint %d, label %d"
#define TRIPLES_OF(d)                                          \
	(d)->v.q.metric->name, (d)->v.n_field, (d)->v.missing, \
		(int)(d)->v.q.min_joint, (d)->v.q.lead

/* Call try() with *d made of each case: metrics, calls missing, fields that a
 * triple has to share, a threshold for all cells or one for each class. */
static inline void
triples_each(struct triples *d, size_t n_vec, void (*try)(void))
{
	static const struct vs_thresholds all = { { 0.4, 0.35, 0.3, 0.45 },
		INFINITY };
	static const struct vs_thresholds one = {
		{ INFINITY, INFINITY, 0.26, INFINITY }, INFINITY
	};
	static const struct {
		size_t n_field;
		unsigned missing;
		bool duo;
		int64_t min_joint;
		const struct vs_thresholds *thresholds;
	} cases[] = {
		{ 60, 0, false, 0, NULL },
		{ 200, 0, true, 0, NULL },
		{ 200, 20, false, 0, NULL },
		{ 200, 20, false, 85, NULL },
		{ 200, 0, false, 0, &all },
		{ 200, 10, false, 0, &one },
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		triples_make(d, n_vec, cases[k].n_field, cases[k].missing,
			cases[k].duo, cases[k].n_field + cases[k].missing);
		d->v.q.min_joint = cases[k].min_joint;
		d->v.q.thresholds = cases[k].thresholds;
		try();
		triples_free(d);
	}
}

#endif
