/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and numbers of the sex chromosomes, by PLINK's table. */
#ifndef VS_FORMATS_IN_CHROMOSOME_H
#define VS_FORMATS_IN_CHROMOSOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/haploid.h"

#define VS_CHROMOSOME_ROOM 16

struct vs_chromosome {
	/* without chr and 0 before it, in upper case, X, Y, XY and MT by their
	 * names: the same for all that PLINK takes as one; "" if it is longer
	 */
	char name[VS_CHROMOSOME_ROOM];
	enum vs_haploid haploid; /* XY, PAR1 and MT are diploid */
	bool numbered;           /* X, Y, XY or MT by a number */
};

/* A chromosome by its name, len bytes, or by its number: X is the one after the
 * last autosome, then come Y, XY and MT. */
struct vs_chromosome vs_chromosome_of(const char *name, size_t len,
	int64_t n_autosome);

/* Names of genome builds, for a choice of an option, and their other names. */
#define VS_CHROMOSOME_BUILDS "b36|b37|b38"
#define VS_CHROMOSOME_ALIASES                               \
	"hg18=b36|NCBI36=b36|hg19=b37|GRCh37=b37|hg38=b38|" \
	"GRCh38=b38"

/* True for a position of X in a pseudo-autosomal region of a build, as in
 * PLINK's --split-par and --split-x; null: no build. */
bool vs_chromosome_is_par(const char *build, int64_t pos);

#endif
