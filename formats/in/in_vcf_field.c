/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of VCF and BCF: a field of FORMAT, one value of each sample. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/in_vcf.h"
#include "formats/in/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* Floats that BCF has for no value, and to fill up a short list. */
#define FLOAT_MISSING 0x7F800001u
#define FLOAT_END 0x7F800002u

struct field {
	struct vs_reader reader; /* samples, and counts of sites */
	struct vs_vcf vcf;
	struct vs_site site;
};

static bool
never(const char *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return false;
}

/* The key of a FORMAT field that the header declares, of one number. */
static int
check_field(const struct vs_matrix *m, const bcf_hdr_t *h)
{
	const char *name = m->how.field, *file = vs_lines_name(m->lines);
	int key = bcf_hdr_id2int(h, BCF_DT_ID, name), type;

	if (!strcmp(name, "GT"))
		return vs_fail(VS_EINPUT,
			"%s: GT is calls: without --format-field they are read",
			file);
	if (!bcf_hdr_idinfo_exists(h, BCF_HL_FMT, key))
		return vs_fail(VS_EINPUT,
			"%s: its header has no FORMAT field called %s", file,
			name);
	type = (int)bcf_hdr_id2type(h, BCF_HL_FMT, key);
	if (type != BCF_HT_INT && type != BCF_HT_REAL)
		return vs_fail(VS_EINPUT, "%s: FORMAT field %s is no number",
			file, name);
	return 0;
}

static int
field_open(struct vs_matrix *m)
{
	struct field *f = NULL;
	int code = vs_mem_new(&f, 1, sizeof(*f), "VCF reader");

	if (code)
		return code;
	m->state = f;
	f->vcf.lines = m->lines;
	f->vcf.field = m->how.field;
	code = vs_in_vcf_begin(&f->vcf, &f->reader);
	if (!code)
		code = check_field(m, f->vcf.header);
	if (code)
		return code;
	m->n_cell = f->reader.samples.n;
	m->cell_id = f->reader.samples.id;
	memset(&f->reader.samples.id, 0, sizeof(f->reader.samples.id));
	return vs_text_add(&m->note, "%s of %llu samples", m->how.field,
		(unsigned long long)m->n_cell);
}

/* Value k of a sample; *end: it stands for none, behind the last. */
static double
value_at(const struct vs_bcf_calls *x, size_t k, bool *end)
{
	const uint8_t *at = x->at + k * x->size;
	uint32_t bits = 0;
	int32_t wide, least;
	float real;

	memcpy(&bits, at, x->size);
	if (x->real) {
		memcpy(&real, &bits, sizeof(real));
		*end = bits == FLOAT_END;
		return bits == FLOAT_MISSING ? NAN : (double)real;
	}
	/* widen the sign */
	wide = (int32_t)(bits << (32 - 8 * x->size)) >> (32 - 8 * x->size);
	least = (int32_t)(UINT32_MAX << (8 * x->size - 1));
	*end = wide == least + 1;
	return wide == least ? NAN : wide;
}

static int
field_next(struct vs_matrix *m, double *cell)
{
	struct field *f = m->state;
	const struct vs_bcf_calls *x = &f->vcf.record.gt;
	int code = vs_in_vcf_next(&f->reader, &f->vcf);
	bool end;

	m->n_multiallelic = f->reader.tally.multiallelic;
	m->n_without = f->reader.tally.no_gt;
	if (code == 1)
		return vs_in_vcf_finish(&f->reader, &f->vcf);
	if (code)
		return code;
	for (uint64_t q = 0; q < m->n_cell; q++) {
		cell[q] = value_at(x, q * x->n, &end);
		if (end)
			cell[q] = NAN;
		if (x->n < 2)
			continue;
		value_at(x, q * x->n + 1, &end);
		if (!end)
			return vs_in_vcf_fail(&f->vcf, ": sample ",
				f->vcf.header->samples[q],
				": has several numbers where one is wanted");
	}
	code = vs_in_vcf_site(&f->reader, &f->vcf, &f->site);
	m->line_id = f->site.id;
	m->line_id_len = f->site.id_len;
	return code ? code : 1;
}

static void
field_place(const struct vs_matrix *m, uint64_t cell, char *text, size_t room)
{
	const struct field *f = m->state;
	const struct vs_vcf *v = &f->vcf;

	snprintf(text, room, "%s %lld (%.40s), sample %.60s",
		v->bcf ? "site" : "line",
		(long long)(v->bcf ? v->n_seen
				   : (int64_t)vs_lines_number(v->lines)),
		v->where.bytes, v->header->samples[cell]);
}

static void
field_close(struct vs_matrix *m)
{
	struct field *f = m->state;

	if (!f)
		return;
	vs_in_vcf_free(&f->vcf);
	vs_reader_clear(&f->reader);
	free(f);
}

static int
field_cut(struct vs_matrix *m)
{
	struct field *f = m->state;

	f->reader.part = m->part;
	return vs_in_vcf_cut(&f->vcf, &m->part);
}

const struct vs_matrix_kind vs_matrix_vcf = {
	.is = never, /* a field has to be asked for */
	.open = field_open,
	.next = field_next,
	.place = field_place,
	.close = field_close,
	.cut = field_cut,
};
