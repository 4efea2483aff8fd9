/* SPDX-License-Identifier: BSD-3-Clause */
/* LRU cache of the parts of panels in device memory, which workers share. */
#ifndef VS_CUDA_PART_CACHE_H
#define VS_CUDA_PART_CACHE_H

#include <pthread.h>

#include "cuda/lane.h"

enum vs_part_state { VS_PART_EMPTY, VS_PART_LOADING, VS_PART_READY };

/* Device memory for consecutive vectors of a block. */
struct vs_part_slot {
	const struct vs_panel *panel;
	size_t number; /* of the part in the block */
	enum vs_part_state state;
	int n_user;
	uint64_t used; /* time of last use */
	struct vs_card_part part;
};

struct vs_part_cache {
	const struct vs_drive_base *base;
	size_t part; /* vectors per part */
	/* sides per vector: 1, or 2 with bounds */
	size_t n_block, n_plane, n_side;
	struct vs_card_part layout; /* for tables: segments */
	size_t n_margin;            /* for tables: margins of a vector */
	size_t n_pin;               /* most slots that a worker pins */
	/* of the cache */
	size_t n_slot, most_slot;
	struct vs_part_slot *slot;
	uint64_t now;
	pthread_mutex_t lock;
	pthread_cond_t change;
};

/* Before all else, in zeroed memory. */
void vs_part_cache_init(struct vs_part_cache *c);

/* Device memory of n_vec vectors of a part. */
size_t vs_part_cache_bytes(const struct vs_part_cache *c, size_t n_vec);

/*
 * Allocate slots in room bytes: parts as large as possible, with at most `most`
 * vectors, and n_pin slots per worker. base and the sizes of a vector are set.
 * returns  0; VS_EMACHINE; VS_LOST; the caller closes the cache after any
 */
int vs_part_cache_open(struct vs_part_cache *c, int n_lane, size_t room,
	size_t most);

/* Pin the slot of a part of a panel, loading it through this worker's queues if
 * necessary; release it after use. */
int vs_part_cache_pin(struct vs_part_cache *c, struct vs_lane *l,
	const struct vs_panel *panel, size_t number, struct vs_part_slot **out);
void vs_part_cache_release(struct vs_part_cache *c, struct vs_part_slot *s);

/* Drop a panel that is about to be freed or refilled. */
void vs_part_cache_forget(struct vs_part_cache *c,
	const struct vs_panel *panel);

void vs_part_cache_close(struct vs_part_cache *c);

#endif
