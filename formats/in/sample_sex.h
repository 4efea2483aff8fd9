/* SPDX-License-Identifier: BSD-3-Clause */
/* Sexes of samples, as words and as a separate table. */
#ifndef VS_FORMATS_IN_SAMPLE_SEX_H
#define VS_FORMATS_IN_SAMPLE_SEX_H

#include "formats/h5/provenance.h"
#include "formats/vectors/sites.h"

/* Sex of a word: 1 male, 2 female, 0 unknown; -1: it is none of these. */
int vs_sample_sex_of(const char *word, size_t len);

/*
 * Read sexes of samples from a table: IID SEX, FID IID SEX, the six columns of
 * a .fam, or columns named by a header that begins with #, as in a .psam. 1 or
 * M, 2 or F, and 0 or U or NA for unknown.
 *
 * n_found    out: number of samples in the table
 * n_unknown  out: number of lines for other samples
 * returns    0; VS_EINPUT; VS_EMACHINE
 */
int vs_sample_sex_read(struct vs_samples *s, const char *path,
	struct vs_provenance *provenance, size_t *n_found, size_t *n_unknown);

#endif
