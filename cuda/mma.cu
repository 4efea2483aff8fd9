/* SPDX-License-Identifier: BSD-3-Clause */
/* The engines mma and mma3: one thread block a multiprocessor, all of it. */
#include "cuda/engine.h"
#include "cuda/mma.h"

template <uint32_t way>
__global__ void
__launch_bounds__(MMA_THREADS, 1)
	mma_tiles(const __grid_constant__ struct vs_tile_job job)
{
#if __CUDA_ARCH__ >= 800
	mma_kernel(&job, way);
#endif
}

template <uint32_t way>
static int
launch(const struct vs_card_work *w, void *stream)
{
	struct vs_tile_job job;
	int device, n_block;
	cudaError_t e = cudaGetDevice(&device);

	vs_tile_job_make(&job, w, MMA_ROWS(way), MMA_COLS(way), MMA_FIELDS);
	if (e == cudaSuccess)
		e = cudaDeviceGetAttribute(&n_block,
			cudaDevAttrMultiProcessorCount, device);
	if (e == cudaSuccess)
		e = cudaFuncSetAttribute(mma_tiles<way>,
			cudaFuncAttributeMaxDynamicSharedMemorySize,
			MMA_SHARED(way));
	if (e != cudaSuccess || !job.walk.n_tile)
		return (int)e;
	if ((uint32_t)n_block > job.walk.n_tile)
		n_block = (int)job.walk.n_tile;
	mma_tiles<way><<<n_block, MMA_THREADS, MMA_SHARED(way),
		(cudaStream_t)stream>>>(job);
	return (int)cudaGetLastError();
}

static int
four(const struct vs_card_work *w, void *stream)
{
	return w->missing ? launch<LOOK_MISSING>(w, stream)
			  : launch<LOOK_FOUR>(w, stream);
}

static int
three(const struct vs_card_work *w, void *stream)
{
	return w->missing ? launch<LOOK_MISSING>(w, stream)
			  : launch<LOOK_THREE>(w, stream);
}

extern "C" const struct vs_engine vs_engine_mma = { four, 4400, NULL, NULL,
	NULL };
extern "C" const struct vs_engine vs_engine_mma3 = { three, 5900, NULL, NULL,
	NULL };
