/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of records as they are read from a result, beyond the rules of its
 * run: records of a shard belong to its tiles, none is duplicate, and sums
 * match. */
#ifndef VS_FORMATS_RESULTS_RESULT_SEEN_H
#define VS_FORMATS_RESULTS_RESULT_SEEN_H

#include "formats/results/result.h"

/*
 * Check the records that are read from now on, until vs_result_seen_check():
 * records of a shard belong to its tiles, which have sums, and uncompressed
 * chunks have no checksum of their own.
 * again    blocks may be read several times, and count once
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_result_watch(struct vs_result *r, bool again);
void vs_result_seen_free(struct vs_result_seen *seen); /* or null */

/*
 * Whether those read are those whose sum the file states. Nothing is known
 * where some were not read, or were read more often than others, or
 * without vs_result_watch(): that is 0.
 * returns  0; VS_EINPUT: the file is damaged, or was changed meanwhile
 */
int vs_result_seen_check(const struct vs_result *r);

/* True if all records of a shard have been read, a block at a time, and it is
 * known that none comes twice: those of each tile rise, or were counted. */
bool vs_result_seen_once(const struct vs_result *r);
/* VS_EINPUT, with that sentence. */
int vs_result_comes_twice(const struct vs_result *r,
	const struct vs_record *rec);

/*
 * Records of rows from row on as they were read, of a result with
 * vs_result_watch(), of one block at most. By any thread.
 * alone    by one thread
 * returns  0; VS_EINPUT: they belong to other tiles, or one is duplicate
 */
int vs_result_see(const struct vs_result *r, const struct vs_record *rec,
	uint64_t row, size_t n, bool alone);

#endif
