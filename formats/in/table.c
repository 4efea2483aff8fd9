/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of rows of text tables. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/table.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define AHEAD (4u << 20) /* bytes read ahead, and the line that exceeds them */

/* ---- reading ahead ---- */

static int
keep_line(struct vs_table *t, const char *line, size_t len, uint64_t begin,
	uint64_t before)
{
	struct vs_table_rows *r = &t->rows;
	int code = vs_mem_grow(&r->text, &r->room_text, r->used + len + 1, 1,
		"lines");

	if (!code)
		code = vs_mem_grow(&r->row, &r->room_row, r->n + 1,
			sizeof(*r->row), "lines");
	if (code)
		return code;
	memcpy(r->text + r->used, line, len + 1);
	r->row[r->n++] = (struct vs_table_row){ .at = r->used,
		.len = len,
		.number = vs_lines_number(t->lines),
		.begin = begin,
		.before = before };
	r->used += len + 1;
	return 0;
}

/* The version of a GCT, before a line with the numbers of rows and columns. */
static bool
is_gct(const char *line, const char *version)
{
	return !strncmp(line, version, 4) && (!line[4] || line[4] == '\t');
}

/* The last comment before the table is kept: it may be the header. */
static int
read_ahead(struct vs_table *t)
{
	struct vs_table_rows *r = &t->rows;
	bool comments = true, sizes = false;
	char *line;
	size_t len;
	int code = 0;

	while (!code && r->n <= VS_TABLE_ROWS &&
		(r->used < AHEAD || comments || r->n < 3)) {
		uint64_t begin = vs_lines_at(t->lines);
		uint64_t before = vs_lines_number(t->lines);

		code = vs_cells_line(t->lines, &line, &len);
		if (code != 1)
			break;
		if (!r->n && memchr(line, '\r', len))
			return vs_fail(VS_EINPUT,
				"%s: its lines end in CR alone, as on old "
				"Macs: tr '\\r' '\\n' <FILE writes LF",
				vs_lines_name(t->lines));
		if (comments && is_gct(line, "#1.3"))
			return vs_fail(VS_EINPUT,
				"%s: is GCT 1.3, which has rows about samples; "
				"save it as GCT 1.2",
				vs_lines_name(t->lines));
		if (sizes || (comments && is_gct(line, "#1.2"))) {
			if (sizes)
				t->n_stated = strtoull(line, NULL, 10);
			sizes = !sizes;
			code = 0;
			continue;
		}
		comments = comments && *line == '#';
		if (comments)
			r->n = r->used = 0;
		code = keep_line(t, line, len, begin, before);
	}
	if (!code && !r->n)
		code = vs_fail(VS_EINPUT, "%s: is empty",
			vs_lines_name(t->lines));
	return code;
}

static int
list_columns(struct vs_table *t)
{
	const struct vs_table_shape *s = &t->shape;
	size_t n = 0;
	int code = vs_mem_new(&t->field, s->n_column, sizeof(*t->field),
		"columns");

	VS_MEM_NEW(&code, t->text, s->n_column, "columns");
	for (size_t c = 0; c < s->n_column && !code; c++) {
		if (s->column[c] == VS_COLUMN_FIELD)
			t->field[n++] = c;
		if (s->column[c] == VS_COLUMN_TEXT ||
			((int64_t)c == s->id && s->id_is_text))
			t->text[t->n_text++] = c;
	}
	return code;
}

int
vs_table_open(struct vs_table *t, struct vs_lines *lines,
	const struct vs_table_how *how, const struct vs_table_cells *kinds)
{
	int code;

	*t = (struct vs_table){ .lines = lines, .how = *how, .kinds = kinds };
	if (!t->how.decimal)
		t->how.decimal = '.';
	code = read_ahead(t);
	/* a GCT begins with Name and Description */
	if (t->n_stated && t->how.text_columns < 0)
		t->how.text_columns = 2;
	if (!code)
		code = vs_table_shape_find(&t->shape, &t->rows,
			vs_lines_name(lines), &t->how, kinds, &t->at);
	if (code)
		return code;
	if (t->shape.bimbam && kinds->means)
		t->kinds = kinds->means;
	t->begin = t->rows.row[t->at].begin;
	t->before = t->rows.row[t->at].before;
	t->cells.apart = t->shape.separator;
	return list_columns(t);
}

