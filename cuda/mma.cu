/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Engines mma and mma3, 1-bit tensor-core products; they are the same if calls
 * are missing.
 */
#include "cuda/engine.h"
#include "cuda/launch.cuh"
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
count(const struct vs_card_work *w, void *stream)
{
	struct vs_tile_job job;

	vs_tile_job_make(&job, w, MMA_ROWS(way), MMA_COLS(way), MMA_FIELDS);
	return vs_launch(mma_tiles<way>, &job, job.walk.n_tile, MMA_THREADS,
		MMA_SHARED(way), stream);
}

static int
four(const struct vs_card_work *w, void *stream)
{
	return w->missing ? count<FILTER_MISSING>(w, stream)
			  : count<FILTER_FOUR>(w, stream);
}

static int
three(const struct vs_card_work *w, void *stream)
{
	return w->missing ? count<FILTER_MISSING>(w, stream)
			  : count<FILTER_THREE>(w, stream);
}

extern "C" const struct vs_engine vs_engine_mma = { four, 1900, false, NULL,
	NULL, NULL };
extern "C" const struct vs_engine vs_engine_mma3 = { three, 1400, false, NULL,
	NULL, NULL };
