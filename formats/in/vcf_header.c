/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of the header of VCF and BCF. htslib is given the whole text: it never
 * reads a file here.
 */
#include <errno.h>
#include <htslib/hts_log.h>
#include <string.h>

#include "formats/in/bcf_record.h"
#include "formats/in/vcf_header.h"
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
fail_header(const struct vs_lines *l)
{
	return vs_fail(VS_EINPUT,
		"%s: its header cannot be read as VCF or BCF: cut short, "
		"damaged, without a #CHROM line, or a sample stands twice",
		vs_lines_name(l));
}

/* All lines up to that of the columns. */
static int
read_text(struct vs_lines *l, struct vs_text *text)
{
	char *line = NULL;
	size_t len;
	int code;

	do {
		code = vs_lines_next(l, &line, &len);
		if (code < 0)
			return code;
		if (!code)
			return fail_header(l);
		if (strncmp(line, "##", 2) && strncmp(line, "#CHROM", 6))
			return vs_lines_fail(l,
				"is no VCF header: neither ## nor #CHROM");
		if (text->len + len > VS_LINES_MOST)
			return vs_vcf_header_fail_long(l);
		code = vs_text_put(text, line, len);
		if (!code)
			code = vs_text_put(text, "\n", 1);
	} while (!code && line[1] == '#');
	return code;
}

/* Magic number and length, then the text, which no length is trusted for. */
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
		return fail_header(l);
	if (memcmp(bytes, "BCF\2\2", N_MAGIC))
		return vs_fail(VS_EINPUT,
			"%s: is a BCF, but not of version 2.2; bcftools view "
			"-Ob makes it anew",
			vs_lines_name(l));
	left = vs_bcf_record_sum(bytes + N_MAGIC, 1);
	if (left > VS_LINES_MOST)
		return vs_vcf_header_fail_long(l);
	vs_lines_skip(l, N_MAGIC + 4);
	for (; left; left -= got) {
		code = vs_lines_peek(l, left < PIECE ? left : PIECE, &bytes,
			&got);
		if (!code && !got)
			return fail_header(l);
		if (!code)
			code = vs_text_put(text, bytes, got);
		if (code)
			return code;
		vs_lines_skip(l, got);
	}
	return vs_text_put(text, "", 1);
}

/* The usual cause of a refused header, which htslib does not report. */
static int
explain(const struct vs_lines *l, bool bcf, char *text)
{
	struct vs_text_pool ids = { 0 };
	struct vs_text_index index = { 0 };
	char *line = strstr(text, "\n#CHROM"), *word;
	int64_t row = -1;
	int code = 0;

	if (line) {
		line++;
		line[strcspn(line, "\n")] = 0;
	}
	for (int n = 0; (word = strsep(&line, "\t")) && !code; n++)
		if (n >= 9)
			code = vs_text_pool_add(&ids, word, strlen(word));
	if (!code)
		code = vs_text_index_make(&index, &ids);
	if (!code)
		row = vs_text_index_duplicate(&index);
	if (row >= 0) {
		static const char why[] = "stands twice; rename or drop one";
		size_t len;
		const char *id = vs_text_pool_get(&ids, (size_t)row, &len);

		if (bcf)
			code = vs_fail(VS_EINPUT, "%s: sample %.*s %s",
				vs_lines_name(l), (int)len, id, why);
		else
			code = vs_lines_fail(l, "sample %.*s %s", (int)len, id,
				why);
	}
	vs_text_index_free(&index);
	vs_text_pool_free(&ids);
	return code ? code : fail_header(l);
}

int
vs_vcf_header_read(struct vs_lines *l, bool bcf, bcf_hdr_t **header)
{
	struct vs_text text = { 0 };
	int code = bcf ? read_bcf(l, &text) : read_text(l, &text);
	bcf_hdr_t *h = NULL;
	bool bad = true;

	hts_set_log_level(HTS_LOG_OFF);
	if (!code) {
		vs_vcf_header_watch();
		h = bcf_hdr_init("r");
		if (h)
			bad = bcf_hdr_parse(h, text.bytes) < 0;
		if (vs_vcf_header_short())
			code = vs_fail_memory("header of the VCF", text.len);
		else if (bad)
			code = explain(l, bcf, text.bytes);
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
	int n = bcf_hdr_nsamples(h), code = 0;

	if (n <= 0)
		return vs_fail(VS_EINPUT,
			"%s: has no samples, so there is nothing to compare",
			vs_lines_name(l));
	for (int q = 0; q < n && !code; q++)
		code = vs_text_pool_add(&r->samples.id, h->samples[q],
			strlen(h->samples[q]));
	r->samples.n = (size_t)n;
	return code ? code : state_contigs(h, r);
}
