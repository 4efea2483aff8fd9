// SPDX-License-Identifier: BSD-3-Clause
/*
 * Contingency tables: with 1-bit products if the device has them and no call is
 * missing, else with population counts on the ordinary cores of any device,
 * four per word of a pair, or nine if calls are missing.
 */
#include "cuda/check.cuh"
#include "cuda/reserve.h"
#include "cuda/tables.h"
#include "cuda/tables_launch.cuh"

/* 32 x 32 pairs per block, 2 x 2 per thread, 16 rows and columns apart */
#define SIDE 32
#define STEP 16
#define MINE (SIDE / STEP)
#define WORDS 8 /* words of each plane in shared memory at a time */
/* rows of a launch: its grid has at most 65535 rows of blocks */
#define MOST_ROWS (32768 * SIDE)

/* ---- planes and margins ---- */

__global__ void
expand_tables(const __grid_constant__ vs_card_expand e, uint32_t n_word)
{
	uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;

	if (w < n_word)
		vs_card_tables_expand(&e, blockIdx.y * blockDim.y + threadIdx.y,
			w);
}

// One warp counts one vector.
__global__ void
set_margins(const __grid_constant__ vs_card_part p, uint32_t at, uint32_t n)
{
	const uint32_t lane = threadIdx.x % 32;

	for (uint32_t v = (blockIdx.x * blockDim.x + threadIdx.x) / 32; v < n;
		v += gridDim.x * blockDim.x / 32)
		for (uint32_t k = 0; k < p.n_segment; k++) {
			int32_t m[VS_CARD_LEVELS] = {};

			vs_card_tables_add_margin(&p, at + v, k, lane, 32, m);
			for (int x = 0; x < VS_CARD_LEVELS; x++)
				for (int by = 16; by; by /= 2)
					m[x] += __shfl_xor_sync(~0u, m[x], by);
			if (lane == 0)
				vs_card_tables_set_margin(&p, at + v, k, m);
		}
}

int
vs_tables_expand(const struct vs_card_expand *e, void *stream)
{
	const uint32_t n_word = e->to.n_block * VS_TILE_FIELDS / 32;
	const uint32_t n =
		(e->n + VS_TILE_VECS - 1) / VS_TILE_VECS * VS_TILE_VECS;
	// a grid has no more than 65535 rows
	const uint32_t most = 65535 * 8 / VS_TILE_VECS * VS_TILE_VECS;

	for (uint32_t lo = 0; lo < n; lo += most) {
		vs_card_expand some = *e;
		uint32_t rows = n - lo < most ? n - lo : most;

		some.from += (size_t)2 * lo * e->stride;
		some.at += lo;
		some.n = e->n > lo ? e->n - lo : 0;
		expand_tables<<<dim3((n_word + 31) / 32, rows / 8), dim3(32, 8),
			0, (cudaStream_t)stream>>>(some, n_word);
		CHECK(cudaGetLastError());
	}
	set_margins<<<n / 8 < 65535 ? n / 8 : 65535, 256, 0,
		(cudaStream_t)stream>>>(e->to, e->at, n);
	return cudaGetLastError();
}

/* ---- counts ---- */

/* Rows are one word longer, so that they start in different banks. */
struct shared_words {
	uint32_t word[2][VS_CARD_LEVELS][SIDE][WORDS + 1];
};

template <int planes>
__device__ static void
load_words(const vs_card_part &p, uint32_t first, uint32_t word,
	uint32_t to[VS_CARD_LEVELS][SIDE][WORDS + 1])
{
	uint32_t v = threadIdx.x / WORDS, w = threadIdx.x % WORDS;

	for (int plane = 0; plane < planes; plane++)
		to[plane][v][w] =
			p.plane[vs_word_at(&p, first + v, word + w, plane)];
}

template <int planes>
__device__ static void
add_words(const shared_words &t, uint32_t i, uint32_t j,
	int32_t n[MINE][MINE][planes * planes])
{
#pragma unroll 1
	for (int w = 0; w < WORDS; w++) {
		uint32_t a[MINE][planes], b[MINE][planes];

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
#pragma unroll
				for (int k = 0; k < planes * planes; k++)
					n[x][y][k] += __popc(a[x][k / planes] &
						b[y][k % planes]);
	}
}

/* Append a pair if its table may pass. All lanes of a warp take part. */
template <int planes>
__device__ static void
offer_table(const vs_card_work &w, uint32_t i, uint32_t j,
	const int32_t *controls, const int32_t *cases)
{
	int32_t cell[2][VS_CARD_PRODUCTS];
	vs_association a = {};
	uint32_t yes, at;

#pragma unroll
	for (int k = 0; k < 2; k++) {
		const int32_t *n = k ? cases : controls;

		if (planes == 2)
			vs_card_tables_infer(n,
				vs_card_tables_margin(&w.i, i, k),
				vs_card_tables_margin(&w.j, j, k), cell[k]);
		else
			for (int x = 0; x < VS_CARD_PRODUCTS; x++)
				cell[k][x] = n[x];
	}
#pragma unroll
	for (int x = 0; x < VS_CARD_PRODUCTS; x++)
		vs_card_tables_sum(&w.rule.logs, cell[0][x], cell[1][x], &a);
	yes = vs_card_tables_may_pass(&w.rule, &a) && vs_wants(&w, i, j);
	if (!isa_any(yes))
		return;
	at = vs_warp_reserve(w.n_cand, yes);
	if (!yes || at >= w.room)
		return;
	w.cand[at].i = i;
	w.cand[at].j = j;
}

