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

static uint32_t plane[3][2][(size_t)LINES * MOST_BLOCKS * 3 * 32];

struct launch {
	uint32_t planes, n_block, i_lo, i_hi, j_lo, j_hi, i_from, j_from;
	bool alleles, wide, ordered, counted;
	uint64_t u, first, skip;
};

/* A part of random genotypes, exclusive as they are. */
static struct vs_card_part
part(const struct launch *l, uint32_t *at, struct vs_rng *rng)
{
	struct vs_card_part p = { .plane = at,
		.n_plane = l->planes,
		.n_block = l->n_block,
		.n_segment = 2,
		.end = { 2, WORDS } };

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

/* Sum of the products of two lines. */
static uint32_t
pair(const struct launch *l, const struct vs_card_part *p, uint32_t i,
	const struct vs_card_part *q, uint32_t j)
{
	uint32_t sum = 0;

	for (uint32_t w = 0; w < WORDS; w++)
		for (uint32_t x = 0; x < l->planes * l->planes; x++) {
			const uint32_t a = x / l->planes, b = x % l->planes;
			const int n = __builtin_popcount(
				p->plane[vs_word_at(p, i, w, a)] &
				q->plane[vs_word_at(q, j, w, b)]);

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
	const bool all = k == VS_CARD_PIVOTS;
	const struct vs_card_part *p = all ? &t->work.i : &t->pivot[k].i;
	const struct vs_card_part *q = all ? &t->work.j : &t->pivot[k].j;
	const uint32_t n_i = all ? l->i_hi : t->n_i;
	const uint32_t n_j = all ? l->j_hi : t->n_j;
	uint32_t sum = 0;

	for (uint32_t r = 0; r < TILES_ROWS; r++)
		for (uint32_t c = 0; c < TILES_COLS; c++) {
			uint32_t i = l->i_lo + y * TILES_ROWS + r;
			uint32_t j = l->j_lo + x * TILES_COLS + c;

			i -= all ? 0 : l->i_from;
			j -= all ? 0 : l->j_from;
			i = i < n_i ? i : n_i - 1;
			j = j < n_j ? j : n_j - 1;
			sum += pair(l, p, i, q, j)
				<< (c % 2 && !l->wide ? 16 : 0);
		}
	return sum;
}

/* Add the counts of all blocks. */
static void
count(const struct launch *l, const struct vs_card_triples *t, uint32_t *sum)
{
	for (uint32_t y = 0; y < check_rows(t); y++)
		for (uint32_t x = 0; x < check_cols(t); x++) {
			const uint64_t v = l->first + l->i_lo + y * TILES_ROWS;
			const uint64_t z = l->first + l->j_lo + x * TILES_COLS;

			if (z >= l->skip && z + TILES_COLS - 1 <= v)
				continue;
			for (uint32_t k = 0; k < t->n_pivot; k++)
				if (!l->ordered ||
					l->u + k < v + TILES_ROWS - 1)
					sum[y] += block(l, t, k, y, x);
			if (!l->counted)
				sum[y] += block(l, t, VS_CARD_PIVOTS, y, x);
		}
}

static void
try(const struct launch *l, int number)
{
	static struct vs_card_triples t;
	uint32_t sum[LINES / TILES_ROWS] = { 0 }, wrong = 0, some = 0;
	uint32_t range = 0;
	struct vs_rng rng;

	vs_rng_seed(&rng, (uint64_t)number + 1);
	t = (struct vs_card_triples){ .n_pivot = 2,
		.i_from = l->i_from,
		.j_from = l->j_from,
		.n_i = l->i_hi - l->i_from,
		.n_j = l->j_hi - l->j_from,
		.ordered = l->ordered,
		.skip = l->skip,
		.check = sum };
	t.u.first = l->u;
	for (uint32_t k = 0; k < 3; k++) {
		struct vs_card_part *to[2] = { k < 2 ? &t.pivot[k].i
						     : &t.work.i,
			k < 2 ? &t.pivot[k].j : &t.work.j };

		for (int col = 0; col < 2; col++) {
			*to[col] = part(l, plane[k][col], &rng);
			to[col]->first = l->first;
		}
	}
	t.pivot[1].u = 1;
	t.work.i_lo = l->i_lo;
	t.work.i_hi = l->i_hi;
	t.work.j_lo = l->j_lo;
	t.work.j_hi = l->j_hi;
	count(l, &t, sum);
	for (uint32_t y = 0; y < check_rows(&t); y++)
		some += sum[y] != 0;
	for (; range * check_most(&t) < check_cols(&t); range++)
		for (uint32_t k = 0; k < (l->counted ? 2u : 3u); k++)
			for (uint32_t w = 0; w < 32; w++)
				check_word(&t, k < 2 ? k : VS_CARD_PIVOTS,
					range, w, l->alleles, l->planes,
					l->wide);
	for (uint32_t y = 0; y < check_rows(&t); y++)
		wrong += sum[y] != 0;
	T_OK(!wrong && some, "launch %d, %u ranges: %u of %u sums differ",
		number, range, wrong, check_rows(&t));
}

int
main(void)
{
	static const struct launch all[] = {
		{ 2, 1, 0, 20, 1, 20, 0, 1, false, false, true, false, 0, 0,
			0 },
		{ 2, 1, 9, 201, 3, 1100, 5, 0, false, false, false, false, 0, 0,
			UINT64_MAX },
		{ 2, MOST_BLOCKS, 9, 73, 0, 1100, 5, 0, false, true, false,
			true, 0, 0, UINT64_MAX },
		{ 2, 1, 0, 300, 0, 300, 0, 0, true, true, true, false, 170, 0,
			0 },
		{ 3, 1, 10, 300, 64, 310, 0, 10, false, true, true, true, 1100,
			1000, 1128 },
		{ 2, 1, 0, 257, 0, 1290, 0, 0, false, false, true, true, 60, 40,
			129 },
	};

	for (int k = 0; k < (int)(sizeof(all) / sizeof(all[0])); k++)
		try(&all[k], k);
	return T_DONE();
}
