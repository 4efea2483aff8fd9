/* SPDX-License-Identifier: BSD-3-Clause */
/* Parallel map over the blocks of records of a result, taken in order. */
#ifndef VS_FORMATS_RESULTS_BLOCK_MAP_H
#define VS_FORMATS_RESULTS_BLOCK_MAP_H

#include "formats/results/result.h"

struct vs_block_map;

/*
 * Process the first n records of a result, or of several, by blocks.
 * map   processes n records from row lo on, on any thread, numbered from 0, and
 *       in any order; it may change them
 * take  runs next on the same thread, in the order of the blocks and one at a
 *       time; may be null
 */
struct vs_block_work {
	void *ctx;
	int (*map)(void *ctx, int thread, struct vs_record *rec, uint64_t lo,
		size_t n);
	int (*take)(void *ctx, int thread);
};

int vs_block_map_new(struct vs_block_map **m, int n_thread);
void vs_block_map_free(struct vs_block_map *m); /* null is accepted */

/* 0, or the code of the first block in order that fails; no later block is
 * taken then. */
int vs_block_map_run(struct vs_block_map *m, struct vs_result *r, uint64_t n,
	const struct vs_block_work *work);

#endif
