/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers from VCF and BCF: a field of FORMAT, one value per sample. */
#include <math.h>
#include <string.h>

#include "formats/in/vcf/in_vcf.h"
#include "libcore/base/fail.h"

/* BCF's floats for a missing value and for the padding of a short list. */
#define FLOAT_MISSING 0x7F800001u
#define FLOAT_END 0x7F800002u

int
vs_in_vcf_field_check(struct vs_vcf *v)
{
	const bcf_hdr_t *h = v->header;
	const char *name = v->field, *file = vs_lines_name(v->lines);
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
	v->per_alt = bcf_hdr_id2length(h, BCF_HL_FMT, key) == BCF_VL_A;
	return 0;
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

int
vs_in_vcf_field_values(struct vs_reader *r, double *value)
{
	const struct vs_vcf *v = r->state;
	const struct vs_bcf_calls *x = &v->record.gt;
	const int n_allele = v->record.n_allele;
	size_t at = 0;
	bool end;

	/* if the field has one number per ALT, that of the ALT delivered */
	if (v->per_alt && v->counted < n_allele && x->n == (size_t)n_allele - 1)
		at = (size_t)v->counted - 1;
	for (size_t q = 0; q < r->samples.n; q++) {
		value[q] = value_at(x, q * x->n + at, &end);
		if (end)
			value[q] = NAN;
		if (x->n < 2 || (v->per_alt && n_allele > 2))
			continue;
		value_at(x, q * x->n + 1, &end);
		if (!end)
			return vs_in_vcf_fail(v, ": sample ",
				v->header->samples[q],
				": has several numbers where one is wanted");
	}
	return 0;
}
