/* SPDX-License-Identifier: BSD-3-Clause */
/* CUDA devices, when there are any: a plugin is opened at run time. */
#ifndef VS_CUDA_PLUGIN_H
#define VS_CUDA_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/engine/backend.h"

struct vs_plugin_want {
	const char *engine;  /* of cuda/rows.h; null: the best for the device */
	const char *devices; /* "0,2", a rank each in turn; null: all */
	uint64_t memory;     /* of each device to take at most; 0: nearly all */
	int local_rank;      /* of this rank among those of its machine */
	int n_local;         /* how many these are; 0 as 1 */
};

/* Could such an engine and such devices be, on some machine? 0; VS_EUSAGE */
int vs_plugin_check(const struct vs_plugin_want *want);

/*
 * Open the plugin vsim-cuda.so, once in a process, and through it the device
 * that falls to this rank. It is looked for in $VSIM_PLUGIN_PATH or, without
 * that, beside the program and in ../lib/vsim from there.
 *
 * backend  null when there is no plugin, no driver or no device; lives on
 * why      then the reason, one sentence; else what was opened
 * returns  0; VS_EUSAGE: no such engine, or none for the device, or devices
 *          that cannot be read; VS_EMACHINE: the device failed
 */
int vs_plugin_open(const struct vs_plugin_want *want,
	const struct vs_backend **backend, char *why, size_t room);

#endif
