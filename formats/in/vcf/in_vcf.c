/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * VCF and BCF reader, plain or packed. Common lines of VCF and all records of
 * BCF are parsed here; htslib gets the header and other lines, in memory, and
 * turns a line into a record of BCF.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/vcf/in_vcf.h"
#include "formats/in/vcf/vcf_calls.h"
#include "formats/in/vcf/vcf_header.h"
#include "formats/in/vcf/vcf_line.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* ---- header ---- */

/* True if the first bytes are those of VCF or BCF. */
static int
sniff(struct vs_vcf *v)
{
	static const char text[] = "##fileformat=VCF";
	const char *name = vs_lines_name(v->lines), *bytes;
	size_t n;
	int code = vs_lines_peek(v->lines, sizeof(text) - 1, &bytes, &n);

	if (code)
		return code;
	v->bcf = n >= 3 && !memcmp(bytes, "BCF", 3);
	if (v->bcf || (n == sizeof(text) - 1 && !memcmp(bytes, text, n)))
		return 0;
	if (vs_lines_packed(v->lines))
		return vs_fail(VS_EINPUT,
			"%s: is not a VCF or BCF once unpacked", name);
	if (!n)
		return vs_fail(VS_EINPUT, "%s: is empty", name);
	return vs_fail(VS_EINPUT,
		"%s: is not a VCF or BCF: it does not begin with %s", name,
		text);
}

static int
open_vcf(struct vs_reader *r)
{
	struct vs_vcf *v = r->state;
	int code = vs_lines_open_threads(&v->lines, r->path[0],
		r->threads > 1 ? r->threads : 1);

	v->field = r->field;
	if (!code)
		code = sniff(v);
	if (!code)
		code = vs_vcf_header_read(v->lines, v->bcf, &v->header);
	if (!code && v->field)
		code = vs_in_vcf_field_check(v);
	if (!code)
		code = vs_vcf_header_state(v->header, v->lines, r);
	VS_MEM_NEW(&code, v->codes, (r->samples.n + 3) / 4 + 8, "calls");
	VS_MEM_NEW(&code, v->haploid, (r->samples.n + 7) / 8 + 1, "calls");
	if (code)
		return code;
	v->parsed = bcf_init();
	return v->parsed ? 0 : vs_fail_memory("VCF reader", sizeof(bcf1_t));
}

/* ---- sites ---- */

static int
malformed(const struct vs_vcf *v)
{
	return vs_in_vcf_fail(v, ": is malformed or cut short", "", "");
}

/* The next record of a BCF. 0; 1: there is none; negative */
static int
next_record(struct vs_vcf *v)
{
	const char *bytes;
	uint64_t sum;
	size_t got, n;
	bool ended = false;
	int code = vs_lines_peek(v->lines, VS_BCF_RECORD_SIZES, &bytes, &got);

	if (!code && v->part)
		code = vs_in_vcf_cut_ended(v, &ended);
	if (code || ended || (!got && !v->part))
		return code ? code : 1;
	if (got < VS_BCF_RECORD_SIZES)
		return malformed(v);
	n = vs_bcf_record_sum(bytes, 1);
	sum = vs_bcf_record_sum(bytes, 2);
	if (sum + VS_BCF_RECORD_SIZES > VS_LINES_MOST)
		return vs_vcf_header_fail_long(v->lines);
	vs_lines_skip(v->lines, VS_BCF_RECORD_SIZES);
	code = vs_lines_peek(v->lines, sum, &bytes, &got);
	if (code)
		return code;
	code = got < sum ? VS_EINPUT : vs_in_vcf_record(v, bytes, n, sum - n);
	vs_lines_skip(v->lines, got);
	return code == VS_EINPUT ? malformed(v) : code;
}

/*
 * htslib takes text that is not a number for position 0 and ignores columns
 * past the last sample: check the line first.
 */
static int
check_line(const struct vs_vcf *v, const char *line, size_t len)
{
	const char *at = line, *end = at + len;
	int64_t n_tab = 0, n_sample = bcf_hdr_nsamples(v->header);
	char found[128];

	if (*at == '\t')
		return vs_in_vcf_fail(v, ": column 1 is empty", "", "");
	at = memchr(at, '\t', len);
	at = at ? at + 1 : end;
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	if (at < end && *at != '\t')
		return vs_in_vcf_fail(v, ": column 2 is not a position", "",
			"");
	for (at = line; (at = memchr(at, '\t', (size_t)(end - at))); at++)
		n_tab++;
	if (n_tab == 8 + n_sample)
		return 0;
	snprintf(found, sizeof(found),
		": %lld columns where the header has %lld%s",
		(long long)n_tab + 1, (long long)n_sample + 9,
		n_tab ? "" : "; columns are separated by tabs, not blanks");
	return vs_in_vcf_fail(v, found, "", "");
}

