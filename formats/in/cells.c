/* SPDX-License-Identifier: BSD-3-Clause */
/* Tokeniser of table lines. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/cells.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"

char
vs_cells_apart(const char *line, size_t len)
{
	return memchr(line, '\t', len)   ? '\t'
		: memchr(line, ',', len) ? ','
					 : ' ';
}

static void
trim(struct vs_cell *c)
{
	while (c->len && c->text[c->len - 1] == ' ')
		c->len--;
	while (c->len && *c->text == ' ') {
		c->text++;
		c->len--;
	}
	if (c->len >= 2 && *c->text == '"' && c->text[c->len - 1] == '"') {
		c->text++;
		c->len -= 2;
	}
	c->text[c->len] = 0;
}

static int
add(struct vs_cells *c, char *text, size_t len)
{
	int code = vs_mem_grow(&c->cell, &c->room, c->n + 1, sizeof(*c->cell),
		"columns");

	if (code)
		return code;
	c->cell[c->n] = (struct vs_cell){ text, len };
	trim(&c->cell[c->n++]);
	return 0;
}

/* End of the cell that begins at at; null: the end of the line. */
static char *
cell_end(const struct vs_cells *c, char *at, char *line_end)
{
	char *from = at, *quote;

	while (from < line_end && *from == ' ')
		from++;
	if (from < line_end && *from == '"') {
		quote = memchr(from + 1, '"', (size_t)(line_end - from - 1));
		if (quote && (quote + 1 == line_end || quote[1] == c->apart))
			at = quote;
	}
	return memchr(at, c->apart, (size_t)(line_end - at));
}

int
vs_cells_split(struct vs_cells *c, char *line, size_t len)
{
	char *at = line, *end;
	size_t n;
	int code = 0;

	c->n = 0;
	if (c->apart == ' ') {
		while (!code && (end = vs_lines_word(&at, &n)))
			code = add(c, end, n);
		return code;
	}
	while (!code && (end = cell_end(c, at, line + len))) {
		*end = 0;
		code = add(c, at, (size_t)(end - at));
		at = end + 1;
	}
	return code ? code : add(c, at, len - (size_t)(at - line));
}

void
vs_cells_free(struct vs_cells *c)
{
	free(c->cell);
	memset(c, 0, sizeof(*c));
}

int
vs_cells_line(struct vs_lines *l, char **line, size_t *len)
{
	int code;

	do
		code = vs_lines_next(l, line, len);
	while (code == 1 && strspn(*line, " ") == *len);
	return code;
}

/* One character, as X, or bases. */
static bool
is_allele(const struct vs_cell *c)
{
	static const char bases[] = "ACGTNacgtn";

	return (c->len == 1 && !strchr("012.", *c->text)) ||
		(c->len > 1 && strspn(c->text, bases) == c->len);
}

bool
vs_cells_are_bimbam(const struct vs_cells *c)
{
	double x;

	if (c->n <= VS_BIMBAM_TEXT || vs_cells_is_id(c->cell->text) ||
		!is_allele(&c->cell[1]) || !is_allele(&c->cell[2]))
		return false;
	for (size_t k = VS_BIMBAM_TEXT; k < c->n; k++)
		if (!vs_lines_word_missing(c->cell[k].text, c->cell[k].len) &&
			(!vs_num_real(c->cell[k].text, &x) || x < 0 || x > 2))
			return false;
	return true;
}

bool
vs_cells_is_id(const char *word)
{
	static const char *const words[] = { "", "id", "snp", "variant",
		"marker", "site", "rsid", "rs", "name", "locus", "vector" };

	while (*word == '#')
		word++;
	for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++)
		if (!strcasecmp(word, words[k]))
			return true;
	return false;
}
