/* SPDX-License-Identifier: BSD-3-Clause */
/* Normalization of a vector of numbers to shares or ranks. */
#include <math.h>
#include <stdlib.h>

#include "formats/in/normalize.h"

static bool
shares(double *x, size_t n)
{
	double sum = 0;

	for (size_t k = 0; k < n; k++)
		sum += x[k];
	if (isinf(sum))
		return false;
	for (size_t k = 0; k < n && sum > 0; k++)
		x[k] /= sum;
	return true;
}

static int
by_number(const void *a, const void *b)
{
	double x = ((const struct vs_normalize_item *)a)->x,
	       y = ((const struct vs_normalize_item *)b)->x;

	return (x > y) - (x < y);
}

/* The mean of ranks lo + 1 .. hi is exact: a sum of two integers, halved. */
static void
ranks(double *x, size_t n, struct vs_normalize_item *item)
{
	for (size_t k = 0; k < n; k++)
		item[k] = (struct vs_normalize_item){ x[k], k };
	qsort(item, n, sizeof(*item), by_number);
	for (size_t lo = 0, hi; lo < n; lo = hi) {
		for (hi = lo; hi < n && item[hi].x == item[lo].x; hi++)
			;
		for (size_t k = lo; k < hi; k++)
			x[item[k].at] = (double)(lo + 1 + hi) / 2;
	}
}

bool
vs_normalize(double *x, size_t n, enum vs_normalization how,
	struct vs_normalize_item *scratch)
{
	switch (how) {
	case VS_NORMALIZE_NONE:
		break;
	case VS_NORMALIZE_SUM:
		return shares(x, n);
	case VS_NORMALIZE_RANK:
		ranks(x, n, scratch);
	}
	return true;
}
