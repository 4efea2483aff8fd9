/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writer of one rank's results. Finished tiles are appended to a log,
 * shard_log.h, and committed at intervals: an interrupted run loses only what
 * follows the last commit. The shard is written once, at the end.
 */
#ifndef VS_FORMATS_RESULTS_SHARD_WRITER_H
#define VS_FORMATS_RESULTS_SHARD_WRITER_H

#include <pthread.h>

#include "formats/results/result.h"

struct vs_shard_writer_plan {
	const char *dir; /* of the run; each rank has a folder in it */
	int rank;
	int n_rank; /* 0: dir is only this rank's */
	struct vs_codec codec;
	const char *generator;
	double commit_seconds; /* seconds between commits */
	bool aside;   /* write shards beside the run's; continue no log */
	bool same;    /* each replaces the last: vs_shard_writer_aside() */
	bool resume;  /* there may be a log to continue */
	int n_thread; /* more than 1: another thread writes */
	const struct vs_provenance *provenance;
	/* check, before a commit, that the input is unchanged; or null */
	struct vs_h5_reader *input;
	/* held while the other thread uses HDF5; or null */
	pthread_mutex_t *door;
	/* counters that tiles have, and whose sum shards have; or null */
	const struct vs_tile_counts *counts;
};

struct vs_shard_writer;

/*
 * Nothing is written before the first tile. run and plan's texts must stay
 * valid. A log that vs_shard_logs_recover() has left for this rank is checked
 * and continued.
 * returns  0; VS_EINPUT: it is damaged; VS_EMACHINE
 * threads  from the first tile on, the writer owns HDF5 until all is sealed
 */
int vs_shard_writer_new(struct vs_shard_writer **s,
	const struct vs_shard_writer_plan *plan, const struct vs_run *run);

/* Take records of the current tile. */
int vs_shard_writer_add(struct vs_shard_writer *s, const struct vs_record *rec,
	size_t n);

/*
 * Finish the tile of the records since the last one: row has its place,
 * evaluated, sum and seconds; then the sum of the records with the source's
 * names, and the tile's counters, laid out like the plan's, or null. A commit
 * ends with a tile.
 */
int vs_shard_writer_tile(struct vs_shard_writer *s,
	const struct vs_tile_row *row, const struct vs_digest_sum *source_sum,
	const struct vs_counted *counts);

/*
 * Take nothing more, and commit everything except a tile that has begun and, if
 * part of it was written, the uncommitted tiles before it, at most a quarter of
 * commit_seconds' worth.
 * returns  0; a failure
 * threads  any, concurrently with all others
 */
int vs_shard_writer_stop(struct vs_shard_writer *s);

/* After vs_shard_writer_stop(): true if finished tiles were dropped. */
bool vs_shard_writer_dropped(const struct vs_shard_writer *s);

/* Path of the shard begun last, or null; valid as long as s. */
const char *vs_shard_writer_path(const struct vs_shard_writer *s);

/*
 * Write and seal all that was taken, which must end with a tile; more may
 * follow.
 */
int vs_shard_writer_settle(struct vs_shard_writer *s);

/*
 * Suffix to a run's selection in shards that may hold too many records because
 * the run has not ended.
 */
#define VS_SHARD_WRITER_UNFINISHED ", unfinished"
bool vs_shard_writer_unfinished(const struct vs_run *run);

/*
 * Number above which values have been searched so far, for shards whose tiles
 * may lack records below it; it is appended to the run's selection. The second
 * function returns whether there is one.
 */
void vs_shard_writer_set_above(struct vs_run *run, double above);
bool vs_shard_writer_above(const struct vs_run *run, double *above);

/*
 * Seal the shard: shard-RRRRR.shard.h5, or shard-RRRRR-SSSS.shard.h5 if an
 * earlier stage or another number of ranks has left that name. s is freed.
 */
int vs_shard_writer_finish(struct vs_shard_writer *s,
	const struct vs_stats *stats);

/* Add the path of plan's shards that replace each other. */
int vs_shard_writer_aside(const struct vs_shard_writer_plan *plan,
	struct vs_text *path);

/* Drop uncommitted records; null is accepted. */
void vs_shard_writer_abandon(struct vs_shard_writer *s);

/* Tiles found in a run directory. */
struct vs_shard_writer_sealed {
	/* a bit per tile, by its number in the run's grid; freed by the caller;
	 * null if there are no shards */
	uint64_t *done;
	uint64_t n_done;          /* tiles found */
	uint64_t n_record;        /* in these */
	struct vs_digest_sum sum; /* of these records, as stated */
	/* if there are tiles of vs_shard_writer_above(), the least such number
	 * of each, or INFINITY; else null; freed by the caller */
	double *above;
	/* set by the caller: the histograms of all tiles found are added to it;
	 * null: not wanted */
	struct vs_tile_counts *counts;
	/* tiles found in shards without a histogram, if it is wanted */
	uint64_t n_bare;
	bool look; /* set by the caller: nothing is removed */
};

/*
 * Scan a run directory. Sealed shards and logs must state the same query as run
 * (which gets their run_uuid and tile); the tiles found are marked in done.
 * Temporary files are removed. If a run is complete and its shards add up to
 * what its completion file states, records are not read unless histograms or
 * permutations are wanted: their user checks them.
 */
int vs_shard_writer_scan(const char *dir, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed);

#endif
