/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results of one rank while it computes. Finished tiles go into a shard
 * that is sealed every so often, so that a killed run has lost no more than
 * the unsealed one; at the end a rank's shards become one.
 */
#ifndef VS_FORMATS_RESULTS_SHARD_WRITER_H
#define VS_FORMATS_RESULTS_SHARD_WRITER_H

#include <pthread.h>

#include "formats/results/result.h"

struct vs_shard_writer_plan {
	const char *dir;
	int rank;
	struct vs_codec codec;
	const char *generator;
	double commit_seconds; /* seal after so long */
	int n_thread;          /* more than 1: written by a thread beside */
	const struct vs_provenance *provenance;
	/* held while a thread beside works with HDF5; or null */
	pthread_mutex_t *door;
	bool (*stop)(void); /* is the making of one shard to be given up? */
	/* tiles have a histogram of such counters, and shards their sum; or
	 * null */
	const struct vs_tile_counts *counts;
};

struct vs_shard_writer;

/*
 * Nothing is written before the first tile. run, plan's texts must stay.
 * threads  from the first tile on HDF5 is ours until all is sealed
 */
int vs_shard_writer_new(struct vs_shard_writer **s,
	const struct vs_shard_writer_plan *plan, const struct vs_run *run);

/* Take records of the tile in work. */
int vs_shard_writer_add(struct vs_shard_writer *s, const struct vs_record *rec,
	size_t n);

/*
 * The tile of the records since the last one is finished: its place, evaluated,
 * sum and seconds from row, the sum of the records as the source names them,
 * and the plan's counts of its histogram, or null. Sealed is what stands up to
 * here.
 */
int vs_shard_writer_tile(struct vs_shard_writer *s,
	const struct vs_tile_row *row, const struct vs_digest_sum *source_sum,
	const vs_wide *counts);

/*
 * Take nothing more, and seal what is unsealed, but for a tile that has begun
 * and, where some of that was written, those before it that were not sealed by
 * then, a sixteenth of commit_seconds at most.
 * returns  0; a failure
 * threads  any, beside all others
 */
int vs_shard_writer_seal(struct vs_shard_writer *s,
	const struct vs_stats *stats);

/* After that: were tiles dropped that had come to their end? */
bool vs_shard_writer_dropped(const struct vs_shard_writer *s);

/* The file that was begun last, or null; lives as long as s. */
const char *vs_shard_writer_path(const struct vs_shard_writer *s);

/*
 * Write and seal all that was taken, which ends with a tile; more may follow.
 */
int vs_shard_writer_settle(struct vs_shard_writer *s);

/*
 * What stands behind a run's selection in shards whose records may be too many,
 * as the run has not come to its end.
 */
#define VS_SHARD_WRITER_UNFINISHED ", unfinished"
bool vs_shard_writer_unfinished(const struct vs_run *run);

/*
 * Before that stands it in shards of tiles whose records may be too few as
 * well, since none but values above a number have been looked for yet: state
 * it, behind the run's selection; is it there, and which?
 */
void vs_shard_writer_set_above(struct vs_run *run, double above);
bool vs_shard_writer_above(const struct vs_run *run, double *above);

/*
 * Seal, and make one shard, shard-RRRRR.shard.h5, of all that stands in the
 * directory for this rank, an earlier attempt's included. s is freed.
 * returns  0; VS_DONE: stopped, and all stands in several shards; a failure
 */
int vs_shard_writer_finish(struct vs_shard_writer *s,
	const struct vs_stats *stats);

/* Remove the unsealed file; sealed ones stay. null is accepted */
void vs_shard_writer_abandon(struct vs_shard_writer *s);

/* What a run directory holds already. */
struct vs_shard_writer_found {
	/* a bit per tile, by its number in the run's grid; the caller's to
	 * free(); null when there are no shards */
	uint64_t *done;
	uint64_t n_done; /* tiles found */
	/* where there are tiles of vs_shard_writer_above() the least such number of
	 * each, or INFINITY; else null; the caller's to free() */
	double *above;
	/* set by the caller: gets the histograms of all tiles found added; null:
	 * they are not wanted */
	struct vs_tile_counts *counts;
	uint64_t
		n_bare; /* tiles found in shards without one, if it is wanted */
};

/*
 * Look what a directory holds. Sealed shards must answer the same
 * question as run (which gets their run_uuid and tile); the tiles found are
 * marked in done. A segment whose tiles all stand in its rank's own shard as
 * well (a run killed while making one of many) is removed, and so are
 * temporaries.
 */
int vs_shard_writer_scan(const char *dir, struct vs_run *run,
	struct vs_shard_writer_found *found);

#endif
