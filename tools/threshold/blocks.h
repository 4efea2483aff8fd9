/* SPDX-License-Identifier: BSD-3-Clause */
/* Haplotype blocks by the rule of Gabriel et al. (2002), as of PLINK 1.9's
 * --blocks. */
#ifndef VS_TOOLS_THRESHOLD_BLOCKS_H
#define VS_TOOLS_THRESHOLD_BLOCKS_H

#include <stdbool.h>

#include "libcore/base/decimal.h"

/* Values of the options. */
struct vs_blocks {
	const char *prefix;
	struct vs_decimal kb; /* greatest length of a block; default: 200 */
	double maf;           /* least of a variant */
	/* ends of the confidence interval of D': a pair is in strong LD if both
	 * are at least strong, and shows recombination if the upper is below
	 * recombined */
	double strong_low, strong_high, recombined;
	double strong_share; /* strong pairs among those two kinds: more */
	bool any_span;       /* blocks of two and three variants too */
};

#define VS_BLOCKS_DEFAULT                                            \
	{                                                            \
		.maf = 0.05, .strong_low = 0.7, .strong_high = 0.98, \
		.recombined = 0.9, .strong_share = 0.95,             \
	}

/*
 * Write PREFIX.blocks.det, a line for each block in genome order, and
 * PREFIX.blocks, the ids of its variants.
 * vectors  a file of genotypes
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_blocks_write(const struct vs_blocks *b, const char *vectors, bool force);

#endif
