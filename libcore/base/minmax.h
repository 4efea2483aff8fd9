/* SPDX-License-Identifier: BSD-3-Clause */
/* Minimum and maximum, in loops compiled for several instruction sets too. */
#ifndef VS_BASE_MINMAX_H
#define VS_BASE_MINMAX_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/base/inline.h"

#define VS_MIN_MAX(type, name)                       \
	VS_INLINE type vs_min_##name(type a, type b) \
	{                                            \
		return a < b ? a : b;                \
	}                                            \
	VS_INLINE type vs_max_##name(type a, type b) \
	{                                            \
		return a > b ? a : b;                \
	}

VS_MIN_MAX(size_t, size)
VS_MIN_MAX(int64_t, i64)
VS_MIN_MAX(double, f64)
VS_MIN_MAX(float, f32)

#undef VS_MIN_MAX

/* max(a, 0). */
VS_INLINE float
vs_above_f32(float a)
{
	return a > 0 ? a : 0;
}

#endif
