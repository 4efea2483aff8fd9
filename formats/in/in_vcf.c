/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * VCF and BCF reader, plain or packed, through htslib. A thread reads the file
 * and feeds htslib by a pipe, vcf_feed.h.
 */
#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/in/bcf_record.h"
#include "formats/in/lines.h"
#include "formats/in/reader.h"
#include "formats/in/vcf_feed.h"
#include "formats/in/vcf_line.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define BLOCK VS_VCF_FEED_BLOCK

struct vcf {
	struct vs_vcf_feed feed;
	htsFile *file;
	hFILE *stream; /* of file, which closes it */
	bcf_hdr_t *header;
	bcf1_t *site;
	uint8_t *codes;
	bool text;      /* VCF, not BCF */
	kstring_t line; /* of text */
	char *piece;    /* of packed text: BLOCK bytes, once unpacked */
	size_t at_piece, n_piece;
	struct vs_site easy;
	int64_t n_seen;
	struct vs_text where; /* CHROM:POS, once known */
};

/* ---- lines ---- */

/*
 * Append the next line to v->line, without its end, as hts_getline() would,
 * which has no bound: a few bytes of packed text are a line without end.
 * returns  length; -1: no more; -2: htslib failed; -3: VS_EINPUT, said
 */
static int
append_line(struct vcf *v)
{
	const size_t begin = v->line.l;
	const char *from, *lf = NULL;
	size_t n;

	while (!lf) {
		if (v->at_piece == v->n_piece) {
			ssize_t got =
				bgzf_read(v->file->fp.bgzf, v->piece, BLOCK);

			if (got < 0)
				return -2;
			if (!got)
				break;
			v->n_piece = (size_t)got;
			v->at_piece = 0;
		}
		from = v->piece + v->at_piece;
		n = v->n_piece - v->at_piece;
		lf = memchr(from, '\n', n);
		n = lf ? (size_t)(lf - from) : n;
		if (v->line.l + n > VS_LINES_MOST) {
			vs_vcf_feed_fail_long(v->feed.source.name);
			return -3;
		}
		if (kputsn(from, n, &v->line) < 0)
			return -2;
		v->at_piece += n + !!lf;
	}
	if (!lf && v->line.l == begin)
		return -1;
	v->file->lineno++;
	if (v->line.l > begin && v->line.s[v->line.l - 1] == '\r')
		v->line.s[--v->line.l] = 0;
	return (int)(v->line.l - begin);
}

static int
next_line(struct vcf *v)
{
	if (!v->piece)
		return hts_getline(v->file, '\n', &v->line);
	v->line.l = 0;
	return append_line(v);
}

/* The header of packed text, like bcf_hdr_read(). null: -2 or -3 in *said */
static bcf_hdr_t *
read_packed_header(struct vcf *v, int *said)
{
	bcf_hdr_t *h = NULL;
	size_t begin;

	*said = -2;
	v->line.l = 0;
	do {
		begin = v->line.l;
		*said = append_line(v);
		if (*said >= 0 && v->line.s[begin] != '#')
			*said = -2;
		if (*said >= 0 && kputc('\n', &v->line) < 0)
			*said = -2;
	} while (*said >= 0 && !strncmp(v->line.s + begin, "##", 2));
	if (*said >= 0)
		h = bcf_hdr_init("r");
	if (h && bcf_hdr_parse(h, v->line.s) < 0) {
		bcf_hdr_destroy(h);
		h = NULL;
	}
	return h;
}

/* ---- header ---- */

/* htslib had no memory, or could not read; then errno says which. */
static bool
machine_failed(struct hFILE *stream)
{
	if (herrno(stream))
		errno = herrno(stream);
	else if (errno != ENOMEM)
		errno = 0;
	return errno;
}

