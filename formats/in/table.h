/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of a text table: some are read ahead to find its shape, which all rows
 * must have.
 */
#ifndef VS_FORMATS_IN_TABLE_H
#define VS_FORMATS_IN_TABLE_H

#include "formats/in/table_shape.h"
#include "formats/in/text/lines.h"

struct vs_table {
	struct vs_lines *lines; /* not owned */
	struct vs_table_how how;
	const struct vs_table_cells *kinds;
	struct vs_table_shape shape;
	size_t *field; /* which columns are fields */
	size_t *text;  /* columns that must hold text */
	size_t n_text;
	struct vs_cells cells; /* of the row delivered last */
	uint64_t number;       /* its line number */
	struct vs_table_rows rows;
	size_t at;                  /* the next of these */
	uint64_t begin, before;     /* byte and line before the rows */
	uint64_t n_stated, n_given; /* rows: of a GCT, or 0; delivered */
};

/* Find the shape. lines outlive t. 0; VS_EINPUT; VS_EMACHINE */
int vs_table_open(struct vs_table *t, struct vs_lines *lines,
	const struct vs_table_how *how, const struct vs_table_cells *kinds);

/* From now on deliver only the rows of a part; see vs_lines_cut(). */
int vs_table_cut(struct vs_table *t, struct vs_part *part);

/* Next row as a line, which the caller may change. 1; 0 no more; negative */
int vs_table_line(struct vs_table *t, char **line, size_t *len);

/*
 * Split a row into t->cells, as many as the shape has; columns skipped as text
 * must hold only text.
 */
int vs_table_split(struct vs_table *t, char *line, size_t len);

/* The same for the first column only, if the others are split elsewhere. */
int vs_table_split_id(struct vs_table *t, char *line, size_t len);

/* Next row, split. 1; 0 no more; negative */
int vs_table_next(struct vs_table *t);

/* Refuse the cell of a column in the row delivered last. VS_EINPUT */
int vs_table_wrong(const struct vs_table *t, size_t c);

/* Id of the row delivered last; "" if no column has ids. */
const char *vs_table_id(const struct vs_table *t, size_t *len);

void vs_table_close(struct vs_table *t); /* all zero is accepted */

#endif
