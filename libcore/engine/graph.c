/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/err.h"
#include "libcore/base/mem.h"
#include "libcore/engine/graph.h"

#define ROWS 128
#define COLS 1024 /* a multiple of LOOK and of all kernels' lanes */
#define LOOK 128
#define INLINE static inline __attribute__((always_inline))

/* ---- pairs ---- */

/* What is known of one pair: c fields, sums over them. */
struct pair {
	int32_t c, si, sj, p;
};

struct found_edge {
	uint32_t i, j;
	struct pair pair;
};

/* Pairs of its columns and of rows before each, in that order. */
struct strip {
	size_t lo, n_col, row_lo, row_hi;
	struct found_edge *edge;
	size_t n_edge, room;
};

/* One thread's. */
struct counter {
	const struct vs_trio *t;
	const struct vs_dense *dense;
	void *cols, *scratch;
	int32_t *sums[4]; /* p alone, or xx xm mx mm */
	int32_t hit[LOOK];
	struct strip *strip; /* at work */
};

static void
counter_free(struct counter *k)
{
	free(k->cols);
	free(k->scratch);
	free(k->sums[0]);
	memset(k, 0, sizeof(*k));
}

static int
counter_new(struct counter *k, const struct vs_trio *t)
{
	const struct vs_question *q = &t->q;
	size_t n = q->n_field, kinds = t->complete ? 1 : 4;
	int code;

	memset(k, 0, sizeof(*k));
	k->t = t;
	k->dense = vs_dense_pick(q->cpu, q->kernel);
	code = vs_room(&k->cols,
		t->complete ? k->dense->col_room(COLS, n)
			    : t->sparse->col_room(COLS, n),
		1, "columns");
	if (!code)
		code = vs_room(&k->scratch, k->dense->row_room(ROWS, n), 1,
			"rows");
	if (!code)
		code = vs_room(&k->sums[0], kinds * ROWS * COLS,
			sizeof(int32_t), "sums of pairs");
	for (size_t x = 1; x < 4 && !code; x++)
		k->sums[x] = k->sums[0] + x % kinds * ROWS * COLS;
	return code;
}

/* By the sums of a sparse kernel: x = g - 1, m = 1 where missing. */
INLINE struct pair
joint(int32_t n, int32_t ci, int32_t si, int32_t cj, int32_t sj,
	const int32_t sum[4])
{
	struct pair pair;

	pair.c = ci + cj - n + sum[3];
	pair.si = si - sum[1] - (n - cj) + sum[3];
	pair.sj = sj - sum[2] - (n - ci) + sum[3];
	pair.p = sum[0] + pair.si + pair.sj - pair.c;
	return pair;
}

static struct pair
pair_at(const struct counter *k, size_t i, size_t j, size_t at)
{
	const struct vs_panel *a = &k->t->all;
	int32_t sum[4];

	if (k->t->complete)
		return (struct pair){ (int32_t)k->t->q.n_field, a->sum[i],
			a->sum[j], k->sums[0][at] };
	for (int x = 0; x < 4; x++)
		sum[x] = k->sums[x][at];
	return joint((int32_t)k->t->q.n_field, a->present[i], a->sum[i],
		a->present[j], a->sum[j], sum);
}

struct edge {
	float u[4], low;   /* u_i / (scale3 t) by cell; least_present - n */
	float peak, slope; /* 4 n / gamma; gamma / (8 n) */
};

/*
 * As vs_trio_most(), by 4 s and 2 r alone, for the four cells of a pair; e is
 * 1 / u.
 */
INLINE int
may_be(struct pair x, const struct edge *k, float e0, float e1)
{
	const int32_t r[4] = { 4 * x.c - 2 * (x.si + x.sj) + x.p,
		2 * x.sj - x.p, 2 * x.si - x.p, x.p };
	float c = (float)x.c + k->low, edge0 = c * e0, edge1 = c * e1;
	int hit = c <= 0;

	for (int cell = 0; cell < 4; cell++) {
		float most = 2 * (float)r[cell];

		most = most < k->peak ? most : k->peak;
		hit |= most * (1 - most * k->slope) * k->u[cell] >
			(cell & 1 ? edge1 : edge0);
	}
	return hit;
}

