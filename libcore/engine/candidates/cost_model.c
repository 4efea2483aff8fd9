/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost model of triples: exhaustive or by candidates. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/rng.h"
#include "libcore/engine/candidates/cost_model.h"

#define LEAST 64 /* vectors sampled: a quarter of all */
#define MOST VS_COST_MODEL_VECTORS

/*
 * Seconds of one core of a current server, with AVX-512 or without: measured by
 * runs in both ways on mice, 3057 of 12226 vectors, and on 3000 random vectors
 * of 1000 fields, common and rare, at thresholds of 0.2 to 0.5.
 */
#define ROW 1e-7                   /* a pair that may be a row of a slab */
#define THIRD 1e-9                 /* a triple of a row */
#define PAIR (fast ? 1e-9 : 1e-8)  /* the test of a pair */
#define EDGE 2e-7                  /* an edge in a list, and its visit */
#define HOLD (fast ? 2e-10 : 1e-9) /* an edge compared with another */
#define MEET 1.5e-8                /* two edges within each other's range */
#define COUNT 1.6e-7               /* a triple counted, and each field */
#define COUNT_FIELD 3e-11

struct sample {
	const struct vs_triple_data *t;
	const uint32_t *v; /* ascending */
};

size_t
vs_cost_model_sample(size_t n_vec, uint32_t at[MOST])
{
	const size_t n = n_vec / 4 < LEAST ? LEAST
		: n_vec / 4 < MOST         ? n_vec / 4
					   : MOST;
	size_t got = 0;
	struct vs_rng rng;

	vs_rng_seed(&rng, 1);
	for (size_t v = 0; v < n_vec; v++)
		if (n_vec - v <= n - got ||
			vs_rng_below(&rng, n_vec - v) < n - got)
			at[got++] = (uint32_t)v;
	return got;
}

static int
load(void *ctx, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	const struct sample *s = ctx;
	const struct vs_panel *from = &s->t->all, *some = s->t->sample;
	size_t bytes = from->vec.n_word * sizeof(uint64_t);

	for (uint64_t k = lo; k < hi; k++) {
		size_t v = s->v[k];

		for (int plane = 0; plane < 2; plane++)
			memcpy(vs_vec_plane(&p->vec, k, plane),
				some ? vs_vec_plane(&some->vec, k, plane)
				     : vs_vec_plane(&from->vec, v, plane),
				bytes);
		p->sum[k] = from->sum[v];
		p->present[k] = from->present[v];
		p->two[k] = from->two[v];
		p->row[k] = (uint32_t)k;
	}
	p->n_vec = (size_t)hi;
	return 0;
}

static int
forget(struct vs_hits *found)
{
	found->n = 0;
	return 0;
}

/* Cost of the sample's triangles. */
static int
try(const struct vs_triple_data *t, struct vs_cost_model *f,
	struct vs_effort *effort)
{
	size_t n = t->all.n_vec;
	struct vs_corner all = { .u_hi = n, .v_hi = n, .same = true };
	struct vs_hits found = { .drain = forget };
	struct vs_triangles *w = NULL;
	struct vs_candidate_graph g = { 0 };
	int code = vs_candidate_graph_make(&g, t, 0, n, false, 1, INT64_MAX);

	if (!code)
		code = vs_triangles_open(&w, t);
	if (!code)
		code = vs_triangles_do(w, &g, &all, &found, effort);
	for (size_t v = 0; v < n && !code; v++)
		f->degree[v] = (double)(g.start[2 * v + 2] - g.start[2 * v]) /
			(double)(n - 1);
	free(w);
	vs_candidate_graph_free(&g);
	free(found.rec);
	return code;
}

static double
triples(double n)
{
	return n * (n - 1) * (n - 2) / 6;
}

static double
pairs(double n)
{
	return n * (n - 1) / 2;
}

double
vs_cost_model_pair(const struct vs_triple_data *t)
{
	bool fast = t->q.cpu >= VS_CPU_AVX512;

	return (double)t->q.n_field / vs_backend_cpu.rate(&t->q) *
		(t->complete ? 1 : 4) +
		PAIR;
}

static double
effort_cost(const struct vs_triple_data *t, double held, double met,
	double counted)
{
	bool fast = t->q.cpu >= VS_CPU_AVX512;
	double field = COUNT_FIELD * (t->complete ? 1 : 4);

	return held * HOLD + met * MEET +
		counted * (COUNT + field * (double)t->q.n_field);
}

