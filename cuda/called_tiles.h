/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread block that counts tables of triples where calls are missing, by 1-bit
 * products of all three planes: table_tiles.h, whose rows, columns and ring it
 * has. For each genotype of a pivot the nine products of a pair are counted
 * over controls, then on over cases, and all 27 cells are counted: no margin
 * tells one. So a thread needs the sums of one genotype at a time.
 */
#ifndef VS_CUDA_CALLED_TILES_H
#define VS_CUDA_CALLED_TILES_H

#include "cuda/table_tiles.h"

#define CALLED_PLANES 3
#define CALLED_CELLS (CALLED_PLANES * CALLED_PLANES)

/* A pair's sums over cells, and its samples by class: first of both. */
struct called_pair {
	struct vs_chi chi;
	int32_t both, control;
};

/* Add the cells of a pivot's genotype to the sums of each of a thread's
 * pairs. */
VS_DEVICE void
called_add(const int32_t control[CALLED_CELLS][TILES_SUMS],
	const int32_t both[CALLED_CELLS][TILES_SUMS], float share,
	struct called_pair to[TILES_SUMS], const int entropy, const int skew)
{
	VS_UNROLL
	for (uint32_t pair = 0; pair < TILES_SUMS; pair++)
		VS_UNROLL
	for (uint32_t x = 0; x < CALLED_CELLS; x++) {
		const int32_t n = both[x][pair], c = control[x][pair];

		vs_chi_add(&to[pair].chi, (float)n, (float)(n - c), share,
			entropy, skew);
		to[pair].both += n;
		to[pair].control += c;
	}
}

/* Count all samples with each of pivot k's genotypes. */
VS_DEVICE void
called_pivot(const struct vs_card_triples *t, struct tiles_ring *r, uint32_t k,
	struct called_pair sum[TILES_SUMS], const int entropy, const int skew)
{
	VS_ROLLED
	for (uint32_t g = 0; g < VS_CARD_LEVELS; g++) {
		int32_t both[CALLED_CELLS][TILES_SUMS];
		int32_t control[CALLED_CELLS][TILES_SUMS];

		tiles_zero(both, CALLED_CELLS);
		tiles_count(t, r, &t->pivot[k].i, 2 * g, both, 0, 0,
			CALLED_PLANES);
		VS_UNROLL
		for (uint32_t x = 0; x < CALLED_CELLS * TILES_SUMS; x++)
			control[x / TILES_SUMS][x % TILES_SUMS] =
				both[x / TILES_SUMS][x % TILES_SUMS];
		tiles_count(t, r, &t->pivot[k].i, 2 * g + 1, both, 0, 0,
			CALLED_PLANES);
		called_add(control, both, t->work.rule.chi.share, sum, entropy,
			skew);
	}
}

/* Program of a thread block. */
VS_DEVICE void
called_kernel(const struct vs_card_triples *t, const int entropy,
	const int skew)
{
	struct tiles_ring r;
	uint32_t all = 0;

	if (tiles_idle(t, 0))
		return;
	tiles_begin(t, &r, 0, CALLED_PLANES);
	VS_ROLLED
	for (uint32_t k = 0; k < tiles_pivots(t); k++) {
		struct called_pair sum[TILES_SUMS] = { { { 0, 0, 0 }, 0, 0 } };

		r.step = 0;
		called_pivot(t, &r, k, sum, entropy, skew);
		VS_UNROLL
		for (uint32_t pair = 0; pair < TILES_SUMS; pair++)
			all += (uint32_t)sum[pair].both;
		VS_UNROLL
		for (uint32_t pair = 0; pair < TILES_SUMS; pair++) {
			const int32_t n[2] = { sum[pair].control,
				sum[pair].both - sum[pair].control };
			uint32_t row, col;

			tiles_place(pair, &row, &col);
			tiles_append(t, (int)k, row, col,
				vs_chi_called_may_pass(&sum[pair].chi,
					&t->work.rule.chi, n, entropy, skew),
				0);
		}
	}
	tiles_check(t, all);
}

#endif
