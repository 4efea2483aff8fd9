/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dense symmetric matrix output: a first line of labels, then for each vector
 * its label and its value with each, tab-separated; NA is unknown.
 */
#include <math.h>

#include "formats/out/pair_matrix.h"
#include "formats/out/vertex_label.h"

static void
put_value(struct vs_writer *w, double value)
{
	vs_out_char(w->out, '\t');
	if (isnan(value))
		vs_out_text(w->out, "NA");
	else
		vs_column_value(w->out, w->show, value);
}

static void
put_label(struct vs_writer *w, const struct vs_text_pool *label, size_t k)
{
	size_t len;
	const char *text = vs_text_pool_get(label, w->show->row[k], &len);

	vs_out_put(w->out, text, len);
}

static int
matrix_finish(struct vs_writer *w)
{
	const struct vs_pair_matrix *m = w->state;
	struct vs_text_pool label = { 0 };
	int code = vs_vertex_label_make(&label, w->show->sites, 1);

	if (code)
		return code;
	if (w->show->head) {
		vs_out_text(w->out, "id");
		for (size_t k = 0; k < m->n; k++) {
			vs_out_char(w->out, '\t');
			put_label(w, &label, k);
		}
		vs_out_char(w->out, '\n');
	}
	for (size_t i = 0; i < m->n && !vs_out_closed(w->out); i++) {
		put_label(w, &label, i);
		for (size_t j = 0; j < m->n; j++)
			put_value(w, vs_pair_matrix_get(m, i, j));
		vs_out_char(w->out, '\n');
	}
	vs_text_pool_free(&label);
	return w->out->code;
}

const struct vs_writer_kind vs_writer_matrix = {
	.name = "matrix",
	.help = "dense and symmetric, with names, of at most 20,000 rows",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS | VS_NEEDS_MATRIX,
	.begin = vs_pair_matrix_begin,
	.line = vs_pair_matrix_line,
	.finish = matrix_finish,
	.end = vs_pair_matrix_end,
};
