/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Test data for filters: genotype vectors of ordinary and of extreme counts,
 * clustered and sorted in a panel, with the plain values of all pairs.
 */
#ifndef VS_TESTS_UNIT_VECTORS_H
#define VS_TESTS_UNIT_VECTORS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/prune/representatives.h"
#include "tests/unit/panels.h"
#include "tests/unit/recipes.h"

struct vectors {
	size_t n_vec, n_field;
	unsigned missing; /* calls of a thousand */
	bool duo;         /* genotypes 0 and 2 alone, DUO's entries 0 and 1 */
	uint8_t *g;       /* by number in the file; 3: missing */
	struct vs_panel panel;
	struct vs_query q;
	struct vs_plain_pair *pair; /* of numbers a, b at [a n_vec + b] */
	double *sorted;             /* all values of pairs a < b, rising */
	size_t n_sorted;
};

/* Genotype of field f of a vector of its own: ordinary, or of extreme
 * counts. */
static inline int
vectors_own(const struct vectors *d, size_t v, size_t f, uint64_t often,
	struct vs_rng *r)
{
	switch (v % 12) {
	case 4:
		return v % 24 == 4 ? 0 : f == v % d->n_field;
	case 6:
		return v % 24 == 6 ? 2 : 1;
	case 9: /* sorted: sums of two are as large as counts allow */
		return (f * 5 > d->n_field * 2) + (f * 5 > d->n_field * 4);
	default:
		return (vs_rng_below(r, 1000) < often) +
			(vs_rng_below(r, 1000) < often);
	}
}

/*
 * Some of 12 vectors are near copies of the one before, one is a near copy with
 * its alleles exchanged; where calls are missing, one has none and one half.
 */
static inline int
vectors_genotype(const struct vectors *d, size_t v, size_t f, uint64_t often,
	struct vs_rng *r)
{
	const size_t kind = v % 12;
	const uint8_t before = v ? d->g[(v - 1) * d->n_field + f] : 3;
	bool copied = before < 3 &&
		(kind == 1 || kind == 2 || kind == 3 || kind == 7 ||
			kind == 10);
	int g = vectors_own(d, v, f, often, r);

	if (copied && vs_rng_below(r, 1000) >= (kind == 7 ? 60 : 4))
		g = kind == 3 ? 2 - before : before;
	if (d->duo)
		g &= 2;
	if (d->missing &&
		(v % 36 == 8 || (v % 36 == 20 && f % 2) ||
			vs_rng_below(r, 1000) < d->missing))
		g = 3;
	return g;
}

/* Bytes of a vector as the plain definition takes them. */
static inline void
vectors_plain(const struct vectors *d, size_t v, uint8_t *to)
{
	for (size_t f = 0; f < d->n_field; f++) {
		uint8_t g = d->g[v * d->n_field + f];

		to[f] = d->duo && g == 2 ? 1 : g;
	}
}

static inline int
vectors_rise(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static inline void
vectors_pairs(struct vectors *d)
{
	const size_t n = d->n_vec;
	uint8_t *plain = malloc(n * d->n_field);

	d->pair = malloc(n * n * sizeof(*d->pair));
	d->sorted = malloc(2 * n * n * sizeof(*d->sorted));
	if (!plain || !d->pair || !d->sorted)
		abort();
	for (size_t v = 0; v < n; v++)
		vectors_plain(d, v, plain + v * d->n_field);
	for (size_t a = 0; a < n; a++)
		for (size_t b = 0; b < n; b++) {
			struct vs_plain_pair *pair = &d->pair[a * n + b];

			(d->duo ? plain_duo : plain_ccc)(plain + a * d->n_field,
				plain + b * d->n_field, d->n_field, pair);
			for (int c = 0; c < 4 && a < b; c++)
				d->sorted[d->n_sorted++] = pair->value[c];
		}
	qsort(d->sorted, d->n_sorted, sizeof(*d->sorted), vectors_rise);
	free(plain);
}

/* Genotypes and the query; no panel yet. */
static inline void
vectors_make(struct vectors *d, size_t n_vec, size_t n_field, unsigned missing,
	bool duo, uint64_t seed)
{
	struct vs_rng r;

	*d = (struct vectors){ n_vec, n_field, missing, duo, .g = NULL };
	d->g = malloc(n_vec * n_field);
	if (!d->g)
		abort();
	vs_rng_seed(&r, seed);
	for (size_t v = 0; v < n_vec; v++) {
		uint64_t often = 1 + vs_rng_below(&r, 999);

		for (size_t f = 0; f < n_field; f++)
			d->g[v * n_field + f] =
				(uint8_t)vectors_genotype(d, v, f, often, &r);
	}
	d->q = (struct vs_query){ .metric = vs_metric_find(duo ? "duo" : "ccc"),
		.cell_mask = 15,
		.has_missing = missing > 0,
		.prune = true,
		.cpu = vs_cpu_best(),
		.n_field = n_field };
	d->q.alleles = &d->q.metric->alleles;
}

/* The value that this share of all values of pairs is at or below. */
static inline double
vectors_value(const struct vectors *d, double share)
{
	return d->sorted[(size_t)(share * (double)(d->n_sorted - 1))];
}

/* Cluster and sort the vectors by the query's threshold and leading label. */
static inline void
vectors_panel(struct vectors *d)
{
	const size_t n = d->n_vec;

	vs_panel_free(&d->panel);
	if (panel_new(&d->panel, n, d->n_field))
		abort();
	for (size_t v = 0; v < n; v++)
		for (size_t f = 0; f < d->n_field; f++)
			vs_vec_set(&d->panel.vec, v, f,
				d->g[v * d->n_field + f]);
	panel_make(&d->panel, 0, n, 1);
	/* such a vector leads and follows no other */
	for (size_t v = 0; v < n; v++)
		d->panel.dead[v] = !d->panel.present[v] ||
			d->panel.present[v] < d->q.min_joint;
	vs_panel_follow(&d->panel, 0, n, d->q.lead,
		vs_representatives_most_gap(&d->q), 1);
	if (vs_panel_sort(&d->panel, 0, n, 0, n, 1))
		abort();
	vs_panel_count_first(&d->panel, d->q.lead, 1);
}

/* Genotypes of the vector in a place of the panel. */
static inline const uint8_t *
vectors_at(const struct vectors *d, size_t place)
{
	return d->g + d->panel.row[place] * d->n_field;
}

/* Copies of the allele with this label; 0 where the call is missing. */
static inline int
vectors_copies(uint8_t g, int label)
{
	return g == 3 ? 0 : label ? g : 2 - g;
}

/* Dense sum of a label over fields [lo, hi) of two places. */
static inline int32_t
vectors_product(const struct vectors *d, size_t i, size_t j, int label,
	size_t lo, size_t hi)
{
	const uint8_t *a = vectors_at(d, i), *b = vectors_at(d, j);
	int32_t sum = 0;

	for (size_t f = lo; f < hi; f++)
		sum += vectors_copies(a[f], label) *
			vectors_copies(b[f], label);
	return sum;
}

/* Plain values of two places, the first one's label being bit 1 of a cell. */
static inline const struct vs_plain_pair *
vectors_pair(const struct vectors *d, size_t i, size_t j)
{
	return &d->pair[d->panel.row[i] * d->n_vec + d->panel.row[j]];
}

static inline void
vectors_free(struct vectors *d)
{
	free(d->g);
	free(d->pair);
	free(d->sorted);
	vs_panel_free(&d->panel);
}

#endif
