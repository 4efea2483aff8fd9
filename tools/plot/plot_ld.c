/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linkage disequilibrium (LD) triangle: a map of the positions, and below it a
 * cell for each pair of vectors, the darker the stronger. Of more vectors than
 * fit, cells are those of bins of neighbours, the darker the more records they
 * have, by the logarithm: the strongest of thousands of pairs is often 1. Where
 * no pair is far apart, as of --max-kb, the triangle ends below the last row of
 * cells that has a record, and its cells are drawn higher.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/svg/axis.h"
#include "libcore/base/mem.h"
#include "tools/plot/genome.h"

#define SINGLE 300     /* vectors that have a column of their own */
#define BINS 160       /* of more */
#define NAMES 48       /* vectors whose names are written */
#define NAME 24        /* characters of these */
#define LEVELS 10      /* of grey */
#define CHROMOSOMES 40 /* whose ends bins do not cross */
#define LEFT 20
#define WIDTH 760 /* of the triangle */
#define LINKS 30  /* pixels from the map to the columns */
#define AXIS 100  /* where the map is */
#define KEY 100   /* pixels of the key below one that is cut */
#define CUT 150   /* pixels that a triangle that is cut has at least */
#define HIGHER 4  /* and how many times higher its cells are at most */

struct ld {
	struct vs_genome genome;
	size_t n_bin, *first; /* bin of each place, and of the end */
	/* the strongest value or of bins the records: [n_bin][n_bin], row less
	 * than column; NaN: none */
	double *cell;
	double lo, hi; /* of all cells */
	size_t depth;  /* rows of cells below the map, n_bin of a whole one */
	double half;   /* pixels from one row to the next */
	uint64_t n_record;
	bool lower;  /* lower values are stronger */
	bool binned; /* bins have several vectors, and cells within one bin */
	struct vs_axis shade;
};

/* ---- values ---- */

/* Bins of equal numbers of neighbours, on one chromosome each. */
static int
make_bins(struct ld *t)
{
	const struct vs_genome *g = &t->genome;
	size_t at = 0;
	int code = vs_mem_new(&t->first, g->n + 1, sizeof(*t->first), "bins");

	if (code)
		return code;
	t->binned = g->n > SINGLE;
	for (size_t s = 0; s < g->n_segment; s++) {
		const struct vs_genome_segment *seg = &g->segment[s];
		size_t n = seg->hi - seg->lo, bins = n;

		if (t->binned)
			bins = (n * BINS + g->n - 1) / g->n;
		for (size_t k = seg->lo; k < seg->hi; k++)
			t->first[k] = g->n_segment > CHROMOSOMES
				? k * (t->binned ? BINS : g->n) / g->n
				: at + (k - seg->lo) * bins / n;
		at = t->first[seg->hi - 1] + 1;
	}
	t->n_bin = at;
	t->first[g->n] = at;
	code = vs_mem_room(&t->cell, at * at, sizeof(*t->cell), "cells");
	for (size_t k = 0; k < at * at && !code; k++)
		t->cell[k] = NAN;
	return code;
}

static int
see(void *with, const struct vs_record *rec)
{
	struct ld *t = with;
	const uint32_t i = t->genome.place[rec->i], j = t->genome.place[rec->j];
	double *cell;
	size_t a, b;

	if (i == VS_GENOME_NONE || j == VS_GENOME_NONE)
		return 0;
	a = t->first[i < j ? i : j];
	b = t->first[i < j ? j : i];
	cell = &t->cell[a * t->n_bin + b];
	if (t->binned)
		*cell = isnan(*cell) ? 1 : *cell + 1;
	else if (isnan(*cell) ||
		(t->lower ? rec->value < *cell : rec->value > *cell))
		*cell = rec->value;
	t->n_record++;
	return 0;
}

/* The range of the cells, and the scale of grey. */
static void
find_range(struct ld *t)
{
	bool none = true;

	for (size_t k = 0; k < t->n_bin * t->n_bin; k++) {
		if (isnan(t->cell[k]))
			continue;
		t->lo = none ? t->cell[k] : fmin(t->lo, t->cell[k]);
		t->hi = none ? t->cell[k] : fmax(t->hi, t->cell[k]);
		none = false;
	}
	if (t->binned)
		t->shade = (struct vs_axis){ .lo = 1,
			.hi = fmax(t->hi, 2),
			.to = 1,
			.log = true };
	else
		vs_axis_linear(&t->shade, t->lo, t->hi, 5, true);
	t->shade.from = 0;
	t->shade.to = 1;
}

