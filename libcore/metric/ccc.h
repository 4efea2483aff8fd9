/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CCC, custom correlation coefficient of diploid genotypes: multiplier 9/2,
 * gamma 2/3. Values of pairs lie in 0 to 1, of triples in 0 to 0.712; where
 * calls are missing in 0 to 9/2, see vs_alleles_ceiling().
 */
#ifndef VS_METRIC_CCC_H
#define VS_METRIC_CCC_H

#include "libcore/metric/metric.h"

#define VS_METRIC_ccc                             \
	.family = VS_FAMILY_ALLELES, .ploidy = 2, \
	.alleles = VS_ALLELES(1, 9, 2, 8, 48), .device = VS_DEVICE_ALLELES

#endif
