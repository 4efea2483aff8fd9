/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bound of the score of a contingency table by the terms of chi-square
 * in floats, without a logarithm or a division. Compiled by nvcc for the
 * device, and for the CPU by the tests.
 *
 * A cell has n samples, k of them cases; p is the overall share of cases, q = 1
 * - p, d = k - p n. KL is the Kullback-Leibler divergence.
 *
 * Entropy: n KL(k / n || p) <= rho d^2 / (p q n), where rho is the greater of
 * 1/2 and, for d > 0, -ln(p) p / q, for d < 0, -ln(q) q / p: 0.693 for classes
 * of equal size. Factorials: ln(k! (n - k)! / (n + 1)!) - k ln p - (n - k) ln q
 * is at most rho d^2 / (p q m) - ln(2 m / pi) / 2, m = n + 1, and slightly more
 * if the sign of d counts. Their sums over a table differ from its score by
 * terms that depend only on the classes.
 *
 * Counts below 2^24 are exact floats, and d is rounded once. A reciprocal is at
 * most 5.1 % off; the bits of a float are a lower bound of its logarithm to
 * base 2.
 */
#ifndef VS_CUDA_CHI_BOUND_H
#define VS_CUDA_CHI_BOUND_H

#include <math.h>

#include "cuda/card.h"
#include "cuda/isa.h"

/* less the bits of x: the bits of about 1/x */
#define VS_CHI_RECIPROCAL 0x7ef311c7u
#define VS_CHI_ONE 0x3f800000u /* bits of 1 */

/* Sums over cells: of d^2 / n, of those with d > 0, and of the bits of m. */
struct vs_chi {
	float all, above;
	uint32_t logs;
};

/* Add a cell. skew: signs count; else the greater rho is used for both. */
VS_DEVICE void
vs_chi_add(struct vs_chi *x, float n, float k, float p, const int entropy,
	const int skew)
{
	const float d = fmaf(-p, n, k), m = entropy ? n : n + 1;
	const float t = d * isa_float(VS_CHI_RECIPROCAL - isa_bits(m));

	x->all = fmaf(t, d, x->all);
	if (skew)
		x->above = fmaf(t, fmaxf(d, 0), x->above);
	if (!entropy)
		x->logs += isa_bits(m);
}

/* True if the table of n_cell cells, 9 or 27, may pass; NaN may. */
VS_DEVICE int
vs_chi_may_pass(const struct vs_chi *x, const struct vs_card_chi *q,
	const uint32_t n_cell, const int entropy, const int skew)
{
	float most = x->all * q->scale;

	if (skew)
		most = fmaf(x->above, q->more, most);
	if (!entropy)
		most = fmaf(-q->half, (float)(x->logs - n_cell * VS_CHI_ONE),
			most);
	return !(most < q->least[n_cell == 27]);
}

#endif