/* Find the usual causes of a refused header, which htslib does not report. */
static int
explain_header(const struct vcf *v)
{
	const char *name = v->feed.source.name;
	struct vs_lines *l = NULL;
	struct vs_text_pool ids = { 0 };
	struct vs_text_index index = { 0 };
	char *line, *word;
	size_t len;
	int64_t row;
	int code = 0;

	if (v->feed.source.regular && v->text)
		code = vs_lines_open(&l, v->feed.source.path);
	while (l && !code && (code = vs_lines_next(l, &line, &len)) == 1) {
		code = 0;
		if (!strncmp(line, "##", 2))
			continue;
		if (strncmp(line, "#CHROM", 6)) {
			code = vs_lines_fail(l,
				"is no VCF header: neither ## "
				"nor #CHROM");
			break;
		}
		for (int n = 0; (word = strsep(&line, "\t")) && !code; n++)
			if (n >= 9)
				code = vs_text_pool_add(&ids, word,
					strlen(word));
		if (!code)
			code = vs_text_index_make(&index, &ids);
		row = code ? -1 : vs_text_index_duplicate(&index);
		if (row >= 0) {
			word = (char *)vs_text_pool_get(&ids, (size_t)row,
				&len);
			code = vs_lines_fail(l,
				"sample %.*s stands twice; rename or drop one",
				(int)len, word);
		}
		break;
	}
	if (!code)
		code = vs_fail(VS_EINPUT,
			"%s: its header cannot be read as VCF or BCF: cut "
			"short, damaged, without a #CHROM line, or a sample "
			"stands twice",
			name);
	vs_lines_close(l);
	vs_text_index_free(&index);
	vs_text_pool_free(&ids);
	return code;
}

static int
read_contigs(struct vs_reader *r, const bcf_hdr_t *h)
{
	int n = h->n[BCF_DT_CTG], code;

	code = vs_mem_new(&r->contig_length, (size_t)n, sizeof(int64_t),
		"contigs");
	for (int k = 0; k < n && !code; k++) {
		const char *name = h->id[BCF_DT_CTG][k].key;

		if (!name)
			name = "";
		r->contig_length[k] = h->id[BCF_DT_CTG][k].val
			? (int64_t)h->id[BCF_DT_CTG][k].val->info[0]
			: 0;
		code = vs_text_pool_add(&r->contig_name, name, strlen(name));
	}
	return code;
}

static int
open_feed(struct vs_reader *r, struct vcf *v, const char *name)
{
	struct hFILE *stream;
	int fd = -1, n, said = 0, code;

	v->feed.source.fd = -1;
	hts_set_log_level(HTS_LOG_OFF);
	code = vs_vcf_feed_start(&v->feed, name, &fd);
	if (code)
		return code;
	stream = hdopen(fd, "r");
	if (!stream) {
		close(fd);
		return vs_fail_memory("VCF reader", BLOCK);
	}
	name = v->feed.source.name;
	errno = 0;
	v->file = hts_hopen(stream, name, "r");
	if (machine_failed(stream))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot read", name);
	else if (!v->file)
		code = vs_fail(VS_EINPUT, "%s: is no VCF or BCF", name);
	if (!v->file)
		hclose_abruptly(stream);
	if (code)
		return code;
	v->stream = stream;
	if (hts_get_format(v->file)->format != vcf &&
		hts_get_format(v->file)->format != bcf)
		return vs_fail(VS_EINPUT, "%s: is no VCF or BCF once unpacked",
			name);
	v->text = hts_get_format(v->file)->format == vcf;
	if (r->threads > 1 && hts_set_threads(v->file, r->threads))
		return vs_fail(VS_EMACHINE, "cannot start a thread");
	if (v->text && hts_get_format(v->file)->compression != no_compression)
		code = vs_mem_new(&v->piece, BLOCK, 1, "a block of the VCF");
	if (code)
		return code;
	if (!v->text)
		code = vs_bcf_record_check_header(v->file, name);
	if (code)
		return code;
	errno = 0;
	v->header =
		v->piece ? read_packed_header(v, &said) : bcf_hdr_read(v->file);
	if (said == -3)
		return VS_EINPUT;
	if (!v->header && machine_failed(stream))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot read", name);
	if (!v->header)
		return explain_header(v);
	n = bcf_hdr_nsamples(v->header);
	if (n <= 0)
		return vs_fail(VS_EINPUT,
			"%s: has no samples, so there is nothing to compare",
			name);
	for (int q = 0; q < n && !code; q++)
		code = vs_text_pool_add(&r->samples.id, v->header->samples[q],
			strlen(v->header->samples[q]));
	r->samples.n = (size_t)n;
	if (!code)
		code = read_contigs(r, v->header);
	if (!code)
		code = vs_mem_new(&v->codes, ((size_t)n + 3) / 4 + 8, 1,
			"calls");
	v->site = bcf_init();
	if (!code && !v->site)
		code = vs_fail_memory("VCF reader", sizeof(bcf1_t));
	return code;
}

