/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of a table of sites in a file: one row per vector, and contigs. */
#ifndef VS_FORMATS_VECTORS_SITE_COLUMNS_H
#define VS_FORMATS_VECTORS_SITE_COLUMNS_H

#include <stdbool.h>

#include "formats/h5/h5.h"
#include "formats/vectors/sites.h"

/*
 * Write the columns of a group, "/vectors" or "/nodes": id and source_row; with
 * places also the others and /contigs, genotype_count if asked for, haploid and
 * male_count if there are any. 0; VS_EMACHINE
 */
int vs_site_columns_write(const struct vs_sites *s, struct vs_h5_writer *w,
	const char *group, bool places, bool counts, struct vs_codec codec);

/*
 * Read the columns of n rows, and /contigs, into an empty table, which the
 * caller frees also after a failure. Without places vectors have no contig, no
 * position, and no alleles; without counts these are 0.
 * returns  0; VS_EINPUT: a value cannot be; VS_EMACHINE
 */
int vs_site_columns_read(struct vs_sites *s, struct vs_h5_reader *r,
	const char *group, uint64_t n, bool places, bool counts);

/* Read one column of n rows into *rows; free with free(). */
int vs_site_columns_one(struct vs_h5_reader *r, const char *group,
	enum vs_sites_numbers column, uint64_t n, void *rows);

#endif
