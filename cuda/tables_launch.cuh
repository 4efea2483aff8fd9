// SPDX-License-Identifier: BSD-3-Clause
/* Choice and launch of the kernels of tables on tensor cores. */
#ifndef VS_CUDA_TABLES_LAUNCH_CUH
#define VS_CUDA_TABLES_LAUNCH_CUH

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

#endif
