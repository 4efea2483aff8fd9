/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CSV output of RFC 4180: comma-separated columns; a field with a comma, a
 * quote or a leading or trailing space is quoted, and quotes in it are doubled;
 * unknown values are empty. Lines end in LF.
 */
#include <string.h>

#include "formats/out/column_cache.h"
#include "formats/out/writer.h"

static int
csv_begin(struct vs_writer *w)
{
	return vs_column_head(w->out, w->show, ',');
}

/* Quote a field that a program would split or strip. */
static void
csv_text(struct vs_out *o, const char *text, size_t len)
{
	if (!memchr(text, ',', len) && !memchr(text, '"', len) &&
		text[0] != ' ' && text[len - 1] != ' ') {
		vs_out_utf8(o, text, len);
		return;
	}
	vs_out_char(o, '"');
	for (size_t k = 0; k < len;) {
		if (text[k] == '"')
			vs_out_char(o, '"');
		k += vs_out_character(o, text + k, len - k);
	}
	vs_out_char(o, '"');
}

static const struct vs_column_style style = { "", "", .text = csv_text };

static void
csv_line(struct vs_writer *w, const struct vs_line *line)
{
	vs_column_cache_line(w->cache, w->out, w->show, line, ',', &style);
}

const struct vs_writer_kind vs_writer_csv = {
	.name = "csv",
	.help = "comma-separated columns, for R and spreadsheets",
	.columns = true,
	.begin = csv_begin,
	.line = csv_line,
};
