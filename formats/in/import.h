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
#include "formats/vectors/sites.h"
#include "libcore/bits/haploid.h"
#include "libcore/bits/vec.h"

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
	int ploidy; /* 1: two equal copies of a call count as one */
	/* count X and Y as PLINK does, by the sex of the samples kept, which is
	 * filled in if calls state their ploidy; null: as diploid */
	struct vs_samples *sexes;
	int64_t n_autosome;
	bool by_calls; /* out: no sex is stated; calls show it, if they can */
	const char *split_par; /* a build, vs_chromosome_is_par(); or null */
	int threads;
	/* takes the next vectors, rows [lo, hi) of vec, in order, and the site
	 * of each */
	int (*give)(void *giving, const struct vs_vec *vec, uint64_t lo,
		uint64_t hi, const struct vs_site *site);
	void *giving;
	/* called now and then with the sites read so far; may be null */
	void (*progress)(void *to, uint64_t n_read);
	void *to;
	/* number of sites read and dropped, in the order of the filters */
	uint64_t n_read, n_unwanted, n_missing, n_monomorphic, n_rare, n_kept;
	uint64_t n_het; /* calls set to missing because of ploidy 1 */
	/* for sites on X and Y: how many are counted that way, how many were
	 * found by number, or left diploid as no sex is stated; heterozygous
	 * calls of males and calls of others on Y, both set to missing; calls
	 * of one allele; and those that do not fit the sample's sex */
	uint64_t n_haploid, n_numbered, n_sexless;
	uint64_t n_male_het, n_not_male, n_one_allele, n_misfit;
};

/*
 * Read all sites; they and their vectors go to give().
 * Frequencies count the calls of the samples kept; one equal to a limit passes.
 * returns  0; VS_EINPUT, also if no site is left; VS_EMACHINE; what give()
 *          returns
 */
int vs_import_run(struct vs_import *in);

/* Refuse an input with no site left, counting what was dropped by which
 * option. VS_EINPUT */
int vs_import_none_left(const struct vs_import *in, const char *name);

#endif
