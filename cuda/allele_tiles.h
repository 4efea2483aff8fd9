/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread block that counts triples of CCC and DUO of vectors without missing
 * calls by 1-bit products, with the tiles, stages and copies of table_tiles.h.
 * Compiled by nvcc for the device, and for the CPU by the tests.
 *
 * With x = 2 - g, copies of the allele labelled 0, a pair's sum of x x' is 4
 * n00 + 2 (n01 + n10) + n11 of the planes of genotypes 0 and 1. It is counted
 * once over all samples, and for each pivot over the samples that have either
 * of its two rarer genotypes; the sum of x x' x'' follows, and so do all eight
 * cells of a triple with the sums of its pairs. Each cell is a limit of that
 * one sum, from below for an even number of labels 1 and from above for an odd
 * one.
 */
#ifndef VS_CUDA_ALLELE_TILES_H
#define VS_CUDA_ALLELE_TILES_H

#include "cuda/card_alleles.h"
#include "cuda/table_tiles.h"

/* Floats of a line of the block: the sum of x; 1 / u by label; and the sum of x
 * x' with the pivot. */
enum { ALLELE_SUM, ALLELE_E, ALLELE_WITH = ALLELE_E + 2, ALLELE_FLOATS };
#define ALLELE_SHARED (TILES_RING_BYTES + 4 * ALLELE_FLOATS * TILES_LINES)

/* Sum of x of a vector over a segment. */
VS_DEVICE int32_t
allele_sum(const struct vs_card_part *p, uint32_t v, uint32_t segment)
{
	const int32_t *m = vs_card_tables_margin(p, v, segment);

	return 2 * m[0] + m[1];
}

/* The pivot: x of its third genotype, and of the two rarer ones less that; its
 * sum of x and 1 / u. */
struct allele_pivot {
	int32_t rest, more[2];
	float sum, e[2];
};

VS_DEVICE struct allele_pivot
allele_pivot_of(const struct vs_card_triples *t, uint32_t k)
{
	const struct vs_card_pivot *p = &t->pivot[k];
	const struct vs_card_side *side = &t->u.side[p->u];
	struct allele_pivot out = { 2 - (int32_t)p->genotype[2],
		{ (int32_t)(p->genotype[2] - p->genotype[0]),
			(int32_t)(p->genotype[2] - p->genotype[1]) },
		(float)allele_sum(&t->u, p->u, 0),
		{ vs_card_alleles_e(side, 0), vs_card_alleles_e(side, 1) } };

	return out;
}

VS_DEVICE void
allele_store(uint32_t lines, uint32_t what, uint32_t line, float v)
{
	isa_store(lines + 4 * (what * TILES_LINES + line), isa_bits(v));
}

VS_DEVICE float
allele_load(uint32_t lines, uint32_t what, uint32_t line)
{
	return isa_float(isa_load(lines + 4 * (what * TILES_LINES + line)));
}

/* The floats of the block's lines that do not depend on the pivot. */
VS_DEVICE void
allele_lines(const struct vs_card_triples *t, uint32_t lines)
{
	const uint32_t y = isa_thread();
	const struct vs_card_part *p;
	uint32_t v;

	if (y >= TILES_LINES)
		return;
	p = tiles_line(t, 0, 1, y, &v);
	allele_store(lines, ALLELE_SUM, y, (float)allele_sum(p, v, 0));
	VS_UNROLL
	for (int label = 0; label < 2; label++)
		allele_store(lines, ALLELE_E + (uint32_t)label, y,
			vs_card_alleles_e(&p->side[v], label));
}

/* Those that do. */
VS_DEVICE void
allele_with(const struct vs_card_triples *t, uint32_t k,
	const struct allele_pivot *u, uint32_t lines)
{
	const uint32_t y = isa_thread();
	const struct vs_card_part *p;
	int32_t sum;
	uint32_t v;

	if (y >= TILES_LINES)
		return;
	p = tiles_line(t, 0, 1, y, &v);
	sum = u->rest * allele_sum(p, v, 0);
	p = tiles_line(t, k, 0, y, &v);
	VS_UNROLL
	for (uint32_t a = 0; a < 2; a++)
		sum += u->more[a] * allele_sum(p, v, 2 * a);
	allele_store(lines, ALLELE_WITH, y, (float)sum);
}

/* Sums of x x' of a thread's pairs over a segment, which are added to *total,
 * too. */
VS_DEVICE void
allele_segment(const struct vs_card_triples *t, struct tiles_ring *r,
	const struct vs_card_part *p, uint32_t segment, int32_t to[TILES_SUMS],
	uint32_t *total, const int all)
{
	int32_t sum[4][TILES_SUMS];

	tiles_segment(t, r, p, segment, sum, all, 1);
	VS_UNROLL
	for (uint32_t x = 0; x < TILES_SUMS; x++) {
		to[x] = 4 * sum[0][x] + 2 * sum[1][x] + sum[2][x];
		*total += (uint32_t)to[x];
	}
}

/* ---- the test ---- */

