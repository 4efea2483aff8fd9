/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Network plot: the vectors of the strongest records, all records among them
 * that are as strong, and their connected components, the largest first, each
 * laid out in a box of its own.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "tools/plot/genome.h"
#include "tools/plot/layout.h"
#include "tools/plot/strongest.h"

#define RECORDS 2000 /* that are looked at */
#define NODES 150    /* most that are shown */
#define WIDTHS 4     /* of edges */
#define THIN 4       /* how many times their widths are halved, and none */
#define NAMED 40     /* of these, all in small components have their names */
#define SMALL 8      /* nodes of such a component */
#define NAME 20      /* characters */
#define WIDTH 960
#define LEFT 20
#define TOP 70
#define MARGIN 26 /* of a box, around its nodes */
#define CAPTION 16

struct node {
	uint32_t vector;
	size_t row, root, degree;
	struct vs_layout_point at; /* pixels */
};

struct edge {
	size_t end[2]; /* nodes, the lower one first */
	double value;
	bool apart; /* of two chromosomes */
};

/* Nodes [lo, hi) after sorting. */
struct box {
	size_t lo, hi;
	bool named; /* each of them */
	double x, y, width, height, aside;
};

struct network {
	struct vs_genome genome;
	struct node *node; /* [NODES] */
	struct edge *edge; /* [NODES * NODES / 2] */
	uint8_t *number;   /* of each vector: 1 more than its node's, 0: none */
	bool joined[NODES][NODES];
	struct box *box; /* [NODES] */
	size_t n_node, n_edge, n_box, n_record;
	uint64_t all;
	double height, weakest;
	bool lower; /* lower values are stronger */
	bool apart; /* an edge is */
};

/* ---- the graph ---- */

/* Node of a vector, made where it is absent. */
static size_t
node_of(struct network *t, uint32_t vector)
{
	if (!t->number[vector]) {
		t->node[t->n_node] = (struct node){ .vector = vector,
			.row = t->genome.row[t->genome.place[vector]],
			.root = t->n_node };
		t->number[vector] = (uint8_t)++t->n_node;
	}
	return t->number[vector] - 1u;
}

static size_t
root_of(const struct network *t, size_t k)
{
	while (t->node[k].root != k)
		k = t->node[k].root;
	return k;
}

/* An edge of two nodes, once: of several values of a pair the strongest. */
static void
join(struct network *t, size_t a, size_t b, double value)
{
	const int32_t *contig = t->genome.sites->contig;
	size_t lo = a < b ? a : b, hi = a < b ? b : a, x, y, e = 0;

	if (t->joined[lo][hi]) {
		while (t->edge[e].end[0] != lo || t->edge[e].end[1] != hi)
			e++;
		if (t->lower ? value < t->edge[e].value
			     : value > t->edge[e].value)
			t->edge[e].value = value;
		return;
	}
	t->joined[lo][hi] = true;
	x = root_of(t, a);
	y = root_of(t, b);
	t->node[x > y ? x : y].root = x < y ? x : y;
	t->node[a].degree++;
	t->node[b].degree++;
	t->edge[t->n_edge++] = (struct edge){ { lo, hi }, value,
		contig[t->node[a].row] != contig[t->node[b].row] };
	t->apart |= t->edge[t->n_edge - 1].apart;
}

/* Vectors of the strongest records, as long as they are few. */
static void
add_nodes(struct network *t, const struct vs_record *rec, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		const uint32_t end[3] = { rec[k].i, rec[k].j, rec[k].k };
		const int n_end = rec[k].k == VS_NO_VEC ? 2 : 3;
		size_t more = 0;

		for (int e = 0; e < n_end; e++)
			more += !t->number[end[e]];
		if (t->n_node + more > NODES)
			break;
		for (int e = 0; e < n_end; e++)
			node_of(t, end[e]);
		t->weakest = rec[k].value;
	}
}

/* A record among these vectors that is as strong. */
static int
see(void *with, const struct vs_record *r)
{
	struct network *t = with;
	const size_t i = t->number[r->i], j = t->number[r->j];
	const size_t k = r->k == VS_NO_VEC ? 0 : t->number[r->k];

	if (!i || !j || (r->k != VS_NO_VEC && !k) ||
		(t->lower ? r->value > t->weakest : r->value < t->weakest))
		return 0;
	t->n_record++;
	join(t, i - 1, j - 1, r->value);
	if (k) {
		join(t, i - 1, k - 1, r->value);
		join(t, j - 1, k - 1, r->value);
	}
	return 0;
}

