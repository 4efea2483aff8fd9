/* SPDX-License-Identifier: BSD-3-Clause */
/* LRU cache of vector blocks, pinned while a tile uses them. */
#ifndef VS_ENGINE_SCHED_BLOCK_CACHE_H
#define VS_ENGINE_SCHED_BLOCK_CACHE_H

#include "libcore/engine/job.h"

/* Blocks at the least: two tiles may be open at a time. */
#define VS_BLOCK_CACHE_LEAST 4

struct vs_block_cache;
struct vs_held_vectors;

/*
 * job     lives longer
 * held    where its blocks come from; null: its load() fills a panel
 * memory  bytes for blocks, of which the cache has some whatever it is
 * forget  called before a panel's memory is refilled or freed
 */
int vs_block_cache_new(struct vs_block_cache **s, const struct vs_job *job,
	struct vs_held_vectors *held, uint64_t memory,
	void (*forget)(void *ctx, const struct vs_panel *panel), void *ctx);
void vs_block_cache_free(struct vs_block_cache *s); /* null is accepted */

/*
 * The panel of block b, read and arranged if it is not there any more. It
 * stays until it is dropped as often as it was held; no more than
 * VS_BLOCK_CACHE_LEAST different ones may be held.
 * waited   seconds until its vectors were there are added
 * threads  one holds at a time, others may drop meanwhile
 */
int vs_block_cache_pin(struct vs_block_cache *s, int64_t b,
	const struct vs_panel **panel, double *waited);
void vs_block_cache_unpin(struct vs_block_cache *s,
	const struct vs_panel *panel);

/*
 * Read-ahead by threads other than the one that holds. Blocks of the tiles to
 * come are kept, in their order, until one is neither there nor coming, false,
 * which a thread then claims and loads. It is arranged when it is held.
 *
 * apart    no block of the rank that holds this one is coming
 * claim    a place of one that is neither held nor kept since keep_none();
 *          null: there is none. One thread at a time from keep_none() to here
 * load     of what was claimed: 0; what the job's load() returned
 */
void vs_block_cache_keep_none(struct vs_block_cache *s);
bool vs_block_cache_keep(struct vs_block_cache *s, int64_t b);
bool vs_block_cache_is_apart(struct vs_block_cache *s, int64_t b);
void *vs_block_cache_claim(struct vs_block_cache *s, int64_t b);
int vs_block_cache_load(struct vs_block_cache *s, void *claimed);

/* Blocks that the cache has memory for. */
int vs_block_cache_n_slot(const struct vs_block_cache *s);

/* Memory of a cache for the fewest blocks, of n_vec vectors. */
uint64_t vs_block_cache_bytes(const struct vs_query *q, uint64_t n_vec);

/* Blocks that a cache of the job has, with that memory. */
int vs_block_cache_slots(const struct vs_job *job, uint64_t memory);

/* Memory that the blocks of a cache take at the most. */
uint64_t vs_block_cache_most(const struct vs_block_cache *s);

/*
 * Mark the vectors of a panel that cannot pass, and bring those of each block
 * into rising order of frequency: equal bounds are then adjacent, and the
 * vector of a pair with the shorter list is its row.
 */
int vs_block_cache_arrange(const struct vs_job *job, struct vs_panel *p);

#endif
