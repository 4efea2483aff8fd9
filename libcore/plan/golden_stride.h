/* SPDX-License-Identifier: BSD-3-Clause */
/* Stride of the golden ratio: an order of n numbers in which any consecutive
 * ones are spread over the whole range. */
#ifndef VS_PLAN_GOLDEN_STRIDE_H
#define VS_PLAN_GOLDEN_STRIDE_H

#include <stdint.h>

/*
 * Find the least stride above n times the golden ratio's fractional part that
 * is coprime to n; 1 if n is below 2. Number b, from 0 to n - 1, has place
 * stride * b mod n, and place x has number inverse * x mod n.
 */
void vs_golden_stride(int64_t n, int64_t *stride, int64_t *inverse);

#endif
