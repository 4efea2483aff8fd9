/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GAMETES reader, text tables of simulated case-control genotypes: a line names
 * the variants and ends in Class, each other line is a sample.
 *
 * Samples are lines, so that all calls are held, at two bits each, and turned
 * over some sites at a time.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/lines.h"
#include "formats/in/reader.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* Sites turned over together: those of a cache line of each sample. */
#define SITES 256

struct gametes {
	struct vs_lines *lines;
	struct vs_text_pool id; /* of the sites */
	uint8_t *calls;         /* row_bytes a sample */
	size_t row_bytes, room_calls, room_status;
	uint8_t *block; /* column_bytes a site, of SITES from those at lo */
	size_t column_bytes, at;
};

static int
read_header(struct gametes *g)
{
	char *line, *word;
	size_t len, n_line;
	bool last = false;
	int code = vs_lines_next_full(g->lines, &line, &n_line);

	if (!code)
		return vs_fail(VS_EINPUT, "%s: is empty",
			vs_lines_name(g->lines));
	if (code < 0)
		return code;
	for (code = 0; !code && (word = vs_lines_word(&line, &len));) {
		if (last)
			return vs_lines_fail(g->lines,
				"column Class should be the last one");
		last = !strcasecmp(word, "Class");
		if (!last)
			code = vs_text_pool_add(&g->id, word, len);
	}
	if (!code && !last)
		return vs_lines_fail(g->lines,
			"the last column should be Class");
	if (!code && !g->id.n)
		return vs_lines_fail(g->lines, "names no variants");
	g->row_bytes = (g->id.n + 3) / 4;
	return code;
}

/* 0, 1 or 2; missing; or -1 */
static int
code_of(const char *word, size_t len)
{
	static const uint8_t by_digit[3] = { VS_CODE_0, VS_CODE_1, VS_CODE_2 };

	if (len == 1 && *word >= '0' && *word <= '2')
		return by_digit[*word - '0'];
	return vs_lines_word_missing(word, len) ? VS_CODE_MISSING : -1;
}

static int
wrong_word(const struct gametes *g, size_t column, const char *word)
{
	size_t len;
	const char *id;

	if (column == g->id.n)
		return vs_lines_fail(g->lines,
			"Class: %.40s is not 0, for a control, or 1", word);
	id = vs_text_pool_get(&g->id, column, &len);
	return vs_lines_fail(g->lines,
		"column %zu (%.*s): %.40s is not a genotype (0, 1, 2 or NA)",
		column + 1, len > 40 ? 40 : (int)len, id, word);
}

/* The calls of a sample and its class. */
static int
sample_line(struct vs_reader *r, struct gametes *g, char *line)
{
	struct vs_samples *s = &r->samples;
	size_t n = g->id.n, c, len;
	uint8_t *row;
	char *word;
	int code = vs_mem_grow(&g->calls, &g->room_calls, s->n + 1,
		g->row_bytes, "calls");

	if (!code)
		code = vs_mem_grow(&s->case_status, &g->room_status, s->n + 1,
			1, "case status");
	if (code)
		return code;
	row = g->calls + s->n * g->row_bytes;
	memset(row, 0, g->row_bytes);
	for (c = 0; (word = vs_lines_word(&line, &len)); c++) {
		int call = c <= n ? code_of(word, len) : 0;

		if (call < 0 || (c == n && call == VS_CODE_2))
			return wrong_word(g, c, word);
		if (c < n)
			vs_code_put(row, c, (unsigned)call);
		else if (c == n)
			s->case_status[s->n] = call == VS_CODE_MISSING
				? 255
				: call == VS_CODE_1;
	}
	if (c != n + 1)
		return vs_lines_fail(g->lines,
			"%zu columns where the header has %zu", c, n + 1);
	s->n++;
	return 0;
}

static int
gametes_open(struct vs_reader *r, const char *name)
{
	struct gametes *g = NULL;
	char *line;
	size_t len;
	int code = vs_mem_new(&g, 1, sizeof(*g), "GAMETES reader");

	if (code)
		return code;
	r->state = g;
	code = vs_lines_open(&g->lines, name);
	if (!code)
		code = read_header(g);
	while (!code && (code = vs_lines_next_full(g->lines, &line, &len)) == 1)
		code = sample_line(r, g, line);
	if (!code && !r->samples.n)
		code = vs_fail(VS_EINPUT, "%s: has a header and no samples",
			vs_lines_name(g->lines));
	if (!code)
		code = vs_sites_samples_number(&r->samples, r->samples.n);
	if (code)
		return code;
	r->n_site = (int64_t)g->id.n;
	g->column_bytes = (r->samples.n + 3) / 4 + 8;
	return vs_mem_new(&g->block, SITES, g->column_bytes, "calls");
}

/* Turn over the sites from the one at g->at on. */
static void
turn(struct gametes *g, size_t n_sample)
{
	size_t left = g->id.n - g->at, n = left < SITES ? left : SITES;

	memset(g->block, 0, SITES * g->column_bytes);
	for (size_t q = 0; q < n_sample; q++) {
		const uint8_t *row = g->calls + q * g->row_bytes + g->at / 4;

		for (size_t v = 0; v < n; v++)
			vs_code_put(g->block + v * g->column_bytes, q,
				row[v / 4] >> (2 * (v % 4)) & 3);
	}
}

static int
gametes_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct gametes *g = r->state;
	struct vs_site *s = &site->site;

	if (g->at == g->id.n)
		return vs_lines_note(g->lines, r->provenance);
	if (g->at % SITES == 0)
		turn(g, r->samples.n);
	*s = (struct vs_site){ .contig = "",
		.allele = { "other", "counted" },
		.allele_len = { 5, 7 } };
	s->id = vs_text_pool_get(&g->id, g->at, &s->id_len);
	site->codes = g->block + g->at % SITES * g->column_bytes;
	g->at++;
	return 1;
}

static void
gametes_close(struct vs_reader *r)
{
	struct gametes *g = r->state;

	if (!g)
		return;
	vs_lines_close(g->lines);
	vs_text_pool_free(&g->id);
	free(g->calls);
	free(g->block);
	free(g);
}

const struct vs_reader_kind vs_reader_gametes = {
	.name = "gametes",
	.arg = "FILE",
	.help = "read a table of GAMETES: samples are lines, the last column "
		"is Class, 0 or 1",
	.open = gametes_open,
	.next = gametes_next,
	.close = gametes_close,
};
