/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of the binary case-control data of hiperbio's epistasis programs: a
 * descriptor of five lines (variants, file and number of controls, file and
 * number of cases), and two files of bits.
 *
 * A file holds of each variant a row of bits of genotype 0, then one of
 * genotype 1; of genotype 2 are the samples in neither. Rows are words of 32
 * bits, little-endian, sample 0 in the highest bit, filled up with zeros to a
 * multiple of 1024 samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/lines.h"
#include "formats/in/reader.h"
#include "formats/in/source.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

#define ROW_SAMPLES 1024
#define MOST_SAMPLES ((1 << 24) - 1) /* as vs_reader_open() has it */

static const char *const class_name[2] = { "controls", "cases" };

struct hiperbio {
	char *path[2]; /* of controls and cases */
	int64_t n[2];
	struct vs_source source[2];
	uint8_t *rows[2]; /* of genotypes 0 and 1 of a variant */
	size_t row_bytes[2];
	int64_t at;
	uint8_t *codes;
	char id[32];
};

/* ---- the descriptor ---- */

static int
next_line(struct vs_lines *l, const char *what, char **line)
{
	size_t len;
	int code = vs_lines_next_full(l, line, &len);

	if (!code)
		return vs_fail(VS_EINPUT,
			"%s: ends where the %s should stand; a descriptor has "
			"five lines",
			vs_lines_name(l), what);
	if (code < 0)
		return code;
	*line += strspn(*line, " \t");
	for (len = strlen(*line); len && strchr(" \t", (*line)[len - 1]);)
		(*line)[--len] = 0;
	return 0;
}

static int
read_count(struct vs_lines *l, const char *what, int64_t most, int64_t *n)
{
	char *line;
	int code = next_line(l, what, &line);

	if (code)
		return code;
	if (!vs_num_int(line, n) || *n < 1 || *n > most)
		return vs_lines_fail(l, "%.40s is no %s, 1 to %lld", line, what,
			(long long)most);
	return 0;
}

/* A file's name, beside the descriptor unless it begins with a slash. */
static int
read_path(struct vs_lines *l, const char *what, char **path)
{
	const char *of = vs_lines_name(l), *slash = strrchr(of, '/');
	struct vs_text t = { 0 };
	char *line;
	int code = next_line(l, what, &line);

	if (!code && *line != '/' && slash)
		code = vs_text_put(&t, of, (size_t)(slash - of) + 1);
	if (!code)
		code = vs_text_add(&t, "%s", line);
	if (code)
		vs_text_free(&t);
	else
		*path = t.bytes;
	return code;
}

static int
read_descriptor(struct vs_reader *r, struct hiperbio *h, const char *name)
{
	struct vs_lines *l = NULL;
	char *line;
	size_t len;
	int code = vs_lines_open(&l, name);

	if (!code)
		code = read_count(l, "number of variants", UINT32_MAX,
			&r->n_site);
	for (int c = 0; c < 2 && !code; c++) {
		code = read_path(l,
			c ? "file of the cases" : "file of the controls",
			&h->path[c]);
		if (!code)
			code = read_count(l,
				c ? "number of cases" : "number of controls",
				MOST_SAMPLES, &h->n[c]);
	}
	if (!code && (code = vs_lines_next_full(l, &line, &len)) == 1)
		code = vs_lines_fail(l, "a descriptor has five lines");
	if (!code)
		code = vs_lines_note(l, r->provenance);
	vs_lines_close(l);
	return code;
}

/* ---- the bits ---- */

/* Sizes are held to the file's before anything is allocated by them. */
static int
open_class(struct hiperbio *h, int c, int64_t n_site)
{
	struct vs_source *s = &h->source[c];
	size_t row = (size_t)(h->n[c] + ROW_SAMPLES - 1) / ROW_SAMPLES *
		(ROW_SAMPLES / 8);
	int64_t want = n_site * 2 * (int64_t)row;
	int code = vs_source_open(s, h->path[c]);

	if (!code && !s->regular)
		code = vs_fail(VS_EINPUT, "%s: is not a regular file",
			h->path[c]);
	if (!code && s->size != want)
		code = vs_fail(VS_EINPUT,
			"%s: has %lld bytes where %lld variants of %lld %s "
			"take %lld, rows being filled up to a multiple of %d "
			"samples",
			h->path[c], (long long)s->size, (long long)n_site,
			(long long)h->n[c], class_name[c], (long long)want,
			ROW_SAMPLES);
	h->row_bytes[c] = row;
	return code;
}

