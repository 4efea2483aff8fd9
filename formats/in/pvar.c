/* SPDX-License-Identifier: BSD-3-Clause */
/* Parser of a .pvar, PLINK 2's table of variants. */
#include <string.h>

#include "formats/in/pvar.h"
#include "libcore/base/fail.h"

#define MOST_COLUMNS 64 /* header columns that are used */

/* Places of the columns, by the names of the line that begins with #CHROM. */
static int
read_names(struct vs_pvar *p, char *line)
{
	static const char *const name[VS_WORDS] = { "#CHROM", "POS", "ID",
		"REF", "ALT" };
	bool seen[VS_WORDS] = { false };
	char *word;
	size_t len;

	p->tabs = strchr(line, '\t');
	for (size_t k = 0; (word = vs_lines_word(&line, &len)); k++, p->n_all++)
		for (int c = 0; c < VS_WORDS && k < MOST_COLUMNS; c++) {
			if (strcmp(word, name[c]))
				continue;
			if (seen[c])
				return vs_lines_fail(p->lines,
					"column %s occurs twice", name[c]);
			seen[c] = true;
			p->column[c] = (uint8_t)k;
			p->n_column = k + 1;
		}
	for (int c = 0; c < VS_WORDS; c++)
		if (!seen[c])
			return vs_lines_fail(p->lines, "has no column %s",
				name[c]);
	return 0;
}

/* Without a header, a file has the columns of a .bim, with or without Morgans.
 * A .pvar lists REF and ALT where a .bim lists A2 and A1. */
static void
set_bim(struct vs_pvar *p, size_t n)
{
	static const uint8_t at[2][2][VS_WORDS] = {
		{ { 0, 2, 1, 4, 3 }, { 0, 2, 1, 3, 4 } },
		{ { 0, 3, 1, 5, 4 }, { 0, 3, 1, 4, 5 } },
	};

	memcpy(p->column, at[n > 5][p->bim], sizeof(p->column));
	p->n_column = n > 5 ? 6 : 5;
	p->n_all = n;
}

/* Skip to the first line of a variant. */
static int
read_header(struct vs_pvar *p, const char *path)
{
	const char *bytes;
	char *line;
	size_t len, got;
	int code = 0;

	while (!p->bim) {
		code = vs_lines_peek(p->lines, 2, &bytes, &got);
		if (code || !got || *bytes != '#')
			return code;
		code = vs_lines_next(p->lines, &line, &len);
		if (code < 0)
			return code;
		if (strncmp(line, "##", 2))
			break;
	}
	if (p->bim)
		return 0;
	if (strncmp(line, "#CHROM", 6))
		return vs_fail(VS_EINPUT,
			"%s: its header does not begin with #CHROM", path);
	p->named = true;
	return read_names(p, line);
}

int
vs_pvar_open(struct vs_pvar *p, const char *path, bool bim)
{
	int code = vs_lines_open(&p->lines, path);

	p->bim = bim;
	return code ? code : read_header(p, path);
}

/* Split a line into words, and count them, unless tabs separate them: INFO may
 * then have blanks. */
static size_t
split(struct vs_pvar *p, char *line, struct vs_word *word)
{
	size_t n = vs_lines_words(&line, word, p->named ? p->n_column : 6), len;

	while (!p->tabs && vs_lines_word(&line, &len))
		n++;
	if (!p->named && !p->n_column)
		set_bim(p, n);
	return n;
}

/* The columns before INFO have no blanks, which would separate words. */
static int
check_blanks(const struct vs_pvar *p, const char *line)
{
	size_t n_tab = 0;

	/* byte by byte: wide loads would wait for the NUL just stored */
	for (; p->tabs && *line && n_tab < p->n_column; line++) {
		n_tab += *line == '\t';
		if (*line == ' ')
			return vs_lines_fail(p->lines,
				"has a blank; the header separates columns by "
				"tabs, and ids and alleles have no blanks");
	}
	return 0;
}

/* a header without # would be taken for a variant */
static int
check_first(struct vs_pvar *p, char *line)
{
	struct vs_reader r = { 0 };
	struct vs_word word[MOST_COLUMNS];
	struct vs_site site;
	const size_t n = split(p, line, word);

	/* a short line is reported when it is read */
	return n < p->n_column
		? 0
		: vs_reader_words(&r, p->lines, p->column, word, n, &site);
}

int
vs_pvar_count(const char *path, bool bim, uint64_t *n)
{
	struct vs_pvar p = { 0 };
	char *line;
	size_t len;
	int code = vs_pvar_open(&p, path, bim);

	*n = 0;
	while (!code &&
		(code = vs_lines_next_data(p.lines, &line, &len)) == 1) {
		code = !*n && !p.named ? check_first(&p, line) : 0;
		++*n;
	}
	if (!code && !*n)
		code = vs_fail(VS_EINPUT, "%s: lists no variants", path);
	vs_pvar_close(&p);
	return code;
}

static int
shorter(const struct vs_pvar *p)
{
	return vs_fail(VS_EINPUT, "%s: became shorter while it was read",
		vs_lines_name(p->lines));
}

int
vs_pvar_pass(struct vs_pvar *p, uint64_t n)
{
	struct vs_word word[MOST_COLUMNS];
	char *line;
	size_t n_byte;
	int code = 1;

	for (; n-- && code == 1;) {
		code = vs_lines_next_data(p->lines, &line, &n_byte);
		if (code == 1 && !p->n_column)
			split(p, line, word);
	}
	if (!code)
		return shorter(p);
	return code < 0 ? code : 0;
}

int
vs_pvar_next(struct vs_pvar *p, struct vs_reader *r, struct vs_site *site,
	bool *multiallelic)
{
	struct vs_word word[MOST_COLUMNS];
	char *line;
	size_t n;
	int code = vs_lines_next_data(p->lines, &line, &n);

	if (code < 0)
		return code;
	if (!code)
		return shorter(p);
	code = check_blanks(p, line);
	if (code)
		return code;
	n = split(p, line, word);
	if (!p->named && n < 5)
		return vs_lines_fail(p->lines,
			"%zu columns where chromosome, id, centimorgans (which "
			"may be left out), position, A1 and A2 are expected",
			n);
	if (p->tabs ? n < p->n_column : n != p->n_all)
		return vs_lines_fail(p->lines,
			"%zu columns where %zu are expected%s", n, p->n_all,
			n > p->n_all ? "; ids have no blanks" : "");
	if (!p->named && n > p->n_column)
		r->tally.extra = (int64_t)(n - p->n_column);
	code = vs_reader_words(r, p->lines, p->column, word, n, site);
	*multiallelic = !code && !p->bim && strchr(site->allele[1], ',');
	return code;
}

int
vs_pvar_finish(struct vs_pvar *p, struct vs_provenance *provenance)
{
	char *line;
	size_t len;
	int code = vs_lines_next_data(p->lines, &line, &len);

	if (code == 1)
		code = vs_fail(VS_EINPUT, "%s: became longer while it was read",
			vs_lines_name(p->lines));
	return code ? code : vs_lines_note(p->lines, provenance);
}

void
vs_pvar_close(struct vs_pvar *p)
{
	vs_lines_close(p->lines);
	memset(p, 0, sizeof(*p));
}
