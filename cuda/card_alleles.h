/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums and a screen of triples of CCC and DUO in device memory; the same code
 * runs on the device and on the CPU.
 *
 * They are counted as a table whose samples are all in one class: see
 * card_tables.h and card_triples.h for planes and segments.
 */
#ifndef VS_CUDA_CARD_ALLELES_H
#define VS_CUDA_CARD_ALLELES_H

#include "cuda/card_triples.h"

#define VS_CARD_NEVER 1e30f /* 1 / u of a vector without a call */

/* 1 / u of a vector, by label. */
VS_BOTH float
vs_card_alleles_e(const struct vs_card_side *s, int label)
{
	return s->u[label] > 0 ? 1 / s->u[label] : VS_CARD_NEVER;
}

/*
 * Room that floats need below a sum r. A sum is made of the sums of its pairs
 * and vectors, at most 24 n each; together with the product that it is compared
 * with it takes roundings of 2^-24 of at most 264 n in all.
 */
VS_BOTH float
vs_card_alleles_slack(int32_t n_field)
{
	return (float)n_field / 32768 + 1e-5f;
}

/* Sums of products of copies over the samples that all three have, as in struct
 * vs_sums, from the 27 cells: genotypes of the first vector in this order. */
VS_BOTH void
vs_card_alleles_sums(const uint32_t genotype[3],
	const int32_t cell[VS_COUNTED_CELLS], int32_t g[8])
{
	for (int s = 0; s < 8; s++)
		g[s] = 0;
	for (int a = 0; a < 3; a++) {
		int32_t pair[4] = { 0 };

		for (int x = 0; x < 9; x++)
			for (int s = 0; s < 4; s++)
				pair[s] += cell[9 * a + x] *
					(s & 1 ? x % 3 : 1) *
					(s & 2 ? x / 3 : 1);
		for (int s = 0; s < 4; s++) {
			g[s] += pair[s];
			g[4 + s] += (int32_t)genotype[a] * pair[s];
		}
	}
}

/* True if a cell of a triple with these sums may pass. e: 1 / u by vector and
 * label */
VS_BOTH int
vs_card_alleles_may_pass(const struct vs_card_rule *q, const int32_t g[8],
	const float e[3][2])
{
	const float slack = vs_card_alleles_slack(q->n_field);
	int32_t r[8];
	int may = 0;

	for (int s = 0; s < 8; s++)
		r[s] = g[s];
	for (int bit = 1; bit < 8; bit *= 2)
		for (int s = 0; s < 8; s++)
			if (!(s & bit))
				r[s] = 2 * r[s] - r[s + bit];
	for (int s = 0; s < 8; s++) {
		const int a = s >> 2, b = s >> 1 & 1, c = s & 1;

		may |= (float)r[s] >= q->eight[a + b + c] * (float)g[0] *
					e[0][a] * e[1][b] * e[2][c] -
				slack;
	}
	return may && g[0] >= q->min_joint;
}

/* The same for the triple of a pivot, by place in the parts. */
VS_BOTH int
vs_card_alleles_wants(const struct vs_card_triples *t, uint32_t pivot,
	uint32_t i, uint32_t j, const int32_t g[8])
{
	const struct vs_card_side *of[3] = { &t->u.side[t->pivot[pivot].u],
		&t->work.i.side[i], &t->work.j.side[j] };
	float e[3][2];

	for (int x = 0; x < 6; x++)
		e[x / 2][x % 2] = vs_card_alleles_e(of[x / 2], x % 2);
	return vs_card_alleles_may_pass(&t->work.rule, g, e);
}

#endif
