/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Append-only log of an unfinished shard, vsim-results(5): a sealed shard
 * without records, then frames, each with its hash. Whole chunks of the columns
 * are logged as they are packed in a shard, and are finally copied into it.
 */
#ifndef VS_FORMATS_RESULTS_SHARD_LOG_H
#define VS_FORMATS_RESULTS_SHARD_LOG_H

#include "formats/results/result.h"
#include "formats/results/tile_counts.h"

struct vs_shard_log;

struct vs_shard_log_plan {
	const char *path; /* of the shard */
	bool force;       /* finally replaces a shard of that name */
	struct vs_codec codec;
	const char *generator;
	const struct vs_provenance *provenance;
	const struct vs_tile_counts *counts; /* what tiles have; or null */
};

/*
 * Begin a log; it is removed unless something is committed. run must stay
 * valid. This call and vs_shard_log_seal() use HDF5; no other function of a log
 * being written does.
 * returns  0; VS_EUSAGE (exists); VS_EMACHINE
 */
int vs_shard_log_new(struct vs_shard_log **l,
	const struct vs_shard_log_plan *plan, const struct vs_run *run);

/* Append records; a tile ends with them. Its first row is set here. */
int vs_shard_log_add(struct vs_shard_log *l, const struct vs_record *rec,
	size_t n);
int vs_shard_log_tile(struct vs_shard_log *l, const struct vs_tile_row *tile,
	const struct vs_digest_sum *source_sum);
void vs_shard_log_counts(struct vs_shard_log *l,
	const struct vs_counted *counts);

/* Make all that was appended durable; it must end with a tile. */
int vs_shard_log_commit(struct vs_shard_log *l);

/*
 * Open a log that a run has left, or is still writing, as of its last commit.
 * The hashes and contents of all frames are checked.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_shard_log_open(struct vs_shard_log **l, const char *path);

/* True if it has no commit. */
bool vs_shard_log_is_empty(const struct vs_shard_log *l);

struct vs_shard_log_state {
	const struct vs_tile_row *tile;
	size_t n_tile;      /* tiles appended */
	size_t n_committed; /* tiles covered by the last commit */
	uint64_t n_records;
	struct vs_digest_sum sum, source_sum;
	const struct vs_tile_counts *counts; /* without counters: none */
	const struct vs_result *head;        /* for a log that was opened */
	struct vs_codec codec;
	const char *path, *shard; /* path of the log; of the shard it becomes */
};
struct vs_shard_log_state vs_shard_log_state(const struct vs_shard_log *l);

/*
 * Read the records of a log that was opened, and check them against the sum of
 * its tiles; take() may be null.
 */
int vs_shard_log_each(struct vs_shard_log *l,
	int (*take)(void *ctx, const struct vs_record *rec, size_t n),
	void *ctx);

/*
 * Continue a log that vs_shard_log_each() has read; bytes after its last commit
 * are cut off. It keeps its own codec and path.
 * returns  0; VS_EINPUT: its columns are not the run's; VS_EMACHINE
 */
int vs_shard_log_go_on(struct vs_shard_log *l,
	const struct vs_shard_log_plan *plan, const struct vs_run *run);

/*
 * Write the shard, from a log that is being written or that vs_shard_log_each()
 * has read, and remove the log.
 * stats    may be null
 */
int vs_shard_log_seal(struct vs_shard_log *l, const char *generator,
	const struct vs_stats *stats);

/* Close a log; if it was begun here and has no commit, it is removed. Null is
 * accepted. */
void vs_shard_log_close(struct vs_shard_log *l);

/* Derive a shard's path from its log's; freed by the caller. */
int vs_shard_log_shard(const char *path, char **shard);

#endif
