/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Manhattan plot of degrees: along the genome, the number of pairs or triples
 * that each vector is in. Vectors that fall on one spot are one dot.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/svg/axis.h"
#include "libcore/base/mem.h"
#include "tools/plot/genome.h"

#define LEFT 80
#define RIGHT 940
#define TOP 75
#define BOTTOM 370
#define SPOT 1.5 /* pixels */
#define SPOTS_X 600
#define SPOTS_Y 200
#define NAMED 5 /* vectors of the greatest degrees */
#define NAME 28 /* characters */
#define GAP 4   /* pixels between chromosomes */

struct manhattan {
	struct vs_genome genome;
	uint64_t *degree; /* [n_vec] */
	struct vs_record last;
	uint64_t n_vector, most; /* that are in a record; the greatest degree */
	double *left, *width;    /* pixels of each chromosome */
	struct vs_axis y;
};

/* ---- degrees ---- */

/* The values of one pair follow one another, and count once. */
static int
see(void *with, const struct vs_record *r)
{
	struct manhattan *m = with;

	if (m->last.i == r->i && m->last.j == r->j && m->last.k == r->k)
		return 0;
	m->last = *r;
	m->degree[r->i]++;
	m->degree[r->j]++;
	if (r->k != VS_NO_VEC)
		m->degree[r->k]++;
	return 0;
}

static int
count(const struct vs_plot *p, struct manhattan *m)
{
	const struct vs_genome *g = &m->genome;
	int code = vs_mem_new(&m->degree, p->names->n_vec, sizeof(*m->degree),
		"degrees");

	m->last.i = VS_NO_VEC;
	if (!code)
		code = vs_result_lines_see(p->lines, see, m);
	for (size_t k = 0; k < g->n && !code; k++) {
		const uint64_t degree = m->degree[g->vector[k]];

		m->n_vector += degree > 0;
		m->most = degree > m->most ? degree : m->most;
	}
	return code;
}

/* ---- places ---- */

/* Bases of a chromosome, or vectors where none has a place. */
static double
length_of(const struct vs_genome_segment *s)
{
	return s->to ? (double)(s->to - s->from + 1) : (double)(s->hi - s->lo);
}

/* Chromosomes side by side: as wide as long, if all have places. */
static int
lay_out(struct manhattan *m)
{
	const struct vs_genome *g = &m->genome;
	const size_t n = g->n_segment;
	const double gap = n > 100 ? 0 : GAP;
	double all = 0, at = LEFT;
	bool placed = true;
	int code = vs_mem_new(&m->left, n, sizeof(*m->left), "chromosomes");

	if (!code)
		code = vs_mem_new(&m->width, n, sizeof(*m->width),
			"chromosomes");
	if (code)
		return code;
	for (size_t k = 0; k < n; k++)
		placed &= g->segment[k].to > 0;
	for (size_t k = 0; k < n; k++) {
		m->width[k] = placed
			? length_of(&g->segment[k])
			: (double)(g->segment[k].hi - g->segment[k].lo);
		all += m->width[k];
	}
	for (size_t k = 0; k < n; k++) {
		m->width[k] *= (RIGHT - LEFT - gap * (double)(n - 1)) / all;
		m->left[k] = at;
		at += m->width[k] + gap;
	}
	return 0;
}

static double
x_of(const struct manhattan *m, size_t segment, size_t place)
{
	const struct vs_genome_segment *s = &m->genome.segment[segment];
	const int64_t pos = m->genome.pos[place];
	double share = s->to ? (double)((pos ? pos : s->to) - s->from)
			     : (double)(place - s->lo);

	return m->left[segment] +
		share / fmax(length_of(s) - 1, 1) * m->width[segment];
}

/* ---- the picture ---- */

static void
draw_dots(const struct manhattan *m, struct vs_svg *s, uint8_t *spot)
{
	static const char *const style[] = {
		"class=\"dots\" stroke=\"#000\" stroke-width=\"3\" "
		"stroke-linecap=\"round\" fill=\"none\"",
		"class=\"dots\" stroke=\"#888\" stroke-width=\"3\" "
		"stroke-linecap=\"round\" fill=\"none\""
	};
	const struct vs_genome *g = &m->genome;

	for (size_t odd = 0; odd < 2; odd++) {
		vs_svg_path(s, style[odd]);
		for (size_t k = odd; k < g->n_segment; k += 2)
			for (size_t v = g->segment[k].lo; v < g->segment[k].hi;
				v++) {
				const uint64_t n = m->degree[g->vector[v]];
				double x = x_of(m, k, v);
				double y = vs_axis_at(&m->y, (double)n);
				size_t at =
					(size_t)((y - TOP) / SPOT) * SPOTS_X +
					(size_t)((x - LEFT) / SPOT);

				if (!n || spot[at])
					continue;
				spot[at] = 1;
				vs_svg_path_dot(s, x, y);
			}
		vs_svg_path_end(s);
	}
}