template <int planes>
__global__ void
__launch_bounds__(STEP *STEP) count_tables(
	const __grid_constant__ vs_card_work w, uint32_t i0, uint32_t j0)
{
	__shared__ shared_words t;
	const uint32_t i_tile = i0 + blockIdx.y * SIDE,
		       j_tile = j0 + blockIdx.x * SIDE;
	const uint32_t i = threadIdx.x / STEP, j = threadIdx.x % STEP;
	int32_t n[VS_CARD_CLASSES][MINE][MINE][planes * planes] = {};

	if (!vs_wants_any(&w, i_tile, SIDE, j_tile, SIDE))
		return;
#pragma unroll
	for (int k = 0; k < VS_CARD_CLASSES; k++)
		for (uint32_t word = vs_card_tables_begin(&w.i, k);
			word < w.i.end[k]; word += WORDS) {
			load_words<planes>(w.i, i_tile, word, t.word[0]);
			load_words<planes>(w.j, j_tile, word, t.word[1]);
			__syncthreads();
			add_words<planes>(t, i, j, n[k]);
			__syncthreads();
		}
#pragma unroll
	for (int x = 0; x < MINE; x++)
#pragma unroll
		for (int y = 0; y < MINE; y++)
			offer_table<planes>(w, i_tile + i + x * STEP,
				j_tile + j + y * STEP, n[0][x][y], n[1][x][y]);
}

static int
launch_mma(const struct vs_card_work *w, void *stream)
{
	const struct vs_card_chi *c = &w->rule.chi;
	void (*kernel)(vs_card_triples) = c->entropy
		? c->skew ? vs_pairs_by_mma<1, 1> : vs_pairs_by_mma<1, 0>
		: c->skew ? vs_pairs_by_mma<0, 1>
			  : vs_pairs_by_mma<0, 0>;
	vs_card_triples t = {};

	CHECK(vs_tables_allow(kernel, TILES_SHARED));
	t.work = *w;
	for (; t.work.i_lo < w->i_hi; t.work.i_lo += MOST_ROWS) {
		t.work.i_hi = w->i_hi - t.work.i_lo < MOST_ROWS
			? w->i_hi
			: t.work.i_lo + MOST_ROWS;
		kernel<<<vs_tables_grid(t.work), TILES_THREADS, TILES_SHARED,
			(cudaStream_t)stream>>>(t);
		CHECK(cudaGetLastError());
	}
	return cudaSuccess;
}

int
vs_tables_count(const struct vs_card_work *w, void *stream)
{
	uint32_t i0 = w->i_lo / SIDE * SIDE, j0 = w->j_lo / SIDE * SIDE;
	dim3 grid((w->j_hi - j0 + SIDE - 1) / SIDE, 0);
	bool mma = false;

	CHECK(vs_tables_mma(&mma));
	if (mma && w->i.n_plane == 2)
		return launch_mma(w, stream);
	for (; i0 < w->i_hi; i0 += grid.y * SIDE) {
		grid.y = (w->i_hi - i0 + SIDE - 1) / SIDE;
		grid.y = grid.y < MOST_ROWS / SIDE ? grid.y : MOST_ROWS / SIDE;
		if (w->i.n_plane == 3)
			count_tables<3><<<grid, STEP * STEP, 0,
				(cudaStream_t)stream>>>(*w, i0, j0);
		else
			count_tables<2><<<grid, STEP * STEP, 0,
				(cudaStream_t)stream>>>(*w, i0, j0);
		CHECK(cudaGetLastError());
	}
	return cudaSuccess;
}

/* ---- tables of candidates ---- */

// One warp counts one table.
__global__ void
list_tables(const __grid_constant__ vs_card_work w, uint32_t lo, uint32_t n,
	vs_counted_table *out, uint32_t *n_out)
{
	const uint32_t lane = threadIdx.x % 32;

	for (uint32_t x = (blockIdx.x * blockDim.x + threadIdx.x) / 32; x < n;
		x += gridDim.x * blockDim.x / 32) {
		const vs_card_cand c = w.cand[lo + x];
		vs_counted_table table;

		for (uint32_t k = 0; k < VS_CARD_CLASSES; k++) {
			int32_t m[VS_CARD_PRODUCTS] = {};

			for (uint32_t word =
					vs_card_tables_begin(&w.i, k) + lane;
				word < w.i.end[k]; word += 32)
				vs_card_tables_add(&w.i, c.i, &w.j, c.j, word,
					m);
			for (int y = 0; y < VS_CARD_PRODUCTS; y++)
				for (int by = 16; by; by /= 2)
					m[y] += __shfl_xor_sync(~0u, m[y], by);
			if (lane == 0)
				vs_card_tables_cells(&w.i, c.i, &w.j, c.j, k, m,
					table.n[k]);
		}
		if (lane)
			continue;
		table.u = 0;
		table.i = c.i;
		table.j = c.j;
		vs_tables_append(w.rule, table, VS_CARD_PRODUCTS, out, n_out);
	}
}

int
vs_tables_list(const struct vs_card_work *w, uint32_t lo, uint32_t n,
	struct vs_counted_table *out, uint32_t *n_out, void *stream)
{
	uint32_t n_block = n / 4 + 1;

	n_block = n_block < 65536 ? n_block : 65536;
	list_tables<<<n_block, 128, 0, (cudaStream_t)stream>>>(*w, lo, n, out,
		n_out);
	return cudaGetLastError();
}
