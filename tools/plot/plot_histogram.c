/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histogram plot, of the values of a result's records or of a table of
 * vsim-run --metric-histogram, whose classes are lines. Counts are on a
 * logarithmic axis where they differ much.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/in/lines.h"
#include "formats/svg/axis.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/plot/plot.h"

#define BARS_LIGHT \
	"class=\"bars\" fill=\"#bbb\" stroke=\"#fff\" stroke-width=\"0.5\""
#define BARS_DARK \
	"class=\"bars\" fill=\"#666\" stroke=\"#fff\" stroke-width=\"0.5\""
#define BARS 100        /* at most some more than these */
#define SERIES 5        /* all values, and those of four classes */
#define ROWS (1u << 22) /* of a table */

/* Bars of equal width from least * width on. */
struct histogram {
	double lo, hi; /* the least and the greatest value */
	double n;      /* values */
	double bucket; /* no bar is narrower; 0: that is no limit */
	double width;
	int64_t least;
	size_t n_bar;
	int n_series;
	char name[SERIES][8];
	double *count; /* [n_series][n_bar] */
};

/* ---- values into bars ---- */

static int64_t
bar_of(const struct histogram *h, double value)
{
	/* by a product where the width is 1 / n, for fewer roundings */
	return (int64_t)floor(
		h->width < 1 ? value * round(1 / h->width) : value / h->width);
}

static int
make_bars(struct histogram *h)
{
	double lo = h->n ? h->lo : 0, hi = h->n ? h->hi : 1;

	h->width = vs_axis_round(hi - lo > 1e-6 * (fabs(lo) + fabs(hi))
			? (hi - lo) / BARS
			: fmax(fabs(hi), 1) / 100);
	h->width = fmax(h->width, h->bucket);
	h->least = bar_of(h, lo);
	h->n_bar = (size_t)(bar_of(h, hi) - h->least) + 1;
	return vs_mem_new(&h->count, h->n_bar * (size_t)h->n_series,
		sizeof(*h->count), "bars");
}

static void
add(struct histogram *h, int series, double value, double n)
{
	int64_t bar = bar_of(h, value) - h->least;

	if (bar >= 0 && (size_t)bar < h->n_bar)
		h->count[(size_t)series * h->n_bar + (size_t)bar] += n;
}

static void
widen(struct histogram *h, double value)
{
	h->lo = h->n ? fmin(h->lo, value) : value;
	h->hi = h->n ? fmax(h->hi, value) : value;
}

/* ---- the picture ---- */

static void
draw_bars(const struct histogram *h, struct vs_svg *s, const struct vs_axis *x,
	const struct vs_axis *y)
{
	vs_svg_path(s, h->n_series > 1 ? BARS_LIGHT : BARS_DARK);
	for (size_t k = 0; k < h->n_bar; k++) {
		double lo = (double)(h->least + (int64_t)k) * h->width;
		double left = vs_axis_at(x, lo),
		       top = vs_axis_at(y, h->count[k]);

		if (h->count[k] > 0)
			vs_svg_path_rect(s, left, top,
				vs_axis_at(x, lo + h->width) - left,
				y->from - top);
	}
	vs_svg_path_end(s);
}

static const char *const dash[SERIES] = { "",
	"class=\"class\" " VS_SVG_THIN " style=\"stroke-width:2\"",
	"class=\"class\" " VS_SVG_THIN
	" style=\"stroke-width:2;stroke-dasharray:7 3\"",
	"class=\"class\" " VS_SVG_THIN
	" style=\"stroke-width:2;stroke-dasharray:2 3\"",
	"class=\"class\" " VS_SVG_THIN
	" style=\"stroke-width:2;stroke-dasharray:9 3 2 3\"" };

