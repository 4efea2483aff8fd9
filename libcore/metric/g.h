/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * G, the likelihood ratio statistic of association with the case-control
 * status; association.h.
 */
#ifndef VS_METRIC_G_H
#define VS_METRIC_G_H

#include "libcore/metric/association.h"

#define VS_METRIC_g                                                        \
	.family = VS_FAMILY_TABLES, .highest = INFINITY,                   \
	.device = VS_DEVICE_G, .log = VS_LOG_ENTROPY, .score = vs_g_value, \
	.needed = vs_g_needed, .plain_table = vs_g_plain

#endif
