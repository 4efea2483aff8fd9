/* SPDX-License-Identifier: BSD-3-Clause */
/* Normalization of a vector of numbers, not negative, to shares or ranks. */
#ifndef VS_FORMATS_IN_NORMALIZE_H
#define VS_FORMATS_IN_NORMALIZE_H

#include <stdbool.h>
#include <stddef.h>

enum vs_normalization {
	VS_NORMALIZE_NONE,
	VS_NORMALIZE_SUM, /* divided by their sum, added from first to last */
	VS_NORMALIZE_RANK /* from 1; equal numbers share the mean of theirs */
};

/* A number and its place. */
struct vs_normalize_item {
	double x;
	size_t at;
};

/*
 * Normalize n numbers in place; numbers that are all 0 have shares of 0. Halves
 * and shares are exact or rounded once, whatever the machine.
 *
 * scratch  n items, of ranks alone
 * returns  false, numbers unchanged: their sum is above any double
 */
bool vs_normalize(double *x, size_t n, enum vs_normalization how,
	struct vs_normalize_item *scratch);

#endif
