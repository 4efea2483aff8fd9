/* SPDX-License-Identifier: BSD-3-Clause */
/* Tally: what is counted over all values of a tile, of one kind or none. */
#ifndef VS_ENGINE_HISTOGRAM_TILE_TALLY_H
#define VS_ENGINE_HISTOGRAM_TILE_TALLY_H

#include "libcore/base/counted.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/engine/histogram/value_histogram.h"

/* Either of the two, or both, may be null. */
struct vs_tile_tally {
	struct vs_value_histogram *histogram;
	struct vs_summary *summary;
	struct vs_counted counted[2]; /* of the histogram */
};

/*
 * Make an empty tally, for blocks of up to `room` vectors.
 * histogram  one with such buckets, or null
 * plan       of a summary, or null
 * returns    0; VS_EMACHINE
 */
int vs_tile_tally_new(struct vs_tile_tally *t,
	const struct vs_value_histogram *histogram,
	const struct vs_summary_plan *plan, size_t room);
void vs_tile_tally_free(struct vs_tile_tally *t); /* all zero is accepted */

/* Set all counts to 0; add another tally of the same tile to t, and set it to
 * 0. */
void vs_tile_tally_clear(struct vs_tile_tally *t);
void vs_tile_tally_move(struct vs_tile_tally *t, struct vs_tile_tally *other);

/* Its counters, valid until t changes; null: there are none. */
const struct vs_counted *vs_tile_tally_counted(struct vs_tile_tally *t);

#endif
