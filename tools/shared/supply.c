/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/asked.h"
#include "formats/h5.h"
#include "libcore/base/err.h"
#include "libcore/base/mem.h"
#include "libcore/engine/survey.h"
#include "tools/shared/supply.h"

int
vs_supply_check(const struct vs_packed *f, const char *path, const char *metric)
{
	const struct vs_asked *asked = vs_asked_find(metric);
	int code;

	if (asked->numbers)
		return vs_element_is_number(f->element)
			? 0
			: vs_fail(VS_EINPUT,
				  "%s: holds genotypes, and --metric %s "
				  "compares numbers: vsim-pack --matrix makes "
				  "vectors of them",
				  path, metric);
	code = vs_packed_want_genotypes(f);
	if (!code && asked->ploidy && f->ploidy != asked->ploidy)
		code = vs_fail(VS_EINPUT,
			"%s: its vectors are of ploidy %d, --metric %s wants "
			"%d: vsim-pack --ploidy %d makes them so",
			path, f->ploidy, metric, asked->ploidy, asked->ploidy);
	return code;
}

int
vs_supply_look(struct vs_packed *f, struct vs_question *q)
{
	uint64_t dim[2] = { f->n_vec, 4 };
	struct vs_h5r_data *d = NULL;
	struct vs_survey survey;
	int64_t(*count)[4] = NULL;
	const uint64_t slice = f->n_vec < 65536 ? f->n_vec : 65536;
	int code;

	if (vs_element_is_number(f->element))
		return 0;
	code = vs_h5r_data(f->file, "/vectors/genotype_count", VS_I64, 2, dim,
		NULL, &d);
	vs_survey_begin(&survey, q, f->n_vec);
	if (!code)
		code = vs_room(&count, slice, sizeof(*count), "counts");
	for (uint64_t lo = 0; lo < f->n_vec && !code; lo += slice) {
		uint64_t hi = f->n_vec - lo < slice ? f->n_vec : lo + slice;

		code = vs_h5r_rows(d, lo, hi, count);
		for (uint64_t v = 0; v < hi - lo && f->ploidy == 1 && !code;
			v++) {
			/* one allele stands for two alike, as load() has it */
			count[v][2] = count[v][1];
			count[v][1] = 0;
		}
		if (!code)
			vs_survey_take(&survey, count, hi - lo);
	}
	vs_survey_end(&survey);
	free(count);
	vs_h5r_data_close(d);
	return code;
}

int
vs_supply_describe(const struct vs_packed *f, const char *path,
	const struct vs_question *q, struct vs_run *run)
{
	char whole[PATH_MAX];

	snprintf(run->vectors_uuid, sizeof(run->vectors_uuid), "%s", f->uuid);
	snprintf(run->vectors_content, sizeof(run->vectors_content), "%s",
		f->content);
	snprintf(run->missing, sizeof(run->missing), "%s",
		q->has_missing ? "skip" : "none");
	run->n_vectors = (int64_t)f->n_vec;
	run->n_fields = (int64_t)f->n_field;
	/* a moment is made of several */
	run->has_num = vs_element_is_number(f->element)
		? vs_element_is_integer(f->element)
		: !q->moment;
	run->has_nvalid = q->has_missing;
	if (!realpath(path, whole))
		return vs_fail_errno(VS_EINPUT, "%s: cannot find", path);
	return vs_copy_text(&run->vectors_path, whole);
}

static int
load_numbers(struct vs_packed *f, uint64_t lo, uint64_t hi, int n_thread,
	struct vs_panel *p)
{
	const struct vs_numbers *b = &p->number;
	int code =
		vs_packed_rows(f, lo, hi, (char *)b->at + p->n_vec * b->stride);

	if (code)
		return code;
	code = vs_panel_total(p, lo, (size_t)(hi - lo), n_thread);
	return code ? vs_fail_at(code, "%s", vs_h5r_path(f->file)) : 0;
}

static int
load_genotypes(struct vs_packed *f, uint64_t lo, uint64_t hi, int n_thread,
	struct vs_panel *p)
{
	size_t at = p->n_vec;
	int code = vs_packed_read(f, lo, hi, &p->vec, at);

	if (code)
		return code;
	for (uint64_t v = 0; v < hi - lo && f->ploidy == 1; v++)
		vs_vec_double(&p->vec, at + v);
	vs_panel_make(p, lo, (size_t)(hi - lo), n_thread);
	return 0;
}

int
vs_supply_vectors(struct vs_packed *f, uint64_t lo, uint64_t hi, int n_thread,
	struct vs_panel *p)
{
	return vs_element_is_number(f->element)
		? load_numbers(f, lo, hi, n_thread, p)
		: load_genotypes(f, lo, hi, n_thread, p);
}

/* Which labels are turned; those of numbers are not. */
static int
load_flips(struct vs_packed *f, uint64_t lo, uint64_t hi, uint8_t *flip)
{
	struct vs_h5r_data *label = NULL;
	uint64_t dim = f->n_vec;
	int code;

	if (vs_element_is_number(f->element))
		return 0;
	code = vs_h5r_data(f->file, "/vectors/allele1_source", VS_U8, 1, &dim,
		NULL, &label);
	if (!code)
		code = vs_h5r_rows(label, lo, hi, flip);
	for (size_t v = 0; v < hi - lo && !code; v++)
		flip[v] = flip[v] == VS_ALLELE_FIRST;
	vs_h5r_data_close(label);
	return code;
}

int
vs_supply_load(struct vs_packed *f, uint64_t lo, uint64_t hi, int n_thread,
	struct vs_panel *p)
{
	struct vs_h5r_data *row = NULL;
	uint64_t dim = f->n_vec;
	size_t at = p->n_vec;
	int code = vs_supply_vectors(f, lo, hi, n_thread, p);

	if (!code)
		code = load_flips(f, lo, hi, p->flip + at);
	if (!code)
		code = vs_h5r_data(f->file, "/vectors/source_row", VS_I64, 1,
			&dim, NULL, &row);
	if (!code)
		code = vs_h5r_rows(row, lo, hi, p->source + at);
	vs_h5r_data_close(row);
	return code;
}
