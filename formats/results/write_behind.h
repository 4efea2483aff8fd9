/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Write-behind queue: finished tiles are buffered, and a thread writes one
 * buffer while the other is filled. One caller at a time.
 */
#ifndef VS_FORMATS_RESULTS_WRITE_BEHIND_H
#define VS_FORMATS_RESULTS_WRITE_BEHIND_H

#include "formats/results/result.h"
#include "formats/results/tile_counts.h"

/* A finished tile, with its number of records; its first row is unknown. */
struct vs_write_behind_tile {
	struct vs_tile_row row;
	struct vs_digest_sum
		source_sum; /* sum of its records with the source's names */
	const struct vs_counted *counts; /* its counters, or null */
};

/* Records in the order given, and the tiles that ended among them. */
struct vs_write_behind_batch {
	struct vs_record *rec;
	size_t n, room;
	struct vs_write_behind_tile *tile;
	size_t n_tile, room_tile;
	struct vs_tile_counts
		counts; /* the sum over the tiles, whose own are not set here */
	size_t n_whole; /* records up to the end of the last tile */
	bool whole;     /* the last record ended a tile */
};

struct vs_write_behind_plan {
	int (*write)(void *ctx, const struct vs_write_behind_batch *batch);
	/* called at intervals while the queue is idle; or null */
	int (*tend)(void *ctx);
	void *ctx;
	const struct vs_tile_counts *counts; /* what tiles have, or null */
	bool alone;      /* no thread: write() is called on the caller's */
	double patience; /* seconds that a tile may wait to be written */
};

struct vs_write_behind;
int vs_write_behind_new(struct vs_write_behind **s,
	const struct vs_write_behind_plan *plan);

/*
 * Take records of the current tile; and the tile itself, with their number,
 * once it is complete. They are copied.
 * returns  0, or what write() has returned for these or earlier ones; then no
 *          more is written
 */
int vs_write_behind_add(struct vs_write_behind *s, const struct vs_record *rec,
	size_t n);
int vs_write_behind_tile(struct vs_write_behind *s,
	const struct vs_write_behind_tile *tile);

/* Wait until everything taken has been written, or write() has failed. */
int vs_write_behind_flush(struct vs_write_behind *s);

/*
 * Take nothing more, and write all tiles that have ended. A tile of which part
 * was written earlier stays as it is.
 * threads  any, concurrently with all others
 */
int vs_write_behind_close(struct vs_write_behind *s);

/* Free it; unwritten records are dropped; null is accepted. */
void vs_write_behind_free(struct vs_write_behind *s);

#endif
