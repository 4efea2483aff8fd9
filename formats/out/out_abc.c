/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Edge list, "label label value", as mcl --abc, igraph's ncol and Cytoscape
 * read it. A vertex is an allele of a vector, "rs1:A", or, if the metric is not
 * for alleles, a vector, "rs1". Two vertices never share a label.
 */
#include <stdlib.h>

#include "formats/out/vertex_label.h"
#include "formats/out/writer.h"
#include "libcore/base/mem.h"

/* Labels of the vertices of every site: label n row + a. */
struct abc {
	struct vs_text_pool label;
	size_t n; /* of a site: its alleles, or itself */
};

static void
abc_end(struct vs_writer *w)
{
	struct abc *abc = w->state;

	if (abc)
		vs_text_pool_free(&abc->label);
	free(abc);
	w->state = NULL;
}

static int
abc_begin(struct vs_writer *w)
{
	struct abc *abc = NULL;
	int code = vs_mem_new(&abc, 1, sizeof(*abc), "labels");

	if (code)
		return code;
	abc->n = w->show->cells ? 2 : 1;
	w->state = abc;
	return vs_vertex_label_make(&abc->label, w->show->sites, abc->n);
}

static void
abc_line(struct vs_writer *w, const struct vs_line *line)
{
	const struct abc *abc = w->state;

	for (int e = 0; e < 2; e++) {
		size_t len, a = line->rec.cell >> (1 - e) & 1;
		const char *label = vs_text_pool_get(&abc->label,
			abc->n * line->row[e] + (abc->n == 2 ? a : 0), &len);

		vs_out_put(w->out, label, len);
		vs_out_char(w->out, '\t');
	}
	vs_column_value(w->out, w->show, line->rec.value);
	vs_out_char(w->out, '\n');
}

const struct vs_writer_kind vs_writer_abc = {
	.name = "abc",
	.help = "for mcl: id1:allele1 id2:allele2 value",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS,
	.begin = abc_begin,
	.line = abc_line,
	.end = abc_end,
};
