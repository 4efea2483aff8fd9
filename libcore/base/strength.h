/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Strength of values: which ones count as stronger. All comparisons of values
 * go by their strengths.
 */
#ifndef VS_BASE_STRENGTH_H
#define VS_BASE_STRENGTH_H

#include <math.h>

/* Greater values are stronger, or lower ones, or values farther from 0. */
enum vs_strong { VS_STRONG_HIGH, VS_STRONG_LOW, VS_STRONG_FAR };

/* Strength of a value: stronger values have a greater one. */
static inline double
vs_strength(enum vs_strong strong, double value)
{
	return strong == VS_STRONG_LOW    ? -value
		: strong == VS_STRONG_FAR ? fabs(value)
					  : value;
}

/* The strength that a threshold states: values of greater strength pass. Its
 * own inverse. */
static inline double
vs_strength_of_threshold(enum vs_strong strong, double threshold)
{
	return strong == VS_STRONG_LOW ? -threshold : threshold;
}

#endif
