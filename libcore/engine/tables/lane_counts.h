/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cells of contingency tables, counted for 512 vectors at a time: for each
 * plane of these vectors, the samples in each of several lists, one list per
 * cell of the vectors that they are compared with.
 */
#ifndef VS_ENGINE_TABLES_LANE_COUNTS_H
#define VS_ENGINE_TABLES_LANE_COUNTS_H

#include "libcore/base/layout.h"
#include "libcore/bits/class_rows.h"
#include "libcore/bits/trait.h"
#include "libcore/kern/lanes/lanes.h"

#define VS_LANE_PLANES 3

/* Vectors of class rows as lanes, by class and plane; a row of zeros last. */
struct vs_lane_block {
	uint64_t *row[2][VS_LANE_PLANES];
	size_t n_word[2];
	int n_plane;
};

/* Lay out a block's arrays in one allocation; then fill it with vectors [lo, lo
 * + n), rotated: number `first` is the first lane, and those before it are the
 * last lanes. */
void vs_lane_counts_lay_block(struct vs_lane_block *b,
	const struct vs_classes *c, int n_plane, struct vs_layout *l);
void vs_lane_counts_take_block(struct vs_lane_block *b, enum vs_cpu cpu,
	const struct vs_class_rows *r, size_t lo, size_t n, size_t first);

#define VS_LANE_LISTS 9
/* words of a row that are counted together: those of all lanes fit L2 */
#define VS_LANE_PART 64

/*
 * Counts of `most` rows, as bits by row, class, list and plane.
 * n[row][class][list] is the number of samples in a list. For a trait, also the
 * sum of each of the n_weight weights over these samples, all of class 0.
 */
struct vs_lane_counts {
	const struct vs_lanes *kernel;
	enum vs_cpu cpu;
	size_t most;
	int n_list, n_plane, n_bit;
	uint64_t *bit;
	uint32_t (*n)[2][VS_LANE_LISTS];
	uint32_t *field;
	const struct vs_trait *trait; /* or null */
	int n_weight;
	int64_t *sum;
};

/* Set up counts of n_list lists. Few samples mean room for few rows, since only
 * parts of long lists are counted row by row. */
void vs_lane_counts_lay_out(struct vs_lane_counts *t,
	const struct vs_classes *c, enum vs_cpu cpu, int n_list, int n_plane,
	struct vs_layout *l);

/* Set up the sums of a trait's first n_weight weights as well, after that. */
void vs_lane_counts_lay_sums(struct vs_lane_counts *t,
	const struct vs_trait *trait, int n_weight, struct vs_layout *l);

/* Empty the counts of the first n rows. */
void vs_lane_counts_clear(struct vs_lane_counts *t, size_t n);

/*
 * Add to a list of a row the samples set in a, and in b unless null, in words
 * [word, word + VS_LANE_PART) of a class.
 * lo, hi  words of lanes that are wanted
 */
void vs_lane_counts_add(struct vs_lane_counts *t,
	const struct vs_lane_block *block, size_t row, int of, int list,
	const uint64_t *a, const uint64_t *b, size_t word,
	const size_t lanes[2]);

/* Take the counts of VS_LANES_TAKEN lanes, starting at a word of them. */
void vs_lane_counts_take(const struct vs_lane_counts *t, size_t row, int of,
	int list, int plane, size_t word, int32_t *out);

/* The sums of a weight of the trait, of all lanes. */
int64_t *vs_lane_counts_sums(const struct vs_lane_counts *t, size_t row,
	int list, int plane, int weight);

#endif
