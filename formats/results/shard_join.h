/* SPDX-License-Identifier: BSD-3-Clause */
/* Several shards of a rank become one. */
#ifndef VS_FORMATS_RESULTS_SHARD_JOIN_H
#define VS_FORMATS_RESULTS_SHARD_JOIN_H

#include "formats/results/shard_writer.h"

struct vs_shard_join {
	const struct vs_shard_writer_plan *plan;
	const struct vs_run *run; /* this rank's, of a stage that files have */
	const struct vs_text_pool *files;
	const char *path;             /* of the one; a file's, or new */
	const struct vs_stats *stats; /* or null */
	bool beside; /* others wait for plan's door, which is held */
};

/*
 * Write all files' records and tiles into one, which has their stages.
 * returns  0; VS_DONE: stopped; a failure. Then all files are as before
 */
int vs_shard_join(const struct vs_shard_join *j);

/*
 * Then remove the others. Those that a killed run leaves are removed by
 * vs_shard_writer_scan(), which finds all their tiles in the one before: path
 * is the first of the files in order, or no segment's.
 * returns  0; VS_EMACHINE
 */
int vs_shard_join_remove(const struct vs_shard_join *j);

#endif