static int
open_vcf(struct vs_reader *r, const char *name)
{
	struct vcf *v = NULL;
	int code = vs_mem_new(&v, 1, sizeof(*v), "VCF reader");

	if (code)
		return code;
	r->state = v;
	code = open_feed(r, v, name);
	/* htslib may have seen an end that was none */
	return code && v->feed.code ? v->feed.code : code;
}

/* ---- calls ---- */

/* one allele of a call */
enum { REF, ALT, MISSING, END, OTHER };

/* what a call becomes; the low two bits are its code */
enum { HAPLOID = 4, HALF = 8, BAD = 16 };

/* by first and second allele */
static const uint8_t call[5][5] = {
	[REF] = { VS_CODE_0, VS_CODE_1, HALF | VS_CODE_MISSING,
		HAPLOID | VS_CODE_0, BAD },
	[ALT] = { VS_CODE_1, VS_CODE_2, HALF | VS_CODE_MISSING,
		HAPLOID | VS_CODE_2, BAD },
	[MISSING] = { HALF | VS_CODE_MISSING, HALF | VS_CODE_MISSING,
		VS_CODE_MISSING, VS_CODE_MISSING, BAD },
	[END] = { VS_CODE_MISSING, VS_CODE_MISSING, VS_CODE_MISSING,
		VS_CODE_MISSING, BAD },
	[OTHER] = { BAD, BAD, BAD, BAD, BAD },
};

static int
kind_of(int32_t x, int32_t end, int n_allele)
{
	int32_t allele = (x >> 1) - 1;

	if (x == end)
		return END;
	if (x < 0 || allele < 0)
		return MISSING;
	return allele >= n_allele || allele > 1 ? OTHER : allele;
}

static int32_t
value_at(const bcf_fmt_t *f, int q, int k)
{
	const uint8_t *p = f->p + (size_t)q * (size_t)f->size;
	int16_t narrow;
	int32_t wide;

	if (f->type == BCF_BT_INT8)
		return (int8_t)p[k];
	if (f->type == BCF_BT_INT16) {
		memcpy(&narrow, p + 2 * k, 2);
		return narrow;
	}
	memcpy(&wide, p + 4 * k, 4);
	return wide;
}

/* "FILE: line 12" of text, "FILE: site 3" of BCF */
static int
fail_here(const struct vcf *v, const char *what, const char *which,
	const char *why)
{
	if (v->feed.code)
		return v->feed.code;
	return vs_fail(VS_EINPUT, "%s: %s %lld%s%s%s%s%s%s",
		v->feed.source.name, v->text ? "line" : "site",
		(long long)(v->text ? v->file->lineno : v->n_seen),
		v->where.len ? " (" : "", v->where.len ? v->where.bytes : "",
		v->where.len ? ")" : "", what, which, why);
}

static int
bad_call(const struct vcf *v, int q, const char *why)
{
	return fail_here(v, ": sample ", v->header->samples[q], why);
}

/* Calls of any width and ploidy, one by one. */
static int
decode_slow(struct vs_reader *r, struct vcf *v, const bcf_fmt_t *f)
{
	int32_t end = f->type == BCF_BT_INT8 ? bcf_int8_vector_end
		: f->type == BCF_BT_INT16    ? bcf_int16_vector_end
					     : bcf_int32_vector_end;

	for (int q = 0; q < v->site->n_sample; q++) {
		int kind[2] = { END, END }, k, did;

		for (k = 0; k < f->n; k++) {
			int x = kind_of(value_at(f, q, k), end,
				v->site->n_allele);

			if (x == END)
				break;
			if (k >= 2)
				return bad_call(v, q,
					": has more than two alleles; calls "
					"must "
					"be haploid or diploid");
			kind[k] = x;
		}
		did = call[kind[0]][kind[1]];
		if (did & BAD)
			return bad_call(v, q,
				": names an allele that the site does not "
				"have");
		r->tally.haploid += !!(did & HAPLOID);
		r->tally.half_missing += !!(did & HALF);
		vs_code_put(v->codes, (size_t)q, did & 3);
	}
	return 0;
}

