/* SPDX-License-Identifier: BSD-3-Clause */
/* Choice of backends: the CPU, devices, or both. */
#ifndef VS_TOOLS_RUN_DEVICES_H
#define VS_TOOLS_RUN_DEVICES_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/engine/job.h"

#define VS_DEVICES_CHOICES "auto|cpu|cuda|cuda+cpu"

struct vs_devices_want {
	const char *backend; /* one of the choices */
	const char *list;    /* --device, or null */
	const char *engine;  /* or null */
	uint64_t memory;     /* of a device; 0: nearly all */
	double comparisons;  /* of a rank, estimated */
	bool triples;        /* are what is computed, of metrics of tables */
};

/* Check --device and --engine, whether or not there is a device. 0;
 * VS_EUSAGE */
int vs_devices_check(const struct vs_devices_want *want);

/*
 * Set the job's backend, device, alone and dispensable; its query and
 * n_thread are set, and want was checked. auto takes a device where there is
 * one, if the CPU would not be done sooner than it is opened; and lets the CPU
 * help where that gains.
 * returns  0; VS_EUSAGE; VS_EMACHINE: the one asked for by name is not there,
 *          or failed
 */
int vs_devices_choose(const struct vs_devices_want *want, struct vs_job *job);

/* Go on without the device, which failed as it was opened, and say so. */
void vs_devices_drop(struct vs_job *job);

/* True if the CPU has a kernel for the query, of the name given. */
bool vs_devices_have_kernel(const struct vs_query *q);

/* "cpu-lanes512", "cuda-mma", "cuda-mma+cpu-lanes512" */
void vs_devices_describe(const struct vs_job *job, char *text, size_t room);

#endif
