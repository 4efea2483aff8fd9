/* SPDX-License-Identifier: BSD-3-Clause */
/* Transposed vectors of both classes: those that lists of samples are counted
 * for, side by side. */
#ifndef VS_ENGINE_LANE_BLOCK_H
#define VS_ENGINE_LANE_BLOCK_H

#include "libcore/base/layout.h"
#include "libcore/bits/class_rows.h"
#include "libcore/kern/lanes/lanes.h"

#define VS_LANE_PLANES 3

/* Vectors of class rows as lanes, by class and plane; a row of zeros last. */
struct vs_lane_block {
	uint64_t *row[2][VS_LANE_PLANES];
	size_t n_word[2];
	int n_plane;
};

/* Arrays of a block, of one allocation; then its vectors [lo, lo + n), of which
 * number `first` is the first lane and those before it are the last ones. */
void vs_lane_block_lay_out(struct vs_lane_block *b, const struct vs_classes *c,
	int n_plane, struct vs_layout *l);
void vs_lane_block_take(struct vs_lane_block *b, enum vs_cpu cpu,
	const struct vs_class_rows *r, size_t lo, size_t n, size_t first);

#endif
