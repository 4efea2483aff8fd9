/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dice's coefficient of two genotype vectors, 0 to 1, of the alleles labelled
 * 1; also Sorensen's:
 *
 *   2 p / (q_i + q_j),  0 where neither vector has a copy
 */
#ifndef VS_METRIC_DICE_H
#define VS_METRIC_DICE_H

#include "libcore/metric/moment.h"

VS_BOTH double
vs_dice_value(const struct vs_moments *m)
{
	int64_t all = m->qi + m->qj;

	return all > 0 ? (double)(2 * m->p) / (double)all : 0;
}

/* The arithmetic mean of q_i and q_j is at least the geometric one, so the
 * value is at most the cosine. */
static inline double
vs_dice_least(double t)
{
	return t;
}

static inline double
vs_dice_plain(const int64_t joint[4][4])
{
	int64_t both = 0, all = 0;

	for (int x = 0; x < 3; x++)
		for (int y = 0; y < 3; y++) {
			both += 2 * joint[x][y] * (x * y);
			all += joint[x][y] * (x * x + y * y);
		}
	return all ? (double)both / (double)all : 0;
}

#define VS_METRIC_dice                                          \
	.family = VS_FAMILY_MOMENTS, .highest = 1, .itself = 1, \
	.undefined = VS_UNDEFINED_ZEROS, .labelled = true,      \
	.value = vs_dice_value, .least = vs_dice_least,         \
	.plain = vs_dice_plain, .device = VS_DEVICE_DICE

#endif
