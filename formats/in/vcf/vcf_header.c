/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of the header of VCF and BCF. htslib gets the whole text; it never
 * reads a file here.
 */
#include <errno.h>
#include <htslib/hts_log.h>
#include <string.h>

#include "formats/in/vcf/bcf_record.h"
#include "formats/in/vcf/vcf_header.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define N_MAGIC 5
#define PIECE (1u << 20)

void
vs_vcf_header_watch(void)
{
	errno = 0;
}

bool
vs_vcf_header_short(void)
{
	return errno == ENOMEM;
}

int
vs_vcf_header_fail_long(const struct vs_lines *l)
{
	return vs_fail(VS_EINPUT,
		"%s: has a header or a record of more than %u MiB; is it a VCF "
		"or BCF?",
		vs_lines_name(l), VS_LINES_MOST >> 20);
}

static int
fail_header(const struct vs_lines *l, const char *why)
{
	return vs_fail(VS_EINPUT, "%s: its header %s", vs_lines_name(l), why);
}

static int
fail_cut(const struct vs_lines *l)
{
	return fail_header(l,
		"is cut short: the file ends before a #CHROM line; restore it");
}

/* Read all lines up to the one with the columns. */
static int
read_text(struct vs_lines *l, struct vs_text *text)
{
	char *line = NULL;
	size_t len;
	int code;

	do {
		code = vs_lines_next_full(l, &line, &len);
		if (code < 0)
			return code;
		if (!code)
			return fail_cut(l);
		if (strncmp(line, "##", 2) && strncmp(line, "#CHROM", 6))
			return vs_lines_fail(l,
				"is not a VCF header: neither ## nor #CHROM");
		if (text->len + len > VS_LINES_MOST)
			return vs_vcf_header_fail_long(l);
		vs_text_put(text, line, len);
		code = vs_text_put(text, "\n", 1);
	} while (!code && line[1] == '#');
	return code;
}

/* Magic number and length, then the text; the length is not trusted. */
static int
read_bcf(struct vs_lines *l, struct vs_text *text)
{
	const char *bytes;
	uint64_t left;
	size_t got;
	int code = vs_lines_peek(l, N_MAGIC + 4, &bytes, &got);

	if (code)
		return code;
	if (got < N_MAGIC + 4)
		return fail_cut(l);
	if (memcmp(bytes, "BCF\2\2", N_MAGIC))
		return vs_fail(VS_EINPUT,
			"%s: is a BCF, but not of version 2.2; bcftools view "
			"-Ob makes it again",
			vs_lines_name(l));
	left = vs_bcf_record_sum(bytes + N_MAGIC, 1);
	if (left > VS_LINES_MOST)
		return vs_vcf_header_fail_long(l);
	vs_lines_skip(l, N_MAGIC + 4);
	for (; left; left -= got) {
		code = vs_lines_peek(l, left < PIECE ? left : PIECE, &bytes,
			&got);
		if (!code && !got)
			return fail_cut(l);
		if (!code)
			code = vs_text_put(text, bytes, got);
		if (code)
			return code;
		vs_lines_skip(l, got);
	}
	return vs_text_put(text, "", 1);
}

/* Check the names of the columns; htslib accepts any. */
static int
check_columns(const struct vs_lines *l, const char *at)
{
	static const char *const names[] = { "#CHROM", "POS", "ID", "REF",
		"ALT", "QUAL", "FILTER", "INFO", "FORMAT" };
	const size_t n_name = sizeof(names) / sizeof(*names);
	const char *end = at + strcspn(at, "\n");

	if (!memchr(at, '\t', (size_t)(end - at)))
		return fail_header(l,
			"has a #CHROM line without tabs; columns are separated "
			"by tabs, not blanks");
	for (size_t k = 0; at <= end; k++) {
		size_t len = strcspn(at, "\t\n");

		if (!len)
			return vs_fail(VS_EINPUT,
				"%s: its header has no name for column %zu of "
				"the #CHROM line",
				vs_lines_name(l), k + 1);
		if (k < n_name &&
			(len != strlen(names[k]) || memcmp(at, names[k], len)))
			return vs_fail(VS_EINPUT,
				"%s: column %zu of its #CHROM line is %.*s, "
				"not %s",
				vs_lines_name(l), k + 1,
				len < 40 ? (int)len : 40, at, names[k]);
		at += len + 1;
	}
	return 0;
}

