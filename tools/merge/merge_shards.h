/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge of the shards of a run into one sorted, indexed, complete file. */
#ifndef VS_TOOLS_MERGE_MERGE_SHARDS_H
#define VS_TOOLS_MERGE_MERGE_SHARDS_H

#include <stdbool.h>
#include <stdint.h>

#define VS_MERGE_SHARDS_CODEC "deflate" /* default */

struct vs_merge_shards {
	char *const *from; /* run directories, or shards */
	int n_from;
	const char *out;
	const char *vectors; /* the vectors file, if it has moved; or null */
	const char *codec;   /* as in vs_result_io_codec() */
	int64_t level;       /* likewise; 0: not given */
	const char *part;    /* "2/4": part 2 of 4; null: all */
	uint64_t memory;     /* bytes for sorting; 0: depends on the machine */
	bool force;          /* replace a file that exists */
	bool unpermute, partial, no_nodes, reproducible; /* vsim-merge(1) */
	/* all ranks write one file together; not a part, partial or
	 * reproducible */
	bool joint;
};

/*
 * Check that the shards belong to one run and cover it, and write their
 * records, with as many threads as vs_h5_threads() was given.
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE: nothing is left of the output
 */
int vs_merge_shards_write(const struct vs_merge_shards *ask);

/*
 * True if ask->out is a file with what vs_merge_shards_write() would make: a
 * whole result of the same run, with the same number of records and the same
 * sum. An unreadable input or output counts as none.
 * returns  0; VS_EMACHINE
 */
int vs_merge_shards_made(const struct vs_merge_shards *ask, bool *made);

#endif
