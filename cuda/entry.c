/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the program enters the plugin. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"
#include "libcore/base/err.h"

__attribute__((visibility("default"))) vs_cuda_entry_fn vs_cuda_entry;

/* How many ranks have the same device as this one, of n that are dealt. */
static int
sharers(const struct vs_cuda_want *want, int n)
{
	int turn = want->local_rank % n;

	return want->n_local > turn ? (want->n_local - turn + n - 1) / n : 1;
}

/*
 * The device of this rank: of a list "0,2" of those below n, or of all n, one
 * each in turn. returns  it; or negative, having said why
 */
static int
pick_device(const struct vs_cuda_host *host, const struct vs_cuda_want *want,
	int n, int *share)
{
	int device[64], n_device = 0;
	const char *p = want->devices;
	char *end;

	*share = sharers(want, n);
	if (!p)
		return want->local_rank % n;
	for (;; p = end + 1) {
		long k = isdigit((unsigned char)*p) ? strtol(p, &end, 10) : -1;

		if (k < 0 || (*end && *end != ',') || n_device == 64)
			return host->fail(VS_EUSAGE,
				"GPUs \"%s\": not a list of numbers as 0,2",
				want->devices);
		if (k >= n)
			return host->fail(VS_EUSAGE,
				"GPU %ld: there are %d, the first is 0", k, n);
		device[n_device++] = (int)k;
		*share = sharers(want, n_device);
		if (!*end)
			return device[want->local_rank % n_device];
	}
}

int
vs_cuda_entry(const struct vs_cuda_host *host, const struct vs_cuda_want *want,
	const struct vs_backend **backend, char *why, size_t room)
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
