/* SPDX-License-Identifier: BSD-3-Clause */
/* SVG 1.1 writer: shapes, paths and text of a picture. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "formats/out/xml.h"
#include "formats/svg/svg.h"
#include "libcore/base/utf8.h"

/* Hundredths, without zeros behind; what is no number is 0. */
static void
put_number(struct vs_out *o, double x)
{
	long long n = isfinite(x) && fabs(x) < 1e12 ? llround(x * 100) : 0;

	if (n < 0) {
		vs_out_char(o, '-');
		n = -n;
	}
	if (n >= 100 || n == 0)
		vs_out_int(o, n / 100);
	n %= 100;
	if (!n)
		return;
	vs_out_char(o, '.');
	vs_out_char(o, (char)('0' + n / 10));
	if (n % 10)
		vs_out_char(o, (char)('0' + n % 10));
}

static void
put_length(struct vs_out *o, const char *name, double x)
{
	vs_out_char(o, ' ');
	vs_out_text(o, name);
	vs_out_text(o, "=\"");
	put_number(o, x);
	vs_out_char(o, '"');
}

static void
put_style(struct vs_out *o, const char *style)
{
	if (!style || !*style)
		return;
	vs_out_char(o, ' ');
	vs_out_text(o, style);
}

void
vs_svg_begin(struct vs_svg *s, const char *title)
{
	struct vs_out *o = s->out;

	vs_out_text(o, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	put_length(o, "width", s->width);
	put_length(o, "height", s->height);
	vs_out_text(o, " viewBox=\"0 0 ");
	put_number(o, s->width);
	vs_out_char(o, ' ');
	put_number(o, s->height);
	vs_out_text(o,
		"\" role=\"img\" font-family=\"Helvetica,Arial,"
		"'Liberation Sans','DejaVu Sans',sans-serif\" "
		"font-size=\"12\">\n<title>");
	vs_xml_text(o, title, strlen(title));
	vs_out_text(o, "</title>\n");
	vs_svg_rect(s, 0, 0, s->width, s->height, "fill=\"#fff\"");
}

void
vs_svg_end(struct vs_svg *s)
{
	vs_out_text(s->out, "</svg>\n");
}

void
vs_svg_group(struct vs_svg *s, const char *style)
{
	vs_out_text(s->out, "<g");
	put_style(s->out, style);
	vs_out_text(s->out, ">\n");
}

void
vs_svg_group_end(struct vs_svg *s)
{
	vs_out_text(s->out, "</g>\n");
}

void
vs_svg_line(struct vs_svg *s, double x1, double y1, double x2, double y2,
	const char *style)
{
	vs_out_text(s->out, "<line");
	put_length(s->out, "x1", x1);
	put_length(s->out, "y1", y1);
	put_length(s->out, "x2", x2);
	put_length(s->out, "y2", y2);
	put_style(s->out, style);
	vs_out_text(s->out, "/>\n");
}

void
vs_svg_rect(struct vs_svg *s, double x, double y, double w, double h,
	const char *style)
{
	vs_out_text(s->out, "<rect");
	put_length(s->out, "x", x);
	put_length(s->out, "y", y);
	put_length(s->out, "width", w);
	put_length(s->out, "height", h);
	put_style(s->out, style);
	vs_out_text(s->out, "/>\n");
}

void
vs_svg_circle(struct vs_svg *s, double x, double y, double r, const char *style)
{
	vs_out_text(s->out, "<circle");
	put_length(s->out, "cx", x);
	put_length(s->out, "cy", y);
	put_length(s->out, "r", r);
	put_style(s->out, style);
	vs_out_text(s->out, "/>\n");
}

/* ---- paths ---- */

static void
put_point(struct vs_out *o, char command, double x, double y)
{
	vs_out_char(o, command);
	put_number(o, x);
	vs_out_char(o, ' ');
	put_number(o, y);
}

void
vs_svg_path(struct vs_svg *s, const char *style)
{
	vs_out_text(s->out, "<path");
	put_style(s->out, style);
	vs_out_text(s->out, " d=\"");
}

void
vs_svg_path_move(struct vs_svg *s, double x, double y)
{
	put_point(s->out, 'M', x, y);
}

void
vs_svg_path_line(struct vs_svg *s, double x, double y)
{
	put_point(s->out, 'L', x, y);
}

void
vs_svg_path_rect(struct vs_svg *s, double x, double y, double w, double h)
{
	put_point(s->out, 'M', x, y);
	vs_out_char(s->out, 'h');
	put_number(s->out, w);
	vs_out_char(s->out, 'v');
	put_number(s->out, h);
	vs_out_char(s->out, 'h');
	put_number(s->out, -w);
	vs_out_char(s->out, 'z');
}

void
vs_svg_path_dot(struct vs_svg *s, double x, double y)
{
	put_point(s->out, 'M', x, y);
	vs_out_text(s->out, "h0");
}

void
vs_svg_path_end(struct vs_svg *s)
{
	vs_out_text(s->out, "\"/>\n");
}

/* ---- text ---- */

static void
begin_text(struct vs_svg *s, double x, double y, double turn, const char *style)
{
	struct vs_out *o = s->out;

	vs_out_text(o, "<text");
	put_length(o, "x", x);
	put_length(o, "y", y);
	if (turn) {
		vs_out_text(o, " transform=\"rotate(");
		put_number(o, turn);
		vs_out_char(o, ' ');
		put_number(o, x);
		vs_out_char(o, ' ');
		put_number(o, y);
		vs_out_text(o, ")\"");
	}
	put_style(o, style);
	vs_out_char(o, '>');
}

void
vs_svg_words(struct vs_svg *s, double x, double y, const char *style,
	const char *fmt, ...)
{
	char words[512];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	if (n < 0)
		n = 0;
	if ((size_t)n >= sizeof(words))
		n = (int)sizeof(words) - 1;
	begin_text(s, x, y, 0, style);
	vs_xml_text(s->out, words, (size_t)n);
	vs_out_text(s->out, "</text>\n");
}

/* Bytes of the first `most` characters. */
static size_t
first_bytes(const char *name, size_t len, size_t most)
{
	size_t at = 0, n;
	uint32_t c;

	while (at < len && most--) {
		n = vs_utf8_decode(name + at, len - at, &c);
		at += n ? n : 1;
	}
	return at;
}

void
vs_svg_name(struct vs_svg *s, double x, double y, double turn,
	const char *style, const char *name, size_t len, size_t most)
{
	size_t fits = first_bytes(name, len, most);

	begin_text(s, x, y, turn, style);
	if (fits < len) {
		vs_out_text(s->out, "<title>");
		vs_xml_text(s->out, name, len);
		vs_out_text(s->out, "</title>");
		vs_xml_text(s->out, name, first_bytes(name, len, most - 1));
		vs_out_text(s->out, "\xe2\x80\xa6"); /* an ellipsis */
	} else {
		vs_xml_text(s->out, name, len);
	}
	vs_out_text(s->out, "</text>\n");
}
