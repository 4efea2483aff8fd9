/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutual information of the genotypes and the case-control status, in nats;
 * association.h.
 */
#ifndef VS_METRIC_MI_H
#define VS_METRIC_MI_H

#include "libcore/metric/association.h"

#define VS_METRIC_mi                                                         \
	.family = VS_FAMILY_TABLES, .highest = INFINITY,                     \
	.device = VS_DEVICE_MI, .log = VS_LOG_ENTROPY, .score = vs_mi_value, \
	.needed = vs_mi_needed, .plain_table = vs_mi_plain

#endif
