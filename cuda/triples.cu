// SPDX-License-Identifier: BSD-3-Clause
/*
 * Contingency tables of triples, and their sums of alleles: with 1-bit products
 * if the device has them, and for alleles no call is missing, else with
 * population counts on the ordinary cores of any device. The samples that have
 * a genotype of the first vector are gathered, and products of the others are
 * counted only over these.
 */
#include "cuda/check.cuh"
#include "cuda/reserve.h"
#include "cuda/tables_launch.cuh"
#include "cuda/tile_check.h"
#include "cuda/triples.h"

#define STEP 16 /* rows and columns of a block's threads */
#define WORDS 8 /* words of each plane in shared memory at a time */

/* ---- samples by genotype of the first vector ---- */

/*
 * Samples of a word that have a genotype of the first vector, and how to gather
 * them: five masks (Hacker's Delight 7-4) that all vectors share.
 */
struct alignas(16) word_mask {
	uint32_t mask, move[5], pad[2];
};

/* The masks of word w of the vectors, for genotype g of n_level of a pivot;
 * they use the memory of its list of fields. */
__device__ static word_mask *
mask_of(const vs_card_triples &t, const vs_card_pivot &p, uint32_t g,
	uint32_t w)
{
	return (word_mask *)p.field + (size_t)g * t.u.end[1] + w;
}

// One thread makes the mask of one word and genotype.
__global__ void
make_masks(const __grid_constant__ vs_card_triples t)
{
	const vs_card_pivot &p = t.pivot[blockIdx.z];
	const uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;
	const uint32_t g = blockIdx.y, c = w >= t.u.end[0];
	word_mask *to = mask_of(t, p, g, w);
	uint32_t m, k;

	if (w >= t.u.end[1])
		return;
	m = vs_card_triples_bits(&t, &p, w, g) &
		vs_card_triples_within(&t.u, c, w);
	to->mask = m;
	k = ~m << 1;
	for (int x = 0; x < 5; x++) {
		uint32_t odd = k ^ (k << 1), move;

		odd ^= odd << 2;
		odd ^= odd << 4;
		odd ^= odd << 8;
		odd ^= odd << 16;
		move = odd & m;
		to->move[x] = move;
		m = (m ^ move) | (move >> (1 << x));
		k &= ~odd;
	}
}

__device__ static uint32_t
moved(uint32_t v, const word_mask &m)
{
	v &= m.mask;
#pragma unroll
	for (int x = 0; x < 5; x++) {
		const uint32_t t = v & m.move[x];

		v = (v ^ t) | (t >> (1 << x));
	}
	return v;
}

#define MASKS 64 /* words of a block in shared memory at a time */

// One thread moves a segment of one plane of a row or a column.
__global__ void __launch_bounds__(128)
	gather(const __grid_constant__ vs_card_triples t)
{
	__shared__ word_mask mask[MASKS];
	const vs_card_pivot &p = t.pivot[blockIdx.z / 2];
	const bool col = blockIdx.z % 2;
	const vs_card_part &from = col ? t.work.j : t.work.i;
	const vs_card_part &to = col ? p.j : p.i;
	const uint32_t n_row = col ? t.n_j : t.n_i;
	const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;
	/* threads past the last row repeat it */
	const uint32_t r = row < n_row ? row : n_row - 1;
	const uint32_t plane = blockIdx.y % from.n_plane;
	const uint32_t segment = blockIdx.y / from.n_plane;
	const uint32_t v = (col ? t.j_from : t.i_from) + r;
	const uint32_t end = from.end[segment % VS_CARD_CLASSES];
	uint32_t at = vs_card_tables_begin(&to, segment), n = 0, out = 0;

	/* nor rows whose tile has none behind the pivot */
	if (blockIdx.x * blockDim.x >= n_row ||
		(!col &&
			blockIdx.z / 2 >=
				vs_card_triples_pivots(&t,
					t.i_from + row - threadIdx.x +
						blockDim.x + TILES_ROWS - 2)))
		return;
	for (uint32_t lo =
			vs_card_tables_begin(&from, segment % VS_CARD_CLASSES);
		lo < end; lo += MASKS) {
		const uint32_t some = end - lo < MASKS ? end - lo : MASKS;

		__syncthreads();
		if (threadIdx.x < some)
			mask[threadIdx.x] = *mask_of(t, p,
				segment / VS_CARD_CLASSES, lo + threadIdx.x);
		__syncthreads();
		for (uint32_t w = 0; w < some; w += 4) {
			const uint4 four = *(const uint4 *)(from.plane +
				vs_word_at(&from, v, lo + w, plane));
			const uint32_t of[4] = { four.x, four.y, four.z,
				four.w };

#pragma unroll
			for (uint32_t k = 0; k < 4; k++) {
				const uint32_t bits = VS_POPC(mask[w + k].mask);
				uint32_t x;

				/* of few samples, as all threads see */
				if (!bits)
					continue;
				x = moved(of[k], mask[w + k]);
				out |= x << n;
				n += bits;
				if (n < 32)
					continue;
				to.plane[vs_word_at(&to, r, at++, plane)] = out;
				n -= 32;
				out = n ? x >> (bits - n) : 0;
			}
		}
	}
	for (; at < to.end[segment]; at++, out = 0)
		to.plane[vs_word_at(&to, r, at, plane)] = out;
}

