/* SPDX-License-Identifier: BSD-3-Clause */
/* Candidate graph of triples: edges by pair bounds, in CSR form. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/base/rising.h"
#include "libcore/engine/candidates/candidate_edges.h"
#include "libcore/engine/candidates/candidate_graph.h"
#include "libcore/engine/slab/triple_groups.h"

/* ---- columns of a stream, window by window ---- */

#define LEAST_COLS 64 /* so that each thread gets some of a window */

/* The groups in memory along with v's, as columns: [*lo, *hi). */
static void
window_of(const struct vs_triple_groups *x, size_t v, int64_t *lo, int64_t *hi)
{
	const int64_t step = vs_triple_groups_thirds(x);

	*lo = vs_triple_groups_at(x, v) / step * step;
	*hi = *lo + step < x->n ? *lo + step : x->n;
}

/* The end of a strip from lo on, at most hi. */
static size_t
strip_end(const struct vs_candidate_graph *g, size_t lo, size_t hi,
	int n_thread)
{
	size_t most = VS_CANDIDATE_EDGES_COLS;

	if (g->t->groups) {
		size_t begin, end, unused;
		int64_t first, last;

		window_of(g->t->groups, lo, &first, &last);
		vs_triple_groups_vectors(g->t->groups, first, &begin, &unused);
		vs_triple_groups_vectors(g->t->groups, last - 1, &unused, &end);
		hi = vs_min_size(hi, end);
		most = vs_min_size(most,
			vs_max_size(LEAST_COLS,
				(end - begin) / (size_t)n_thread + 1));
	}
	return vs_min_size(hi, lo + most);
}

/* Columns, window after window, with the rows of a group. */
static int
count_streamed(const struct vs_candidate_graph *g,
	struct vs_candidate_strip *strip, size_t n_strip, int n_thread,
	int64_t left)
{
	struct vs_triple_groups *x = g->t->groups;
	const int64_t own = vs_triple_groups_at(x, g->lo);
	int code = 0;

	for (size_t s = 0, end; s < n_strip && !code; s = end) {
		int64_t lo, hi, unused, to;

		window_of(x, strip[s].lo, &lo, &hi);
		for (end = s + 1; end < n_strip; end++) {
			window_of(x, strip[end].lo, &unused, &to);
			if (to != hi)
				break;
		}
		if (vs_triple_data_stopped(g->t))
			return VS_DONE;
		lo = vs_triple_groups_at(x, strip[s].lo);
		code = vs_triple_groups_need(x, own, own, lo, hi);
		if (!code)
			code = vs_candidate_edges_count(g->t, strip + s,
				end - s, n_thread, left);
		for (size_t k = s; k < end; k++)
			left -= (int64_t)strip[k].n_edge;
	}
	return code;
}

/* ---- the graph ---- */

/*
 * Columns before, in and after vectors [lo, hi), one strip each; only these
 * vectors are rows, but for pairs within them the first one is.
 */
static int
make_strips(const struct vs_candidate_graph *g, struct vs_candidate_strip **out,
	size_t *n_strip, int n_thread)
{
	size_t n = g->t->all.n_vec, room = 0;
	int code = 0;

	for (size_t lo = g->behind ? g->lo : 0; lo < n && !code;
		*n_strip += 1) {
		bool before = lo < g->lo, own = !before && lo < g->hi;
		size_t hi = before ? g->lo : own ? g->hi : n;

		hi = strip_end(g, lo, hi, n_thread);
		code = vs_mem_grow(out, &room, *n_strip + 1, sizeof(**out),
			"columns");
		if (code)
			break;
		(*out)[*n_strip] = (struct vs_candidate_strip){ lo, hi - lo,
			g->lo, own ? hi - 1 : g->hi, own, NULL, 0, 0 };
		if (g->t->band)
			vs_wanted_reduce(g->t->band, lo, hi,
				&(*out)[*n_strip].row_lo,
				&(*out)[*n_strip].row_hi);
		lo = hi;
	}
	return code;
}

static bool
is_own(const struct vs_candidate_graph *g, uint32_t node)
{
	return node / 2 >= g->lo && node / 2 < g->hi;
}

static void
put(struct vs_candidate_graph *g, uint32_t of, uint32_t to,
	const struct vs_candidate_edge *f)
{
	uint64_t at = g->start[of - 2 * g->lo + 1]++;

	g->node[at] = to;
	g->grade[at] = g->t->grade[to];
	g->least[at] = f->least;
	g->span[at] = f->span;
	g->r[at] = f->r;
	if (g->c)
		g->c[at] = f->c;
}

/* Make room for n edges. */
static int
lists(struct vs_candidate_graph *g, uint64_t n)
{
	int code = vs_mem_room(&g->node, n, sizeof(*g->node), "graph");

	VS_MEM_ROOM(&code, g->r, n, "graph");
	if (!g->t->complete)
		VS_MEM_ROOM(&code, g->c, n, "graph");
	VS_MEM_ROOM(&code, g->grade, n, "graph");
	VS_MEM_ROOM(&code, g->least, n, "graph");
	VS_MEM_ROOM(&code, g->span, n, "graph");
	return code;
}

