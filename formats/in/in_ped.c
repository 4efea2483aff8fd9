/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PLINK text reader: PREFIX.ped, a line a sample, and PREFIX.map, a line a
 * site.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/reader.h"
#include "formats/in/sample_table.h"
#include "formats/in/text/lines.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* n_site is set before the first row; the rest is all zero. */
struct sample_rows {
	size_t n_site, n_sample;
	uint8_t *calls; /* ceil(n_site / 4) bytes a sample */
	size_t room;
	uint8_t *block; /* column_bytes a site, of some sites */
	size_t column_bytes;
};

/* Sites transposed together: one cache line of each sample. */
#define SITES 256

/* Add a sample with zero codes; *row is valid until the next call. 0;
 * VS_EMACHINE */
static int
add_row(struct sample_rows *s, uint8_t **row)
{
	size_t bytes = (s->n_site + 3) / 4;
	int code = vs_mem_grow(&s->calls, &s->room, s->n_sample + 1, bytes,
		"calls");

	if (code)
		return code;
	*row = s->calls + s->n_sample++ * bytes;
	memset(*row, 0, bytes);
	return 0;
}

/* Transpose the sites from one on. */
static void
turn(struct sample_rows *s, size_t at)
{
	size_t left = s->n_site - at, n = left < SITES ? left : SITES;
	size_t bytes = (s->n_site + 3) / 4;

	memset(s->block, 0, SITES * s->column_bytes);
	for (size_t q = 0; q < s->n_sample; q++) {
		const uint8_t *row = s->calls + q * bytes + at / 4;

		for (size_t v = 0; v < n; v++)
			vs_code_put(s->block + v * s->column_bytes, q,
				row[v / 4] >> (2 * (v % 4)) & 3);
	}
}

/*
 * Codes of a site, for a reader to deliver: sites must be requested in
 * ascending order, from 0. 0; VS_EMACHINE
 */
static int
give_site(struct sample_rows *s, size_t v, const uint8_t **codes)
{
	int code = 0;

	if (!s->block) {
		s->column_bytes = (s->n_sample + 3) / 4 + 8;
		code = vs_mem_new(&s->block, SITES, s->column_bytes, "calls");
	}
	if (code)
		return code;
	if (v % SITES == 0)
		turn(s, v);
	*codes = s->block + v % SITES * s->column_bytes;
	return 0;
}

static void
free_rows(struct sample_rows *s)
{
	free(s->calls);
	free(s->block);
	memset(s, 0, sizeof(*s));
}

/* A line of the .map, and the alleles met so far as rows of a pool, or -1. */
struct place {
	int64_t pos;
	int64_t allele[2];
};

struct ped {
	const char *ped, *map;
	struct place *place;
	size_t room_place, n_place, at;
	struct vs_text_pool text; /* contig and id of each place */
	struct vs_text_pool allele;
	struct sample_rows rows;
};

/* chromosome, id, optional centimorgans, position */
static int
map_line(struct vs_reader *r, struct ped *p, const struct vs_lines *l,
	char *line)
{
	struct vs_word word[5];
	const size_t n = vs_lines_words(&line, word, 5);
	struct place *x;
	int code = vs_mem_grow(&p->place, &p->room_place, p->n_place + 1,
		sizeof(*p->place), "sites");

	if (code)
		return code;
	if (n < 3 || n > 4)
		return vs_lines_fail(l,
			"%zu columns where chromosome, id, centimorgans and "
			"position are expected",
			n);
	x = p->place + p->n_place;
	x->allele[0] = x->allele[1] = -1;
	if (!vs_reader_position(r, word[n - 1].text, &x->pos))
		return vs_reader_no_position(l, n, word[n - 1].text);
	p->n_place++;
	code = vs_text_pool_add(&p->text, word[0].text, word[0].len);
	return code ? code
		    : vs_text_pool_add(&p->text, word[1].text, word[1].len);
}

static int
read_map(struct vs_reader *r, struct ped *p)
{
	struct vs_lines *l = NULL;
	char *line;
	size_t len;
	int code = vs_lines_open(&l, p->map);

	while (!code && (code = vs_lines_next_data(l, &line, &len)) == 1)
		code = map_line(r, p, l, line);
	if (!code && !p->n_place)
		code = vs_fail(VS_EINPUT, "%s: lists no variants", p->map);
	if (!code)
		code = vs_lines_note(l, r->provenance);
	vs_lines_close(l);
	p->rows.n_site = p->n_place;
	return code;
}

/*
 * Number of an allele: 0 and 1 in their order at this site, 2 missing, 3 a
 * third allele; negative: no memory.
 */
static int
allele_of(struct ped *p, struct place *x, const char *word, size_t len)
{
	int code;

	if (len == 1 && (*word == '0' || *word == '.'))
		return 2;
	for (int a = 0; a < 2; a++) {
		const char *is;
		size_t n;

		if (x->allele[a] < 0) {
			code = vs_text_pool_add(&p->allele, word, len);
			x->allele[a] = (int64_t)p->allele.n - 1;
			return code ? code : a;
		}
		is = vs_text_pool_get(&p->allele, (size_t)x->allele[a], &n);
		if (n == len && !memcmp(is, word, len))
			return a;
	}
	return 3;
}

