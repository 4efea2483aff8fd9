/* SPDX-License-Identifier: BSD-3-Clause */
/* Sample table: ids, sex, case status and phenotypes, from a .fam or a
 * table. */
#ifndef VS_FORMATS_IN_SAMPLE_TABLE_H
#define VS_FORMATS_IN_SAMPLE_TABLE_H

#include "formats/h5/provenance.h"
#include "formats/vectors/sites.h"

/*
 * Read a .fam or .tfam into empty s. Column 6 is the case status when all its
 * values are 1, 2 or missing (0, -9, NA) and there is a 2, else phenotype
 * "pheno"; columns behind it are "pheno2" and so on. A column that is missing
 * throughout, or not of numbers, is passed over.
 */
int vs_sample_table_fam(struct vs_samples *s, const char *path,
	struct vs_provenance *provenance);

struct vs_sample_table_said {
	size_t n_found;   /* samples with a line in the file */
	size_t n_unknown; /* lines whose sample is not among s */
	size_t n_pheno;   /* columns taken */
};

/*
 * Replace the phenotypes of s by the columns of a table whose header begins
 * with FID IID, or IID, and then names each column. The first column that has
 * the form of a case status is it; samples without a line are missing.
 */
int vs_sample_table_pheno(struct vs_samples *s, const char *path,
	struct vs_provenance *provenance, struct vs_sample_table_said *said);

/* The samples row[0 .. n) of from, in this order, into empty s. */
int vs_sample_table_pick(struct vs_samples *s, const struct vs_samples *from,
	const int64_t *row, size_t n);

/*
 * Rows of s, ascending, that a list names: one sample a line, by id or by
 * family and id. *row is the caller's to free().
 */
int vs_sample_table_list(const struct vs_samples *s, const char *path,
	struct vs_provenance *provenance, int64_t **row, size_t *n,
	size_t *n_unknown);

#endif
