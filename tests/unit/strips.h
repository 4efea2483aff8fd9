/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A strip of random vectors through a backend, record by record against the
 * plain definition of each pair.
 */
#ifndef VS_TESTS_UNIT_STRIPS_H
#define VS_TESTS_UNIT_STRIPS_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/backend.h"
#include "libcore/metric/plain.h"
#include "tests/unit/moment_rows.h"
#include "tests/unit/panels.h"

struct strip_case {
	size_t n_field, n_i, n_j;
	unsigned missing;   /* calls of a thousand */
	unsigned few;       /* 1: only vectors 40 to 60 miss any */
	double threshold;   /* below 2; else: a value that some pair has */
	int beside;         /* steps of a double that it is moved */
	int64_t min_joint;  /* fields that a pair has to share */
	uint32_t cell_mask; /* 0: all */
	/* thresholds by class, of the sum the last; null: one for all */
	const double *classes;
	struct vs_ratio multiplier, gamma; /* q 0: the metric's own */
	bool diagonal, f32, spans, duo;
	const struct vs_metric *moment; /* or null */
	enum vs_element element;        /* of numbers, by ps */
	int n_worker;                   /* 0: one */
	uint64_t seed;
	size_t cut; /* rows of an item; 0: all at once */
	/* what comes out */
	size_t n_rec, wanted;
};

struct strip_data {
	uint8_t *g[2];   /* by file order, of rows and of columns */
	char *number[2]; /* instead of them */
	struct vs_panel p[2];
	struct vs_query q;
	struct vs_alleles alleles;
	struct vs_plain_recipe how;
	struct vs_thresholds thresholds;
	struct vs_strip strip;
	struct vs_record *want;
	size_t n_want, room;
	const struct vs_metric *moment;
};

/* Metrics of devices with one value of a pair: the moments that have a bound,
 * and ps, of bits. */
static inline int
strip_moments(void)
{
	return bounded_rows() + 1;
}

static inline const struct vs_metric *
strip_moment(uint64_t k)
{
	k %= (uint64_t)strip_moments();
	return k < (uint64_t)bounded_rows() ? bounded_row(k)
					    : vs_metric_find("ps");
}

static bool
strip_is_ps(const struct vs_metric *m)
{
	return m && m->family == VS_FAMILY_MINIMA;
}

/* Alleles of all frequencies; every other vector is like the one before it. */
static void
strip_genotypes(const struct strip_case *c, struct vs_rng *r, uint8_t *g,
	size_t n_vec)
{
	for (size_t v = 0; v < n_vec; v++) {
		uint64_t share = 1 + vs_rng_below(r, 999);
		uint64_t alike = v % 2 ? vs_rng_below(r, 1001) : 0;
		bool whole = c->few && (v < 40 || v >= 60);
		bool none = c->missing && !whole && v % 41 == 7;

		for (size_t f = 0; f < c->n_field; f++) {
			uint8_t *at = g + v * c->n_field + f;
			uint64_t x = vs_rng_next(r);

			*at = (uint8_t)((x % 1000 < share) +
				((x >> 20) % 1000 < share));
			if ((x >> 40) % 1000 < alike)
				*at = at[-(ptrdiff_t)c->n_field];
			if (*at == 3)
				*at = 0;
			if (c->duo || strip_is_ps(c->moment))
				*at /= 2;
			if (!whole && vs_rng_next(r) % 1000 < c->missing)
				*at = 3;
			if (none)
				*at = 3;
		}
	}
}

/* 1 of binary vectors is taken as genotype 2. */
static int
strip_genotype(const struct strip_case *c, int g)
{
	return c->duo && g == 1 ? 2 : g;
}

