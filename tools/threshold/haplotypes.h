/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Haplotypes of two variants of a vectors file, as in PLINK 1.9's --clump and
 * --blocks. If a sample is heterozygous at both, its calls do not show which
 * alleles are on one chromosome: see libcore/metric/phase.h.
 */
#ifndef VS_TOOLS_THRESHOLD_HAPLOTYPES_H
#define VS_TOOLS_THRESHOLD_HAPLOTYPES_H

#include "formats/vectors/packed.h"
#include "libcore/bits/cpu.h"

#define VS_HAPLOTYPES_BLOCK (4ull << 20) /* bytes of vectors read together */

struct vs_haplotypes { /* all zero is closed */
	struct vs_packed *f;
	enum vs_cpu cpu;
	struct vs_vec rows; /* males have two equal alleles on X and Y */
	/* of the first vector: samples of 0, 1 and 2 copies, and males of 0 and
	 * of 2, a plane each */
	uint64_t *mask;
	bool is_x; /* so is it */
};

/*
 * f        of genotypes, open as long as this is in use
 * rows     to have besides those of a block
 * returns  0; VS_EINPUT: it has numbers; VS_EMACHINE. Close it in either case
 */
int vs_haplotypes_open(struct vs_haplotypes *h, struct vs_packed *f,
	uint64_t rows);
void vs_haplotypes_close(struct vs_haplotypes *h);

/* Read vectors [lo, hi) into the rows from `at` on. */
int vs_haplotypes_read(struct vs_haplotypes *h, uint64_t lo, uint64_t hi,
	size_t at);

/* Make vector a, in a row, the first of those pairs that follow. */
void vs_haplotypes_first(struct vs_haplotypes *h, size_t row, uint64_t a);

/*
 * Count the haplotypes of the first vector and vector b, in a row. Males have
 * one on X.
 * known    by 2 * allele of the first + allele of the second
 * returns  samples that are heterozygous at both
 */
int64_t vs_haplotypes_known(const struct vs_haplotypes *h, size_t row,
	uint64_t b, int64_t known[4]);

/*
 * Find the vectors, among some, whose r2 of haplotypes with vector a exceeds a
 * bound. The rows are overwritten.
 * vector   [n] consecutive numbers are read together
 * linked   [n] 0: not asked; 1: becomes 0 if the bound is not exceeded
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_haplotypes_linked(struct vs_haplotypes *h, uint64_t a,
	const uint32_t *vector, uint64_t n, double above, uint8_t *linked);

#endif