/* Put all edges into lists, in both directions. */
static int
gather(struct vs_candidate_graph *g, struct vs_candidate_strip *strip,
	size_t n_strip)
{
	size_t n = 2 * (g->hi - g->lo);
	uint64_t *start;
	int code = vs_mem_new(&g->start, n + 2, sizeof(*g->start), "graph");

	if (code)
		return code;
	/* start[x + 2] counts; then start[x + 1] is where x's list continues */
	start = g->start;
	for (size_t s = 0; s < n_strip; s++)
		for (size_t e = 0; e < strip[s].n_edge; e++) {
			const struct vs_candidate_edge *f = &strip[s].edge[e];

			if (is_own(g, f->i))
				start[f->i - 2 * g->lo + 2]++;
			if (is_own(g, f->j) && !g->behind)
				start[f->j - 2 * g->lo + 2]++;
		}
	for (size_t x = 2; x < n + 2; x++)
		start[x] += start[x - 1];
	code = lists(g, start[n + 1]);
	for (size_t s = 0; s < n_strip && !code; s++) {
		if (vs_triple_data_stopped(g->t))
			code = VS_DONE;
		for (size_t e = 0; e < strip[s].n_edge; e++) {
			const struct vs_candidate_edge *f = &strip[s].edge[e];

			if (is_own(g, f->i))
				put(g, f->i, f->j, f);
			if (is_own(g, f->j) && !g->behind)
				put(g, f->j, f->i, f);
		}
		free(strip[s].edge);
		strip[s].edge = NULL;
	}
	return code;
}

/* ---- sorting the lists ---- */

/* For a list: where each edge belongs, and a copy of one of its arrays. */
struct sorter {
	uint64_t *key;
	void *copy;
};

/* Sort key of a grade, or a node, with a place in the low bits. */
static void
sort_keys(uint64_t *key, uint64_t *other, size_t n)
{
	if (n < 64) {
		qsort(key, n, sizeof(*key), vs_rising_u64);
		return;
	}
	for (int window = 48; window < 64; window += 8) {
		size_t at[256] = { 0 }, sum = 0;
		uint64_t *t = key;

		for (size_t x = 0; x < n; x++)
			at[key[x] >> window & 255]++;
		for (size_t d = 0; d < 256; d++) {
			size_t many = at[d];

			at[d] = sum;
			sum += many;
		}
		for (size_t x = 0; x < n; x++)
			other[at[key[x] >> window & 255]++] = key[x];
		key = other;
		other = t;
	}
}

#define PLACE (((uint64_t)1 << 48) - 1)
#define MOVE(array)                                                  \
	do {                                                         \
		memcpy(s->copy, (array) + at, n * sizeof(*(array))); \
		for (size_t x = 0; x < n; x++)                       \
			memcpy((array) + at + x,                     \
				(char *)s->copy +                    \
					(s->key[x] & PLACE) *        \
						sizeof(*(array)),    \
				sizeof(*(array)));                   \
	} while (0)

static void
sort_list(const struct vs_candidate_graph *g, struct sorter *s, uint64_t at,
	size_t n)
{
	for (size_t x = 0; x < n; x++)
		s->key[x] = (uint64_t)g->grade[at + x] << 48 | x;
	sort_keys(s->key, s->copy, n);
	MOVE(g->grade);
	MOVE(g->least);
	MOVE(g->span);
	MOVE(g->node);
	MOVE(g->r);
	if (g->c)
		MOVE(g->c);
}

static int
sort_lists(struct vs_candidate_graph *g, int n_thread)
{
	size_t n = 2 * (g->hi - g->lo);
	uint64_t most = 0;
	int code = 0;

	for (size_t x = 0; x < n; x++)
		if (g->start[x + 1] - g->start[x] > most)
			most = g->start[x + 1] - g->start[x];
#pragma omp parallel num_threads(n_thread)
	{
		struct sorter s = { 0 };
		int failed = vs_mem_room(&s.key, most, sizeof(*s.key), "graph");

		if (!failed)
			failed = vs_mem_room(&s.copy, most, sizeof(*s.key),
				"graph");
		if (failed) {
#pragma omp atomic write
			code = failed;
		}
#pragma omp for schedule(dynamic, 64)
		for (size_t x = 0; x < n; x++)
			if (!failed && !vs_triple_data_stopped(g->t))
				sort_list(g, &s, g->start[x],
					g->start[x + 1] - g->start[x]);
		free(s.key);
		free(s.copy);
	}
	/* some may be unchanged */
	return !code && vs_triple_data_stopped(g->t) ? VS_DONE : code;
}

int
vs_candidate_graph_make(struct vs_candidate_graph *g,
	const struct vs_triple_data *t, size_t lo, size_t hi, bool behind,
	int n_thread, uint64_t bytes)
{
	struct vs_candidate_strip *strip = NULL;
	size_t n_strip = 0;
	int64_t most = (int64_t)(bytes / vs_candidate_graph_edge_bytes(t));
	int code;

	*g = (struct vs_candidate_graph){ .t = t,
		.lo = lo,
		.hi = hi,
		.behind = behind };
	code = make_strips(g, &strip, &n_strip, n_thread);
	if (!code)
		code = t->groups
			? count_streamed(g, strip, n_strip, n_thread, most)
			: vs_candidate_edges_count(t, strip, n_strip, n_thread,
				  most);
	if (!code)
		code = gather(g, strip, n_strip);
	for (size_t s = 0; s < n_strip; s++)
		free(strip[s].edge);
	free(strip);
	if (!code)
		code = sort_lists(g, n_thread);
	if (code)
		vs_candidate_graph_free(g);
	return code;
}

uint64_t
vs_candidate_graph_edge_bytes(const struct vs_triple_data *t)
{
	/* in a list, which grows by half, and twice in the graph */
	return sizeof(struct vs_candidate_edge) * 3 / 2 +
		2 * (3 * sizeof(uint16_t) + (t->complete ? 2 : 3) * 4);
}

void
vs_candidate_graph_free(struct vs_candidate_graph *g)
{
	free(g->start);
	free(g->grade);
	free(g->least);
	free(g->span);
	free(g->node);
	free(g->r);
	free(g->c);
	memset(g, 0, sizeof(*g));
}
