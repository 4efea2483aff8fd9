/* SPDX-License-Identifier: BSD-3-Clause */
/* Dialect detection for text tables: ids, fields and other columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/table_shape.h"
#include "formats/in/table_top.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define NAMES 8 /* columns that a message lists */

const char *
vs_table_how_states(const struct vs_table_how *how)
{
	return how->header >= 0          ? "header"
		: how->text_columns >= 0 ? "text-columns"
		: how->separator         ? "separator"
		: how->decimal == ','    ? "decimal"
		: how->id                ? "id-column"
		: how->drop              ? "drop-columns"
		: how->missing           ? "missing-word"
					 : NULL;
}

/* ---- words ---- */

static const char *
name_of(const struct vs_table_shape *s, size_t c, size_t *len)
{
	*len = 0;
	return s->name.n ? vs_text_pool_get(&s->name, c, len) : "";
}

void
vs_table_shape_column(const struct vs_table_shape *s, size_t c, char *text,
	size_t room)
{
	size_t len;
	const char *name = name_of(s, c, &len);

	if (len)
		snprintf(text, room, "column %zu (%.*s)", c + 1,
			len > 40 ? 40 : (int)len, name);
	else
		snprintf(text, room, "column %zu", c + 1);
}

/* A column in the form that --drop-columns takes: its name, or its number. */
static int
put_word(struct vs_text *t, const struct vs_table_shape *s, size_t c)
{
	size_t len;
	const char *name = name_of(s, c, &len);

	if (!len || len > 60 || memchr(name, ',', len) ||
		memchr(name, ' ', len))
		return vs_text_add(t, "%zu", c + 1);
	return vs_text_put(t, name, len);
}

/* List the columns that are marked, some of them by name. */
static void
put_list(struct vs_text *t, const struct vs_table_shape *s,
	const uint8_t *marked, const char *between)
{
	size_t n = 0, k = 0;

	for (size_t c = 0; c < s->n_column; c++)
		n += marked[c];
	for (size_t c = 0; c < s->n_column && k < NAMES; c++) {
		if (!marked[c])
			continue;
		vs_text_add(t, "%s", k++ ? between : "");
		put_word(t, s, c);
	}
	if (n > NAMES)
		vs_text_add(t, "%sand %zu more", between, n - NAMES);
}

/* ---- columns ---- */

enum holds { NOTHING, NUMBERS, WORDS, BOTH };

/* Content of a column, including the first line if that is a row. */
static enum holds
holds(const struct vs_table_finding *f, size_t c)
{
	const struct vs_table_tally *t = f->tally + c;
	size_t n = (size_t)t->value + t->odd + t->text;

	/* if other numbers have no quotes, quotes mean text, except for
	 * "1,5" */
	if (n && t->quoted == n && f->unquoted &&
		!(f->kinds->decimal && t->odd))
		return WORDS;
	if (t->text)
		return t->value ? BOTH : WORDS;
	return n ? NUMBERS : NOTHING;
}

/* True if a column's cells are non-empty and differ in the rows read ahead. */
static int
is_distinct(struct vs_table_finding *f, size_t c, bool *distinct)
{
	struct vs_text_pool pool = { 0 };
	struct vs_text_index index = { 0 };
	size_t from = f->first + f->s->header;
	int code = 0;

	*distinct = true;
	for (size_t r = from; r < f->rows->n && !code; r++) {
		code = vs_table_top_cut(f, r);
		*distinct &= vs_table_top_kind(f, f->cells.cell + c) !=
			VS_CELL_MISSING;
		if (!code)
			code = vs_text_pool_add(&pool, f->cells.cell[c].text,
				f->cells.cell[c].len);
	}
	if (!code)
		code = vs_text_index_make(&index, &pool);
	*distinct &= !code && vs_text_index_duplicate(&index) < 0;
	vs_text_index_free(&index);
	vs_text_pool_free(&pool);
	return code;
}

static bool
is_named(const struct vs_table_finding *f, size_t c,
	bool (*is)(const char *word))
{
	char word[64];
	size_t len;
	const char *name = name_of(f->s, c, &len);

	if (!f->s->name.n || len >= sizeof(word))
		return false;
	memcpy(word, name, len);
	word[len] = 0;
	return is(word);
}

static bool
is_called(const struct vs_table_shape *s, size_t c, const char *word, size_t n)
{
	size_t len;
	const char *name = name_of(s, c, &len);

	return len && len == n && !memcmp(name, word, n);
}

