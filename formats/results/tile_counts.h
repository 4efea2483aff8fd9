/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Histogram counters of a shard's finished tiles: exact, 128 bits, added over
 * tiles and shards; vsim-results(5).
 */
#ifndef VS_FORMATS_RESULTS_TILE_COUNTS_H
#define VS_FORMATS_RESULTS_TILE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/h5/h5.h"
#include "libcore/base/num.h"

struct vs_tile_counts {
	int32_t n_row;           /* of buckets */
	int64_t least, n_bucket; /* the first bucket's number; of a row */
	size_t n; /* counters: of the rows, and VS_TILE_COUNTS_MORE behind */
	vs_wide *count; /* null: there is no histogram */
};
#define VS_TILE_COUNTS_MORE 6

/* Whether both have the same buckets, or both none, so that they may be
 * added. */
bool vs_tile_counts_alike(const struct vs_tile_counts *a,
	const struct vs_tile_counts *b);

/* Counters as the other's, all zero; none where the other is null or has none.
 * 0; VS_EMACHINE */
int vs_tile_counts_like(struct vs_tile_counts *c,
	const struct vs_tile_counts *other);
void vs_tile_counts_free(struct vs_tile_counts *c);

/* Add n counters; where c has none, or more is null, nothing happens. */
void vs_tile_counts_add(struct vs_tile_counts *c, const vs_wide *more);
void vs_tile_counts_clear(struct vs_tile_counts *c);

/* Write the group /histogram of a shard; nothing without counters. */
int vs_tile_counts_write(const struct vs_tile_counts *c, struct vs_h5_writer *w,
	struct vs_codec codec);

/*
 * Buckets of a shard, whose counters are not read: c->count is null.
 * returns  0; VS_EINPUT: it cannot be read, or states what cannot be
 */
int vs_tile_counts_shape(struct vs_tile_counts *c, struct vs_h5_reader *r,
	bool *has);

/*
 * Add those of a shard.
 * has      receives whether it has any
 * returns  0; VS_EINPUT: it cannot be read, or its buckets are others
 */
int vs_tile_counts_add_file(struct vs_tile_counts *c, struct vs_h5_reader *r,
	bool *has);

#endif
