/* SPDX-License-Identifier: BSD-3-Clause */
/* Axes of a diagram, linear or logarithmic, with ticks at round numbers. */
#include <math.h>
#include <stdio.h>

#include "formats/svg/axis.h"

double
vs_axis_round(double x)
{
	double power = pow(10, floor(log10(x)));

	/* a quotient may exceed 1, 2 or 5 by its rounding */
	x /= power * (1 + 1e-9);
	return power * (x <= 1 ? 1 : x <= 2 ? 2 : x <= 5 ? 5 : 10);
}

void
vs_axis_linear(struct vs_axis *a, double lo, double hi, int n, bool whole)
{
	if (!isfinite(lo) || !isfinite(hi)) {
		lo = 0;
		hi = 1;
	}
	/* so narrow that ticks would have more digits than are shown */
	if (!(hi - lo > 1e-6 * (fabs(lo) + fabs(hi)))) {
		double more = lo ? fabs(lo) / 20 : 0.5;

		lo -= more;
		hi += more;
	}
	a->log = false;
	a->step = vs_axis_round((hi - lo) / n);
	a->lo = lo;
	a->hi = hi;
	if (whole) {
		a->lo = floor(lo / a->step + 1e-9) * a->step;
		a->hi = ceil(hi / a->step - 1e-9) * a->step;
	}
}

void
vs_axis_counts(struct vs_axis *a, double most, bool log)
{
	double decades = ceil(log10(fmax(most, 10)) - 1e-9);

	a->log = log;
	a->lo = log ? 0.7 : 0;
	a->step = !log         ? fmax(vs_axis_round(fmax(most, 1) / 6), 1)
		: decades > 10 ? 1000
			       : 10;
	a->hi = log ? pow(10, decades)
		    : ceil(fmax(most, 1) / a->step - 1e-9) * a->step;
}

double
vs_axis_at(const struct vs_axis *a, double value)
{
	double share;

	if (a->log)
		share = log(fmax(value, a->lo) / a->lo) / log(a->hi / a->lo);
	else
		share = (value - a->lo) / (a->hi - a->lo);
	return a->from + fmin(fmax(share, 0), 1) * (a->to - a->from);
}

void
vs_axis_label(const struct vs_axis *a, double value, char text[VS_AXIS_ROOM])
{
	static const char unit[] = "\0kMGTPE";
	double top = a->log ? value : fmax(fabs(a->lo), fabs(a->hi));
	double step = a->log ? value : a->step, least = a->log ? 1e3 : 1e4;
	int k = 0, digits;

	/* one unit for all ticks of a linear axis */
	for (; k < 6 && top >= least; k++) {
		top /= 1000;
		value /= 1000;
		step /= 1000;
		least = 1000;
	}
	if (fabs(value) < step / 1e6) {
		snprintf(text, VS_AXIS_ROOM, "0");
		return;
	}
	digits = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
	if (fabs(value) >= 1e9 || digits > 9)
		snprintf(text, VS_AXIS_ROOM, "%.3g", value);
	else
		snprintf(text, VS_AXIS_ROOM, "%.*f%.1s", digits, value,
			unit + k);
}

double
vs_axis_first(const struct vs_axis *a)
{
	return a->log ? 1 : ceil(a->lo / a->step - 1e-9) * a->step;
}

double
vs_axis_next(const struct vs_axis *a, double tick)
{
	/* by number, so that errors do not add up */
	return a->log ? tick * a->step : (round(tick / a->step) + 1) * a->step;
}

static double
last(const struct vs_axis *a)
{
	return a->log ? a->hi * 1.001 : a->hi + a->step * 1e-6;
}

void
vs_axis_draw_x(const struct vs_axis *a, struct vs_svg *s, double y,
	const char *name)
{
	char text[VS_AXIS_ROOM];

	vs_svg_group(s, "class=\"x-axis\"");
	vs_svg_line(s, a->from, y, a->to, y, VS_SVG_THIN);
	for (double t = vs_axis_first(a); t <= last(a);
		t = vs_axis_next(a, t)) {
		double x = vs_axis_at(a, t);

		vs_axis_label(a, t, text);
		vs_svg_line(s, x, y, x, y + 5, VS_SVG_THIN);
		vs_svg_words(s, x, y + 18, VS_SVG_MIDDLE, "%s", text);
	}
	vs_svg_words(s, (a->from + a->to) / 2, y + 38, VS_SVG_MIDDLE, "%s",
		name);
	vs_svg_group_end(s);
}

void
vs_axis_draw_y(const struct vs_axis *a, struct vs_svg *s, double x, double end,
	const char *name)
{
	char text[VS_AXIS_ROOM];

	vs_svg_group(s, "class=\"y-axis\"");
	for (double t = vs_axis_first(a); t <= last(a);
		t = vs_axis_next(a, t)) {
		double y = vs_axis_at(a, t);

		vs_axis_label(a, t, text);
		vs_svg_line(s, x, y, end, y, VS_SVG_GRID);
		vs_svg_line(s, x - 5, y, x, y, VS_SVG_THIN);
		vs_svg_words(s, x - 9, y + 4, VS_SVG_END, "%s", text);
	}
	vs_svg_line(s, x, a->from, x, a->to, VS_SVG_THIN);
	vs_svg_name(s, x - 52, (a->from + a->to) / 2, -90, VS_SVG_MIDDLE, name,
		strlen(name), 80);
	vs_svg_group_end(s);
}