/* Find a column by its name, else by its number. */
static int
find_column(const struct vs_table_finding *f, const char *option,
	const char *word, size_t len, size_t *column)
{
	const struct vs_table_shape *s = f->s;
	unsigned long long n;
	char *end;

	for (*column = 0; *column < s->n_column; ++*column)
		if (is_called(s, *column, word, len))
			return 0;
	n = strtoull(word, &end, 10);
	if (end == word + len && n > 0 && n <= s->n_column) {
		*column = n - 1;
		return 0;
	}
	return vs_fail(VS_EINPUT,
		"%s: --%s %.*s: no column has this name, and numbers go from 1 "
		"to %zu",
		f->file, option, len > 60 ? 60 : (int)len, word, s->n_column);
}

static int
drop_columns(struct vs_table_finding *f)
{
	const char *at = f->how->drop;
	size_t c;
	int code = 0;

	while (at && *at && !code) {
		size_t n = strcspn(at, ",");

		code = find_column(f, "drop-columns", at, n, &c);
		if (!code)
			f->s->column[c] = VS_COLUMN_DROPPED;
		/* also the other columns of that name */
		for (c++; !code && c < f->s->n_column; c++)
			if (is_called(f->s, c, at, n))
				f->s->column[c] = VS_COLUMN_DROPPED;
		at += n + (at[n] == ',');
	}
	return code;
}

/* True if the header names ids, over words or over whole numbers. */
static bool
names_ids(const struct vs_table_finding *f, size_t c)
{
	size_t len;

	name_of(f->s, c, &len);
	return is_named(f, c, vs_cells_is_id) &&
		(holds(f, c) != NUMBERS || !len ||
			f->tally[c].whole == f->n_row);
}

/*
 * Number of leading text columns: up to the last column of words, or the first
 * column if its header names ids. Known annotation columns of numbers may come
 * between, such as Start and End of featureCounts.
 */
static size_t
leading(const struct vs_table_finding *f)
{
	size_t edge = 0;

	for (size_t c = 0; c < f->s->n_column; c++) {
		if (f->s->column[c] == VS_COLUMN_DROPPED)
			continue;
		if (holds(f, c) == WORDS || (!c && names_ids(f, c)))
			edge = c + 1;
		else if (holds(f, c) != NOTHING &&
			!is_named(f, c, vs_cells_is_annotation))
			break;
	}
	return edge;
}

/* The first column below hi whose header names ids, else the first with
 * words. */
static int64_t
first_ids(const struct vs_table_finding *f, size_t hi)
{
	int64_t words = -1;

	for (size_t c = 0; c < hi; c++) {
		if (f->s->column[c] == VS_COLUMN_DROPPED)
			continue;
		if (names_ids(f, c) && (!c || holds(f, c) == WORDS))
			return (int64_t)c;
		if (words < 0 && holds(f, c) == WORDS)
			words = (int64_t)c;
	}
	return words;
}

static int
say_ids(struct vs_table_finding *f, size_t c, const char *why)
{
	char place[VS_TABLE_PLACE];
	struct vs_text t = { 0 };

	vs_table_shape_column(f->s, c, place, sizeof(place));
	return vs_table_top_guess(f, &t,
		vs_text_add(&t, "%s is taken for the ids%s", place, why));
}

/* If its header names ids, take the next column for ids, since those before are
 * not unique. */
static int
find_better(struct vs_table_finding *f, size_t *edge)
{
	const struct vs_table_shape *s = f->s;
	size_t c = *edge;
	bool distinct = false;
	int code = 0;

	while (c < s->n_column && holds(f, c) == NOTHING)
		c++;
	if (!c || c == s->n_column || holds(f, c) != NUMBERS || s->column[c] ||
		!names_ids(f, c) ||
		(s->id >= 0 && is_named(f, (size_t)s->id, vs_cells_is_id)))
		return 0;
	if (s->id >= 0)
		code = is_distinct(f, (size_t)s->id, &distinct);
	if (code || distinct)
		return code;
	f->s->id = (int64_t)c;
	*edge = c;
	return say_ids(f, c,
		", as the columns before it repeat or are empty; --id-column "
		"states it");
}

/* Numbers and words in the first column, whose header does not name ids. */
static int
find_mixed(struct vs_table_finding *f)
{
	const struct vs_table_tally *t = f->tally;

	if (f->s->id >= 0 || f->s->column[0] == VS_COLUMN_DROPPED ||
		holds(f, 0) != BOTH || t->text <= t->value)
		return 0;
	f->s->id = 0;
	return say_ids(f, 0,
		", though it holds numbers, too; --text-columns 0 denies it");
}

