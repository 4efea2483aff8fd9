/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * r2 of haplotypes of two variants, as in PLINK 1.9's --clump. If a sample is
 * heterozygous at both, its calls do not show which alleles are on one
 * chromosome: the most likely frequencies of the four haplotypes are used.
 */
#ifndef VS_TOOLS_THRESHOLD_HAPLOTYPES_H
#define VS_TOOLS_THRESHOLD_HAPLOTYPES_H

#include "formats/vectors/packed.h"

struct vs_haplotypes;

/*
 * f        of genotypes, open as long as this is in use
 * above    bound of a pair
 * returns  0; VS_EINPUT: it has numbers; VS_EMACHINE. Free it in either case
 */
int vs_haplotypes_new(struct vs_haplotypes **h, struct vs_packed *f,
	double above);

/*
 * Find the vectors, among some, that exceed the bound with vector a. Males have
 * one haplotype on X and Y.
 * vector   [n] consecutive numbers are read together
 * linked   [n] 0: not asked; 1: becomes 0 if the bound is not exceeded
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_haplotypes_linked(struct vs_haplotypes *h, uint64_t a,
	const uint32_t *vector, uint64_t n, uint8_t *linked);

void vs_haplotypes_free(struct vs_haplotypes *h); /* null is accepted */

#endif
