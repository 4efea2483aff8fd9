/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs that unfinished ranks have left in a run directory. */
#ifndef VS_FORMATS_RESULTS_SHARD_LOGS_H
#define VS_FORMATS_RESULTS_SHARD_LOGS_H

#include "formats/results/result.h"
#include "formats/results/tile_counts.h"

struct vs_shard_logs {
	const char *dir;
	const char *generator;
	const struct vs_run *run;            /* that resumes some stages */
	const struct vs_tile_counts *counts; /* what its tiles have; or null */
	/* this process handles the logs of ranks part, part + n_part, ... */
	int part, n_part;
};

/*
 * Prepare the logs for a run that resumes. Each of its ranks keeps its log for
 * vs_shard_writer_new(); logs of other ranks or stages are turned into shards;
 * logs without a commit, or with a finished shard, are removed.
 * returns  0; VS_EINPUT: one is damaged, or of an earlier version; VS_EMACHINE
 */
int vs_shard_logs_recover(const struct vs_shard_logs *of);

/*
 * Write one shard, at path, with the contents of all logs, which stay. A run
 * may still be appending to them: shards that it seals meanwhile are missing,
 * unless the caller listed them before.
 * made     false: there are no logs, and no file was made
 * returns  0; VS_EINPUT: one is damaged; VS_EMACHINE
 */
int vs_shard_logs_gather(const char *dir, const char *path,
	const char *generator, bool *made);

#endif
