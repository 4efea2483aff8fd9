/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writer of one rank's results. Finished tiles are appended to a log,
 * shard_log.h, and committed at intervals: a killed run loses only what came
 * after the last commit. The shard is written once, at the end.
 */
#ifndef VS_FORMATS_RESULTS_SHARD_WRITER_H
#define VS_FORMATS_RESULTS_SHARD_WRITER_H

#include <pthread.h>

#include "formats/results/result.h"

struct vs_shard_writer_plan {
	const char *dir; /* of the run, with those of its ranks in it */
	int rank;
	int n_rank; /* 0: dir is this rank's own */
	struct vs_codec codec;
	const char *generator;
	double commit_seconds; /* seconds between commits */
	bool aside;   /* write shards beside the run's, and continue no log */
	bool same;    /* each replaces the last one: vs_shard_writer_aside() */
	bool resume;  /* there may be a log to continue */
	int n_thread; /* more than 1: another thread writes */
	const struct vs_provenance *provenance;
	/* checks, before a commit, that the input is unchanged; or null */
	struct vs_h5_reader *input;
	/* held while the other thread uses HDF5; or null */
	pthread_mutex_t *door;
	/* tiles have such counters, and shards their sum; or null */
	const struct vs_tile_counts *counts;
};

struct vs_shard_writer;

/*
 * Nothing is written before the first tile. run, plan's texts must stay. A log
 * that vs_shard_logs_recover() has left for this rank is checked and continued.
 * returns  0; VS_EINPUT: it is damaged; VS_EMACHINE
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
 * and what was counted of it, as the plan's counts are, or null. What is
 * committed ends with a tile.
 */
int vs_shard_writer_tile(struct vs_shard_writer *s,
	const struct vs_tile_row *row, const struct vs_digest_sum *source_sum,
	const struct vs_counted *counts);

/*
 * Take nothing more, and commit what is not committed, but for a tile that has
 * begun and, where some of that was written, those before it that were not
 * committed by then, a quarter of commit_seconds at most.
 * returns  0; a failure
 * threads  any, beside all others
 */
int vs_shard_writer_stop(struct vs_shard_writer *s);

/* After vs_shard_writer_stop(): true if finished tiles were dropped. */
bool vs_shard_writer_dropped(const struct vs_shard_writer *s);

/* The shard that was begun last, or null; lives as long as s. */
const char *vs_shard_writer_path(const struct vs_shard_writer *s);

/*
 * Write and seal all that was taken, which ends with a tile; more may follow.
 */
int vs_shard_writer_settle(struct vs_shard_writer *s);

/*
 * Suffix of a run's selection in shards that may hold too many records, as the
 * run has not ended.
 */
#define VS_SHARD_WRITER_UNFINISHED ", unfinished"
bool vs_shard_writer_unfinished(const struct vs_run *run);

/*
 * Number above which values have been searched so far, for shards whose tiles
 * may lack records below it; it follows the run's selection. The second returns
 * whether there is one.
 */
void vs_shard_writer_set_above(struct vs_run *run, double above);
bool vs_shard_writer_above(const struct vs_run *run, double *above);

/*
 * Seal the shard: shard-RRRRR.shard.h5, or shard-RRRRR-SSSS.shard.h5 where an
 * earlier stage or another number of ranks has left that. s is freed.
 */
int vs_shard_writer_finish(struct vs_shard_writer *s,
	const struct vs_stats *stats);

/* Add the path of plan's shards that replace each other. */
int vs_shard_writer_aside(const struct vs_shard_writer_plan *plan,
	struct vs_text *path);

/* Drop what is not committed; null is accepted. */
void vs_shard_writer_abandon(struct vs_shard_writer *s);

/* Tiles found in a run directory. */
struct vs_shard_writer_sealed {
	/* a bit per tile, by its number in the run's grid; the caller's to
	 * free(); null when there are no shards */
	uint64_t *done;
	uint64_t n_done;          /* tiles found */
	uint64_t n_record;        /* in these */
	struct vs_digest_sum sum; /* of these records, as stated */
	/* where there are tiles of vs_shard_writer_above() the least such
	 * number of each, or INFINITY; else null; the caller's to free() */
	double *above;
	/* set by the caller: gets the histograms of all tiles found added;
	 * null: they are not wanted */
	struct vs_tile_counts *counts;
	/* tiles found in shards without one, if it is wanted */
	uint64_t n_bare;
	bool look; /* set by the caller: nothing is removed */
};

/*
 * Scan a run directory. Sealed shards and logs must state the same query as run
 * (which gets their run_uuid and tile); the tiles found are marked in done.
 * Temporaries are removed. Of a complete run, whose shards add up to what its
 * completion file states, the records are not read, unless histograms or
 * permutations are wanted: who uses them checks them.
 */
int vs_shard_writer_scan(const char *dir, struct vs_run *run,
	struct vs_shard_writer_sealed *sealed);

#endif
