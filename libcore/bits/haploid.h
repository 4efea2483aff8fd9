/* SPDX-License-Identifier: BSD-3-Clause */
/* Haploid fields of diploid genotype vectors: males' calls on X and Y. */
#ifndef VS_BITS_HAPLOID_H
#define VS_BITS_HAPLOID_H

#include "libcore/bits/vec.h"

/* Kind of a vector by its haploid fields, as stored in files. */
enum vs_haploid {
	VS_HAPLOID_NONE,
	VS_HAPLOID_X, /* males are haploid; the others diploid */
	VS_HAPLOID_Y  /* males are haploid; the others missing */
};

/*
 * A mask has a bit for each field, in words as a plane has them, and at least
 * (n_field + 63) / 64 of those; bits past the last field are zero.
 */

/* Count the genotypes 0, 1, 2, missing of the fields within a mask. */
void vs_haploid_count(const struct vs_vec *b, size_t v, const uint64_t *mask,
	int64_t count[4]);

/* Set the heterozygous calls within a mask to missing. returns their number */
int64_t vs_haploid_drop_het(struct vs_vec *b, size_t v, const uint64_t *mask);

/* Set the calls outside a mask to missing. returns their number */
int64_t vs_haploid_drop_others(struct vs_vec *b, size_t v,
	const uint64_t *mask);

/* Within a mask without heterozygous calls: turn 2 into 1; and back. */
void vs_haploid_halve(struct vs_vec *b, size_t v, const uint64_t *mask);
void vs_haploid_double(struct vs_vec *b, size_t v, const uint64_t *mask);

#endif
