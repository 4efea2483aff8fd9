/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GraphML output, as networkx, igraph, Gephi and Cytoscape read it: an
 * undirected graph with a node for each vector that occurs and an edge for each
 * pair. A triple is a node, too, with an edge to each of its vectors: the graph
 * is bipartite. Records are read twice, since some of these programs require
 * nodes before their edges.
 */
#include <stdlib.h>

#include "formats/out/out.h"
#include "formats/out/writer.h"
#include "libcore/base/mem.h"
#include "libcore/base/utf8.h"

/* Put len bytes of text; what XML cannot represent, such as bytes that are not
 * UTF-8, becomes '_'. */
static void
xml_text(struct vs_out *o, const char *text, size_t len)
{
	for (size_t k = 0, n; k < len; k += n) {
		uint32_t c = 0;

		n = vs_utf8_decode(text + k, len - k, &c);
		if (!n || (c < ' ' && c != '\t') || c == 0xfffe ||
			c == 0xffff) {
			vs_out_char(o, '_');
			n = n ? n : 1;
		} else if (c == '&') {
			vs_out_text(o, "&amp;");
		} else if (c == '<') {
			vs_out_text(o, "&lt;");
		} else if (c == '>') {
			vs_out_text(o, "&gt;");
		} else if (c == '"') {
			vs_out_text(o, "&quot;");
		} else {
			vs_out_put(o, text + k, n);
		}
	}
}

/* A vector that occurs, by the index shown. */
struct node {
	uint64_t index;
	size_t row;
};

struct graphml {
	uint64_t *index; /* of each row: 1 more than shown; 0: absent */
};

static void
put_data(struct vs_out *o, const char *key, const char *text, size_t len)
{
	vs_out_text(o, "<data key=\"");
	vs_out_text(o, key);
	vs_out_text(o, "\">");
	xml_text(o, text, len);
	vs_out_text(o, "</data>");
}

static void
put_key(struct vs_out *o, const char *id, const char *of, const char *name,
	const char *type)
{
	const char *word[] = { "  <key id=\"", id, "\" for=\"", of,
		"\" attr.name=\"", name, "\" attr.type=\"", type, "\"/>\n" };

	for (size_t k = 0; k < sizeof(word) / sizeof(word[0]); k++)
		vs_out_text(o, word[k]);
}

static void
graphml_end(struct vs_writer *w)
{
	struct graphml *g = w->state;

	if (g)
		free(g->index);
	free(g);
	w->state = NULL;
}

static int
graphml_begin(struct vs_writer *w)
{
	struct graphml *g = NULL;
	int code = vs_mem_new(&g, 1, sizeof(*g), "nodes");

	VS_MEM_NEW(&code, g->index, w->show->sites->n, "nodes");
	w->state = g;
	if (code)
		graphml_end(w);
	return code;
}

static void
graphml_mark(struct vs_writer *w, const struct vs_line *line)
{
	struct graphml *g = w->state;

	const uint64_t index[3] = { line->rec.i, line->rec.j, line->rec.k };

	for (int e = 0; e < 3 && index[e] != VS_NO_VEC; e++)
		__atomic_store_n(&g->index[line->row[e]], index[e] + 1,
			__ATOMIC_RELAXED);
}

