/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thread block of the engines mma and mma3: 1-bit products on tensor cores, mma
 * m16n8k256 of AND and POPC, native on Ampere and Hopper and emulated later.
 * Compiled by nvcc for the device and by a C compiler for the tests.
 *
 * A tile has 128 x 256 pairs counted by four products, 128 x 128 by three, 64 x
 * 128 with missing calls; eight warps share it 2 x 4. h is made of t1 and t2 in
 * registers. Stages of 256 fields form a ring: while one is counted, the
 * following ones are copied. Copying runs on into the next tile, whose first
 * stage has arrived by the time this tile's sums are filtered. A block takes
 * every n-th tile. The sums are exact while 4 n_field < 2^31.
 */
#ifndef VS_CUDA_MMA_H
#define VS_CUDA_MMA_H

#include "cuda/sum_filter.h"

#define MMA_THREADS 256
#define MMA_STAGES 4
#define MMA_FIELDS 256 /* of a stage */

#define MMA_ROWS(way) (2 * 16 * FILTER_M(way))
#define MMA_COLS(way) (4 * 8 * FILTER_N(way))
#define MMA_STAGE_ROWS(way) (MMA_ROWS(way) + MMA_COLS(way))
#define MMA_STAGE_BYTES(way) (32 * FILTER_PLANES(way) * MMA_STAGE_ROWS(way))
#define MMA_SHARED(way) (MMA_STAGES * MMA_STAGE_BYTES(way))

/* Chunk c of a vector's plane; past the end of the part, that of any vector. */
VS_DEVICE const void *
mma_chunk(const struct vs_card_part *p, uint32_t v, uint32_t plane, uint32_t c)
{
	uint32_t g = v / VS_TILE_VECS, most = p->n_vec / VS_TILE_VECS - 1;

	return p->plane + vs_tile_of(p, g < most ? g : most, c / 8, plane) +
		vs_tile_at(v % VS_TILE_VECS, c % 8 * 4);
}

/*
 * Copy the rows of a stage: plane by plane, first the tile's rows, then its
 * columns.
 */
VS_DEVICE void
mma_copy(const struct vs_tile_job *job, const struct filter_stage *at,
	uint32_t stage, const uint32_t way)
{
	const uint32_t rows = MMA_STAGE_ROWS(way),
		       n = FILTER_PLANES(way) * rows;
	const uint32_t thread = isa_thread();
	const uint32_t c = thread & 1, first = thread / 2 & 127;

	VS_UNROLL
	for (uint32_t x0 = 0; x0 < n; x0 += MMA_THREADS / 2) {
		uint32_t x = x0 + first, y = x % rows;
		const struct vs_card_part *p =
			y < MMA_ROWS(way) ? &job->work.i : &job->work.j;
		uint32_t v = y < MMA_ROWS(way)
			? (at->row & ~(MMA_ROWS(way) - 1)) + y
			: (at->col & ~127u) + (y - MMA_ROWS(way));

		if (x < n)
			isa_copy16(stage + stage_chunk(x, c),
				mma_chunk(p, v, x / rows, 2 * at->k + c));
	}
}

/* First row and column of a warp within its tile. */
VS_DEVICE uint32_t
mma_warp_row(uint32_t thread, const uint32_t way)
{
	return thread / 128 * 16 * FILTER_M(way);
}

VS_DEVICE uint32_t
mma_warp_col(uint32_t thread, const uint32_t way)
{
	return thread / 32 % 4 * 8 * FILTER_N(way);
}

/* Load the fragments of a row, or two of a column; h is made of t1 and t2. */
VS_DEVICE void
mma_load(uint32_t to[3][4], uint32_t from, const uint32_t way)
{
	VS_UNROLL
	for (uint32_t p = 0; p < FILTER_PLANES(way); p++)
		isa_ldmatrix4(to[p], from + p * 32 * MMA_STAGE_ROWS(way));
	VS_UNROLL
	for (uint32_t r = 0; r < 4 && way == FILTER_THREE; r++)
		to[2][r] = to[0][r] ^ to[1][r];
}

