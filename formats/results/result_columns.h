/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the columns and attributes of result files, for writer and
 * reader. */
#ifndef VS_FORMATS_RESULTS_RESULT_COLUMNS_H
#define VS_FORMATS_RESULTS_RESULT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/results/result.h"

/* Columns of /records, in file order, which is that of vs_result.column. */
enum {
	VS_COL_I,
	VS_COL_J,
	VS_COL_K,
	VS_COL_CELL,
	VS_COL_VALUE,
	VS_COL_NUM,
	VS_COL_NVALID,
	VS_N_COL
};

/* Path and type of a column; the value's type depends on the run. */
const char *vs_run_column_path(int column);
enum vs_type vs_run_column_type(const struct vs_run *run, int column);

/* True if a run has this column. */
bool vs_run_has_column(const struct vs_run *run, int column);

/* Rows of shards, see vs_run_cuts_chromosomes(). */
#define VS_RUN_CHROMOSOMES "/chromosomes/first"

/* An attribute of /run or /stats, and the struct member it comes from. */
enum vs_field_type {
	VS_FIELD_ROOM,
	VS_FIELD_TEXT,
	VS_FIELD_I32,
	VS_FIELD_I64,
	VS_FIELD_F64,
	VS_FIELD_LIMIT
};
/* The files that must agree in a row, see query_rows.h. */
enum vs_agree {
	VS_AGREE_OWN,
	VS_AGREE_DERIVED,
	VS_AGREE_GRID,
	VS_AGREE_CUT,
	VS_AGREE_VECTORS,
	VS_AGREE_CHOSEN,
	VS_AGREE_ASKED,
};
struct vs_field {
	const char *name; /* null ends a table */
	enum vs_field_type type;
	size_t offset, size;
	unsigned kinds; /* 1 << kind for each file that states it, and flags */
	enum vs_agree agree;
	const char *words; /* for messages: what differs */
};
extern const struct vs_field vs_run_fields[], vs_stats_fields[];

/* True if the member is the same in two structs. */
bool vs_run_field_equal(const struct vs_field *field, const void *a,
	const void *b);

/*
 * The member as text, as metadata are printed.
 * room  of VS_NUM_ROOM bytes, for numbers
 */
const char *vs_run_field_text(const struct vs_field *field, const void *from,
	char *room);

/* Append the features required by the rows of a file of this kind. */
void vs_run_features(const struct vs_run *run, enum vs_kind kind, char *text,
	size_t room);

/* Write or read the members stated by a kind as attributes of a group. */
int vs_run_fields_write(struct vs_h5_writer *w, const char *group,
	const struct vs_field *field, enum vs_kind kind, const void *from);
int vs_run_fields_read(struct vs_h5_reader *r, const char *group,
	const struct vs_field *field, enum vs_kind kind, void *to);

/* Columns of /tiles and their places in a row. */
struct vs_tile_column {
	const char *path;
	enum vs_type type;
	size_t offset;
};
extern const struct vs_tile_column vs_tile_columns[];
extern const size_t vs_n_tile_column;

#endif
