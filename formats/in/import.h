/* SPDX-License-Identifier: BSD-3-Clause */
/* Import of genotypes: reader, filters and choice of labels, into bit
 * planes. */
#ifndef VS_FORMATS_IN_IMPORT_H
#define VS_FORMATS_IN_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/in/reader.h"
#include "formats/in/site_choice.h"
#include "formats/vectors/packed.h"
#include "formats/vectors/sites.h"

/* Allele that gets label 1. */
enum vs_label {
	VS_LABEL_MINOR, /* the rarer one; the second if both are equally
			 * frequent */
	VS_LABEL_FIRST,
	VS_LABEL_SECOND,
};

struct vs_import {
	struct vs_reader *reader;
	const int64_t *keep;           /* samples, ascending; null: all */
	size_t n_field;                /* samples kept */
	struct vs_site_choice *filter; /* null: all sites */
	double maf, max_missing;       /* 0 and 1: no filter */
	bool drop_monomorphic;
	enum vs_label label;
	int ploidy; /* 1: of calls of two copies alike one counts; others are
		     * missing */
	int threads;
	/* called now and then with the sites read so far; may be null */
	void (*progress)(void *to, uint64_t n_read);
	void *to;
	/* sites read and dropped, in the order of the filters */
	uint64_t n_read, n_unwanted, n_missing, n_monomorphic, n_rare, n_kept;
	uint64_t n_het; /* calls taken as missing, with ploidy 1 */
};

/*
 * Read all sites; planes go to writer, columns to sites (empty before).
 * The frequency counts the calls of the samples kept; one equal to a limit
 * passes.
 * returns  0; VS_EINPUT, also when no site is left; VS_EMACHINE
 */
int vs_import_run(struct vs_import *in, struct vs_packed_writer *writer,
	struct vs_sites *sites);

#endif
