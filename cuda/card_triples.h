/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contingency tables of triples in device memory; the same code runs on the
 * device and on the CPU.
 *
 * For a first vector u, the pivot, the samples that have a genotype of u are
 * gathered in all second and third vectors: a segment for each genotype and
 * class, number VS_CARD_CLASSES times the genotype's place plus the class.
 * u's two rarer genotypes have segments, and the samples without its call: the
 * pair's cells less those counted give the third genotype. Without missing
 * calls 4 of 9 cells are counted for each. Where calls are missing and counts
 * may not fit 16 bits, the third genotype has a segment instead.
 */
#ifndef VS_CUDA_CARD_TRIPLES_H
#define VS_CUDA_CARD_TRIPLES_H

#include "cuda/card_tables.h"

#define VS_CARD_PIVOTS 32  /* of a launch */
#define VS_CARD_CHECKED 16 /* rows, at least, that are checked together */

/* A first vector, and the second and third ones gathered for it: parts that
 * begin with the launch's first row and column. */
struct vs_card_pivot {
	struct vs_card_part i, j;
	uint32_t *field;      /* place in the vectors' order, by place here */
	uint32_t u;           /* vector of part u */
	uint32_t genotype[3]; /* rarest first */
};

/* Counts of four products of a pair, or of two pairs in the halves of words. */
struct vs_card_four {
	uint32_t of[4];
} __attribute__((aligned(16)));

/* True if counts of a class, by their sizes, may not fit 16 bits. */
VS_BOTH int
vs_card_triples_wide(const int32_t size[VS_CARD_CLASSES])
{
	return size[0] > UINT16_MAX || size[1] > UINT16_MAX;
}

/*
 * A launch: rows [i_lo, i_hi) and columns [j_lo, j_hi) of work's parts for each
 * pivot; a triple is wanted if, by the numbers of vectors in their panel, u is
 * before i, if ordered, and j is not one of [skip, i]. A candidate's sum[0] is
 * the pivot. Rows of a pivot's part count from row i_from, and so on.
 */
struct vs_card_triples {
	struct vs_card_work work;
	struct vs_card_part u;
	struct vs_card_pivot pivot[VS_CARD_PIVOTS];
	uint32_t n_pivot, n_level; /* segments of a class */
	int32_t rest; /* the third genotype is what they leave of all samples */
	uint32_t i_from, j_from, n_i, n_j;
	int32_t ordered;
	uint64_t skip;
	/* for tables by 1-bit products: counts of all samples, by class, of the
	 * pairs of the launch's ranges, as its blocks arrange them; counted: by
	 * a launch before */
	struct vs_card_four *pair;
	int32_t counted;
	/* sums of counts by rows of tiles, tile_check.h; or null */
	uint32_t *check;
};

/* Stored as the number of candidates if the counts fail the check. */
#define VS_CARD_WRONG UINT32_MAX

VS_BOTH int
vs_card_triples_wants(const struct vs_card_triples *t, uint32_t pivot,
	uint32_t i, uint32_t j)
{
	const struct vs_card_work *w = &t->work;
	const uint64_t u = t->u.first + t->pivot[pivot].u;
	const uint64_t v = w->i.first + i, x = w->j.first + j;

	return i >= w->i_lo && i < w->i_hi && j >= w->j_lo && j < w->j_hi &&
		(!t->ordered || u < v) && (x < t->skip || x > v);
}

/* The rows up to `last` are counted with the first pivots of a launch; return
 * how many. */
VS_BOTH uint32_t
vs_card_triples_pivots(const struct vs_card_triples *t, uint32_t last)
{
	const int32_t behind = (int32_t)((uint32_t)t->work.i.first + last -
		(uint32_t)t->u.first - t->pivot[0].u);

	return !t->ordered || behind >= (int32_t)t->n_pivot ? t->n_pivot
		: behind > 0                                ? (uint32_t)behind
							    : 0;
}

/* Bits of the samples of word w that are in segment `level` of a pivot. */
VS_BOTH uint32_t
vs_card_triples_bits(const struct vs_card_triples *t,
	const struct vs_card_pivot *p, uint32_t w, uint32_t level)
{
	const struct vs_card_part *u = &t->u;
	const uint32_t first =
		level == 2 && t->rest ? u->n_plane : p->genotype[level];
	uint32_t others = 0;

	if (first < u->n_plane)
		return u->plane[vs_word_at(u, p->u, w, first)];
	for (uint32_t k = 0; k < u->n_plane; k++)
		others |= u->plane[vs_word_at(u, p->u, w, k)];
	return ~others;
}

/* Mask of the bits of word w that are samples of a class. */
VS_BOTH uint32_t
vs_card_triples_within(const struct vs_card_part *p, uint32_t class_,
	uint32_t w)
{
	const int32_t left = p->size[class_] -
		32 * (int32_t)(w - vs_card_tables_begin(p, class_));

	return left <= 0 ? 0 : left < 32 ? (1u << left) - 1 : ~0u;
}

/* Products of a triple: by segment of the pivot and, if they are needed, by
 * class over all samples. */
struct vs_card_products {
	int32_t of[VS_CARD_SEGMENTS][VS_CARD_PRODUCTS];
	int32_t all[VS_CARD_CLASSES][VS_CARD_PRODUCTS];
};

/* Add words from, from + step, .. of all segments. */
VS_BOTH void
vs_card_triples_add(const struct vs_card_triples *t, uint32_t pivot, uint32_t i,
	uint32_t j, uint32_t from, uint32_t step, struct vs_card_products *n)
{
	const struct vs_card_pivot *p = &t->pivot[pivot];
	const struct vs_card_part *all = &t->work.i;

	for (uint32_t k = 0; k < p->i.n_segment; k++)
		for (uint32_t w = vs_card_tables_begin(&p->i, k) + from;
			w < p->i.end[k]; w += step)
			vs_card_tables_add(&p->i, i - t->i_from, &p->j,
				j - t->j_from, w, n->of[k]);
	for (uint32_t k = 0; k < VS_CARD_CLASSES && t->rest; k++)
		for (uint32_t w = vs_card_tables_begin(all, k) + from;
			w < all->end[k]; w += step)
			vs_card_tables_add(all, i, &t->work.j, j, w, n->all[k]);
}

/* The cells of a class from its products, of each genotype `step` further. */
VS_BOTH void
vs_card_triples_cells(const struct vs_card_triples *t, uint32_t pivot,
	uint32_t i, uint32_t j, uint32_t class_,
	const int32_t (*of)[VS_CARD_PRODUCTS], int step,
	const int32_t all[VS_CARD_PRODUCTS], int32_t cell[VS_COUNTED_CELLS])
{
	const struct vs_card_pivot *p = &t->pivot[pivot];
	int32_t pair[VS_CARD_PRODUCTS];

	if (!t->rest) {
		for (int x = 0; x < VS_COUNTED_CELLS; x++)
			cell[x] = of[x / 9 * step][x % 9];
		return;
	}
	for (uint32_t a = 0; a < 2; a++)
		vs_card_tables_cells(&p->i, i - t->i_from, &p->j, j - t->j_from,
			2 * a + class_, of[(int)a * step], cell + 9 * a);
	vs_card_tables_cells(&t->work.i, i, &t->work.j, j, class_, all, pair);
	for (int x = 0; x < 9; x++)
		cell[18 + x] = pair[x] - cell[x] - cell[9 + x] -
			(t->n_level == 3 ? of[2 * step][x] : 0);
}

#endif
