/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangle enumeration over the candidate graph. */
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/bits/product.h"
#include "libcore/engine/candidates/triangles.h"
#include "libcore/engine/slab/triple_groups.h"

#define LOOK 256 /* edges compared with another one together */

struct vs_triangles {
	const struct vs_triple_data *t;
	/* u's edges to v of a block: by v - v_lo and cell their place in the
	 * graph + 1; and the list of these v */
	uint64_t (*place)[4];
	uint32_t *v;
	size_t n_v;
	/* for u and v: by third vector its cells 4a + 2b + c that may pass, the
	 * list of third vectors that have any, and their sums of g g' with u */
	uint8_t *cells;
	uint32_t *w;
	int32_t *p_uw;
	size_t n_w;
	int32_t p_uv;
	uint16_t hit[LOOK + 4];
	struct vs_panel row; /* the product of u and v */
	struct vs_products products;
	const struct vs_triangle_marks *marks; /* marks being made; or null */
};

static void
lay_out(struct vs_triangles *w, const struct vs_query *q, size_t n,
	struct vs_layout *l)
{
	w->place = vs_layout_next(l, n * sizeof(*w->place));
	w->v = vs_layout_next(l, n * sizeof(*w->v));
	w->cells = vs_layout_next(l, n * sizeof(*w->cells));
	w->w = vs_layout_next(l, n * sizeof(*w->w));
	w->p_uw = vs_layout_next(l, n * sizeof(*w->p_uw));
	vs_slab_lay_panel(&w->row, 1, q->n_field, l);
	vs_slab_lay_panel(&w->products.panel, 3, q->n_field, l);
}

uint64_t
vs_triangles_bytes(const struct vs_query *q, uint64_t n_vec)
{
	struct vs_triangles w;
	struct vs_layout l = { 0 };

	vs_layout_next(&l, sizeof(w));
	lay_out(&w, q, (size_t)n_vec, &l);
	return l.used;
}

int
vs_triangles_open(struct vs_triangles **out, const struct vs_triple_data *t)
{
	const size_t n = t->all.n_vec;
	struct vs_layout l = { 0 };
	int code = vs_mem_new(&l.at, vs_triangles_bytes(&t->q, n), 1,
		"lists of neighbours");

	if (code)
		return code;
	*out = vs_layout_next(&l, sizeof(**out));
	(*out)->t = t;
	lay_out(*out, &t->q, n, &l);
	return 0;
}

/* ---- third alleles of an edge ---- */

/* The other edge of a comparison: its grade, and `n` nodes from `from` on,
 * outside of which the third vector has to be. */
struct other {
	uint16_t grade;
	uint32_t from, n;
};

/* Mark those of n edges from `at` on whose range of grades includes the
 * other's. */
VS_INLINE int
hold_any(const struct vs_candidate_graph *g, uint64_t at, size_t n,
	const struct other *other, uint16_t *hit)
{
	const uint16_t *least = g->least + at, *span = g->span + at;
	const uint32_t *node = g->node + at;
	const struct other o = *other;
	uint16_t any = 0;

#pragma omp simd reduction(| : any)
	for (size_t x = 0; x < n; x++) {
		uint16_t in = (uint16_t)(o.grade - least[x]) <= span[x];

		hit[x] = in & (uint16_t)(node[x] - o.from >= o.n);
		any |= hit[x];
	}
	return any;
}

VS_BY_CPU(int, hold, (g, at, n, other, hit), const struct vs_candidate_graph *g,
	uint64_t at, size_t n, const struct other *other, uint16_t *hit)

