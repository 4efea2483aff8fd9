/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimum and maximum, in loops compiled for several instruction sets too. */
#ifndef VS_BASE_MINMAX_H
#define VS_BASE_MINMAX_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/base/inline.h"

VS_INLINE size_t
vs_min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

VS_INLINE size_t
vs_max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

VS_INLINE int64_t
vs_min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

VS_INLINE int64_t
vs_max_i64(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

VS_INLINE double
vs_min_f64(double a, double b)
{
	return a < b ? a : b;
}

VS_INLINE double
vs_max_f64(double a, double b)
{
	return a > b ? a : b;
}

VS_INLINE float
vs_min_f32(float a, float b)
{
	return a < b ? a : b;
}

VS_INLINE float
vs_max_f32(float a, float b)
{
	return a > b ? a : b;
}

/* max(a, 0). */
VS_INLINE float
vs_above_f32(float a)
{
	return a > 0 ? a : 0;
}

#endif