int
vs_table_cut(struct vs_table *t, struct vs_part *part)
{
	t->at = t->rows.n; /* rows are read again */
	t->n_stated = 0;
	return vs_lines_cut_at(t->lines, t->begin, t->before, part);
}

/* ---- rows ---- */

int
vs_table_line(struct vs_table *t, char **line, size_t *len)
{
	int code;

	if (t->at < t->rows.n) {
		const struct vs_table_row *r = t->rows.row + t->at++;

		*line = t->rows.text + r->at;
		*len = r->len;
		t->number = r->number;
		t->n_given++;
		return 1;
	}
	free(t->rows.text);
	t->rows.text = NULL;
	code = vs_cells_line(t->lines, line, len);
	t->number = vs_lines_number(t->lines);
	t->n_given += code == 1;
	return code || !t->n_stated || t->n_given == t->n_stated
		? code
		: vs_fail(VS_EINPUT,
			  "%s: has %llu rows where line 2 states %llu; restore "
			  "it",
			  vs_lines_name(t->lines),
			  (unsigned long long)t->n_given,
			  (unsigned long long)t->n_stated);
}

/* True if a column that was found to hold text has a number. */
static int
not_text(const struct vs_table *t, size_t c)
{
	char place[VS_TABLE_PLACE];
	bool id = (int64_t)c == t->shape.id;

	vs_table_shape_column(&t->shape, c, place, sizeof(place));
	return vs_fail(VS_EINPUT,
		id ? "%s: line %llu, %s: %.40s is %s, and the rows before have "
		     "text there; --text-columns 1 says that they are ids"
		   : "%s: line %llu, %s: %.40s is %s, and the rows before have "
		     "text there; --drop-columns %zu leaves the column out",
		vs_lines_name(t->lines), (unsigned long long)t->number, place,
		t->cells.cell[c].text, t->kinds->what, c + 1);
}

/* Check that the id is whole, and that columns skipped as text hold text. */
static int
check_text(const struct vs_table *t)
{
	const int64_t id = t->shape.id;

	if (id >= 0 && (size_t)id < t->cells.n &&
		vs_cells_check_quote(t->cells.cell + id, (size_t)id,
			vs_lines_name(t->lines), t->number))
		return VS_EINPUT;
	for (size_t k = 0; k < t->n_text && t->text[k] < t->cells.n; k++) {
		const struct vs_cell *c = t->cells.cell + t->text[k];

		if (!c->quoted && t->kinds->kind(c, &t->how) == VS_CELL_VALUE)
			return not_text(t, t->text[k]);
	}
	return 0;
}

int
vs_table_split_id(struct vs_table *t, char *line, size_t len)
{
	int code = vs_cells_split(&t->cells, line, len);

	return code ? code : check_text(t);
}

int
vs_table_split(struct vs_table *t, char *line, size_t len)
{
	int code = vs_cells_split(&t->cells, line, len);

	if (code)
		return code;
	if (t->cells.n != t->shape.n_column)
		return vs_fail(VS_EINPUT,
			"%s: line %llu: %zu columns where the lines before "
			"have %zu",
			vs_lines_name(t->lines), (unsigned long long)t->number,
			t->cells.n, t->shape.n_column);
	return check_text(t);
}

int
vs_table_next(struct vs_table *t)
{
	char *line;
	size_t len;
	int code = vs_table_line(t, &line, &len);

	if (code != 1)
		return code;
	code = vs_table_split(t, line, len);
	return code ? code : 1;
}

int
vs_table_wrong(const struct vs_table *t, size_t c)
{
	return vs_table_shape_wrong(&t->shape, vs_lines_name(t->lines),
		t->number, c, t->cells.cell + c, &t->how, t->kinds);
}

const char *
vs_table_id(const struct vs_table *t, size_t *len)
{
	*len = t->shape.id < 0 ? 0 : t->cells.cell[t->shape.id].len;
	return *len ? t->cells.cell[t->shape.id].text : "";
}

void
vs_table_close(struct vs_table *t)
{
	vs_table_shape_free(&t->shape);
	vs_cells_free(&t->cells);
	free(t->rows.text);
	free(t->rows.row);
	free(t->field);
	free(t->text);
	memset(t, 0, sizeof(*t));
}
