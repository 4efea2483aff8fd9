/* SPDX-License-Identifier: BSD-3-Clause */
/* Loader of the CUDA plugin, opened at run time. */
#ifndef VS_CUDA_PLUGIN_H
#define VS_CUDA_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/engine/backend.h"

struct vs_plugin_want {
	/* name in cuda/rows.h; null: the best for the device */
	const char *engine;
	/* "0,2", dealt to ranks round robin, several per rank if there are
	 * fewer ranks; null: all */
	const char *devices;
	uint64_t memory; /* most memory on each device; 0: nearly all */
	int local_rank;  /* this rank's number on its machine, from 0 */
	int n_local;     /* number of ranks on this machine; 0 means 1 */
};

/*
 * Check that the engine's name and the device list are valid on some machine.
 * 0; VS_EUSAGE
 */
int vs_plugin_check(const struct vs_plugin_want *want);

/*
 * Open the plugin vsim-cuda.so, once in a process, and this rank's devices. The
 * plugin is searched for in $VSIM_PLUGIN_PATH or, if unset, next to the
 * program and in ../lib/vsim relative to it.
 * backend  null when there is no plugin, no driver or no device; never freed
 * why      then the reason, one sentence; else what was opened
 * returns  0; VS_EUSAGE: no such engine, or none for the device, or devices
 *          that cannot be parsed; VS_EMACHINE: the device failed
 */
int vs_plugin_open(const struct vs_plugin_want *want,
	const struct vs_backend **backend, char *why, size_t room);

#endif
