/* SPDX-License-Identifier: BSD-3-Clause */
/* Logs that unfinished ranks have left in a run directory. */
#ifndef VS_FORMATS_RESULTS_SHARD_LOGS_H
#define VS_FORMATS_RESULTS_SHARD_LOGS_H

#include "formats/results/result.h"
#include "formats/results/tile_counts.h"

struct vs_shard_logs {
	const char *dir;
	const char *generator;
	const struct vs_run *run;            /* that resumes, in some stages */
	const struct vs_tile_counts *counts; /* what its tiles have; or null */
	/* the logs of this rank, and of each n_part-th behind it */
	int part, n_part;
};

/*
 * Before a run goes on: the log of each of its ranks stays, for
 * vs_shard_writer_new(). Logs of other ranks or stages become shards; those
 * without a commit, or beside their finished shard, are removed.
 * returns  0; VS_EINPUT: one is damaged, or of an earlier version; VS_EMACHINE
 */
int vs_shard_logs_recover(const struct vs_shard_logs *of);

/*
 * Write one shard, at path, of what all logs have; they stay as they are, and a
 * run may still write them: what it seals meanwhile is in none of both, or in a
 * file that was listed before.
 * made     false: there is none, and no file was made
 * returns  0; VS_EINPUT: one is damaged; VS_EMACHINE
 */
int vs_shard_logs_gather(const char *dir, const char *path,
	const char *generator, bool *made);

#endif
