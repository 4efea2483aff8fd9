/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nearest neighbours as a directed graph: for each vector, or allele, the
 * vectors it has records with, strongest first, ranked from 1; equal values by
 * index. Records are read twice: the first time counts the neighbours.
 */
#include <math.h>
#include <stdlib.h>

#include "formats/out/vertex_label.h"
#include "formats/out/writer.h"
#include "libcore/base/mem.h"

struct neighbour {
	double value, strength;
	size_t to;      /* vertex */
	uint64_t index; /* as shown */
};

struct knn {
	struct vs_text_pool label;
	size_t n_allele, n_vertex;
	uint64_t *at; /* neighbours of vertex v: [at[v], at[v + 1]) */
	uint64_t *index;
	uint64_t *n; /* of a vertex so far */
	struct neighbour *of;
};

static void
knn_end(struct vs_writer *w)
{
	struct knn *g = w->state;

	if (g) {
		vs_text_pool_free(&g->label);
		free(g->at);
		free(g->index);
		free(g->n);
		free(g->of);
	}
	free(g);
	w->state = NULL;
}

static int
knn_begin(struct vs_writer *w)
{
	struct knn *g = NULL;
	int code = vs_mem_new(&g, 1, sizeof(*g), "neighbours");

	w->state = g;
	if (code)
		return code;
	g->n_allele = w->show->cells ? 2 : 1;
	g->n_vertex = g->n_allele * w->show->sites->n;
	code = vs_vertex_label_make(&g->label, w->show->sites, g->n_allele);
	VS_MEM_NEW(&code, g->n, g->n_vertex, "neighbours");
	VS_MEM_NEW(&code, g->index, g->n_vertex, "neighbours");
	return code ? code
		    : vs_mem_new(&g->at, g->n_vertex + 1, sizeof(*g->at),
			      "neighbours");
}

/* The vertex of an end of a line. */
static size_t
vertex(const struct knn *g, const struct vs_line *line, int end)
{
	return g->n_allele * line->row[end] +
		(g->n_allele == 2 ? line->rec.cell >> (1 - end) & 1 : 0);
}

static void
knn_mark(struct vs_writer *w, const struct vs_line *line)
{
	struct knn *g = w->state;

	for (int e = 0; e < 2; e++)
		__atomic_fetch_add(&g->n[vertex(g, line, e)], 1,
			__ATOMIC_RELAXED);
}

static int
knn_marked(struct vs_writer *w)
{
	struct knn *g = w->state;

	for (size_t v = 0; v < g->n_vertex; v++) {
		g->at[v + 1] = g->at[v] + g->n[v];
		g->n[v] = 0;
	}
	return vs_mem_room(&g->of, g->at[g->n_vertex], sizeof(*g->of),
		"neighbours");
}

static void
knn_line(struct vs_writer *w, const struct vs_line *line)
{
	struct knn *g = w->state;
	const uint64_t index[2] = { line->rec.i, line->rec.j };

	for (int e = 0; e < 2; e++) {
		const size_t v = vertex(g, line, e);
		const uint64_t k = g->at[v] +
			__atomic_fetch_add(&g->n[v], 1, __ATOMIC_RELAXED);

		__atomic_store_n(&g->index[v], index[e], __ATOMIC_RELAXED);
		if (k < g->at[v + 1])
			g->of[k] = (struct neighbour){ line->rec.value,
				vs_strength(w->show->strong, line->rec.value),
				vertex(g, line, !e), index[!e] };
	}
}

static int
strongest_first(const void *a, const void *b)
{
	const struct neighbour *x = a, *y = b;

	return x->strength != y->strength ? (x->strength < y->strength ? 1 : -1)
		: x->index != y->index    ? (x->index > y->index ? 1 : -1)
					  : (x->to > y->to) - (x->to < y->to);
}

/* A vertex with neighbours, by the index shown. */
struct from {
	uint64_t index;
	size_t vertex;
};

static int
by_index(const void *a, const void *b)
{
	const struct from *x = a, *y = b;

	return x->index != y->index
		? (x->index > y->index ? 1 : -1)
		: (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

static void
put_label(struct vs_writer *w, size_t v)
{
	const struct knn *g = w->state;
	size_t len;
	const char *label = vs_text_pool_get(&g->label, v, &len);

	vs_out_put(w->out, label, len);
	vs_out_char(w->out, '\t');
}

static void
put_neighbours(struct vs_writer *w, size_t v)
{
	struct knn *g = w->state;
	struct neighbour *of = g->of + g->at[v];
	const uint64_t most = (uint64_t)w->show->neighbors;

	qsort(of, g->n[v], sizeof(*of), strongest_first);
	for (uint64_t k = 0; k < g->n[v] && (!most || k < most); k++) {
		put_label(w, v);
		vs_out_int(w->out, (int64_t)k + 1);
		vs_out_char(w->out, '\t');
		put_label(w, of[k].to);
		vs_column_value(w->out, w->show, of[k].value);
		vs_out_char(w->out, '\n');
	}
}

static int
knn_finish(struct vs_writer *w)
{
	const struct knn *g = w->state;
	struct from *from = NULL;
	size_t n = 0;
	int code = vs_mem_room(&from, g->n_vertex, sizeof(*from), "vertices");

	if (code)
		return code;
	for (size_t v = 0; v < g->n_vertex; v++)
		if (g->n[v])
			from[n++] = (struct from){ g->index[v], v };
	if (n)
		qsort(from, n, sizeof(*from), by_index);
	if (w->show->head)
		vs_out_text(w->out, "from\trank\tto\tvalue\n");
	for (size_t k = 0; k < n && !vs_out_closed(w->out); k++)
		put_neighbours(w, from[k].vertex);
	free(from);
	return w->out->code;
}

const struct vs_writer_kind vs_writer_knn = {
	.name = "knn",
	.help = "nearest neighbors: from, rank, to, value",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS,
	.begin = knn_begin,
	.mark = knn_mark,
	.marked = knn_marked,
	.line = knn_line,
	.finish = knn_finish,
	.end = knn_end,
};