// One warp counts one row or column.
__global__ void
margins(const __grid_constant__ vs_card_triples t)
{
	const vs_card_pivot &p = t.pivot[blockIdx.z / 2];
	const bool col = blockIdx.z % 2;
	const vs_card_part &of = col ? p.j : p.i;
	const uint32_t lane = threadIdx.x;
	const uint32_t r = blockIdx.x * blockDim.y + threadIdx.y;

	if (r >= (col ? t.n_j : t.n_i))
		return;
	for (uint32_t k = 0; k < of.n_segment; k++) {
		int32_t m[VS_CARD_LEVELS] = {};

		vs_card_tables_add_margin(&of, r, k, lane, 32, m);
		for (int x = 0; x < VS_CARD_LEVELS; x++)
			for (int by = 16; by; by /= 2)
				m[x] += __shfl_xor_sync(~0u, m[x], by);
		if (lane == 0)
			vs_card_tables_set_margin(&of, r, k, m);
	}
}

int
vs_triples_gather(const struct vs_card_triples *t, void *stream)
{
	const cudaStream_t queue = (cudaStream_t)stream;
	const uint32_t n_segment = t->pivot[0].i.n_segment;
	const uint32_t rows = t->n_i > t->n_j ? t->n_i : t->n_j;

	make_masks<<<dim3((t->u.end[1] + 127) / 128, t->n_level, t->n_pivot),
		128, 0, queue>>>(*t);
	CHECK(cudaGetLastError());
	gather<<<dim3((rows + 127) / 128, n_segment * t->work.i.n_plane,
			 2 * t->n_pivot),
		128, 0, queue>>>(*t);
	CHECK(cudaGetLastError());
	margins<<<dim3((rows + 7) / 8, 1, 2 * t->n_pivot), dim3(32, 8), 0,
		queue>>>(*t);
	return cudaGetLastError();
}

/* ---- counts ---- */

/* Rows per thread, which has one column, and per block: the tables of more
 * pairs do not fit the registers. */
#define MINE(planes) ((planes) == 2 ? 2 : 1)
#define SIDE(planes) (STEP * MINE(planes))
/* Classes of samples, and segments that a pivot has of them. */
#define CLASSES(alleles) ((alleles) ? 1 : VS_CARD_CLASSES)
#define SEGMENTS(planes, alleles) (((planes) == 2 ? 2 : 3) * CLASSES(alleles))

/* Rows are one word longer, so that they start in different banks. */
template <int planes> struct tile_words {
	uint32_t word[2][planes][SIDE(planes)][WORDS + 1];
	uint32_t sum[STEP * STEP]; /* of a thread's counts */
};

/* Load words of n rows from first on; rows past `most` repeat the last one. */
template <int planes>
__device__ static void
load_rows(const vs_card_part &p, uint32_t first, uint32_t most, uint32_t word,
	uint32_t n, uint32_t to[planes][SIDE(planes)][WORDS + 1])
{
	for (uint32_t x = threadIdx.x; x < n * WORDS; x += STEP * STEP) {
		const uint32_t r = x / WORDS, w = x % WORDS;
		const uint32_t v = first + r < most ? first + r : most - 1;

#pragma unroll
		for (int plane = 0; plane < planes; plane++)
			to[plane][r][w] =
				p.plane[vs_word_at(&p, v, word + w, plane)];
	}
}

