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

/* Number of ranks of this machine, at least one. */
static int
ranks(const struct vs_plugin_want *want)
{
	return want->n_local > 1 ? want->n_local : 1;
}

/*
 * Assign this rank its devices of a list of n, dealt round robin: every
 * n_local-th one or, if there are more ranks than devices, one. returns  how
 * many
 */
static int
deal(const struct vs_plugin_want *want, int rank, const int *list, int n,
	int mine[MOST_DEVICES])
{
	int n_mine = 0;

	for (int k = rank % n; k < n; k += ranks(want))
		mine[n_mine++] = list[k];
	return n_mine;
}

/* Number of times that the ranks of this machine open a device; one may be
 * opened twice. */
static int
share_of(const struct vs_plugin_want *want, const int *list, int n, int device)
{
	int share = 0, mine[MOST_DEVICES];

	for (int r = 0; r < ranks(want); r++)
		for (int k = deal(want, r, list, n, mine); k--;)
			share += mine[k] == device;
	return share;
}

/*
 * The devices of this rank, from the list or from all n. returns how many; or
 * negative, with a message
 */
static int
pick_devices(const struct vs_cuda_host *host, const struct vs_plugin_want *want,
	int n, int mine[MOST_DEVICES], int share[MOST_DEVICES])
{
	int list[MOST_DEVICES], n_list = 0, n_mine;

	if (want->devices)
		n_list = read_devices(host, want->devices, n, list);
	if (n_list < 0)
		return n_list;
	while (!want->devices && n_list < n && n_list < MOST_DEVICES) {
		list[n_list] = n_list;
		n_list++;
	}
	n_mine = deal(want, want->local_rank, list, n_list, mine);
	for (int k = 0; k < n_mine; k++)
		share[k] = share_of(want, list, n_list, mine[k]);
	return n_mine;
}

int
vs_cuda_entry(const struct vs_cuda_host *host,
	const struct vs_plugin_want *want, const struct vs_backend **backend,
	char *why, size_t room)
{
	static const size_t size[] = VS_CUDA_SIZES;
	static struct vs_drive_base base[MOST_DEVICES];
	int mine[MOST_DEVICES], share[MOST_DEVICES], n, code = 0;

	*backend = NULL;
	if (host->abi != VS_CUDA_ABI ||
		memcmp(size, host->size, sizeof(size)) != 0) {
		snprintf(why, room, "plugin: of another version of vsim");
		return 0;
	}
	n = vs_device_count(why, room);
	if (!n)
		return 0;
	n = pick_devices(host, want, n, mine, share);
	if (n < 0)
		return n;
	for (int k = 0; k < n && !code; k++) {
		const size_t at = k ? strlen(why) : 0;
		const int gap = k && at + 3 < room ? 2 : 0;

		if (gap)
			memcpy(why + at, "; ", 3);
		base[k] = (struct vs_drive_base){ .host = host,
			.ops = &vs_device_ops,
			.number = mine[k],
			.memory = want->memory,
			.share = share[k] };
		code = vs_device_open(host, mine[k], want->engine,
			&base[k].card, why + at + gap, room - at - (size_t)gap);
	}
	if (!code)
		*backend = vs_drive_use(base, n);
	return code;
}
