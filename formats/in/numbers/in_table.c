/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reader of text tables of numbers, vsim-tsv(5). A line of the file is a line
 * of the matrix.
 */
#include <stdio.h>
#include <string.h>

#include "formats/in/number_cell.h"
#include "formats/in/numbers/matrix.h"
#include "formats/in/table.h"

static enum vs_cell_kind
kind_of(const struct vs_cell *c, const struct vs_table_how *how)
{
	double x;

	return vs_number_cell(c, how, &x);
}

static const struct vs_table_cells numbers = { .kind = kind_of,
	.what = "a number",
	.decimal = true };

static int
table_open(struct vs_matrix *m)
{
	struct vs_table *t = m->state;
	int code = vs_table_open(t, m->lines, &m->how.table, &numbers);

	if (code)
		return code;
	m->n_cell = t->shape.n_field;
	for (size_t k = 0; t->shape.header && k < m->n_cell && !code; k++)
		code = vs_text_pool_add_row(&m->cell_id, &t->shape.name,
			t->field[k]);
	m->note = t->shape.note;
	m->guess = t->shape.guess;
	memset(&t->shape.note, 0, sizeof(t->shape.note));
	memset(&t->shape.guess, 0, sizeof(t->shape.guess));
	return code;
}

static void
table_place(const struct vs_matrix *m, uint64_t cell, char *text, size_t room)
{
	const struct vs_table *t = m->state;
	char column[VS_TABLE_PLACE];

	vs_table_shape_column(&t->shape, t->field[cell], column,
		sizeof(column));
	snprintf(text, room, "line %llu, %s", (unsigned long long)t->number,
		column);
}

static void
table_word(const struct vs_matrix *m, uint64_t cell, char *text, size_t room)
{
	const struct vs_table *t = m->state;

	snprintf(text, room, "%s", t->cells.cell[t->field[cell]].text);
}

static int
table_next(struct vs_matrix *m, double *cell)
{
	struct vs_table *t = m->state;
	int code = vs_table_next(t);

	if (code != 1)
		return code;
	m->line_id = vs_table_id(t, &m->line_id_len);
	for (size_t k = 0; k < m->n_cell; k++)
		if (vs_number_cell(&t->cells.cell[t->field[k]], &t->how,
			    &cell[k]) > VS_CELL_MISSING)
			return vs_table_wrong(t, t->field[k]);
	return 1;
}

static void
table_close(struct vs_matrix *m)
{
	vs_table_close(m->state);
}

static int
table_cut(struct vs_matrix *m)
{
	return vs_table_cut(m->state, &m->part);
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
	.state = sizeof(struct vs_table),
	.open = table_open,
	.next = table_next,
	.place = table_place,
	.word = table_word,
	.close = table_close,
	.cut = table_cut,
};
