/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Candidate graph: both edges that leave a vector of a triple that passes by
 * the plain definition are there, and each leaves the other's allele in its
 * range of grades; edges carry the pair's sums and lists rise by grade; a graph
 * of some vectors has their lists of the whole one; few edges are left far
 * below the threshold.
 */
#include "libcore/base/fail.h"
#include "libcore/engine/candidates/candidate_graph.h"
#include "tests/unit/test.h"
#include "tests/unit/triples.h"

#define N_VEC 24

static struct triples d;

/* The edge from one node to another; or the list's end. */
static uint64_t
edge_of(const struct vs_candidate_graph *g, uint32_t from, uint32_t to)
{
	uint64_t x = g->start[from - 2 * g->lo];

	while (x < g->start[from - 2 * g->lo + 1] && g->node[x] != to)
		x++;
	return x;
}

/* True if an allele of this node is among the thirds of the edge. */
static bool
reaches(const struct vs_candidate_graph *g, uint64_t edge, uint32_t node)
{
	uint16_t grade = d.data.grade[node];

	return grade >= g->least[edge] &&
		grade <= g->least[edge] + g->span[edge];
}

/* A cell of a triple that passes, seen from its first vector. */
static int
lost(const struct vs_candidate_graph *g, const uint32_t node[3])
{
	uint64_t end = g->start[node[0] - 2 * g->lo + 1];
	uint64_t v = edge_of(g, node[0], node[1]);
	uint64_t w = edge_of(g, node[0], node[2]);

	return v == end || w == end || !reaches(g, v, node[2]) ||
		!reaches(g, w, node[1]);
}

/* All triples of the graph's vectors. *n_pass: cells that pass */
static int
all_lost(const struct vs_candidate_graph *g, size_t *n_pass)
{
	const size_t n = d.v.n_vec;
	int wrong = 0;

	for (size_t x = g->lo * n * n; x < g->hi * n * n; x++)
		for (uint32_t cell = 0; cell < 8; cell++) {
			uint32_t u = (uint32_t)(x / n / n);
			uint32_t v = (uint32_t)(x / n % n);
			uint32_t w = (uint32_t)(x % n);

			if (u == v || u == w || v == w ||
				triples_excess(&d, &d.plain[x], cell) <= 0)
				continue;
			wrong += lost(g,
				(uint32_t[]){ 2 * u + (cell >> 2),
					2 * v + (cell >> 1 & 1),
					2 * w + (cell & 1) });
			++*n_pass;
		}
	return wrong;
}

/* True if an edge carries its pair's sum, fields and grade. */
static bool
wrong_edge(const struct vs_candidate_graph *g, uint32_t from, uint64_t edge)
{
	const uint8_t *a = d.v.g + from / 2 * d.v.n_field;
	const uint8_t *b = d.v.g + g->node[edge] / 2 * d.v.n_field;
	int32_t r = 0, c = 0;

	for (size_t f = 0; f < d.v.n_field; f++) {
		if (a[f] == 3 || b[f] == 3)
			continue;
		c++;
		r += vectors_copies(a[f], (int)(from & 1)) *
			vectors_copies(b[f], (int)(g->node[edge] & 1));
	}
	return g->r[edge] != r || (g->c && g->c[edge] != c) ||
		(!g->c && d.v.missing) || g->node[edge] / 2 == from / 2 ||
		g->grade[edge] != d.data.grade[g->node[edge]];
}

static int
wrong_edges(const struct vs_candidate_graph *g)
{
	int wrong = 0;

	for (uint32_t x = 0; x < 2 * (g->hi - g->lo); x++)
		for (uint64_t e = g->start[x]; e < g->start[x + 1]; e++)
			wrong += wrong_edge(g, x + 2 * (uint32_t)g->lo, e) ||
				(e > g->start[x] &&
					g->grade[e] < g->grade[e - 1]);
	return wrong;
}

/* A pair that was counted from its other side is rounded in another order. */
static bool
near(int a, int b)
{
	return abs(a - b) <= 2;
}

