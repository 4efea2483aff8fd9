/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of two vectors of f64 over the fields that both have. */
#ifndef VS_KERN_DOTS_JOINT_DOTS_H
#define VS_KERN_DOTS_JOINT_DOTS_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

/* Number of shared fields and, with x = u - at[0] and y = v - at[1] there, the
 * sums of x and y, of their squares, and of x y. */
struct vs_joint_dots {
	int64_t n;
	double s[2], q[2], p;
};

/*
 * The sums over fields [0, n_field) of u and v, which are NaN where missing.
 *
 * Order: field k belongs to lane k mod VS_JOINT_DOTS_LANES. All lanes together
 * have runs of VS_JOINT_DOTS_RUN fields. A lane sums its part of each run from
 * first to last, rounding squares and products before adding them; then its
 * runs from first to last. Then lane l + 4 is added to lane l, then l + 2, then
 * l + 1.
 *
 * repeats  same bits for any cpu, and with u and v exchanged
 */
#define VS_JOINT_DOTS_LANES 8
#define VS_JOINT_DOTS_RUN 1024
void vs_joint_dots(enum vs_cpu cpu, const double *u, const double *v,
	size_t n_field, const double at[2], struct vs_joint_dots *out);

#endif
