/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Distance matrix output in PHYLIP's relaxed square form: the number of
 * vectors, then for each one its label and its distance from each, separated by
 * blanks. The distance is 1 - value, or the value if lower ones are closer; NA
 * is unknown.
 */
#include <math.h>

#include "formats/out/pair_matrix.h"
#include "formats/out/vertex_label.h"
#include "libcore/base/fail.h"
#include "libcore/metric/metric.h"

static bool
is_distance(const struct vs_show *show)
{
	return show->strong == VS_STRONG_LOW;
}

static int
dist_begin(struct vs_writer *w)
{
	const struct vs_show *show = w->show;

	if (vs_metric_find(show->metric)->family == VS_FAMILY_TABLES)
		return vs_fail(VS_EUSAGE,
			"--to dist: %s is not a similarity of two vectors; "
			"--to "
			"matrix shows it",
			show->metric);
	if (show->absent_zero && is_distance(show))
		return vs_fail(VS_EUSAGE,
			"--absent 0: a distance of 0 would mean that the "
			"vectors are equal; use NA, or a run of all pairs");
	return vs_pair_matrix_begin(w);
}

static void
put_distance(struct vs_writer *w, double value)
{
	vs_out_char(w->out, ' ');
	if (isnan(value))
		vs_out_text(w->out, "NA");
	else
		vs_column_value(w->out, w->show,
			is_distance(w->show) ? value : 1 - value);
}

static int
dist_finish(struct vs_writer *w)
{
	const struct vs_pair_matrix *m = w->state;
	struct vs_text_pool label = { 0 };
	int code = vs_vertex_label_make(&label, w->show->sites, 1);

	if (code)
		return code;
	vs_out_int(w->out, (int64_t)m->n);
	vs_out_char(w->out, '\n');
	for (size_t i = 0; i < m->n && !vs_out_closed(w->out); i++) {
		size_t len;
		const char *text =
			vs_text_pool_get(&label, w->show->row[i], &len);

		vs_out_put(w->out, text, len);
		for (size_t j = 0; j < m->n; j++)
			if (i == j)
				vs_out_text(w->out, " 0");
			else
				put_distance(w, vs_pair_matrix_get(m, i, j));
		vs_out_char(w->out, '\n');
	}
	vs_text_pool_free(&label);
	return w->out->code;
}

const struct vs_writer_kind vs_writer_dist = {
	.name = "dist",
	.help = "distances, 1 - value, for PHYLIP and R",
	.needs = VS_NEEDS_SITES | VS_NEEDS_PAIRS | VS_NEEDS_MATRIX,
	.begin = dist_begin,
	.line = vs_pair_matrix_line,
	.finish = dist_finish,
	.end = vs_pair_matrix_end,
};
