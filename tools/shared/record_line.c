/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of text of records: their columns, and the vectors they name. */
#include <string.h>

#include "libcore/base/fail.h"
#include "tools/shared/record_line.h"

#define COLUMNS "id1,allele1,id2,allele2,value"
#define UNLABELLED "id1,id2,value" /* of metrics without cells */
#define TRIPLES "id1,allele1,id2,allele2,id3,allele3,value"

int
vs_record_line_columns(const struct vs_run *run,
	const struct vs_writer_kind *kind, const char *words,
	const struct vs_column **column, int *n, unsigned *needs)
{
	int code;

	*needs = kind->needs;
	if (!kind->columns)
		return 0;
	if (!words)
		words = run->n_way == 3         ? TRIPLES
			: vs_run_has_cells(run) ? COLUMNS
						: UNLABELLED;
	code = vs_column_parse(vs_columns_record, words, column, n);
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
	show->f32 = !strcmp(run->value_type, "f32");
	show->n_field = run->n_fields;
	show->metric = run->metric;
	show->cells = vs_run_has_cells(run);
}

int
vs_record_line_make(const struct vs_vector_names *names, bool original,
	const struct vs_record *r, struct vs_line *line)
{
	const int n = r->k == VS_NO_VEC ? 2 : 3;
	const uint64_t end[3] = { r->i, r->j, r->k };
	uint64_t shown[3], label[3];

	line->rec = *r;
	memcpy(line->vec, end, sizeof(end));
	if (!names->row)
		return 0;
	line->rec.cell = 0;
	for (int e = 0; e < n; e++) {
		int64_t row = names->row[end[e]];
		uint64_t place, bit = r->cell >> (n - 1 - e) & 1;
		int at = e;

		if (row < 0)
			return vs_fail(VS_EINPUT,
				"%s: vector %llu has no name there",
				names->from, (unsigned long long)end[e]);
		place = original ? (uint64_t)names->sites.source_row[row]
				 : end[e];
		for (; at && shown[at - 1] > place; at--) {
			shown[at] = shown[at - 1];
			label[at] = label[at - 1];
			line->row[at] = line->row[at - 1];
			line->vec[at] = line->vec[at - 1];
		}
		shown[at] = place;
		label[at] = bit;
		line->row[at] = (size_t)row;
		line->vec[at] = end[e];
	}
	for (int e = 0; e < n; e++)
		line->rec.cell = 2 * line->rec.cell + (uint32_t)label[e];
	line->rec.i = shown[0];
	line->rec.j = shown[1];
	if (n == 3)
		line->rec.k = shown[2];
	return 0;
}
