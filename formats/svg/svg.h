/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SVG 1.1 writer: shapes, paths and text of a picture. Lengths are pixels from
 * the top left corner, written to a hundredth. A style is a text of attributes,
 * "fill=\"none\"", which is not escaped. Failures are those of the output.
 */
#ifndef VS_FORMATS_SVG_SVG_H
#define VS_FORMATS_SVG_SVG_H

#include "formats/out/out.h"

struct vs_svg {
	struct vs_out *out;
	double width, height;
};

#define VS_SVG_THIN "stroke=\"#000\" stroke-width=\"1\" fill=\"none\""
#define VS_SVG_GRID "stroke=\"#d4d4d4\" stroke-width=\"1\" fill=\"none\""
#define VS_SVG_GREY "fill=\"#555\""
#define VS_SVG_MIDDLE "text-anchor=\"middle\""
#define VS_SVG_END "text-anchor=\"end\""

/*
 * Begin a white picture of s->width x s->height in s->out.
 * title  what screen readers say and browsers show
 */
void vs_svg_begin(struct vs_svg *s, const char *title);
void vs_svg_end(struct vs_svg *s);

/* Shapes and text between have this style, or transform; groups nest. */
void vs_svg_group(struct vs_svg *s, const char *style);
void vs_svg_group_end(struct vs_svg *s);

void vs_svg_line(struct vs_svg *s, double x1, double y1, double x2, double y2,
	const char *style);
void vs_svg_rect(struct vs_svg *s, double x, double y, double w, double h,
	const char *style);
void vs_svg_circle(struct vs_svg *s, double x, double y, double r,
	const char *style);

/* A path, of as many parts as are put before its end. */
void vs_svg_path(struct vs_svg *s, const char *style);
void vs_svg_path_move(struct vs_svg *s, double x, double y);
void vs_svg_path_line(struct vs_svg *s, double x, double y);
void vs_svg_path_rect(struct vs_svg *s, double x, double y, double w, double h);
void vs_svg_path_dot(struct vs_svg *s, double x, double y); /* round caps */
void vs_svg_path_end(struct vs_svg *s);

/* Words with their base line at y; at most 512 bytes. */
void vs_svg_words(struct vs_svg *s, double x, double y, const char *style,
	const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * A name, of any bytes, of which at most `most` characters are shown, and the
 * whole where a browser points at it. turn: degrees, clockwise, about (x, y)
 */
void vs_svg_name(struct vs_svg *s, double x, double y, double turn,
	const char *style, const char *name, size_t len, size_t most);

#endif
