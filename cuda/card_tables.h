/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contingency tables in device memory: counts by class, their inference and a
 * screen; the same code runs on the device and on the CPU.
 *
 * Samples are in the order of a list of fields, with a segment for each class.
 * A vector has a plane for each of genotypes 0 and 1 and, if calls are missing,
 * one for genotype 2. A cell is the population count of the AND of two planes;
 * without missing calls 4 cells of 9 are counted, and the others follow from
 * the samples that each vector's genotypes have.
 */
#ifndef VS_CUDA_CARD_TABLES_H
#define VS_CUDA_CARD_TABLES_H

#include "cuda/card.h"
#include "libcore/engine/tables/counted_table.h"

#define VS_CARD_CLASSES 2
#define VS_CARD_LEVELS 3
#define VS_CARD_PRODUCTS 9

/* First word of a segment. */
VS_BOTH uint32_t
vs_card_tables_begin(const struct vs_card_part *p, uint32_t segment)
{
	return segment ? p->end[segment - 1] : 0;
}

/* Word w of plane `genotype` of vector v, by the list of fields. */
VS_BOTH uint32_t
vs_card_tables_word(const struct vs_card_expand *e, uint32_t v, uint32_t w,
	uint32_t genotype)
{
	const uint32_t *h = e->from + (size_t)2 * v * e->stride;
	const uint32_t *p = h + e->stride;
	uint32_t out = 0;

	for (uint32_t b = 0; b < 32; b++) {
		const uint32_t f = e->field[32 * w + b];
		uint32_t x, y;

		if (f == VS_CARD_NO_FIELD)
			continue;
		x = h[f / 32] >> f % 32 & 1;
		y = p[f / 32] >> f % 32 & 1;
		/* missing: y without x */
		out |= (genotype == 0                  ? x & ~y
				       : genotype == 1 ? ~x & ~y & 1
						       : x & y)
			<< b;
	}
	return out;
}

/* Convert word w of vector v and store it; past the last vector it is 0. */
VS_BOTH void
vs_card_tables_expand(const struct vs_card_expand *e, uint32_t v, uint32_t w)
{
	for (uint32_t p = 0; p < e->to.n_plane; p++)
		e->to.plane[vs_word_at(&e->to, e->at + v, w, p)] =
			v < e->n ? vs_card_tables_word(e, v, w, p) : 0;
}

/* Samples of vector v with a genotype, in a segment. */
VS_BOTH int32_t *
vs_card_tables_margin(const struct vs_card_part *p, uint32_t v,
	uint32_t segment)
{
	return p->margin +
		((size_t)v * VS_CARD_SEGMENTS + segment) * VS_CARD_LEVELS;
}

/* Add words from, from + step, .. of a segment of a vector's planes. */
VS_BOTH void
vs_card_tables_add_margin(const struct vs_card_part *p, uint32_t v,
	uint32_t segment, uint32_t from, uint32_t step,
	int32_t n[VS_CARD_LEVELS])
{
	for (uint32_t w = vs_card_tables_begin(p, segment) + from;
		w < p->end[segment]; w += step)
		for (uint32_t k = 0; k < p->n_plane; k++)
			n[k] += VS_POPC(p->plane[vs_word_at(p, v, w, k)]);
}

/* Store such a sum; if no call is missing the third follows. */
VS_BOTH void
vs_card_tables_set_margin(const struct vs_card_part *p, uint32_t v,
	uint32_t segment, const int32_t n[VS_CARD_LEVELS])
{
	int32_t *to = vs_card_tables_margin(p, v, segment);

	to[0] = n[0];
	to[1] = n[1];
	to[2] = p->n_plane == 3 ? n[2] : p->size[segment] - n[0] - n[1];
}

/* Add the products of word w of two vectors, i's plane being more
 * significant. */
VS_BOTH void
vs_card_tables_add(const struct vs_card_part *p, uint32_t i,
	const struct vs_card_part *q, uint32_t j, uint32_t word,
	int32_t n[VS_CARD_PRODUCTS])
{
	const uint32_t planes = p->n_plane;

	for (uint32_t a = 0; a < planes; a++)
		for (uint32_t b = 0; b < planes; b++)
			n[a * planes + b] +=
				VS_POPC(p->plane[vs_word_at(p, i, word, a)] &
					q->plane[vs_word_at(q, j, word, b)]);
}

/* The 9 cells of a segment from the products of 2 planes each. */
VS_BOTH void
vs_card_tables_infer(const int32_t n[VS_CARD_PRODUCTS],
	const int32_t i[VS_CARD_LEVELS], const int32_t j[VS_CARD_LEVELS],
	int32_t cell[VS_CARD_PRODUCTS])
{
	for (int a = 0; a < 2; a++) {
		cell[3 * a] = n[2 * a];
		cell[3 * a + 1] = n[2 * a + 1];
		cell[3 * a + 2] = i[a] - n[2 * a] - n[2 * a + 1];
	}
	for (int b = 0; b < 3; b++)
		cell[6 + b] = j[b] - cell[b] - cell[3 + b];
}

/* All cells of a segment of vectors i of p and j of q. */
VS_BOTH void
vs_card_tables_cells(const struct vs_card_part *p, uint32_t i,
	const struct vs_card_part *q, uint32_t j, uint32_t segment,
	const int32_t n[VS_CARD_PRODUCTS], int32_t cell[VS_CARD_PRODUCTS])
{
	if (p->n_plane == 2)
		vs_card_tables_infer(n, vs_card_tables_margin(p, i, segment),
			vs_card_tables_margin(q, j, segment), cell);
	else
		for (int x = 0; x < VS_CARD_PRODUCTS; x++)
			cell[x] = n[x];
}

/* Add a cell to the sums over a table. */
VS_BOTH void
vs_card_tables_sum(const struct vs_log_tables *t, int32_t controls,
	int32_t cases, struct vs_association *a)
{
	a->sum += t->one[controls] + t->one[cases] - t->both[controls + cases];
	a->n[0] += controls;
	a->n[1] += cases;
}

/*
 * True if a table with this sum may pass, judging by its strength. For metrics
 * that need the whole table an upper bound is used: pure interaction is at most
 * G; for beta and alpha see purity.h. `least` has room for rounding.
 */
VS_BOTH int
vs_card_tables_may_pass(const struct vs_card_rule *q,
	const struct vs_association *a)
{
	const struct vs_log_tables *t = &q->logs;
	const double n = (double)(a->n[0] + a->n[1]);
	const double of[2] = { (double)a->n[0], (double)a->n[1] };
	double most = 0;

	switch ((enum vs_device_code)q->table) {
	case VS_DEVICE_K2:
		most = -vs_k2_value(t, a);
		break;
	case VS_DEVICE_LBF:
		most = vs_lbf_value(t, a);
		break;
	case VS_DEVICE_MI:
	case VS_DEVICE_ALPHA:
		most = vs_mi_value(t, a);
		break;
	case VS_DEVICE_G:
	case VS_DEVICE_INTER:
		most = vs_g_value(t, a);
		break;
	case VS_DEVICE_BETA:
		most = vs_mi_value(t, a) +
			(n > 0 ? (of[0] * of[0] + of[1] * of[1]) / (n * n) : 0);
		break;
	case VS_DEVICE_NONE:
	case VS_DEVICE_ALLELES:
	case VS_DEVICE_R2:
	case VS_DEVICE_R:
	case VS_DEVICE_COSINE:
	case VS_DEVICE_JACCARD:
	case VS_DEVICE_DICE:
		break;
	}
	return most >= q->least && n >= (double)q->min_joint;
}

#endif
