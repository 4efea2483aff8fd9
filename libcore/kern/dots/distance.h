/* SPDX-License-Identifier: BSD-3-Clause */
/* Euclidean distance of two vectors of reals. */
#ifndef VS_KERN_DOTS_DISTANCE_H
#define VS_KERN_DOTS_DISTANCE_H

#include <stddef.h>

#include "libcore/bits/cpu.h"
#include "libcore/bits/element.h"

/*
 * sqrt(sum (u - v)^2) of n_field numbers of type f32 or f64, computed in f64;
 * squares are rounded, then added in the order of
 * libcore/kern/dots/joint_dots.h. If the sum is not 2^-900 to 2^900,
 * differences are first divided by the power of two above the largest, by which
 * the root is multiplied. So with up to 2^17 fields the relative error is below
 * 2^-45.
 *
 * repeats  same bits for any cpu, and with u and v exchanged
 */
double vs_distance(enum vs_cpu cpu, enum vs_element element, const void *u,
	const void *v, size_t n_field);

#endif
