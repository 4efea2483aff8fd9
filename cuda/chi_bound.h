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
 * Any p other than the table's own makes the sum of n KL(k / n || p) greater.
 * So where calls are missing, p is the share in all samples, and what a triple
 * needs depends on the samples n that it has of each class: it is least + per
 * n, and mixed n_0 n_1 / (n_0 + n_1) more.
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

/* The bound of a table of n_cell cells. */
VS_DEVICE float
vs_chi_most(const struct vs_chi *x, const struct vs_card_chi *q,
	const uint32_t n_cell, const int entropy, const int skew)
{
	float most = x->all * q->scale;

	if (skew)
		most = fmaf(x->above, q->more, most);
	if (!entropy)
		most = fmaf(-q->half, (float)(x->logs - n_cell * VS_CHI_ONE),
			most);
	return most;
}

/* True if the table of n_cell cells, 9 or 27, may pass; NaN may. */
VS_DEVICE int
vs_chi_may_pass(const struct vs_chi *x, const struct vs_card_chi *q,
	const uint32_t n_cell, const int entropy, const int skew)
{
	return !(vs_chi_most(x, q, n_cell, entropy, skew) <
		q->least[n_cell == 27]);
}

/* The same for a triple with n samples by class, where calls are missing. */
VS_DEVICE int
vs_chi_called_may_pass(const struct vs_chi *x, const struct vs_card_chi *q,
	const int32_t n[2], const int entropy, const int skew)
{
	const float a = (float)n[0], b = (float)n[1];
	float least = fmaf(q->per[0], a, fmaf(q->per[1], b, q->least[1]));

	if (q->mixed > 0)
		least = fmaf(q->mixed, a * b / (a + b), least);
	return !(vs_chi_most(x, q, 27, entropy, skew) < least);
}

#endif