/* Lists of a part that are not as in the whole graph. */
static int
unlike(const struct vs_candidate_graph *part,
	const struct vs_candidate_graph *whole)
{
	int wrong = 0;

	for (uint32_t x = 2 * (uint32_t)part->lo; x < 2 * part->hi; x++) {
		uint64_t at = part->start[x - 2 * part->lo];
		uint64_t end = part->start[x + 1 - 2 * part->lo];

		wrong += end - at != whole->start[x + 1] - whole->start[x];
		for (; at < end; at++) {
			uint64_t e = edge_of(whole, x, part->node[at]);

			wrong += e == whole->start[x + 1] ||
				!near(part->least[at], whole->least[e]) ||
				!near(part->least[at] + part->span[at],
					whole->least[e] + whole->span[e]) ||
				part->r[at] != whole->r[e];
		}
	}
	return wrong;
}

/* Counts over all thresholds. */
struct outcome {
	int lost, wrong, unlike;
	size_t n_pass;
	uint64_t n_edge, n_all;
	double span; /* share of the grades that edges leave, summed */
};

static void
look(double threshold, struct outcome *x)
{
	const size_t part[] = { 0, 7, 8, N_VEC };
	struct vs_candidate_graph whole, g;

	d.v.q.threshold = threshold;
	triples_open(&d);
	if (vs_candidate_graph_make(&whole, &d.data, 0, N_VEC, false, 2,
		    INT64_MAX))
		exit(4);
	x->lost += all_lost(&whole, &x->n_pass);
	x->wrong += wrong_edges(&whole);
	x->n_edge += vs_candidate_graph_edges(&whole);
	x->n_all += 4 * N_VEC * (N_VEC - 1);
	for (uint64_t e = 0; e < vs_candidate_graph_edges(&whole); e++)
		x->span += whole.span[e] / (double)VS_TRIPLE_DATA_GRADES;
	for (int k = 0; k < 3; k++) {
		size_t n_pass = 0;

		if (vs_candidate_graph_make(&g, &d.data, part[k], part[k + 1],
			    false, 1, INT64_MAX))
			exit(4);
		x->lost += all_lost(&g, &n_pass);
		x->wrong += wrong_edges(&g);
		x->unlike += unlike(&g, &whole);
		vs_candidate_graph_free(&g);
	}
	vs_candidate_graph_free(&whole);
}

static bool
stop(void *ctx)
{
	(void)ctx;
	return true;
}

/* Too little memory, or a stop: no graph, and nothing is left of it. */
static void
try_done(void)
{
	uint64_t bytes = 3 * vs_candidate_graph_edge_bytes(&d.data);
	struct vs_candidate_graph g;
	int code =
		vs_candidate_graph_make(&g, &d.data, 0, N_VEC, false, 2, bytes);

	T_OK(code == VS_DONE && !g.node && !g.start,
		"no graph in %d bytes: code %d", (int)bytes, code);
	d.data.stop = stop;
	code = vs_candidate_graph_make(&g, &d.data, 0, N_VEC, false, 2,
		INT64_MAX);
	T_OK(code == VS_DONE && !g.node && !g.start, "stopped: code %d", code);
}

static void
try(void)
{
	const double at[] = { 0.9, 0.999, 0.99999 };
	int round = 0;

	for (d.v.q.lead = 0; d.v.q.lead < 2; d.v.q.lead++) {
		struct outcome x = { .lost = 0 };

		for (int k = 0; k < 3; k++) {
			double value = triples_value(&d, at[k]);

			d.v.q.cpu = (enum vs_cpu)(
				round++ % ((int)vs_cpu_best() + 1));
			look(nextafter(value, k % 2 ? 2 : -1), &x);
		}
		T_OK(!x.lost && !x.wrong && !x.unlike && x.n_pass > 2 &&
				(d.v.missing || x.n_edge < x.n_all / 2) &&
				x.span < 0.8 * (double)x.n_edge,
			TRIPLES_FORMAT ": %zu pass, %d of %d edges, %.2f of "
				       "the grades each, %d "
				       "lost, %d wrong, %d unlike",
			TRIPLES_OF(&d), x.n_pass, (int)x.n_edge, (int)x.n_all,
			x.span / (double)x.n_edge, x.lost, x.wrong, x.unlike);
	}
	try_done();
}

int
main(void)
{
	triples_each(&d, N_VEC, try);
	return T_DONE();
}