/* Products of a segment of two parts. All threads of a block take part. */
template <int planes>
__device__ static void
count_segment(const vs_card_part &i, uint32_t row, uint32_t n_i,
	const vs_card_part &j, uint32_t col, uint32_t n_j, uint32_t segment,
	tile_words<planes> &t, int32_t n[MINE(planes)][planes * planes])
{
	const uint32_t y = threadIdx.x / STEP, x = threadIdx.x % STEP;
	int32_t sum = 0;

	for (uint32_t word = vs_card_tables_begin(&i, segment);
		word < i.end[segment]; word += WORDS) {
		load_rows<planes>(i, row, n_i, word, SIDE(planes), t.word[0]);
		load_rows<planes>(j, col, n_j, word, STEP, t.word[1]);
		__syncthreads();
#pragma unroll 1
		for (int w = 0; w < WORDS; w++)
#pragma unroll
			for (int a = 0; a < MINE(planes); a++)
#pragma unroll
				for (int k = 0; k < planes * planes; k++)
					n[a][k] += __popc(
						t.word[0][k / planes]
						      [y + a * STEP][w] &
						t.word[1][k % planes][x][w]);
		__syncthreads();
	}
#pragma unroll
	for (int k = 0; k < MINE(planes) * planes * planes; k++)
		sum += n[k % MINE(planes)][k / MINE(planes)];
	t.sum[threadIdx.x] += (uint32_t)sum;
}

/* Append a triple if its table may pass. All lanes of a warp take part. */
template <int planes, int alleles>
__device__ static void
offer_triple(const vs_card_triples &t, uint32_t pivot, uint32_t i, uint32_t j,
	const int32_t of[SEGMENTS(planes, alleles)][VS_CARD_PRODUCTS],
	const int32_t all[CLASSES(alleles)][VS_CARD_PRODUCTS])
{
	const vs_card_work &w = t.work;
	vs_association sum = {};
	uint32_t yes = vs_card_triples_wants(&t, pivot, i, j), at;

	if (yes) {
		int32_t cell[VS_CARD_CLASSES][VS_COUNTED_CELLS];
		int32_t g[8];

#pragma unroll
		for (uint32_t c = 0; c < CLASSES(alleles); c++)
			vs_card_triples_cells(&t, pivot, i, j, c, of + c,
				CLASSES(alleles), all[c], cell[c]);
		if (alleles) {
			vs_card_alleles_sums(t.pivot[pivot].genotype, cell[0],
				g);
			yes = vs_card_alleles_wants(&t, pivot, i, j, g);
		}
#pragma unroll
		for (int x = 0; x < VS_COUNTED_CELLS && !alleles; x++)
			vs_card_tables_sum(&w.rule.logs, cell[0][x], cell[1][x],
				&sum);
		if (!alleles)
			yes = vs_card_tables_may_pass(&w.rule, &sum);
	}
	if (!isa_any(yes))
		return;
	at = vs_warp_reserve(w.n_cand, yes);
	if (!yes || at >= w.room)
		return;
	w.cand[at].i = i;
	w.cand[at].j = j;
	w.cand[at].sum[0] = (int32_t)pivot;
}

/* True if no triple of the tile is wanted, with any pivot. */
__device__ static bool
is_idle(const vs_card_triples &t, uint32_t row, uint32_t col)
{
	const uint64_t v = t.work.i.first + row, x = t.work.j.first + col;

	return x >= t.skip && x + STEP - 1 <= v;
}

