/* SPDX-License-Identifier: BSD-3-Clause */
/* Normalization of a vector of numbers to shares, ranks or z-scores. */
#ifndef VS_FORMATS_IN_NUMBERS_NORMALIZE_H
#define VS_FORMATS_IN_NUMBERS_NORMALIZE_H

#include <stddef.h>

enum vs_normalization {
	VS_NORMALIZE_NONE,
	VS_NORMALIZE_SUM,  /* divided by their sum, added from first to last */
	VS_NORMALIZE_RANK, /* from 1; equal numbers share the mean of theirs */
	/* less their mean, divided by their standard deviation, of n */
	VS_NORMALIZE_Z
};

/* A number and its place. */
struct vs_normalize_item {
	double x;
	size_t at;
};

/*
 * Normalize n numbers in place, finite or NaN: missing ones stay so and do not
 * count. Numbers that are all 0 have shares of 0; numbers that are all equal
 * have z-scores of 0. Shares and ranks are exact or rounded once. For z-scores
 * numbers are scaled by the power of two that brings the largest absolute value
 * into [1/2, 1); y are the scaled numbers less their mean, which is computed
 * and subtracted twice, and z = y / sqrt(sum y^2 / n). Sums are in the order of
 * libcore/bits/numbers.h, so z is the same on every machine; its error is at
 * most 2^-50 (1 + most |x| / deviation).
 *
 * scratch  2 n items
 * returns  null; or why not, after "vector: ", and x is undefined
 */
const char *vs_normalize(double *x, size_t n, enum vs_normalization how,
	struct vs_normalize_item *scratch);

#endif
