/* SPDX-License-Identifier: BSD-3-Clause */
/* Ascending numbers: their order, and binary search among them. */
#ifndef VS_BASE_RISING_H
#define VS_BASE_RISING_H

#include <stddef.h>
#include <stdint.h>

/* For qsort() and bsearch(). */
static inline int
vs_rising_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static inline int
vs_rising_f64(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Index of the first of n ascending numbers, `stride` bytes apart, that is at
 * least x; n if none is.
 */
static inline size_t
vs_rising_from(const uint64_t *first, size_t stride, size_t n, uint64_t x)
{
	const char *at = (const char *)first;
	size_t lo = 0, hi = n;

	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;

		if (*(const uint64_t *)(const void *)(at + mid * stride) < x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Index of the last that is at most x, below UINT64_MAX; 0 also if none is. */
static inline size_t
vs_rising_last(const uint64_t *first, size_t stride, size_t n, uint64_t x)
{
	const size_t k = vs_rising_from(first, stride, n, x + 1);

	return k - (k > 0);
}

#endif
