/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a table of sites in a file: a row for each vector, and contigs. */
#ifndef VS_FORMATS_VECTORS_SITE_COLUMNS_H
#define VS_FORMATS_VECTORS_SITE_COLUMNS_H

#include <stdbool.h>

#include "formats/h5/h5.h"
#include "formats/vectors/sites.h"

/*
 * Write contig, pos, allele0, allele1, allele1_source and, if asked for,
 * genotype_count of a group, "/vectors" or "/nodes", and /contigs; haploid and
 * male_count where there are some. Ids and source_row have vectors of numbers
 * without sites too. 0; VS_EMACHINE
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

/* Read which of n rows have haploid fields; to be free()d. */
int vs_site_columns_haploid(struct vs_h5_reader *r, const char *group,
	uint64_t n, uint8_t **haploid);

/* Read allele1_source of n rows; the caller's to free(). 0; VS_EINPUT: one is
 * none of enum vs_allele; VS_EMACHINE */
int vs_site_columns_labels(struct vs_h5_reader *r, const char *group,
	uint64_t n, uint8_t **allele1_source);

/* Read genotype_count of n rows; *count is the caller's to free(). */
int vs_site_columns_counts(struct vs_h5_reader *r, const char *group,
	uint64_t n, int64_t (**count)[4]);

#endif
