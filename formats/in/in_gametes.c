/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GAMETES reader, text tables of simulated case-control genotypes: a line names
 * the variants and ends in Class, each other line is a sample.
 *
 * Samples are lines, so that all calls are held.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/lines.h"
#include "formats/in/reader.h"
#include "formats/in/sample_rows.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

struct gametes {
	struct vs_lines *lines;
	struct vs_text_pool id; /* of the sites */
	struct vs_sample_rows rows;
	size_t room_status, at;
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
	g->rows.n_site = g->id.n;
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
	int code = vs_sample_rows_add(&g->rows, &row);

	if (!code)
		code = vs_mem_grow(&s->case_status, &g->room_status, s->n + 1,
			1, "case status");
	if (code)
		return code;
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
	r->n_site = (int64_t)g->id.n;
	return code;
}

static int
gametes_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct gametes *g = r->state;
	struct vs_site *s = &site->site;
	int code;

	if (g->at == g->id.n)
		return vs_lines_note(g->lines, r->provenance);
	*s = (struct vs_site){ .contig = "",
		.allele = { "other", "counted" },
		.allele_len = { 5, 7 } };
	s->id = vs_text_pool_get(&g->id, g->at, &s->id_len);
	code = vs_sample_rows_site(&g->rows, g->at++, &site->codes);
	return code ? code : 1;
}

static void
gametes_close(struct vs_reader *r)
{
	struct gametes *g = r->state;

	if (!g)
		return;
	vs_lines_close(g->lines);
	vs_text_pool_free(&g->id);
	vs_sample_rows_free(&g->rows);
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