double
vs_cost_model_candidates(const struct vs_triple_data *t, double n_edge,
	const struct vs_effort *e)
{
	return pairs((double)t->all.n_vec) * vs_cost_model_pair(t) +
		n_edge * EDGE +
		effort_cost(t, (double)e->held, (double)e->met,
			(double)e->counted);
}

double
vs_cost_model_all(const struct vs_triple_data *t, double counted)
{
	const struct vs_query *q = &t->q;
	double n = (double)t->all.n_vec;

	return pairs(n) * ROW * (1 + n / 1024) +
		counted *
		(THIRD + 2 * (double)q->n_field / vs_backend_cpu.rate(q));
}

double
vs_cost_model_beside(const struct vs_triple_data *t, double n_triple,
	double seconds)
{
	return seconds / (1 + seconds * t->beside / fmax(n_triple, 1));
}

/* Scale the sample to all vectors, and derive the costs. */
static void
judge(struct vs_cost_model *f, const struct vs_triple_data *t,
	const struct vs_effort *effort)
{
	double n = (double)t->all.n_vec, all = triples((double)f->n);

	for (size_t v = 0; v < f->n; v++)
		f->edges += f->degree[v] / (double)f->n;
	f->held = (double)effort->held / all;
	f->met = (double)effort->met / all;
	f->counted = (double)effort->counted / all;
	f->pair = vs_cost_model_pair(t);
	f->edge = EDGE;
	f->triple = effort_cost(t, f->held, f->met, f->counted);
	f->seconds[0] = vs_cost_model_beside(t, triples(n),
		vs_cost_model_all(t, triples(n) * fmin(f->edges, 1)));
	f->seconds[1] = pairs(n) * (f->pair + f->edges * f->edge) +
		triples(n) * f->triple;
}

int
vs_cost_model_make(struct vs_cost_model *f, const struct vs_triple_data *t)
{
	struct sample sample = { .t = t, .v = f->v };
	struct vs_effort effort = { 0 };
	struct vs_triple_data some;
	int code;

	memset(f, 0, sizeof(*f));
	f->n = vs_cost_model_sample(t->all.n_vec, f->v);
	code = vs_triple_data_open(&some, &t->q, f->n, false, load, &sample, 1);
	if (!code && f->n >= 3)
		code = try(&some, f, &effort);
	if (!code && f->n >= 3)
		judge(f, t, &effort);
	vs_triple_data_close(&some);
	return code;
}

#define STEP 0.96  /* candidates take about half as much more with it */
#define HARDLY 0.5 /* share of the total cost */

static int
at_threshold(const struct vs_triple_data *t, double threshold,
	struct vs_cost_model *f)
{
	struct vs_triple_data at = *t;

	at.q.threshold = threshold;
	return vs_cost_model_make(f, &at);
}

int
vs_cost_model_cost(const struct vs_triple_data *t, double threshold,
	double *cost)
{
	struct vs_cost_model f;
	int code = at_threshold(t, threshold, &f);

	*cost = f.seconds[1];
	return code;
}

int
vs_cost_model_step(const struct vs_triple_data *t, double from, double least,
	double *to, double *cost)
{
	const double budget = *cost;
	struct vs_cost_model f;
	double all, x = from;
	int code = at_threshold(t, fmax(least, 0), &f);

	all = fmin(f.seconds[0], f.seconds[1]);
	*to = least;
	*cost = all;
	while (!code) {
		x *= STEP;
		/* 0 is never reached */
		if (x <= least || x < from / 64)
			break;
		code = at_threshold(t, x, &f);
		if (code || f.seconds[1] > HARDLY * all ||
			(*to > least && f.seconds[1] > budget))
			break;
		*to = x;
		*cost = f.seconds[1];
	}
	return code;
}

double
vs_cost_model_edges(const struct vs_cost_model *f, size_t lo, size_t hi)
{
	/* few samples are unreliable: add two average ones */
	double sum = 2 * f->edges, n = 2;

	for (size_t v = 0; v < f->n; v++)
		if (f->v[v] >= lo && f->v[v] < hi) {
			sum += f->degree[v];
			n++;
		}
	return sum / n;
}
