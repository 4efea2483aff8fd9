// SPDX-License-Identifier: BSD-3-Clause
#include <cuda_runtime.h>
#include <stdio.h>

#include "cuda/device.h"

int
vs_device_count(char *why, size_t room)
{
	int n = 0;
	cudaError_t e = cudaGetDeviceCount(&n);

	if (e == cudaSuccess && n > 0)
		return n;
	cudaGetLastError();
	snprintf(why, room, "no device: %s",
		e == cudaSuccess ? "none is visible" : cudaGetErrorString(e));
	return 0;
}