/* Ids that look like numbers, recognised by their header only. */
static int
check_numbers(struct vs_table_finding *f)
{
	size_t c = (size_t)f->s->id;
	bool distinct;
	int code;

	if (f->s->id < 0 || f->s->header == 0 || holds(f, c) != NUMBERS)
		return 0;
	code = is_distinct(f, c, &distinct);
	if (code || distinct)
		return code;
	return say_ids(f, c,
		", though some repeat; --text-columns 0 makes it a field");
}

static int
find_ids(struct vs_table_finding *f, size_t *edge)
{
	struct vs_table_shape *s = f->s;
	bool lead = s->header && f->head.n < s->n_column;
	int code = 0;

	*edge = leading(f);
	s->id = lead && s->column[0] != VS_COLUMN_DROPPED ? 0
							  : first_ids(f, *edge);
	*edge += lead && !*edge;
	if (!lead)
		code = find_better(f, edge);
	if (!code)
		code = find_mixed(f);
	for (size_t c = 0; c < s->n_column && s->id < 0 && !code; c++)
		if (holds(f, c) == WORDS && !s->column[c] &&
			is_named(f, c, vs_cells_is_id)) {
			s->id = (int64_t)c;
			code = say_ids(f, c, "; --id-column states it");
		}
	if (!code && !lead)
		code = check_numbers(f);
	s->id_is_text = s->id >= 0 && !lead && holds(f, s->id) == WORDS &&
		!is_named(f, (size_t)s->id, vs_cells_is_id);
	return code;
}

/* Text columns counted by an option. */
static int
take_stated(struct vs_table_finding *f, size_t n)
{
	struct vs_table_shape *s = f->s;

	if (s->header && f->head.n < s->n_column && !n)
		return vs_fail(VS_EINPUT,
			"%s: line %llu: %zu columns where the header has %zu: "
			"column 1 holds names; omit --text-columns 0",
			f->file,
			(unsigned long long)vs_table_top_number(f,
				f->first + 1),
			s->n_column, f->head.n);
	n = n < s->n_column ? n : s->n_column;
	for (size_t c = 0; c < n; c++)
		if (!s->column[c] &&
			(s->id < 0 ||
				(!f->how->id &&
					!is_named(f, (size_t)s->id,
						vs_cells_is_id) &&
					is_named(f, c, vs_cells_is_id))))
			s->id = (int64_t)c;
	for (size_t c = 0; c < n; c++)
		s->column[c] = VS_COLUMN_DROPPED;
	return 0;
}

/* The text columns that are left out, and the fields that remain. */
static int
say_left_out(struct vs_table_finding *f, const uint8_t *out)
{
	struct vs_table_shape *s = f->s;
	struct vs_text t = { 0 };
	uint8_t *field = NULL;
	size_t n = 0;
	int code = vs_mem_new(&field, s->n_column, 1, "columns");

	for (size_t c = 0; c < s->n_column && !code; c++) {
		n += out[c];
		field[c] = s->column[c] == VS_COLUMN_FIELD;
	}
	if (code || !n) {
		free(field);
		return code;
	}
	vs_text_add(&t, "columns left out as text or annotation: ");
	put_list(&t, s, out, ", ");
	vs_text_add(&t, "; fields: ");
	put_list(&t, s, field, ", ");
	vs_text_add(&t, "; --drop-columns ");
	put_list(&t, s, out, ",");
	free(field);
	return vs_table_top_guess(f, &t, vs_text_add(&t, " confirms it"));
}

/* Tables of PLINK --recode A, whose columns before the calls hold numbers. */
static int
refuse_recoded(const struct vs_table_finding *f)
{
	const struct vs_table_shape *s = f->s;

	if (f->how->drop || f->how->text_columns >= 0 || s->n_column < 6)
		return 0;
	if (is_called(s, 1, "IID", 3) && is_called(s, 4, "SEX", 3) &&
		is_called(s, 5, "PHENOTYPE", 9))
		return vs_fail(VS_EINPUT,
			"%s: is a .raw of PLINK, with samples as rows; read "
			"the .bed, or write variants as rows: plink --recode "
			"A-transpose",
			f->file);
	if (is_called(s, 3, "POS", 3) && is_called(s, 4, "COUNTED", 7))
		return vs_fail(VS_EINPUT,
			"%s: is a .traw of PLINK; read its genotypes by "
			"--drop-columns 1,3,4,5,6",
			f->file);
	return 0;
}