/* Blocks per multiprocessor; 0: the compiler's choice, which spills tables on
 * compute capability 12. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1200
#define BLOCKS(alleles) ((alleles) ? 2 : 1)
#else
#define BLOCKS(alleles) ((alleles) ? 2 : 0)
#endif

template <int planes, int alleles>
__global__ void
__launch_bounds__(STEP *STEP, BLOCKS(alleles))
	count_triples(const __grid_constant__ vs_card_triples t)
{
	constexpr int mine = MINE(planes), side = SIDE(planes);
	constexpr int classes = CLASSES(alleles);
	constexpr int segments = SEGMENTS(planes, alleles);
	__shared__ tile_words<planes> words;
	const vs_card_work &w = t.work;
	const uint32_t row = w.i_lo + blockIdx.y * side,
		       col = w.j_lo + blockIdx.x * STEP;
	const uint32_t i = row + threadIdx.x / STEP,
		       j = col + threadIdx.x % STEP;
	int32_t all[classes][mine][planes * planes] = {};

	if (is_idle(t, row, col))
		return;
	words.sum[threadIdx.x] = 0;
	if (t.rest)
#pragma unroll
		for (int c = 0; c < classes; c++)
			count_segment<planes>(w.i, row, w.i_hi, w.j, col,
				w.j_hi, c, words, all[c]);
#pragma unroll 1
	for (uint32_t k = 0; k < vs_card_triples_pivots(&t, row + side - 1);
		k++) {
		const vs_card_pivot &p = t.pivot[k];
		int32_t of[segments][mine][planes * planes] = {};

#pragma unroll
		for (int s = 0; s < segments; s++)
			count_segment<planes>(p.i, row - t.i_from,
				w.i_hi - t.i_from, p.j, col - t.j_from,
				w.j_hi - t.j_from, alleles ? 2 * s : s, words,
				of[s]);
#pragma unroll
		for (int a = 0; a < mine; a++) {
			int32_t mine_of[segments][VS_CARD_PRODUCTS] = {};
			int32_t mine_all[classes][VS_CARD_PRODUCTS] = {};

#pragma unroll
			for (int x = 0; x < planes * planes; x++) {
#pragma unroll
				for (int s = 0; s < segments; s++)
					mine_of[s][x] = of[s][a][x];
#pragma unroll
				for (int c = 0; c < classes; c++)
					mine_all[c][x] = all[c][a][x];
			}
			offer_triple<planes, alleles>(t, k, i + a * STEP, j,
				mine_of, mine_all);
		}
	}
	tiles_check(&t, words.sum[threadIdx.x]);
}

template <int planes, int alleles>
static int
launch(const struct vs_card_triples *t, void *stream)
{
	const struct vs_card_work *w = &t->work;
	const dim3 grid((w->j_hi - w->j_lo + STEP - 1) / STEP,
		(w->i_hi - w->i_lo + SIDE(planes) - 1) / SIDE(planes));

	count_triples<planes, alleles>
		<<<grid, STEP * STEP, 0, (cudaStream_t)stream>>>(*t);
	return cudaGetLastError();
}

/* The kernel for tables of triples on tensor cores. */
template <int entropy, int skew>
static void (*kernel_of(const struct vs_card_triples *t))(vs_card_triples)
{
	return t->n_level == 3 ? t->rest ? vs_called_by_mma<entropy, skew, 0>
					 : vs_called_by_mma<entropy, skew, 1>
		: vs_card_triples_wide(t->work.i.size)
		? vs_triples_by_mma<entropy, skew, 1>
		: vs_triples_by_mma<entropy, skew, 0>;
}

static int
launch_mma(const struct vs_card_triples *t, void *stream)
{
	const struct vs_card_chi *c = &t->work.rule.chi;
	void (*kernel)(vs_card_triples) = c->entropy
		? c->skew ? kernel_of<1, 1>(t) : kernel_of<1, 0>(t)
		: c->skew ? kernel_of<0, 1>(t)
			  : kernel_of<0, 0>(t);

	CHECK(vs_tables_allow(kernel, TILES_SHARED));
	kernel<<<vs_tables_grid(t->work), TILES_THREADS, TILES_SHARED,
		(cudaStream_t)stream>>>(*t);
	return cudaGetLastError();
}

/* Triples of alleles. Use only on devices for which vs_tables_mma() is true. */
__global__ void
__launch_bounds__(TILES_THREADS, 2)
	alleles_by_mma(const __grid_constant__ vs_card_triples t)
{
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000)
	allele_kernel(&t);
#endif
}

static int
launch_alleles(const struct vs_card_triples *t, bool mma, void *stream)
{
	if (t->n_level == 3)
		return launch<3, 1>(t, stream);
	if (!mma)
		return launch<2, 1>(t, stream);
	CHECK(vs_tables_allow(alleles_by_mma, ALLELE_SHARED));
	alleles_by_mma<<<vs_tables_grid(t->work), TILES_THREADS, ALLELE_SHARED,
		(cudaStream_t)stream>>>(*t);
	return cudaGetLastError();
}

/* ---- the check of counts ---- */

template <int planes, int alleles>
__global__ void
expect(const __grid_constant__ vs_card_triples t, const check_tiles c)
{
	check_word(&t, &c, blockIdx.y, blockIdx.x * blockDim.x + threadIdx.x,
		alleles, planes);
}

/* One thread looks at the sum of some rows. */
__global__ void
judge(const __grid_constant__ vs_card_triples t, uint32_t n)
{
	const uint32_t row = blockIdx.x * blockDim.x + threadIdx.x;

	if (row < n && t.check[row])
		*t.work.n_cand = VS_CARD_WRONG;
}

