/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * DUO, the allele metric of binary vectors: multiplier 4, gamma 2/3. Values of
 * pairs lie in 0 to 8/9, of triples in 0 to 0.633; where calls are missing in 0
 * to 4. If 1 is stored as genotype 2, all frequencies are those of CCC: counts
 * and sums are computed as for CCC, and r counts a field twice for each vector.
 */
#ifndef VS_METRIC_DUO_H
#define VS_METRIC_DUO_H

#include "libcore/metric/metric.h"

#define VS_METRIC_duo                             \
	.family = VS_FAMILY_ALLELES, .ploidy = 1, \
	.alleles = VS_ALLELES(2, 4, 1, 9, 54), .device = VS_DEVICE_ALLELES

#endif
