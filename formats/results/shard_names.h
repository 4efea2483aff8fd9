/* SPDX-License-Identifier: BSD-3-Clause */
/* File names of the shards of a run: of a rank's one, or of its segments. */
#ifndef VS_FORMATS_RESULTS_SHARD_NAMES_H
#define VS_FORMATS_RESULTS_SHARD_NAMES_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define VS_SHARD_NAMES_TAIL ".shard.h5"
/* of a directory and a rank; of a segment's number too */
#define VS_SHARD_NAMES_WHOLE "%s/shard-%05d" VS_SHARD_NAMES_TAIL
#define VS_SHARD_NAMES_SEGMENT "%s/shard-%05d-%04d" VS_SHARD_NAMES_TAIL

/* Rank of a shard's path and whether it is one of several; -1: none. */
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
