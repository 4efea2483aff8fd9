/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting of table lines into cells, and the words known in headers. */
#ifndef VS_FORMATS_IN_CELLS_H
#define VS_FORMATS_IN_CELLS_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/in/lines.h"

struct vs_cell {
	char *text; /* NUL-terminated */
	size_t len;
};

/* The cells of a line; all zero is empty. */
struct vs_cells {
	char apart; /* tab, comma, or a space for runs of them */
	struct vs_cell *cell;
	size_t n, room;
};

/* Separator of the cells of this line: a tab, else a comma, else a space. */
char vs_cells_apart(const char *line, size_t len);

/*
 * Cut a line into cells, in place. Blanks around a cell and a pair of double
 * quotes around it are taken off; what is quoted may hold what stands between
 * cells. 0; VS_EMACHINE
 */
int vs_cells_split(struct vs_cells *c, char *line, size_t len);

void vs_cells_free(struct vs_cells *c);

/* Next line of more than spaces; cells between tabs or commas may be empty. */
int vs_cells_line(struct vs_lines *l, char **line, size_t *len);

/*
 * True for a row of a mean genotype file as BIMBAM and GEMMA have it: an id,
 * two alleles, then numbers of 0 to 2 or NA: of each sample copies of the
 * first.
 */
bool vs_cells_are_bimbam(const struct vs_cells *c);
#define VS_BIMBAM_TEXT 3 /* cells before the numbers */

/* A word that names a column of ids: id, #id, snp, name, locus ... or "". */
bool vs_cells_is_id(const char *word);

#endif