static void
strip_panel(const struct strip_case *c, const uint8_t *g, size_t n_vec,
	uint64_t first, struct vs_panel *p)
{
	if (panel_new(p, n_vec, c->n_field))
		abort();
	for (size_t v = 0; v < n_vec; v++)
		for (size_t f = 0; f < c->n_field; f++)
			vs_vec_set(&p->vec, v, f,
				strip_genotype(c, g[v * c->n_field + f]));
	panel_make(p, first, n_vec, 1);
	/* vectors stand in another order than in the file */
	if (vs_panel_sort(p, 0, n_vec, 0, n_vec, 1))
		abort();
}

/* Vectors of all sizes, some without anything; every other one is like the one
 * before it. */
static void
strip_numbers(const struct strip_case *c, struct vs_rng *r, char *to,
	size_t n_vec)
{
	const size_t bytes = c->n_field * vs_element_bytes(c->element);
	const double most = c->element == VS_NUM_U8 ? 255
		: c->element == VS_NUM_U16          ? 65535
						    : UINT32_MAX;
	const double unit = c->element < VS_NUM_F32 ? 1 : 0x1p-40;

	for (size_t v = 0; v < n_vec; v++, to += bytes) {
		const double size = most / (double)(1 + vs_rng_below(r, 9));
		uint64_t alike = v % 2 ? vs_rng_below(r, 1001) : 0;

		for (size_t f = 0; f < c->n_field; f++) {
			const uint64_t x = vs_rng_next(r);
			double number = floor((double)(x >> 11) * 0x1p-53 *
						(size + 1)) *
				unit;

			if (number > most * unit || x % 4 == 0 || v % 41 == 7)
				number = 0;
			if ((x >> 1) % 1000 < alike)
				number = vs_element_get(c->element, to - bytes,
					f);
			vs_element_put(c->element, to, f, number);
		}
	}
}

static void
strip_panel_of_numbers(const struct strip_case *c, const char *number,
	size_t n_vec, uint64_t first, struct vs_panel *p)
{
	if (vs_panel_room_of(p, c->element, n_vec, c->n_field))
		abort();
	vs_panel_begin(p, first, n_vec);
	memcpy(p->vec.word, number, n_vec * p->number.stride);
	for (size_t v = 0; v < n_vec; v++)
		if (vs_panel_total(p, v, first + v, "numbers"))
			abort();
	if (vs_panel_sort(p, 0, n_vec, 0, n_vec, 1))
		abort();
}

static void
strip_spans(const struct strip_case *c, struct vs_rng *r, struct vs_strip *s)
{
	size_t n = s->i_hi - s->i_lo;

	for (size_t k = 0; k < VS_SPANS; k++) {
		s->span[k].lo = s->i_lo;
		s->span[k].hi = s->i_hi;
		if (!c->spans)
			continue;
		s->span[k].lo += vs_rng_below(r, n / 2 + 1);
		s->span[k].hi -= vs_rng_below(r, n / 2 + 1);
	}
}

static bool
strip_wants(const struct vs_strip *s, size_t i, size_t j)
{
	size_t k = (j - s->j_lo) / VS_SPAN;

	return i >= s->span[k].lo && i < s->span[k].hi &&
		(!s->diagonal || i < j);
}

/* Pair of panel positions by definition, named as in the file. */
static void
strip_plain(const struct strip_data *d, size_t i, size_t j, uint64_t name[2],
	struct vs_plain_pair *out)
{
	const struct vs_panel *pi = d->strip.i, *pj = d->strip.j;
	size_t n = d->q.n_field, ri = (size_t)pi->row[i];
	size_t rj = (size_t)pj->row[j];
	const uint8_t *gi = d->g[0] + ri * n;
	const uint8_t *gj = (pi == pj ? d->g[0] : d->g[1]) + rj * n;
	bool turned = pi->first + ri > pj->first + rj;

