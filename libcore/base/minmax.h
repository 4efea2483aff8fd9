/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Minimum and maximum of floats, for loops compiled for several instruction
 * sets.
 */
#ifndef VS_BASE_MINMAX_H
#define VS_BASE_MINMAX_H

#include "libcore/base/inline.h"

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
