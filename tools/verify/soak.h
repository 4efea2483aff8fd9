/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Soak test: every kernel and device on random data for a given time, each
 * value compared with its plain definition.
 */
#ifndef VS_TOOLS_VERIFY_SOAK_H
#define VS_TOOLS_VERIFY_SOAK_H

#include <stdbool.h>
#include <stdint.h>

struct vs_soak {
	double seconds;
	uint64_t seed;
	int n_thread;
	bool (*stopped)(void);
};

/*
 * Prints the rate of each kernel and the highest temperature to standard
 * output.
 * returns  0; VS_ENO: a value was wrong, the text names kernel and seed;
 *          VS_EMACHINE
 */
int vs_soak_run(const struct vs_soak *ask);

#endif
