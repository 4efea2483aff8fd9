/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Layout of a text table, its dialect: separator, header, ids, fields. Each is
 * stated by an option or found from the header and the rows read ahead; if
 * these leave a doubt, it is guessed, and the guess reported.
 */
#ifndef VS_FORMATS_IN_TABLE_SHAPE_H
#define VS_FORMATS_IN_TABLE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/in/text/cells.h"
#include "libcore/base/text.h"

/* Options. */
struct vs_table_how {
	char separator;      /* a space for runs of blanks; 0: detect */
	char decimal;        /* point or comma */
	int header;          /* 1 the first line, 0 none, -1 detect */
	int text_columns;    /* leading columns without numbers; -1 detect */
	const char *id;      /* the column of ids, by name or number, or null */
	const char *drop;    /* columns left out, comma-separated, or null */
	const char *missing; /* additional words for missing values, or null */
};

/* Nothing is stated. */
#define VS_TABLE_FOUND                                           \
	{                                                        \
		.decimal = '.', .header = -1, .text_columns = -1 \
	}

/* The first option given; null: none. */
const char *vs_table_how_states(const struct vs_table_how *how);

enum vs_column {
	VS_COLUMN_FIELD,
	VS_COLUMN_ID,
	VS_COLUMN_TEXT,   /* left out; every cell must be text or missing */
	VS_COLUMN_DROPPED /* left out, whatever it holds */
};

struct vs_table_shape {
	char separator;
	bool header, bimbam;
	uint64_t line; /* number of the header, or of the first row */
	size_t n_column, n_field;
	uint8_t *column;           /* enum vs_column each */
	int64_t id;                /* column of ids; -1: none */
	bool id_is_text;           /* it was identified by holding no number */
	struct vs_text_pool name;  /* of each column; none without a header */
	struct vs_text note;       /* a line for -v */
	struct vs_text_pool guess; /* sentences, each naming an option */
};

/* Lines read ahead, without blank ones. */
struct vs_table_rows {
	char *text;
	struct vs_table_row {
		size_t at, len;
		uint64_t number;        /* of the line */
		uint64_t begin, before; /* byte and line before it */
	} * row;
	size_t n, used, room_text, room_row;
};

#define VS_TABLE_ROWS 1024 /* most rows read ahead */

/* Content of the fields of a table. */
struct vs_table_cells {
	enum vs_cell_kind (
		*kind)(const struct vs_cell *c, const struct vs_table_how *how);
	const char *what; /* "a number" */
	bool decimal;     /* an odd one may have a decimal comma */
	/* of a mean genotype file; null: the same */
	const struct vs_table_cells *means;
};

/*
 * Find the shape of a table from the lines read ahead.
 *
 * file    for messages
 * first   out: the line where the rows begin
 * returns 0; VS_EINPUT: naming file, line, column and option; VS_EMACHINE
 */
int vs_table_shape_find(struct vs_table_shape *s,
	const struct vs_table_rows *rows, const char *file,
	const struct vs_table_how *how, const struct vs_table_cells *cells,
	size_t *first);

/* Refuse a cell of a field that is neither a value nor missing. VS_EINPUT */
int vs_table_shape_wrong(const struct vs_table_shape *s, const char *file,
	uint64_t line, size_t c, const struct vs_cell *cell,
	const struct vs_table_how *how, const struct vs_table_cells *cells);

/* "column 3 (b)" */
#define VS_TABLE_PLACE 64
void vs_table_shape_column(const struct vs_table_shape *s, size_t c, char *text,
	size_t room);

void vs_table_shape_free(struct vs_table_shape *s); /* all zero is accepted */

#endif
