/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/bits/product.h"
#include "libcore/engine/lesser.h"
#include "libcore/engine/triangle.h"

#define LOOK 256 /* triangles that the float test looks at together */
#define PARTS 15 /* numbers that are kept of each neighbour */
#define INLINE static inline __attribute__((always_inline))

/* Of u's neighbours, by their places in its list + 1. */
struct thirds {
	float *r[4];   /* of the pair with u, cell 2a + c */
	float *two[2]; /* by label, fields with two copies */
	float *e[2];   /* 1 / u */
	int32_t *s;    /* g in all */
	int32_t *c;    /* fields present in both */
	int32_t *own;  /* fields present */
	size_t room;
	void *memory;
};

/* Of u and v: what is known, and of v's neighbours those that u has too. */
struct met {
	float r[4];    /* cell 2a + b */
	float edge[8]; /* cell 4a + 2b + c: least r / (u_w c) of what passes */
	float two_u[2], two_v[2];
	unsigned open;          /* cells */
	int32_t s, c_u, c_v, c; /* g of v; fields of u, of v, of both */
	/* by place in u's list + 1: p of v and w, less than 0 if they are no
	 * edge; and where calls are missing as in vs_joint */
	int32_t *p, *c_vw, *s_v, *s_w;
	int32_t hit[LOOK];
};

struct vs_triangler {
	const struct vs_trio *t;
	uint32_t *mark; /* by vector: its place in u's list + 1, or 0 */
	struct thirds thirds;
	struct met met;
	struct vs_panel row; /* the product of u and v */
	bool has_row;
	struct vs_products products;
};

uint64_t
vs_triangle_bytes(const struct vs_question *q, uint64_t n_vec)
{
	return sizeof(struct vs_triangler) +
		n_vec * (sizeof(uint32_t) + PARTS * sizeof(float)) +
		4 * VS_PANEL_BYTES(vs_vec_words(q->n_field));
}

int
vs_triangle_open(struct vs_triangler **out, const struct vs_trio *t)
{
	struct vs_triangler *w = NULL;
	int code = vs_new(&w, 1, sizeof(*w), "worker");

	if (code)
		return code;
	w->t = t;
	code = vs_new(&w->mark, t->all.n_vec, sizeof(*w->mark), "marks");
	if (!code)
		code = vs_panel_new(&w->row, 1, t->q.n_field);
	if (!code)
		code = vs_products_new(&w->products, t->q.n_field);
	if (code)
		vs_triangle_close(w);
	else
		*out = w;
	return code;
}

void
vs_triangle_close(struct vs_triangler *w)
{
	if (!w)
		return;
	free(w->mark);
	free(w->thirds.memory);
	vs_panel_free(&w->row);
	vs_panel_free(&w->products.panel);
	free(w);
}

uint64_t
vs_triangle_cost(const struct vs_graph *gu, const struct vs_graph *gv,
	const struct vs_corner *k)
{
	uint64_t cost = 0;

	for (size_t u = k->u_lo; u < k->u_hi; u++) {
		uint64_t e = vs_graph_first(gu, u, k->same ? u + 1 : k->v_lo);
		uint64_t end = vs_graph_end(gu, u);

		for (; e < end && gu->edge[e].to < k->v_hi; e++) {
			size_t v = gu->edge[e].to;

			cost += 16 + vs_graph_end(gv, v) -
				vs_graph_first(gv, v, 0);
		}
	}
	return cost;
}

/* ---- u's neighbours ---- */

static void
cells_of(const struct vs_trio *t, const struct vs_graph *g, uint64_t e,
	size_t v, int64_t r[4])
{
	const struct vs_edge *edge = &g->edge[e];

	if (t->complete)
		vs_trio_cells((int64_t)t->q.n_field, t->all.sum[v],
			t->all.sum[edge->to], edge->p, r);
	else
		vs_trio_cells(g->joint[e].c, g->joint[e].own, g->joint[e].other,
			edge->p, r);
}

static int
room_for(struct vs_triangler *w, size_t n)
{
	struct thirds *x = &w->thirds;
	struct met *m = &w->met;
	float **const real[] = { &x->r[0], &x->r[1], &x->r[2], &x->r[3],
		&x->two[0], &x->two[1], &x->e[0], &x->e[1] };
	int32_t **const whole[] = { &x->s, &x->c, &x->own, &m->p, &m->c_vw,
		&m->s_v, &m->s_w };
	float *memory = NULL;
	int code;

	if (n <= x->room)
		return 0;
	/* what no neighbour of v has filled is computed with, and left out */
	code = vs_new(&memory, PARTS * n, sizeof(*memory), "neighbours");
	if (code)
		return code;
	free(x->memory);
	x->memory = memory;
	x->room = n;
	for (size_t k = 0; k < 8; k++, memory += n)
		*real[k] = memory;
	for (size_t k = 0; k < 7; k++, memory += n)
		*whole[k] = (int32_t *)memory;
	return 0;
}

