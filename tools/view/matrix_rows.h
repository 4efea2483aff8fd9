/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of a dense matrix of pairs, in order, and the values on the
 * diagonal. */
#ifndef VS_TOOLS_VIEW_MATRIX_ROWS_H
#define VS_TOOLS_VIEW_MATRIX_ROWS_H

#include "tools/shared/selection.h"
#include "tools/shared/undefined.h"

/* Most vectors of a matrix: 1.6 GB of values. */
#define VS_MATRIX_ROWS_MOST 20000

struct vs_matrix_rows {
	size_t n;
	size_t *row;    /* of the sites */
	uint64_t *vec;  /* as the result names them */
	double *itself; /* value with itself, NaN: unknown or 0/0 */
};

/*
 * The vectors that have a name and are in both selections, in the order of
 * their original rows or, unless original, of the vectors file.
 * returns  0; VS_EUSAGE: too many; VS_EMACHINE
 */
int vs_matrix_rows_make(struct vs_matrix_rows *m,
	const struct vs_vector_names *names, const struct vs_selection *ids,
	const struct vs_selection *regions, bool original);

/* Their values with themselves; 0/0 is NaN, or 0 if zero. */
void vs_matrix_rows_itself(struct vs_matrix_rows *m, const char *metric,
	const struct vs_undefined *u, bool zero);
void vs_matrix_rows_free(struct vs_matrix_rows *m); /* all-zero is accepted */

#endif
