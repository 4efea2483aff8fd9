/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * VCF and BCF reader, plain or packed, through htslib; no other file includes
 * htslib. A thread reads the file and feeds htslib by a pipe: so every byte is
 * digested once, standard input is no special case, and the end of the file is
 * seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <htslib/kstring.h>
#include <htslib/vcf.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/in/lines.h"
#include "formats/in/reader.h"
#include "formats/in/source.h"
#include "formats/in/vcf_line.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/thread.h"

#define BLOCK (1 << 18)
#define N_END 28 /* bytes of the empty block that ends a BGZF file */

struct feed {
	struct vs_source source;
	int fd; /* the end that is written to */
	pthread_t thread;
	bool running;
	int code;
	uint8_t *block;
	size_t n_block;
	uint8_t last[N_END]; /* bytes of the file so far */
	bool bgzf, plain;
	uint64_t open; /* bytes of the header so far, then of the last line */
	bool headed;   /* of plain text, the header is over */
};

struct vcf {
	struct feed feed;
	htsFile *file;
	hFILE *stream; /* of file, which closes it */
	bcf_hdr_t *header;
	bcf1_t *site;
	uint8_t *codes;
	bool text;      /* VCF, not BCF */
	kstring_t line; /* of text */
	struct vs_site easy;
	int64_t n_seen;
	struct vs_text where; /* CHROM:POS, once known */
};

/* ---- the thread that feeds ---- */

static void
keep_last(struct feed *f, size_t n)
{
	size_t old = n < N_END ? N_END - n : 0;

	memmove(f->last, f->last + N_END - old, old);
	memcpy(f->last + old, f->block + n - (N_END - old), N_END - old);
}

/* 1 if all was written, 0 if the reader has closed the pipe. */
static int
write_block(struct feed *f, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t did = write(f->fd, f->block + done, n - done);

		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0)
			return 0;
		done += (size_t)did;
	}
	return 1;
}

/*
 * htslib holds the header and a line in memory, whatever their length: bound
 * both, in text that is not packed.
 */
static int
bound_lines(struct feed *f, size_t n)
{
	const uint8_t *at = f->block, *end = at + n, *lf;

	while (f->plain && (lf = memchr(at, '\n', (size_t)(end - at)))) {
		f->open += (uint64_t)(lf + 1 - at);
		at = lf + 1;
		if (f->open > VS_LINES_MOST)
			break;
		f->headed |= at < end && *at != '#';
		if (f->headed)
			f->open = 0;
	}
	if (f->open <= VS_LINES_MOST)
		f->open += f->plain ? (uint64_t)(end - at) : 0;
	if (f->open <= VS_LINES_MOST)
		return 0;
	return vs_fail(VS_EINPUT,
		"%s: has a header or a line of more than %u MiB; is it a VCF?",
		f->source.name, VS_LINES_MOST >> 20);
}

/*
 * Wait until the source has bytes, or its end; false: the reader has closed the
 * pipe. A read of a terminal or a pipe could wait for ever.
 */
static bool
wait_for_source(const struct feed *f)
{
	struct pollfd p[2] = { { f->source.fd, POLLIN, 0 }, { f->fd, 0, 0 } };

	while (poll(p, 2, -1) < 0)
		if (errno != EINTR)
			return true; /* reading tells why */
	return !(p[1].revents & POLLERR);
}

static void *
feed_all(void *arg)
{
	struct feed *f = arg;
	size_t n = f->n_block;
	sigset_t pipe_only;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, NULL);
	while (!f->code && n) {
		keep_last(f, n);
		f->code = bound_lines(f, n);
		if (f->code)
			break;
		if (!write_block(f, n) || !wait_for_source(f))
			break;
		f->code = vs_source_read(&f->source, f->block, BLOCK, &n);
	}
	close(f->fd);
	f->fd = -1;
	return NULL;
}