/* Which of n pairs of i with j on may be edges; sums from `at` on. */
INLINE void
look_any(struct counter *k, size_t i, size_t j, size_t at, size_t n,
	const int complete)
{
	const struct vs_trio *t = k->t;
	const struct vs_question *q = &t->q;
	const int32_t *sum = t->all.sum + j, *present = t->all.present + j;
	const float *e0 = t->e[0] + j, *e1 = t->e[1] + j;
	const int32_t *p = k->sums[0] + at, *xm = k->sums[1] + at;
	const int32_t *mx = k->sums[2] + at, *mm = k->sums[3] + at;
	const int32_t n_field = (int32_t)q->n_field, si = t->all.sum[i];
	const int32_t ci = t->all.present[i];
	/* roundings, a few of 2^-24 each, may not hide an edge */
	struct edge edge = {
		{ 0 },
		(float)(q->least_present - (int64_t)q->n_field),
		(float)(4 * (double)n_field / q->metric->gamma),
		(float)(q->metric->gamma / (8 * (double)n_field)),
	};
	int32_t *hit = k->hit;

	for (int cell = 0; cell < 4; cell++)
		edge.u[cell] = (float)(1 /
			(q->metric->scale3 * vs_trio_bar(q, cell) * (1 - 1e-5) *
				(double)t->e[cell >> 1][i]));

#pragma omp simd
	for (size_t x = 0; x < n; x++) {
		struct pair pair = { n_field, si, sum[x], p[x] };

		if (!complete) {
			const int32_t four[4] = { p[x], xm[x], mx[x], mm[x] };

			pair = joint(n_field, ci, si, present[x], sum[x], four);
		}
		hit[x] = may_be(pair, &edge, e0[x], e1[x]);
	}
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) static void
look_avx512(struct counter *k, size_t i, size_t j, size_t at, size_t n)
{
	if (k->t->complete)
		look_any(k, i, j, at, n, 1);
	else
		look_any(k, i, j, at, n, 0);
}
#endif

static void
look(struct counter *k, size_t i, size_t j, size_t at, size_t n)
{
#if defined(__x86_64__)
	if (k->t->q.cpu >= VS_CPU_AVX512) {
		look_avx512(k, i, j, at, n);
		return;
	}
#endif
	if (k->t->complete)
		look_any(k, i, j, at, n, 1);
	else
		look_any(k, i, j, at, n, 0);
}

static unsigned
open_cells(const struct vs_trio *t, size_t i, size_t j, const struct pair *x)
{
	int64_t r[4];

	vs_trio_cells(x->c, x->si, x->sj, x->p, r);
	return vs_trio_open_cells(t, i, j, r,
		(int64_t)x->c + t->q.least_present - (int64_t)t->q.n_field);
}

static int
add_edge(struct counter *k, size_t i, size_t j, size_t at)
{
	struct pair x = pair_at(k, i, j, at);
	struct strip *s = k->strip;
	int code = 0;

	if (!open_cells(k->t, i, j, &x))
		return 0;
	code = vs_grow(&s->edge, &s->room, s->n_edge + 1, sizeof(*s->edge),
		"candidate pairs");
	if (!code)
		s->edge[s->n_edge++] =
			(struct found_edge){ (uint32_t)i, (uint32_t)j, x };
	return code;
}

/* Edges of rows [i, i + n_row) with the strip's columns. */
static int
count_rows(struct counter *k, size_t i, size_t n_row)
{
	const struct vs_trio *t = k->t;
	const struct vs_tally tally = { k->sums[0], k->sums[1], k->sums[2],
		k->sums[3], COLS };
	size_t lo = k->strip->lo, n_col = k->strip->n_col;
	int code = 0;

	if (t->complete)
		k->dense->count(&t->all, i, n_row, 1, k->cols, 0, n_col,
			k->scratch, k->sums[0], COLS);
	else
		t->sparse->count(&t->all, i, n_row, k->cols, 0, n_col, &tally);
	for (size_t r = 0; r < n_row; r++)
		for (size_t x = 0; x < n_col; x += LOOK) {
			size_t n = n_col - x < LOOK ? n_col - x : LOOK;

			if (lo + x + n <= i + r + 1)
				continue;
			look(k, i + r, lo + x, r * COLS + x, n);
			for (size_t y = 0; y < n && !code; y++)
				if (k->hit[y] && lo + x + y > i + r)
					code = add_edge(k, i + r, lo + x + y,
						r * COLS + x + y);
		}
	return code;
}

/* *left: edges that there is room for, of all threads. */
static int
count_strip(struct counter *k, struct strip *s, int64_t *left)
{
	const struct vs_trio *t = k->t;
	int code = 0;

	k->strip = s;
	if (t->complete)
		k->dense->take_cols(&t->all, s->lo, s->n_col, 1, k->cols);
	else
		t->sparse->take_cols(&t->all, s->lo, s->n_col, k->cols);
	for (size_t i = s->row_lo; i < s->row_hi && !code; i += ROWS) {
		int64_t before = (int64_t)s->n_edge, now;

		code = count_rows(k, i,
			s->row_hi - i < ROWS ? s->row_hi - i : ROWS);
#pragma omp atomic capture
		now = *left -= (int64_t)s->n_edge - before;
		if (!code && now < 0)
			code = VS_DONE;
	}
	return code;
}

/* Of all threads, each a strip after the other. */
static int
count_strips(const struct vs_trio *t, struct strip *strip, size_t n_strip,
	int n_thread, int64_t left)
{
	struct counter *k = NULL;
	size_t at = 0;
	int code = vs_new(&k, (size_t)n_thread, sizeof(*k), "workers");

	if (code)
		return code;
	for (int x = 0; x < n_thread && !code; x++)
		code = counter_new(&k[x], t);
#pragma omp parallel num_threads(n_thread)
	for (;;) {
		size_t mine;
		int failed, stop;

#pragma omp atomic capture
		mine = at++;
#pragma omp atomic read
		stop = code;
		if (mine >= n_strip || stop)
			break;
		/* the last strips have most pairs */
		failed = count_strip(&k[omp_get_thread_num()],
			&strip[n_strip - 1 - mine], &left);
		if (failed) {
#pragma omp atomic write
			code = failed;
		}
	}
	for (int x = 0; x < n_thread; x++)
		counter_free(&k[x]);
	free(k);
	return code;
}

