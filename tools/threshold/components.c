/* SPDX-License-Identifier: BSD-3-Clause */
/* Connected components by union-find, the smaller tree under the larger one. */
#include <stdlib.h>
#include <string.h>

#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/threshold/components.h"

struct graph {
	const struct vs_conditions *conditions;
	uint64_t n;
	uint32_t *parent, *size; /* [n] a root is its own parent and has the
				  * size */
	uint64_t *degree;
};

/* The root of a tree; each vector on the way is linked to its grandparent. */
static uint32_t
find(struct graph *g, uint32_t v)
{
	while (g->parent[v] != v) {
		g->parent[v] = g->parent[g->parent[v]];
		v = g->parent[v];
	}
	return v;
}

static void
join(struct graph *g, uint32_t a, uint32_t b)
{
	a = find(g, a);
	b = find(g, b);
	if (a == b)
		return;
	if (g->size[a] < g->size[b]) {
		uint32_t t = a;

		a = b;
		b = t;
	}
	g->parent[b] = a;
	g->size[a] += g->size[b];
}

static bool
is_same(const struct vs_record *a, const struct vs_record *b)
{
	return a->i == b->i && a->j == b->j && a->k == b->k;
}

/* The cells of a pair are adjacent and count once. */
static int
see(void *with, struct vs_record *rec, size_t n)
{
	struct graph *g = with;
	struct vs_conditions_group group = { 0 };
	const struct vs_record *last = NULL;

	if (vs_tool_stopped())
		return vs_fail(VS_EMACHINE, "stopped by a signal");
	for (size_t x = 0; x < n; x++) {
		const struct vs_record *r = &rec[x];

		if (!vs_conditions_pass(g->conditions, rec, n, x, &group) ||
			(last && is_same(last, r)))
			continue;
		last = r;
		g->degree[r->i]++;
		g->degree[r->j]++;
		join(g, r->i, r->j);
		if (r->k != VS_NO_VEC) {
			g->degree[r->k]++;
			join(g, r->i, r->k);
		}
	}
	return 0;
}

static int
new_graph(struct graph *g, uint64_t n)
{
	int code = vs_mem_new(&g->parent, n, sizeof(*g->parent), "components");

	g->n = n;
	VS_MEM_NEW(&code, g->size, n, "components");
	VS_MEM_NEW(&code, g->degree, n, "degrees");
	for (uint64_t v = 0; v < n && !code; v++) {
		g->parent[v] = (uint32_t)v;
		g->size[v] = 1;
	}
	return code;
}

/* ---- the table ---- */

struct line {
	uint32_t vector, root, size;
	int64_t row, first; /* of the vector, of its component */
};

static int
by_row(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->row > y->row) - (x->row < y->row);
}

/* The largest component first; of two equal ones the one with the first row. */
static int
by_component(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	if (x->first != y->first)
		return x->first > y->first ? 1 : -1;
	return by_row(a, b);
}

/* Lines in order. first: [n] of each root, -1 */
static int
list(struct graph *g, const struct vs_vector_names *names, bool component,
	struct line **out, uint64_t *n)
{
	int64_t *first = NULL;
	struct line *line = NULL;
	int code = vs_mem_new(&first, g->n, sizeof(*first), "components");

	*n = 0;
	for (uint64_t v = 0; v < g->n && !code; v++)
		*n += g->degree[v] > 0;
	VS_MEM_NEW(&code, line, *n + 1, "components");
	*out = line;
	for (uint64_t v = 0, at = 0; v < g->n && !code; v++) {
		struct vs_site site;

		if (!g->degree[v])
			continue;
		vs_sites_get(&names->sites, (size_t)names->row[v], &site);
		line[at++] = (struct line){ .vector = (uint32_t)v,
			.root = find(g, (uint32_t)v),
			.row = site.source_row };
	}
	if (code) {
		free(first);
		return code;
	}
	qsort(line, *n, sizeof(*line), by_row);
	for (uint64_t k = *n; k-- > 0;)
		first[line[k].root] = line[k].row;
	for (uint64_t k = 0; k < *n; k++) {
		line[k].size = g->size[line[k].root];
		line[k].first = first[line[k].root];
	}
	if (component)
		qsort(line, *n, sizeof(*line), by_component);
	free(first);
	return 0;
}

static int
put_lines(const struct graph *g, const struct vs_vector_names *names,
	const struct line *line, uint64_t n, bool component,
	struct vs_text *text, uint64_t *n_component)
{
	vs_text_add(text, "row\tid\tdegree%s\n",
		component ? "\tcomponent\tsize" : "");
	for (uint64_t k = 0; k < n; k++) {
		struct vs_site site;

		*n_component += !k || line[k].root != line[k - 1].root;
		vs_sites_get(&names->sites, (size_t)names->row[line[k].vector],
			&site);
		vs_text_add(text, "%lld\t%.*s\t%llu", (long long)line[k].row,
			(int)site.id_len, site.id,
			(unsigned long long)g->degree[line[k].vector]);
		if (component)
			vs_text_add(text, "\t%llu\t%lu",
				(unsigned long long)*n_component,
				(unsigned long)line[k].size);
		vs_text_put(text, "\n", 1);
	}
	return text->code;
}

/* ---- the result ---- */

static int
read_graph(struct graph *g, struct vs_conditions *c, struct vs_result *r,
	const char *path, struct vs_vector_names *names)
{
	int code = 0;

	if (r->kind != VS_KIND_MERGED)
		code = vs_fail(VS_EUSAGE,
			"%s: not a merged result; vsim-merge or vsim-run "
			"--merge makes one",
			path);
	if (!code)
		code = vs_conditions_check(c, &r->run, path);
	if (!code)
		code = vs_conditions_open(c, r, path, names);
	if (!code && !names->row)
		code = vs_vector_names_of_result(names, r, c->vectors, "");
	if (!code)
		code = new_graph(g, (uint64_t)r->run.n_vectors);
	if (!code)
		code = vs_result_watch(r, false);
	g->conditions = c;
	if (!code)
		code = vs_result_io_each(r, 0, r->n_records, see, g);
	return code ? code : vs_result_seen_check(r);
}

int
vs_components_write(struct vs_conditions *c, const char *result,
	const char *out, bool component, bool force)
{
	struct vs_vector_names names = { 0 };
	struct vs_result *r = NULL;
	struct vs_text text = { 0 };
	struct graph g = { 0 };
	struct line *line = NULL;
	uint64_t n = 0, n_component = 0;
	int code = strcmp(out, "-") ? vs_result_io_may_write(out, force) : 0;

	if (!code)
		code = vs_result_open(&r, result, 0);
	if (!code)
		code = read_graph(&g, c, r, result, &names);
	if (!code)
		code = list(&g, &names, component, &line, &n);
	if (!code)
		code = put_lines(&g, &names, line, n, component, &text,
			&n_component);
	if (!code)
		code = vs_result_io_print(out, &text);
	if (!code && component)
		vs_tool_close(out, "%llu vector%s in %llu component%s",
			(unsigned long long)n, vs_text_s(n),
			(unsigned long long)n_component,
			vs_text_s(n_component));
	else if (!code)
		vs_tool_close(out, "%llu vector%s", (unsigned long long)n,
			vs_text_s(n));
	vs_result_close(r);
	vs_vector_names_free(&names);
	vs_text_free(&text);
	free(line);
	free(g.parent);
	free(g.size);
	free(g.degree);
	return code;
}
