/* SPDX-License-Identifier: BSD-3-Clause */
/* TSV output; the first line names the columns. */
#include "formats/out/column_cache.h"
#include "formats/out/writer.h"

static const struct vs_column_style style = { ".", "NA", .zero_pos = true,
	.text = vs_out_put };

static int
tsv_begin(struct vs_writer *w)
{
	if (w->show->head && w->show->head_prefix)
		vs_out_text(w->out, w->show->head_prefix);
	return vs_column_head(w->out, w->show, '\t');
}

static void
tsv_line(struct vs_writer *w, const struct vs_line *line)
{
	vs_column_cache_line(w->cache, w->out, w->show, line, '\t', &style);
}

const struct vs_writer_kind vs_writer_tsv = {
	.name = "tsv",
	.help = "tab-separated columns",
	.columns = true,
	.begin = tsv_begin,
	.line = tsv_line,
};
