/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection of the separator and the header of a text table. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/table_top.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define SEPARATOR_ROWS 100 /* rows that must agree on a separator */

int
vs_table_top_guess(struct vs_table_finding *f, struct vs_text *t, int code)
{
	if (!code)
		code = vs_text_pool_add(&f->s->guess, t->bytes, t->len + 1);
	vs_text_free(t);
	return code;
}

/* ---- lines ---- */

/* Split a copy of a line. */
static int
cut(const struct vs_table_finding *f, size_t row, struct vs_cells *cells,
	char **text, size_t *room)
{
	const struct vs_table_row *r = f->rows->row + row;
	int code = vs_mem_grow(text, room, r->len + 1, 1, "a line");

	if (code)
		return code;
	memcpy(*text, f->rows->text + r->at, r->len + 1);
	return vs_cells_split(cells, *text, r->len);
}

int
vs_table_top_cut(struct vs_table_finding *f, size_t row)
{
	return cut(f, row, &f->cells, &f->text, &f->room_text);
}

static int
cut_head(struct vs_table_finding *f)
{
	int code;

	f->head.apart = f->s->separator;
	code = cut(f, f->first, &f->head, &f->head_text, &f->room_head);
	if (code || f->how->header == 0)
		return code;
	if (f->head.n && f->head.cell->len && *f->head.cell->text == '#') {
		f->head.cell->text++;
		f->head.cell->len--;
		while (f->head.cell->len && *f->head.cell->text == ' ') {
			f->head.cell->text++;
			f->head.cell->len--;
		}
		/* "# a b" between blanks */
		if (!f->head.cell->len && f->head.apart == ' ')
			memmove(f->head.cell, f->head.cell + 1,
				--f->head.n * sizeof(*f->head.cell));
	}
	return 0;
}

/* ---- separator ---- */

/* How well a separator explains the first rows. */
struct fit {
	bool valid;
	uint64_t number, cell; /* after column 1 */
};

static int
try_separator(struct vs_table_finding *f, char separator, struct fit *fit)
{
	size_t last = f->rows->n, head = 0, n = 0;
	int code = 0;

	if (last > f->first + SEPARATOR_ROWS)
		last = f->first + SEPARATOR_ROWS;
	*fit = (struct fit){ 0 };
	f->cells.apart = separator;
	for (size_t r = f->first; r < last && !code; r++) {
		code = vs_table_top_cut(f, r);
		if (r == f->first)
			head = n = f->cells.n;
		else if (r == f->first + 1)
			n = f->cells.n;
		else if (f->cells.n != n)
			return code;
		if (r == f->first && last > r + 1)
			continue;
		for (size_t c = 1; c < f->cells.n; c++) {
			fit->number +=
				vs_table_top_kind(f, f->cells.cell + c) !=
				VS_CELL_TEXT;
			fit->cell++;
		}
	}
	fit->valid = n > 1 && (head == n || head + 1 == n);
	/* g1;1,5 is not a row of two columns, nor is 1,5 */
	if (head == 1 && fit->valid && separator == ',' &&
		vs_table_top_kind(f, f->cells.cell) == VS_CELL_VALUE)
		fit->valid = false;
	if (head == 1 && fit->valid) {
		code = vs_table_top_cut(f, f->first);
		fit->valid = !code && !strpbrk(f->cells.cell->text, "\t,;|");
	}
	return code;
}

static int
find_separator(struct vs_table_finding *f)
{
	static const char some[] = ",;| ";
	const struct vs_table_row *top = f->rows->row + f->first;
	const char *line = f->rows->text + top->at;
	struct fit fit, best = { 0 };
	struct vs_text t = { 0 };
	bool even = false;
	int code = 0;

	f->s->separator = f->how->separator;
	if (!f->s->separator && memchr(line, '\t', top->len))
		f->s->separator = '\t';
	if (f->s->separator)
		return 0;
	for (const char *x = some; *x && !code; x++) {
		if (*x == ',' && f->how->decimal == ',')
			continue;
		code = try_separator(f, *x, &fit);
		if (!fit.valid)
			continue;
		/* a larger share of the cells are numbers */
		if (!best.valid ||
			fit.number * best.cell > best.number * fit.cell) {
			best = fit;
			f->s->separator = *x;
			even = false;
		} else if (fit.number * best.cell == best.number * fit.cell) {
			even = true;
		}
	}
	if (!f->s->separator)
		f->s->separator =
			memchr(line, ',', top->len) && f->how->decimal != ','
			? ','
			: memchr(line, ';', top->len) ? ';'
						      : ' ';
	if (code || (!even && !strchr(";|", f->s->separator)))
		return code;
	return vs_table_top_guess(f, &t,
		vs_text_add(&t,
			"columns are taken to be separated by %s; --separator "
			"states it",
			f->s->separator == ';'           ? "semicolons"
				: f->s->separator == '|' ? "pipes"
				: f->s->separator == ',' ? "commas"
							 : "blanks"));
}

