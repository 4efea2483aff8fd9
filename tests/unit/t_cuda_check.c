/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sum that a device has to count of triples, from sums of rows and columns:
 * the sums of the products of each pair of the blocks that are counted, one by
 * one, for ranges and orders of vectors as launches have them.
 */
#include "cuda/tile_check.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define WORDS 5        /* that samples have, */
#define MOST_BLOCKS 17 /* though lines may be longer */
#define LINES 2560

uint32_t
isa_add(uint32_t *to, uint32_t n)
{
	const uint32_t was = *to;

	*to += n;
	return was;
}

static uint32_t plane[3][(size_t)LINES * MOST_BLOCKS * 3 * 32];

struct launch {
	uint32_t planes, n_block, i_lo, i_hi, j_lo, j_hi;
	bool alleles, ordered;
	uint32_t n_pivot;
	uint64_t u, first, skip;
	struct check_tiles tiles;
};

/* A part of random genotypes, exclusive as they are. */
static struct vs_card_part
part(const struct launch *l, uint32_t *at, struct vs_rng *rng)
{
	struct vs_card_part p = { .plane = at,
		.n_plane = l->planes,
		.n_block = l->n_block,
		.n_segment = 2,
		.end = { 2, WORDS },
		.size = { 52, 32 * (WORDS - 3) + 8 } };

	for (uint32_t v = 0; v < LINES; v++)
		for (uint32_t w = 0; w < WORDS; w++) {
			uint32_t left = ~0u;

			for (uint32_t k = 0; k < l->planes; k++) {
				const uint32_t x =
					(uint32_t)vs_rng_next(rng) & left;

				at[vs_word_at(&p, v, w, k)] = x;
				left &= ~x;
			}
		}
	return p;
}

/* Samples of word w that a pivot counts, one of them; without one, all. */
static uint32_t
mask(const struct vs_card_triples *t, uint32_t k, uint32_t w)
{
	const struct vs_card_pivot *p = &t->pivot[k];
	uint32_t has[4] = { 0, 0, 0, ~0u }, out = 0;

	if (k == VS_CARD_PIVOTS)
		return ~0u;
	for (uint32_t g = 0; g < t->u.n_plane; g++) {
		has[g] = t->u.plane[vs_word_at(&t->u, p->u, w, g)];
		has[3] &= ~has[g];
	}
	/* without missing calls those left have genotype 2 */
	if (t->u.n_plane == 2)
		has[2] = has[3];
	for (uint32_t g = 0; g < 2; g++)
		out |= has[p->genotype[g]];
	if (t->u.n_plane == 3)
		out |= t->rest ? has[3] : has[p->genotype[2]];
	return out & (w == 1 ? 0xfffff : w == WORDS - 1 ? 0xff : ~0u);
}

/* Sum of the products of two lines, over the samples of a pivot. */
static uint32_t
pair(const struct launch *l, const struct vs_card_triples *t, uint32_t k,
	uint32_t i, uint32_t j)
{
	const struct vs_card_part *p = &t->work.i, *q = &t->work.j;
	uint32_t sum = 0;

	for (uint32_t w = 0; w < WORDS; w++)
		for (uint32_t x = 0; x < l->planes * l->planes; x++) {
			const uint32_t a = x / l->planes, b = x % l->planes;
			const int n = __builtin_popcount(
				p->plane[vs_word_at(p, i, w, a)] &
				q->plane[vs_word_at(q, j, w, b)] &
				mask(t, k, w));

			sum += (uint32_t)n *
				(l->alleles ? (2 - a) * (2 - b) : 1);
		}
	return sum;
}

/* Sum of the counts of a pivot in the block of rows y and columns x. */
static uint32_t
block(const struct launch *l, const struct vs_card_triples *t, uint32_t k,
	uint32_t y, uint32_t x)
{
	uint32_t sum = 0;

	for (uint32_t r = 0; r < l->tiles.rows; r++)
		for (uint32_t c = 0; c < l->tiles.cols; c++) {
			uint32_t i = l->i_lo + y * l->tiles.rows + r;
			uint32_t j = l->j_lo + x * l->tiles.cols + c;

			i = i < l->i_hi ? i : l->i_hi - 1;
			j = j < l->j_hi ? j : l->j_hi - 1;
			sum += pair(l, t, k, i, j)
				<< (c % 2 && !l->tiles.wide ? 16 : 0);
		}
	return sum;
}

