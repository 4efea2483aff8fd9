/* SPDX-License-Identifier: BSD-3-Clause */
/* LRU cache of vector blocks, pinned while a tile uses them. */
#ifndef VS_ENGINE_SCHED_BLOCK_CACHE_H
#define VS_ENGINE_SCHED_BLOCK_CACHE_H

#include "libcore/engine/job.h"

/* Fewest blocks: two tiles may be open at a time. */
#define VS_BLOCK_CACHE_LEAST 4

struct vs_block_cache;
struct vs_held_vectors;

/*
 * job     outlives the cache
 * held    source of its blocks; null: the job's load() fills a panel
 * memory  bytes for blocks; the cache has the fewest blocks in any case
 * forget  called before a panel's memory is refilled or freed
 */
int vs_block_cache_new(struct vs_block_cache **s, const struct vs_job *job,
	struct vs_held_vectors *held, uint64_t memory,
	void (*forget)(void *ctx, const struct vs_panel *panel), void *ctx);
void vs_block_cache_free(struct vs_block_cache *s); /* null is accepted */

/*
 * The panel of block b, read and sorted if it is not held. It stays until it
 * has been dropped as often as it was held; at most VS_BLOCK_CACHE_LEAST
 * different blocks may be held.
 * waited   increased by the seconds until its vectors arrived
 * threads  only one may hold at a time; others may drop meanwhile
 */
int vs_block_cache_pin(struct vs_block_cache *s, int64_t b,
	const struct vs_panel **panel, double *waited);
void vs_block_cache_unpin(struct vs_block_cache *s,
	const struct vs_panel *panel);

/*
 * Read-ahead by threads other than the one that holds. keep() is called for the
 * blocks of coming tiles, in their order, until it returns false because a
 * block is neither loaded nor being loaded; a thread then claims and loads that
 * block. It is sorted when it is held.
 *
 * apart    no block of the rank that has this one is being loaded
 * claim    a slot neither held nor kept since keep_none(); null: none. Only one
 *          thread at a time from keep_none() to here
 * load     the claimed block: 0; what the job's load() returned
 */
void vs_block_cache_keep_none(struct vs_block_cache *s);
bool vs_block_cache_keep(struct vs_block_cache *s, int64_t b);
bool vs_block_cache_is_apart(struct vs_block_cache *s, int64_t b);
void *vs_block_cache_claim(struct vs_block_cache *s, int64_t b);
int vs_block_cache_load(struct vs_block_cache *s, void *claimed);

/* Number of blocks that the cache has memory for. */
int vs_block_cache_n_slot(const struct vs_block_cache *s);

/* Memory of a cache for the fewest blocks, of n_vec vectors. */
uint64_t vs_block_cache_bytes(const struct vs_query *q, uint64_t n_vec);

/* Number of blocks that a cache of the job has with that memory. */
int vs_block_cache_slots(const struct vs_job *job, uint64_t memory);

/* Most memory that the blocks of a cache take. */
uint64_t vs_block_cache_most(const struct vs_block_cache *s);

/*
 * Mark the vectors of a panel that cannot pass, and sort those of each block by
 * ascending frequency: equal bounds are then adjacent, and the row of a pair is
 * the vector with the shorter list.
 */
int vs_block_cache_arrange(const struct vs_job *job, struct vs_panel *p);

#endif
