/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and numbers of the sex chromosomes, by PLINK's table. */
#ifndef VS_FORMATS_IN_CHROMOSOME_H
#define VS_FORMATS_IN_CHROMOSOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/haploid.h"

/*
 * Kind of vectors on a chromosome. X and Y may be in either case, follow chr or
 * 0, or be numbers, one or two above the last autosome. XY, PAR1, PAR2, MT and
 * all others are diploid.
 * numbered  out: it was found by its number
 */
enum vs_haploid vs_chromosome_haploid(const char *name, size_t len,
	int64_t n_autosome, bool *numbered);

/*
 * The name of a chromosome without chr and 0 before it, in upper case, X, Y, XY
 * and MT by their names: the same for all that PLINK takes as one.
 * out      room for VS_CHROMOSOME_ROOM; "" for a longer name
 */
#define VS_CHROMOSOME_ROOM 16
void vs_chromosome_common(const char *name, size_t len, int64_t n_autosome,
	char out[VS_CHROMOSOME_ROOM]);

/* Names of genome builds, for a choice of an option. */
#define VS_CHROMOSOME_BUILDS "b36|b37|b38"

/* True for a position of X in a pseudo-autosomal region of a build, as in
 * PLINK's --split-par and --split-x; null: no build. */
bool vs_chromosome_is_par(const char *build, int64_t pos);

#endif
