// SPDX-License-Identifier: BSD-3-Clause
/* Device kernels around an engine: conversion of planes, refinement. */
#include "cuda/check.cuh"
#include "cuda/offer.cuh"
#include "cuda/recipe.h"

// One thread converts one word of each plane: coalesced reads.
__global__ void
expand(const vs_card_expand e, uint32_t n_word)
{
	uint32_t w = blockIdx.x * blockDim.x + threadIdx.x;

	if (w < n_word)
		vs_expand_word(&e, blockIdx.y * blockDim.y + threadIdx.y, w);
}

int
vs_recipe_expand(const struct vs_card_expand *e, void *stream)
{
	uint32_t n_word = e->to.n_block * VS_TILE_FIELDS / 32;
	uint32_t n = (e->n + VS_TILE_VECS - 1) / VS_TILE_VECS * VS_TILE_VECS;
	// a grid has no more than 65535 rows
	const uint32_t most = 65535 * 8 / VS_TILE_VECS * VS_TILE_VECS;

	for (uint32_t lo = 0; lo < n; lo += most) {
		vs_card_expand some = *e;
		uint32_t rows = n - lo < most ? n - lo : most;

		some.from += (size_t)2 * lo * e->stride;
		some.at += lo;
		some.n = e->n > lo ? e->n - lo : 0;
		expand<<<dim3((n_word + 31) / 32, rows / 8), dim3(32, 8), 0,
			(cudaStream_t)stream>>>(some, n_word);
		CHECK(cudaGetLastError());
	}
	return cudaSuccess;
}

__device__ static void
load(const vs_card_part &p, uint32_t v, uint32_t word, uint32_t to[4][3])
{
	for (int plane = 0; plane < 3; plane++) {
		const uint4 x = *(const uint4 *)(p.plane +
			vs_word_at(&p, v, word, plane));

		to[0][plane] = x.x;
		to[1][plane] = x.y;
		to[2][plane] = x.z;
		to[3][plane] = x.w;
	}
}

// One warp counts one pair, four words per thread at a time.
__global__ void
settle(const __grid_constant__ vs_card_work w, uint32_t n)
{
	const uint32_t lane = threadIdx.x % 32;
	const uint32_t n_word = w.i.n_block * VS_TILE_FIELDS / 32;

	for (uint32_t k = (blockIdx.x * blockDim.x + threadIdx.x) / 32; k < n;
		k += gridDim.x * blockDim.x / 32) {
		vs_card_cand *c = &w.cand[k];
		uint32_t a[4][3], b[4][3];
		int32_t sum[VS_CARD_SUMS] = {};

		for (uint32_t word = 4 * lane; word < n_word; word += 128) {
			load(w.i, c->i, word, a);
			load(w.j, c->j, word, b);
			for (int x = 0; x < 4; x++) {
				vs_popc_missing(a[x], b[x], sum);
				vs_popc_twos(a[x], b[x], sum);
			}
		}
		for (int x = 0; x < VS_CARD_SUMS; x++)
			for (int by = 16; by; by /= 2)
				sum[x] += __shfl_xor_sync(~0u, sum[x], by);
		vs_popc_missing_end(sum);
		for (uint32_t x = 0; x < VS_CARD_SUMS; x++)
			if (lane == x)
				c->sum[x] = sum[x];
	}
}

int
vs_recipe_settle(const struct vs_card_work *w, uint32_t n, void *stream)
{
	uint32_t n_block = n / 4 + 1;

	n_block = n_block < 65536 ? n_block : 65536;
	settle<<<n_block, 128, 0, (cudaStream_t)stream>>>(*w, n);
	return cudaGetLastError();
}

__global__ void
refine(const vs_card_work w, uint32_t lo, uint32_t n, vs_card_record *out,
	uint32_t *n_out)
{
	uint32_t k = blockIdx.x * blockDim.x + threadIdx.x, at;
	vs_card_record found[4];
	int m = 0;

	if (k < n)
		m = vs_card_refine(&w, &w.cand[lo + k], found);
	at = vs_warp_reserve(n_out, (uint32_t)m);
	for (int x = 0; x < 4; x++)
		if (x < m)
			out[at + x] = found[x];
}

int
vs_recipe_refine(const struct vs_card_work *w, uint32_t lo, uint32_t n,
	struct vs_card_record *out, uint32_t *n_out, void *stream)
{
	if (n)
		refine<<<(n + 127) / 128, 128, 0, (cudaStream_t)stream>>>(*w,
			lo, n, out, n_out);
	return cudaGetLastError();
}