/* Product x: the planes it multiplies and the kind of sums it adds to. */
struct mma_product {
	uint32_t i, j, kind;
};

VS_DEVICE struct mma_product
mma_product(uint32_t x, const uint32_t way)
{
	struct mma_product p = { x / FILTER_PLANES(way), x % FILTER_PLANES(way),
		0 };

	if (way == FILTER_THREE) {
		p.i = p.j = x;
		p.kind = x == 2;
	} else if (way == FILTER_MISSING) {
		p.kind = 2 * (p.i == 2) + (p.j == 2);
	}
	return p;
}

#define MMA_PRODUCTS(way) \
	((way) == FILTER_THREE ? 3 : FILTER_PLANES(way) * FILTER_PLANES(way))

VS_DEVICE void
mma_count(uint32_t stage, int32_t sum[FILTER_SUMS], const uint32_t way)
{
	const uint32_t thread = isa_thread(), lane = thread % 32;
	const uint32_t row = mma_warp_row(thread, way);
	const uint32_t col = MMA_ROWS(way) + mma_warp_col(thread, way);
	uint32_t a[4][3][4], b[3][4];

	VS_UNROLL
	for (uint32_t m = 0; m < FILTER_M(way); m++)
		mma_load(a[m], stage + fragment_a(row + 16 * m, lane), way);
	VS_UNROLL
	for (uint32_t n = 0; n < FILTER_N(way); n += 2) {
		mma_load(b, stage + fragment_b(col + 8 * n, lane), way);
		VS_UNROLL
		for (uint32_t x = 0; x < 2 * MMA_PRODUCTS(way); x++) {
			struct mma_product p = mma_product(x / 2, way);

			VS_UNROLL
			for (uint32_t m = 0; m < FILTER_M(way); m++)
				isa_mma(sum +
						filter_index(p.kind, m,
							n + x % 2, way),
					a[m][p.i], b[p.j] + 2 * (x % 2));
		}
	}
}

/* Program of a thread block. */
VS_DEVICE void
mma_kernel(const struct vs_tile_job *job, const uint32_t way)
{
	struct filter_stage copy = { 0 }, at;
	uint32_t slot = 0;
	int32_t sum[FILTER_SUMS];

	/* chunks are 16 bytes, rows of eight of them touch all banks */
	if (isa_shared() % 128)
		isa_trap();
	filter_first(job, &copy, isa_block());
	at = copy;
	for (uint32_t k = 0; k < MMA_STAGES - 1; k++) {
		if (copy.tile < job->walk.n_tile)
			mma_copy(job, &copy,
				isa_shared() + k * MMA_STAGE_BYTES(way), way);
		isa_commit();
		filter_next(job, &copy);
	}
	VS_UNROLL
	for (uint32_t k = 0; k < FILTER_SUMS; k++)
		sum[k] = 0;
	VS_ROLLED
	while (at.tile < job->walk.n_tile) {
		uint32_t thread = isa_thread();
		uint32_t stage = isa_shared() + slot * MMA_STAGE_BYTES(way);
		uint32_t last = slot ? slot - 1 : MMA_STAGES - 1;

		/*
		 * the stage has arrived, and all warps have counted the one
		 * before
		 */
		isa_wait(MMA_STAGES - 2);
		isa_sync();
		if (copy.tile < job->walk.n_tile)
			mma_copy(job, &copy,
				isa_shared() + last * MMA_STAGE_BYTES(way),
				way);
		isa_commit();
		filter_next(job, &copy);
		mma_count(stage, sum, way);
		slot = slot + 1 == MMA_STAGES ? 0 : slot + 1;
		if (at.k + 1 == job->n_stage) {
			filter_tile(job, at.row + mma_warp_row(thread, way),
				at.col + mma_warp_col(thread, way), sum, way);
			VS_UNROLL
			for (uint32_t k = 0; k < FILTER_SUMS; k++)
				sum[k] = 0;
		}
		filter_next(job, &at);
	}
}

#endif
