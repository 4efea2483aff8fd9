/* SPDX-License-Identifier: BSD-3-Clause */
/* F test of interaction for a quantitative trait, against the main effects of
 * the genotypes; trait_test.h. */
#ifndef VS_METRIC_F_H
#define VS_METRIC_F_H

#include "libcore/metric/trait_test.h"

#define VS_METRIC_f                                                           \
	.family = VS_FAMILY_TABLES, .highest = INFINITY, .trait = vs_trait_f, \
	.cycles = 1000

#endif
