/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers from VCF and BCF: a field of FORMAT, one value per sample. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/in/numbers/site_numbers.h"
#include "formats/in/readers.h"
#include "formats/in/vcf/in_vcf.h"
#include "libcore/base/fail.h"

/* BCF's floats for a missing value and for the padding of a short list. */
#define FLOAT_MISSING 0x7F800001u
#define FLOAT_END 0x7F800002u

struct field {
	struct vs_site_numbers s;
	struct vs_vcf vcf;
	bool per_alt; /* the field has one number per ALT */
};

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
	code = vs_in_vcf_begin(&f->vcf, &f->s.reader);
	if (!code)
		code = check_field(m, f->vcf.header);
	if (code)
		return code;
	f->per_alt = bcf_hdr_id2length(f->vcf.header, BCF_HL_FMT,
			     bcf_hdr_id2int(f->vcf.header, BCF_DT_ID,
				     m->how.field)) == BCF_VL_A;
	return vs_site_numbers_open(m);
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

static int
field_values(struct vs_matrix *m, double *cell)
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
		uint64_t q = vs_site_numbers_sample(m, c);

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

static int
field_site(struct vs_matrix *m)
{
	struct field *f = m->state;
	int code = vs_in_vcf_next(&f->s.reader, &f->vcf);

	if (code == 1)
		return vs_in_vcf_finish(&f->s.reader, &f->vcf);
	if (!code)
		code = vs_in_vcf_site(&f->s.reader, &f->vcf, &f->s.site);
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
		v->where.bytes,
		v->header->samples[vs_site_numbers_sample(m, cell)]);
}

static void
field_close(struct vs_matrix *m)
{
	struct field *f = m->state;

	vs_in_vcf_free(&f->vcf);
	vs_reader_clear(&f->s.reader);
}

static int
field_cut(struct vs_matrix *m)
{
	struct field *f = m->state;

	f->s.reader.part = m->part;
	return vs_in_vcf_cut(&f->vcf, &m->part);
}

const struct vs_matrix_kind vs_matrix_vcf = {
	.state = sizeof(struct field),
	.open = field_open,
	.next = vs_site_numbers_next,
	.place = field_place,
	.close = field_close,
	.cut = field_cut,
	.site = field_site,
	.values = field_values,
	.of = &vs_reader_vcf,
};
