/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense symmetric matrix of the values of pairs, collected before it is
 * written. */
#ifndef VS_FORMATS_OUT_PAIR_MATRIX_H
#define VS_FORMATS_OUT_PAIR_MATRIX_H

#include "formats/out/writer.h"

struct vs_pair_matrix {
	size_t n;      /* show->n_row */
	size_t *at;    /* for each row of the sites: its row here, or n */
	double *value; /* of row i and column j <= i: [i (i + 1) / 2 + j] */
};

/* begin, line and end of a writer whose state is such a matrix. */
int vs_pair_matrix_begin(struct vs_writer *w);
void vs_pair_matrix_line(struct vs_writer *w, const struct vs_line *line);
void vs_pair_matrix_end(struct vs_writer *w);

/* The value of rows i and j; NaN: unknown. */
static inline double
vs_pair_matrix_get(const struct vs_pair_matrix *m, size_t i, size_t j)
{
	return i < j ? m->value[j * (j + 1) / 2 + i]
		     : m->value[i * (i + 1) / 2 + j];
}

#endif