/*
 * Copy a line without the phase that a call may begin with: version 4.4 has
 * /0/1, but not all versions of htslib do. 0; -1: no memory
 */
static int
copy_line(struct vs_vcf *v, const char *line, size_t len)
{
	const char *at = line, *end = line + len, *tab;
	int column = 0;

	v->copy.l = 0;
	if (!strstr(line, "\t/") && !strstr(line, "\t|"))
		return kputsn(line, (int)len, &v->copy) < 0 ? -1 : 0;
	for (; at; at = tab ? tab + 1 : NULL, column++) {
		tab = memchr(at, '\t', (size_t)(end - at));
		if (column > 8 && (*at == '/' || *at == '|'))
			at++;
		if (kputsn(at, (int)((tab ? tab + 1 : end) - at), &v->copy) < 0)
			return -1;
	}
	return 0;
}

/* Value number k of those that colons separate in a column; null: it has
 * fewer. */
static const char *
value_of(const char *at, int k)
{
	for (; k; k--, at++) {
		at += strcspn(at, ":\t");
		if (*at != ':')
			return NULL;
	}
	return at;
}

/* Refuse a line as malformed(), but name the first sample with more values
 * than FORMAT, or whose call or number cannot be one. */
static int
malformed_line(const struct vs_vcf *v, const char *at)
{
	const char *name = v->field ? v->field : "GT", *value;
	const char *of =
		v->field ? "0123456789.,+-eEinfaINFA" : "0123456789./|";
	int n = 0, place = INT_MAX; /* values that FORMAT names; that of name */

	for (int c = 0; at; c++, at = *at ? at + 1 : NULL) {
		const char *bad = NULL;

		for (; c == 8 && (value = value_of(at, n)); n++)
			if (strcspn(value, ":\t") == strlen(name) &&
				!memcmp(value, name, strlen(name)))
				place = n;
		if (c > 8 && value_of(at, n))
			bad = ": has more values than FORMAT";
		else if (c > 8 && (value = value_of(at, place)) &&
			(!strspn(value, of) ||
				!strchr(":\t", value[strspn(value, of)])))
			bad = v->field ? ": its value is not a number"
				       : ": its call is not a genotype "
					 "such as 0/1";
		if (bad)
			return vs_in_vcf_fail(v, ": sample ",
				v->header->samples[c - 9], bad);
		at += strcspn(at, "\t");
	}
	return malformed(v);
}

/* Make v->record from a line, with htslib. */
static int
parse_line(struct vs_vcf *v, const char *line, size_t len)
{
	struct vs_bcf_record *x = &v->record;
	bcf1_t *p = v->parsed;
	int code = check_line(v, line, len);
	bool bad;

	if (code)
		return code;
	vs_vcf_header_watch();
	p->errcode = 0;
	bad = copy_line(v, line, len) || vcf_parse(&v->copy, v->header, p);
	if (vs_vcf_header_short())
		return vs_fail_memory("a line of the VCF", len);
	if (bad)
		return malformed_line(v, line);
	x->contig = p->rid;
	x->pos = p->pos + 1;
	x->n_info = p->n_info;
	x->n_allele = p->n_allele;
	x->n_format = p->n_fmt;
	x->n_sample = p->n_sample;
	code = vs_in_vcf_read(v, p->shared.s, p->shared.l,
		p->indiv.l ? p->indiv.s : "", p->indiv.l);
	return code == VS_EINPUT ? malformed_line(v, line) : code;
}

/*
 * Read a site into v->record. 0; 1: there is none; 2: a common line, v->easy
 * and v->codes are filled; negative
 */
static int
read_site(struct vs_reader *r, struct vs_vcf *v)
{
	char *line;
	size_t len;
	int code;

	v->where.len = 0;
	if (v->bcf)
		return next_record(v);
	code = vs_lines_next_full(v->lines, &line, &len);
	if (code != 1)
		return code ? code : 1;
	if (!v->field && !r->haplotypes &&
		r->multiallelic != VS_MULTIALLELIC_WHOLE &&
		vs_vcf_line(line, len, r->samples.n, &v->easy, v->codes,
			&r->tally.half_missing))
		return 2;
	return parse_line(v, line, len);
}

