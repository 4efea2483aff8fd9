/* SPDX-License-Identifier: BSD-3-Clause */
/* Axes of a diagram, linear or logarithmic, with ticks at round numbers. */
#ifndef VS_FORMATS_SVG_AXIS_H
#define VS_FORMATS_SVG_AXIS_H

#include <stdbool.h>

#include "formats/svg/svg.h"

struct vs_axis {
	double lo, hi;   /* values at its ends, lo < hi; of log, lo > 0 */
	double from, to; /* pixels there */
	double step;     /* between ticks: 1, 2 or 5 times a power of 10; of
			  * log a factor */
	bool log;
};

/* The least round number, 1, 2 or 5 times a power of 10, that is not less than
 * x > 0. */
double vs_axis_round(double x);

/*
 * Linear axis of the values lo to hi, some n ticks. Where both are equal, or no
 * numbers, it is made wider.
 * whole  ends are moved to the ticks next to them
 */
void vs_axis_linear(struct vs_axis *a, double lo, double hi, int n, bool whole);

/*
 * Axis of counts up to most: from 0 on with ticks at whole numbers, or
 * logarithmic from below 1 to a power of 10.
 */
void vs_axis_counts(struct vs_axis *a, double most, bool log);

/* Pixel of a value; one outside is at the end. */
double vs_axis_at(const struct vs_axis *a, double value);

/* Text of a value at a tick: 0.05, 20, 5k, 2M. */
#define VS_AXIS_ROOM 32
void vs_axis_label(const struct vs_axis *a, double value,
	char text[VS_AXIS_ROOM]);

/* The first tick and the next one; past hi there are no more. */
double vs_axis_first(const struct vs_axis *a);
double vs_axis_next(const struct vs_axis *a, double tick);

/* Draw it with ticks, numbers and name; along y also lines of a grid, up to
 * the pixel `end`. */
void vs_axis_draw_x(const struct vs_axis *a, struct vs_svg *s, double y,
	const char *name);
void vs_axis_draw_y(const struct vs_axis *a, struct vs_svg *s, double x,
	double end, const char *name);

#endif