	name[turned] = pi->first + ri;
	name[!turned] = pj->first + rj;
	if (d->q.element) {
		const size_t bytes = n * vs_element_bytes(d->q.element);

		*out = (struct vs_plain_pair){ .nvalid = (int64_t)n };
		vs_plain_ps(d->q.element, d->number[0] + ri * bytes,
			d->number[pi != pj] + rj * bytes, n, &out->num[0],
			&out->value[0]);
		for (int k = 1; k < 4; k++)
			out->value[k] = out->value[0];
		return;
	}
	if (d->moment) {
		*out = (struct vs_plain_pair){ .num = { -1 },
			.nvalid = (int64_t)n };
		if (strip_is_ps(d->moment))
			vs_plain_ps(VS_NUM_U8, gi, gj, n, &out->num[0],
				&out->value[0]);
		else
			out->value[0] = moment_plain(d->moment, gi, gj, n,
				&out->nvalid);
		for (int k = 1; k < 4; k++)
			out->value[k] = out->value[0];
		return;
	}
	vs_plain_alleles(&d->how, turned ? gj : gi, turned ? gi : gj, n, out);
}

/* The value of some wanted pair's cell: a threshold that is on the edge. */
static double
strip_edge(const struct strip_case *c, const struct strip_data *d)
{
	const struct vs_strip *s = &d->strip;
	struct vs_plain_pair pair;
	uint64_t name[2];
	double best = 0;
	int seen = 0;

	for (size_t i = s->i_lo; i < s->i_hi && seen < 400; i++)
		for (size_t j = s->j_lo; j < s->j_hi && seen < 400; j += 7) {
			if (!strip_wants(s, i, j))
				continue;
			strip_plain(d, i, j, name, &pair);
			if (pair.value[seen % 4] > best)
				best = pair.value[seen % 4];
			seen++;
		}
	for (int k = 0; k < abs(c->beside); k++)
		best = nextafter(best, c->beside < 0 ? -1 : 2);
	return best;
}

static void
strip_expect_record(struct strip_data *d, const struct vs_record *rec)
{
	if (vs_mem_grow(&d->want, &d->room, d->n_want + 1, sizeof(*d->want),
		    "records"))
		abort();
	d->want[d->n_want++] = *rec;
}

static bool
strip_passes(const struct strip_case *c, const struct strip_data *d,
	const double value[4], uint32_t cell)
{
	if (!c->classes)
		return value[cell] > d->q.threshold;
	return (cell != 1 && cell != 2 && value[0] > 0 && value[3] > 0 &&
		       value[0] + value[3] > c->classes[3]) ||
		value[cell] > c->classes[cell == 3   ? 2
					      : cell ? 1
						     : 0];
}

/* Query of each pair. */
static void
strip_ask(const struct strip_case *c, struct strip_data *d)
{
	d->q.metric = vs_metric_find(c->duo ? "duo" : "ccc");
	d->alleles = d->q.metric->alleles;
	d->how = c->duo ? (struct vs_plain_recipe){ 1, 4, 1, 2, 3 }
			: (struct vs_plain_recipe){ 2, 9, 2, 2, 3 };
	if (c->gamma.q) {
		d->how.mp = c->multiplier.p;
		d->how.mq = c->multiplier.q;
		d->how.gp = c->gamma.p;
		d->how.gq = c->gamma.q;
		vs_alleles_set(&d->alleles, c->multiplier, c->gamma);
	}
	d->q.alleles = &d->alleles;
	if (!c->classes)
		return;
	memcpy(d->thresholds.one, c->classes, 3 * sizeof(double));
	d->thresholds.sum = c->classes[3];
	d->q.thresholds = &d->thresholds;
}

