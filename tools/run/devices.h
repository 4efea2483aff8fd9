/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of backends: the CPU, devices, or both. */
#ifndef VS_TOOLS_RUN_DEVICES_H
#define VS_TOOLS_RUN_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/engine/job.h"

/* Words of --backend: auto, cpu, each device alone and with the CPU. */
extern const char vs_devices_choices[];

struct vs_devices_want {
	const char *backend; /* one of the choices */
	const char *list;    /* --device, or null */
	const char *engine;  /* or null */
	uint64_t memory;     /* for each device; 0: nearly all */
	double comparisons;  /* seconds of a rank, estimated */
	bool triples;        /* triples are computed, not pairs */
};

/* Check --device and --engine, even if there is no device. 0; VS_EUSAGE */
int vs_devices_check(const struct vs_devices_want *want);

/*
 * Set the job's backend, device, alone and dispensable; its query and n_thread
 * are set, and want was checked. auto uses a device, if there is one, unless
 * the CPU would finish before it is opened, and lets the CPU help if that
 * gains.
 * returns  0; VS_EUSAGE; VS_EMACHINE: the one named does not exist, or failed
 */
int vs_devices_choose(const struct vs_devices_want *want, struct vs_job *job);

/* Continue without the device, which failed when opened, and report that. */
void vs_devices_drop(struct vs_job *job);

/* True if the CPU has a kernel for the query, with the name given. */
bool vs_devices_have_kernel(const struct vs_query *q);

/* "cpu-lanes512", "cuda-mma", "cuda-mma+cpu-lanes512" */
void vs_devices_describe(const struct vs_job *job, char *text, size_t room);

#endif
