/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log Bayes factor of association with the case-control status, K2 with no
 * vector less K2; see association.h.
 */
#ifndef VS_METRIC_LBF_H
#define VS_METRIC_LBF_H

#include "libcore/metric/association.h"

#define VS_METRIC_lbf                                                          \
	.family = VS_FAMILY_TABLES, .highest = INFINITY,                       \
	.device = VS_DEVICE_LBF, .lowest = -INFINITY, .log = VS_LOG_FACTORIAL, \
	.score = vs_lbf_value, .needed = vs_lbf_needed,                        \
	.plain_table = vs_lbf_plain

#endif
