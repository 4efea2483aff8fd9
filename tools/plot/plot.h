/* SPDX-License-Identifier: BSD-3-Clause */
/* Plots of results behind one interface; their list is tools/plot/rows.h. */
#ifndef VS_TOOLS_PLOT_PLOT_H
#define VS_TOOLS_PLOT_PLOT_H

#include "formats/svg/svg.h"
#include "tools/view/result_lines.h"

/* Input of a plot: a result, or else another input by its path. */
struct vs_plot {
	const char *path;
	struct vs_result *result;
	const struct vs_vector_names *names;
	/* records that are wanted; its names, and the index of each vector,
	 * are those above */
	struct vs_result_lines *lines;
	const char *region; /* as asked for, or null */
};

struct vs_plot_kind {
	const char *name, *help; /* the word of vsim-view --plot */
	bool places; /* of a result: needs the names of the vectors */
	bool pairs;  /* of a result: shows those of pairs alone */
	bool both;   /* both ends of a record must be picked */
	/* of a result, and of another input; null: of none */
	int (*result)(const struct vs_plot *p, struct vs_svg *s);
	int (*path)(const struct vs_plot *p, struct vs_svg *s);
	const char *of; /* that other input, for messages */
};

/* The kind of this name, or null. */
const struct vs_plot_kind *vs_plot_find(const char *name);

/* For an option: "histogram|...", and what each is; with room for all of it. */
#define VS_PLOT_WORDS 1024
void vs_plot_words(char names[VS_PLOT_WORDS], char help[VS_PLOT_WORDS]);

/* Whether the input of a plot is a result; else it is one of kind->path. */
bool vs_plot_is_result(const struct vs_plot_kind *kind, const char *path);

/*
 * Draw into s->out; s->width and s->height are set.
 * returns  0; VS_EUSAGE: not of this input; VS_EINPUT; VS_EMACHINE
 */
int vs_plot_draw(const struct vs_plot_kind *kind, const struct vs_plot *p,
	struct vs_svg *s);

/* Begin a picture by its title, and a line below it that names the question of
 * the result, where there is one, and then `about`, which may be empty. */
void vs_plot_begin(const struct vs_plot *p, struct vs_svg *s, const char *title,
	const char *about);

/* "12,345" */
#define VS_PLOT_COUNT 64
const char *vs_plot_count(char text[VS_PLOT_COUNT], uint64_t n);

/* "r2 > 0.2" */
#define VS_PLOT_QUERY 256
const char *vs_plot_query(char text[VS_PLOT_QUERY], const struct vs_run *run);

#define PLOT(name) extern const struct vs_plot_kind vs_plot_##name;
#include "tools/plot/rows.h"
#undef PLOT

#endif
