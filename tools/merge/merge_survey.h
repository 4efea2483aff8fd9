/* SPDX-License-Identifier: BSD-3-Clause */
/* Survey of shards to be merged: they belong to one run, with each tile once.
 * */
#ifndef VS_TOOLS_MERGE_MERGE_SURVEY_H
#define VS_TOOLS_MERGE_MERGE_SURVEY_H

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "formats/results/result.h"
#include "tools/merge/merge_shards.h"

/* A tile that a shard says it has finished. */
struct vs_merge_claim {
	uint64_t number; /* vs_plan_number */
	uint32_t bi, bj, shard;
};

/* Files of --partial in addition to sealed shards. */
struct vs_merge_partial {
	/* files that were listed, as they were then */
	struct vs_merge_file {
		char *name;
		ino_t inode;
		off_t size;
		struct timespec changed;
	} * file;
	size_t n, room;
	/* shards made of checkpoints, one of each directory */
	char **scratch;
	size_t n_scratch, room_scratch;
	size_t parents; /* that were made for them, of vs_file_parents() */
};

struct vs_merge_survey {
	const struct vs_merge_shards *ask; /* set by the caller, all else 0 */
	struct vs_text_pool files;
	struct vs_merge_partial partial;
	const char *lost_from; /* a run that had n_lost shards more */
	uint64_t n_lost;
	struct vs_result *first; /* stays open: its run speaks for all */
	/* of vsim-run --against: the earlier result, which file it is, and the
	 * rows that its vectors have in the run */
	struct vs_result *old;
	size_t old_file;
	int64_t *now;
	struct vs_shard_row *shard;
	struct vs_plan plan;
	struct vs_merge_claim *claim;
	size_t n_claim, room_claim;
	bool several_runs; /* of one question */
	uint64_t n_records;
	struct vs_stats stats;
	/* sums over records that the shards state */
	struct vs_digest_sum stated, stated_source;
	bool source_stated;
};

/*
 * Check that all shards belong to one run and have each of its tiles once, or
 * at most once if a part is wanted.
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_merge_survey_take(struct vs_merge_survey *m);

/* True if a file that was listed is gone or another now, as where a run that is
 * at work puts shards together: of --partial. */
bool vs_merge_survey_moved(const struct vs_merge_survey *m);

/* The shard that speaks for all, for messages. */
const char *vs_merge_survey_name(const struct vs_merge_survey *m);

/* Call missing for each tile that is not there, in order, while it returns 0.
 * Returns what it returned last. */
int vs_merge_survey_gaps(const struct vs_merge_survey *m,
	int (*missing)(void *with, const struct vs_tile_row *tile), void *with);

void vs_merge_survey_free(struct vs_merge_survey *m);

#endif
