/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine mma on a card: one thread block a multiprocessor, all of it. */
#include "cuda/engine.h"
#include "cuda/mma.h"

template <uint32_t planes>
__global__ void
__launch_bounds__(MMA_THREADS, 1)
	mma_tiles(const __grid_constant__ struct vs_mma_job job)
{
#if __CUDA_ARCH__ >= 800
	mma_kernel(&job, planes);
#endif
}

template <uint32_t planes>
static cudaError_t
launch(const struct vs_mma_job *job, uint32_t n_block, cudaStream_t stream)
{
	cudaError_t e = cudaFuncSetAttribute(mma_tiles<planes>,
		cudaFuncAttributeMaxDynamicSharedMemorySize,
		MMA_SHARED(planes));

	if (e != cudaSuccess)
		return e;
	mma_tiles<planes>
		<<<n_block, MMA_THREADS, MMA_SHARED(planes), stream>>>(*job);
	return cudaGetLastError();
}

static int
mma_count_work(const struct vs_card_work *w, void *stream)
{
	struct vs_mma_job job;
	int device, n_block;
	cudaError_t e = cudaGetDevice(&device);

	vs_mma_make(&job, w);
	if (e != cudaSuccess || !job.walk.n_tile)
		return (int)e;
	e = cudaDeviceGetAttribute(&n_block, cudaDevAttrMultiProcessorCount,
		device);
	if (e != cudaSuccess)
		return (int)e;
	if ((uint32_t)n_block > job.walk.n_tile)
		n_block = (int)job.walk.n_tile;
	return (int)(w->missing ? launch<3>(&job, (uint32_t)n_block,
					  (cudaStream_t)stream)
				: launch<2>(&job, (uint32_t)n_block,
					  (cudaStream_t)stream));
}

extern "C" const struct vs_engine vs_engine_mma = { mma_count_work, 8192, NULL,
	NULL, NULL };