static void
strip_expect(struct strip_case *c, struct strip_data *d)
{
	const struct vs_strip *s = &d->strip;
	size_t wanted = 0;

#pragma omp parallel for schedule(dynamic, 1) reduction(+ : wanted)
	for (size_t i = s->i_lo; i < s->i_hi; i++)
		for (size_t j = s->j_lo; j < s->j_hi; j++) {
			struct vs_plain_pair p;
			uint64_t name[2];

			if (!strip_wants(s, i, j))
				continue;
			wanted++;
			strip_plain(d, i, j, name, &p);
			for (uint32_t cell = 0; cell < (d->moment ? 1 : 4);
				cell++) {
				double v = p.value[cell];

				if (p.nvalid < c->min_joint ||
					!(d->q.cell_mask >> cell & 1) ||
					!strip_passes(c, d, p.value, cell))
					continue;
#pragma omp critical
				strip_expect_record(d,
					&(struct vs_record){
						.i = (uint32_t)name[0],
						.j = (uint32_t)name[1],
						.k = VS_NO_VEC,
						.value = d->q.f32
							? (double)(float)v
							: v,
						.num = p.num[cell],
						.nvalid = d->q.has_missing
							? (int32_t)p.nvalid
							: -1,
						.cell = (d->moment ? VS_NO_CELL
								   : cell) &
							15 });
			}
		}
	c->wanted = wanted;
	vs_record_sort(d->want, d->n_want);
}

static void
strip_free(struct strip_data *d)
{
	for (int k = 0; k < 2; k++) {
		free(d->g[k]);
		free(d->number[k]);
		vs_panel_free(&d->p[k]);
	}
	free(d->want);
}

/* Fields of any vector that has a call. */
static int64_t
strip_least(const struct strip_data *d)
{
	int64_t least = (int64_t)d->q.n_field;

	for (int k = 0; k < 2 && !d->q.element; k++)
		for (size_t v = 0; v < d->p[k].n_vec; v++)
			if (d->p[k].present[v] && d->p[k].present[v] < least)
				least = d->p[k].present[v];
	return least;
}

static void
strip_make(struct strip_case *c, struct strip_data *d)
{
	struct vs_rng r;

	memset(d, 0, sizeof(*d));
	if (c->element)
		c->moment = vs_metric_find("ps");
	d->moment = c->moment;
	c->n_rec = c->wanted = 0;
	vs_rng_seed(&r, c->seed);
	for (int k = 0; k < (c->diagonal ? 1 : 2); k++) {
		size_t n = k ? c->n_j : c->n_i;
		/* the later block is the row's, now and then */
		uint64_t first = (k ^ (c->seed & 1)) ? 100000 : 300;

		if (c->element) {
			d->number[k] = calloc(n * c->n_field,
				vs_element_bytes(c->element));
			if (!d->number[k])
				abort();
			strip_numbers(c, &r, d->number[k], n);
			strip_panel_of_numbers(c, d->number[k], n, first,
				&d->p[k]);
			continue;
		}
		d->g[k] = malloc(n * c->n_field);
		if (!d->g[k])
			abort();
		strip_genotypes(c, &r, d->g[k], n);
		strip_panel(c, d->g[k], n, first, &d->p[k]);
	}
	d->strip = (struct vs_strip){ .i = &d->p[0],
		.j = &d->p[!c->diagonal],
		.i_lo = c->spans ? c->n_i / 7 : 0,
		.i_hi = c->n_i - (c->spans ? c->n_i / 9 : 0),
		.j_lo = c->spans ? c->n_j / 5 : 0,
		.j_hi = c->n_j,
		.diagonal = c->diagonal };
	strip_spans(c, &r, &d->strip);
	d->q = (struct vs_query){ .cell_mask = c->cell_mask ? c->cell_mask : 15,
		.f32 = c->f32,
		.has_missing = c->missing > 0,
		.min_joint = c->min_joint,
		.prune = true,
		.element = c->element,
		.n_field = c->n_field };
	strip_ask(c, d);
	if (c->moment) {
		d->q.alleles = NULL;
		d->q.metric = c->moment;
	}
	d->q.least_present = strip_least(d);
	if (d->q.least_present < c->min_joint)
		d->q.least_present = c->min_joint;
	d->q.threshold = c->classes ? vs_thresholds_least(&d->thresholds, 2)
		: c->threshold < 2  ? c->threshold
				    : strip_edge(c, d);
	strip_expect(c, d);
}

