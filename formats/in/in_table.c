/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of text tables of numbers, vsim-tsv(5). A line of the file is a line
 * of the matrix.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/in/cells.h"
#include "formats/in/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

struct table {
	struct vs_cells cells;
	size_t n_text, id; /* leading columns of text; the one with the ids */
	char *first;       /* the first row, cut before it is asked for */
};

/* A cell as a number, NaN where it is missing; false: it is neither. */
static bool
number(const struct vs_cell *c, double *x)
{
	uint64_t whole = 0;
	size_t k = 0;
	char *end;

	for (; k < c->len && k < 16 && c->text[k] >= '0' && c->text[k] <= '9';
		k++)
		whole = 10 * whole + (uint64_t)(c->text[k] - '0');
	if (k && k == c->len && k < 16) {
		*x = (double)whole;
		return true;
	}
	if (vs_lines_word_missing(c->text, c->len) && strcmp(c->text, "-9")) {
		*x = NAN;
		return true;
	}
	/* neither 0x10 nor nan(1) */
	if (strspn(c->text, "+-.0123456789eE") != c->len &&
		strcasecmp(c->text + strspn(c->text, "+-"), "inf"))
		return false;
	*x = strtod(c->text, &end);
	return !*end;
}

static bool
is_number(const struct vs_cell *c)
{
	double x;

	return number(c, &x);
}

/* "Family ID", "gene_id": a column of names, even where they are digits. */
static bool
ends_in_id(const struct vs_cell *c)
{
	return c->len > 3 && strchr(" _.-", c->text[c->len - 3]) &&
		!strcasecmp(c->text + c->len - 2, "id");
}

static bool
names_ids(const struct vs_cell *c)
{
	return vs_cells_is_id(c->text) || ends_in_id(c);
}

/* A header holds, behind its first cell, a word that is no number. */
static bool
is_header(const struct vs_matrix *m, const struct vs_cells *c)
{
	if (m->how.header >= 0)
		return m->how.header;
	if (vs_cells_are_bimbam(c))
		return false;
	for (size_t k = c->n > 1; k < c->n; k++)
		if (!is_number(&c->cell[k]))
			return true;
	return c->n > 1 && c->cell->len && names_ids(c->cell);
}

/*
 * Count the columns before the numbers, and find the one with the ids.
 *
 * line  number of the first line
 * head  of n_head cells, as many as the rows or one less; null: none
 */
static int
choose_columns(struct vs_matrix *m, uint64_t line, const struct vs_cell *head,
	size_t n_head)
{
	struct table *t = m->state;
	const struct vs_cell *cell = t->cells.cell;
	size_t n = t->cells.n, lead = n_head < n;

	if (head && n_head != n && n_head + 1 != n)
		return vs_lines_fail(m->lines,
			"%zu columns where the header has %zu; give both as "
			"many, or the header one less where column 1 holds "
			"names; --header no takes line %llu for a row",
			n, n_head, (unsigned long long)line);
	if (head && lead && m->how.text_columns == 0)
		return vs_lines_fail(m->lines,
			"%zu columns where the header has %zu: column 1 holds "
			"names, which --text-columns 0 denies; leave it out",
			n, n_head);
	t->n_text = head ? lead : 0;
	while (m->how.text_columns < 0 && t->n_text < n &&
		(!is_number(&cell[t->n_text]) ||
			(head && n_head > 1 && t->n_text >= lead &&
				names_ids(&head[t->n_text - lead]))))
		t->n_text++;
	if (m->how.text_columns >= 0)
		t->n_text = (size_t)m->how.text_columns;
	if (t->n_text >= n)
		return vs_lines_fail(m->lines,
			"no number stands in its %zu columns", n);
	for (size_t k = lead; head && k < t->n_text; k++)
		if (names_ids(&head[k - lead]))
			t->id = k;
	return 0;
}

static int
name_cells(struct vs_matrix *m, uint64_t line, const struct vs_cell *head,
	size_t n_head)
{
	struct table *t = m->state;
	size_t lead = n_head < t->cells.n;
	int code = 0;

	m->n_cell = t->cells.n - t->n_text;
	for (size_t k = 0; head && k < m->n_cell && !code; k++) {
		const struct vs_cell *c = head + t->n_text + k - lead;

		if (!c->len)
			return vs_fail(VS_EINPUT,
				"%s: line %llu, column %zu: the column has no "
				"name",
				vs_lines_name(m->lines),
				(unsigned long long)line,
				(size_t)(c - head) + 1);
		code = vs_text_pool_add(&m->cell_id, c->text, c->len);
	}
	if (!code)
		code = vs_text_add(&m->note, "line %llu %s; ",
			(unsigned long long)line,
			head ? "is a header"
			     : "is a row, columns have no names");
	if (!code)
		code = t->n_text
			? vs_text_add(&m->note,
				  "columns of text: %zu, ids in column %zu",
				  t->n_text, t->id + 1)
			: vs_text_add(&m->note, "no column holds ids");
	return code;
}

