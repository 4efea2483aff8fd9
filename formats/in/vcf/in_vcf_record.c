/* SPDX-License-Identifier: BSD-3-Clause */
/* A record of VCF or BCF checked against the header; its place in messages. */
#include "formats/in/vcf/in_vcf.h"
#include "libcore/base/fail.h"

int
vs_in_vcf_fail(const struct vs_vcf *v, const char *what, const char *which,
	const char *why)
{
	return vs_fail(VS_EINPUT, "%s: %s %lld%s%s%s%s%s%s",
		vs_lines_name(v->lines), v->bcf ? "site" : "line",
		(long long)(v->bcf ? v->n_seen
				   : (int64_t)vs_lines_number(v->lines)),
		v->where.len ? " (" : "", v->where.len ? v->where.bytes : "",
		v->where.len ? ")" : "", what, which, why);
}

/* Key of GT or the field; a line may name it even if the header does not. */
static int
key_of_calls(const struct vs_vcf *v)
{
	int key = bcf_hdr_id2int(v->header, BCF_DT_ID,
		v->field ? v->field : "GT");

	return bcf_hdr_idinfo_exists(v->header, BCF_HL_FMT, key) ? key : -1;
}

int
vs_in_vcf_read(struct vs_vcf *v, const void *site, size_t n, const void *calls,
	size_t n_calls)
{
	struct vs_bcf_record *x = &v->record;
	const bcf_hdr_t *h = v->header;
	int code;

	v->where.len = 0;
	if (x->contig < 0 || x->contig >= h->n[BCF_DT_CTG] ||
		!h->id[BCF_DT_CTG][x->contig].key)
		return VS_EINPUT;
	code = vs_text_add(&v->where, "%s:%lld",
		h->id[BCF_DT_CTG][x->contig].key, (long long)x->pos);
	if (!code && x->n_sample != bcf_hdr_nsamples(h))
		return VS_EINPUT;
	if (!code)
		code = vs_bcf_record_read(x, site, n, calls, n_calls,
			key_of_calls(v));
	return !code && x->gt.at && (x->gt.text || (x->gt.real && !v->field))
		? VS_EINPUT
		: code;
}

int
vs_in_vcf_record(struct vs_vcf *v, const void *bytes, size_t n, size_t n_calls)
{
	const char *at = bytes;

	if (n < VS_BCF_RECORD_FIXED)
		return VS_EINPUT;
	vs_bcf_record_fixed(&v->record, at);
	return vs_in_vcf_read(v, at + VS_BCF_RECORD_FIXED,
		n - VS_BCF_RECORD_FIXED, at + n, n_calls);
}