/* ---- the first line ---- */

/*
 * True if the comment before line top is the header: it has as many cells as
 * the rows, and line top is a row.
 */
static int
find_comment(struct vs_table_finding *f, size_t top, bool *header)
{
	const char *line = f->rows->text + f->rows->row[top - 1].at;
	size_t n;
	bool names;
	int code;

	f->first = top;
	code = cut_head(f);
	f->cells.apart = f->s->separator;
	if (!code)
		code = vs_table_top_cut(f, f->rows->n - 1);
	if (code)
		return code;
	n = f->cells.n;
	names = f->head.n < n ||
		(n > 1 && f->head.cell->len &&
			vs_cells_is_id(f->head.cell->text));
	for (size_t c = 0; c < f->head.n && c < n; c++)
		names |= vs_table_top_kind(f, f->head.cell + c) ==
				VS_CELL_TEXT &&
			vs_table_top_kind(f, f->cells.cell + c) ==
				VS_CELL_VALUE;
	f->first = top - 1;
	code = cut_head(f);
	f->first = top;
	/* #OTU ID between tabs is a header, not a comment */
	*header = f->head.n > 1 &&
		(line[1] == ' ' ? !names && f->head.n == n
				: f->head.apart != ' ' ? true
						       : f->head.n == n &&
					(!names ||
						vs_cells_is_id(
							f->head.cell->text)));
	return code;
}

/*
 * Leading lines that begin with # are comments, but the last of them is the
 * header if it has as many cells as the rows.
 */
static int
find_first(struct vs_table_finding *f)
{
	const struct vs_table_rows *rows = f->rows;
	struct vs_text t = { 0 };
	const char *line;
	bool header = true;
	size_t top = 0;
	int code;

	while (top < rows->n && rows->text[rows->row[top].at] == '#')
		top++;
	f->first = top < rows->n ? top : top - 1;
	line = top ? rows->text + rows->row[top - 1].at : "##";
	if (!strncmp(line, "##", 2) || (top == rows->n && line[1] == ' '))
		return top < rows->n
			? find_separator(f)
			: vs_fail(VS_EINPUT, "%s: is empty", f->file);
	code = find_separator(f);
	if (!code && top < rows->n)
		code = find_comment(f, top, &header);
	if (code || !header)
		return code;
	f->first = top - 1;
	if (line[1] != ' ')
		return 0;
	return vs_table_top_guess(f, &t,
		vs_text_add(&t,
			"line %llu is taken for a header, though it begins as "
			"a comment; --header no denies it",
			(unsigned long long)vs_table_top_number(f, f->first)));
}

/* ---- rows ---- */

/* True if all lines are rows of a mean genotype file. */
static int
find_bimbam(struct vs_table_finding *f)
{
	bool *is = &f->s->bimbam;
	int code = 0;

	*is = f->how->header <= 0 && f->how->text_columns < 0 &&
		vs_cells_are_bimbam(&f->head, true);
	f->cells.apart = f->s->separator;
	for (size_t r = f->first + 1; *is && r < f->rows->n && !code; r++) {
		code = vs_table_top_cut(f, r);
		*is = vs_cells_are_bimbam(&f->cells, false);
	}
	if (*is && f->kinds->means)
		f->kinds = f->kinds->means;
	return code;
}

static int
wrong_count(const struct vs_table_finding *f, size_t row)
{
	const size_t n = f->s->n_column;
	const char *line;

	if (row > f->first + 1 || f->how->header == 0)
		return vs_fail(VS_EINPUT,
			"%s: line %llu: %zu columns where the lines before "
			"have %zu",
			f->file,
			(unsigned long long)vs_table_top_number(f, row),
			f->cells.n, f->s->n_column);
	line = f->rows->text + f->rows->row[row].at;
	if (f->s->separator == ' ' && strchr(line, '\t') && !f->how->separator)
		return vs_fail(VS_EINPUT,
			"%s: line %llu: %zu columns where the header, without "
			"tabs, has %zu; separate its columns by tabs, as in "
			"the rows",
			f->file,
			(unsigned long long)vs_table_top_number(f, row), n,
			f->head.n);
	return vs_fail(VS_EINPUT,
		"%s: line %llu: %zu columns where the header has %zu; give "
		"both as many, or the header one less where column 1 holds "
		"names; --header no takes line %llu for a row",
		f->file, (unsigned long long)vs_table_top_number(f, row), n,
		f->head.n,
		(unsigned long long)vs_table_top_number(f, f->first));
}

