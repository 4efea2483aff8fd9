/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers from VCF and BCF: a field of FORMAT, one value per sample. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/in/numbers/matrix.h"
#include "formats/in/vcf/in_vcf.h"
#include "libcore/base/fail.h"

/* BCF's floats for a missing value and for the padding of a short list. */
#define FLOAT_MISSING 0x7F800001u
#define FLOAT_END 0x7F800002u

struct field {
	struct vs_reader reader; /* samples, and counts of sites */
	struct vs_vcf vcf;
	struct vs_site site;
	bool per_alt; /* the field has one number per ALT */
};

static bool
never(const char *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return false;
}

/* The key of a FORMAT field that the header declares as one number. */
static int
check_field(const struct vs_matrix *m, const bcf_hdr_t *h)
{
	const char *name = m->how.field, *file = vs_lines_name(m->lines);
	int key = bcf_hdr_id2int(h, BCF_DT_ID, name), type;

	if (!strcmp(name, "GT"))
		return vs_fail(VS_EINPUT,
			"%s: genotypes (GT) are read by default; omit "
			"--format-field",
			file);
	if (!bcf_hdr_idinfo_exists(h, BCF_HL_FMT, key))
		return vs_fail(VS_EINPUT,
			"%s: its header has no FORMAT field called %s", file,
			name);
	type = (int)bcf_hdr_id2type(h, BCF_HL_FMT, key);
	if (type != BCF_HT_INT && type != BCF_HT_REAL)
		return vs_fail(VS_EINPUT, "%s: FORMAT field %s is not a number",
			file, name);
	return 0;
}

static int
field_open(struct vs_matrix *m)
{
	struct field *f = m->state;
	int code;

	f->vcf.lines = m->lines;
	f->vcf.field = m->how.field;
	code = vs_in_vcf_begin(&f->vcf, &f->reader);
	if (!code)
		code = check_field(m, f->vcf.header);
	if (code)
		return code;
	f->per_alt = bcf_hdr_id2length(f->vcf.header, BCF_HL_FMT,
			     bcf_hdr_id2int(f->vcf.header, BCF_DT_ID,
				     m->how.field)) == BCF_VL_A;
	m->reader = &f->reader;
	m->site = &f->site;
	m->n_cell = f->reader.samples.n;
	m->cell_id = f->reader.samples.id;
	memset(&f->reader.samples.id, 0, sizeof(f->reader.samples.id));
	code = vs_reader_samples(&f->reader, &m->cell_id);
	return code ? code
		    : vs_text_add(&m->note, "%s of %llu samples", m->how.field,
			      (unsigned long long)m->n_cell);
}

/* Value k of a sample; *end: there is none, k is past the last. */
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

/* Number of the sample of a cell, among all in the file. */
static uint64_t
sample_of(const struct vs_matrix *m, uint64_t cell)
{
	return m->choice && m->choice->keep ? (uint64_t)m->choice->keep[cell]
					    : cell;
}

/* Get the numbers of a site. */
static int
read_values(const struct vs_matrix *m, double *cell)
{
	struct field *f = m->state;
	const struct vs_bcf_calls *x = &f->vcf.record.gt;
	const int n_allele = f->vcf.record.n_allele;
	size_t at = 0;
	bool end;

	/* if the field has one number per ALT, that of the ALT delivered */
	if (f->per_alt && f->vcf.counted < n_allele &&
		x->n == (size_t)n_allele - 1)
		at = (size_t)f->vcf.counted - 1;
	for (uint64_t c = 0; c < m->n_cell; c++) {
		uint64_t q = sample_of(m, c);

		cell[c] = value_at(x, q * x->n + at, &end);
		if (end)
			cell[c] = NAN;
		if (x->n < 2 || (f->per_alt && n_allele > 2))
			continue;
		value_at(x, q * x->n + 1, &end);
		if (!end)
			return vs_in_vcf_fail(&f->vcf, ": sample ",
				f->vcf.header->samples[q],
				": has several numbers where one is wanted");
	}
	return 0;
}

/* Filters on dosages, in the order of those on calls. 1: passes; 0; negative */
static int
judge(const struct vs_matrix *m, const double *cell)
{
	struct field *f = m->state;
	struct vs_import *in = m->choice;
	const bool frequency = in->maf > 0 || in->drop_monomorphic;
	double sum = 0, rarer;
	uint64_t n = 0;

	for (uint64_t c = 0; c < m->n_cell; c++) {
		if (isnan(cell[c]))
			continue;
		if (frequency && (cell[c] < 0 || cell[c] > 2))
			return vs_in_vcf_fail(&f->vcf, ": sample ",
				f->vcf.header->samples[sample_of(m, c)],
				": is not a dosage from 0 to 2, which a "
				"frequency needs; leave --maf and "
				"--drop-monomorphic out");
		sum += cell[c];
		n++;
	}
	rarer = sum < (double)n ? sum : 2 * (double)n - sum;
	if ((double)(m->n_cell - n) / (double)m->n_cell > in->max_missing)
		in->n_missing++;
	else if (in->drop_monomorphic && rarer <= 0)
		in->n_monomorphic++;
	else if (in->maf > 0 && (!n || rarer / (2 * (double)n) < in->maf))
		in->n_rare++;
	else
		return 1;
	return 0;
}

/* Deliver the site of v->record, and its numbers. 1: passes; 0; negative */
static int
read_line(struct vs_matrix *m, double *cell)
{
	struct field *f = m->state;
	struct vs_import *in = m->choice;
	int code = vs_in_vcf_site(&f->reader, &f->vcf, &f->site);

	if (!code)
		code = vs_reader_site(&f->reader, &f->site);
	if (code)
		return code;
	m->line_id = f->site.id;
	m->line_id_len = f->site.id_len;
	if (in)
		in->n_read++;
	if (in && in->filter && !vs_site_choice_passes(in->filter, &f->site)) {
		in->n_unwanted++;
		return 0;
	}
	code = read_values(m, cell);
	return code ? code : in ? judge(m, cell) : 1;
}

static int
field_next(struct vs_matrix *m, double *cell)
{
	struct field *f = m->state;
	int code, passed = 0;

	while (!passed) {
		code = vs_in_vcf_next(&f->reader, &f->vcf);
		if (code == 1)
			return vs_in_vcf_finish(&f->reader, &f->vcf);
		passed = code ? code : read_line(m, cell);
	}
	if (passed == 1 && m->choice)
		m->choice->n_kept++;
	return passed;
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
		v->where.bytes, v->header->samples[sample_of(m, cell)]);
}

static void
field_close(struct vs_matrix *m)
{
	struct field *f = m->state;

	vs_in_vcf_free(&f->vcf);
	vs_reader_clear(&f->reader);
}

static int
field_cut(struct vs_matrix *m)
{
	struct field *f = m->state;

	f->reader.part = m->part;
	return vs_in_vcf_cut(&f->vcf, &m->part);
}

const struct vs_matrix_kind vs_matrix_vcf = {
	.is = never, /* a field must be requested */
	.state = sizeof(struct field),
	.open = field_open,
	.next = field_next,
	.place = field_place,
	.close = field_close,
	.cut = field_cut,
};
