/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress plot of a run directory: tiles and records finished over time, and
 * below them when each rank sealed a shard. Time between two starts of a run is
 * left out.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/svg/axis.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/plot/plot.h"
#include "tools/plot/run_times.h"

#define LEFT 90
#define RIGHT 930
#define COLUMNS 420
#define PANEL 150 /* height, */
#define TOP 75    /* of the first one, */
#define BETWEEN 25
#define ROW 18      /* of a rank, at most */
#define MOST_H 320  /* of all ranks */
#define NAMED_ROW 9 /* a rank is named from this height on */

struct progress {
	struct vs_run_times times;
	double tile[COLUMNS], record[COLUMNS]; /* finished by then */
	struct vs_axis x;
	const char *unit;
	double unit_seconds;
	double row; /* height of a rank */
};

/* ---- sums over all ranks ---- */

static void
sum_up(struct progress *p)
{
	const struct vs_run_times *t = &p->times;

	for (size_t k = 0; k < t->n; k++) {
		const struct vs_run_times_shard *s = &t->shard[k];

		for (int part = 0; part < VS_RUN_TIMES_PARTS; part++) {
			double at = s->begin +
				(s->end - s->begin) * (part + 1) /
					VS_RUN_TIMES_PARTS;
			int c = (int)ceil(at / t->seconds * COLUMNS - 1e-9) - 1;

			c = c < 0 ? 0 : c < COLUMNS ? c : COLUMNS - 1;
			p->tile[c] += s->tile[part];
			p->record[c] += (double)s->record[part];
		}
	}
	for (int c = 1; c < COLUMNS; c++) {
		p->tile[c] += p->tile[c - 1];
		p->record[c] += p->record[c - 1];
	}
}

/* ---- the picture ---- */

static void
set_x(struct progress *p)
{
	static const struct {
		const char *name;
		double seconds, least;
	} unit[] = { { "hours", 3600, 3 * 3600 }, { "minutes", 60, 3 * 60 },
		{ "seconds", 1, 1 }, { "milliseconds", 1e-3, 0 } };
	size_t k = 0;

	while (p->times.seconds < unit[k].least)
		k++;
	p->unit = unit[k].name;
	p->unit_seconds = unit[k].seconds;
	p->x = (struct vs_axis){ .from = LEFT, .to = RIGHT };
	vs_axis_linear(&p->x, 0, p->times.seconds / p->unit_seconds, 10, false);
}

static double
x_at(const struct progress *p, double seconds)
{
	return vs_axis_at(&p->x, seconds / p->unit_seconds);
}

/* A curve from the corner, in steps. */
static void
draw_curve(const struct progress *p, struct vs_svg *s, const struct vs_axis *y,
	const double *sum, double scale, const char *style)
{
	double last = 0;

	vs_svg_path(s, style);
	vs_svg_path_move(s, p->x.from, y->from);
	for (int c = 0; c < COLUMNS; c++) {
		double x = x_at(p, p->times.seconds * (c + 1) / COLUMNS);

		if (sum[c] == last)
			continue;
		vs_svg_path_line(s, x, vs_axis_at(y, last * scale));
		last = sum[c];
		vs_svg_path_line(s, x, vs_axis_at(y, last * scale));
	}
	vs_svg_path_line(s, x_at(p, p->times.seconds),
		vs_axis_at(y, last * scale));
	vs_svg_path_end(s);
}

static void
draw_sums(const struct progress *p, struct vs_svg *s)
{
	static const char curve[] =
		"class=\"curve\" stroke=\"#000\" stroke-width=\"2\" "
		"fill=\"none\"";
	const struct vs_run_times *t = &p->times;
	struct vs_axis tiles = { .from = TOP + PANEL, .to = TOP },
		       records = { .from = TOP + 2 * PANEL + BETWEEN,
			       .to = TOP + PANEL + BETWEEN };

	vs_axis_linear(&tiles, 0, 100, 5, false);
	vs_axis_counts(&records, (double)t->n_record, false);
	vs_axis_draw_y(&tiles, s, LEFT, RIGHT, "tiles (%)");
	vs_axis_draw_y(&records, s, LEFT, RIGHT, "records");
	draw_curve(p, s, &tiles, p->tile, 100 / fmax((double)t->n_all, 1),
		curve);
	draw_curve(p, s, &records, p->record, 1, curve);
}

/* Bars of shards from seal to seal, a row for each rank; stages alternate. */
static void
draw_shards(const struct progress *p, struct vs_svg *s, double top)
{
	static const char *const style[] = { "class=\"shards\" fill=\"#555\"",
		"class=\"shards\" fill=\"#bbb\"" };
	const struct vs_run_times *t = &p->times;
	double gap = p->row > 4 ? 1 : 0;

	for (int odd = 0; odd < 2; odd++) {
		vs_svg_path(s, style[odd]);
		for (size_t k = 0; k < t->n; k++) {
			const struct vs_run_times_shard *h = &t->shard[k];
			double x = x_at(p, h->begin), end = x_at(p, h->end);

			if (h->stage_begin % 2 == !odd && t->run.n_stages > 1)
				continue;
			if (t->run.n_stages == 1 && odd)
				continue;
			vs_svg_path_rect(s, x, top + p->row * h->rank + gap,
				fmax(end - x - 1, 0.5), p->row - 2 * gap);
		}
		vs_svg_path_end(s);
	}
}