/* The first line that is no comment. */
static int
top_line(struct vs_matrix *m, char **line, size_t *len)
{
	int code;

	do
		code = vs_cells_line(m->lines, line, len);
	while (code == 1 &&
		(!strncmp(*line, "##", 2) || !strncmp(*line, "# ", 2)));
	if (!code)
		code = vs_fail(VS_EINPUT, "%s: is empty",
			vs_lines_name(m->lines));
	return code < 0 ? code : 0;
}

/* Cut the first row, which a header may precede. */
static int
first_row(struct vs_matrix *m, char *line, size_t len, bool header)
{
	struct table *t = m->state;
	int code = 1;

	if (header)
		code = vs_cells_line(m->lines, &line, &len);
	if (!code)
		code = vs_fail(VS_EINPUT, "%s: has a header and no rows",
			vs_lines_name(m->lines));
	if (code == 1)
		code = vs_mem_copy_text(&t->first, line);
	return code ? code : vs_cells_split(&t->cells, t->first, len);
}

static int
table_open(struct vs_matrix *m)
{
	struct vs_cells head = { 0 };
	struct table *t = NULL;
	char *line, *top = NULL;
	uint64_t number_of_top;
	size_t len;
	bool header;
	int code = vs_mem_new(&t, 1, sizeof(*t), "table reader");

	if (code)
		return code;
	m->state = t;
	code = top_line(m, &line, &len);
	if (code)
		return code;
	number_of_top = vs_lines_number(m->lines);
	t->cells.apart = head.apart = vs_cells_apart(line, len);
	code = vs_mem_copy_text(&top, line);
	if (!code)
		code = vs_cells_split(&head, top, len);
	if (code)
		goto out;
	header = is_header(m, &head);
	if (header && *head.cell->text == '#') {
		head.cell->text++;
		head.cell->len--;
	}
	code = first_row(m, line, len, header);
	if (!code)
		code = choose_columns(m, number_of_top,
			header ? head.cell : NULL,
			header ? head.n : t->cells.n);
	if (!code)
		code = name_cells(m, number_of_top, header ? head.cell : NULL,
			header ? head.n : t->cells.n);
out:
	vs_cells_free(&head);
	free(top);
	return code;
}

static void
table_place(const struct vs_matrix *m, uint64_t cell, char *text, size_t room)
{
	const struct table *t = m->state;
	size_t len = 0;
	const char *id =
		m->cell_id.n ? vs_text_pool_get(&m->cell_id, cell, &len) : "";
	size_t show = len > 40 ? 40 : len;

	snprintf(text, room, "line %llu, column %llu%s%.*s%s",
		(unsigned long long)vs_lines_number(m->lines),
		(unsigned long long)(cell + t->n_text + 1), show ? " (" : "",
		(int)show, id, show ? ")" : "");
}

static int
table_next(struct vs_matrix *m, double *cell)
{
	struct table *t = m->state;
	char *line, place[VS_MATRIX_PLACE];
	size_t len;
	int code = 1;

	if (m->n_given) { /* the first row is cut already */
		code = vs_cells_line(m->lines, &line, &len);
		if (code == 1)
			code = vs_cells_split(&t->cells, line, len);
		else if (!code)
			return 0;
		if (code)
			return code;
	}
	if (t->cells.n != m->n_cell + t->n_text)
		return vs_lines_fail(m->lines,
			"%zu columns where the lines before have %llu",
			t->cells.n,
			(unsigned long long)(m->n_cell + t->n_text));
	m->line_id = t->n_text ? t->cells.cell[t->id].text : "";
	m->line_id_len = t->n_text ? t->cells.cell[t->id].len : 0;
	for (size_t k = 0; k < m->n_cell; k++) {
		const struct vs_cell *c = &t->cells.cell[t->n_text + k];

		if (number(c, &cell[k]))
			continue;
		table_place(m, k, place, sizeof(place));
		return vs_fail(VS_EINPUT,
			"%s: %s: %.40s is not a number; columns of text must "
			"come first (--text-columns says how many)",
			vs_lines_name(m->lines), place, c->text);
	}
	return 1;
}

static void
table_close(struct vs_matrix *m)
{
	struct table *t = m->state;

	if (!t)
		return;
	vs_cells_free(&t->cells);
	free(t->first);
	free(t);
}

/* The first row, cut already, is of the first part. */
static int
table_cut(struct vs_matrix *m)
{
	m->n_given = m->part.k > 1;
	return vs_lines_cut(m->lines, &m->part);
}

static bool
table_is(const char *bytes, size_t n)
{
	(void)bytes;
	(void)n;
	return true;
}

const struct vs_matrix_kind vs_matrix_table = {
	.is = table_is,
	.open = table_open,
	.next = table_next,
	.place = table_place,
	.close = table_close,
	.cut = table_cut,
};
