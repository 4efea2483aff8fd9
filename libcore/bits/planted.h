/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synthetic case-control genotypes with a planted interaction.
 *
 * A vector's frequency of allele 1 is uniform over a range, a genotype two
 * draws at it. Of two or three vectors, the set, the genotypes of a sample are
 * drawn together, by its class: with p(g) the probability of a combination g of
 * such genotypes and f(g) its penetrance, the probability of a case, a case has
 * g with probability p(g) f(g) / K, a control with p(g) (1 - f(g)) / (1 - K), K
 * being the sum of p f. So there are as many cases as asked, whatever K.
 *
 * An entry depends on the settings, the vector, the field and the field's class
 * alone.
 */
#ifndef VS_BITS_PLANTED_H
#define VS_BITS_PLANTED_H

#include "libcore/bits/vec.h"

enum { VS_PLANTED_MOST = 3, VS_PLANTED_CELLS = 27 };

/*
 * Penetrance by the copies g of allele 1, between low and high; each vector of
 * the set has the frequency that is the most of the range, or 1/2 with xor.
 */
enum vs_planted_model {
	/* low (high / low)^e, e the product of the copies g / 2 */
	VS_PLANTED_MULTIPLICATIVE,
	/* high where every vector has a copy at least */
	VS_PLANTED_THRESHOLD,
	/*
	 * high where an odd number of the vectors have one copy: as half of
	 * the samples have one, no vector, and of three no pair, tells anything
	 */
	VS_PLANTED_XOR,
};

struct vs_planted {
	uint64_t seed, n_field, n_case;
	double missing;     /* share of calls, 0 to 1 */
	double least, most; /* of a frequency, 0 to 0.5 */
	enum vs_planted_model model;
	double low, high; /* above 0, below 1 */
	size_t n_set;     /* 0, 2 or 3 */
	uint64_t set[VS_PLANTED_MOST];

	/* made by vs_planted_begin() */
	uint8_t *status; /* n_field: 1 for cases */
	/* sums of the probabilities of combinations, by class; the first vector
	 * counts least */
	double sum[2][VS_PLANTED_CELLS];
};

/* The word of a model, "xor"; or null past the last. */
const char *vs_planted_name(size_t model);

/* Draw the classes, and make the tables. 0; VS_EMACHINE */
int vs_planted_begin(struct vs_planted *p);
void vs_planted_end(struct vs_planted *p); /* all zero is accepted */

/* Fill vector row of a block of n_field fields with genotypes of vector v. */
void vs_planted_genotypes(const struct vs_planted *p, uint64_t v,
	struct vs_vec *b, size_t row);

#endif