static int
node_order(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

static void
put_node(struct vs_out *o, const struct vs_sites *s, const struct node *node,
	bool triples)
{
	static const char *const key[] = { "allele0", "allele1" };
	size_t row = node->row, len;
	const char *text;

	vs_out_text(o, "    <node id=\"n");
	vs_out_int(o, (int64_t)node->index);
	vs_out_text(o, "\">");
	text = vs_text_pool_get(&s->id, row, &len);
	put_data(o, "name", text, len);
	if (triples)
		put_data(o, "type", "false", 5);
	text = vs_column_contig_name(s, row, &len);
	if (text)
		put_data(o, "chrom", text, len);
	if (s->pos && s->pos[row]) {
		vs_out_text(o, "<data key=\"pos\">");
		vs_out_int(o, s->pos[row]);
		vs_out_text(o, "</data>");
	}
	for (int a = 0; a < 2; a++) {
		text = vs_column_allele_name(s, row, a, &len);
		if (text)
			put_data(o, key[a], text, len);
	}
	vs_out_text(o, "</node>\n");
}

static void
put_head(struct vs_writer *w, bool alleles)
{
	const bool triples = w->show->n_way == 3;

	vs_out_text(w->out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
	put_key(w->out, "name", "node", "name", "string");
	put_key(w->out, "chrom", "node", "chrom", "string");
	put_key(w->out, "pos", "node", "pos", "long");
	if (alleles) {
		put_key(w->out, "allele0", "node", "allele0", "string");
		put_key(w->out, "allele1", "node", "allele1", "string");
	}
	if (triples)
		put_key(w->out, "type", "node", "type", "boolean");
	put_key(w->out, "value", triples ? "node" : "edge", "value", "double");
	if (w->show->cells)
		put_key(w->out, "a", "edge", triples ? "allele" : "allele1",
			"string");
	if (w->show->cells && !triples)
		put_key(w->out, "b", "edge", "allele2", "string");
	vs_out_text(w->out, "  <graph edgedefault=\"undirected\">\n");
}

static int
graphml_marked(struct vs_writer *w)
{
	const struct vs_sites *s = w->show->sites;
	const struct graphml *g = w->state;
	struct node *node = NULL;
	size_t n = 0, len;
	bool alleles = false;
	int code;

	for (size_t row = 0; row < s->n; row++) {
		n += g->index[row] > 0;
		alleles |=
			g->index[row] && vs_column_allele_name(s, row, 0, &len);
	}
	code = vs_mem_new(&node, n, sizeof(*node), "nodes");
	if (code)
		return code;
	n = 0;
	for (size_t row = 0; row < s->n; row++)
		if (g->index[row])
			node[n++] = (struct node){ g->index[row] - 1, row };
	if (n)
		qsort(node, n, sizeof(*node), node_order);
	put_head(w, alleles);
	for (size_t k = 0; k < n && !vs_out_closed(w->out); k++)
		put_node(w->out, s, &node[k], w->show->n_way == 3);
	free(node);
	return w->out->code;
}

static void
put_value(struct vs_writer *w, double value)
{
	vs_out_text(w->out, "<data key=\"value\">");
	vs_column_value(w->out, w->show, value);
	vs_out_text(w->out, "</data>");
}

/* The allele of an end, by its label in the cell. */
static void
put_allele(struct vs_writer *w, const struct vs_line *line, int end,
	const char *key)
{
	const int last = line->rec.k == VS_NO_VEC ? 1 : 2;
	size_t len;
	const char *text = vs_column_allele_name(w->show->sites, line->row[end],
		(int)(line->rec.cell >> (last - end) & 1), &len);

	put_data(w->out, key, text, len);
}

/* The id of a triple's node: its vectors and, if alleles are compared, its
 * cell, which no other record has. */
static void
put_triple_id(struct vs_writer *w, const struct vs_record *r)
{
	const uint64_t part[4] = { r->i, r->j, r->k, r->cell };

	for (int x = 0; x < (w->show->cells ? 4 : 3); x++) {
		vs_out_char(w->out, x ? '_' : 't');
		vs_out_int(w->out, (int64_t)part[x]);
	}
}

static void
put_triple(struct vs_writer *w, const struct vs_line *line)
{
	const uint64_t index[3] = { line->rec.i, line->rec.j, line->rec.k };
	struct vs_out *o = w->out;

	vs_out_text(o, "    <node id=\"");
	put_triple_id(w, &line->rec);
	vs_out_text(o, "\">");
	put_data(o, "type", "true", 4);
	put_value(w, line->rec.value);
	vs_out_text(o, "</node>\n");
	for (int e = 0; e < 3; e++) {
		vs_out_text(o, "    <edge source=\"");
		put_triple_id(w, &line->rec);
		vs_out_text(o, "\" target=\"n");
		vs_out_int(o, (int64_t)index[e]);
		vs_out_text(o, "\">");
		if (w->show->cells)
			put_allele(w, line, e, "a");
		vs_out_text(o, "</edge>\n");
	}
}

static void
graphml_line(struct vs_writer *w, const struct vs_line *line)
{
	static const char *const key[] = { "a", "b" };
	struct vs_out *o = w->out;

	if (line->rec.k != VS_NO_VEC) {
		put_triple(w, line);
		return;
	}
	vs_out_text(o, "    <edge source=\"n");
	vs_out_int(o, (int64_t)line->rec.i);
	vs_out_text(o, "\" target=\"n");
	vs_out_int(o, (int64_t)line->rec.j);
	vs_out_text(o, "\">");
	put_value(w, line->rec.value);
	for (int e = 0; e < 2 && w->show->cells; e++)
		put_allele(w, line, e, key[e]);
	vs_out_text(o, "</edge>\n");
}

static int
graphml_finish(struct vs_writer *w)
{
	vs_out_text(w->out, "  </graph>\n</graphml>\n");
	return w->out->code;
}

const struct vs_writer_kind vs_writer_graphml = {
	.name = "graphml",
	.help = "a graph, for networkx, igraph, Gephi and Cytoscape",
	.needs = VS_NEEDS_SITES,
	.begin = graphml_begin,
	.mark = graphml_mark,
	.marked = graphml_marked,
	.line = graphml_line,
	.finish = graphml_finish,
	.end = graphml_end,
};
