/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quantitative trait of the samples in fixed point: sums of integers, which are
 * exact in any order.
 */
#ifndef VS_BITS_TRAIT_H
#define VS_BITS_TRAIT_H

#include <stddef.h>
#include <stdint.h>

/* Weights that are summed: the trait about its mean, and its square. */
enum { VS_TRAIT_VALUE, VS_TRAIT_SQUARE, VS_TRAIT_WEIGHTS };

/*
 * Weights of the samples that have the trait, in order: (value - mean) / unit
 * as the nearest integer, and its square in units of `square`. The unit is a
 * power of 2 that gives the values 52 bits, or fewer if the sums of more than
 * 1,024 samples are to fit 63: 38 for 2^24. Scores are ratios of sums, which
 * have no unit.
 */
struct vs_trait {
	int64_t n;
	double square; /* unit of a square, in squared units of a value */
	int64_t *weight[VS_TRAIT_WEIGHTS];
	int64_t squares; /* of all samples */
};

/* value: of n_field samples; not finite: missing. 0; VS_EMACHINE */
int vs_trait_new(struct vs_trait *t, const double *value, size_t n_field);
void vs_trait_free(struct vs_trait *t);

#endif