/* A row beside a pivot: the least r of each cell over 1 / u of the third
 * vector; its sum and that with the pivot. */
struct allele_row {
	float need[8], sum, with;
};

VS_DEVICE struct allele_row
allele_row_of(const struct vs_card_rule *q, const struct allele_pivot *u,
	uint32_t lines, uint32_t row)
{
	struct allele_row out;

	VS_UNROLL
	for (uint32_t s = 0; s < 8; s++)
		out.need[s] = q->eight[(s >> 2) + (s >> 1 & 1) + (s & 1)] *
			(float)q->n_field * u->e[s >> 2] *
			allele_load(lines, ALLELE_E + (s >> 1 & 1), row);
	out.sum = allele_load(lines, ALLELE_SUM, row);
	out.with = allele_load(lines, ALLELE_WITH, row);
	return out;
}

/* True if a cell may pass. pair, three: sums of x x' and of x x' x'' */
VS_DEVICE int
allele_may_pass(const struct vs_card_rule *q, const struct allele_pivot *u,
	const struct allele_row *i, uint32_t lines, uint32_t col, int32_t pair,
	int32_t three)
{
	const float sum = allele_load(lines, ALLELE_SUM, col);
	const float e0 = allele_load(lines, ALLELE_E, col);
	const float e1 = allele_load(lines, ALLELE_E + 1, col);
	const float with = allele_load(lines, ALLELE_WITH, col);
	const float slack = vs_card_alleles_slack(q->n_field);
	const float t = (float)three, both = (float)pair;
	/* cells 000, 011, 101, 110 */
	const float least = isa_least(
		isa_least(i->need[0] * e0,
			i->need[3] * e1 - (4 * u->sum - 2 * (i->with + with))),
		isa_least(i->need[5] * e1 - (4 * i->sum - 2 * (i->with + both)),
			i->need[6] * e0 - (4 * sum - 2 * (with + both))));
	/* cells 001, 010, 100, 111 */
	const float most = isa_most(isa_most(2 * i->with - i->need[1] * e1,
					    2 * with - i->need[2] * e0),
		isa_most(2 * both - i->need[4] * e0,
			8 * (float)q->n_field - 4 * (u->sum + i->sum + sum) +
				2 * (i->with + with + both) - i->need[7] * e1));

	return t >= least - slack || t <= most + slack;
}

/* Append the thread's pairs that may pass together with pivot k. */
VS_DEVICE void
allele_offer(const struct vs_card_triples *t, uint32_t k,
	const struct allele_pivot *u, const int32_t pair[TILES_SUMS],
	const int32_t three[TILES_SUMS], uint32_t lines)
{
	const uint32_t thread = isa_thread(), lane = thread % 32;
	const uint32_t first_row = thread / 32 % 4 * 16;
	const uint32_t first_col = TILES_ROWS + thread / 128 * 16;

	VS_UNROLL
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t row = first_row + sum_row(lane, 2 * half);
		const struct allele_row i =
			allele_row_of(&t->work.rule, u, lines, row);

		VS_UNROLL
		for (uint32_t x = 0; x < 4; x++) {
			const uint32_t at = x / 2 * 4 + 2 * half + x % 2;
			const uint32_t col =
				first_col + x / 2 * 8 + sum_col(lane, x % 2);

			tiles_append(t, (int)k, row, col - TILES_ROWS,
				allele_may_pass(&t->work.rule, u, &i, lines,
					col, pair[at], three[at]),
				0);
		}
	}
}

/* Program of a thread block. */
VS_DEVICE void
allele_kernel(const struct vs_card_triples *t)
{
	const uint32_t lines = tiles_behind();
	struct tiles_ring r;
	int32_t pair[TILES_SUMS], three[TILES_SUMS], of[TILES_SUMS];
	uint32_t total = 0;

	if (tiles_idle(t, 0))
		return;
	tiles_begin(t, &r, 1, 2);
	allele_lines(t, lines);
	allele_segment(t, &r, &t->work.i, 0, pair, &total, 1);
	/* until the last stages are free */
	isa_sync();
	tiles_begin(t, &r, 0, 2);
	VS_ROLLED
	for (uint32_t k = 0; k < tiles_pivots(t); k++) {
		const struct allele_pivot u = allele_pivot_of(t, k);

		/* until all warps are done with the previous pivot */
		isa_sync();
		allele_with(t, k, &u, lines);
		r.step = 0;
		VS_UNROLL
		for (uint32_t x = 0; x < TILES_SUMS; x++)
			three[x] = u.rest * pair[x];
		VS_UNROLL
		for (uint32_t a = 0; a < 2; a++) {
			allele_segment(t, &r, &t->pivot[k].i, 2 * a, of, &total,
				0);
			VS_UNROLL
			for (uint32_t x = 0; x < TILES_SUMS; x++)
				three[x] += u.more[a] * of[x];
		}
		isa_sync();
		allele_offer(t, k, &u, pair, three, lines);
	}
	tiles_check(t, total);
}

#endif