/* Rows down to the last that has a record. */
static void
find_depth(struct ld *t)
{
	const double half = t->n_bin ? WIDTH / (double)t->n_bin / 2 : 0;
	size_t last = 0;

	for (size_t i = 0; i < t->n_bin; i++)
		for (size_t j = i; j < t->n_bin; j++)
			if (!isnan(t->cell[i * t->n_bin + j]) && j - i > last)
				last = j - i;
	t->depth = t->n_bin;
	t->half = half;
	if (!last || 2 * (last + 2) > t->n_bin)
		return;
	t->depth = last + 2;
	t->half = fmax(half, fmin(CUT / (double)t->depth, HIGHER * half));
}

/* ---- the map ---- */

static double
bin_x(const struct ld *t, double bin)
{
	return LEFT + bin * WIDTH / (double)t->n_bin;
}

/* Ticks above the line, that lines may lead from it downwards. */
static void
draw_scale(struct vs_svg *s, const struct vs_axis *a)
{
	char text[VS_AXIS_ROOM];

	vs_svg_line(s, a->from, AXIS, a->to, AXIS, VS_SVG_THIN);
	for (double t = vs_axis_first(a); t <= a->hi + a->step * 1e-6;
		t = vs_axis_next(a, t)) {
		double x = vs_axis_at(a, t);

		vs_axis_label(a, t, text);
		vs_svg_line(s, x, AXIS - 5, x, AXIS, VS_SVG_THIN);
		vs_svg_words(s, x, AXIS - 9, VS_SVG_MIDDLE, "%s", text);
	}
}

/* Pixels that the name of a place takes, some more than it is long. */
static double
name_height(const struct ld *t, size_t place)
{
	size_t len;

	vs_text_pool_get(&t->genome.sites->id, t->genome.row[place], &len);
	return 8 + 6.2 * (double)(len < NAME ? len : NAME);
}

/* Lines from the positions to the columns: to the middle one of a bin. */
static void
draw_links(const struct ld *t, struct vs_svg *s,
	const struct vs_genome_segment *seg, const struct vs_axis *a,
	double bases, double end)
{
	const struct vs_genome *g = &t->genome;

	vs_svg_path(s,
		"class=\"links\" stroke=\"#999\" stroke-width=\"0.75\" "
		"fill=\"none\"");
	for (size_t k = seg->lo, next; k < seg->hi; k = next) {
		const size_t bin = t->first[k];

		for (next = k + 1; next < seg->hi && t->first[next] == bin;)
			next++;
		if (!g->pos[k + (next - k) / 2])
			continue;
		vs_svg_path_move(s,
			vs_axis_at(a,
				(double)g->pos[k + (next - k) / 2] / bases),
			AXIS);
		vs_svg_path_line(s, bin_x(t, (double)bin + 0.5), AXIS + LINKS);
		if (end > AXIS + LINKS)
			vs_svg_path_line(s, bin_x(t, (double)bin + 0.5),
				end - name_height(t, k));
	}
	vs_svg_path_end(s);
}

/* The chromosome's name and unit where there is room for them. */
static void
draw_name(const struct ld *t, struct vs_svg *s, size_t segment, double width,
	double middle, const char *unit)
{
	size_t len, room = (size_t)(width / 7);
	const char *name = vs_genome_name(&t->genome, segment, &len);
	char text[96];
	int n = snprintf(text, sizeof(text), "chromosome %.*s%s%s%s",
		len < 60 ? (int)len : 60, name, unit ? " (" : "",
		unit ? unit : "", unit ? ")" : "");

	if (!len || !room)
		return;
	if ((size_t)n > room)
		n = snprintf(text, sizeof(text), "%.*s%s%s%s",
			len < 60 ? (int)len : 60, name, unit ? " (" : "",
			unit ? unit : "", unit ? ")" : "");
	vs_svg_name(s, middle, AXIS - 28, 0, VS_SVG_MIDDLE,
		(size_t)n > room ? name : text,
		(size_t)n > room ? len : (size_t)n, room);
}

static void
draw_map(const struct ld *t, struct vs_svg *s, double end)
{
	const struct vs_genome *g = &t->genome;
	const char *unit;
	int64_t range = 0;
	double bases;

	for (size_t k = 0; k < g->n_segment; k++)
		if (g->segment[k].to - g->segment[k].from > range)
			range = g->segment[k].to - g->segment[k].from;
	unit = vs_genome_unit(range, &bases);
	for (size_t k = 0; k < g->n_segment; k++) {
		const struct vs_genome_segment *seg = &g->segment[k];
		double from = bin_x(t, (double)t->first[seg->lo]);
		double to = bin_x(t, (double)t->first[seg->hi - 1] + 1);
		double gap = fmin(8, (to - from) / 8);
		struct vs_axis a = { .from = from + gap, .to = to - gap };

		if (g->n_segment > CHROMOSOMES || !seg->to)
			continue;
		vs_axis_linear(&a, (double)seg->from / bases,
			(double)seg->to / bases, (int)fmax((to - from) / 80, 1),
			false);
		if (to - from >= 60)
			draw_scale(s, &a);
		else
			vs_svg_line(s, a.from, AXIS, a.to, AXIS, VS_SVG_THIN);
		draw_name(t, s, k, to - from, (from + to) / 2,
			to - from >= 60 ? unit : NULL);
		draw_links(t, s, seg, &a, bases, end);
	}
}