static int
take_found(struct vs_table_finding *f, uint8_t *out)
{
	struct vs_table_shape *s = f->s;
	size_t edge = 0;
	int code = refuse_recoded(f);

	if (!code && f->how->text_columns < 0 && s->id < 0)
		code = find_ids(f, &edge);
	if (f->how->text_columns < 0 && f->how->id)
		edge = leading(f);
	for (size_t c = 0; c < s->n_column; c++) {
		if ((int64_t)c == s->id || s->column[c])
			continue;
		out[c] = holds(f, c) == WORDS || c < edge ||
			(holds(f, c) == NOTHING &&
				is_named(f, c, vs_cells_is_annotation));
		if (out[c])
			s->column[c] = holds(f, c) == WORDS ? VS_COLUMN_TEXT
							    : VS_COLUMN_DROPPED;
	}
	if (!code && s->id >= 0)
		s->column[s->id] = VS_COLUMN_ID;
	return code ? code : say_left_out(f, out);
}

int
vs_table_shape_wrong(const struct vs_table_shape *s, const char *file,
	uint64_t line, size_t c, const struct vs_cell *cell,
	const struct vs_table_how *how, const struct vs_table_cells *cells)
{
	struct vs_text t = { 0 };
	char place[VS_TABLE_PLACE];
	int code = put_word(&t, s, c);

	vs_table_shape_column(s, c, place, sizeof(place));
	if (code)
		return code;
	if (cells->decimal && cells->kind(cell, how) == VS_CELL_ODD &&
		!strchr("#?", *cell->text))
		code = vs_fail(VS_EINPUT,
			how->decimal == ','
				? "%s: line %llu, %s: %.40s is not a number "
				  "with a decimal comma: take separators of "
				  "thousands out, or omit --decimal; "
				  "--drop-columns %s leaves the column out"
				: s->separator == ';'
				? "%s: line %llu, %s: %.40s is not a number "
				  "with a decimal point, and columns are "
				  "separated by semicolons: --decimal , reads "
				  "decimal commas; take separators of "
				  "thousands out; --drop-columns %s leaves the "
				  "column out"
				: "%s: line %llu, %s: %.40s is not a number "
				  "with a decimal point: --decimal , reads "
				  "decimal commas; take separators of "
				  "thousands out; --drop-columns %s leaves the "
				  "column out",
			file, (unsigned long long)line, place, cell->text,
			t.bytes);
	else
		code = vs_fail(VS_EINPUT,
			c ? "%s: line %llu, %s: %.40s is not %s; "
			    "--missing-word '%.40s' takes it for missing, "
			    "--drop-columns %s leaves the column out"
			  : "%s: line %llu, %s: %.40s is not %s; "
			    "--missing-word '%.40s' takes it for missing, "
			    "--drop-columns %s leaves the column out, "
			    "--text-columns 1 takes the column for ids",
			file, (unsigned long long)line, place, cell->text,
			cells->what, cell->text, t.bytes);
	vs_text_free(&t);
	return code;
}

static int
wrong_cell(struct vs_table_finding *f, size_t c)
{
	size_t row = f->tally[c].wrong ? f->tally[c].wrong : f->first;
	int code = vs_table_top_cut(f, row);

	return code ? code
		    : vs_table_shape_wrong(f->s, f->file,
			      vs_table_top_number(f, row), c, f->cells.cell + c,
			      f->how, f->kinds);
}

/* If one field has a name, every field has one, and all hold values. */
static int
check_fields(struct vs_table_finding *f)
{
	struct vs_table_shape *s = f->s;

	for (size_t c = 0; c < s->n_column; c++) {
		size_t len;

		if (s->column[c] != VS_COLUMN_FIELD)
			continue;
		s->n_field++;
		name_of(s, c, &len);
		if (s->header && !len)
			return vs_fail(VS_EINPUT,
				"%s: line %llu, column %zu: the column has no "
				"name; --drop-columns %zu leaves it out",
				f->file, (unsigned long long)s->line, c + 1,
				c + 1);
		if (!s->header && c + 1 == s->n_column &&
			f->tally[c].empty == f->n_row)
			return vs_fail(VS_EINPUT,
				"%s: line %llu: rows end in a separator; "
				"--drop-columns %zu leaves the empty column "
				"out",
				f->file, (unsigned long long)s->line, c + 1);
		if (f->tally[c].text || f->tally[c].odd)
			return wrong_cell(f, c);
	}
	if (!s->n_field)
		return vs_fail(VS_EINPUT,
			"%s: line %llu: none of its %zu columns holds %s",
			f->file,
			(unsigned long long)vs_table_top_number(f,
				f->first + s->header),
			s->n_column, f->kinds->what);
	return 0;
}

