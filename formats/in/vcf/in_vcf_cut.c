/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of a VCF, by lines, and of a BCF, whose records are found by trial
 * parsing, without an index.
 *
 * A part of a BCF begins inside a record: its first record is at the first byte
 * from which consecutive records parse. The part before finds the same byte, as
 * its end, and reads its own records up to there. As the first part begins at a
 * true record, a wrongly chosen place would make the part before it fail.
 */
#include "formats/in/vcf/in_vcf.h"
#include "libcore/base/fail.h"

#define FOLLOWING 16      /* records that must follow one another */
#define WINDOW (1u << 16) /* bytes examined together */
#define HEAD (VS_BCF_RECORD_SIZES + VS_BCF_RECORD_FIXED)

/* Cheap test whether a record can begin here. */
static bool
may_begin(const struct vs_vcf *v, const char *at)
{
	struct vs_bcf_record x;

	if (vs_bcf_record_sum(at, 1) < VS_BCF_RECORD_FIXED ||
		vs_bcf_record_sum(at, 2) + VS_BCF_RECORD_SIZES > VS_LINES_MOST)
		return false;
	vs_bcf_record_fixed(&x, at + VS_BCF_RECORD_SIZES);
	return x.contig >= 0 && x.contig < v->header->n[BCF_DT_CTG] &&
		x.n_sample == bcf_hdr_nsamples(v->header) && x.n_allele > 0;
}

/*
 * True if the next byte begins a record, and others follow it, as far as the
 * file goes. 0; VS_EMACHINE
 */
static int
is_record(struct vs_vcf *v, bool *is)
{
	size_t p = 0, got, n, sum;
	const char *at;
	int code = 0;

	*is = true;
	for (int k = 0; k < FOLLOWING && *is && !code; k++) {
		code = vs_lines_peek(v->lines, p + HEAD, &at, &got);
		if (code || (k && got < p + HEAD))
			return code;
		*is = got == p + HEAD && may_begin(v, at + p);
		if (!*is)
			return 0;
		n = vs_bcf_record_sum(at + p, 1);
		sum = vs_bcf_record_sum(at + p, 2);
		p += VS_BCF_RECORD_SIZES;
		if (k && p + sum > VS_LINES_MOST)
			return 0;
		code = vs_lines_peek(v->lines, p + sum, &at, &got);
		if (code || (k && got < p + sum))
			return code;
		*is = got == p + sum;
		if (*is)
			code = vs_in_vcf_record(v, at + p, n, sum - n);
		*is = *is && code != VS_EINPUT;
		code = code == VS_EINPUT ? 0 : code;
		p += sum;
	}
	return code;
}

/* Move to the first record that begins here or later, or to the end. */
static int
find_record(struct vs_vcf *v)
{
	for (;;) {
		const char *at;
		size_t got, k = 0;
		bool is = false;
		int code = vs_lines_peek(v->lines, WINDOW, &at, &got);

		if (code)
			return code;
		while (k + HEAD <= got && !may_begin(v, at + k))
			k++;
		if (k + HEAD > got && got < WINDOW)
			k = got;
		vs_lines_skip(v->lines, k);
		if (k == got)
			return 0;
		if (k + HEAD > got)
			continue;
		code = is_record(v, &is);
		if (code || is)
			return code;
		vs_lines_skip(v->lines, 1);
	}
}

int
vs_in_vcf_cut(struct vs_vcf *v, struct vs_part *part)
{
	const uint64_t header = vs_lines_at(v->lines);
	struct vs_part next = { .k = part->k + 1, .n = part->n };
	int code = 0;

	if (!v->bcf)
		return vs_lines_cut(v->lines, part);
	v->part = part->k < part->n;
	if (v->part) {
		code = vs_lines_cut_bytes(v->lines, header, &next);
		if (!code)
			code = find_record(v);
		v->past = vs_lines_at(v->lines);
	}
	if (!code)
		code = vs_lines_cut_bytes(v->lines, header, part);
	return code || part->k == 1 ? code : find_record(v);
}

int
vs_in_vcf_cut_ended(struct vs_vcf *v, bool *ended)
{
	const uint64_t at = vs_lines_at(v->lines),
		       end = vs_lines_part_end(v->lines);

	*ended = at >= end && at - end == v->past;
	if (at < end || at - end <= v->past)
		return 0;
	v->where.len = 0;
	return vs_in_vcf_fail(v, "",
		": the next part begins within the site before this one; pack "
		"it as a VCF, of bcftools view -Oz",
		"");
}