static int
make_samples(struct vs_samples *s, const struct hiperbio *h)
{
	int code = vs_sites_samples_number(s, (size_t)(h->n[0] + h->n[1]));

	if (!code)
		code = vs_mem_new(&s->case_status, s->n, 1, "case status");
	for (size_t q = (size_t)h->n[0]; q < s->n && !code; q++)
		s->case_status[q] = 1;
	return code;
}

static int
hiperbio_open(struct vs_reader *r, const char *name)
{
	struct hiperbio *h = NULL;
	int code = vs_mem_new(&h, 1, sizeof(*h), "hiperbio reader");

	if (code)
		return code;
	r->state = h;
	h->source[0].fd = h->source[1].fd = -1;
	code = read_descriptor(r, h, name);
	for (int c = 0; c < 2 && !code; c++)
		code = open_class(h, c, r->n_site);
	if (!code && h->n[0] + h->n[1] > MOST_SAMPLES)
		code = vs_fail(VS_EINPUT, "%s: %lld samples; %d are the most",
			name, (long long)(h->n[0] + h->n[1]), MOST_SAMPLES);
	for (int c = 0; c < 2 && !code; c++)
		code = vs_mem_new(&h->rows[c], 2, h->row_bytes[c], "bits");
	if (!code)
		code = make_samples(&r->samples, h);
	if (!code)
		code = vs_mem_new(&h->codes, (r->samples.n + 3) / 4 + 8, 1,
			"calls");
	return code;
}

static unsigned
bit_of(const uint8_t *row, size_t q)
{
	return row[q / 32 * 4 + 3 - q % 32 / 8] >> (7 - q % 8) & 1;
}

/* Calls of the samples of a class, which begin at that of number first. */
static int
read_calls(struct hiperbio *h, int c, size_t first)
{
	const uint8_t *zero = h->rows[c], *one = zero + h->row_bytes[c];
	size_t n = (size_t)h->n[c], need = 2 * h->row_bytes[c], got;
	int code = vs_source_read(&h->source[c], h->rows[c], need, &got);

	if (code)
		return code;
	if (got < need)
		return vs_fail(VS_EINPUT,
			"%s: has become shorter while it was read", h->path[c]);
	for (size_t q = 0; q < 8 * h->row_bytes[c]; q++) {
		unsigned is0 = bit_of(zero, q), is1 = bit_of(one, q);

		if (q >= n ? is0 | is1 : is0 & is1)
			return vs_fail(VS_EINPUT, "%s: variant %lld: %s %zu %s",
				h->path[c], (long long)h->at + 1,
				q < n ? "sample" : "bit", q + 1,
				q < n ? "has genotypes 0 and 1"
				      : "is set, behind the last sample");
		if (q < n)
			vs_code_put(h->codes, first + q,
				is0           ? VS_CODE_0
					: is1 ? VS_CODE_1
					      : VS_CODE_2);
	}
	return 0;
}

static int
hiperbio_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct hiperbio *h = r->state;
	int code = 0;

	if (h->at == r->n_site) {
		for (int c = 0; c < 2 && !code; c++)
			code = vs_source_note(&h->source[c], r->provenance);
		return code;
	}
	memset(h->codes, 0, (r->samples.n + 3) / 4);
	code = read_calls(h, 0, 0);
	if (!code)
		code = read_calls(h, 1, (size_t)h->n[0]);
	if (code)
		return code;
	h->at++;
	site->site = (struct vs_site){ .id = h->id,
		.contig = "",
		.allele = { "other", "counted" },
		.allele_len = { 5, 7 } };
	site->site.id_len = (size_t)snprintf(h->id, sizeof(h->id), "v%lld",
		(long long)h->at);
	site->codes = h->codes;
	return 1;
}

static void
hiperbio_close(struct vs_reader *r)
{
	struct hiperbio *h = r->state;

	if (!h)
		return;
	for (int c = 0; c < 2; c++) {
		vs_source_close(&h->source[c]);
		free(h->path[c]);
		free(h->rows[c]);
	}
	free(h->codes);
	free(h);
}

const struct vs_reader_kind vs_reader_hiperbio = {
	.name = "hiperbio",
	.arg = "FILE",
	.help = "read the binary data of hiperbio's epistasis programs by "
		"their descriptor of five lines",
	.open = hiperbio_open,
	.next = hiperbio_next,
	.close = hiperbio_close,
};