/* Take u's neighbours, and mark them. */
static int
take(struct vs_triangler *w, const struct vs_graph *g, size_t u)
{
	const struct vs_trio *t = w->t;
	const struct vs_panel *a = &t->all;
	struct thirds *to = &w->thirds;
	uint64_t first = vs_graph_first(g, u, 0);
	size_t n = (size_t)(vs_graph_end(g, u) - first);
	int code = room_for(w, n + 1);

	for (size_t x = 1; x <= n && !code; x++) {
		size_t v = g->edge[first + x - 1].to;
		int64_t r[4];

		cells_of(t, g, first + x - 1, u, r);
		for (int cell = 0; cell < 4; cell++)
			to->r[cell][x] = (float)r[cell];
		for (int label = 0; label < 2; label++) {
			to->two[label][x] = (float)vs_panel_two(a, v, label);
			to->e[label][x] = t->e[label][v];
		}
		to->s[x] = a->sum[v];
		to->own[x] = a->present[v];
		to->c[x] =
			t->complete ? a->present[v] : g->joint[first + x - 1].c;
		w->mark[v] = (uint32_t)x;
	}
	return code;
}

static void
drop(struct vs_triangler *w, const struct vs_graph *g, size_t u)
{
	for (uint64_t e = vs_graph_first(g, u, 0); e < vs_graph_end(g, u); e++)
		w->mark[g->edge[e].to] = 0;
}

/* ---- the float tests ---- */

/* Fields that three share are no fewer than those of two pairs less all of the
 * vector that is in both. */
INLINE int32_t
least_shared(int32_t uv, int32_t uw, int32_t vw, int32_t u, int32_t v,
	int32_t w)
{
	int32_t a = uv + uw - u, b = uv + vw - v, c = uw + vw - w;

	a = a > b ? a : b;
	return a > c ? a : c;
}

/* r of v and a neighbour of it, cell 2b + c. */
INLINE int32_t
r_of(int32_t p, int32_t all, int32_t own, int32_t other, const int b,
	const int c)
{
	return b    ? c ? p : 2 * own - p
		: c ? 2 * other - p
		    : 4 * all - 2 * (own + other) + p;
}

/*
 * Cells a, b and either of w, of n places from lo on: r of a triple is at most
 * twice that of each of its pairs.
 */
INLINE void
look_at(struct met *m, const struct thirds *t, const int a, const int b,
	size_t lo, size_t n, const int complete)
{
	const float *r0 = t->r[2 * a] + lo, *r1 = t->r[2 * a + 1] + lo;
	const float *e0 = t->e[0] + lo, *e1 = t->e[1] + lo;
	const float uv = m->r[2 * a + b], edge0 = m->edge[4 * a + 2 * b] / 2;
	const float edge1 = m->edge[4 * a + 2 * b + 1] / 2;
	const int32_t *p = m->p + lo, *c_vw = m->c_vw + lo, *s_v = m->s_v + lo;
	const int32_t *s_w = (complete ? t->s : m->s_w) + lo;
	const int32_t *c_uw = t->c + lo, *c_w = t->own + lo;
	const int32_t c_uv = m->c, c_u = m->c_u, c_v = m->c_v, s = m->s;
	int32_t *hit = m->hit;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		int32_t c = complete ? c_uv : c_vw[k];
		int32_t own = complete ? s : s_v[k], shared = c_uv;
		float vw0, vw1;

		if (!complete)
			shared = least_shared(c_uv, c_uw[k], c, c_u, c_v,
				c_w[k]);
		vw0 = (float)r_of(p[k], c, own, s_w[k], b, 0);
		vw1 = (float)r_of(p[k], c, own, s_w[k], b, 1);
		vw0 = vs_lesser(vs_lesser(vw0, r0[k]), uv);
		vw1 = vs_lesser(vs_lesser(vw1, r1[k]), uv);
		hit[k] |= (p[k] >= 0) &
			((vw0 > edge0 * (float)shared * e0[k]) |
				(vw1 > edge1 * (float)shared * e1[k]) |
				(shared <= 0));
	}
}

INLINE int32_t
look_any(struct met *m, const struct thirds *t, size_t lo, size_t n,
	const int complete)
{
	int32_t any = 0;

	memset(m->hit, 0, n * sizeof(*m->hit));
	if (m->open & 1)
		look_at(m, t, 0, 0, lo, n, complete);
	if (m->open & 2)
		look_at(m, t, 0, 1, lo, n, complete);
	if (m->open & 4)
		look_at(m, t, 1, 0, lo, n, complete);
	if (m->open & 8)
		look_at(m, t, 1, 1, lo, n, complete);
#pragma omp simd reduction(| : any)
	for (size_t k = 0; k < n; k++)
		any |= m->hit[k];
	return any;
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) static int32_t
look_avx512(struct met *m, const struct thirds *t, size_t lo, size_t n,
	int complete)
{
	return complete ? look_any(m, t, lo, n, 1) : look_any(m, t, lo, n, 0);
}

