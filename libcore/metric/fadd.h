/* SPDX-License-Identifier: BSD-3-Clause */
/* F test of interaction for a quantitative trait, against additive effects;
 * trait_test.h. */
#ifndef VS_METRIC_FADD_H
#define VS_METRIC_FADD_H

#include "libcore/metric/trait_test.h"

#define VS_METRIC_fadd                                   \
	.family = VS_FAMILY_TABLES, .highest = INFINITY, \
	.trait = vs_trait_fadd, .additive = true, .cycles = 1000

#endif