/* Fast path for two alleles of a byte each, as nearly all calls are. false:
 * take the slow path. */
static bool
decode_fast(struct vs_reader *r, struct vcf *v, const bcf_fmt_t *f)
{
	const uint8_t *p = f->p;
	uint8_t kind[256], did, seen = 0;
	int64_t haploid = 0, half = 0;

	for (int x = 0; x < 256; x++)
		kind[x] = (uint8_t)kind_of((int8_t)x, bcf_int8_vector_end,
			v->site->n_allele);
	for (int q = 0; q < v->site->n_sample; q++) {
		did = call[kind[p[2 * q]]][kind[p[2 * q + 1]]];
		seen |= did;
		haploid += did >> 2 & 1;
		half += did >> 3 & 1;
		vs_code_put(v->codes, (size_t)q, did & 3);
	}
	if (seen & BAD)
		return false;
	r->tally.haploid += haploid;
	r->tally.half_missing += half;
	return true;
}

static int
decode(struct vs_reader *r, struct vcf *v, const bcf_fmt_t *f)
{
	size_t n_bytes = (size_t)(v->site->n_sample + 3) / 4;

	memset(v->codes, 0, n_bytes);
	if (f->n == 2 && f->type == BCF_BT_INT8 && decode_fast(r, v, f))
		return 0;
	memset(v->codes, 0, n_bytes);
	if (f->type != BCF_BT_INT8 && f->type != BCF_BT_INT16 &&
		f->type != BCF_BT_INT32)
		return fail_here(v, ": GT is of a wrong type", "", "");
	return decode_slow(r, v, f);
}

/* ---- sites ---- */

static int
malformed(const struct vcf *v)
{
	if (machine_failed(v->stream))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot read",
			v->feed.source.name);
	return fail_here(v, ": is malformed or cut short", "", "");
}

/*
 * htslib takes a text that is no number for position 0 and passes over columns
 * past the last sample: look at the line before it does.
 */
static int
check_line(const struct vcf *v)
{
	const char *at = v->line.s, *end = at + v->line.l;
	int64_t n_tab = 0, n_sample = bcf_hdr_nsamples(v->header);
	char found[64];

	if (*at == '\t')
		return fail_here(v, ": column 1 is empty", "", "");
	at = memchr(at, '\t', v->line.l);
	at = at ? at + 1 : end;
	while (at < end && *at >= '0' && *at <= '9')
		at++;
	if (at < end && *at != '\t')
		return fail_here(v, ": column 2 is no position", "", "");
	for (at = v->line.s; (at = memchr(at, '\t', (size_t)(end - at))); at++)
		n_tab++;
	if (n_tab == 8 + n_sample)
		return 0;
	snprintf(found, sizeof(found),
		": %lld columns where the header has %lld",
		(long long)n_tab + 1, (long long)n_sample + 9);
	return fail_here(v, found, "", "");
}

/*
 * Read a site like bcf_read(), with -2 replaced by our own error; 1: an easy
 * line, v->easy and v->codes are filled.
 */
static int
read_site(struct vs_reader *r, struct vcf *v)
{
	int said;

	v->where.len = 0;
	errno = 0;
	if (!v->text) {
		said = vs_bcf_record_read(v->file, v->header, v->site,
			v->feed.source.name);
		return said == -2 ? malformed(v) : said;
	}
	said = next_line(v);
	if (said == -1)
		return -1;
	if (said == -3)
		return VS_EINPUT;
	if (said < -1)
		return malformed(v);
	if (memchr(v->line.s, 0, v->line.l))
		return fail_here(v, ": holds a NUL byte; is it a text file?",
			"", "");
	if (vs_vcf_line(v->line.s, v->line.l, r->samples.n, &v->easy, v->codes,
		    &r->tally.half_missing))
		return 1;
	said = check_line(v);
	if (!said && vcf_parse(&v->line, v->header, v->site))
		said = malformed(v);
	return said;
}

