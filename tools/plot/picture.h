/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture files: a plot as SVG, as HTML, or as PNG by rsvg-convert. */
#ifndef VS_TOOLS_PLOT_PICTURE_H
#define VS_TOOLS_PLOT_PICTURE_H

#include "tools/plot/plot.h"

enum vs_picture_form { VS_PICTURE_SVG, VS_PICTURE_HTML, VS_PICTURE_PNG };

#define VS_PICTURE_FORMS "svg|html|png"

/*
 * The form of an output, by the word of an option or else the end of its name.
 * word     one of VS_PICTURE_FORMS, or null: by output; SVG of "-" and null
 * returns  0; VS_EUSAGE
 */
int vs_picture_form(const char *word, const char *output,
	enum vs_picture_form *form);

/* Whether what a form takes is here: 0; VS_EMACHINE: no rsvg-convert */
int vs_picture_can(enum vs_picture_form form);

/* Draw into an output in this form. 0; what vs_plot_draw() returns */
int vs_picture_write(enum vs_picture_form form, const struct vs_plot_kind *kind,
	const struct vs_plot *p, struct vs_out *out);

/* A page of HTML that needs no other file. */
void vs_picture_page(struct vs_out *o, const char *title);
void vs_picture_page_end(struct vs_out *o);

#endif
