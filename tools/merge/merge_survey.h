/* SPDX-License-Identifier: BSD-3-Clause */
/* Survey of shards to be merged: they belong to one run and have each tile
 * once. */
#ifndef VS_TOOLS_MERGE_MERGE_SURVEY_H
#define VS_TOOLS_MERGE_MERGE_SURVEY_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "formats/results/result.h"
#include "tools/merge/merge_shards.h"

/* A tile that a shard states as finished. */
struct vs_merge_claim {
	uint64_t number; /* vs_plan_number */
	uint32_t bi, bj, shard;
};

/* Files of --partial in addition to sealed shards. */
struct vs_merge_partial {
	/* files that were listed, in their state at the time */
	struct vs_merge_file {
		char *name;
		ino_t inode;
		off_t size;
		struct timespec changed;
	} * file;
	size_t n, room;
	/* shards made from checkpoints, one per directory */
	char **scratch;
	size_t n_scratch, room_scratch;
	size_t parents; /* directories made for them, see vs_file_parents() */
};

struct vs_merge_survey {
	const struct vs_merge_shards *ask; /* set by the caller, all else 0 */
	struct vs_text_pool files;
	struct vs_merge_partial partial;
	const char *lost_from; /* a run that lost n_lost shards */
	uint64_t n_lost;
	struct vs_result *first; /* stays open: its run stands for all */
	/* for vsim-run --against: the earlier result, its place among the
	 * files, and the present rows of its vectors */
	struct vs_result *old;
	size_t old_file;
	int64_t *now;
	struct vs_shard_row *shard;
	struct vs_plan plan;
	struct vs_merge_claim *claim;
	size_t n_claim, room_claim;
	bool several_runs; /* all answer the same question */
	uint64_t n_records;
	struct vs_stats stats;
	/* sums over records as stated by the shards */
	struct vs_digest_sum stated, stated_source;
	bool source_stated;
};

/*
 * Check that all shards belong to one run and have each of its tiles exactly
 * once, or at most once for --partial.
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_merge_survey_take(struct vs_merge_survey *m);

/* For --partial: true if a listed file is gone or was replaced, as happens
 * while a run in progress joins its shards. */
bool vs_merge_survey_moved(const struct vs_merge_survey *m);

/* The shard that stands for all, for messages. */
const char *vs_merge_survey_name(const struct vs_merge_survey *m);

/* Call missing() for each missing tile, in order, as long as it returns 0.
 * returns its last value */
int vs_merge_survey_gaps(const struct vs_merge_survey *m,
	int (*missing)(void *with, const struct vs_tile_row *tile), void *with);

void vs_merge_survey_free(struct vs_merge_survey *m);

#endif
