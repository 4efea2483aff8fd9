/* SPDX-License-Identifier: BSD-3-Clause */
/* PLINK transposed text reader: PREFIX.tped and PREFIX.tfam. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/reader.h"
#include "formats/in/sample_table.h"
#include "formats/in/text/lines.h"
#include "libcore/base/mem.h"

struct tped {
	const char *tfam;
	struct vs_lines *lines;
	uint8_t *codes;
};

static int
tped_open(struct vs_reader *r)
{
	struct tped *t = r->state;
	int code;

	t->tfam = r->path[1];
	code = vs_lines_open(&t->lines, r->path[0]);
	if (!code)
		code = vs_sample_table_read(&r->samples, t->tfam, VS_SAMPLE_FAM,
			r->status, r->provenance);
	VS_MEM_NEW(&code, t->codes, (r->samples.n + 3) / 4 + 8, "calls");
	return code;
}

/*
 * Number of an allele: 0 and 1 in their order at this site, 2 missing, 3 a
 * third allele.
 */
static int
allele_of(struct vs_site *s, const char *word, size_t len)
{
	if (len == 1 && (*word == '0' || *word == '.'))
		return 2;
	for (int a = 0; a < 2; a++) {
		if (s->allele_len[a] == 1 && *s->allele[a] == '0') {
			s->allele[a] = word;
			s->allele_len[a] = len;
			return a;
		}
		if (s->allele_len[a] == len && !memcmp(s->allele[a], word, len))
			return a;
	}
	return 3;
}

static int
short_line(const struct tped *t, size_t n_sample, size_t n)
{
	return vs_lines_fail(t->lines,
		"%zu alleles where %zu samples (%s) have %zu", n, n_sample,
		t->tfam, 2 * n_sample);
}

static int
calls(struct vs_reader *r, struct tped *t, struct vs_site *s, char *at)
{
	/* by first and second allele */
	static const uint8_t by_pair[3][3] = {
		{ VS_CODE_0, VS_CODE_1, VS_CODE_MISSING },
		{ VS_CODE_1, VS_CODE_2, VS_CODE_MISSING },
		{ VS_CODE_MISSING, VS_CODE_MISSING, VS_CODE_MISSING },
	};
	size_t n = r->samples.n, len, extra;
	const char *id;

	memset(t->codes, 0, (n + 3) / 4);
	for (size_t q = 0; q < n; q++) {
		int a[2] = { 2, 2 };

		for (size_t k = 0; k < 2; k++) {
			char *word = vs_lines_word(&at, &len);

			if (!word)
				return short_line(t, n, 2 * q + k);
			a[k] = allele_of(s, word, len);
			if (a[k] <= 2)
				continue;
			id = vs_text_pool_get(&r->samples.id, q, &len);
			return vs_lines_fail(t->lines,
				"sample %.*s: %.40s is a third allele beside "
				"%.40s and %.40s",
				(int)len, id, word, s->allele[0], s->allele[1]);
		}
		r->tally.half_missing += (a[0] == 2) != (a[1] == 2);
		vs_code_put(t->codes, q, by_pair[a[0]][a[1]]);
	}
	for (extra = 0; vs_lines_word(&at, &len); extra++)
		;
	return extra ? short_line(t, n, 2 * n + extra) : 0;
}

static int
tped_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct tped *t = r->state;
	struct vs_site *s = &site->site;
	static const uint8_t column[VS_WORDS] = { 0, 3, 1, 4, 4 };
	struct vs_word word[4];
	char *at;
	size_t n;
	int code = vs_lines_next_full(t->lines, &at, &n);

	if (!code)
		return vs_lines_note(t->lines, r->provenance);
	if (code < 0)
		return code;
	n = vs_lines_words(&at, word, 4);
	if (n < 4)
		return vs_lines_fail(t->lines,
			"%zu columns where chromosome, id, centimorgans, "
			"position and alleles are expected",
			n);
	code = vs_reader_words(r, t->lines, column, word, n, s);
	if (!code)
		code = calls(r, t, s, at);
	if (code)
		return code;
	code = vs_reader_name(r, s);
	site->codes = t->codes;
	return code ? code : 1;
}

static void
tped_close(struct vs_reader *r)
{
	struct tped *t = r->state;

	vs_lines_close(t->lines);
	free(t->codes);
}

static int
tped_cut(struct vs_reader *r)
{
	struct tped *t = r->state;

	return vs_lines_cut(t->lines, &r->part);
}

static const char *const suffixes[] = { "tped", "tfam", NULL };

const struct vs_reader_kind vs_reader_tped = {
	.name = "tped",
	.arg = "PREFIX",
	.help = "PLINK: PREFIX.tped, PREFIX.tfam",
	.suffixes = suffixes,
	.phenotypes = true,
	.state = sizeof(struct tped),
	.open = tped_open,
	.next = tped_next,
	.close = tped_close,
	.cut = tped_cut,
};