/* Check, at the end, that the file had sites to use. */
static int
finish(struct vs_reader *r, const struct vs_vcf *v)
{
	const char *name = vs_lines_name(v->lines);

	r->tally.unended = !v->bcf && !vs_lines_packed(v->lines) &&
		!vs_lines_ended(v->lines);
	if (r->tally.no_gt && r->tally.no_gt == v->n_seen && !r->part.n)
		return vs_fail(VS_EINPUT, "%s: no site has %s, %s", name,
			v->field ? v->field : "GT",
			v->field ? "the field that was asked for"
				 : "the calls that are compared");
	return vs_lines_note(v->lines, r->provenance);
}

/*
 * Move to the first true allele of v->record from number one on. Past the last
 * it is ".", as for a site without ALT.
 */
static void
turn_to(struct vs_vcf *v, int allele)
{
	const struct vs_bcf_record *x = &v->record;

	v->given = x->allele[0];
	for (v->counted = 0; v->counted < x->n_allele; v->counted++) {
		if (v->counted >= allele && !v->none[v->counted])
			return;
		v->given += strlen(v->given) + 1;
	}
	v->given = ".";
}

/* Mark the non-alleles of v->record. 0; VS_EMACHINE */
static int
find_own(struct vs_vcf *v)
{
	const char *allele = v->record.allele[0];
	int n = v->record.n_allele,
	    code = vs_mem_grow(&v->none, &v->room_none, (size_t)n, 1,
		    "alleles");

	v->n_own = 0;
	for (int a = 0; a < n && !code; a++) {
		size_t len = strlen(allele);

		v->none[a] = a && vs_vcf_calls_none(allele, len);
		v->n_own += !v->none[a];
		allele += len + 1;
	}
	return code;
}

/*
 * The next site of two alleles that has GT, or v->field; or, depending on
 * r->multiallelic, the next ALT or allele of any site.
 * returns  0: v->record is filled, GT or the field as its calls; 1: there is
 *          none; 2: a common line, v->easy and v->codes are filled; negative
 */
static int
find_site(struct vs_reader *r, struct vs_vcf *v)
{
	int code;

	/* the next allele of the previous site */
	if (v->n_counted && r->multiallelic != VS_MULTIALLELIC_DROP &&
		v->counted < v->record.n_allele) {
		turn_to(v, v->counted + 1);
		v->n_counted++;
		if (v->counted < v->record.n_allele)
			return 0;
	}
	for (;;) {
		v->n_seen++;
		v->n_counted = 0;
		code = read_site(r, v);
		if (code == 1)
			v->n_seen--;
		if (!code)
			code = find_own(v);
		if (code)
			return code;
		if (v->n_own > 2 && r->multiallelic == VS_MULTIALLELIC_DROP) {
			r->tally.multiallelic++;
		} else if (!v->record.gt.at) {
			r->tally.no_gt++;
		} else {
			turn_to(v, r->multiallelic != VS_MULTIALLELIC_WHOLE);
			v->n_counted = 1;
			return 0;
		}
	}
}

/* Calls of v->record. 0; 1: the site is to be skipped; negative */
static int
decode(struct vs_reader *r, struct vs_vcf *v)
{
	struct vs_reader_tally said = { 0 };
	const char *why = "";
	struct vs_bcf_calls gt = v->record.gt;
	size_t q = 0;
	int code = r->haplotypes
		? vs_vcf_calls_apart(&gt, r->samples.n, &q, &why)
		: 0;

	if (!code)
		code = vs_vcf_calls(&gt, r->samples.n, v->record.n_allele,
			v->counted, v->none, v->codes, &said, &q, &why);
	if (!code && said.polyploid && r->polyploid == VS_POLYPLOID_REFUSE) {
		code = VS_EINPUT;
		why = ": has more than two alleles; --polyploid missing and "
		      "drop take such a file";
	}
	if (code)
		return vs_in_vcf_fail(v, ": sample ",
			v->header->samples[r->haplotypes ? q / 2 : q], why);
	/* calls are counted once per site */
	if (v->n_counted > 1 || r->haplotypes)
		memset(&said, 0, sizeof(said));
	if (said.polyploid && r->polyploid == VS_POLYPLOID_DROP) {
		r->tally.polyploid_sites++;
		v->n_counted = 0;
		return 1;
	}
	r->tally.haploid += said.haploid;
	r->tally.half_missing += said.half_missing;
	r->tally.polyploid += said.polyploid;
	r->tally.of_none += said.of_none;
	return 0;
}

