/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Spearman's rank correlation of two vectors of numbers, -1 to 1: r of their
 * ranks, by which loaders replace the numbers.
 *
 * The fields present in a vector are ranked 1, 2, ... by number; equal numbers
 * share the mean of their ranks. Ranks of up to 2^17 fields less their mean are
 * multiples of 1/2 whose products sum exactly in f64.
 */
#ifndef VS_METRIC_SPEARMAN_H
#define VS_METRIC_SPEARMAN_H

#include "libcore/metric/r.h"

#define VS_METRIC_spearman                                                   \
	.family = VS_FAMILY_INNER, .highest = 1, .itself = 1,                \
	.undefined = VS_UNDEFINED_CONSTANT, .numbers = true, .ranked = true, \
	.centred = true, .least = vs_r_least

#endif