__attribute__((target("avx2"))) static int32_t
look_avx2(struct met *m, const struct thirds *t, size_t lo, size_t n,
	int complete)
{
	return complete ? look_any(m, t, lo, n, 1) : look_any(m, t, lo, n, 0);
}
#endif

/* Which of n places may pass; false: none. */
static bool
look(struct vs_triangler *w, size_t lo, size_t n)
{
	const struct vs_trio *t = w->t;

#if defined(__x86_64__)
	if (t->q.cpu >= VS_CPU_AVX512)
		return look_avx512(&w->met, &w->thirds, lo, n, t->complete);
	if (t->q.cpu >= VS_CPU_AVX2)
		return look_avx2(&w->met, &w->thirds, lo, n, t->complete);
#endif
	return t->complete ? look_any(&w->met, &w->thirds, lo, n, 1)
			   : look_any(&w->met, &w->thirds, lo, n, 0);
}

/*
 * A field adds rho_i rho_j to r_ij, and to r_ijk as much where rho_k is 1 and
 * twice that where it is 2: so r_ijk is at most r_ij and once more what it has
 * where k has two copies, no more than 2 in a field and 4 where all three have
 * two.
 */
static float
most_of(float r, float two, float all)
{
	return r + vs_lesser(r, 2 * (two + all));
}

/* Which cells 4a + 2b + c of the triangle at place x may pass. */
static unsigned
open_cells(const struct vs_triangler *w, size_t x)
{
	const struct met *m = &w->met;
	const struct thirds *t = &w->thirds;
	const int complete = w->t->complete;
	int32_t p = m->p[x], c_vw = complete ? m->c : m->c_vw[x];
	int32_t s_v = complete ? m->s : m->s_v[x];
	int32_t s_w = complete ? t->s[x] : m->s_w[x];
	int32_t shared = complete
		? m->c
		: least_shared(m->c, t->c[x], c_vw, m->c_u, m->c_v, t->own[x]);
	unsigned open = 0;

	for (int cell = 0; cell < 8; cell++) {
		int a = cell >> 2, b = cell >> 1 & 1, c = cell & 1;
		float two = t->two[c][x];
		float all = vs_lesser(vs_lesser(m->two_u[a], m->two_v[b]), two);
		float r = most_of(m->r[cell >> 1], two, all);

		r = vs_lesser(r, most_of(t->r[2 * a + c][x], m->two_v[b], all));
		r = vs_lesser(r,
			most_of((float)r_of(p, c_vw, s_v, s_w, b, c),
				m->two_u[a], all));
		if (r > m->edge[cell] * (float)shared * t->e[c][x] ||
			shared <= 0)
			open |= 1u << cell;
	}
	return open;
}

/* ---- triangles ---- */

/* The corner's edge whose triangles are looked for. */
struct side {
	const struct vs_graph *gu, *gv;
	size_t u, v;
	uint64_t uv, of_u; /* that edge; the first of u's */
};

/* p of the pairs u v, u w, v w. */
static void
count_triangle(struct vs_triangler *w, const size_t x[3], const int32_t p[3],
	struct vs_sums *sums)
{
	const struct vs_trio *t = w->t;
	const int32_t *s = t->all.sum;
	int32_t n = (int32_t)t->q.n_field, sum[4];

	if (!t->complete) {
		vs_trio_count(t, &w->products, x[0], x[1], x[2], sums);
		return;
	}
	if (!w->has_row)
		vs_product_make(&t->all, x[0], x[1], VS_PRODUCT_BOTH, &w->row,
			0);
	w->has_row = true;
	t->sparse->pair(&w->row, 0, &t->all, x[2], sum);
	/* the sum of (x_u + 1) (x_v + 1) (x_w + 1) by its terms */
	sums->g[0] = n;
	sums->g[1] = s[x[2]];
	sums->g[2] = s[x[1]];
	sums->g[3] = p[2];
	sums->g[4] = s[x[0]];
	sums->g[5] = p[1];
	sums->g[6] = p[0];
	sums->g[7] =
		sum[0] + p[0] + p[1] + p[2] - s[x[0]] - s[x[1]] - s[x[2]] + n;
}

