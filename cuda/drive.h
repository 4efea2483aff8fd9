/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Device backend: cache of vectors in device memory, order of counting,
 * transfer of results. It uses a card through a table of functions and does not
 * depend on CUDA.
 */
#ifndef VS_CUDA_DRIVE_H
#define VS_CUDA_DRIVE_H

#include "cuda/abi.h"
#include "cuda/card_triples.h"

/* Out of device memory; the card stays usable. */
#define VS_CARD_FULL 3

/*
 * Functions return 0; VS_LOST: the card is gone; or negative, with a message.
 * Operations of a lane go to its queues: put() to the first, get() to the last,
 * all others to the middle one. A queue runs in order and waits for other
 * queues only at after(). An event that was never recorded counts as complete.
 */
enum vs_card_queue { VS_QUEUE_UP, VS_QUEUE_COUNT, VS_QUEUE_DOWN, VS_QUEUES };
#define VS_CARD_EVENTS 13
struct vs_card_ops {
	/* bytes that can be allocated now */
	int (*space)(void *card, uint64_t *bytes);
	/* allocate device memory, or VS_CARD_FULL; drop() accepts null */
	int (*allocate)(void *card, void **p, size_t bytes);
	void (*drop)(void *card, void *p);
	/* pinned host memory for asynchronous copies; unpin() accepts null */
	int (*pin)(void *card, void **p, size_t bytes);
	void (*unpin)(void *card, void *p);
	/*
	 * queues of work, and the engine's state for them; close completes or
	 * cancels what is queued
	 */
	int (*open)(void *card, void **lane);
	void (*close)(void *card, void *lane);
	size_t (*scratch)(void *card, const struct vs_card_rule *q,
		size_t room);
	/*
	 * the host memory is pinned and not touched until the copy is complete
	 */
	int (*put)(void *lane, void *to, const void *from, size_t bytes);
	int (*get)(void *lane, void *to, const void *from, size_t bytes);
	int (*zero)(void *lane, void *p, size_t bytes);
	int (*expand)(void *lane, const struct vs_card_expand *e);
	int (*count)(void *lane, const struct vs_card_work *w);
	/* count all sums of the first n candidates */
	int (*settle)(void *lane, const struct vs_card_work *w, uint32_t n);
	/* refine n candidates from lo on into those that pass: records or, for
	 * metrics of tables, struct vs_counted_table; *n_out is increased */
	int (*refine)(void *lane, const struct vs_card_work *w, uint32_t lo,
		uint32_t n, void *out, uint32_t *n_out);
	/* for triples: make the parts of all pivots; count; refine, into
	 * tables */
	int (*gather)(void *lane, const struct vs_card_triples *t);
	int (*count_triples)(void *lane, const struct vs_card_triples *t);
	int (*list_triples)(void *lane, const struct vs_card_triples *t,
		uint32_t lo, uint32_t n, void *out, uint32_t *n_out);
	/*
	 * note: record the event after all present work of the queue; after:
	 * later work of the queue waits for the event as last recorded; until:
	 * this thread sleeps until the event
	 */
	int (*note)(void *lane, enum vs_card_queue queue, int event);
	int (*after)(void *lane, enum vs_card_queue queue, int event);
	int (*wait)(void *lane, int event);
	/* true if the engine counts metrics of pairs with plane h, too */
	bool (*half)(void *card);
	const char *(*engine)(void *card);
	/* comparisons per second, of pairs and of triples, approximately */
	double (*rate)(void *card, const struct vs_query *q);
	double (*rate_triples)(void *card, const struct vs_query *q);
	/* add what is complete, see backend.h */
	void (*seconds)(void *card, double of[VS_DEVICE_TIMES]);
};

struct vs_drive_base {
	const struct vs_cuda_host *host;
	const struct vs_card_ops *ops;
	void *card;
	int number;      /* of the device, for messages */
	uint64_t memory; /* most device memory to allocate; 0: nearly all */
	int share;       /* ranks that share the card */
	/* limits for tests, below the usual ones; 0: none */
	uint32_t room_cand;  /* candidates of a launch */
	size_t most_records; /* records of some rows of a strip */
	size_t stage;        /* bytes of planes on their way */
	size_t part;         /* vectors of a part */
	uint32_t one_in;     /* passing pairs per pair that one sum leaves */
};

/* The backend of n cards, one for all of a process. base[n] is never freed. */
const struct vs_backend *vs_drive_use(const struct vs_drive_base *base, int n);

#endif
