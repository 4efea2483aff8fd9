/* SPDX-License-Identifier: BSD-3-Clause */
/* Text formats behind one interface; their list is VS_WRITERS. */
#ifndef VS_FORMATS_WRITER_H
#define VS_FORMATS_WRITER_H

#include "formats/column.h"

struct vs_writer;

struct vs_writer_kind {
	const char *name; /* the word of vsim-view --to */
	bool columns;     /* shows the columns asked for; else a fixed line */
	unsigned needs;   /* of a fixed line, VS_NEEDS_... */
	int (*begin)(struct vs_writer *w); /* may be null */
	void (*line)(struct vs_writer *w, const struct vs_line *line);
	void (*end)(struct vs_writer *w); /* frees state; may be null */
};

struct vs_writer {
	const struct vs_writer_kind *kind;
	const struct vs_show *show;
	struct vs_out *out;
	void *state;
};

/* The kind of this name, or null; and all names, "tsv|abc|ld|json-lines". */
const struct vs_writer_kind *vs_writer_find(const char *name);

int vs_writer_begin(struct vs_writer *w, const struct vs_writer_kind *kind,
	const struct vs_show *show, struct vs_out *out);
void vs_writer_end(struct vs_writer *w); /* all-zero is accepted */

#define VS_WRITERS(X) X(tsv) X(abc) X(ld) X(json)

#define VS_WRITER_DECLARE(NAME) \
	extern const struct vs_writer_kind vs_writer_##NAME;
VS_WRITERS(VS_WRITER_DECLARE)

#endif
