/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program enters the plugin. */
#include <stdio.h>
#include <string.h>

#include "cuda/abi.h"
#include "cuda/device.h"

__attribute__((visibility("default"))) vs_cuda_entry_fn vs_cuda_entry;

int
vs_cuda_entry(const struct vs_cuda_host *host, const struct vs_cuda_want *want,
	const struct vs_backend **backend, char *why, size_t room)
{
	static const size_t size[] = VS_CUDA_SIZES;

	(void)want;
	*backend = NULL;
	if (host->abi != VS_CUDA_ABI ||
		memcmp(size, host->size, sizeof(size)) != 0)
		snprintf(why, room, "plugin: of another version of vsim");
	else if (vs_device_count(why, room))
		snprintf(why, room, "no device: not yet");
	return 0;
}