static void
count_row(struct vs_table_finding *f, size_t row)
{
	for (size_t c = 0; c < f->s->n_column; c++) {
		const struct vs_cell *cell = f->cells.cell + c;
		struct vs_table_tally *t = f->tally + c;
		enum vs_cell_kind kind = vs_table_top_kind(f, cell);

		t->value += kind == VS_CELL_VALUE;
		t->missing += kind == VS_CELL_MISSING;
		t->empty += !cell->len && !cell->quoted;
		t->odd += kind == VS_CELL_ODD;
		t->text += kind == VS_CELL_TEXT;
		t->quoted += cell->quoted && kind != VS_CELL_MISSING;
		t->whole += kind == VS_CELL_VALUE && cell->len &&
			strspn(cell->text, "0123456789") == cell->len;
		if (kind >= VS_CELL_ODD && !t->wrong)
			t->wrong = (uint16_t)row;
		f->unquoted |= kind == VS_CELL_VALUE && !cell->quoted;
	}
}

/* All lines below the first one. */
static int
count_rows(struct vs_table_finding *f)
{
	struct vs_table_shape *s = f->s;
	int code = 0;

	s->n_column = f->head.n;
	f->cells.apart = s->separator;
	f->n_row = f->rows->n - f->first - 1;
	for (size_t r = f->first + 1; r < f->rows->n && !code; r++) {
		code = vs_table_top_cut(f, r);
		if (!code && r == f->first + 1) {
			s->n_column = f->cells.n;
			if (f->head.n != s->n_column &&
				(f->head.n + 1 != s->n_column ||
					f->how->header == 0))
				return wrong_count(f, r);
		}
		if (!code && f->cells.n != s->n_column)
			return wrong_count(f, r);
		if (!f->tally)
			VS_MEM_NEW(&code, f->tally, s->n_column, "columns");
		if (!code)
			count_row(f, r);
	}
	if (!f->tally)
		VS_MEM_NEW(&code, f->tally, s->n_column, "columns");
	return code;
}

/* A header one cell short lacks a name, unless each row ends in a separator. */
static int
check_ends(const struct vs_table_finding *f)
{
	const size_t n = f->s->n_column;

	if (f->head.n == n || f->tally[n - 1].empty < f->n_row)
		return 0;
	return vs_fail(VS_EINPUT,
		"%s: line %llu: rows end in a separator, and the header does "
		"not; remove it from the rows",
		f->file,
		(unsigned long long)vs_table_top_number(f, f->first + 1));
}

/* ---- header ---- */

/* Cells of the first line. */
struct top {
	size_t word; /* after the first cell */
	size_t over; /* of these, over numbers or nothing */
	size_t value, missing;
	/* of the values: digits only; in equal steps, like years */
	bool whole, distinct, even;
};

static int
look_at_top(const struct vs_table_finding *f, struct top *t)
{
	struct vs_text_pool pool = { 0 };
	struct vs_text_index index = { 0 };
	long long before = 0, step = 0;
	bool quoted = f->unquoted;
	int code = 0;

	*t = (struct top){ .whole = true, .even = true };
	for (size_t c = 0; c < f->head.n; c++)
		quoted &= f->head.cell[c].quoted;
	for (size_t c = 0; c < f->head.n && !code; c++) {
		const struct vs_cell *cell = f->head.cell + c;
		const struct vs_table_tally *below = f->tally + c;
		enum vs_cell_kind kind = vs_table_top_kind(f, cell);
		long long x;

		if (kind == VS_CELL_TEXT || quoted ||
			(kind == VS_CELL_ODD && !f->kinds->decimal &&
				!below->odd)) {
			t->word += c > 0;
			t->over += c > 0 && !below->text;
			continue;
		}
		t->missing += kind == VS_CELL_MISSING;
		if (kind == VS_CELL_MISSING)
			continue;
		code = vs_text_pool_add(&pool, cell->text, cell->len);
		t->whole &= strspn(cell->text, "0123456789") == cell->len;
		x = t->whole ? strtoll(cell->text, NULL, 10) : 0;
		if (t->value == 1)
			step = x - before;
		t->even &= t->value < 2 || (x - before == step && step);
		before = x;
		t->value++;
	}
	t->even &= t->value > 2 && t->whole && before >= 100;
	if (!code)
		code = vs_text_index_make(&index, &pool);
	t->distinct = !t->missing && t->value && !code &&
		vs_text_index_duplicate(&index) < 0;
	vs_text_index_free(&index);
	vs_text_pool_free(&pool);
	return code;
}

