/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrices of numbers from files: text tables, NumPy's .npy, Matrix Market,
 * each plain or packed by gzip or zstd, and BIOM 2.1; their first bytes
 * identify the kind.
 */
#ifndef VS_FORMATS_IN_NUMBERS_MATRIX_H
#define VS_FORMATS_IN_NUMBERS_MATRIX_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "formats/h5/provenance.h"
#include "formats/in/import.h"
#include "formats/in/numbers/normalize.h"
#include "formats/in/table_shape.h"
#include "formats/in/text/lines.h"
#include "formats/vectors/packed.h"
#include "formats/vectors/sites.h"
#include "libcore/base/text.h"
#include "libcore/bits/element.h"

/* Options of reading a matrix. */
struct vs_matrix_how {
	bool transpose; /* columns are the vectors, not rows */
	bool missing_as_zero;
	/* reader, filters and samples of sites whose numbers are read: an input
	 * of genotypes, opened; null: a matrix */
	struct vs_import *sites;
	struct vs_provenance *provenance; /* takes other files; or null */
	struct vs_table_how table;        /* of text */
	/* VS_BIT2: 0, 1 and missing, kept as genotypes of one allele */
	enum vs_element element;
	bool smallest; /* instead of element: the smallest that holds all */
	enum vs_normalization normalize; /* of vectors; element is f32 or f64 */
};

struct vs_matrix;

/*
 * A kind of file. It delivers lines: rows of the matrix or, with by_column,
 * columns; the entries of a line are its cells.
 */
struct vs_matrix_kind {
	/* true for the first bytes of a file of this kind */
	bool (*is)(const char *bytes, size_t n);
	size_t state; /* bytes of the reader's own, zero before open() */
	/* Fill n_cell, n_line, by_column, cell_id; m->lines is at line 0. */
	int (*open)(struct vs_matrix *m);
	/*
	 * fill n_cell entries, NaN for missing ones, and line_id if there is
	 * one, and it is not in line_ids.
	 * returns  1; 0 no more, all was read; negative
	 */
	int (*next)(struct vs_matrix *m, double *cell);
	/* place of a cell of the last line: "line 3, column 4" */
	void (*place)(const struct vs_matrix *m, uint64_t cell, char *text,
		size_t room);
	/* its text in the file; null if no cell can hold an integer that a
	 * double rounds */
	void (*word)(const struct vs_matrix *m, uint64_t cell, char *text,
		size_t room);
	void (*close)(struct vs_matrix *m);
	/* Deliver only the lines of m->part, and fill it in; or null. */
	int (*cut)(struct vs_matrix *m);
};

struct vs_matrix {
	const struct vs_matrix_kind *kind;
	void *state;
	struct vs_matrix_how how;
	const char *name;       /* for messages */
	struct vs_lines *lines; /* null for sites */
	bool by_column;
	uint64_t n_line; /* VS_ROWS_UNKNOWN if not known in advance */
	uint64_t n_cell;
	uint64_t n_given; /* lines */
	struct vs_part part;
	struct vs_text_pool cell_id;  /* n_cell names, or none */
	struct vs_text_pool line_ids; /* n_line names, or none */
	const char *line_id;          /* name of the line delivered last */
	size_t line_id_len;           /* 0: it has none */
	const struct vs_site *site;   /* of the line last given; or null */
	struct vs_names_said names;   /* sizes, without sites */
	uint64_t n_rounded;           /* integers that doubles round */
	struct vs_text rounded;       /* place and text of the first */
	struct vs_text note;          /* a line for -v on how it was read */
	struct vs_text_pool guess;    /* sentences on what was guessed */
};

/* path may be "-"; how outlives m, as path does. m is closed by
 * vs_matrix_close() after a failure, too. */
int vs_matrix_open(struct vs_matrix *m, const char *path,
	const struct vs_matrix_how *how);

/*
 * From now on deliver only the vectors of part k of n; vectors without a name
 * are then packed without. 0; VS_EINPUT: it cannot be cut; VS_EMACHINE
 */
int vs_matrix_cut(struct vs_matrix *m, int64_t k, int64_t n);

/*
 * Next line; every entry is finite or, unless an integer type is requested,
 * missing: NaN.
 * returns  1; 0 no more; VS_EINPUT naming file, place and remedy; VS_EMACHINE
 */
int vs_matrix_next(struct vs_matrix *m, double *cell);
void vs_matrix_close(struct vs_matrix *m); /* all zero is accepted */

/* Refuse a number that is not allowed here. 0; VS_EINPUT */
int vs_matrix_check(const struct vs_matrix *m, const char *place, double x);

/* True for a number that must be checked, or may have been rounded. */
static inline bool
vs_matrix_is_odd(double x)
{
	return !(fabs(x) < 0x1p53);
}

/* Count x if word is an integer, and not equal to it. 0; VS_EMACHINE */
int vs_matrix_count_rounded(struct vs_matrix *m, const char *place,
	const char *word, double x);

/* Longest text of a place. */
#define VS_MATRIX_PLACE 160

/* A kind's place(), by row and column of the matrix. */
void vs_matrix_place(const struct vs_matrix *m, uint64_t cell, char *text,
	size_t room);

/*
 * Read it all and write a vectors file except for its end: the caller then
 * calls vs_packed_finish() with *w, sites and samples (empty before). Without
 * ids vectors are v1, v2 ... and fields s1, s2 ... ; duplicate field names are
 * refused. Memory holds the whole matrix if the element has to be determined
 * (smallest) or lines are not vectors, otherwise some lines.
 *
 * plan  n_field, n_vec, element, ploidy and allele_rule are set here
 */
int vs_matrix_pack(struct vs_matrix *m, struct vs_packed_plan *plan,
	struct vs_packed_writer **w, struct vs_sites *sites,
	struct vs_samples *samples, struct vs_provenance *provenance);

/*
 * Files that list their entries alone: the first member of the reader's state.
 * The entries of line l are at[l] .. at[l + 1]; cells are below n_cell.
 */
struct vs_matrix_entries {
	uint64_t *at;
	uint32_t *cell;
	double *value;
	uint64_t *seen; /* for each cell: the last line that had it, from 1 */
};

/*
 * Empty cells take no bytes in such a file: true for more of them than is in
 * proportion to its n entries.
 */
bool vs_matrix_too_sparse(double rows, double columns, double n);

/* End of open(): allocate seen. 0; VS_EMACHINE */
int vs_matrix_sparse(struct vs_matrix *m, uint64_t n);

/* A kind's next(), which refuses an entry that occurs twice. */
int vs_matrix_sparse_next(struct vs_matrix *m, double *cell);

/* Numbers of sites that pass the filters, of the samples kept; frequencies are
 * computed from dosages of 0 to 2. */
extern const struct vs_matrix_kind vs_matrix_sites;

#define READER(name)
#define MATRIX(name) extern const struct vs_matrix_kind vs_matrix_##name;
#include "formats/in/rows.h"
#undef READER
#undef MATRIX

#endif
