/* SPDX-License-Identifier: BSD-3-Clause */
/* Gini purity of genotypes, alpha of purity.h. */
#ifndef VS_METRIC_ALPHA_H
#define VS_METRIC_ALPHA_H

#include "libcore/metric/purity.h"

#define VS_METRIC_alpha                                             \
	.family = VS_FAMILY_TABLES, .highest = INFINITY,            \
	.device = VS_DEVICE_ALPHA, .log = VS_LOG_ENTROPY,           \
	.needed = vs_purity_alpha_needed, .whole = vs_purity_alpha, \
	.cycles = 300, .plain_table = vs_purity_alpha_plain

#endif
