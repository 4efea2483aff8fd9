/* SPDX-License-Identifier: BSD-3-Clause */
/* Engine wgmma, for Hopper; if calls are missing the engine mma counts. */
#include <stdio.h>

#include "cuda/engine.h"
#include "cuda/launch.cuh"
#include "cuda/wgmma.h"

__global__ void
__launch_bounds__(WGMMA_THREADS, 1)
	wgmma_tiles(const __grid_constant__ struct vs_tile_job job)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
	wgmma_kernel(&job);
#endif
}

static int
count(const struct vs_card_work *w, void *stream)
{
	struct vs_tile_job job;

	if (w->missing)
		return vs_engine_mma.count(w, stream);
	vs_tile_job_make(&job, w, WGMMA_ROWS, WGMMA_SIDE * WGMMA_COLS,
		WGMMA_FIELDS);
	return vs_launch(wgmma_tiles, &job, WGMMA_SIDE * job.walk.n_tile,
		WGMMA_THREADS, WGMMA_SHARED, stream);
}

/* True if the kernel was built for this device. */
static int
check_device(void **own, void *, char *why, size_t room)
{
	struct cudaFuncAttributes a;
	cudaError_t e = cudaFuncGetAttributes(&a, wgmma_tiles);

	*own = NULL;
	if (e == cudaSuccess)
		return 0;
	cudaGetLastError();
	snprintf(why, room, "needs compute capability 9.0 and no other: %s",
		cudaGetErrorString(e));
	return -1;
}

static void
close_none(void *)
{
}

extern "C" const struct vs_engine vs_engine_wgmma = { count, 7000, true, NULL,
	check_device, close_none };
