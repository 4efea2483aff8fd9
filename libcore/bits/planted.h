/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synthetic case-control genotypes with a planted interaction.
 *
 * A vector's frequency of allele 1 is uniform over a range, and a genotype is
 * two draws at that frequency. For two or three vectors, the set, a sample's
 * genotypes are drawn jointly, given its class. Let p(g) be the probability of
 * a combination g of genotypes, f(g) its penetrance (the probability of being a
 * case) and K the sum of p f. Then a case has g with probability p(g) f(g) / K,
 * a control with p(g) (1 - f(g)) / (1 - K). So there are as many cases as
 * requested, whatever K is.
 *
 * An entry depends only on the settings, the vector, the field and its class.
 */
#ifndef VS_BITS_PLANTED_H
#define VS_BITS_PLANTED_H

#include "libcore/bits/vec.h"

enum { VS_PLANTED_MOST = 3, VS_PLANTED_CELLS = 27 };

/*
 * Penetrance by the copies g of allele 1, between low and high. Each vector of
 * the set has the highest frequency of the range or, for xor, 1/2.
 */
enum vs_planted_model {
	/* low (high / low)^e, e being the product of the g / 2 */
	VS_PLANTED_MULTIPLICATIVE,
	/* high if every vector has at least one copy */
	VS_PLANTED_THRESHOLD,
	/*
	 * high if an odd number of the vectors have one copy: as half of the
	 * samples do, no single vector, and no pair of three, is associated
	 */
	VS_PLANTED_XOR,
};

struct vs_planted {
	uint64_t seed, n_field, n_case;
	double missing;     /* share of calls, 0 to 1 */
	double least, most; /* of the frequencies, 0 to 0.5 */
	enum vs_planted_model model;
	double low, high; /* above 0, below 1 */
	size_t n_set;     /* 0, 2 or 3 */
	uint64_t set[VS_PLANTED_MOST];

	/* made by vs_planted_begin() */
	uint8_t *status; /* n_field: 1 for cases */
	/* cumulative probabilities of combinations, by class; the first vector
	 * is the least significant digit */
	double sum[2][VS_PLANTED_CELLS];
};

/* Name of a model, such as "xor"; null past the last. */
const char *vs_planted_name(size_t model);

/* Draw the classes, and make the tables. 0; VS_EMACHINE */
int vs_planted_begin(struct vs_planted *p);
void vs_planted_end(struct vs_planted *p); /* all zero is accepted */

/* Fill vector row of a block of n_field fields with genotypes of vector v. */
void vs_planted_genotypes(const struct vs_planted *p, uint64_t v,
	struct vs_vec *b, size_t row);

#endif