/* A class as steps, down to the axis where there is none. */
static void
draw_steps(const struct histogram *h, int series, struct vs_svg *s,
	const struct vs_axis *x, const struct vs_axis *y)
{
	const double *count = h->count + (size_t)series * h->n_bar;
	double last = 0;

	vs_svg_path(s, dash[series]);
	for (size_t k = 0; k <= h->n_bar; k++) {
		double now = k < h->n_bar ? count[k] : 0;
		double left = vs_axis_at(x,
			(double)(h->least + (int64_t)k) * h->width);

		if (now == last)
			continue;
		if (!last)
			vs_svg_path_move(s, left, y->from);
		else
			vs_svg_path_line(s, left, vs_axis_at(y, last));
		vs_svg_path_line(s, left, now ? vs_axis_at(y, now) : y->from);
		last = now;
	}
	vs_svg_path_end(s);
}

static void
draw_key(const struct histogram *h, struct vs_svg *s, double x, double y)
{
	vs_svg_rect(s, x, y - 9, 24, 10, "fill=\"#bbb\"");
	vs_svg_words(s, x + 30, y, NULL, "%s", "all");
	for (int c = 1; c < h->n_series; c++) {
		double at = x + 80 * c;

		vs_svg_line(s, at, y - 4, at + 24, y - 4, dash[c]);
		vs_svg_words(s, at + 30, y, NULL, "%s", h->name[c]);
	}
}

/* what: "record" or "value"; metric: the name of the axis */
static void
draw(const struct vs_plot *p, const struct histogram *h, struct vs_svg *s,
	const char *what, const char *metric)
{
	struct vs_axis x = { .from = 90, .to = 770 };
	struct vs_axis y = { .from = 420, .to = h->n_series > 1 ? 90 : 70 };
	double most = 0, least = INFINITY;
	const int aside = h->n_bar < 10 ? 5 : 0; /* one bar is not a wall */
	char title[96], about[96], name[16], count[VS_PLOT_COUNT];

	for (size_t k = 0; k < h->n_bar * (size_t)h->n_series; k++)
		if (h->count[k] > 0) {
			most = fmax(most, h->count[k]);
			least = fmin(least, h->count[k]);
		}
	vs_axis_linear(&x, (double)(h->least - aside) * h->width,
		(double)(h->least + (int64_t)h->n_bar + aside) * h->width, 10,
		false);
	vs_axis_counts(&y, most, most > 50 * least && most >= 1000);
	s->width = 800;
	s->height = 480;
	snprintf(title, sizeof(title), "Distribution of %s %s%s",
		h->n < 1e18 ? vs_plot_count(count, (uint64_t)h->n) : "all",
		what, h->n == 1 ? "" : "s");
	snprintf(about, sizeof(about), "bars of width %g%s", h->width,
		y.log ? ", logarithmic counts" : "");
	vs_plot_begin(p, s, title, about);
	snprintf(name, sizeof(name), "%ss", what);
	vs_axis_draw_y(&y, s, x.from, x.to, name);
	draw_bars(h, s, &x, &y);
	for (int c = 1; c < h->n_series; c++)
		draw_steps(h, c, s, &x, &y);
	if (h->n_series > 1)
		draw_key(h, s, x.from, 72);
	vs_axis_draw_x(&x, s, y.from, metric);
	if (!h->n)
		vs_svg_words(s, (x.from + x.to) / 2, 240, VS_SVG_MIDDLE,
			"no %ss", what);
	vs_svg_end(s);
}

/* ---- a result ---- */

static int
see_range(void *with, const struct vs_record *rec)
{
	struct histogram *h = with;

	widen(h, rec->value);
	h->n++;
	return 0;
}

static int
see_value(void *with, const struct vs_record *rec)
{
	add(with, 0, rec->value, 1);
	return 0;
}

static int
histogram_result(const struct vs_plot *p, struct vs_svg *s)
{
	struct histogram h = { .n_series = 1 };
	int code = vs_result_lines_see(p->lines, see_range, &h);

	if (!code)
		code = make_bars(&h);
	if (!code)
		code = vs_result_lines_see(p->lines, see_value, &h);
	if (!code)
		draw(p, &h, s, "record", p->result->run.metric);
	free(h.count);
	return code;
}

/* ---- a table ---- */

