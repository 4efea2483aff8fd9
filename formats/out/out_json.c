/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON lines output: one object a line; unknown values are null. */
#include "formats/out/writer.h"

static const struct vs_column_style style = { "null", "null", .empty = true,
	.text = vs_out_json };

static void
json_line(struct vs_writer *w, const struct vs_line *line)
{
	const struct vs_show *show = w->show;

	for (int c = 0; c < show->n_column; c++) {
		vs_out_text(w->out, c ? ",\"" : "{\"");
		vs_out_text(w->out, show->column[c]->name);
		vs_out_text(w->out, "\":");
		vs_column_put(w->out, show, show->column[c], line, &style);
	}
	vs_out_text(w->out, "}\n");
}

const struct vs_writer_kind vs_writer_json = {
	.name = "json-lines",
	.help = "one JSON object per line",
	.columns = true,
	.line = json_line,
};