static void
draw_ranks(const struct progress *p, struct vs_svg *s, double top)
{
	const int n = p->times.n_rank;
	/* every one, or some of a round distance */
	const int step = (int)vs_axis_round(fmax(1, NAMED_ROW / p->row));

	vs_svg_group(s, "class=\"ranks\" font-size=\"11\"");
	for (int r = 0; r < n; r += step)
		vs_svg_words(s, LEFT - 9, top + p->row * (r + 0.5) + 4,
			VS_SVG_END, n == 1 || p->row >= 14 ? "rank %d" : "%d",
			r);
	vs_svg_group_end(s);
	if (p->row < 14)
		vs_svg_name(s, LEFT - 52, top + p->row * n / 2, -90,
			VS_SVG_MIDDLE, "rank", 4, 4);
	draw_shards(p, s, top);
	vs_svg_line(s, LEFT, top, LEFT, top + p->row * n, VS_SVG_THIN);
}

/* The stage of the first shard from then on. */
static int
stage_at(const struct vs_run_times *t, double start)
{
	const struct vs_run_times_shard *first = t->shard;

	for (size_t k = 1; k < t->n; k++)
		if (t->shard[k].begin >= start &&
			(first->begin < start ||
				t->shard[k].begin < first->begin))
			first = &t->shard[k];
	return first->stage_begin;
}

/* Lines where the run was started once more. */
static void
draw_starts(const struct progress *p, struct vs_svg *s, double bottom)
{
	const struct vs_run_times *t = &p->times;

	for (int k = 0; k < t->n_start; k++) {
		double x = x_at(p, t->start[k]);

		if (k)
			vs_svg_line(s, x, TOP, x, bottom,
				"class=\"start\" stroke=\"#000\" "
				"stroke-dasharray=\"4 3\"");
		if (t->run.n_stages > 1)
			vs_svg_words(s, x + 4, TOP - 7, VS_SVG_GREY, "stage %d",
				stage_at(t, t->start[k]) + 1);
		else if (k)
			vs_svg_words(s, x + 4, TOP - 7, VS_SVG_GREY, "resumed");
	}
}

static void
print_head(const struct progress *p, char title[128], char about[512])
{
	const struct vs_run_times *t = &p->times;
	const double time = t->seconds / p->unit_seconds;
	char query[VS_PLOT_QUERY], n[VS_PLOT_COUNT], all[VS_PLOT_COUNT],
		records[VS_PLOT_COUNT], vectors[VS_PLOT_COUNT];

	snprintf(title, 128, "%s of %s tiles, %s record%s",
		vs_plot_count(n, t->n_tile), vs_plot_count(all, t->n_all),
		vs_plot_count(records, t->n_record),
		t->n_record == 1 ? "" : "s");
	snprintf(about, 512,
		"%s of %s of %s vectors; %d rank%s, %zu shard%s, %.*f %s of "
		"work",
		vs_plot_query(query, &t->run),
		t->run.n_way == 3 ? "triples" : "pairs",
		vs_plot_count(vectors, (uint64_t)t->run.n_vectors), t->n_rank,
		t->n_rank == 1 ? "" : "s", t->n, t->n == 1 ? "" : "s",
		time < 10            ? 2
			: time < 100 ? 1
				     : 0,
		time, p->unit);
}

static void
draw(const struct vs_plot *plot, struct progress *p, struct vs_svg *s)
{
	const double top = TOP + 2 * PANEL + 2 * BETWEEN;
	char title[128], about[512], name[64];
	double bottom;

	set_x(p);
	p->row = fmin(ROW, (double)MOST_H / p->times.n_rank);
	bottom = top + p->row * p->times.n_rank;
	s->width = 960;
	s->height = ceil(bottom + 52);
	print_head(p, title, about);
	vs_plot_begin(plot, s, title, about);
	draw_sums(p, s);
	draw_ranks(p, s, top);
	draw_starts(p, s, bottom);
	snprintf(name, sizeof(name), "%s of work", p->unit);
	vs_axis_draw_x(&p->x, s, bottom, name);
	vs_svg_end(s);
}

static int
progress_path(const struct vs_plot *plot, struct vs_svg *s)
{
	struct progress *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "progress");

	if (code)
		return code;
	code = vs_run_times_read(&p->times, plot->path);
	if (!code) {
		sum_up(p);
		draw(plot, p, s);
	}
	vs_run_times_free(&p->times);
	free(p);
	return code;
}

const struct vs_plot_kind vs_plot_progress = {
	.name = "progress",
	.help = "of a run's directory: tiles and records over time",
	.path = progress_path,
	.of = "a run's directory",
};
