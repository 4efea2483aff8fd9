/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of text of records: their columns, and the vectors they name. */
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/metric/metric.h"
#include "tools/shared/p_value.h"
#include "tools/shared/record_line.h"

#define COLUMNS "id1,allele1,id2,allele2,value"
#define UNLABELLED "id1,id2,value" /* for metrics without cells */
#define TRIPLES "id1,allele1,id2,allele2,id3,allele3,value"

int
vs_record_line_columns(const struct vs_run *run,
	const struct vs_writer_kind *kind, const char *words,
	const struct vs_column **column, int *n, unsigned *needs)
{
	const struct vs_metric *m = vs_metric_find(run->metric);
	int code;

	*needs = kind->needs;
	if (!kind->columns)
		return 0;
	if (!words)
		words = run->n_way == 3         ? TRIPLES
			: vs_run_has_cells(run) ? COLUMNS
						: UNLABELLED;
	code = vs_column_parse(vs_columns_record, words,
		(vs_p_value_is_of_correlation(run) ? 0 : VS_NEEDS_CORRELATION) |
			(m && m->trait ? VS_NEEDS_TABLE : VS_NEEDS_TRAIT) |
			(strcmp(run->metric, "r2") ? VS_NEEDS_R : 0),
		column, n);
	for (int c = 0; c < *n && !code; c++)
		*needs |= column[c]->needs;
	return code;
}

int
vs_record_line_check(const struct vs_run *run,
	const struct vs_writer_kind *kind, unsigned needs, const char *path)
{
	if (needs & VS_NEEDS_THIRD && run->n_way != 3)
		return vs_fail(VS_EUSAGE,
			"--columns: %s is of pairs, which have no third vector",
			path);
	if (needs & VS_NEEDS_PAIRS && run->n_way != 2)
		return vs_fail(VS_EUSAGE,
			"--to %s: %s is of triples, and this format of pairs "
			"alone; --to tsv, csv or json-lines shows them",
			kind->name, path);
	if (needs & VS_NEEDS_MATRIX && vs_run_has_cells(run))
		return vs_fail(VS_EUSAGE,
			"--to %s has one value of a pair; %s is of %s, one for "
			"each choice of alleles, which --to tsv or abc shows",
			kind->name, path, run->metric);
	if (needs & VS_NEEDS_NUM && !run->has_num)
		return vs_fail(VS_EINPUT, "%s: holds no num", path);
	return 0;
}

void
vs_record_line_show(const struct vs_run *run, struct vs_show *show)
{
	const struct vs_metric *metric = vs_metric_find(run->metric);

	show->f32 = !strcmp(run->value_type, "f32");
	show->n_field = run->n_fields;
	show->metric = run->metric;
	show->strong = vs_run_strong(run);
	show->cells = vs_run_has_cells(run);
	show->n_way = run->n_way;
	show->squared = metric && metric->squared;
}

bool
vs_record_line_has_value(const struct vs_writer *w)
{
	bool has = !w->kind->columns;

	for (int c = 0; c < w->show->n_column; c++)
		has |= vs_column_is_value(w->show->column[c]);
	return has;
}

static int
no_name(const struct vs_vector_names *names, uint64_t vector)
{
	return vs_fail(VS_EINPUT, "%s: vector %llu has no name there",
		names->from, (unsigned long long)vector);
}

static uint64_t
place_of(const struct vs_vector_names *names, bool original, int64_t row,
	uint64_t vector)
{
	return original ? (uint64_t)names->sites.source_row[row] : vector;
}

/* Both ends of a pair, without arrays: loading two numbers at once would wait
 * for the one just stored. */
static int
show_pair(const struct vs_vector_names *names, bool original,
	const struct vs_record *r, struct vs_line *line)
{
	const int64_t row_i = names->row[r->i], row_j = names->row[r->j];
	uint64_t i, j;

	if (row_i < 0 || row_j < 0)
		return no_name(names, row_i < 0 ? r->i : r->j);
	i = place_of(names, original, row_i, r->i);
	j = place_of(names, original, row_j, r->j);
	line->rec.i = (uint32_t)(i > j ? j : i);
	line->rec.j = (uint32_t)(i > j ? i : j);
	if (i > j && r->cell != VS_NO_CELL)
		line->rec.cell = vs_record_swap_cell(r->cell) & 3;
	line->row[0] = (size_t)(i > j ? row_j : row_i);
	line->row[1] = (size_t)(i > j ? row_i : row_j);
	line->vec[0] = i > j ? r->j : r->i;
	line->vec[1] = i > j ? r->i : r->j;
	return 0;
}

static int
show_triple(const struct vs_vector_names *names, bool original,
	const struct vs_record *r, struct vs_line *line)
{
	const uint64_t end[3] = { r->i, r->j, r->k };
	uint64_t shown[3], label[3];

	for (int e = 0; e < 3; e++) {
		int64_t row = names->row[end[e]];
		uint64_t place;
		int at = e;

		if (row < 0)
			return no_name(names, end[e]);
		place = place_of(names, original, row, end[e]);
		for (; at && shown[at - 1] > place; at--) {
			shown[at] = shown[at - 1];
			label[at] = label[at - 1];
			line->row[at] = line->row[at - 1];
			line->vec[at] = line->vec[at - 1];
		}
		shown[at] = place;
		label[at] = r->cell >> (2 - e) & 1;
		line->row[at] = (size_t)row;
		line->vec[at] = end[e];
	}
	if (r->cell != VS_NO_CELL)
		line->rec.cell =
			(uint32_t)(4 * label[0] + 2 * label[1] + label[2]) & 7;
	line->rec.i = (uint32_t)shown[0];
	line->rec.j = (uint32_t)shown[1];
	line->rec.k = (uint32_t)shown[2];
	return 0;
}

int
vs_record_line_make(const struct vs_vector_names *names, bool original,
	const struct vs_record *r, struct vs_line *line)
{
	line->rec = *r;
	if (names->row)
		return r->k == VS_NO_VEC
			? show_pair(names, original, r, line)
			: show_triple(names, original, r, line);
	line->vec[0] = line->row[0] = r->i;
	line->vec[1] = line->row[1] = r->j;
	line->vec[2] = line->row[2] = r->k;
	return 0;
}