static void
draw_names(const struct ld *t, struct vs_svg *s, double y)
{
	const struct vs_genome *g = &t->genome;

	vs_svg_group(s, "class=\"names\" font-size=\"10\"");
	for (size_t k = 0; k < g->n; k++) {
		size_t len;
		const char *id =
			vs_text_pool_get(&g->sites->id, g->row[k], &len);

		vs_svg_name(s, bin_x(t, (double)k + 0.5) + 3.5, y - 4, -90,
			NULL, id, len, NAME);
	}
	vs_svg_group_end(s);
}

/* ---- the triangle ---- */

static int
level_of(const struct ld *t, double value)
{
	double share = vs_axis_at(&t->shade, value);
	bool turned = t->lower && !t->binned;
	int level = (int)floor((turned ? 1 - share : share) * LEVELS);

	return level < 0 ? 0 : level < LEVELS ? level : LEVELS - 1;
}

static void
grey(int level, char style[64])
{
	int tone = 0xd0 - 0xd0 * level / (LEVELS - 1);

	snprintf(style, 64, "class=\"level\" fill=\"#%02x%02x%02x\"", tone,
		tone, tone);
}

/* Cells of one level; neighbours in a row are one rectangle. */
static void
draw_level(const struct ld *t, struct vs_svg *s, int level)
{
	bool begun = false;
	char style[64];

	for (size_t i = 0; i < t->n_bin; i++)
		for (size_t j = i, end; j < t->n_bin; j = end) {
			const double *cell = &t->cell[i * t->n_bin];

			for (end = j; end < t->n_bin && !isnan(cell[end]) &&
				level_of(t, cell[end]) == level;)
				end++;
			if (end == j) {
				end++;
				continue;
			}
			if (!begun) {
				grey(level, style);
				vs_svg_path(s, style);
				begun = true;
			}
			vs_svg_path_rect(s, (double)j, (double)i,
				(double)(end - j), 1);
		}
	if (begun)
		vs_svg_path_end(s);
}

/* Line from the map down to the left or the right, -1 or 1, as far as the
 * triangle goes. */
static void
draw_end(const struct ld *t, struct vs_svg *s, double x, double y, int side)
{
	const double half = WIDTH / (double)t->n_bin / 2;
	double rows = (side < 0 ? x - LEFT : LEFT + WIDTH - x) / 2 / half;

	rows = fmin(rows, (double)t->depth);
	vs_svg_path_line(s, x + side * rows * half, y + rows * t->half);
}

static void
draw_triangle(const struct ld *t, struct vs_svg *s, double y)
{
	const double half = WIDTH / (double)t->n_bin / 2;
	const double side = half * (double)t->depth;
	const double end = y + t->half * (double)t->depth;
	char turn[160];

	/* column j and row i of the cells are ((i + j) / 2, (j - i) / 2) */
	snprintf(turn, sizeof(turn),
		"class=\"cells\" transform=\"matrix(%.6f %.6f %.6f %.6f %d "
		"%.6f)\" shape-rendering=\"crispEdges\"",
		half, t->half, half, -t->half, LEFT, y);
	vs_svg_group(s, turn);
	for (int level = 0; level < LEVELS; level++)
		draw_level(t, s, level);
	vs_svg_group_end(s);
	vs_svg_path(s,
		"class=\"ends\" stroke=\"#777\" stroke-width=\"0.75\" "
		"fill=\"none\"");
	vs_svg_path_move(s, LEFT, y);
	vs_svg_path_line(s, LEFT + WIDTH, y);
	vs_svg_path_line(s, LEFT + WIDTH - side, end);
	if (t->depth < t->n_bin)
		vs_svg_path_line(s, LEFT + side, end);
	vs_svg_path_line(s, LEFT, y);
	for (size_t k = 1;
		k < t->genome.n_segment && t->genome.n_segment <= CHROMOSOMES;
		k++) {
		double x = bin_x(t, (double)t->first[t->genome.segment[k].lo]);

		vs_svg_path_move(s, x, y);
		draw_end(t, s, x, y, -1);
		vs_svg_path_move(s, x, y);
		draw_end(t, s, x, y, 1);
	}
	vs_svg_path_end(s);
}

