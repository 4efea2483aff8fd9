/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry point of the CUDA plugin. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"
#include "libcore/base/fail.h"

__attribute__((visibility("default"))) vs_cuda_entry_fn vs_cuda_entry;

#define MOST_DEVICES 64

/*
 * Parse a device list "0,2", each below n. returns  the number of devices; or
 * negative, with a message
 */
static int
read_devices(const struct vs_cuda_host *host, const char *list, int n,
	int device[MOST_DEVICES])
{
	const char *p = list;
	char *end;

	for (int n_device = 0;; p = end + 1) {
		long k = strtol(p, &end, 10);

		if (n_device == MOST_DEVICES)
			return host->fail(VS_EUSAGE,
				"GPUs \"%s\": more than %d", list,
				MOST_DEVICES);
		if (k >= n)
			return host->fail(VS_EUSAGE,
				"GPU %ld: there are %d, the first is 0", k, n);
		device[n_device++] = (int)k;
		if (!*end)
			return n_device;
	}
}

/*
 * Assign this rank a device of the list, or of all n, round robin, and count
 * the ranks that share it. returns  the device; or negative, with a message
 */
static int
pick_device(const struct vs_cuda_host *host, const struct vs_plugin_want *want,
	int n, int *share)
{
	int device[MOST_DEVICES], mine, n_device = 0;

	if (want->devices)
		n_device = read_devices(host, want->devices, n, device);
	if (n_device < 0)
		return n_device;
	while (!want->devices && n_device < n && n_device < MOST_DEVICES) {
		device[n_device] = n_device;
		n_device++;
	}
	mine = device[want->local_rank % n_device];
	*share = 0;
	for (int r = 0; r < want->n_local; r++)
		*share += device[r % n_device] == mine;
	return mine;
}

int
vs_cuda_entry(const struct vs_cuda_host *host,
	const struct vs_plugin_want *want, const struct vs_backend **backend,
	char *why, size_t room)
{
	static const size_t size[] = VS_CUDA_SIZES;
	static struct vs_drive_base base;
	int n, k, code;

	*backend = NULL;
	if (host->abi != VS_CUDA_ABI ||
		memcmp(size, host->size, sizeof(size)) != 0) {
		snprintf(why, room, "plugin: of another version of vsim");
		return 0;
	}
	n = vs_device_count(why, room);
	if (!n)
		return 0;
	k = pick_device(host, want, n, &base.share);
	if (k < 0)
		return k;
	base.host = host;
	base.ops = &vs_device_ops;
	base.memory = want->memory;
	code = vs_device_open(host, k, want->engine, &base.card, why, room);
	if (!code)
		*backend = vs_drive_use(&base);
	return code;
}