static int
strip_drain(struct vs_hits *found)
{
	(void)found;
	return 0;
}

/* A strip, by as many rows at a time as the backend will. */
static int
strip_whole(const struct vs_backend *b, void *state, int worker,
	struct vs_strip item, struct vs_hits *found)
{
	int code = 0;

	for (; item.i_lo < item.i_hi && !code; item.i_lo = found->upto) {
		found->upto = item.i_hi;
		code = b->strip(state, worker, &item, found);
	}
	return code;
}

/* Items of the strip on all workers at once. returns  the first code */
static int
strip_items(const struct vs_backend *b, void *state, const struct strip_case *c,
	const struct vs_strip *s, struct vs_hits *found)
{
	int n = c->n_worker ? c->n_worker : 1, first = 0;
	size_t cut = c->cut ? c->cut : s->i_hi - s->i_lo + 1;
	size_t n_item = (s->i_hi - s->i_lo + cut - 1) / cut;

#pragma omp parallel for num_threads(n) schedule(dynamic, 1)
	for (int k = 0; k < n; k++)
		for (size_t x = (size_t)k; x < n_item; x += (size_t)n) {
			struct vs_strip item = *s;
			int code;

			item.i_lo = s->i_lo + x * cut;
			if (item.i_hi - item.i_lo > cut)
				item.i_hi = item.i_lo + cut;
			code = strip_whole(b, state, k, item, &found[k]);
			if (!code)
				continue;
#pragma omp critical
			first = first ? first : code;
		}
	return first;
}

/* Records that differ, and those too many or too few. */
static size_t
strip_judge(const struct strip_data *d, struct vs_hits *found)
{
	size_t wrong = found->n > d->n_want ? found->n - d->n_want
					    : d->n_want - found->n;

	vs_record_sort(found->rec, found->n);
	for (size_t k = 0; k < d->n_want && k < found->n; k++) {
		const struct vs_record *a = &d->want[k], *b = &found->rec[k];

		wrong += vs_record_compare(a, b) || a->k != b->k ||
			memcmp(&a->value, &b->value, sizeof(a->value)) ||
			a->num != b->num || a->nvalid != b->nvalid;
	}
	return wrong;
}

/*
 * Open the backend, do the strip made, close it. returns  wrong records; or
 * -1, the backend failing with *code
 */
static long
strip_run(const struct vs_backend *b, struct strip_case *c,
	const struct strip_data *d, int *code)
{
	int n = c->n_worker ? c->n_worker : 1;
	struct vs_hits *found = calloc((size_t)n, sizeof(*found));
	void *state = NULL;
	long wrong = -1;

	if (!found)
		abort();
	for (int k = 0; k < n; k++)
		found[k].drain = strip_drain;
	*code = b->open(&state, &d->q, n, c->n_i > c->n_j ? c->n_i : c->n_j);
	if (!*code)
		*code = strip_items(b, state, c, &d->strip, found);
	for (int k = 1; k < n && !*code; k++) {
		if (vs_mem_grow(&found->rec, &found->room,
			    found->n + found[k].n, sizeof(*found->rec),
			    "records"))
			abort();
		if (found[k].n)
			memcpy(found->rec + found->n, found[k].rec,
				found[k].n * sizeof(*found->rec));
		found->n += found[k].n;
	}
	if (!*code)
		wrong = (long)strip_judge(d, found);
	c->n_rec = found->n;
	b->close(state);
	for (int k = 0; k < n; k++)
		free(found[k].rec);
	free(found);
	return wrong;
}

/* The same of a strip to be made. */
__attribute__((unused)) static long
strip_try(const struct vs_backend *b, struct strip_case *c, int *code)
{
	struct strip_data d;
	long wrong;

	strip_make(c, &d);
	wrong = strip_run(b, c, &d, code);
	strip_free(&d);
	return wrong;
}

#endif