/* End of input: check that the file was whole and had sites with GT. */
static int
finish(struct vs_reader *r, struct vcf *v)
{
	int code;

	hts_close(v->file);
	v->file = NULL;
	vs_vcf_feed_stop(&v->feed);
	code = vs_vcf_feed_check_end(&v->feed);
	if (!code && r->tally.no_gt && r->tally.no_gt == v->n_seen)
		code = vs_fail(VS_EINPUT,
			"%s: no site has GT, the calls that are compared",
			v->feed.source.name);
	return code ? code : vs_source_note(&v->feed.source, r->provenance);
}

/*
 * 1: v->site has two alleles and GT, *gt, or null when the line was easy; 0: no
 * more; negative
 */
static int
next_usable(struct vs_reader *r, struct vcf *v, bcf_fmt_t **gt)
{
	int code;

	for (;;) {
		v->n_seen++;
		v->site->errcode = 0;
		code = read_site(r, v);
		*gt = NULL;
		if (code == 1)
			return 1;
		if (code == -1) {
			v->n_seen--;
			return finish(r, v);
		}
		if (!code && bcf_unpack(v->site, BCF_UN_STR | BCF_UN_FMT))
			code = malformed(v);
		if (!code)
			code = vs_text_add(&v->where, "%s:%lld",
				bcf_seqname_safe(v->header, v->site),
				(long long)v->site->pos + 1);
		if (!code &&
			(v->site->n_allele < 1 ||
				v->site->n_sample !=
					bcf_hdr_nsamples(v->header)))
			code = malformed(v);
		if (code)
			return code;
		*gt = bcf_get_fmt(v->header, v->site, "GT");
		if (v->site->n_allele > 2)
			r->tally.multiallelic++;
		else if (!*gt || !(*gt)->p || (*gt)->n < 1)
			r->tally.no_gt++;
		else
			return 1;
	}
}

static int
next_vcf(struct vs_reader *r, struct vs_input_site *site)
{
	struct vcf *v = r->state;
	struct vs_site *s = &site->site;
	bcf_fmt_t *gt = NULL;
	int code = next_usable(r, v, &gt);

	if (code != 1)
		return code;
	site->codes = v->codes;
	if (!gt) {
		*s = v->easy;
		code = vs_reader_name(r, s);
		return code ? code : 1;
	}
	code = decode(r, v, gt);
	if (code)
		return code;
	*s = (struct vs_site){
		.contig = bcf_seqname_safe(v->header, v->site),
		.id = v->site->d.id,
		.pos = v->site->pos + 1,
		.allele = { v->site->d.allele[0],
			v->site->n_allele > 1 ? v->site->d.allele[1] : "." },
	};
	s->contig_len = strlen(s->contig);
	s->id_len = strlen(s->id);
	for (int a = 0; a < 2; a++)
		s->allele_len[a] = strlen(s->allele[a]);
	code = vs_reader_name(r, s);
	return code ? code : 1;
}

static void
close_vcf(struct vs_reader *r)
{
	struct vcf *v = r->state;

	if (!v)
		return;
	if (v->site)
		bcf_destroy(v->site);
	if (v->header)
		bcf_hdr_destroy(v->header);
	if (v->file)
		hts_close(v->file);
	vs_vcf_feed_stop(&v->feed);
	vs_source_close(&v->feed.source);
	free(v->feed.block);
	free(v->codes);
	free(v->line.s);
	free(v->piece);
	vs_text_free(&v->where);
	free(v);
}

static const char *const endings[] = { "vcf.gz", "vcf.bgz", "vcf", "bcf",
	NULL };

const struct vs_reader_kind vs_reader_vcf = {
	.name = "vcf",
	.arg = "FILE",
	.help = "read GT of a VCF or BCF, packed or not; - is standard input",
	.endings = endings,
	.label = { NULL, "alt" },
	.open = open_vcf,
	.next = next_vcf,
	.close = close_vcf,
};
