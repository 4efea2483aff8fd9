/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting of table lines into cells, and the words known in headers. */
#ifndef VS_FORMATS_IN_TEXT_CELLS_H
#define VS_FORMATS_IN_TEXT_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/in/text/lines.h"

struct vs_cell {
	char *text; /* NUL-terminated */
	uint32_t len;
	bool quoted;
};

/* Content of a cell. */
enum vs_cell_kind {
	VS_CELL_VALUE,
	VS_CELL_MISSING,
	VS_CELL_ODD, /* a number, but not one of this table's: 1,5, or a
	              * genotype of 3 */
	VS_CELL_TEXT
};

/* The cells of a line; all zero is empty. */
struct vs_cells {
	char apart; /* tab, comma ..., or a space for runs of blanks */
	struct vs_cell *cell;
	size_t n, room;
};

/*
 * Split a line into cells, in place. Blanks and double quotes around a cell are
 * removed, and two quotes within it become one; quoted cells may contain
 * separators. 0; VS_EMACHINE
 */
int vs_cells_split(struct vs_cells *c, char *line, size_t len);

void vs_cells_free(struct vs_cells *c);

/* Refuse a cell whose quotation mark is not closed. 0; VS_EINPUT */
int vs_cells_check_quote(const struct vs_cell *c, size_t column,
	const char *file, uint64_t line);

/* Next line that is not blank; cells between tabs or commas may be empty. */
int vs_cells_line(struct vs_lines *l, char **line, size_t *len);

/*
 * True for a row of a mean genotype file of BIMBAM and GEMMA: an id, two
 * alleles and, unless the numbers are not checked, numbers of 0 to 2 or NA: for
 * each sample its copies of the first allele.
 */
bool vs_cells_are_bimbam(const struct vs_cells *c, bool numbers);
#define VS_BIMBAM_TEXT 3 /* cells before the numbers */

/*
 * A word that names a column of ids: "" or made of such words as id, gene and
 * name, in any case and with blanks and _ . - # between them: GeneID, #OTU ID,
 * row.names; or a word that ends in id after one of these: patient_id.
 */
bool vs_cells_is_id(const char *word);

/* A word that names a column about a gene, not a sample: Chr, Start, Length. */
bool vs_cells_is_annotation(const char *word);

#endif
