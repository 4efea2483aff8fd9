/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * K2, Bayesian network score of cases and controls: -ln of the marginal
 * likelihood; lower is stronger; association.h.
 */
#ifndef VS_METRIC_K2_H
#define VS_METRIC_K2_H

#include "libcore/metric/association.h"

#define VS_METRIC_k2                                                    \
	.family = VS_FAMILY_TABLES, .highest = INFINITY,                \
	.device = VS_DEVICE_K2, .lower = true, .log = VS_LOG_FACTORIAL, \
	.score = vs_k2_value, .needed = vs_k2_needed,                   \
	.plain_table = vs_k2_plain

#endif
