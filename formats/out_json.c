/* SPDX-License-Identifier: BSD-3-Clause */
/* A JSON object a line; what is not known is null. */
#include "formats/writer.h"

static void
json_line(struct vs_writer *w, const struct vs_line *line)
{
	const struct vs_show *show = w->show;

	for (int c = 0; c < show->n_column; c++) {
		vs_out_text(w->out, c ? ",\"" : "{\"");
		vs_out_text(w->out, show->column[c]->name);
		vs_out_text(w->out, "\":");
		vs_column_json(w->out, show, show->column[c], line);
	}
	vs_out_text(w->out, "}\n");
}

const struct vs_writer_kind vs_writer_json = {
	.name = "json-lines",
	.columns = true,
	.line = json_line,
};
