/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of records as they are read from a result, beyond the rules of its
 * run: records of a shard belong to its tiles, none is duplicated, and sums
 * match. */
#ifndef VS_FORMATS_RESULTS_RESULT_SEEN_H
#define VS_FORMATS_RESULTS_RESULT_SEEN_H

#include "formats/results/result.h"

/*
 * Check the records that are read from now on, until vs_result_seen_check().
 * Records of a shard must belong to its tiles, which have sums; uncompressed
 * chunks have no checksum of their own.
 * again    blocks may be read several times but count once
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_result_watch(struct vs_result *r, bool again);
void vs_result_seen_free(struct vs_result_seen *seen); /* or null */

/*
 * Check that the records read have the sum that the file states. Returns 0
 * without a check if some were not read, some were read more often than others,
 * or vs_result_watch() was not called.
 * returns  0; VS_EINPUT: the file is damaged, or was changed meanwhile
 */
int vs_result_seen_check(const struct vs_result *r);

/* True if all records of a shard have been read, a block at a time, and none
 * comes twice: each tile's records ascend, or a bit was kept for each. */
bool vs_result_seen_once(const struct vs_result *r);
/* VS_EINPUT, with that sentence. */
int vs_result_comes_twice(const struct vs_result *r,
	const struct vs_record *rec);

/*
 * Check records of at most one block, read from row on, of a result with
 * vs_result_watch(). Any thread may call this.
 * alone    only one thread reads
 * returns  0; VS_EINPUT: they belong to other tiles, or one is duplicate
 */
int vs_result_see(const struct vs_result *r, const struct vs_record *rec,
	uint64_t row, size_t n, bool alone);

#endif