static int
do_triangle(struct vs_triangler *w, const struct side *k, size_t x,
	struct vs_found *found, struct vs_effort *effort)
{
	const struct vs_edge *uw = &k->gu->edge[k->of_u + x - 1];
	const size_t v[3] = { k->u, k->v, uw->to };
	const int32_t p[3] = { k->gu->edge[k->uv].p, uw->p, w->met.p[x] };
	unsigned open = open_cells(w, x);
	struct vs_sums sums;
	int code;

	if (!open)
		return 0;
	effort->counted++;
	count_triangle(w, v, p, &sums);
	code = vs_trio_keep(w->t, v, &sums, open, found);
	return !code && found->n >= VS_FOUND ? found->drain(found) : code;
}

/* Third vectors [lo, hi), as far as they are v's neighbours and u's. */
static int
do_thirds(struct vs_triangler *w, const struct side *k, size_t lo, size_t hi,
	struct vs_found *found, struct vs_effort *effort)
{
	const struct vs_graph *g = k->gv;
	struct met *m = &w->met;
	uint64_t e = vs_graph_first(g, k->v, lo);
	uint64_t end = vs_graph_first(g, k->v, hi);
	size_t x = (size_t)(vs_graph_first(k->gu, k->u, lo) - k->of_u) + 1;
	size_t stop = (size_t)(vs_graph_first(k->gu, k->u, hi) - k->of_u) + 1;
	int code = 0;

	effort->looked += end - e;
	effort->met += stop - x;
	if (e == end || x == stop)
		return 0;
	memset(m->p + x, 0xff, (stop - x) * sizeof(*m->p));
	/* what is not u's neighbour goes to place 0 */
	for (; e < end; e++) {
		uint32_t place = w->mark[g->edge[e].to];

		m->p[place] = g->edge[e].p;
		if (g->joint) {
			m->c_vw[place] = g->joint[e].c;
			m->s_v[place] = g->joint[e].own;
			m->s_w[place] = g->joint[e].other;
		}
	}
	for (; x < stop && !code; x += LOOK) {
		size_t n = stop - x < LOOK ? stop - x : LOOK;

		if (!look(w, x, n))
			continue;
		for (size_t y = 0; y < n && !code; y++)
			if (m->hit[y])
				code = do_triangle(w, k, x + y, found, effort);
	}
	return code;
}

/* Make ready for the triangles of an edge. */
static void
begin(struct vs_triangler *w, const struct side *k)
{
	const struct vs_trio *t = w->t;
	const struct vs_panel *a = &t->all;
	const struct vs_question *q = &t->q;
	struct met *m = &w->met;
	int64_t r[4];

	for (int label = 0; label < 2; label++) {
		m->two_u[label] = (float)vs_panel_two(a, k->u, label);
		m->two_v[label] = (float)vs_panel_two(a, k->v, label);
	}
	m->s = a->sum[k->v];
	m->c_u = a->present[k->u];
	m->c_v = a->present[k->v];
	m->c = t->complete ? m->c_u : k->gu->joint[k->uv].c;
	cells_of(t, k->gu, k->uv, k->u, r);
	m->open = vs_trio_open_cells(t, k->u, k->v, r,
		m->c + t->q.least_present - (int64_t)t->q.n_field);
	for (int cell = 0; cell < 4; cell++)
		m->r[cell] = (float)r[cell];
	/* roundings, a few of 2^-24 each, may not hide a triangle */
	for (int cell = 0; cell < 8; cell++)
		m->edge[cell] = (float)(q->metric->scale3 *
			vs_question_bar(q, 3,
				__builtin_popcount((unsigned)cell)) *
			(1 - 1e-5) * (double)t->e[cell >> 2][k->u] *
			(double)t->e[cell >> 1 & 1][k->v]);
	w->has_row = w->products.valid = false;
}

int
vs_triangle_do(struct vs_triangler *w, const struct vs_graph *gu,
	const struct vs_graph *gv, const struct vs_corner *c,
	struct vs_found *found, struct vs_effort *effort)
{
	struct side k = { .gu = gu, .gv = gv };
	size_t n = w->t->all.n_vec;
	int code = 0;

	for (k.u = c->u_lo; k.u < c->u_hi && !code; k.u++) {
		uint64_t end = vs_graph_first(gu, k.u, c->v_hi);

		k.uv = vs_graph_first(gu, k.u, c->same ? k.u + 1 : c->v_lo);
		if (k.uv >= end)
			continue;
		k.of_u = vs_graph_first(gu, k.u, 0);
		code = take(w, gu, k.u);
		for (; k.uv < end && !code; k.uv++) {
			k.v = gu->edge[k.uv].to;
			begin(w, &k);
			if (c->same)
				code = do_thirds(w, &k, 0, c->v_lo, found,
					effort);
			if (!code)
				code = do_thirds(w, &k,
					c->same ? k.v + 1 : c->v_hi, n, found,
					effort);
		}
		drop(w, gu, k.u);
	}
	return code;
}
