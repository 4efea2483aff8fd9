/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File names of the shards of a run: one for each rank, or for each of its
 * segments. With more than VS_SHARD_NAMES_RANKS ranks, each group of that size
 * has a subdirectory, 000, 001 and so on: file systems lock a directory while
 * creating each file.
 */
#ifndef VS_FORMATS_RESULTS_SHARD_NAMES_H
#define VS_FORMATS_RESULTS_SHARD_NAMES_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "libcore/base/text.h"

#define VS_SHARD_NAMES_TAIL ".shard.h5"
/* behind a shard's name: the log of an unfinished one, shard_log.h */
#define VS_SHARD_NAMES_LOG ".log"
/* for a directory and a rank; with a segment's number too */
#define VS_SHARD_NAMES_WHOLE "%s/shard-%05d" VS_SHARD_NAMES_TAIL
#define VS_SHARD_NAMES_SEGMENT "%s/shard-%05d-%04d" VS_SHARD_NAMES_TAIL

#define VS_SHARD_NAMES_RANKS 256
#define VS_SHARD_NAMES_GROUPS 1000 /* wraps around after the last one */

static inline int
vs_shard_names_group(int rank)
{
	return rank / VS_SHARD_NAMES_RANKS % VS_SHARD_NAMES_GROUPS;
}

/* Add the directory of a rank's files to a text. */
static inline int
vs_shard_names_dir(struct vs_text *t, const char *dir, int rank, int n_rank)
{
	return n_rank <= VS_SHARD_NAMES_RANKS
		? vs_text_add(t, "%s", dir)
		: vs_text_add(t, "%s/%03d", dir, vs_shard_names_group(rank));
}

/* True if a name may be that of such a directory. */
static inline bool
vs_shard_names_is_group(const char *name)
{
	return strlen(name) == 3 && strspn(name, "0123456789") == 3;
}

/* True if a shard, log or temporary file of that name belongs in the directory
 * of ranks `group`; other files there are not part of the run. */
static inline bool
vs_shard_names_in_group(const char *group, const char *name)
{
	int rank, of;

	return sscanf(name, "shard-%d", &rank) == 1 && rank >= 0 &&
		sscanf(group, "%d", &of) == 1 &&
		vs_shard_names_group(rank) == of;
}

/* Rank of a path of a shard or its log, and whether it is one of several; -1:
 * none. */
static inline int
vs_shard_names_rank(const char *path, bool *segment)
{
	const char *name = strrchr(path, '/');
	int rank, sequence, end = 0;

	name = name ? name + 1 : path;
	*segment = false;
	if (sscanf(name, "shard-%05d" VS_SHARD_NAMES_TAIL "%n", &rank, &end) ==
			1 &&
		end)
		return rank;
	*segment = true;
	if (sscanf(name, "shard-%05d-%d" VS_SHARD_NAMES_TAIL "%n", &rank,
		    &sequence, &end) == 2 &&
		end)
		return rank;
	return -1;
}

#endif
