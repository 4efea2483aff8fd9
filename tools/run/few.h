/* SPDX-License-Identifier: BSD-3-Clause */
/* Warning if the strongest record of a run rests on few samples. */
#ifndef VS_TOOLS_RUN_FEW_H
#define VS_TOOLS_RUN_FEW_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"

/* The strongest record so far; of equal ones the first by vectors and cell. */
struct vs_few {
	struct vs_record top;
	bool any;
};

void vs_few_see(struct vs_few *few, const struct vs_record *rec, size_t n);

/*
 * Warn where the strongest record of all ranks rests on less than a quarter of
 * the samples; not when --min-joint was given.
 * returns     0; VS_EINPUT; VS_EMACHINE
 * collective  yes
 */
int vs_few_warn(const struct vs_few *few, const struct vs_run *run,
	struct vs_packed *vectors);

#endif
