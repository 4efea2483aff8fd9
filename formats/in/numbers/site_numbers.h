/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of sites, for readers of files that also have genotypes. */
#ifndef VS_FORMATS_IN_NUMBERS_SITE_NUMBERS_H
#define VS_FORMATS_IN_NUMBERS_SITE_NUMBERS_H

#include "formats/in/numbers/matrix.h"

/* The first member of such a reader's state. */
struct vs_site_numbers {
	struct vs_reader reader; /* its contigs, and counts of sites */
	struct vs_site site;     /* found last */
};

/* End of open(): the cells are the samples of the reader. 0; VS_EMACHINE */
int vs_site_numbers_open(struct vs_matrix *m);

/* A kind's next(), by its site() and values(). */
int vs_site_numbers_next(struct vs_matrix *m, double *cell);

/* Number of the sample of a cell, among all in the file. */
uint64_t vs_site_numbers_sample(const struct vs_matrix *m, uint64_t cell);

#endif