/* Queue what is to be counted, before it is. */
template <int planes, int alleles>
static int
launch_expect(const struct vs_card_triples *t, const check_tiles &c,
	cudaStream_t queue)
{
	const uint32_t words = t->work.i.n_block * VS_TILE_FIELDS / 32;
	const dim3 grid((words + 31) / 32,
		(check_cols(t, &c) + check_most(t, &c) - 1) /
			check_most(t, &c));

	CHECK(cudaMemsetAsync(t->check, 0,
		check_rows(t, &c) * sizeof(*t->check), queue));
	expect<planes, alleles><<<grid, 32, 0, queue>>>(*t, c);
	return cudaGetLastError();
}

int
vs_triples_count(const struct vs_card_triples *t, void *stream)
{
	const bool alleles = t->work.rule.table == VS_DEVICE_ALLELES;
	const bool missing = t->n_level == 3;
	const cudaStream_t queue = (cudaStream_t)stream;
	const uint32_t side = missing ? SIDE(3) : SIDE(2);
	check_tiles c = { side, STEP, t->rest, 1 };
	bool mma = false;
	int code = 0;

	CHECK(vs_tables_mma(&mma));
	mma = mma && !(alleles && missing);
	if (mma)
		c = { TILES_ROWS, TILES_COLS,
			alleles || (t->rest && !t->counted),
			alleles || vs_card_triples_wide(t->work.i.size) };
	if (t->check)
		code = missing           ? launch_expect<3, 0>(t, c, queue)
			: alleles && mma ? launch_expect<2, 1>(t, c, queue)
					 : launch_expect<2, 0>(t, c, queue);
	if (!code)
		code = alleles    ? launch_alleles(t, mma, stream)
			: mma     ? launch_mma(t, stream)
			: missing ? launch<3, 0>(t, stream)
				  : launch<2, 0>(t, stream);
	if (code || !t->check)
		return code;
	judge<<<(check_rows(t, &c) + 31) / 32, 32, 0, queue>>>(*t,
		check_rows(t, &c));
	return cudaGetLastError();
}

/* ---- tables of candidates ---- */

// One warp counts one table.
__global__ void
list_triples(const __grid_constant__ vs_card_triples t, uint32_t lo, uint32_t n,
	vs_counted_table *out, uint32_t *n_out)
{
	const uint32_t lane = threadIdx.x % 32;

	for (uint32_t x = (blockIdx.x * blockDim.x + threadIdx.x) / 32; x < n;
		x += gridDim.x * blockDim.x / 32) {
		const vs_card_cand c = t.work.cand[lo + x];
		const uint32_t pivot = (uint32_t)c.sum[0];
		vs_counted_table table;
		vs_card_products m = {};

		vs_card_triples_add(&t, pivot, c.i, c.j, lane, 32, &m);
		for (int k = 0; k < VS_CARD_SEGMENTS + VS_CARD_CLASSES; k++)
			for (int y = 0; y < VS_CARD_PRODUCTS; y++) {
				int32_t *s = k < VS_CARD_SEGMENTS
					? &m.of[k][y]
					: &m.all[k - VS_CARD_SEGMENTS][y];

				for (int by = 16; by; by /= 2)
					*s += __shfl_xor_sync(~0u, *s, by);
			}
		if (lane)
			continue;
		for (uint32_t k = 0; k < VS_CARD_CLASSES; k++)
			vs_card_triples_cells(&t, pivot, c.i, c.j, k, m.of + k,
				VS_CARD_CLASSES, m.all[k], table.n[k]);
		table.u = t.pivot[pivot].u;
		table.i = c.i;
		table.j = c.j;
		if (t.work.rule.table == VS_DEVICE_ALLELES) {
			vs_card_alleles_sums(t.pivot[pivot].genotype,
				table.n[0], table.n[1]);
			out[isa_add(n_out, 1)] = table;
			continue;
		}
		vs_tables_append(t.work.rule, table, VS_COUNTED_CELLS, out,
			n_out);
	}
}

int
vs_triples_list(const struct vs_card_triples *t, uint32_t lo, uint32_t n,
	struct vs_counted_table *out, uint32_t *n_out, void *stream)
{
	uint32_t n_block = n / 4 + 1;

	n_block = n_block < 65536 ? n_block : 65536;
	list_triples<<<n_block, 128, 0, (cudaStream_t)stream>>>(*t, lo, n, out,
		n_out);
	return cudaGetLastError();
}