/* Find a sample that occurs twice. 0: none; VS_EINPUT; VS_EMACHINE */
static int
check_twice(const struct vs_lines *l, bool bcf, const char *at)
{
	static const char why[] = "occurs twice; rename or drop one";
	struct vs_text_pool ids = { 0 };
	struct vs_text_index index = { 0 };
	const char *end = at + strcspn(at, "\n"), *id;
	int64_t row = -1;
	size_t len;
	int code = 0;

	for (size_t n = 0; at <= end && !code; n++) {
		len = strcspn(at, "\t\n");
		if (n >= 9)
			code = vs_text_pool_add(&ids, at, len);
		at += len + 1;
	}
	if (!code)
		code = vs_text_index_make(&index, &ids);
	if (!code)
		row = vs_text_index_duplicate(&index);
	if (row >= 0) {
		id = vs_text_pool_get(&ids, (size_t)row, &len);
		code = bcf
			? vs_fail(VS_EINPUT, "%s: sample %.*s %s",
				  vs_lines_name(l), (int)len, id, why)
			: vs_lines_fail(l, "sample %.*s %s", (int)len, id, why);
	}
	vs_text_index_free(&index);
	vs_text_pool_free(&ids);
	return code;
}

/* Why htslib refuses a header, which it does not report. */
static int
explain(const struct vs_lines *l, bool bcf, const char *columns)
{
	int code = check_twice(l, bcf, columns);

	return code ? code
		    : fail_header(l,
			      "is damaged or violates the format; "
			      "run bcftools view -h for details");
}

int
vs_vcf_header_read(struct vs_lines *l, bool bcf, bcf_hdr_t **header)
{
	struct vs_text text = { 0 };
	int code = bcf ? read_bcf(l, &text) : read_text(l, &text);
	const char *columns = code ? NULL : strstr(text.bytes, "\n#CHROM");
	bcf_hdr_t *h = NULL;
	bool bad = true;

	if (!code)
		code = columns ? check_columns(l, columns + 1)
			       : fail_header(l, "has no #CHROM line");

	hts_set_log_level(HTS_LOG_OFF);
	if (!code) {
		vs_vcf_header_watch();
		h = bcf_hdr_init("r");
		if (h)
			bad = bcf_hdr_parse(h, text.bytes) < 0;
		if (vs_vcf_header_short())
			code = vs_fail_memory("header of the VCF", text.len);
		else if (bad)
			code = explain(l, bcf, columns + 1);
	}
	if (code && h)
		bcf_hdr_destroy(h);
	if (!code)
		*header = h;
	vs_text_free(&text);
	return code;
}

static int
state_contigs(const bcf_hdr_t *h, struct vs_reader *r)
{
	int n = h->n[BCF_DT_CTG], code;

	code = vs_mem_new(&r->contig_length, (size_t)n, sizeof(int64_t),
		"contigs");
	for (int k = 0; k < n && !code; k++) {
		const bcf_idpair_t *contig = h->id[BCF_DT_CTG] + k;
		const char *name = contig->key ? contig->key : "";

		r->contig_length[k] =
			contig->val ? (int64_t)contig->val->info[0] : 0;
		code = vs_text_pool_add(&r->contig_name, name, strlen(name));
	}
	return code;
}

int
vs_vcf_header_state(const bcf_hdr_t *h, const struct vs_lines *l,
	struct vs_reader *r)
{
	const int n = bcf_hdr_nsamples(h), n_each = r->haplotypes ? 2 : 1;
	struct vs_text name = { 0 };
	int code = 0;

	if (n <= 0)
		return vs_fail(VS_EINPUT,
			"%s: has no samples, so there is nothing to compare",
			vs_lines_name(l));
	for (int q = 0; q < n * n_each && !code; q++) {
		name.len = 0;
		code = vs_text_add(&name, "%s", h->samples[q / n_each]);
		if (!code && r->haplotypes)
			code = vs_text_add(&name, "_%d", q % 2 + 1);
		if (!code)
			code = vs_text_pool_add(&r->samples.id, name.bytes,
				name.len);
	}
	vs_text_free(&name);
	r->samples.n = (size_t)n * (size_t)n_each;
	return code ? code : state_contigs(h, r);
}
