/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A card as a backend: which vectors are on it, what is counted when, how what
 * passes comes home. It knows a card by a table of what can be done with it,
 * and nothing of CUDA.
 */
#ifndef VS_CUDA_DRIVE_H
#define VS_CUDA_DRIVE_H

#include "cuda/abi.h"
#include "cuda/card.h"

/* No room on the card, which is none the worse for it. */
#define VS_CARD_FULL 3

/*
 * Each returns 0; VS_LOST: the card is gone; or negative, having said why.
 *
 * What is asked of a lane is done by its queues: put() by the first, get() by
 * the last, all else by the one between. Each does one thing after another and
 * waits for the others only where it is told to. An event that was never noted
 * has happened.
 */
enum vs_card_queue { VS_QUEUE_UP, VS_QUEUE_COUNT, VS_QUEUE_DOWN, VS_QUEUES };
#define VS_CARD_EVENTS 13
struct vs_card_ops {
	/* bytes that may be taken now */
	int (*space)(void *card, uint64_t *bytes);
	/* memory of the card, or VS_CARD_FULL; drop() accepts null */
	int (*take)(void *card, void **p, size_t bytes);
	void (*drop)(void *card, void *p);
	/* memory of the host that travels by itself; unpin() accepts null */
	int (*pin)(void *card, void **p, size_t bytes);
	void (*unpin)(void *card, void *p);
	/* queues of work, and what the engine needs for them; what is left
	 * in them when they are closed is done or is never done */
	int (*open)(void *card, void **lane);
	void (*close)(void *card, void *lane);
	size_t (*scratch)(void *card, const struct vs_card_rule *q,
		size_t room);
	/* the memory of the host is pinned, and not touched until done */
	int (*put)(void *lane, void *to, const void *from, size_t bytes);
	int (*get)(void *lane, void *to, const void *from, size_t bytes);
	int (*zero)(void *lane, void *p, size_t bytes);
	int (*expand)(void *lane, const struct vs_card_expand *e);
	int (*count)(void *lane, const struct vs_card_work *w);
	/* count all four sums of the first n candidates */
	int (*settle)(void *lane, const struct vs_card_work *w, uint32_t n);
	/* of n candidates from lo on; *n_out goes on from what it is */
	int (*refine)(void *lane, const struct vs_card_work *w, uint32_t lo,
		uint32_t n, struct vs_card_record *out, uint32_t *n_out);
	/* the event is when all is done that was asked of the queue so far;
	 * what is asked of a queue from now on comes after the event, as noted
	 * last; until that event this thread sleeps */
	int (*note)(void *lane, enum vs_card_queue queue, int event);
	int (*after)(void *lane, enum vs_card_queue queue, int event);
	int (*wait)(void *lane, int event);
	const char *(*engine)(void *card);
	double (*rate)(void *card, const struct vs_query *q);
	/* by the card's clock, all kernels of count() that have ended so far */
	double (*kernel_seconds)(void *card);
};

struct vs_drive_base {
	const struct vs_cuda_host *host;
	const struct vs_card_ops *ops;
	void *card;
	uint64_t memory; /* to take of the card's at most; 0: nearly all */
	int share;       /* ranks that do so together */
	/* less than is usual, for tests; 0 */
	uint32_t room_cand; /* candidates of a launch */
	size_t held;        /* records of some rows of a strip */
	size_t stage;       /* bytes of planes on their way */
	size_t part;        /* vectors of a part */
	uint32_t one_in;    /* pairs that one sum leaves of all */
};

/* The backend; one card in a process. base lives on. */
const struct vs_backend *vs_drive_use(const struct vs_drive_base *base);

#endif
