/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Likelihood ratio statistic of pure interaction, association.h and
 * interaction.h; no more than G of the same table.
 */
#ifndef VS_METRIC_INTER_H
#define VS_METRIC_INTER_H

#include "libcore/metric/association.h"
#include "libcore/metric/interaction.h"

#define VS_METRIC_inter                                                        \
	.family = VS_FAMILY_TABLES, .highest = INFINITY,                       \
	.device = VS_DEVICE_INTER, .log = VS_LOG_ENTROPY, .score = vs_g_value, \
	.needed = vs_g_needed, .whole = vs_interaction_value,                  \
	.most = vs_interaction_most, .cycles = 3000,                           \
	.plain_table = vs_interaction_plain, .plain_above = 5e-2,              \
	.plain_most = vs_g_plain

#endif
