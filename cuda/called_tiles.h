/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread block that counts tables of triples where calls are missing, by 1-bit
 * products of all three planes: table_tiles.h, whose rows, columns and ring it
 * has. For each segment of a pivot the nine products of a pair are counted over
 * controls, then on over cases: no margin tells one. So a thread needs the
 * counts of one segment at a time and, for what they leave of all samples, the
 * sums of all segments, packed two to a word. If counts do not fit that, all
 * genotypes have a segment.
 */
#ifndef VS_CUDA_CALLED_TILES_H
#define VS_CUDA_CALLED_TILES_H

#include "cuda/table_tiles.h"

#define CALLED_PLANES 3
#define CALLED_CELLS (CALLED_PLANES * CALLED_PLANES)

/* A thread's kept counts, of controls and of both classes, by product. */
struct called_words {
	uint32_t of[2][CALLED_CELLS][TILES_SUMS];
};

/* Sums over the cells of each of a thread's pairs; and the samples that it has
 * with the pivot, kept. */
struct called_sums {
	struct vs_chi chi[TILES_SUMS];
	uint32_t samples[2][TILES_SUMS];
};

/* Count segment g of pivot k in both classes. */
VS_DEVICE void
called_count(const struct vs_card_triples *t, struct tiles_ring *r, uint32_t k,
	uint32_t g, int32_t both[CALLED_CELLS][TILES_SUMS],
	struct called_words *kept, const int wide)
{
	tiles_zero(both, CALLED_CELLS);
	VS_UNROLL
	for (uint32_t c = 0; c < 2; c++) {
		tiles_count(t, r, &t->pivot[k].i, 2 * g + c, both, 0, 0,
			CALLED_PLANES);
		tiles_keep(both, kept->of[c], CALLED_CELLS, wide);
	}
}

/* Add what is kept to `to`. */
VS_DEVICE void
called_add(const struct called_words *kept, struct called_words *to)
{
	VS_UNROLL
	for (uint32_t c = 0; c < 2; c++)
		VS_UNROLL
	for (uint32_t x = 0; x < CALLED_CELLS * TILES_SUMS / 2; x++)
		to->of[c][x % CALLED_CELLS][x / CALLED_CELLS] +=
			kept->of[c][x % CALLED_CELLS][x / CALLED_CELLS];
}

/* Add the samples of all cells that are kept, wide. */
VS_DEVICE void
called_samples(const struct called_words *kept, struct called_sums *to)
{
	VS_UNROLL
	for (uint32_t c = 0; c < 2; c++)
		VS_UNROLL
	for (uint32_t x = 0; x < CALLED_CELLS * TILES_SUMS; x++)
		to->samples[c][x % TILES_SUMS] +=
			kept->of[c][x / TILES_SUMS][x % TILES_SUMS];
}

/* Count the samples with genotype g of pivot k, and add the cells. */
VS_DEVICE void
called_genotype(const struct vs_card_triples *t, struct tiles_ring *r,
	uint32_t k, uint32_t g, struct called_words *kept,
	struct called_sums *to, const int entropy, const int skew,
	const int wide)
{
	int32_t both[CALLED_CELLS][TILES_SUMS];

	called_count(t, r, k, g, both, kept, wide);
	VS_UNROLL
	for (uint32_t pair = 0; pair < TILES_SUMS; pair++)
		VS_UNROLL
	for (uint32_t x = 0; x < CALLED_CELLS; x++) {
		const int32_t n = both[x][pair],
			      c = tiles_half(
				      kept->of[0][x][pair / TILES_PER(wide)],
				      pair, wide);

		vs_chi_add(&to->chi[pair], (float)n, (float)(n - c),
			t->work.rule.chi.share, entropy, skew);
	}
}

/* Add the cells of the third genotype: what the segments, all of them taken,
 * leave of all samples. The last of them are the samples without a call. */
VS_DEVICE void
called_rest(const struct vs_card_triples *t, const struct called_words *taken,
	const struct called_words *last, struct called_sums *to,
	const int entropy, const int skew)
{
	VS_UNROLL
	for (uint32_t x = 0; x < CALLED_CELLS; x++) {
		const struct vs_card_four control = *tiles_pair(t, isa_anew(x),
						  0, CALLED_CELLS),
					  cases = *tiles_pair(t, isa_anew(x), 1,
						  CALLED_CELLS);

		VS_UNROLL
		for (uint32_t y = 0; y < TILES_SUMS / 2; y++) {
			const uint32_t c = control.of[y] - taken->of[0][x][y];
			const uint32_t k = control.of[y] + cases.of[y] -
				taken->of[1][x][y] - c;

			to->samples[0][y] += control.of[y] - last->of[0][x][y];
			to->samples[1][y] +=
				control.of[y] + cases.of[y] - last->of[1][x][y];
			VS_UNROLL
			for (uint32_t pair = 0; pair < 2; pair++)
				vs_chi_add(&to->chi[2 * y + pair],
					(float)(tiles_half(c, pair, 0) +
						tiles_half(k, pair, 0)),
					(float)tiles_half(k, pair, 0),
					t->work.rule.chi.share, entropy, skew);
		}
	}
}

/* Count all segments of pivot k. returns the sum of its counts */
VS_DEVICE uint32_t
called_pivot(const struct vs_card_triples *t, struct tiles_ring *r, uint32_t k,
	struct called_sums *sum, const int entropy, const int skew,
	const int wide)
{
	struct called_words taken = { { { { 0 } } } }, kept;
	int32_t both[CALLED_CELLS][TILES_SUMS];

	r->step = 0;
	VS_ROLLED
	for (uint32_t g = 0; g < (wide ? 3 : 2); g++) {
		called_genotype(t, r, k, g, &kept, sum, entropy, skew, wide);
		if (wide)
			called_samples(&kept, sum);
		else
			called_add(&kept, &taken);
	}
	if (wide)
		return tiles_sum(&sum->samples[1], 1, 1);
	called_count(t, r, k, 2, both, &kept, 0);
	called_add(&kept, &taken);
	called_rest(t, &taken, &kept, sum, entropy, skew);
	return tiles_sum(taken.of[1], CALLED_CELLS, 0);
}

/* Program of a thread block. wide: counts do not fit 16 bits */
VS_DEVICE void
called_kernel(const struct vs_card_triples *t, const int entropy,
	const int skew, const int wide)
{
	struct tiles_ring r;

	if (tiles_idle(t, 0))
		return;
	isa_store(tiles_sum_at(), 0);
	if (!wide && !t->counted)
		tiles_all(t, CALLED_PLANES, 0);
	tiles_begin(t, &r, 0, CALLED_PLANES);
	VS_ROLLED
	for (uint32_t k = 0; k < tiles_pivots(t); k++) {
		struct called_sums sum = { { { 0, 0, 0 } }, { { 0 } } };

		tiles_total(called_pivot(t, &r, k, &sum, entropy, skew, wide));
		VS_UNROLL
		for (uint32_t pair = 0; pair < TILES_SUMS; pair++) {
			const uint32_t at = pair / TILES_PER(wide);
			const int32_t n[2] = { tiles_half(sum.samples[0][at],
						       pair, wide),
				tiles_half(sum.samples[1][at] -
						sum.samples[0][at],
					pair, wide) };
			uint32_t row, col;

			tiles_place(pair, &row, &col);
			tiles_append(t, (int)k, row, col,
				vs_chi_called_may_pass(&sum.chi[pair],
					&t->work.rule.chi, n, entropy, skew),
				0);
		}
	}
	tiles_check(t, isa_load(tiles_sum_at()));
}

#endif
