/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device queues and transfer buffers of one worker: three queues, up, count and
 * down, and double buffers in pinned memory on both sides of the bus, so that
 * one is filled while the other is copied. Events mark a free buffer. Waiting
 * threads sleep.
 */
#ifndef VS_CUDA_LANE_H
#define VS_CUDA_LANE_H

#include "cuda/drive.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/tables/counted_table.h"

#define VS_REFINED (1u << 15) /* candidates refined at a time */
/* bytes of their results, and tables that fit */
#define VS_RESULTS (4 * VS_REFINED * sizeof(struct vs_card_record))
#define VS_COUNTED ((uint32_t)(VS_RESULTS / sizeof(struct vs_counted_table)))

struct vs_lane {
	const struct vs_drive_base *base;
	const struct vs_query *q;
	size_t n_side; /* per vector: 2 with bounds */
	/* vectors of a part; bounds start that many sides further */
	size_t part;
	/* for tables, as in vs_card_rule: order of fields, on the card */
	const uint32_t *field;
	size_t n_ring; /* vectors of a stage */
	void *queue;
	/* planes in transfer; on the host with their sides */
	char *ring[2];
	uint32_t *stage[2]; /* on the card: this and the next four */
	struct vs_card_cand *cand;
	/* records, or tables, one for each candidate */
	void *out[2];
	uint32_t *n; /* candidates; records, twice */
	void *scratch;
	size_t scratch_bytes;
	uint32_t *n_host; /* copies on the host */
	void *home[2];
};

/* n, or the next multiple of step above it. */
static inline size_t
vs_lane_up_to(size_t n, size_t step)
{
	return (n + step - 1) / step * step;
}

/* Report that memory is lacking: bytes of what. VS_EMACHINE */
int vs_lane_fail_memory(const struct vs_drive_base *base, const char *what,
	size_t bytes);

/* Most candidates of a launch. */
uint32_t vs_lane_room(const struct vs_drive_base *base);

/*
 * Vectors per transfer, for this query and parts of this size. Then the
 * host memory and the device memory of a lane, without scratch.
 */
size_t vs_lane_ring(const struct vs_drive_base *base, const struct vs_query *q,
	size_t part);
size_t vs_lane_host(const struct vs_query *q, size_t n_ring);
size_t vs_lane_card(const struct vs_drive_base *base, const struct vs_query *q,
	size_t n_ring);

/*
 * base, q, n_side, part, n_ring and scratch_bytes are set, all else is zero.
 * returns  0; VS_LOST; VS_EMACHINE; the caller closes the lane after any
 */
int vs_lane_open(struct vs_lane *l);
void vs_lane_close(struct vs_lane *l);

/*
 * Load the first n vectors of the part, which are at part->first of the panel.
 */
int vs_lane_load(struct vs_lane *l, const struct vs_panel *p, size_t n,
	struct vs_card_part *part);

/*
 * Count the candidates of some work or, if they are not null, of some triples;
 * as many as fit are stored.
 */
int vs_lane_count(struct vs_lane *l, const struct vs_card_work *w,
	const struct vs_card_triples *t, uint32_t *n);

/*
 * Judge the n candidates just counted; a batch is computed while the previous
 * one is received.
 * take     gets the records or tables of a batch that has any
 */
int vs_lane_collect(struct vs_lane *l, const struct vs_card_work *w,
	const struct vs_card_triples *t, uint32_t n,
	int (*take)(void *ctx, const void *rec, uint32_t n), void *ctx);

/* Send bytes to the card and wait until they are there. */
int vs_lane_send(struct vs_lane *l, void *to, const void *from, size_t bytes);

/*
 * Trial: every operation of a lane, on one empty vector in some part.
 * returns  0; the error of a card that cannot compute
 */
int vs_lane_try(struct vs_lane *l, const struct vs_card_rule *rule,
	const struct vs_card_part *part);

#endif
