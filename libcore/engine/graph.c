/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/err.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/graph.h"

#define ROWS 128
#define COLS 1024 /* a multiple of LOOK and of all kernels' lanes */
#define LOOK 128
#define SAMPLE 4096
/*
 * A triple counted in a slab takes a few cycles, a triangle hundreds, and each
 * edge looks at the neighbours of one end: not worth it beyond this share of
 * the pairs.
 */
#define MOST_SHARE 0.15
#define INLINE static inline __attribute__((always_inline))

/* ---- pairs ---- */

struct found_edge {
	uint32_t i, j;
	int32_t p;
	uint32_t open;
};

/* One thread's. */
struct counter {
	const struct vs_trio *t;
	const struct vs_dense *dense;
	void *cols, *scratch;
	int32_t *sums[4]; /* p alone, or xx xm mx mm */
	int32_t hit[LOOK];
	struct found_edge *edge;
	size_t n_edge, room, most;
};

static void
counter_free(struct counter *k)
{
	free(k->cols);
	free(k->scratch);
	free(k->sums[0]);
	free(k->edge);
	memset(k, 0, sizeof(*k));
}

static int
counter_new(struct counter *k, const struct vs_trio *t, size_t most)
{
	const struct vs_question *q = &t->q;
	size_t n = q->n_field, kinds = t->complete ? 1 : 4;
	int code;

	memset(k, 0, sizeof(*k));
	k->t = t;
	k->most = most;
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

/* What is known of one pair. */
struct pair {
	int32_t c, si, sj, p;
};

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

/* As vs_trio_most(), for the four cells of a pair; e is 1 / u. */
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
	unsigned open = open_cells(k->t, i, j, &x);
	int code = 0;

	if (!open)
		return 0;
	if (k->n_edge == k->most)
		return VS_DONE;
	code = vs_grow(&k->edge, &k->room, k->n_edge + 1, sizeof(*k->edge),
		"candidate pairs");
	if (!code)
		k->edge[k->n_edge++] = (struct found_edge){ (uint32_t)i,
			(uint32_t)j, x.p, open };
	return code;
}

/* Edges of rows [i, i + n_row) with the columns [lo, lo + n_col) taken. */
static int
count_rows(struct counter *k, size_t i, size_t n_row, size_t lo, size_t n_col)
{
	const struct vs_trio *t = k->t;
	const struct vs_tally tally = { k->sums[0], k->sums[1], k->sums[2],
		k->sums[3], COLS };
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

/* All pairs whose second vector is of a strip of columns. */
static int
count_strip(struct counter *k, size_t lo, size_t n_col)
{
	const struct vs_trio *t = k->t;
	size_t end = lo + n_col - 1;
	int code = 0;

	if (t->complete)
		k->dense->take_cols(&t->all, lo, n_col, 1, k->cols);
	else
		t->sparse->take_cols(&t->all, lo, n_col, k->cols);
	for (size_t i = 0; i < end && !code; i += ROWS)
		code = count_rows(k, i, end - i < ROWS ? end - i : ROWS, lo,
			n_col);
	return code;
}

/* ---- the graph ---- */

static int
by_to(const void *a, const void *b)
{
	uint32_t x = ((const struct vs_edge *)a)->to;
	uint32_t y = ((const struct vs_edge *)b)->to;

	return (x > y) - (x < y);
}

/* All threads' edges into lists by vector, both ways. */
static int
gather(struct vs_graph *g, const struct counter *k, int n_thread)
{
	size_t n = g->t->all.n_vec;
	uint64_t *start;
	int code = vs_new(&g->start, n + 2, sizeof(*g->start), "graph");

	if (code)
		return code;
	/* start[v + 2] counts, then start[v + 1] is where v's list goes on */
	start = g->start;
	for (int x = 0; x < n_thread; x++)
		for (size_t e = 0; e < k[x].n_edge; e++) {
			start[k[x].edge[e].i + 2]++;
			start[k[x].edge[e].j + 2]++;
		}
	for (size_t v = 2; v < n + 2; v++)
		start[v] += start[v - 1];
	code = vs_room(&g->edge, start[n + 1], sizeof(*g->edge), "graph");
	if (code)
		return code;
	for (int x = 0; x < n_thread; x++)
		for (size_t e = 0; e < k[x].n_edge; e++) {
			const struct found_edge *f = &k[x].edge[e];
			uint32_t turned = (f->open & 9) | (f->open & 2) << 1 |
				(f->open & 4) >> 1;

			g->edge[start[f->i + 1]++] =
				(struct vs_edge){ f->j, f->open & 15, f->p };
			g->edge[start[f->j + 1]++] =
				(struct vs_edge){ f->i, turned & 15, f->p };
		}
#pragma omp parallel for num_threads(n_thread) schedule(dynamic, 64)
	for (size_t v = 0; v < n; v++)
		qsort(g->edge + start[v], start[v + 1] - start[v],
			sizeof(*g->edge), by_to);
	return 0;
}

int
vs_graph_make(struct vs_graph *g, const struct vs_trio *t, int n_thread,
	uint64_t bytes)
{
	struct counter *k = NULL;
	size_t n = t->all.n_vec, n_strip = (n + COLS - 1) / COLS, at = 0;
	/* an edge in a list, which grows by half, and twice in the graph */
	size_t most = (size_t)(bytes /
		(sizeof(struct found_edge) * 5 / 2 +
			2 * sizeof(struct vs_edge)));
	int code = vs_new(&k, (size_t)n_thread, sizeof(*k), "workers");

	*g = (struct vs_graph){ .t = t };
	if (code)
		return code;
	for (int x = 0; x < n_thread && !code; x++)
		code = counter_new(&k[x], t, most / (size_t)n_thread);
#pragma omp parallel num_threads(n_thread)
	for (;;) {
		struct counter *own = &k[omp_get_thread_num()];
		size_t strip;
		int mine, stop;

#pragma omp atomic capture
		strip = at++;
#pragma omp atomic read
		stop = code;
		if (strip >= n_strip || stop)
			break;
		/* the last strips have most pairs */
		strip = n_strip - 1 - strip;
		mine = count_strip(own, strip * COLS,
			n - strip * COLS < COLS ? n - strip * COLS : COLS);
		if (mine) {
#pragma omp atomic write
			code = mine;
		}
	}
	if (!code)
		code = gather(g, k, n_thread);
	for (int x = 0; x < n_thread; x++)
		counter_free(&k[x]);
	free(k);
	if (code)
		vs_graph_free(g);
	return code;
}

void
vs_graph_free(struct vs_graph *g)
{
	free(g->start);
	free(g->edge);
	memset(g, 0, sizeof(*g));
}

bool
vs_graph_pays(const struct vs_trio *t)
{
	const struct vs_panel *a = &t->all;
	size_t n = a->n_vec, edges = 0;
	struct vs_rng rng;

	if (!vs_question_prunes(&t->q) || n < 3 || n >= 1u << 28)
		return false;
	vs_rng_seed(&rng, 1);
	for (int k = 0; k < SAMPLE; k++) {
		size_t i = vs_rng_below(&rng, n);
		size_t j = (i + 1 + vs_rng_below(&rng, n - 1)) % n;
		struct pair x;
		int32_t sum[4];

		t->sparse->pair(a, i, a, j, sum);
		x = joint((int32_t)t->q.n_field, a->present[i], a->sum[i],
			a->present[j], a->sum[j], sum);
		edges += open_cells(t, i, j, &x) != 0;
	}
	return (double)edges <= MOST_SHARE * SAMPLE;
}
