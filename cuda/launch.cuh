// SPDX-License-Identifier: BSD-3-Clause
/* Launch configuration of the 1-bit engines. */
#ifndef VS_CUDA_LAUNCH_CUH
#define VS_CUDA_LAUNCH_CUH

#include "cuda/sum_filter.h"

/*
 * Launch one thread block per multiprocessor, but at most n_tile, the number of
 * tiles. returns a cudaError_t
 */
static inline int
vs_launch(void (*kernel)(struct vs_tile_job), const struct vs_tile_job *job,
	uint32_t n_tile, uint32_t threads, uint32_t shared, void *stream)
{
	int device, n_block = 0;
	cudaError_t e = cudaGetDevice(&device);

	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&n_block,
			cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaFuncSetAttribute(kernel,
			cudaFuncAttributeMaxDynamicSharedMemorySize,
			(int)shared);
	if (e != cudaSuccess || !n_tile)
		return (int)e;
	if ((uint32_t)n_block > n_tile)
		n_block = (int)n_tile;
	kernel<<<(uint32_t)n_block, threads, shared, (cudaStream_t)stream>>>(
		*job);
	return (int)cudaGetLastError();
}

#endif
