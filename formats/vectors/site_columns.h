/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a table of sites in a file: one row per vector, and contigs. */
#ifndef VS_FORMATS_VECTORS_SITE_COLUMNS_H
#define VS_FORMATS_VECTORS_SITE_COLUMNS_H

#include <stdbool.h>

#include "formats/h5/h5.h"
#include "formats/vectors/sites.h"

/*
 * Write contig, pos, allele0, allele1, allele1_source and, if asked for,
 * genotype_count of a group, "/vectors" or "/nodes", and /contigs; haploid and
 * male_count if there are any. Ids and source_row are not included: vectors of
 * numbers without sites have them, too. 0; VS_EMACHINE
 */
int vs_site_columns_write(const struct vs_sites *s, struct vs_h5_writer *w,
	const char *group, bool with_counts, struct vs_codec codec);

/*
 * Read contig, pos, allele0, allele1, haploid and male_count of n rows, and
 * /contigs, into an empty table, which the caller frees also after a failure.
 * returns  0; VS_EINPUT (a row names no contig, or its place is negative);
 *          VS_EMACHINE
 */
int vs_site_columns_read(struct vs_sites *s, struct vs_h5_reader *r,
	const char *group, uint64_t n);

/* Read which of n rows have haploid fields; free with free(). */
int vs_site_columns_haploid(struct vs_h5_reader *r, const char *group,
	uint64_t n, uint8_t **haploid);

/* Read allele1_source of n rows; the caller frees it. 0; VS_EINPUT: one is not
 * in enum vs_allele; VS_EMACHINE */
int vs_site_columns_labels(struct vs_h5_reader *r, const char *group,
	uint64_t n, uint8_t **allele1_source);

/* Read genotype_count of n rows; the caller frees *count. */
int vs_site_columns_counts(struct vs_h5_reader *r, const char *group,
	uint64_t n, int64_t (**count)[4]);

#endif