/* Detect the format from the first bytes, among all that htslib would read. */
static int
feed_sniff(struct feed *f)
{
	const uint8_t *b = f->block;
	size_t got = 1;
	int code = 0;

	while (f->n_block < 18 && got && !code) {
		code = vs_source_read(&f->source, f->block + f->n_block,
			BLOCK - f->n_block, &got);
		f->n_block += code ? 0 : got;
	}
	if (code)
		return code;
	if (!f->n_block)
		return vs_fail(VS_EINPUT, "%s: is empty", f->source.name);
	if (!memcmp(b, "\x28\xb5\x2f\xfd", 4))
		return vs_fail(VS_EINPUT,
			"%s: is packed by zstd; zstd -dc it into --vcf -",
			f->source.name);
	f->bgzf = f->n_block >= 18 && !memcmp(b, "\x1f\x8b\x08\x04", 4) &&
		!memcmp(b + 12, "BC", 2);
	f->plain = !memcmp(b, "##fileformat=VCF", 16);
	if (!f->plain && memcmp(b, "\x1f\x8b", 2) && memcmp(b, "BCF", 3))
		return vs_fail(VS_EINPUT,
			"%s: is no VCF or BCF: it does not begin with "
			"##fileformat=VCF",
			f->source.name);
	return 0;
}

/* *fd_read receives the end to read from. */
static int
feed_start(struct feed *f, const char *name, int *fd_read)
{
	int fd[2], code = vs_source_open(&f->source, name);

	if (!code)
		code = vs_mem_new(&f->block, BLOCK, 1, "a block of the VCF");
	if (!code)
		code = feed_sniff(f);
	if (code)
		return code;
	if (pipe2(fd, O_CLOEXEC))
		return vs_fail_errno(VS_EMACHINE, "cannot make a pipe");
	fcntl(fd[1], F_SETPIPE_SZ, 1 << 20); /* speed only */
	f->fd = fd[1];
	code = vs_thread_start(&f->thread, feed_all, f);
	if (code) {
		close(fd[0]);
		close(fd[1]);
		return code;
	}
	f->running = true;
	*fd_read = fd[0];
	return 0;
}

/* The other end is closed by now. */
static void
feed_stop(struct feed *f)
{
	if (!f->running)
		return;
	pthread_join(f->thread, NULL);
	f->running = false;
}

static int
feed_check_end(const struct feed *f)
{
	static const uint8_t end[N_END] =
		"\037\213\010\4\0\0\0\0\0\377\6\0\102\103\2\0\033\0\3\0\0\0\0\0"
		"\0\0\0";

	if (f->code)
		return f->code;
	if (f->bgzf && memcmp(f->last, end, N_END))
		return vs_fail(VS_EINPUT,
			"%s: is cut short: the block that ends a bgzip file is "
			"missing; restore it",
			f->source.name);
	if (f->plain && f->last[N_END - 1] != '\n')
		return vs_fail(VS_EINPUT,
			"%s: is cut short: it ends within a line; restore it",
			f->source.name);
	return 0;
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
open_vcf(struct vs_reader *r, const char *name)
{
	struct vcf *v = NULL;
	struct hFILE *stream;
	int fd = -1, n, code = vs_mem_new(&v, 1, sizeof(*v), "VCF reader");

	if (code)
		return code;
	r->state = v;
	v->feed.source.fd = -1;
	hts_set_log_level(HTS_LOG_OFF);
	code = feed_start(&v->feed, name, &fd);
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
	errno = 0;
	v->header = bcf_hdr_read(v->file);
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
		said = bcf_read(v->file, v->header, v->site);
		return said < -1 ? malformed(v) : said;
	}
	said = hts_getline(v->file, '\n', &v->line);
	if (said == -1)
		return -1;
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
	feed_stop(&v->feed);
	code = feed_check_end(&v->feed);
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
	feed_stop(&v->feed);
	vs_source_close(&v->feed.source);
	free(v->feed.block);
	free(v->codes);
	free(v->line.s);
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