/* The first of edges [lo, hi) with at least this grade. */
static uint64_t
first(const struct vs_candidate_graph *g, uint64_t lo, uint64_t hi,
	uint32_t grade)
{
	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (g->grade[mid] < grade)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * A field adds rho_i rho_j to r_ij, and to r_ijk the same if rho_k is 1 and
 * twice that if it is 2. So r_ijk is at most r_ij plus what it has where k has
 * two copies: at most 2 per field, or 4 where all three have two.
 */
static float
most_of(float r, float two, float all)
{
	return r + vs_min_f32(r, 2 * (two + all));
}

/* The corner's vectors whose triangles are searched for, and for an edge of
 * theirs what its third alleles need. */
struct side {
	const struct vs_candidate_graph *g;
	const struct vs_corner *corner;
	size_t u, v;
	int cell;      /* 2a + b */
	uint64_t uv;   /* its place */
	float edge[2]; /* scale t / (u_u u_v), by the third allele's label */
	float two_u, two_v;
	int32_t c_u;
	uint32_t w_lo, n_w; /* third vectors that are in memory */
};

/* True if the cell with the edge at y may pass by the r of both edges. */
static bool
may_pass(const struct vs_triple_data *t, const struct side *k, uint64_t y)
{
	const struct vs_candidate_graph *g = k->g;
	size_t v = g->node[y] / 2;
	int label = g->node[y] & 1;
	float two = (float)vs_panel_two(&t->all, v, label);
	float all = vs_min_f32(vs_min_f32(k->two_u, k->two_v), two);
	float r = vs_min_f32(most_of((float)g->r[k->uv], two, all),
		most_of((float)g->r[y], k->two_v, all));
	int32_t c = k->c_u;

	/* all three share at least as many fields as the two pairs do together,
	 * less the fields of their common vector */
	if (g->c)
		c = g->c[k->uv] + g->c[y] - k->c_u;
	if (c < t->q.min_joint)
		c = (int32_t)t->q.min_joint;
	return c <= 0 || r > k->edge[label] * (float)c * t->e[label][v];
}

/* p = sum g g' from the r of a cell. */
static int32_t
p_of(const struct vs_triple_data *t, size_t u, size_t v, int cell, int32_t r)
{
	const int32_t *s = t->all.sum;

	return cell == 3    ? r
		: cell == 2 ? 2 * s[u] - r
		: cell == 1 ? 2 * s[v] - r
			    : r - 4 * (int32_t)t->q.n_field + 2 * (s[u] + s[v]);
}

static void
take(struct vs_triangles *w, const struct side *k, uint64_t y)
{
	uint32_t node = k->g->node[y], v = node / 2;
	int cell = (k->cell & 2) | (int)(node & 1);

	if (!w->cells[v]) {
		w->w[w->n_w++] = v;
		w->p_uw[v] = p_of(w->t, k->u, v, cell, k->g->r[y]);
	}
	w->cells[v] |= (uint8_t)(1u << (2 * k->cell + (int)(node & 1)));
}

/* Collect the third alleles of an edge. */
static void
do_edge(struct vs_triangles *w, const struct side *k, struct vs_effort *effort)
{
	const struct vs_candidate_graph *g = k->g;
	const uint64_t *start = g->start + 2 * (k->u - g->lo) + (k->cell >> 1);
	uint32_t least = g->least[k->uv], most = least + g->span[k->uv];
	uint64_t x = first(g, start[0], start[1], least);
	uint64_t end = first(g, x, start[1], most + 1);
	const struct vs_corner *c = k->corner;
	const uint32_t from = c->same ? 2 * (uint32_t)c->v_lo : 0;
	const struct other other = { g->grade[k->uv], from,
		2 * (uint32_t)(c->same ? k->v + 1 : c->v_hi) - from };

	const bool all = vs_query_without(&w->t->q, VS_WITHOUT_TRIANGLE_BOUND);

	effort->held += end - x;
	for (; x < end; x += LOOK) {
		size_t n = end - x < LOOK ? (size_t)(end - x) : LOOK;

		if (!hold(w->t->q.cpu, g, x, n, &other, w->hit))
			continue;
		for (size_t y = 0; y < n; y++) {
			uint64_t four;

			memcpy(&four, w->hit + y, sizeof(four));
			if (y % 4 == 0 && y + 4 <= n && !four)
				y += 3;
			if (!w->hit[y] ||
				g->node[x + y] / 2 - k->w_lo >= k->n_w)
				continue;
			effort->met++;
			if (all || may_pass(w->t, k, x + y))
				take(w, k, x + y);
		}
	}
}

/* ---- triples ---- */

static void
count_triple(struct vs_triangles *w, const size_t x[3], struct vs_sums *sums,
	bool first_one)
{
	const struct vs_triple_data *t = w->t;
	const int32_t *s = t->all.sum;
	int32_t n = (int32_t)t->q.n_field, sum[4];
	int32_t uv = w->p_uv, uw = w->p_uw[x[2]], vw;

	if (!t->complete) {
		vs_triple_data_count(t, &w->products, x[0], x[1], x[2], sums);
		return;
	}
	if (first_one)
		vs_product_make(&t->all, x[0], x[1], VS_PRODUCT_BOTH, &w->row,
			0);
	/* with x = g - 1: x x' = g g' - g - g' + 1 */
	t->sparse->pair(&t->all, x[1], &t->all, x[2], sum);
	vw = sum[0] + s[x[1]] + s[x[2]] - n;
	t->sparse->pair(&w->row, 0, &t->all, x[2], sum);
	/* the sum of (x_u + 1) (x_v + 1) (x_w + 1), term by term */
	sums->g[0] = n;
	sums->g[1] = s[x[2]];
	sums->g[2] = s[x[1]];
	sums->g[3] = vw;
	sums->g[4] = s[x[0]];
	sums->g[5] = uw;
	sums->g[6] = uv;
	sums->g[7] = sum[0] + uv + uw + vw - s[x[0]] - s[x[1]] - s[x[2]] + n;
}

static uint8_t *
mark_of(const struct vs_triangle_marks *m, int64_t v, int64_t w)
{
	const size_t n = (size_t)m->groups->n;

	return m->seen + (size_t)v * m->n / n * m->n + (size_t)w * m->n / n;
}

void
vs_triangles_mark_groups(const struct vs_triangle_marks *marks, int64_t v,
	int64_t w)
{
	uint8_t *mark = mark_of(marks, v, w);

	if (!__atomic_load_n(mark, __ATOMIC_RELAXED))
		__atomic_store_n(mark, 1, __ATOMIC_RELAXED);
}

static void
mark_thirds(struct vs_triangles *w, size_t v)
{
	const struct vs_triple_groups *groups = w->marks->groups;
	const int64_t of_v = vs_triple_groups_at(groups, v);

	for (size_t y = 0; y < w->n_w; y++) {
		vs_triangles_mark_groups(w->marks, of_v,
			vs_triple_groups_at(groups, w->w[y]));
		w->cells[w->w[y]] = 0;
	}
	w->n_w = 0;
}

/* Count the triples of u and v with the third vectors collected. */
static int
do_thirds(struct vs_triangles *w, const struct side *k, struct vs_hits *found,
	struct vs_effort *effort)
{
	int code = 0;

	if (w->marks) {
		mark_thirds(w, k->v);
		return 0;
	}
	effort->counted += w->n_w;
	for (size_t y = 0; y < w->n_w; y++) {
		const size_t x[3] = { k->u, k->v, w->w[y] };
		uint8_t cells = w->cells[x[2]];
		struct vs_sums sums;

		w->cells[x[2]] = 0;
		if (code)
			continue;
		count_triple(w, x, &sums, !y);
		code = vs_triple_data_keep(w->t, x, &sums, cells, found);
		if (!code && vs_hits_due(found))
			code = found->drain(found);
	}
	w->n_w = 0;
	return code;
}

/* All triples of u and v. */
static int
do_pair(struct vs_triangles *w, struct side *k, struct vs_hits *found,
	struct vs_effort *effort)
{
	const struct vs_triple_data *t = w->t;
	const struct vs_query *q = &t->q;
	const uint64_t *place = w->place[k->v - k->corner->v_lo];

	for (k->cell = 0; k->cell < 4; k->cell++) {
		int a = k->cell >> 1, b = k->cell & 1;

		if (!place[k->cell])
			continue;
		k->uv = place[k->cell] - 1;
		w->p_uv = p_of(t, k->u, k->v, k->cell, k->g->r[k->uv]);
		k->two_u = (float)vs_panel_two(&t->all, k->u, a);
		k->two_v = (float)vs_panel_two(&t->all, k->v, b);
		/* roundings, a few of 2^-24 each, must not hide a triangle */
		for (int c = 0; c < 2; c++)
			k->edge[c] = (float)(q->alleles->scale3 *
				vs_query_threshold(q, 3, a + b + c) *
				(1 - 1e-5) * (double)t->e[a][k->u] *
				(double)t->e[b][k->v]);
		do_edge(w, k, effort);
	}
	return do_thirds(w, k, found, effort);
}

/* Find u's edges to the corner's v. */
static void
find(struct vs_triangles *w, const struct side *k)
{
	const struct vs_candidate_graph *g = k->g;
	const struct vs_corner *c = k->corner;
	const uint64_t *start = g->start + 2 * (k->u - g->lo);
	size_t lo = c->same ? k->u + 1 : c->v_lo, hi = c->v_hi;

	if (c->only) {
		lo = vs_max_size(lo, c->only->v_lo);
		hi = vs_min_size(hi, c->only->v_hi);
	}
	w->n_v = 0;
	if (lo >= hi)
		return;
	for (int a = 0; a < 2; a++)
		for (uint64_t x = start[a]; x < start[a + 1]; x++) {
			uint32_t node = g->node[x], v = node / 2;
			uint64_t *place;

			if (v < lo || v >= hi)
				continue;
			place = w->place[v - c->v_lo];
			if (!(place[0] | place[1] | place[2] | place[3]))
				w->v[w->n_v++] = v;
			place[2 * a + (int)(node & 1)] = x + 1;
		}
}

int
vs_triangles_do(struct vs_triangles *w, const struct vs_candidate_graph *g,
	const struct vs_corner *c, struct vs_hits *found,
	struct vs_effort *effort)
{
	struct side k = { .g = g, .corner = c, .n_w = UINT32_MAX };
	int code = 0;

	if (c->only) {
		k.w_lo = (uint32_t)c->only->w_lo;
		k.n_w = (uint32_t)(c->only->w_hi - c->only->w_lo);
	}
	for (k.u = c->u_lo; k.u < c->u_hi; k.u++) {
		k.c_u = w->t->all.present[k.u];
		find(w, &k);
		for (size_t x = 0; x < w->n_v; x++) {
			uint64_t *place;

			k.v = w->v[x];
			place = w->place[k.v - c->v_lo];
			/* reset the places of all v to 0 */
			if (!code) {
				w->products.valid = false;
				code = do_pair(w, &k, found, effort);
			}
			memset(place, 0, sizeof(*w->place));
		}
	}
	return code;
}

void
vs_triangles_mark(struct vs_triangles *w, const struct vs_candidate_graph *g,
	const struct vs_corner *c, const struct vs_triangle_marks *marks)
{
	struct vs_effort unused = { 0 };

	w->marks = marks;
	vs_triangles_do(w, g, c, NULL, &unused);
	w->marks = NULL;
}

bool
vs_triangles_marked(const struct vs_triangle_marks *marks, int64_t v, int64_t w)
{
	return *mark_of(marks, v, w);
}

void
vs_triangles_corner(const struct vs_plan *plan, int64_t bi, int64_t bj,
	struct vs_corner *k)
{
	uint64_t lo, hi;

	vs_plan_block(plan, bi, &lo, &hi);
	k->u_lo = (size_t)lo;
	k->u_hi = (size_t)hi;
	vs_plan_block(plan, bj, &lo, &hi);
	/* treat all vectors as one block, with each vector first in its
	 * triples */
	if (plan->row_tiles) {
		lo = 0;
		hi = plan->n_vec;
	}
	k->v_lo = (size_t)lo;
	k->v_hi = (size_t)hi;
	k->same = bi == bj;
	k->only = NULL;
}