static int
third(const struct ped *p, const struct vs_lines *l, size_t v, const char *word)
{
	const char *text[3];
	size_t len[3];

	text[2] = vs_text_pool_get(&p->text, 2 * v + 1, &len[2]);
	for (int a = 0; a < 2; a++)
		text[a] = vs_text_pool_get(&p->allele,
			(size_t)p->place[v].allele[a], &len[a]);
	for (int a = 0; a < 3; a++)
		len[a] = len[a] < 40 ? len[a] : 40;
	return vs_lines_fail(l,
		"site %.*s: %.40s is a third allele beside %.*s and %.*s",
		(int)len[2], text[2], word, (int)len[0], text[0], (int)len[1],
		text[1]);
}

static int
wrong_number(const struct ped *p, const struct vs_lines *l, size_t n)
{
	return vs_lines_fail(l, "%zu alleles where %zu sites (%s) have %zu", n,
		p->n_place, p->map, 2 * p->n_place);
}

/* The alleles of a sample, after its six columns. */
static int
sample_calls(struct vs_reader *r, struct ped *p, const struct vs_lines *l,
	char *at)
{
	/* by first and second allele */
	static const uint8_t by_pair[3][3] = {
		{ VS_CODE_0, VS_CODE_1, VS_CODE_MISSING },
		{ VS_CODE_1, VS_CODE_2, VS_CODE_MISSING },
		{ VS_CODE_MISSING, VS_CODE_MISSING, VS_CODE_MISSING },
	};
	uint8_t *row;
	size_t len, extra;
	int code = add_row(&p->rows, &row);

	for (size_t v = 0; v < p->n_place && !code; v++) {
		int a[2];

		for (size_t k = 0; k < 2; k++) {
			char *word = vs_lines_word(&at, &len);

			if (!word)
				return wrong_number(p, l, 2 * v + k);
			a[k] = allele_of(p, p->place + v, word, len);
			if (a[k] < 0)
				return a[k];
			if (a[k] > 2)
				return third(p, l, v, word);
		}
		r->tally.half_missing += (a[0] == 2) != (a[1] == 2);
		vs_code_put(row, v, by_pair[a[0]][a[1]]);
	}
	if (code)
		return code;
	for (extra = 0; vs_lines_word(&at, &len); extra++)
		;
	return extra ? wrong_number(p, l, 2 * p->n_place + extra) : 0;
}

static int
read_ped(struct vs_reader *r, struct ped *p)
{
	struct vs_sample_table fam = { 0 };
	struct vs_lines *l = NULL;
	char *at;
	size_t len;
	int code = vs_lines_open(&l, p->ped);

	while (!code && (code = vs_lines_next_data(l, &at, &len)) == 1) {
		code = vs_sample_table_six(&fam, &r->samples, l, &at);
		if (!code)
			code = sample_calls(r, p, l, at);
	}
	if (!code)
		code = vs_sample_table_end(&fam, &r->samples, p->ped,
			r->status);
	if (!code)
		code = vs_lines_note(l, r->provenance);
	vs_sample_table_free(&fam);
	vs_lines_close(l);
	return code;
}

static int
ped_open(struct vs_reader *r)
{
	struct ped *p = r->state;
	int code;

	p->ped = r->path[0];
	p->map = r->path[1];
	code = read_map(r, p);
	if (!code)
		code = read_ped(r, p);
	r->n_site = (int64_t)p->n_place;
	return code;
}

static int
ped_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct ped *p = r->state;
	struct vs_site *s = &site->site;
	const struct place *x = p->place + p->at;
	int code;

	if (p->at == p->n_place)
		return 0;
	*s = (struct vs_site){ .pos = x->pos };
	s->contig = vs_text_pool_get(&p->text, 2 * p->at, &s->contig_len);
	s->id = vs_text_pool_get(&p->text, 2 * p->at + 1, &s->id_len);
	for (int a = 0; a < 2; a++) {
		s->allele[a] = "0"; /* a .bim writes unseen alleles so */
		s->allele_len[a] = 1;
		if (x->allele[a] >= 0)
			s->allele[a] = vs_text_pool_get(&p->allele,
				(size_t)x->allele[a], &s->allele_len[a]);
	}
	code = give_site(&p->rows, p->at, &site->codes);
	if (!code)
		code = vs_reader_name(r, s);
	p->at++;
	return code ? code : 1;
}

static void
ped_close(struct vs_reader *r)
{
	struct ped *p = r->state;

	free(p->place);
	vs_text_pool_free(&p->text);
	vs_text_pool_free(&p->allele);
	free_rows(&p->rows);
}

static const char *const suffixes[] = { "ped", "map", NULL };

const struct vs_reader_kind vs_reader_ped = {
	.name = "file",
	.arg = "PREFIX",
	.help = "PLINK: PREFIX.ped, PREFIX.map",
	.suffixes = suffixes,
	.phenotypes = true,
	.state = sizeof(struct ped),
	.open = ped_open,
	.next = ped_next,
	.close = ped_close,
};
