/* SPDX-License-Identifier: BSD-3-Clause */
/* Header detection: the separator and the first line of a text table, and what
 * its columns hold; the first half of finding its shape. */
#ifndef VS_FORMATS_IN_TABLE_TOP_H
#define VS_FORMATS_IN_TABLE_TOP_H

#include "formats/in/table_shape.h"

/* Cells of a column in the rows read ahead. */
struct vs_table_tally {
	uint16_t value, missing, odd, text;
	uint16_t empty;  /* missing values that are empty */
	uint16_t quoted; /* number of non-missing values */
	uint16_t whole;  /* values of digits alone */
	uint16_t wrong;  /* first row with text or an odd number */
};

struct vs_table_finding {
	struct vs_table_shape *s;
	const struct vs_table_rows *rows;
	const char *file;
	const struct vs_table_how *how;
	const struct vs_table_cells *kinds;
	size_t first, n_row; /* the first line; number of rows below it */
	struct vs_cells head, cells;
	char *head_text, *text; /* lines, split into cells */
	size_t room_head, room_text;
	struct vs_table_tally *tally;
	bool unquoted; /* some column has unquoted numbers */
};

static inline enum vs_cell_kind
vs_table_top_kind(const struct vs_table_finding *f, const struct vs_cell *c)
{
	return f->kinds->kind(c, f->how);
}

/* Number of a line read ahead. */
static inline uint64_t
vs_table_top_number(const struct vs_table_finding *f, size_t row)
{
	return f->rows->row[row].number;
}

/*
 * Find the separator, the first line and whether it is a header, and count what
 * the columns hold; the shape is then complete except for the columns' use.
 */
int vs_table_top_find(struct vs_table_finding *f);

/* Split a line read ahead into f->cells. */
int vs_table_top_cut(struct vs_table_finding *f, size_t row);

/* Add a sentence to the guesses, unless code says that it failed; free it. */
int vs_table_top_guess(struct vs_table_finding *f, struct vs_text *t, int code);

#endif