/* ---- boxes ---- */

static const struct network *sorted; /* of compare() alone */

static size_t
size_of(const struct network *t, size_t root)
{
	size_t n = 0;

	for (size_t k = 0; k < t->n_node; k++)
		n += root_of(t, k) == root;
	return n;
}

/* The largest component first, then the one of the strongest record. */
static int
compare(const void *a, const void *b)
{
	const size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const size_t p = root_of(sorted, x), q = root_of(sorted, y);
	const size_t m = size_of(sorted, p), n = size_of(sorted, q);

	if (m != n)
		return m > n ? -1 : 1;
	if (p != q)
		return p < q ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Put the nodes in the order of their components. */
static int
sort_nodes(struct network *t)
{
	size_t order[NODES], where[NODES];
	struct node *node = NULL;
	int code = vs_mem_new(&node, NODES, sizeof(*node), "nodes");

	if (code)
		return code;
	for (size_t k = 0; k < t->n_node; k++)
		order[k] = k;
	sorted = t;
	if (t->n_node)
		qsort(order, t->n_node, sizeof(*order), compare);
	for (size_t k = 0; k < t->n_node; k++)
		where[order[k]] = k;
	for (size_t k = 0; k < t->n_node; k++) {
		node[k] = t->node[order[k]];
		node[k].root = where[root_of(t, order[k])];
	}
	for (size_t e = 0; e < t->n_edge; e++)
		for (int end = 0; end < 2; end++)
			t->edge[e].end[end] = where[t->edge[e].end[end]];
	free(t->node);
	t->node = node;
	for (size_t k = 0; k < t->n_node; k++) {
		if (!k || node[k].root != node[k - 1].root)
			t->box[t->n_box++].lo = k;
		t->box[t->n_box - 1].hi = k + 1;
	}
	return 0;
}

/* Boxes from left to right and top to bottom, each as large as its nodes
 * need. */
static void
place_boxes(struct network *t)
{
	double x = LEFT, y = TOP, row = 0;

	for (size_t b = 0; b < t->n_box; b++) {
		struct box *box = &t->box[b];
		size_t n = box->hi - box->lo;
		double side = n < 3 ? 70 : 42 * sqrt((double)n);

		box->named = t->n_node <= NAMED && n <= SMALL;
		box->aside = box->named ? 2 * MARGIN : MARGIN;
		box->width = side + 2 * box->aside;
		box->height = (n < 3 ? 0 : side) + 2 * MARGIN + CAPTION;
		if (x + box->width > WIDTH - LEFT && x > LEFT) {
			x = LEFT;
			y += row;
			row = 0;
		}
		box->x = x;
		box->y = y;
		x += box->width;
		row = fmax(row, box->height);
	}
	t->height = fmax(y + row, 200) + 30;
}

static int
lay_out(struct network *t)
{
	struct vs_layout_point at[NODES], force[NODES];
	size_t(*edge)[2] = NULL;
	int code = vs_mem_new(&edge, t->n_edge, sizeof(*edge), "edges");

	for (size_t b = 0; b < t->n_box && !code; b++) {
		const struct box *box = &t->box[b];
		double side = box->width - 2 * box->aside;
		size_t n = 0;

		for (size_t e = 0; e < t->n_edge; e++)
			if (t->edge[e].end[0] >= box->lo &&
				t->edge[e].end[0] < box->hi) {
				edge[n][0] = t->edge[e].end[0] - box->lo;
				edge[n++][1] = t->edge[e].end[1] - box->lo;
			}
		vs_layout_place(at, box->hi - box->lo, (const size_t(*)[2])edge,
			n, force);
		for (size_t k = box->lo; k < box->hi; k++) {
			struct vs_layout_point *to = &t->node[k].at;

			to->x = box->x + box->aside + side * at[k - box->lo].x;
			to->y = box->hi - box->lo < 3
				? box->y + MARGIN
				: box->y + MARGIN + side * at[k - box->lo].y;
		}
	}
	free(edge);
	return code;
}

/* ---- the picture ---- */

/* One of four widths, the widest for the strongest. */
static int
width_of(const struct network *t, const struct edge *edge, double lo, double hi)
{
	double share = hi > lo ? (edge->value - lo) / (hi - lo) : 0.5;
	int w = (int)(WIDTHS * (t->lower ? 1 - share : share));

	return w < WIDTHS ? w : WIDTHS - 1;
}

/* Edges of a cluster that would cover more than half of its box are drawn half
 * as wide, or a quarter, or an eighth. */
static void
find_thinness(const struct network *t, double lo, double hi, int thin[NODES])
{
	for (size_t b = 0; b < t->n_box; b++) {
		const struct box *box = &t->box[b];
		const double side = box->width - 2 * box->aside;
		double ink = 0;
		int n = 0;

		for (size_t e = 0; e < t->n_edge; e++) {
			const struct edge *edge = &t->edge[e];
			const struct vs_layout_point *p =
				&t->node[edge->end[0]].at;
			const struct vs_layout_point *q =
				&t->node[edge->end[1]].at;

			if (edge->end[0] >= box->lo && edge->end[0] < box->hi)
				ink += hypot(p->x - q->x, p->y - q->y) *
					(0.5 + 0.6 * width_of(t, edge, lo, hi));
		}
		for (; ink > side * side / 2 && n < THIN - 1; ink /= 2)
			n++;
		for (size_t k = box->lo; k < box->hi; k++)
			thin[k] = n;
	}
}

/* The wider the stronger; edges between chromosomes are dashed. */
static void
draw_edges(const struct network *t, struct vs_svg *s)
{
	double lo = INFINITY, hi = -INFINITY;
	char style[160];
	int thin[NODES];

	for (size_t e = 0; e < t->n_edge; e++) {
		lo = fmin(lo, t->edge[e].value);
		hi = fmax(hi, t->edge[e].value);
	}
	find_thinness(t, lo, hi, thin);
	for (int kind = 0; kind < 2 * THIN * WIDTHS; kind++) {
		const int width = kind % WIDTHS, n = kind / WIDTHS % THIN;
		const bool apart = kind / WIDTHS / THIN;
		bool begun = false;

		snprintf(style, sizeof(style),
			"class=\"edges\" stroke=\"#555\" stroke-width=\"%.2f\" "
			"fill=\"none\"%s",
			(0.5 + 0.6 * width) / (1 << n),
			apart ? " stroke-dasharray=\"4 3\"" : "");
		for (size_t e = 0; e < t->n_edge; e++) {
			const struct edge *edge = &t->edge[e];

			if (width_of(t, edge, lo, hi) != width ||
				edge->apart != apart || thin[edge->end[0]] != n)
				continue;
			if (!begun)
				vs_svg_path(s, style);
			begun = true;
			vs_svg_path_move(s, t->node[edge->end[0]].at.x,
				t->node[edge->end[0]].at.y);
			vs_svg_path_line(s, t->node[edge->end[1]].at.x,
				t->node[edge->end[1]].at.y);
		}
		if (begun)
			vs_svg_path_end(s);
	}
}

static size_t
hub_of(const struct network *t, const struct box *box)
{
	size_t hub = box->lo;

	for (size_t k = box->lo; k < box->hi; k++)
		if (t->node[k].degree > t->node[hub].degree)
			hub = k;
	return hub;
}

static void
draw_nodes(const struct network *t, struct vs_svg *s)
{
	vs_svg_group(s, "class=\"nodes\" fill=\"#fff\" stroke=\"#000\"");
	for (size_t b = 0; b < t->n_box; b++) {
		size_t hub = hub_of(t, &t->box[b]);

		for (size_t k = t->box[b].lo; k < t->box[b].hi; k++) {
			const struct node *node = &t->node[k];
			bool dark = k == hub && t->box[b].hi - t->box[b].lo > 2;

			vs_svg_circle(s, node->at.x, node->at.y,
				fmin(3.5 + 0.4 * sqrt((double)node->degree), 7),
				dark ? "fill=\"#000\"" : NULL);
		}
	}
	vs_svg_group_end(s);
}

/* Names of the nodes of a small component: above, or below where another name
 * is in the way, and of two side by side, which share their room, below. */
static void
draw_small_names(const struct network *t, const struct box *box,
	struct vs_svg *s)
{
	double x[SMALL], y[SMALL], half[SMALL];
	const size_t n = box->hi - box->lo;

	for (size_t k = 0; k < n; k++) {
		const struct node *node = &t->node[box->lo + k];
		bool below = n == 2 && k;
		size_t len;
		const char *name =
			vs_text_pool_get(&t->genome.sites->id, node->row, &len);

		x[k] = node->at.x;
		y[k] = node->at.y - 9;
		half[k] = 3 * (double)(len < NAME ? len : NAME);
		for (size_t o = 0; o < k; o++)
			below |= fabs(x[k] - x[o]) < half[k] + half[o] &&
				fabs(y[k] - y[o]) < 11;
		y[k] += below ? 28 : 0;
		vs_svg_name(s, x[k], y[k], 0, NULL, name, len, NAME);
	}
}

/* The name of each node of a small one, else that of the one with most
 * edges, below its component. */
static void
draw_names(const struct network *t, struct vs_svg *s)
{
	vs_svg_group(s,
		"class=\"names\" font-size=\"10\" stroke=\"#fff\" "
		"stroke-width=\"2.5\" paint-order=\"stroke\" "
		"text-anchor=\"middle\"");
	for (size_t b = 0; b < t->n_box; b++) {
		const struct box *box = &t->box[b];
		size_t hub = hub_of(t, box), len;
		const char *id = vs_text_pool_get(&t->genome.sites->id,
			t->node[hub].row, &len);
		double y = box->y + box->height - CAPTION - 4;
		size_t n = box->hi - box->lo;

		if (box->named)
			draw_small_names(t, box, s);
		if (box->named)
			continue;
		vs_svg_name(s, box->x + box->width / 2, y, 0, NULL, id, len,
			(size_t)(box->width / 6.5));
		if (n > 2)
			vs_svg_words(s, box->x + box->width / 2, y + 12, NULL,
				"and %zu more", n - 1);
		else {
			size_t other = box->lo + (hub == box->lo);

			id = vs_text_pool_get(&t->genome.sites->id,
				t->node[other].row, &len);
			vs_svg_name(s, box->x + box->width / 2, y + 12, 0, NULL,
				id, len, (size_t)(box->width / 6.5));
		}
	}
	vs_svg_group_end(s);
}

static void
draw(const struct vs_plot *p, const struct network *t, struct vs_svg *s)
{
	char title[128], about[160], n[VS_PLOT_COUNT], all[VS_PLOT_COUNT];

	s->width = WIDTH;
	s->height = t->height;
	if (t->n_record == t->all)
		snprintf(title, sizeof(title), "Clusters of %s record%s",
			vs_plot_count(all, t->all), t->all == 1 ? "" : "s");
	else
		snprintf(title, sizeof(title),
			"Clusters of %s of the strongest of %s records",
			vs_plot_count(n, t->n_record),
			vs_plot_count(all, t->all));
	snprintf(about, sizeof(about), "%zu vectors, wide lines are strong%s",
		t->n_node, t->apart ? ", dashed ones join chromosomes" : "");
	vs_plot_begin(p, s, title, about);
	draw_edges(t, s);
	draw_nodes(t, s);
	draw_names(t, s);
	if (!t->n_node)
		vs_svg_words(s, WIDTH / 2.0, 120, VS_SVG_MIDDLE, "no records");
	vs_svg_end(s);
}

static int
make_graph(const struct vs_plot *p, struct network *t)
{
	struct vs_record *rec = NULL;
	size_t n = 0;
	int code = vs_strongest_find(p, RECORDS, &rec, &n, &t->all);

	if (!code)
		code = vs_mem_new(&t->node, NODES, sizeof(*t->node), "nodes");
	if (!code)
		code = vs_mem_new(&t->edge, NODES * NODES / 2, sizeof(*t->edge),
			"edges");
	if (!code)
		code = vs_mem_new(&t->number, p->names->n_vec, 1, "nodes");
	if (!code)
		code = vs_mem_new(&t->box, NODES, sizeof(*t->box),
			"components");
	if (!code) {
		t->lower = vs_run_is_lower(&p->result->run);
		add_nodes(t, rec, n);
		code = vs_result_lines_see(p->lines, see, t);
	}
	free(rec);
	return code ? code : sort_nodes(t);
}

static int
network_result(const struct vs_plot *p, struct vs_svg *s)
{
	/* records of a picked vector have others, too */
	struct vs_plot all = *p;
	struct vs_result_lines every = *p->lines;
	const struct vs_selection none = { 0 };
	struct network t = { 0 };
	int code;

	every.ids = every.regions = &none;
	all.lines = &every;
	code = vs_genome_make(&t.genome, &all);
	if (!code)
		code = make_graph(p, &t);
	if (!code) {
		place_boxes(&t);
		code = lay_out(&t);
	}
	if (!code)
		draw(p, &t, s);
	vs_genome_free(&t.genome);
	free(t.node);
	free(t.edge);
	free(t.box);
	free(t.number);
	return code;
}

const struct vs_plot_kind vs_plot_network = {
	.name = "network",
	.help = "the clusters of the strongest records",
	.places = true,
	.result = network_result,
};