/* Names of chromosomes; of a single one positions. */
static void
draw_x(const struct manhattan *m, struct vs_svg *s)
{
	const struct vs_genome *g = &m->genome;
	const struct vs_genome_segment *one = g->segment;
	struct vs_axis x = { .from = LEFT, .to = RIGHT };
	char text[96];
	double bases;
	size_t len;
	const char *name, *unit;

	if (g->n_segment == 1 && one->to) {
		name = vs_genome_name(g, 0, &len);
		unit = vs_genome_unit(one->to - one->from, &bases);
		snprintf(text, sizeof(text), "position on chromosome %.*s (%s)",
			len < 50 ? (int)len : 50, name, unit);
		vs_axis_linear(&x, (double)one->from / bases,
			(double)one->to / bases, 8, false);
		vs_axis_draw_x(&x, s, BOTTOM, text);
		return;
	}
	vs_svg_group(s, "class=\"chromosomes\"");
	vs_svg_line(s, LEFT, BOTTOM, RIGHT, BOTTOM, VS_SVG_THIN);
	for (size_t k = 0; k < g->n_segment; k++) {
		double end = m->left[k] + m->width[k];

		name = vs_genome_name(g, k, &len);
		if (k + 1 < g->n_segment && g->n_segment <= 100)
			vs_svg_line(s, end + GAP / 2.0, BOTTOM, end + GAP / 2.0,
				BOTTOM + 5, VS_SVG_THIN);
		if (len && m->width[k] > 8)
			vs_svg_name(s, (m->left[k] + end) / 2, BOTTOM + 18, 0,
				VS_SVG_MIDDLE, name, len,
				(size_t)(m->width[k] / 7) + 1);
	}
	vs_svg_words(s, (LEFT + RIGHT) / 2.0, BOTTOM + 38, VS_SVG_MIDDLE, "%s",
		g->n_segment && one->contig >= 0 ? "chromosome"
						 : "vectors, as in the input");
	vs_svg_group_end(s);
}

/* Place of the vector of the greatest degree less than `below` in order of
 * degree and place. */
static bool
next_most(const struct manhattan *m, uint64_t *degree, size_t *place)
{
	const struct vs_genome *g = &m->genome;
	bool found = false;
	uint64_t best = 0;
	size_t at = 0;

	for (size_t k = 0; k < g->n; k++) {
		const uint64_t n = m->degree[g->vector[k]];

		if (n <= best || n > *degree || (n == *degree && k <= *place))
			continue;
		best = n;
		at = k;
		found = true;
	}
	*degree = best;
	*place = at;
	return found;
}

/* The vectors of most records, where their names do not cover one another. */
static void
draw_names(const struct manhattan *m, struct vs_svg *s)
{
	const struct vs_genome *g = &m->genome;
	double x[NAMED], y[NAMED];
	uint64_t degree = UINT64_MAX;
	size_t place = 0, n = 0;

	vs_svg_group(s,
		"class=\"names\" font-size=\"11\" stroke=\"#fff\" "
		"stroke-width=\"3\" paint-order=\"stroke\"");
	while (n < NAMED && next_most(m, &degree, &place)) {
		size_t segment = 0, len, k = 0;
		const char *id =
			vs_text_pool_get(&g->sites->id, g->row[place], &len);
		bool end;

		while (g->segment[segment].hi <= place)
			segment++;
		x[n] = x_of(m, segment, place);
		y[n] = vs_axis_at(&m->y, (double)degree);
		while (k < n &&
			(fabs(x[k] - x[n]) > 190 || fabs(y[k] - y[n]) > 12))
			k++;
		if (k < n)
			break;
		end = x[n] > RIGHT - 190;
		vs_svg_name(s, x[n] + (end ? 3 : -3), y[n] - 6, 0,
			end ? VS_SVG_END : NULL, id, len, NAME);
		n++;
	}
	vs_svg_group_end(s);
}

/* Vectors in a record that have no position on a chromosome that has some. */
static uint64_t
unplaced(const struct manhattan *m)
{
	const struct vs_genome *g = &m->genome;
	uint64_t n = 0;

	for (size_t k = 0; k < g->n_segment; k++)
		for (size_t v = g->segment[k].lo; v < g->segment[k].hi; v++)
			n += g->segment[k].to > 0 && !g->pos[v] &&
				m->degree[g->vector[v]];
	return n;
}

static int
draw(const struct vs_plot *p, struct manhattan *m, struct vs_svg *s)
{
	char title[96], about[192], n[VS_PLOT_COUNT], most[VS_PLOT_COUNT],
		none[VS_PLOT_COUNT];
	const char *what = p->result->run.n_way == 2 ? "pairs" : "triples";
	const uint64_t n_none = unplaced(m);
	uint8_t *spot = NULL;
	int code = vs_mem_new(&spot, SPOTS_X * SPOTS_Y, 1, "dots");

	if (code)
		return code;
	vs_axis_counts(&m->y, (double)m->most, m->most >= 1000);
	m->y.from = BOTTOM;
	m->y.to = TOP;
	s->width = 960;
	s->height = 430;
	snprintf(title, sizeof(title), "%s of each vector",
		*what == 'p' ? "Pairs" : "Triples");
	snprintf(about, sizeof(about), "%s vectors in any, %s at most%s%s%s",
		vs_plot_count(n, m->n_vector), vs_plot_count(most, m->most),
		n_none ? "; " : "", n_none ? vs_plot_count(none, n_none) : "",
		n_none ? " without a position, at the ends" : "");
	vs_plot_begin(p, s, title, about);
	vs_axis_draw_y(&m->y, s, LEFT, RIGHT, what);
	draw_dots(m, s, spot);
	draw_x(m, s);
	draw_names(m, s);
	if (!m->n_vector)
		vs_svg_words(s, (LEFT + RIGHT) / 2.0, 220, VS_SVG_MIDDLE,
			"no records");
	vs_svg_end(s);
	free(spot);
	return 0;
}

static int
manhattan_result(const struct vs_plot *p, struct vs_svg *s)
{
	struct manhattan m = { 0 };
	int code = vs_genome_make(&m.genome, p);

	if (!code)
		code = count(p, &m);
	if (!code)
		code = lay_out(&m);
	if (!code)
		code = draw(p, &m, s);
	vs_genome_free(&m.genome);
	free(m.degree);
	free(m.left);
	free(m.width);
	return code;
}

const struct vs_plot_kind vs_plot_manhattan = {
	.name = "manhattan",
	.help = "of the number of pairs or triples of each vector, along the "
		"chromosomes",
	.places = true,
	.result = manhattan_result,
};
