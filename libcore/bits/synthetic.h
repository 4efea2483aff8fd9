/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Synthetic test vectors, random access by index. Entry q of vector v depends
 * only on the kind, the seed, v, q and the number of fields, so any part can be
 * generated alone.
 *
 * random: counter-based. A genotype is two draws at the vector's own frequency
 *   u^2 / 2, u uniform over [0, 1); a number is uniform up to the vector's own
 *   maximum. Calls are missing at random.
 * analytic: constructed so that the counts of two or three vectors follow from
 *   their numbers alone. Fields are the cells of a box of sides p[0], p[1] and
 *   p[2]; fields past the box hold 0. A vector varies along one axis: its entry
 *   in a field is the level of a short cyclic pattern at that position. So the
 *   number of fields where two vectors have the levels s and t is, with P =
 *   p[0] p[1] p[2], n_i(s) n_j(t) P / (p_i p_j) for different axes and, for the
 *   same axis, the number of such positions times P / p. Vectors whose numbers
 *   are equal modulo VS_SYNTHETIC_CLASSES are equal.
 */
#ifndef VS_BITS_SYNTHETIC_H
#define VS_BITS_SYNTHETIC_H

#include "libcore/bits/element.h"
#include "libcore/bits/vec.h"

/* A prime, so that equal vectors spread over all blocks. */
#define VS_SYNTHETIC_CLASSES 1021

enum { VS_LEVEL_MISSING = 3 };

struct vs_synthetic {
	bool analytic;
	uint64_t seed;
	double missing; /* share of missing genotypes, 0 to 1 */
};

/* Pattern of an analytic vector. */
struct vs_pattern {
	int axis;      /* 0 1 2 */
	uint64_t side; /* positions along it */
	/*
	 * cyclically from start: n2 positions of level 2, then positions of
	 * level 1 up to n1 in total; the last n_missing are missing; 0 between
	 */
	uint64_t start, n1, n2, n_missing;
	unsigned height; /* 1 to 127; a number is level * height */
};

/* Sides of the box: as near to a cube as n_field allows, each >= 1. */
void vs_synthetic_box(uint64_t n_field, uint64_t p[3]);

/*
 * The pattern of a vector; ploidy 1 has levels 0 and 1; numbers are never
 * missing.
 */
void vs_synthetic_pattern(const struct vs_synthetic *s, uint64_t v,
	uint64_t n_field, int ploidy, struct vs_pattern *out);

/*
 * Level of a pattern, 0 1 2 or VS_LEVEL_MISSING, at a position along its axis.
 */
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