/* Fields that may be meant as something else. */
static int
say_fields(struct vs_table_finding *f, uint8_t *mark)
{
	struct vs_table_shape *s = f->s;
	struct vs_text t = { 0 };
	size_t n = 0;
	char place[VS_TABLE_PLACE];
	bool distinct = false,
	     ids = !f->how->drop && !f->how->id && f->how->text_columns < 0;
	int code = 0;

	memset(mark, 0, s->n_column);
	if (s->id < 0 && f->how->text_columns < 0 && s->n_field > 1 &&
		s->column[0] == VS_COLUMN_FIELD) {
		distinct = f->tally->whole == f->n_row;
		if (distinct)
			code = is_distinct(f, 0, &distinct);
		distinct |= is_named(f, 0, vs_cells_is_id);
	}
	if (!code && distinct) {
		vs_table_shape_column(s, 0, place, sizeof(place));
		code = vs_table_top_guess(f, &t,
			vs_text_add(&t,
				"%s is a field; --text-columns 1 makes it ids",
				place));
	}
	for (size_t c = distinct; c < s->n_column && !code; c++) {
		mark[c] = s->column[c] == VS_COLUMN_FIELD &&
			((ids && is_named(f, c, vs_cells_is_id)) ||
				(!f->how->drop &&
					is_named(f, c,
						vs_cells_is_annotation)));
		n += mark[c];
	}
	if (code || !n)
		return code;
	put_list(&t, s, mark, ", ");
	vs_text_add(&t, "%s; --drop-columns ",
		n > 1 ? " are fields" : " is a field");
	put_list(&t, s, mark, ",");
	return vs_table_top_guess(f, &t,
		vs_text_add(&t, " leaves %s out", n > 1 ? "them" : "it"));
}

static int
find_columns(struct vs_table_finding *f)
{
	struct vs_table_shape *s = f->s;
	uint8_t *mark = NULL;
	size_t c;
	int code = vs_mem_new(&s->column, s->n_column, 1, "columns");

	s->id = -1;
	VS_MEM_NEW(&code, mark, s->n_column, "columns");
	if (!code)
		code = drop_columns(f);
	if (!code && f->how->id) {
		code = find_column(f, "id-column", f->how->id,
			strlen(f->how->id), &c);
		s->id = code ? -1 : (int64_t)c;
	}
	if (!code && (f->how->text_columns >= 0 || f->s->bimbam))
		code = take_stated(f,
			f->how->text_columns >= 0 ? (size_t)f->how->text_columns
						  : VS_BIMBAM_TEXT);
	if (!code)
		code = take_found(f, mark);
	if (!code)
		code = check_fields(f);
	if (!code)
		code = say_fields(f, mark);
	free(mark);
	return code;
}

static int
add_note(struct vs_table_shape *s)
{
	vs_text_add(&s->note, "line %llu %s; ", (unsigned long long)s->line,
		s->header ? "is a header" : "is a row, columns have no names");
	return s->id >= 0
		? vs_text_add(&s->note,
			  "ids in column %lld, fields in %zu of %zu "
			  "columns",
			  (long long)s->id + 1, s->n_field, s->n_column)
		: vs_text_add(&s->note,
			  "no column holds ids, fields in %zu of %zu "
			  "columns",
			  s->n_field, s->n_column);
}

int
vs_table_shape_find(struct vs_table_shape *s, const struct vs_table_rows *rows,
	const char *file, const struct vs_table_how *how,
	const struct vs_table_cells *cells, size_t *first)
{
	struct vs_table_finding f = { .s = s,
		.rows = rows,
		.file = file,
		.how = how,
		.kinds = cells };
	int code = vs_table_top_find(&f);

	if (!code)
		code = find_columns(&f);
	if (!code)
		code = add_note(s);
	*first = f.first + s->header;
	vs_cells_free(&f.head);
	vs_cells_free(&f.cells);
	free(f.head_text);
	free(f.text);
	free(f.tally);
	return code;
}

void
vs_table_shape_free(struct vs_table_shape *s)
{
	free(s->column);
	vs_text_pool_free(&s->name);
	vs_text_pool_free(&s->guess);
	vs_text_free(&s->note);
	memset(s, 0, sizeof(*s));
}
