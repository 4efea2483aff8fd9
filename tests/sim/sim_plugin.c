/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plugin vsim-cuda.so whose device is the simulated one, so that whole programs
 * can be tried beside a device that is slow, narrow or lost. $VSIM_SIM gives
 * its properties: "seed=5,lost=3", or "wrong=2".
 */
#include "cuda/abi.h"
#include "tests/sim/sim_device.h"

__attribute__((visibility("default"))) vs_cuda_entry_fn vs_cuda_entry;

/* The number behind "name=" in the list; 0: it is not there. */
static uint64_t
property(const char *list, const char *name)
{
	const char *at = list ? strstr(list, name) : NULL;

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

int
vs_cuda_entry(const struct vs_cuda_host *host,
	const struct vs_plugin_want *want, const struct vs_backend **backend,
	char *why, size_t room)
{
	const char *list = getenv("VSIM_SIM");

	(void)want;
	if (host->abi != VS_CUDA_ABI)
		return host->fail(VS_EMACHINE, "plugin of another version");
	sim_next = (struct sim_device){ .seed = property(list, "seed="),
		.lost = property(list, "lost="),
		.wrong = property(list, "wrong=") };
	snprintf(why, room, "simulated");
	*backend = &sim_backend;
	return 0;
}