/* ---- the graph ---- */

/*
 * Columns from the first of vectors [lo, hi) on, or from `from` where that is
 * behind them; each strip on one side of hi, behind it they alone are rows.
 */
static int
make_strips(const struct vs_graph *g, struct strip **out, size_t *n_strip)
{
	size_t n = g->t->all.n_vec, room = 0;
	int code = 0;

	for (size_t lo = g->lo > g->from ? g->lo : g->from; lo < n && !code;
		*n_strip += 1) {
		bool own = lo < g->hi;
		size_t hi = own ? g->hi : n;

		hi = hi - lo < COLS ? hi : lo + COLS;
		code = vs_grow(out, &room, *n_strip + 1, sizeof(**out),
			"columns");
		if (code)
			break;
		(*out)[*n_strip] =
			(struct strip){ lo, hi - lo, own ? g->from : g->lo,
				own ? hi - 1 : g->hi, NULL, 0, 0 };
		lo = hi;
	}
	return code;
}

static void
put(struct vs_graph *g, uint64_t *next, uint32_t v, uint32_t to,
	const struct pair *x, bool turned)
{
	uint64_t at;

	if (v < g->lo || v >= g->hi)
		return;
	at = next[v - g->lo]++;
	g->edge[at] = (struct vs_edge){ to, x->p };
	if (g->joint)
		g->joint[at] = (struct vs_joint){ x->c, turned ? x->sj : x->si,
			turned ? x->si : x->sj };
}

/*
 * All edges into lists, both ways. Strips follow each other by column, and
 * within one the edges by row and column: so each list rises.
 */
static int
gather(struct vs_graph *g, struct strip *strip, size_t n_strip)
{
	size_t n = g->hi - g->lo;
	uint64_t *start;
	int code = vs_new(&g->start, n + 2, sizeof(*g->start), "graph");

	if (code)
		return code;
	/* start[v + 2] counts, then start[v + 1] is where v's list goes on */
	start = g->start;
	for (size_t s = 0; s < n_strip; s++)
		for (size_t e = 0; e < strip[s].n_edge; e++) {
			const struct found_edge *f = &strip[s].edge[e];

			if (f->i >= g->lo && f->i < g->hi)
				start[f->i - g->lo + 2]++;
			if (f->j >= g->lo && f->j < g->hi)
				start[f->j - g->lo + 2]++;
		}
	for (size_t v = 2; v < n + 2; v++)
		start[v] += start[v - 1];
	code = vs_room(&g->edge, start[n + 1], sizeof(*g->edge), "graph");
	if (!code && !g->t->complete)
		code = vs_room(&g->joint, start[n + 1], sizeof(*g->joint),
			"graph");
	for (size_t s = 0; s < n_strip && !code; s++) {
		for (size_t e = 0; e < strip[s].n_edge; e++) {
			const struct found_edge *f = &strip[s].edge[e];

			put(g, start + 1, f->i, f->j, &f->pair, false);
			put(g, start + 1, f->j, f->i, &f->pair, true);
		}
		free(strip[s].edge);
		strip[s].edge = NULL;
	}
	return code;
}

int
vs_graph_make(struct vs_graph *g, const struct vs_trio *t,
	const struct vs_graph_range *range, int n_thread, uint64_t bytes)
{
	struct strip *strip = NULL;
	size_t n_strip = 0;
	int64_t most = (int64_t)(bytes / vs_graph_edge_bytes(t));
	int code;

	*g = (struct vs_graph){ .t = t,
		.lo = range->lo,
		.hi = range->hi,
		.from = range->from };
	code = make_strips(g, &strip, &n_strip);
	if (!code)
		code = count_strips(t, strip, n_strip, n_thread, most);
	if (!code)
		code = gather(g, strip, n_strip);
	for (size_t s = 0; s < n_strip; s++)
		free(strip[s].edge);
	free(strip);
	if (code)
		vs_graph_free(g);
	return code;
}

uint64_t
vs_graph_edge_bytes(const struct vs_trio *t)
{
	/* in a list, which grows by half, and twice in the graph */
	return sizeof(struct found_edge) * 3 / 2 +
		2 *
		(sizeof(struct vs_edge) +
			(t->complete ? 0 : sizeof(struct vs_joint)));
}

void
vs_graph_free(struct vs_graph *g)
{
	free(g->start);
	free(g->edge);
	free(g->joint);
	memset(g, 0, sizeof(*g));
}

uint64_t
vs_graph_first(const struct vs_graph *g, size_t v, size_t x)
{
	uint64_t lo = g->start[v - g->lo], hi = vs_graph_end(g, v);

	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (g->edge[mid].to < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}
