/* SPDX-License-Identifier: BSD-3-Clause */
/* Text formats behind one interface; their list is formats/out/rows.h. */
#ifndef VS_FORMATS_OUT_WRITER_H
#define VS_FORMATS_OUT_WRITER_H

#include "formats/out/column.h"

struct vs_column_cache;
struct vs_writer;

struct vs_writer_kind {
	const char *name; /* name for vsim-view --to */
	const char *help;
	bool columns;   /* shows the columns requested; else a fixed line */
	unsigned needs; /* what a fixed line needs, VS_NEEDS_... */
	int (*begin)(struct vs_writer *w); /* may be null */
	/*
	 * called for each line before the first one is written, by several
	 * threads at once, and once after all; both null if no lines are needed
	 * in advance
	 */
	void (*mark)(struct vs_writer *w, const struct vs_line *line);
	int (*marked)(struct vs_writer *w);
	void (*line)(struct vs_writer *w, const struct vs_line *line);
	int (*finish)(struct vs_writer *w); /* after all lines; may be null */
	void (*end)(struct vs_writer *w);   /* frees state; may be null */
};

struct vs_writer {
	const struct vs_writer_kind *kind;
	const struct vs_show *show;
	struct vs_out *out;
	void *state;
	struct vs_column_cache *cache; /* of the caller, or null */
};

/* The format of this name, or null. */
const struct vs_writer_kind *vs_writer_find(const char *name);

/* For an option: "tsv|csv|...", and help on each, with room for all.
 * lines  only kinds that write one line per record, in one pass */
#define VS_WRITER_WORDS 1024
void vs_writer_words(char names[VS_WRITER_WORDS], char detail[VS_WRITER_WORDS],
	bool lines);

int vs_writer_begin(struct vs_writer *w, const struct vs_writer_kind *kind,
	const struct vs_show *show, struct vs_out *out);
void vs_writer_end(struct vs_writer *w); /* all-zero is accepted */

#define WRITER(name) extern const struct vs_writer_kind vs_writer_##name;
#include "formats/out/rows.h"
#undef WRITER

#endif
