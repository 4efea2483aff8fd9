/* SPDX-License-Identifier: BSD-3-Clause */
/* Gini purity of genotypes, beta of purity.h. */
#ifndef VS_METRIC_BETA_H
#define VS_METRIC_BETA_H

#include "libcore/metric/purity.h"

#define VS_METRIC_beta                                            \
	.family = VS_FAMILY_TABLES, .highest = INFINITY,          \
	.device = VS_DEVICE_BETA, .log = VS_LOG_ENTROPY,          \
	.needed = vs_purity_beta_needed, .whole = vs_purity_beta, \
	.cycles = 300, .plain_table = vs_purity_beta_plain

#endif
