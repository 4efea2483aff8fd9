/* SPDX-License-Identifier: BSD-3-Clause */
/* Text formats behind one interface; their list is formats/out/rows.h. */
#ifndef VS_FORMATS_OUT_WRITER_H
#define VS_FORMATS_OUT_WRITER_H

#include "formats/out/column.h"

struct vs_column_cache;
struct vs_writer;

struct vs_writer_kind {
	const char *name; /* the word of vsim-view --to */
	const char *help;
	bool columns;   /* shows the columns asked for; else a fixed line */
	unsigned needs; /* of a fixed line, VS_NEEDS_... */
	int (*begin)(struct vs_writer *w); /* may be null */
	/*
	 * of each line before the first one is written, by several threads at
	 * once, and once when all are; both null where none is looked at first
	 */
	void (*mark)(struct vs_writer *w, const struct vs_line *line);
	int (*marked)(struct vs_writer *w);
	void (*line)(struct vs_writer *w, const struct vs_line *line);
	int (*finish)(struct vs_writer *w); /* behind all; may be null */
	void (*end)(struct vs_writer *w);   /* frees state; may be null */
};

struct vs_writer {
	const struct vs_writer_kind *kind;
	const struct vs_show *show;
	struct vs_out *out;
	void *state;
	struct vs_column_cache *cache; /* of the caller, or null */
};

/* The kind of this name, or null. */
const struct vs_writer_kind *vs_writer_find(const char *name);

/* For an option: "tsv|csv|...", and what each is; with room for all of it.
 * lines: those alone that write a line a record, in one pass. */
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
