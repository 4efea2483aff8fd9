/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies of each allele in genotypes, a byte each, and their inner products:
 * the numerators of pairs by their definition.
 */
#ifndef VS_TESTS_UNIT_COPIES_H
#define VS_TESTS_UNIT_COPIES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Copies of label 0 and of label 1, and 1; all 0 in a call that is missing. */
enum { COPIES_0, COPIES_1, COPIES_CALLED, COPIES_KINDS };

struct copies {
	uint8_t *of[COPIES_KINDS];
};

static inline void
copies_free(struct copies *c)
{
	free(c->of[0]);
	c->of[0] = NULL;
}

/* Those of n genotypes, 3 for missing; c has been made before or is zero. */
static inline void
copies_make(struct copies *c, const uint8_t *g, size_t n)
{
	copies_free(c);
	c->of[0] = malloc(COPIES_KINDS * n + 1);
	if (!c->of[0])
		exit(4);
	for (int k = 1; k < COPIES_KINDS; k++)
		c->of[k] = c->of[k - 1] + n;
	for (size_t f = 0; f < n; f++) {
		c->of[COPIES_0][f] = (uint8_t)(g[f] < 3 ? 2 - g[f] : 0);
		c->of[COPIES_1][f] = (uint8_t)(g[f] < 3 ? g[f] : 0);
		c->of[COPIES_CALLED][f] = g[f] < 3;
	}
}

/* Steps of a known length are vectorised at -O2, too. */
static inline int32_t
copies_product(const uint8_t *u, const uint8_t *v, size_t n)
{
	int32_t sum = 0;
	size_t f = 0;

	for (; n - f >= 32; f += 32)
		for (int k = 0; k < 32; k++)
			sum += u[f + k] * v[f + k];
	for (; f < n; f++)
		sum += u[f] * v[f];
	return sum;
}

#endif
