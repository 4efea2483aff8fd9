/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/bits/product.h"
#include "libcore/engine/triangle.h"

struct vs_triangler {
	const struct vs_graph *g;
	uint32_t *mark;      /* by vector: its place in u's list + 1, or 0 */
	struct vs_panel row; /* the product of u and v */
	struct vs_products products;
};

int
vs_triangle_open(struct vs_triangler **out, const struct vs_graph *g)
{
	const struct vs_trio *t = g->t;
	struct vs_triangler *w = NULL;
	int code = vs_new(&w, 1, sizeof(*w), "worker");

	if (code)
		return code;
	w->g = g;
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
	vs_panel_free(&w->row);
	vs_panel_free(&w->products.panel);
	free(w);
}

/* The first of v's neighbours that is not before x. */
static uint64_t
first_from(const struct vs_graph *g, size_t v, size_t x)
{
	uint64_t lo = g->start[v], hi = g->start[v + 1];

	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (g->edge[mid].to < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

uint64_t
vs_triangle_cost(const struct vs_graph *g, const struct vs_corner *k)
{
	uint64_t cost = 0;

	for (size_t u = k->u_lo; u < k->u_hi; u++) {
		uint64_t e = first_from(g, u, k->same ? u + 1 : k->v_lo);

		for (; e < g->start[u + 1] && g->edge[e].to < k->v_hi; e++) {
			size_t v = g->edge[e].to;

			cost += 16 + g->start[v + 1] - g->start[v];
		}
	}
	return cost;
}

/* Cells 4a + 2b + c that the pairs of u v, u w and v w leave open. */
static unsigned
open_triple(unsigned uv, unsigned uw, unsigned vw)
{
	unsigned open = 0;

	for (unsigned cell = 0; cell < 8; cell++) {
		unsigned a = cell >> 2, b = cell >> 1 & 1, c = cell & 1;

		open |= (uv >> (2 * a + b) & uw >> (2 * a + c) &
				vw >> (2 * b + c) & 1)
			<< cell;
	}
	return open;
}

/*
 * Of these those that three pairs' sums leave: r_ijk is at most twice each of
 * theirs. Where calls are missing the edges' sums do not tell all four cells.
 */
static unsigned
tighten(const struct vs_trio *t, const size_t x[3], const int32_t p[3],
	unsigned open)
{
	const struct vs_question *q = &t->q;
	double n = (double)q->n_field;
	double bound[4];
	int64_t r[3][4];

	for (int k = 0; k < 4; k++)
		bound[k] = q->metric->scale3 * vs_question_bar(q, 3, k) * n *
			(1 - 1e-5);
	for (int k = 0; k < 3; k++)
		vs_trio_cells((int64_t)q->n_field, t->all.sum[x[k / 2]],
			t->all.sum[x[1 + (k + 1) / 2]], p[k], r[k]);
	for (unsigned cell = 0; cell < 8; cell++) {
		unsigned a = cell >> 2, b = cell >> 1 & 1, c = cell & 1;
		int64_t least = r[0][2 * a + b];

		if (!(open >> cell & 1))
			continue;
		least = r[1][2 * a + c] < least ? r[1][2 * a + c] : least;
		least = r[2][2 * b + c] < least ? r[2][2 * b + c] : least;
		if (2 * (double)least <= bound[a + b + c] * t->e[a][x[0]] *
				t->e[b][x[1]] * t->e[c][x[2]])
			open &= ~(1u << cell);
	}
	return open;
}

/* p of the pairs u v, u w, v w. */
static void
count_triangle(struct vs_triangler *w, const size_t x[3], const int32_t p[3],
	struct vs_sums *sums)
{
	const struct vs_trio *t = w->g->t;
	const int32_t *s = t->all.sum;
	int32_t n = (int32_t)t->q.n_field, sum[4];

	if (!t->complete) {
		vs_trio_count(t, &w->products, x[0], x[1], x[2], sums);
		return;
	}
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

/* Third vectors among v's neighbours [e, end). */
static int
do_thirds(struct vs_triangler *w, size_t u, const struct vs_edge *uv,
	uint64_t e, uint64_t end, struct vs_found *found, uint64_t *counted)
{
	const struct vs_graph *g = w->g;
	const struct vs_edge *list = g->edge + g->start[u];
	int code = 0;

	for (; e < end && !code; e++) {
		const struct vs_edge *vw = &g->edge[e], *uw;
		uint32_t mark = w->mark[vw->to];
		const size_t x[3] = { u, uv->to, vw->to };
		struct vs_sums sums;
		unsigned open;

		if (!mark)
			continue;
		uw = &list[mark - 1];
		const int32_t p[3] = { uv->p, uw->p, vw->p };

		open = open_triple(uv->open, uw->open, vw->open);
		if (open && g->t->complete)
			open = tighten(g->t, x, p, open);
		if (!open)
			continue;
		++*counted;
		count_triangle(w, x, p, &sums);
		code = vs_trio_keep(g->t, x, &sums, open, found);
		if (!code && found->n >= VS_FOUND)
			code = found->drain(found);
	}
	return code;
}

static int
do_edge(struct vs_triangler *w, const struct vs_corner *k, size_t u,
	const struct vs_edge *uv, struct vs_found *found, uint64_t *counted)
{
	const struct vs_graph *g = w->g;
	size_t v = uv->to;
	int code = 0;

	w->products.valid = false;
	if (g->t->complete)
		vs_product_make(&g->t->all, u, v, VS_PRODUCT_BOTH, &w->row, 0);
	if (k->same)
		code = do_thirds(w, u, uv, g->start[v],
			first_from(g, v, k->v_lo), found, counted);
	if (!code)
		code = do_thirds(w, u, uv,
			first_from(g, v, k->same ? v + 1 : k->v_hi),
			g->start[v + 1], found, counted);
	return code;
}

int
vs_triangle_do(struct vs_triangler *w, const struct vs_corner *k,
	struct vs_found *found, uint64_t *counted)
{
	const struct vs_graph *g = w->g;
	int code = 0;

	for (size_t u = k->u_lo; u < k->u_hi && !code; u++) {
		const struct vs_edge *list = g->edge + g->start[u];
		uint32_t n = (uint32_t)(g->start[u + 1] - g->start[u]);
		uint64_t e = first_from(g, u, k->same ? u + 1 : k->v_lo);

		for (uint32_t x = 0; x < n; x++)
			w->mark[list[x].to] = x + 1;
		for (; e < g->start[u + 1] && g->edge[e].to < k->v_hi && !code;
			e++)
			code = do_edge(w, k, u, &g->edge[e], found, counted);
		for (uint32_t x = 0; x < n; x++)
			w->mark[list[x].to] = 0;
	}
	return code;
}
