/* SPDX-License-Identifier: BSD-3-Clause */
/* Stride of the golden ratio, by which few of a row of things in a new order
 * are from anywhere in the old one. */
#ifndef VS_PLAN_GOLDEN_STRIDE_H
#define VS_PLAN_GOLDEN_STRIDE_H

#include <stdint.h>

/*
 * Of n things, from 1, the b-th has place stride * b mod n: the least stride
 * above n times the golden ratio's fractional part that has no common divisor
 * with n. The one at place x is inverse * x mod n. 1 of fewer than two.
 */
void vs_golden_stride(int64_t n, int64_t *stride, int64_t *inverse);

#endif
