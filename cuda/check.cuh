// SPDX-License-Identifier: BSD-3-Clause
/*
 * CUDA error handling. CHECK(call) returns its cudaError_t from the function;
 * the plugin's C interface maps it to a code.
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
