// SPDX-License-Identifier: BSD-3-Clause
/* Choice of the kernels for tables on tensor cores. */
#ifndef VS_CUDA_TABLES_LAUNCH_CUH
#define VS_CUDA_TABLES_LAUNCH_CUH

#include "cuda/allele_tiles.h"
#include "cuda/called_tiles.h"
#include "cuda/check.cuh"
#include "cuda/table_tiles.h"

/* True if the device has 1-bit products that are not emulated. */
static inline cudaError_t
vs_tables_mma(bool *yes)
{
	int device, major;

	CHECK(cudaGetDevice(&device));
	CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor,
		device));
	*yes = major == 8 || major == 9;
	return cudaSuccess;
}

/* Grid of blocks over the rows and columns of a work. */
static inline dim3
vs_tables_grid(const vs_card_work &w)
{
	return dim3((w.j_hi - w.j_lo + TILES_COLS - 1) / TILES_COLS,
		(w.i_hi - w.i_lo + TILES_ROWS - 1) / TILES_ROWS);
}

/* Append the table of a candidate if it may pass: bounds keep more. */
__device__ static inline void
vs_tables_append(const vs_card_rule &q, const vs_counted_table &table,
	int n_cell, vs_counted_table *out, uint32_t *n_out)
{
	vs_association sum = {};

	for (int x = 0; x < n_cell; x++)
		vs_card_tables_sum(&q.logs, table.n[0][x], table.n[1][x], &sum);
	if (vs_card_tables_may_pass(&q, &sum))
		out[isa_add(n_out, 1)] = table;
}

/* Kernels of pairs and of triples. Use only on devices for which
 * vs_tables_mma() is true; take long to compile. */
template <int entropy, int skew>
__global__ void
__launch_bounds__(TILES_THREADS, 2)
	vs_pairs_by_mma(const __grid_constant__ vs_card_triples t)
{
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000)
	tiles_pairs_kernel(&t, entropy, skew);
#endif
}

template <int entropy, int skew, int wide>
__global__ void
__launch_bounds__(TILES_THREADS, 2 - wide)
	vs_triples_by_mma(const __grid_constant__ vs_card_triples t)
{
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000)
	tiles_kernel(&t, entropy, skew, wide);
#endif
}

/* The same where calls are missing. */
template <int entropy, int skew, int wide>
__global__ void
__launch_bounds__(TILES_THREADS, 1)
	vs_called_by_mma(const __grid_constant__ vs_card_triples t)
{
#if !defined(__CUDA_ARCH__) || (__CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000)
	called_kernel(&t, entropy, skew, wide);
#endif
}

/* Let a kernel take as much shared memory as it needs. */
static inline cudaError_t
vs_tables_allow(void (*kernel)(vs_card_triples), uint32_t shared)
{
	return cudaFuncSetAttribute(kernel,
		cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
}

#endif
