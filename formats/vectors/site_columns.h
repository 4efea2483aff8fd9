/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a table of sites in a file: a row for each vector, and contigs. */
#ifndef VS_FORMATS_VECTORS_SITE_COLUMNS_H
#define VS_FORMATS_VECTORS_SITE_COLUMNS_H

#include "formats/h5/h5.h"
#include "formats/vectors/sites.h"

/*
 * Write contig, pos, allele0, allele1, allele1_source and genotype_count of a
 * group, "/vectors" or "/nodes", and /contigs. Ids and source_row have vectors
 * of numbers too. 0; VS_EMACHINE
 */
int vs_site_columns_write(const struct vs_sites *s, struct vs_h5_writer *w,
	const char *group, struct vs_codec codec);

/*
 * Read contig, pos, allele0 and allele1 of n rows, and /contigs, into an empty
 * table, which the caller frees also after a failure.
 * returns  0; VS_EINPUT (a row names no contig); VS_EMACHINE
 */
int vs_site_columns_read(struct vs_sites *s, struct vs_h5_reader *r,
	const char *group, uint64_t n);

/* Read genotype_count of n rows; *count is the caller's to free(). */
int vs_site_columns_counts(struct vs_h5_reader *r, const char *group,
	uint64_t n, int64_t (**count)[4]);

#endif
