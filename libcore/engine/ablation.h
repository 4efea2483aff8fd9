/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ablation: bounds and filters are switched off by name to measure what each
 * gains. Results do not change.
 */
#ifndef VS_ENGINE_ABLATION_H
#define VS_ENGINE_ABLATION_H

#include <stdint.h>

enum vs_ablation {
#define ABLATION(id, name) VS_WITHOUT_##id,
#include "libcore/engine/rows.h"
#undef ABLATION
	VS_ABLATION_N
};

/*
 * Parse the environment variable VSIM_WITHOUT, a comma-separated list of names,
 * into a set of bits 1 << VS_WITHOUT_...; 0 without the variable.
 * returns  0; VS_EUSAGE: a name is unknown
 */
int vs_ablation_read(uint32_t *set);

#endif
