/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All pairs of small random data through the engine, record by record against
 * the definition: joint frequencies counted field by field, and the value as
 * a quotient of integers in long double.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/pairs.h"
#include "tests/unit/test.h"

struct data {
	uint8_t *g; /* 3: missing */
	size_t n_vec, n_field;
	const struct vs_question *q;
	struct vs_record *rec;
	size_t n, room;
	uint64_t evaluated, tiles;
	bool ordered;
};

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	struct data *d = ctx;

	for (uint64_t v = lo; v < hi; v++) {
		for (size_t q = 0; q < d->n_field; q++)
			vs_vec_set(&p->vec, v - lo, q,
				d->g[v * d->n_field + q]);
		p->source[v - lo] = (int64_t)v;
	}
	vs_panel_make(p, lo, (size_t)(hi - lo));
	return 0;
}

static int
sink(void *ctx, const struct vs_tile_done *tile)
{
	struct data *d = ctx;
	int code = vs_grow(&d->rec, &d->room, d->n + tile->n, sizeof(*d->rec),
		"records");

	for (size_t k = 0; k < tile->n && !code; k++) {
		d->rec[d->n++] = tile->rec[k];
		if (k)
			d->ordered &= vs_record_compare(&tile->rec[k - 1],
					      &tile->rec[k]) < 0;
	}
	d->evaluated += tile->evaluated;
	d->tiles++;
	return code;
}

/* Value of cell (a, b) by the definition; *r its numerator, *n its fields. */
static double
plain(const struct data *d, size_t i, size_t j, int a, int b, int64_t *r,
	int64_t *n)
{
	const uint8_t *gi = d->g + i * d->n_field, *gj = d->g + j * d->n_field;
	int64_t ci = 0, cj = 0, ti = 0, tj = 0;

	*r = *n = 0;
	for (size_t q = 0; q < d->n_field; q++) {
		int ri = a ? gi[q] : 2 - gi[q], rj = b ? gj[q] : 2 - gj[q];

		ci += gi[q] < 3;
		cj += gj[q] < 3;
		ti += gi[q] < 3 ? ri : 0;
		tj += gj[q] < 3 ? rj : 0;
		if (gi[q] == 3 || gj[q] == 3)
			continue;
		*n += 1;
		*r += ri * rj;
	}
	if (!*n)
		return 0;
	/* 9/2 r / (4 n) (1 - 2/3 ti / (2 ci)) (1 - 2/3 tj / (2 cj)) */
	return (double)(4.5L * *r / (4.0L * *n) * (1 - 2 * ti / (6.0L * ci)) *
		(1 - 2 * tj / (6.0L * cj)));
}

static int
by_place(const void *a, const void *b)
{
	return vs_record_compare(a, b);
}

/* Number of pairs and cells that are wrong, listed or not. */
static int
judge(struct data *d)
{
	size_t at = 0;
	int wrong = 0;

	if (d->n)
		qsort(d->rec, d->n, sizeof(*d->rec), by_place);
	for (size_t i = 0; i < d->n_vec; i++)
		for (size_t j = i + 1; j < d->n_vec; j++)
			for (uint32_t cell = 0; cell < 4; cell++) {
				const struct vs_record *rec = &d->rec[at];
				int64_t r, n;
				double v = plain(d, i, j, cell >> 1, cell & 1,
					&r, &n);
				bool listed = at < d->n && rec->i == i &&
					rec->j == j && rec->cell == cell;

				/* near the threshold long double cannot tell */
				if (fabs(v - d->q->threshold) > 1e-12)
					wrong +=
						listed != (v > d->q->threshold);
				if (!listed)
					continue;
				at++;
				wrong += rec->num != r;
				wrong += rec->nvalid !=
					(d->q->has_missing ? n : -1);
				wrong += !(fabs(rec->value - v) <= 4e-16);
			}
	return wrong + (at != d->n);
}

static void
try_by(int lead, size_t n_vec, size_t n_field, int missing, double threshold,
	int threads, enum vs_cpu cpu)
{
	struct vs_question q = { .metric = vs_metric_find("ccc"),
		.threshold = threshold,
		.cell_mask = 15,
		.has_missing = missing,
		.lead = lead,
		.prune = true,
		.n_field = n_field,
		.cpu = cpu };
	struct data d = { .n_vec = n_vec,
		.n_field = n_field,
		.q = &q,
		.ordered = true };
	struct vs_plan plan;
	struct vs_pairs job = { .plan = &plan,
		.question = &q,
		.backend = &vs_backend_cpu,
		.n_thread = threads,
		.load = load,
		.sink = sink,
		.ctx = &d };
	struct vs_pairs_stats stats;
	struct vs_rng rng;
	int wrong;

	vs_rng_seed(&rng, n_vec * 1000 + n_field);
	vs_new(&d.g, n_vec * n_field + 1, 1, "genotypes");
	for (size_t v = 0; v < n_vec; v++)
		for (size_t f = 0; f < n_field; f++) {
			uint8_t *g = &d.g[v * n_field + f];

			/* half of the vectors resemble the one before */
			*g = v % 2 && vs_rng_below(&rng, 8)
				? d.g[(v - 1) * n_field + f]
				: (uint8_t)vs_rng_below(&rng, 3);
			/* a third are rare or nearly fixed, beyond passing */
			if (v % 3 == 2)
				*g = (uint8_t)(vs_rng_below(&rng, 12) ? v & 2
								      : 1);
			if (missing && !vs_rng_below(&rng, 20))
				*g = 3;
			if (missing && v % 50 == 7)
				*g = 3;
		}
	q.least_present = (int64_t)n_field;
	for (size_t v = 0; v < n_vec; v++) {
		int64_t c = 0;

		for (size_t f = 0; f < n_field; f++)
			c += d.g[v * n_field + f] < 3;
		if (c && c < q.least_present)
			q.least_present = c;
	}
	wrong = vs_plan_make(&plan, n_vec, 1, threads, 0) ||
		vs_pairs_run(&job, &stats);
	wrong += judge(&d);
	T_OK(!wrong && d.ordered && d.evaluated == 4 * vs_plan_n_pair(&plan) &&
			d.tiles == vs_plan_n_tile(&plan),
		"%s, label %d first: %zu x %zu, %s, t = %g, %d threads: "
		"%zu records, %d wrong",
		vs_cpu_name(cpu), lead, n_vec, n_field,
		missing ? "some missing" : "none missing", threshold, threads,
		d.n, wrong);
	free(d.rec);
	free(d.g);
}

static void
try(size_t n_vec, size_t n_field, int missing, double threshold, int threads,
	enum vs_cpu cpu)
{
	for (int lead = 0; lead < 2; lead++)
		try_by(lead, n_vec, n_field, missing, threshold, threads, cpu);
}

int
main(void)
{
	static const size_t fields[] = { 1, 63, 64, 65, 200, 513 };
	static const double thresholds[] = { -1, 0, 0.3, 0.5, 0.7, 2 };

	for (enum vs_cpu c = 0; c <= vs_cpu_best(); c++)
		for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++)
			for (int missing = 0; missing < 2; missing++) {
				try(150, fields[f], missing, thresholds[f], 2,
					c);
				try(1, fields[f], missing, 0.1, 1, c);
				try(2, fields[f], missing, 0.1, 2, c);
				try(3, fields[f], missing, 0.1, 1, c);
			}
	/* more columns than are prepared at once, and a tile's edge in them */
	try(1300, 33, 0, 0.75, 2, vs_cpu_best());
	try(1300, 33, 1, 0.75, 2, vs_cpu_best());
	return T_DONE();
}
