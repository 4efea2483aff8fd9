/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of a shard's finished tiles, of a histogram or a summary: exact, 128
 * bits, added over tiles and shards; vsim-results(5).
 */
#ifndef VS_FORMATS_RESULTS_TILE_COUNTS_H
#define VS_FORMATS_RESULTS_TILE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/h5/h5.h"
#include "libcore/base/counted.h"

/* A summary has one row, and its `least` is 0. */
struct vs_tile_counts {
	int32_t n_row;           /* of buckets */
	int32_t kind;            /* enum vs_tile_counts_kind */
	int64_t least, n_bucket; /* the first bucket's number; of a row */
	size_t n;       /* of the rows, then vs_tile_counts_more() others */
	vs_wide *count; /* null: there are none */
};
enum vs_tile_counts_kind { VS_TILE_HISTOGRAM, VS_TILE_SUMMARY, VS_TILE_KINDS };

/* Counters after the rows of a histogram. */
#define VS_TILE_COUNTS_MORE 6
static inline size_t
vs_tile_counts_more(int32_t kind)
{
	return kind == VS_TILE_HISTOGRAM ? VS_TILE_COUNTS_MORE : 0;
}

/* Describe the n counters of a summary, without allocating them. */
static inline void
vs_tile_counts_summary(struct vs_tile_counts *c, uint64_t n)
{
	*c = (struct vs_tile_counts){ 1, VS_TILE_SUMMARY, 0, (int64_t)n, n,
		NULL };
}

/* Whether both have the same buckets, or both none, so that they can be
 * added. */
bool vs_tile_counts_alike(const struct vs_tile_counts *a,
	const struct vs_tile_counts *b);

/* Make zero counters like the other's; none if the other is null or has none.
 * 0; VS_EMACHINE */
int vs_tile_counts_like(struct vs_tile_counts *c,
	const struct vs_tile_counts *other);
void vs_tile_counts_free(struct vs_tile_counts *c);

/* Add a list of counters; does nothing if c has no counters or more is null. */
void vs_tile_counts_add(struct vs_tile_counts *c,
	const struct vs_counted *more);

/* All of c as a list, null if it has none. */
const struct vs_counted *vs_tile_counts_all(const struct vs_tile_counts *c,
	struct vs_counted list[2]);
void vs_tile_counts_clear(struct vs_tile_counts *c);

/* Write the group of a shard, by its kind; nothing without counters. */
int vs_tile_counts_write(const struct vs_tile_counts *c, struct vs_h5_writer *w,
	struct vs_codec codec);

/*
 * Read kind and buckets of a shard, but not its counters: c->count is null.
 * returns  0; VS_EINPUT: it cannot be read, or is invalid
 */
int vs_tile_counts_shape(struct vs_tile_counts *c, struct vs_h5_reader *r,
	bool *has);

/*
 * Add the counters of a shard.
 * has      receives whether it has any
 * returns  0; VS_EINPUT: it cannot be read, or has other buckets
 */
int vs_tile_counts_add_file(struct vs_tile_counts *c, struct vs_h5_reader *r,
	bool *has);

#endif
