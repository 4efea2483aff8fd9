/* SPDX-License-Identifier: BSD-3-Clause */
/* Stride of the golden ratio: additive recurrence modulo n. */
#include "libcore/plan/golden_stride.h"

#define GOLDEN 0.6180339887498949 /* the golden ratio's fractional part */

static int64_t
gcd(int64_t a, int64_t b)
{
	return b ? gcd(b, a % b) : a;
}

/* The x with x * stride = 1 mod n; n and stride are coprime. */
static int64_t
inverse_of(int64_t stride, int64_t n)
{
	int64_t r = n, next_r = stride, x = 0, next_x = 1;

	while (next_r) {
		int64_t q = r / next_r, t = r - q * next_r;

		r = next_r;
		next_r = t;
		t = x - q * next_x;
		x = next_x;
		next_x = t;
	}
	return ((x % n) + n) % n;
}

void
vs_golden_stride(int64_t n, int64_t *stride, int64_t *inverse)
{
	*stride = *inverse = 1;
	if (n < 2)
		return;
	*stride = (int64_t)((double)n * GOLDEN) + 1;
	while (gcd(n, *stride) != 1)
		++*stride;
	*inverse = inverse_of(*stride % n, n);
}