/* The kinds of characters in a word, with runs collapsed: TP53 -> A9. */
static void
pattern(const char *word, char *to, size_t room)
{
	char last = 0;

	for (; *word && room > 1; word++) {
		char c = *word >= '0' && *word <= '9'  ? '9'
			: *word >= 'a' && *word <= 'z' ? 'a'
			: *word >= 'A' && *word <= 'Z' ? 'A'
						       : *word;

		if (c == last)
			continue;
		*to++ = last = c;
		room--;
	}
	*to = 0;
}

/* True if the first cell looks like an id of the rows, or a word recurs. */
static int
looks_like_row(struct vs_table_finding *f, bool *like)
{
	char top[32], row[32];
	int code = 0;

	*like = false;
	pattern(f->head.cell->text, top, sizeof(top));
	for (size_t r = f->first + 1; r < f->rows->n && !*like && !code; r++) {
		code = vs_table_top_cut(f, r);
		pattern(f->cells.cell->text, row, sizeof(row));
		*like = !strcmp(top, row);
		for (size_t c = 1; c < f->head.n && !*like; c++)
			*like = f->tally[c].text &&
				!strcmp(f->head.cell[c].text,
					f->cells.cell[c].text);
	}
	return code;
}

static int
say_header(struct vs_table_finding *f, bool header)
{
	unsigned long long line = vs_table_top_number(f, f->first);
	struct vs_text t = { 0 };

	f->s->header = header;
	return vs_table_top_guess(f, &t,
		header ? vs_text_add(&t,
				 "line %llu is taken for a header, though it "
				 "has numbers; --header no takes it for a row",
				 line)
		       : vs_text_add(&t,
				 "line %llu is taken for a row, so columns "
				 "have no names; --header yes takes it for a "
				 "header",
				 line));
}

static int
find_header(struct vs_table_finding *f)
{
	const struct vs_cell *first = f->head.cell;
	bool id = f->head.n > 1 && vs_cells_is_id(first->text), like, header;
	bool *is = &f->s->header;
	struct top t;
	int code = look_at_top(f, &t);

	*is = f->how->header > 0;
	if (code || f->how->header >= 0 || f->s->bimbam)
		return code;
	*is = f->head.n < f->s->n_column;
	if (*is)
		return 0;
	if (id || (!f->n_row && t.word)) {
		*is = true;
		return 0;
	}
	/* words over numbers; a row with a wrong cell has numbers, too */
	if (t.over) {
		header = t.word >= t.value || (t.whole && t.distinct);
		if (header && t.value)
			return say_header(f, true);
		*is = header;
		return 0;
	}
	if (!t.value) {
		*is = !t.missing;
		return 0;
	}
	like = true;
	if (vs_table_top_kind(f, first) == VS_CELL_TEXT)
		code = looks_like_row(f, &like);
	header = t.distinct && t.whole &&
		(!like ||
			(t.even &&
				vs_table_top_kind(f, first) == VS_CELL_TEXT));
	if (!code && (header || t.distinct))
		code = say_header(f, header);
	return code;
}

/* Decide whether the first line is a row or names the columns. */
static int
take_header(struct vs_table_finding *f)
{
	struct vs_table_shape *s = f->s;
	size_t lead = s->n_column - f->head.n;
	int code = 0;

	s->line = vs_table_top_number(f, f->first);
	if (s->header && !f->n_row)
		return vs_fail(VS_EINPUT, "%s: has a header and no rows",
			f->file);
	if (!s->header) {
		f->n_row++;
		code = vs_table_top_cut(f, f->first);
		if (!code)
			count_row(f, f->first);
		return code;
	}
	for (size_t c = 0; c < f->head.n && !code; c++)
		code = vs_cells_check_quote(f->head.cell + c, c, f->file,
			s->line);
	for (size_t c = 0; c < s->n_column && !code; c++)
		code = c < lead ? vs_text_pool_add(&s->name, "", 0)
				: vs_text_pool_add(&s->name,
					  f->head.cell[c - lead].text,
					  f->head.cell[c - lead].len);
	return code;
}

int
vs_table_top_find(struct vs_table_finding *f)
{
	int code = find_first(f);

	if (!code)
		code = cut_head(f);
	if (!code)
		code = find_bimbam(f);
	if (!code)
		code = count_rows(f);
	if (!code)
		code = check_ends(f);
	if (!code)
		code = find_header(f);
	return code ? code : take_header(f);
}
