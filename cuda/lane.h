/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What one driver has of a card: three queues, up, count and down, and buffers
 * at both ends of the bus. Copies leave from pinned memory and end there, two
 * of each kind in turn, so that one is filled while the other travels; events
 * tell when a buffer is free again. Who waits sleeps.
 */
#ifndef VS_CUDA_LANE_H
#define VS_CUDA_LANE_H

#include "cuda/drive.h"

#define VS_REFINED (1u << 15) /* candidates refined at a time */

struct vs_lane {
	const struct vs_drive_base *base;
	const struct vs_query *q;
	size_t n_side; /* of a vector: 2 with bounds */
	size_t part;   /* vectors of a part; bounds stand so far behind */
	size_t n_ring; /* vectors of a stage */
	void *queue;
	/* planes on their way, at home with their sides */
	char *ring[2];
	uint32_t *stage[2]; /* this and the next four are on the card */
	struct vs_card_cand *cand;
	struct vs_card_record *out[2];
	uint32_t *n; /* candidates; records, twice */
	void *scratch;
	size_t scratch_bytes;
	uint32_t *n_home; /* and at home */
	struct vs_card_record *home[2];
};

/* Candidates of a launch. */
uint32_t vs_lane_room(const struct vs_drive_base *base);

/*
 * Vectors of so many fields that travel at a time, of parts of so many. Memory
 * of the host that a lane takes for them, and of the card, scratch apart.
 */
size_t vs_lane_ring(const struct vs_drive_base *base, size_t n_field,
	size_t part);
size_t vs_lane_host(size_t n_field, size_t n_ring);
size_t vs_lane_card(const struct vs_drive_base *base, size_t n_field,
	size_t n_ring);

/*
 * Base, q, n_side, part, n_ring and scratch_bytes are set, all else is zero.
 * returns  0; VS_LOST; VS_EMACHINE; after any it is to be closed
 */
int vs_lane_open(struct vs_lane *l);
void vs_lane_close(struct vs_lane *l);

/* The first n vectors of the part, which stand at part->first of the panel. */
int vs_lane_load(struct vs_lane *l, const struct vs_panel *p, size_t n,
	struct vs_card_part *part);

/* How many candidates some work has; the first that have room are there. */
int vs_lane_count(struct vs_lane *l, const struct vs_card_work *w, uint32_t *n);

/*
 * Judge n candidates from lo on into buffer k, 0 or 1; and fetch the records of
 * a buffer, which stay until it is used again.
 */
int vs_lane_judge(struct vs_lane *l, const struct vs_card_work *w, uint32_t lo,
	uint32_t n, int k);
int vs_lane_fetch(struct vs_lane *l, int k, const struct vs_card_record **rec,
	uint32_t *n);

/*
 * All that a lane ever does, for one vector of nothing in some part.
 * returns  0; the failure of a card that cannot
 */
int vs_lane_try(struct vs_lane *l, const struct vs_card_rule *rule,
	const struct vs_card_part *part);

#endif
