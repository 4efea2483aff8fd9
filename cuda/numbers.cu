// SPDX-License-Identifier: BSD-3-Clause
/*
 * Sums of minima of numbers, on the ordinary cores of any device. Tiles are
 * kept with the vectors side by side, so a thread reads four neighbours at a
 * time. Reals are added in the order of libcore/bits/numbers.h.
 */
#include <math.h>

#include "cuda/check.cuh"
#include "cuda/numbers.h"
#include "cuda/offer.cuh"
#include "cuda/walk.h"

#define STEP 16 /* threads of a row, and of a column, of a block */
#define FOUR 4  /* neighbours of a thread */
#define COLS (STEP * FOUR)

/*
 * How each type of unit is summed. A thread counts `rows` groups of four rows.
 * After the tiles of a run, its sum is added to the total; 0: there is no run.
 */
#define TILES_OF(N) (N::tiles ? N::tiles : 1)
struct bytes {
	typedef uint32_t unit, part;
	enum { rows = 2, tiles = 0 };
};

struct floats {
	typedef float unit, part;
	enum { rows = 2, tiles = VS_NUMBERS_RUN / 32 };
};

struct doubles {
	typedef double unit, part;
	enum { rows = 1, tiles = VS_NUMBERS_RUN / 16 };
};

/* Bytes: absolute differences, of which the minima follow. */
__device__ static inline void
add(uint32_t &sum, uint32_t a, uint32_t b)
{
	sum = isa_differences(a, b, sum);
}

__device__ static inline void
add(float &sum, float a, float b)
{
	sum += fminf(a, b);
}

__device__ static inline void
add(double &sum, double a, double b)
{
	sum += a < b ? a : b;
}

template <class N> struct shared_units {
	enum {
		n = VS_TILE_WORDS * 4 / VS_TILE_VECS / sizeof(typename N::unit)
	};
	alignas(16) typename N::unit row[n][N::rows * COLS], col[n][COLS];
};

/* Copy n_vec vectors of a tile. */
template <class T>
__device__ static inline void
load(const vs_card_part &p, uint32_t first, uint32_t k, uint32_t n_unit,
	uint32_t n_vec, T *to)
{
	const uint32_t each = 16 / sizeof(T), n = n_vec / each;
	const T *from = (const T *)(p.plane +
				vs_tile_of(&p, first / VS_TILE_VECS, k, 0)) +
		first % VS_TILE_VECS;

	for (uint32_t x = threadIdx.x; x < n * n_unit; x += STEP * STEP)
		((uint4 *)to)[x] = *(const uint4 *)(from +
			x / n * VS_TILE_VECS + x % n * each);
}

/* Load four neighbours. */
template <class T>
__device__ static inline void
take(T to[FOUR], const T *from)
{
	const uint4 *at = (const uint4 *)from;

#pragma unroll
	for (uint32_t k = 0; k < FOUR * sizeof(T) / 16; k++)
		((uint4 *)to)[k] = at[k];
}

template <class N>
__device__ static void
add_tile(const shared_units<N> &t, typename N::part part[N::rows * FOUR][FOUR])
{
	const uint32_t i = threadIdx.x / STEP * FOUR;
	const uint32_t j = threadIdx.x % STEP * FOUR;

#pragma unroll 8
	for (int u = 0; u < shared_units<N>::n; u++) {
		alignas(16) typename N::unit a[N::rows * FOUR], b[FOUR];

#pragma unroll
		for (int r = 0; r < N::rows; r++)
			take(a + r * FOUR, &t.row[u][r * COLS + i]);
		take(b, &t.col[u][j]);
#pragma unroll
		for (int x = 0; x < N::rows * FOUR; x++)
#pragma unroll
			for (int y = 0; y < FOUR; y++)
				add(part[x][y], a[x], b[y]);
	}
}

/* Row x of a thread. */
__device__ static inline uint32_t
row_of(uint32_t tile, int x)
{
	return tile + (uint32_t)(x / FOUR) * COLS + threadIdx.x / STEP * FOUR +
		(uint32_t)(x % FOUR);
}

/* The sum of minima from that of a kind of units. */
template <class N>
__device__ static inline double
least_of(double sum, double i, double j)
{
	return N::tiles ? sum : ((i + j) - sum) / 2;
}