/* A bucket of the table. */
struct bucket {
	double lo, hi, count[SERIES];
};

struct table {
	struct bucket *bucket;
	size_t n, room;
	int column[SERIES]; /* of each series */
};

/* "lo hi ALL LL LH HH LL+HH": sums of two cells are no class of values. */
static int
read_head(struct vs_lines *l, struct table *t, struct histogram *h)
{
	char *line, *word;
	size_t len;
	int code = vs_lines_next(l, &line, &len), c = 0;

	if (code < 0)
		return code;
	h->n_series = 0;
	for (; code && (word = vs_lines_word(&line, &len)) != NULL; c++) {
		static const char *const first[] = { "lo", "hi", "ALL" };

		if (c < 3 && strcmp(word, first[c]))
			break;
		if (c < 2 || strchr(word, '+') || h->n_series == SERIES)
			continue;
		t->column[h->n_series] = c;
		snprintf(h->name[h->n_series++], sizeof(h->name[0]), "%.7s",
			word);
	}
	return h->n_series
		? 0
		: vs_fail(VS_EINPUT,
			  "%s: is neither a result nor a table of "
			  "vsim-run --metric-histogram, which begins "
			  "with lo, hi and ALL",
			  vs_lines_name(l));
}

static int
read_bucket(struct vs_lines *l, char *line, const struct table *t, int n_series,
	struct bucket *b)
{
	double value[64];
	size_t len;
	char *word;
	int n = 0;

	while (n < 64 && (word = vs_lines_word(&line, &len)) != NULL)
		if (!vs_num_real(word, &value[n++]))
			return vs_lines_fail(l, "%s is no number", word);
	for (int c = 0; c < n_series; c++) {
		if (t->column[c] >= n)
			return vs_lines_fail(l, "has %d columns", n);
		b->count[c] = value[t->column[c]];
		if (b->count[c] < 0)
			return vs_lines_fail(l, "a count is negative");
	}
	b->lo = value[0];
	b->hi = value[1];
	return b->lo < b->hi ? 0 : vs_lines_fail(l, "lo is not less than hi");
}

static int
read_table(struct vs_lines *l, struct table *t, struct histogram *h)
{
	char *line;
	size_t len;
	int code = read_head(l, t, h), more = 1;

	while (!code && (more = vs_lines_next_full(l, &line, &len)) > 0) {
		struct bucket *b;

		if (t->n == ROWS)
			return vs_lines_fail(l, "more than %u rows", ROWS);
		code = vs_mem_grow(&t->bucket, &t->room, t->n + 1, sizeof(*b),
			"rows of the table");
		if (code)
			break;
		b = &t->bucket[t->n];
		code = read_bucket(l, line, t, h->n_series, b);
		if (code || !b->count[0])
			continue;
		/* the middle stands for the values of a bucket */
		widen(h, (b->lo + b->hi) / 2);
		h->n += b->count[0];
		h->bucket = fmax(h->bucket, round(1e9 * (b->hi - b->lo)) / 1e9);
		t->n++;
	}
	return code ? code : more < 0 ? more : 0;
}

static int
histogram_path(const struct vs_plot *p, struct vs_svg *s)
{
	struct histogram h = { 0 };
	struct vs_lines *l = NULL;
	struct table t = { 0 };
	int code = vs_lines_open(&l, p->path);

	if (!code)
		code = read_table(l, &t, &h);
	if (!code)
		code = make_bars(&h);
	for (size_t k = 0; k < t.n && !code; k++)
		for (int c = 0; c < h.n_series; c++)
			add(&h, c, (t.bucket[k].lo + t.bucket[k].hi) / 2,
				t.bucket[k].count[c]);
	if (!code)
		draw(p, &h, s, "value", "value");
	vs_lines_close(l);
	free(t.bucket);
	free(h.count);
	return code;
}

const struct vs_plot_kind vs_plot_histogram = {
	.name = "histogram",
	.help = "of the values of records, or of a table that vsim-run "
		"counted",
	.result = histogram_result,
	.path = histogram_path,
	.of = "a table",
};