/* v->others: all other alleles of v->record, comma-separated. */
static int
join_alleles(struct vs_vcf *v, int first, int without)
{
	const char *allele = v->record.allele[0];
	int code = 0;

	v->others.len = 0;
	for (int a = 0; a < v->record.n_allele && !code; a++) {
		if (a >= first && a != without && (without < 0 || !v->none[a]))
			code = vs_text_add(&v->others, "%s%s",
				v->others.len ? "," : "", allele);
		allele += strlen(allele) + 1;
	}
	if (!code && !v->others.len)
		code = vs_text_add(&v->others, ".");
	return code;
}

/*
 * An allele of VS_MULTIALLELIC_WHOLE: the name lists all alleles, REF and then
 * ALT, and the first allele stands for all others.
 */
static int
whole_site(struct vs_reader *r, struct vs_vcf *v, struct vs_site *s)
{
	int code = join_alleles(v, 1, -1);

	s->allele[0] = v->record.allele[0];
	s->allele_len[0] = strlen(s->allele[0]);
	s->allele[1] = v->others.bytes;
	s->allele_len[1] = v->others.len;
	if (!code)
		code = vs_reader_name(r, s);
	if (!code)
		code = join_alleles(v, 0, v->counted);
	if (code)
		return code;
	s->allele[0] = v->others.bytes;
	s->allele_len[0] = v->others.len;
	s->allele[1] = v->given;
	s->allele_len[1] = strlen(v->given);
	return 0;
}

/* Describe the site of v->record, named if it has no id. */
static int
describe(struct vs_reader *r, struct vs_vcf *v, struct vs_site *s)
{
	*s = (struct vs_site){
		.contig = v->header->id[BCF_DT_CTG][v->record.contig].key,
		.id = v->record.id,
		.pos = v->record.pos,
		.allele = { v->record.allele[0], v->given },
	};
	s->contig_len = strlen(s->contig);
	s->id_len = strlen(s->id);
	if (r->multiallelic == VS_MULTIALLELIC_WHOLE)
		return whole_site(r, v, s);
	for (int a = 0; a < 2; a++)
		s->allele_len[a] = strlen(s->allele[a]);
	return vs_reader_name(r, s);
}

static int
next_vcf(struct vs_reader *r, struct vs_input_site *site)
{
	struct vs_vcf *v = r->state;
	struct vs_site *s = &site->site;
	int64_t n_haploid = 0;
	int code, passed = 0;

	do {
		code = find_site(r, v);
		n_haploid = r->tally.haploid;
		passed = code || v->field ? 0 : decode(r, v);
	} while (passed == 1);
	if (passed < 0)
		return passed;
	if (code == 1)
		return finish(r, v);
	if (code < 0)
		return code;
	site->codes = v->field ? NULL : v->codes;
	site->haploid = NULL;
	if (code == 2) {
		*s = v->easy;
		code = vs_reader_name(r, s);
		return code ? code : 1;
	}
	if (!r->haplotypes &&
		(r->tally.haploid > n_haploid || v->n_counted > 1)) {
		vs_vcf_calls_haploid(&v->record.gt, r->samples.n, v->haploid);
		site->haploid = v->haploid;
	}
	code = describe(r, v, s);
	return code ? code : 1;
}

static void
close_vcf(struct vs_reader *r)
{
	struct vs_vcf *v = r->state;

	if (v->parsed)
		bcf_destroy(v->parsed);
	if (v->header)
		bcf_hdr_destroy(v->header);
	free(v->codes);
	free(v->none);
	free(v->haploid);
	free(v->copy.s);
	vs_text_free(&v->record.text);
	vs_text_free(&v->where);
	vs_text_free(&v->others);
	vs_lines_close(v->lines);
}

static int
cut_vcf(struct vs_reader *r)
{
	struct vs_vcf *v = r->state;

	return vs_in_vcf_cut(v, &r->part);
}

static const char *const endings[] = { "vcf.gz", "vcf.bgz", "vcf", "bcf",
	NULL };

const struct vs_reader_kind vs_reader_vcf = {
	.name = "vcf",
	.arg = "FILE",
	.help = "genotypes (GT) of a VCF or BCF; - is stdin",
	.endings = endings,
	.ploidy = true,
	.label = { NULL, "alt" },
	.state = sizeof(struct vs_vcf),
	.open = open_vcf,
	.next = next_vcf,
	.values = vs_in_vcf_field_values,
	.close = close_vcf,
	.cut = cut_vcf,
};
