/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recovery of shards that were being written when a run was killed, from their
 * checkpoints.
 */
#ifndef VS_FORMATS_RESULTS_SHARD_SAVED_H
#define VS_FORMATS_RESULTS_SHARD_SAVED_H

#include <stdbool.h>

#include "formats/results/result.h"

/* Words of a checkpoint, which vs_result_save() writes: n_tile rows, n_counts
 * counters and n_maxima numbers follow. */
struct vs_shard_saved {
	uint64_t n_records; /* those of all tiles that are finished */
	struct vs_digest_sum source_sum;
	int32_t stage_begin, stage_end;
	uint64_t n_tile; /* finished since the checkpoint before */
	uint64_t n_counts, n_maxima;
	int32_t n_row, kind; /* of vs_tile_counts */
	int64_t least, n_bucket;
};

/*
 * Make a sealed shard of each temporary file in a run directory that has a
 * checkpoint, and remove that file; give one that is sealed its name; others
 * stay. A shard that was sealed beside it says which run it is of. Part p of
 * n_part takes the files of rank p and of each n_part-th behind it.
 * returns  0; VS_EINPUT: one is damaged; VS_EMACHINE
 */
int vs_shard_saved_recover(const char *dir, int part, int n_part,
	const char *generator);

/*
 * Write one shard, at path, of what all checkpoints of a run directory have;
 * the files there stay as they are, and a run may still write them: what it
 * seals meanwhile is in none of both, or in a file that was listed before.
 * made     false: there is none, and no file was made
 * returns  0; VS_EINPUT: one is damaged; VS_EMACHINE
 */
int vs_shard_saved_gather(const char *dir, const char *path,
	const char *generator, bool *made);

#endif
