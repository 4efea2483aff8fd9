/* SPDX-License-Identifier: BSD-3-Clause */
/* LD pruning by the records of a merged result. */
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "tools/threshold/ld_graph.h"
#include "tools/threshold/prune_result.h"

struct graph {
	struct vs_ld_graph of;
	uint8_t *out;
};

static uint64_t
find(void *with, uint64_t a, uint64_t from, uint64_t end)
{
	const struct graph *g = with;

	for (uint64_t k = g->of.first[a]; k < g->of.first[a + 1]; k++) {
		const uint32_t b = g->of.to[k];

		if (b >= end)
			break;
		if (b >= from && !g->out[b])
			return b;
	}
	return end;
}

static int
prune(struct graph *g, const struct vs_ld_window *w, uint64_t step)
{
	struct vs_prune_scan s = {
		.window = *w,
		.step = step,
		.n = g->of.n,
		.contig = g->of.contig,
		.pos = g->of.pos,
		.alleles = (const int64_t(*)[2])g->of.alleles,
		.out = g->out,
		.find = find,
		.with = g,
	};
	int code = vs_mem_new(&s.place, s.n, sizeof(*s.place), "variants");

	for (uint64_t a = 0; a < s.n; a++)
		s.out[a] = !s.alleles[a][1];
	/* variants of no chromosome are in no window */
	while ((w->variants || w->bases) && s.n && s.contig[s.n - 1] < 0)
		s.n--;
	if (!code)
		vs_prune_scan(&s, true);
	free(s.place);
	return code;
}

struct listed {
	int64_t source, row;
	uint8_t out;
};

static int
by_source(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->source < y->source ? -1 : x->source > y->source;
}

/* Lists are in input order. */
static int
write_lists(const char *prefix, struct graph *g)
{
	struct listed *order = NULL;
	int64_t *row = NULL;
	int code = vs_mem_new(&order, g->of.n, sizeof(*order), "variants");

	VS_MEM_NEW(&code, row, g->of.n, "variants");
	for (uint64_t a = 0; a < g->of.n && !code; a++)
		order[a] = (struct listed){ g->of.source[a],
			g->of.names.row[g->of.vector[a]], g->out[a] };
	if (!code)
		qsort(order, g->of.n, sizeof(*order), by_source);
	for (uint64_t k = 0; k < g->of.n && !code; k++) {
		row[k] = order[k].row;
		g->out[k] = order[k].out;
	}
	if (!code)
		code = vs_prune_write(prefix, &g->of.names.sites.id, g->of.n,
			row, g->out);
	free(order);
	free(row);
	return code;
}

int
vs_prune_result(const struct vs_prune *p, const char *result,
	const char *vectors, double above, bool force)
{
	struct graph g = { 0 };
	struct vs_ld_window w;
	int code = vs_prune_check(p, &w);

	if (!code)
		code = vs_prune_may_write(p->prefix, force);
	if (!code)
		code = vs_ld_graph_read(&g.of, result, vectors, above, &w,
			false);
	VS_MEM_NEW(&code, g.out, g.of.n, "variants");
	if (!code)
		code = prune(&g, &w, p->step ? (uint64_t)p->step : 1);
	if (!code)
		code = write_lists(p->prefix, &g);
	vs_ld_graph_free(&g.of);
	free(g.out);
	return code;
}