/* Append the pairs of a column of a thread that may pass. */
template <class N>
__device__ static void
offer_column(const vs_card_work &w, uint32_t i_tile, uint32_t j,
	const double *sum)
{
	const double total = w.j.side[j].total;
	uint32_t lo, hi, hit = 0, at;

	vs_import_wanted_rows(&w, j, &lo, &hi);
#pragma unroll
	for (int x = 0; x < N::rows * FOUR; x++) {
		const uint32_t i = row_of(i_tile, x);
		const double own = w.i.side[i].total;

		if (i >= lo && i < hi &&
			vs_card_numbers_may_pass(&w.rule,
				least_of<N>(sum[x], own, total), own, total))
			hit |= 1u << x;
	}
	if (!isa_any(hit != 0))
		return;
	at = vs_warp_reserve(w.n_cand, (uint32_t)__popc(hit));
#pragma unroll
	for (int x = 0; x < N::rows * FOUR; x++) {
		const uint32_t i = row_of(i_tile, x);

		if (!(hit >> x & 1))
			continue;
		if (at < w.room) {
			w.cand[at].i = i;
			w.cand[at].j = j;
			w.cand[at].least =
				least_of<N>(sum[x], w.i.side[i].total, total);
		}
		at++;
	}
}

template <class N>
__global__ void
__launch_bounds__(STEP *STEP) count_numbers(
	const __grid_constant__ vs_card_work w, uint32_t i0, uint32_t j0)
{
	__shared__ shared_units<N> t;
	const uint32_t rows = N::rows * COLS;
	const uint32_t i = i0 + blockIdx.y * rows, j = j0 + blockIdx.x * COLS;
	typename N::part part[N::rows * FOUR][FOUR] = {};
	double sum[FOUR][N::rows * FOUR] = {};

	if (!vs_wants_any(&w, i, rows, j, COLS))
		return;
	for (uint32_t k = 0; k < w.i.n_block; k++) {
		load(w.i, i, k, t.n, rows, t.row[0]);
		load(w.j, j, k, t.n, COLS, t.col[0]);
		__syncthreads();
		add_tile(t, part);
		__syncthreads();
		if (k + 1 < w.i.n_block && (k + 1) % TILES_OF(N))
			continue;
#pragma unroll
		for (int x = 0; x < N::rows * FOUR && N::tiles; x++)
#pragma unroll
			for (int y = 0; y < FOUR; y++) {
				sum[y][x] += (double)part[x][y];
				part[x][y] = 0;
			}
	}
#pragma unroll
	for (int y = 0; y < FOUR; y++) {
#pragma unroll
		for (int x = 0; x < N::rows * FOUR && !N::tiles; x++)
			sum[y][x] = (double)part[x][y];
		offer_column<N>(w, i, j + threadIdx.x % STEP * FOUR + y,
			sum[y]);
	}
}

template <class N>
static int
launch(const struct vs_card_work *w, void *stream)
{
	const uint32_t rows = N::rows * COLS;
	uint32_t i0 = w->i_lo / rows * rows, j0 = w->j_lo / COLS * COLS;
	dim3 grid((w->j_hi - j0 + COLS - 1) / COLS, 0);

	// a grid has no more than 65535 rows
	for (; i0 < w->i_hi; i0 += grid.y * rows) {
		grid.y = (w->i_hi - i0 + rows - 1) / rows;
		grid.y = grid.y < 65535 ? grid.y : 65535;
		count_numbers<N>
			<<<grid, STEP * STEP, 0, (cudaStream_t)stream>>>(*w, i0,
				j0);
		CHECK(cudaGetLastError());
	}
	return cudaSuccess;
}

int
vs_numbers_count(const struct vs_card_work *w, void *stream)
{
	switch (vs_card_numbers_unit(w->rule.element)) {
	case VS_UNIT_BYTES:
		return launch<bytes>(w, stream);
	case VS_UNIT_FLOAT:
		return launch<floats>(w, stream);
	case VS_UNIT_DOUBLE:
		return launch<doubles>(w, stream);
	}
	return cudaSuccess;
}

/* ---- units ---- */

// Neighbours are vectors: writes are coalesced, and reads in sectors.
__global__ void
expand_numbers(const __grid_constant__ vs_card_expand e, uint32_t n,
	uint32_t n_unit)
{
	const uint32_t u = blockIdx.x * blockDim.y + threadIdx.y;

	for (uint32_t v = blockIdx.y * blockDim.x + threadIdx.x;
		v < n && u < n_unit; v += gridDim.y * blockDim.x)
		vs_card_numbers_expand(&e, v, u);
}

int
vs_numbers_expand(const struct vs_card_expand *e, void *stream)
{
	const uint32_t n_unit =
		e->to.n_block * vs_card_numbers_units(e->element);
	const uint32_t n =
		(e->n + VS_TILE_VECS - 1) / VS_TILE_VECS * VS_TILE_VECS;
	const uint32_t y = n / 32 < 65535 ? n / 32 : 65535;

	expand_numbers<<<dim3((n_unit + 7) / 8, y), dim3(32, 8), 0,
		(cudaStream_t)stream>>>(*e, n, n_unit);
	return cudaGetLastError();
}