static void
draw_key(const struct ld *t, struct vs_svg *s, const char *metric, double y)
{
	const double x = LEFT, box = 15;
	char style[64], text[VS_PLOT_COUNT];

	vs_svg_words(s, x, y - 8, NULL, "%s",
		t->binned ? "records in a cell" : metric);
	for (int level = 0; level < LEVELS; level++) {
		grey(level, style);
		vs_svg_rect(s, x + box * level, y, box, 12,
			strstr(style, "fill"));
	}
	vs_svg_rect(s, x, y, box * LEVELS, 12,
		"fill=\"none\" stroke=\"#000\" stroke-width=\"0.5\"");
	for (int end = 0; end < 2; end++) {
		bool hi = end != (t->lower && !t->binned);
		double value = hi ? t->shade.hi : t->shade.lo;

		if (t->binned)
			vs_plot_count(text, (uint64_t)value);
		else
			vs_axis_label(&t->shade, value, text);
		vs_svg_words(s, x + (end ? box * LEVELS : 0), y + 26,
			end ? VS_SVG_END : NULL, "%s", text);
	}
	vs_svg_rect(s, x, y + 38, box, 12,
		"fill=\"#fff\" stroke=\"#000\" stroke-width=\"0.5\"");
	vs_svg_words(s, x + box + 6, y + 48, NULL, "no record");
}

/* ---- the picture ---- */

static void
say_about(const struct vs_plot *p, const struct ld *t, char title[256],
	char about[160])
{
	const size_t per =
		t->n_bin ? (t->genome.n + t->n_bin / 2) / t->n_bin : 0;
	char n[VS_PLOT_COUNT], records[VS_PLOT_COUNT];

	snprintf(title, 256, "%s of pairs of %s vector%s%s%.160s",
		p->result->run.metric, vs_plot_count(n, t->genome.n),
		t->genome.n == 1 ? "" : "s", p->region ? " in " : "",
		p->region ? p->region : "");
	snprintf(about, 160, "%s record%s", vs_plot_count(records, t->n_record),
		t->n_record == 1 ? "" : "s");
	if (t->binned)
		snprintf(about + strlen(about), 100,
			"; cells of some %zu x %zu pairs, the darker the more "
			"of them",
			per, per);
	if (t->depth < t->n_bin)
		snprintf(about + strlen(about), 40, "; no pair further apart");
}

static void
draw(const struct vs_plot *p, struct ld *t, struct vs_svg *s)
{
	const bool named = t->genome.n && t->genome.n <= NAMES;
	double top, names = 0, y;
	bool mapped = false;
	char title[256], about[160];

	for (size_t k = 0; named && k < t->genome.n; k++)
		names = fmax(names, name_height(t, k));
	for (size_t k = 0; k < t->genome.n_segment; k++)
		mapped |= t->genome.segment[k].to > 0;
	top = names + (mapped ? AXIS + LINKS : AXIS / 2.0 + 10);
	find_range(t);
	find_depth(t);
	/* cells within one bin are whole */
	y = top + (t->binned ? t->half : 0);
	s->width = LEFT + WIDTH + LEFT;
	s->height = y + t->half * (double)t->depth + 20 +
		(t->depth < t->n_bin ? KEY : 0);
	say_about(p, t, title, about);
	vs_plot_begin(p, s, title, about);
	if (t->genome.n) {
		draw_map(t, s, top);
		if (named)
			draw_names(t, s, top);
		draw_triangle(t, s, y);
	}
	if (t->n_record)
		draw_key(t, s, p->result->run.metric, s->height - 80);
	else
		vs_svg_words(s, LEFT + WIDTH / 2.0, y + WIDTH / 5.0,
			VS_SVG_MIDDLE,
			t->genome.n ? "no records" : "no vectors");
	vs_svg_end(s);
}

static int
ld_result(const struct vs_plot *p, struct vs_svg *s)
{
	struct ld t = { .lower = vs_run_is_lower(&p->result->run) };
	int code = vs_genome_make(&t.genome, p);

	if (!code)
		code = make_bins(&t);
	if (!code)
		code = vs_result_lines_see(p->lines, see, &t);
	if (!code)
		draw(p, &t, s);
	vs_genome_free(&t.genome);
	free(t.first);
	free(t.cell);
	return code;
}

const struct vs_plot_kind vs_plot_ld = {
	.name = "ld",
	.help = "linkage disequilibrium: a triangle of the pairs of --region, "
		"below their positions",
	.places = true,
	.pairs = true,
	.both = true,
	.result = ld_result,
};
