/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of a dense matrix of pairs, in order, and the values of the
 * diagonal. */
#ifndef VS_TOOLS_VIEW_MATRIX_ROWS_H
#define VS_TOOLS_VIEW_MATRIX_ROWS_H

#include "tools/shared/selection.h"

/* Most vectors of a matrix: 1.6 GB of values. */
#define VS_MATRIX_ROWS_MOST 20000

struct vs_matrix_rows {
	size_t n;
	size_t *row;    /* of the sites */
	double *itself; /* value with itself, NaN: unknown */
};

/*
 * The vectors that have a name and are in both selections, in the order of
 * their original rows or, unless original, of the vectors file.
 * returns  0; VS_EUSAGE: too many; VS_EMACHINE
 */
int vs_matrix_rows_make(struct vs_matrix_rows *m, const struct vs_run *run,
	const struct vs_vector_names *names, const struct vs_selection *ids,
	const struct vs_selection *regions, bool original);
void vs_matrix_rows_free(struct vs_matrix_rows *m); /* all-zero is accepted */

#endif