/* Add the counts of all blocks. */
static void
count(const struct launch *l, const struct vs_card_triples *t, uint32_t *sum)
{
	const struct check_tiles *c = &l->tiles;

	for (uint32_t y = 0; y < check_rows(t, c); y++)
		for (uint32_t x = 0; x < check_cols(t, c); x++) {
			const uint64_t v = l->first + l->i_lo + y * c->rows;
			const uint64_t z = l->first + l->j_lo + x * c->cols;

			if (z >= l->skip && z + c->cols - 1 <= v)
				continue;
			for (uint32_t k = 0; k < t->n_pivot; k++)
				if (!l->ordered || l->u + k < v + c->rows - 1)
					sum[y] += block(l, t, k, y, x);
			if (c->all)
				sum[y] += block(l, t, VS_CARD_PIVOTS, y, x);
		}
}

static void
try(const struct launch *l, int number)
{
	static struct vs_card_triples t;
	uint32_t sum[LINES / VS_CARD_CHECKED] = { 0 }, wrong = 0, some = 0;
	const struct check_tiles *c = &l->tiles;
	uint32_t range = 0;
	struct vs_rng rng;

	vs_rng_seed(&rng, (uint64_t)number + 1);
	t = (struct vs_card_triples){ .n_pivot = l->n_pivot,
		.n_level = l->planes,
		.rest = number % 2,
		.ordered = l->ordered,
		.skip = l->skip,
		.check = sum };
	t.u = part(l, plane[0], &rng);
	t.work.i = part(l, plane[1], &rng);
	t.work.j = part(l, plane[2], &rng);
	t.u.first = l->u;
	t.work.i.first = t.work.j.first = l->first;
	for (uint32_t k = 0; k < l->n_pivot; k++) {
		t.pivot[k].u = k;
		for (uint32_t g = 0; g < 3; g++)
			t.pivot[k].genotype[g] = (k + g) % 3;
	}
	if (l->planes == 2)
		t.rest = 1;
	t.work.i_lo = l->i_lo;
	t.work.i_hi = l->i_hi;
	t.work.j_lo = l->j_lo;
	t.work.j_hi = l->j_hi;
	count(l, &t, sum);
	for (uint32_t y = 0; y < check_rows(&t, c); y++)
		some += sum[y] != 0;
	for (; range * check_most(&t, c) < check_cols(&t, c); range++)
		for (uint32_t w = 0; w < 32; w++)
			check_word(&t, c, range, w, l->alleles, l->planes);
	for (uint32_t y = 0; y < check_rows(&t, c); y++)
		wrong += sum[y] != 0;
	T_OK(!wrong && some, "launch %d, %u ranges: %u of %u sums differ",
		number, range, wrong, check_rows(&t, c));
}

int
main(void)
{
	static const struct launch all[] = {
		{ 2, 1, 0, 20, 1, 20, false, true, 2, 0, 0, 0,
			{ 64, 32, 1, 0 } },
		{ 2, 1, 9, 201, 3, 1100, false, false, 9, 0, 0, UINT64_MAX,
			{ 64, 32, 1, 0 } },
		{ 2, MOST_BLOCKS, 9, 73, 0, 1100, false, false, 3, 0, 0,
			UINT64_MAX, { 64, 32, 0, 1 } },
		{ 2, 1, 0, 300, 0, 300, true, true, 2, 170, 0, 0,
			{ 64, 32, 1, 1 } },
		{ 3, 1, 10, 300, 64, 310, false, true, 2, 1100, 1000, 1128,
			{ 64, 32, 0, 1 } },
		{ 3, 1, 10, 300, 64, 310, false, true, 7, 1100, 1000, 1128,
			{ 64, 32, 1, 0 } },
		{ 2, 1, 0, 257, 0, 1290, false, true, 2, 60, 40, 129,
			{ 64, 32, 0, 0 } },
		{ 2, 1, 3, 130, 0, 290, false, true, 32, 60, 40, 129,
			{ 32, 16, 1, 1 } },
		{ 3, 1, 3, 130, 0, 290, false, true, 8, 60, 40, 129,
			{ 16, 16, 1, 1 } },
	};

	for (int k = 0; k < (int)(sizeof(all) / sizeof(all[0])); k++)
		try(&all[k], k);
	return T_DONE();
}
