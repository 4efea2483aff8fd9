// SPDX-License-Identifier: BSD-3-Clause
/*
 * Engine popc: population counts on the ordinary cores of any device. Two words
 * of a pair take two counts if no call is missing, seven otherwise.
 */
#include "cuda/check.cuh"
#include "cuda/engine.h"
#include "cuda/offer.cuh"

/* 64 x 64 pairs per block, 4 x 4 per thread, 16 rows and columns apart */
#define SIDE 64
#define STEP 16
#define MINE (SIDE / STEP)
#define WORDS 16 /* words of each plane in shared memory at a time */

/* Rows are one word longer, so that they start in different banks. */
struct shared_words {
	uint32_t word[2][3][SIDE][WORDS + 1];
};

template <int planes>
__device__ static void
load_words(const vs_card_part &p, uint32_t first, uint32_t word,
	uint32_t to[3][SIDE][WORDS + 1])
{
	for (uint32_t k = threadIdx.x; k < SIDE * WORDS / 4; k += blockDim.x) {
		uint32_t v = k / (WORDS / 4), w = k % (WORDS / 4) * 4;

		for (int plane = 0; plane < planes; plane++) {
			size_t at = vs_word_at(&p, first + v, word + w, plane);
			uint4 x = *(const uint4 *)(p.plane + at);

			to[plane][v][w] = x.x;
			to[plane][v][w + 1] = x.y;
			to[plane][v][w + 2] = x.z;
			to[plane][v][w + 3] = x.w;
		}
	}
}

template <int planes>
__device__ static void
add(const shared_words &t, uint32_t i, uint32_t j, int32_t sum[MINE][MINE][4])
{
#pragma unroll(planes == 3 ? 1 : 2)
	for (int w = 0; w < WORDS; w++) {
		uint32_t a[MINE][3], b[MINE][3];

#pragma unroll
		for (int k = 0; k < MINE; k++)
#pragma unroll
			for (int p = 0; p < planes; p++) {
				a[k][p] = t.word[0][p][i + k * STEP][w];
				b[k][p] = t.word[1][p][j + k * STEP][w];
			}
#pragma unroll
		for (int x = 0; x < MINE; x++)
#pragma unroll
			for (int y = 0; y < MINE; y++)
				if (planes == 3)
					vs_popc_missing(a[x], b[y], sum[x][y]);
				else
					sum[x][y][0] +=
						vs_popc_dense(a[x], b[y]);
	}
}

/* planes: 2, or 3 if calls are missing. */
template <int planes>
__global__ void
__launch_bounds__(STEP *STEP) count_tile(const __grid_constant__ vs_card_work w,
	uint32_t i0, uint32_t j0)
{
	__shared__ shared_words t;
	uint32_t i_tile = i0 + blockIdx.y * SIDE,
		 j_tile = j0 + blockIdx.x * SIDE;
	uint32_t i = threadIdx.x / STEP, j = threadIdx.x % STEP;
	int32_t sum[MINE][MINE][4] = {};

	if (!vs_wants_any(&w, i_tile, SIDE, j_tile, SIDE))
		return;
	for (uint32_t word = 0; word < w.i.n_block * VS_TILE_FIELDS / 32;
		word += WORDS) {
		load_words<planes>(w.i, i_tile, word, t.word[0]);
		load_words<planes>(w.j, j_tile, word, t.word[1]);
		__syncthreads();
		add<planes>(t, i, j, sum);
		__syncthreads();
	}
#pragma unroll
	for (int y = 0; y < MINE; y++) {
		uint32_t jj = j_tile + j + y * STEP;
		const vs_card_side sj = w.j.side[jj];

#pragma unroll
		for (int x = 0; x < MINE; x++) {
			uint32_t ii = i_tile + i + x * STEP;
			const vs_card_side si = w.i.side[ii];

			if (planes == 3)
				vs_popc_missing_end(sum[x][y]);
			else
				sum[x][y][0] = vs_popc_dense_end(sum[x][y][0],
					&si, &sj, w.i.n_block);
			vs_offer(w, ii, si, jj, sj, sum[x][y]);
		}
	}
}

static int
count(const struct vs_card_work *w, void *stream)
{
	uint32_t i0 = w->i_lo / SIDE * SIDE, j0 = w->j_lo / SIDE * SIDE;
	dim3 grid((w->j_hi - j0 + SIDE - 1) / SIDE, 0);

	// a grid has no more than 65535 rows
	for (; i0 < w->i_hi; i0 += grid.y * SIDE) {
		grid.y = (w->i_hi - i0 + SIDE - 1) / SIDE;
		grid.y = grid.y < 65535 ? grid.y : 65535;
		if (w->missing)
			count_tile<3><<<grid, STEP * STEP, 0,
				(cudaStream_t)stream>>>(*w, i0, j0);
		else
			count_tile<2><<<grid, STEP * STEP, 0,
				(cudaStream_t)stream>>>(*w, i0, j0);
		CHECK(cudaGetLastError());
	}
	return cudaSuccess;
}

const struct vs_engine vs_engine_popc = { count, 200, false, nullptr, nullptr,
	nullptr };
