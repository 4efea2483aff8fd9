/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Made-up vectors. Entry q of vector v depends on nothing but the kind, the
 * seed, v, q and the number of fields, so any part can be made alone.
 *
 * random: from counters. A genotype is two draws at a frequency u^2 / 2 that
 *   the vector drew, u uniform over [0, 1); a number is uniform up to a most
 *   that the vector drew. Calls are missing at random.
 *
 * analytic: placed so that what two or three vectors have in common is known
 *   from their numbers alone. Fields are the cells of a box of sides p[0], p[1]
 *   and p[2], those left over hold 0. A vector looks along one axis: its entry
 *   in a field is the level there of its pattern, a short cyclic one. So of two
 *   vectors with different axes the fields of levels s and t are a product of
 *   two counts, n_i(s) n_j(t) P / (p_i p_j), and of two with one axis the
 *   positions where both have them, times P / p, with P = p[0] p[1] p[2].
 *   Vectors whose numbers are equal modulo VS_SYNTHETIC_CLASSES are alike.
 */
#ifndef VS_BITS_SYNTHETIC_H
#define VS_BITS_SYNTHETIC_H

#include "libcore/bits/element.h"
#include "libcore/bits/vec.h"

/* A prime, so that vectors that are alike lie across all blocks. */
#define VS_SYNTHETIC_CLASSES 1021

enum { VS_LEVEL_MISSING = 3 };

struct vs_synthetic {
	bool analytic;
	uint64_t seed;
	double missing; /* share of missing genotypes, 0 to 1 */
};

/* A vector as analytic has it. */
struct vs_pattern {
	int axis;      /* 0 1 2 */
	uint64_t side; /* positions along it */
	/*
	 * From start on, cyclically: n2 positions of level 2, then up to n1 in
	 * all of level 1; the last n_missing are missing; between them 0.
	 */
	uint64_t start, n1, n2, n_missing;
	unsigned height; /* a number is its level times this, 1 to 127 */
};

/* Sides of the box: as near to a cube as n_field allows; each 1 or more. */
void vs_synthetic_box(uint64_t n_field, uint64_t p[3]);

/*
 * The pattern of a vector; ploidy 1 has levels 0 and 1, numbers none missing.
 */
void vs_synthetic_pattern(const struct vs_synthetic *s, uint64_t v,
	uint64_t n_field, int ploidy, struct vs_pattern *out);

/* Its level, 0 1 2 or VS_LEVEL_MISSING, at a position along its axis. */
int vs_synthetic_level(const struct vs_pattern *p, uint64_t position);

/*
 * Fill vector row of a block with genotypes 0 1 2 (ploidy 1: 0 1) or missing,
 * or n_field numbers at out.
 */
void vs_synthetic_genotypes(const struct vs_synthetic *s, uint64_t v,
	int ploidy, struct vs_vec *b, size_t row);
void vs_synthetic_numbers(const struct vs_synthetic *s, uint64_t v,
	enum vs_element e, uint64_t n_field, void *out);

#endif
