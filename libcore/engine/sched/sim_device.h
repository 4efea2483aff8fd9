/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A device made of CPU arithmetic, to try out what drives a device: it counts
 * pair by pair by the definition, has little room for what it finds, does only
 * the first rows of a strip now and then, and goes away on request. By a clock
 * of its own it is so much faster than a thread of the CPU, and who does what
 * is a matter of the seed alone; or it works as time goes by, beside threads,
 * slower or faster by turns.
 */
#ifndef VS_ENGINE_SCHED_SIM_DEVICE_H
#define VS_ENGINE_SCHED_SIM_DEVICE_H

#include <stdint.h>

#include "libcore/engine/backend.h"

struct vs_sim_device {
	uint64_t seed; /* of its width, its room and its pace */
	uint64_t lost; /* it is gone at so manieth strip; 0: never */
	uint64_t real; /* not 0: as time goes by */
};

/* Properties of the device from its next opening on. */
void vs_sim_device_set(const struct vs_sim_device *sim);

/* "seed=5,lost=3,real=1", any of them; false: not to be read */
bool vs_sim_device_read(const char *text, struct vs_sim_device *sim);

extern const struct vs_backend vs_backend_sim, vs_backend_sim_real;

#endif
