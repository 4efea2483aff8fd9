// SPDX-License-Identifier: BSD-3-Clause
/*
 * CUDA's errors. CHECK(call) leaves a function that returns cudaError_t with
 * what went wrong; whoever is asked by the plugin's C turns it into a code.
 */
#ifndef VS_CUDA_CHECK_CUH
#define VS_CUDA_CHECK_CUH

#include <cuda_runtime.h>

#define CHECK(call)                               \
	do {                                      \
		cudaError_t check_error = (call); \
		if (check_error != cudaSuccess)   \
			return check_error;       \
	} while (0)

#endif
