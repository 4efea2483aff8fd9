/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/engine/forecast.h"

#define LEAST 64 /* vectors that are tried, of a quarter of all */
#define MOST 160 /* 670 thousand triples */

/* Seconds of one core, by AVX-512 or without. */
#define ROW 3e-8                  /* a pair that may be a row of a slab */
#define PAIR (fast ? 1e-9 : 1e-8) /* the test of a pair */
#define EDGE 2e-7                 /* an edge in a list, and looked at */
#define HOLD 2e-10                /* an edge held against another */
#define MEET 1e-8                 /* two that leave each other in reach */
#define COUNT 8e-8                /* a triple counted, and each field of it */
#define COUNT_FIELD 1.5e-11

struct sample {
	const struct vs_trio *t;
	uint32_t v[MOST]; /* rising */
	size_t n;
};

/* Each vector may be one of the n, whatever stands beside it. */
static void
choose(struct sample *s, size_t n_vec)
{
	size_t n = n_vec / 4 < LEAST ? LEAST
		: n_vec / 4 < MOST   ? n_vec / 4
				     : MOST;
	struct vs_rng rng;

	vs_rng_seed(&rng, 1);
	for (size_t v = 0; v < n_vec; v++)
		if (n_vec - v <= n - s->n ||
			vs_rng_below(&rng, n_vec - v) < n - s->n)
			s->v[s->n++] = (uint32_t)v;
}

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	const struct sample *s = ctx;
	const struct vs_panel *from = &s->t->all;
	size_t bytes = from->vec.n_word * sizeof(uint64_t);

	for (uint64_t k = lo; k < hi; k++) {
		size_t v = s->v[k];

		for (int plane = 0; plane < 2; plane++)
			memcpy(vs_vec_plane(&p->vec, k, plane),
				vs_vec_plane(&from->vec, v, plane), bytes);
		p->sum[k] = from->sum[v];
		p->present[k] = from->present[v];
		p->two[k] = from->two[v];
	}
	p->n_vec = (size_t)hi;
	return 0;
}

static int
forget(struct vs_found *found)
{
	found->n = 0;
	return 0;
}

/* What the sample's triangles take. */
static int
try(const struct vs_trio *t, uint64_t *n_edge, struct vs_effort *effort)
{
	size_t n = t->all.n_vec;
	struct vs_corner all = { 0, n, 0, n, true };
	struct vs_found found = { .drain = forget };
	struct vs_triangler *w = NULL;
	struct vs_graph g = { 0 };
	int code = vs_graph_make(&g, t, 0, n, 1, INT64_MAX);

	if (!code)
		code = vs_triangle_open(&w, t);
	if (!code)
		code = vs_triangle_do(w, &g, &all, &found, effort);
	if (!code)
		*n_edge = vs_graph_edges(&g) / 2;
	vs_triangle_close(w);
	vs_graph_free(&g);
	free(found.rec);
	return code;
}

static double
triples(double n)
{
	return n * (n - 1) * (n - 2) / 6;
}

/* Shares of the sample, and by them the costs of all. */
static void
judge(struct vs_forecast *f, const struct vs_trio *t, double n_sample,
	uint64_t n_edge, const struct vs_effort *effort)
{
	const struct vs_question *q = &t->q;
	bool fast = q->cpu >= VS_CPU_AVX512;
	double rate = vs_backend_cpu.rate(q), n_field = (double)q->n_field;
	double n = (double)t->all.n_vec, all = triples(n_sample);
	double n_pair = n * (n - 1) / 2, n_triple = triples(n);
	double field = n_field / rate * (t->complete ? 1 : 4);

	f->edges = (double)n_edge / (n_sample * (n_sample - 1) / 2);
	f->held = (double)effort->held / all;
	f->met = (double)effort->met / all;
	f->counted = (double)effort->counted / all;
	f->pair = field + PAIR + f->edges * EDGE;
	f->triple = f->held * HOLD + f->met * MEET +
		f->counted * (COUNT + n_field * COUNT_FIELD);
	f->seconds[0] = n_pair * ROW * (1 + n / 1024) +
		n_triple * fmin(f->edges, 1) * 2 * n_field / rate;
	f->seconds[1] = n_pair * f->pair + n_triple * f->triple;
}

int
vs_forecast_make(struct vs_forecast *f, const struct vs_trio *t)
{
	struct sample sample = { .t = t };
	struct vs_effort effort = { 0 };
	struct vs_trio some;
	uint64_t n_edge = 0;
	int code;

	memset(f, 0, sizeof(*f));
	choose(&sample, t->all.n_vec);
	code = vs_trio_open(&some, &t->q, sample.n, load, &sample, 1);
	if (!code && sample.n >= 3)
		code = try(&some, &n_edge, &effort);
	if (!code && sample.n >= 3)
		judge(f, t, (double)sample.n, n_edge, &effort);
	vs_trio_close(&some);
	return code;
}
