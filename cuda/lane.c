/* SPDX-License-Identifier: BSD-3-Clause */
/* Double-buffered transfer queues of one device worker. */
#include <string.h>

#include "cuda/card_numbers.h"
#include "cuda/card_query.h"
#include "cuda/lane.h"
#include "libcore/base/fail.h"

#ifndef ROOM_CAND /* or less, for tests */
#define ROOM_CAND (1u << 20)
#endif
#define STAGE ((size_t)8 << 20)
#define HOME VS_RESULTS
#define N_COUNT 3 /* of candidates, or of records in either buffer */

/* Events; those with a number k exist once per buffer. */
enum {
	SENT,               /* ring and stage k: copied to the device */
	USED = SENT + 2,    /* stage k: converted to planes */
	COUNTED = USED + 2, /* count k is computed */
	COUNT_RECEIVED = COUNTED + N_COUNT, /* count k is on the host */
	RECORDS_RECEIVED =
		COUNT_RECEIVED + N_COUNT, /* records k are on the host */
	READY = RECORDS_RECEIVED + 2      /* a part is loaded */
};
_Static_assert(READY + 1 == VS_CARD_EVENTS, "each event has a number");

/* Bytes of a vector on the host: planes, or numbers. */
static size_t
vector_bytes(const struct vs_query *q)
{
	return vs_element_is_number(q->element)
		? q->n_field * vs_element_bytes(q->element)
		: 2 * vs_vec_words(q->n_field) * sizeof(uint64_t);
}

uint32_t
vs_lane_room(const struct vs_drive_base *base)
{
	return base->room_cand ? base->room_cand : ROOM_CAND;
}

size_t
vs_lane_ring(const struct vs_drive_base *base, const struct vs_query *q,
	size_t part)
{
	size_t n = (base->stage ? base->stage : STAGE) / vector_bytes(q) /
		VS_TILE_VECS * VS_TILE_VECS;

	n = n < part ? n : vs_lane_up_to(part, VS_TILE_VECS);
	return n ? n : VS_TILE_VECS;
}

static size_t
ring_bytes(const struct vs_query *q, size_t n_ring)
{
	return n_ring * (vector_bytes(q) + 2 * sizeof(struct vs_card_side));
}

size_t
vs_lane_host(const struct vs_query *q, size_t n_ring)
{
	return 2 * (ring_bytes(q, n_ring) + HOME);
}

size_t
vs_lane_card(const struct vs_drive_base *base, const struct vs_query *q,
	size_t n_ring)
{
	return 2 * (n_ring * vector_bytes(q) + HOME) +
		vs_lane_room(base) * sizeof(struct vs_card_cand) +
		N_COUNT * sizeof(uint32_t);
}

/* ---- beginning and end ---- */

int
vs_lane_fail_memory(const struct vs_drive_base *base, const char *what,
	size_t bytes)
{
	return base->host->fail(VS_EMACHINE,
		"GPU: no memory for %zu bytes of %s", bytes, what);
}

static int
allocate(struct vs_lane *l, void *out, size_t bytes, const char *what)
{
	int code = l->base->ops->allocate(l->base->card, out, bytes);

	return code == VS_CARD_FULL ? vs_lane_fail_memory(l->base, what, bytes)
				    : code;
}

static int
open_buffers(struct vs_lane *l, int k)
{
	const struct vs_drive_base *b = l->base;
	const struct vs_query *q = l->q;
	int code = allocate(l, &l->stage[k], l->n_ring * vector_bytes(q),
		"planes");

	if (!code)
		code = allocate(l, &l->out[k], HOME, "records");
	if (!code)
		code = b->ops->pin(b->card, (void **)&l->ring[k],
			ring_bytes(q, l->n_ring));
	if (!code)
		code = b->ops->pin(b->card, (void **)&l->home[k], HOME);
	return code;
}

int
vs_lane_open(struct vs_lane *l)
{
	const struct vs_drive_base *b = l->base;
	int code = b->ops->open(b->card, &l->queue);

	for (int k = 0; k < 2 && !code; k++)
		code = open_buffers(l, k);
	if (!code)
		code = allocate(l, &l->cand, vs_lane_room(b) * sizeof(*l->cand),
			"candidates");
	if (!code)
		code = allocate(l, &l->n, N_COUNT * sizeof(*l->n), "counts");
	if (!code && l->scratch_bytes)
		code = allocate(l, &l->scratch, l->scratch_bytes, "sums");
	if (!code)
		code = b->ops->pin(b->card, (void **)&l->n_host,
			N_COUNT * sizeof(*l->n));
	return code;
}

void
vs_lane_close(struct vs_lane *l)
{
	const struct vs_card_ops *ops = l->base->ops;
	void *card = l->base->card;

	/* cancel what is queued before freeing its buffers */
	if (l->queue)
		ops->close(card, l->queue);
	for (int k = 0; k < 2; k++) {
		ops->drop(card, l->stage[k]);
		ops->drop(card, l->out[k]);
		ops->unpin(card, l->ring[k]);
		ops->unpin(card, l->home[k]);
	}
	ops->drop(card, l->cand);
	ops->drop(card, l->n);
	ops->drop(card, l->scratch);
	ops->unpin(card, l->n_host);
}

/* ---- upload of vectors ---- */

/* Fill ring k with n vectors from `at` on of the part; the rest is padding. */
static void
fill(struct vs_lane *l, const struct vs_panel *p, size_t at, size_t n, int k,
	struct vs_card_part *part)
{
	size_t bytes = vector_bytes(l->q), lo = (size_t)part->first + at;
	struct vs_card_side *side = (void *)(l->ring[k] + l->n_ring * bytes);

	memcpy(l->ring[k],
		vs_element_is_number(l->q->element)
			? vs_numbers_of(&p->number, lo)
			: vs_vec_plane(&p->vec, lo, 0),
		n * bytes);
	if (!l->n_side)
		return;
	part->complete &= vs_card_sides_make(l->q, p, lo, n, side);
	if (l->n_side > 1)
		vs_card_bounds_make(l->q, n, side, side + l->n_ring);
}

/* Send ring k and convert it to planes. */
static int
send(struct vs_lane *l, size_t at, size_t n, int k,
	const struct vs_card_part *part)
{
	const struct vs_card_ops *ops = l->base->ops;
	size_t bytes = vector_bytes(l->q);
	size_t side_bytes =
		vs_lane_up_to(n, VS_TILE_VECS) * sizeof(struct vs_card_side);
	struct vs_card_side *side = (void *)(l->ring[k] + l->n_ring * bytes);
	struct vs_card_expand e = { .from = l->stage[k],
		.stride = (uint32_t)(bytes / 2 / sizeof(uint32_t)),
		.n = (uint32_t)n,
		.at = (uint32_t)at,
		.n_field = (uint32_t)l->q->n_field,
		.element = (int32_t)l->q->element,
		.field = l->field,
		.to = *part };
	int code = ops->after(l->queue, VS_QUEUE_UP, USED + k);

	if (!code)
		code = ops->put(l->queue, l->stage[k], l->ring[k], n * bytes);
	if (!code && l->n_side)
		code = ops->put(l->queue, part->side + at, side, side_bytes);
	if (!code && l->n_side > 1)
		code = ops->put(l->queue, part->side + l->part + at,
			side + l->n_ring, side_bytes);
	if (!code)
		code = ops->note(l->queue, VS_QUEUE_UP, SENT + k);
	if (!code)
		code = ops->after(l->queue, VS_QUEUE_COUNT, SENT + k);
	if (!code)
		code = ops->expand(l->queue, &e);
	return code ? code : ops->note(l->queue, VS_QUEUE_COUNT, USED + k);
}

int
vs_lane_load(struct vs_lane *l, const struct vs_panel *p, size_t n,
	struct vs_card_part *part)
{
	const struct vs_card_ops *ops = l->base->ops;
	int code = 0, k = 0;

	part->complete = true;
	for (size_t at = 0; at < n && !code; at += l->n_ring, k ^= 1) {
		size_t some = n - at < l->n_ring ? n - at : l->n_ring;

		code = ops->wait(l->queue, SENT + k);
		if (code)
			break;
		fill(l, p, at, some, k, part);
		code = send(l, at, some, k, part);
	}
	/* other workers use this part, too */
	if (!code)
		code = ops->note(l->queue, VS_QUEUE_COUNT, READY);
	return code ? code : ops->wait(l->queue, READY);
}

int
vs_lane_send(struct vs_lane *l, void *to, const void *from, size_t bytes)
{
	const struct vs_card_ops *ops = l->base->ops;
	const size_t most = ring_bytes(l->q, l->n_ring);
	int code = 0;

	for (size_t at = 0; at < bytes && !code; at += most) {
		const size_t n = vs_min_size(most, bytes - at);

		memcpy(l->ring[0], (const char *)from + at, n);
		code = ops->put(l->queue, (char *)to + at, l->ring[0], n);
		if (!code)
			code = ops->note(l->queue, VS_QUEUE_UP, SENT);
		if (!code)
			code = ops->wait(l->queue, SENT);
	}
	return code;
}

/* ---- download of results ---- */

/* Copy count x to the host, after all queued counting. */
static int
send_count(struct vs_lane *l, int x)
{
	const struct vs_card_ops *ops = l->base->ops;
	int code = ops->note(l->queue, VS_QUEUE_COUNT, COUNTED + x);

	if (!code)
		code = ops->after(l->queue, VS_QUEUE_DOWN, COUNTED + x);
	if (!code)
		code = ops->get(l->queue, l->n_host + x, l->n + x,
			sizeof(*l->n));
	return code ? code
		    : ops->note(l->queue, VS_QUEUE_DOWN, COUNT_RECEIVED + x);
}

/* The device miscounts: nothing of this launch may be used. */
static int
fail_wrong(const struct vs_lane *l, const struct vs_card_triples *t)
{
	const struct vs_card_work *w = &t->work;
	const uint64_t u = t->u.first, v = w->i.first, x = w->j.first;

	return l->base->host->fail(VS_EMACHINE,
		"GPU %d: wrong counts of triples of vectors %llu-%llu, "
		"%llu-%llu and %llu-%llu: see the errors of its memory with "
		"nvidia-smi -q -d ECC, and leave it out with --device, or use "
		"--backend cpu",
		l->base->number, (unsigned long long)(u + t->pivot[0].u),
		(unsigned long long)(u + t->pivot[t->n_pivot - 1].u),
		(unsigned long long)(v + w->i_lo),
		(unsigned long long)(v + w->i_hi - 1),
		(unsigned long long)(x + w->j_lo),
		(unsigned long long)(x + w->j_hi - 1));
}

int
vs_lane_count(struct vs_lane *l, const struct vs_card_work *w,
	const struct vs_card_triples *t, uint32_t *n)
{
	const struct vs_card_ops *ops = l->base->ops;
	int code = ops->zero(l->queue, l->n, sizeof(*l->n));

	if (!code)
		code = t ? ops->count_triples(l->queue, t)
			 : ops->count(l->queue, w);
	if (!code)
		code = send_count(l, 0);
	if (!code)
		code = ops->wait(l->queue, COUNT_RECEIVED);
	*n = l->n_host[0];
	if (!code && t && *n == VS_CARD_WRONG)
		code = fail_wrong(l, t);
	return code;
}

/* Judge n candidates from lo on into buffer k, 0 or 1. */
static int
judge(struct vs_lane *l, const struct vs_card_work *w,
	const struct vs_card_triples *t, uint32_t lo, uint32_t n, int k)
{
	const struct vs_card_ops *ops = l->base->ops;
	uint32_t *to = l->n + 1 + k;
	int code = ops->zero(l->queue, to, sizeof(*to));

	if (!code)
		code = t ? ops->list_triples(l->queue, t, lo, n, l->out[k], to)
			 : ops->refine(l->queue, w, lo, n, l->out[k], to);
	return code ? code : send_count(l, 1 + k);
}

/* Fetch what is in a buffer; it is valid until the buffer is reused. */
static int
fetch(struct vs_lane *l, int k, uint32_t *n)
{
	const struct vs_card_ops *ops = l->base->ops;
	const size_t each = l->field ? sizeof(struct vs_counted_table)
				     : sizeof(struct vs_card_record);
	int code = ops->wait(l->queue, COUNT_RECEIVED + 1 + k);

	*n = l->n_host[1 + k];
	if (code || !*n)
		return code;
	code = ops->get(l->queue, l->home[k], l->out[k], *n * each);
	if (!code)
		code = ops->note(l->queue, VS_QUEUE_DOWN, RECORDS_RECEIVED + k);
	return code ? code : ops->wait(l->queue, RECORDS_RECEIVED + k);
}

int
vs_lane_collect(struct vs_lane *l, const struct vs_card_work *w,
	const struct vs_card_triples *t, uint32_t n,
	int (*take)(void *ctx, const void *rec, uint32_t n), void *ctx)
{
	const uint32_t batch = l->field ? VS_COUNTED : VS_REFINED;
	uint32_t some;
	int code = 0, k = 0;

	if (n)
		code = judge(l, w, t, 0, (uint32_t)vs_min_size(batch, n), k);
	for (uint32_t lo = 0; lo < n && !code; lo += batch, k ^= 1) {
		const uint32_t next = lo + batch;

		if (next < n)
			code = judge(l, w, t, next,
				(uint32_t)vs_min_size(batch, n - next), k ^ 1);
		if (!code)
			code = fetch(l, k, &some);
		if (!code && some)
			code = take(ctx, l->home[k], some);
	}
	return code;
}

/* ---- trial ---- */

/* Launch the kernels without pivots, which count no triple. */
static int
try_triples(struct vs_lane *l, const struct vs_card_work *w)
{
	const struct vs_card_triples t = { .work = *w,
		.n_level = w->i.n_plane,
		.rest = 1 };
	uint32_t n;
	int code = vs_lane_count(l, NULL, &t, &n);

	if (!code)
		code = judge(l, NULL, &t, 0, 0, 0);
	return code ? code : fetch(l, 0, &n);
}

int
vs_lane_try(struct vs_lane *l, const struct vs_card_rule *rule,
	const struct vs_card_part *part)
{
	const struct vs_card_ops *ops = l->base->ops;
	struct vs_card_work w = { .i = *part,
		.j = *part,
		.rule = *rule,
		.i_hi = 1,
		.j_hi = 1,
		.span[0].hi = 1,
		.cand = l->cand,
		.n_cand = l->n,
		.room = 1,
		.scratch = l->scratch,
		.scratch_bytes = l->scratch_bytes };
	uint32_t n;
	int code;

	memset(l->ring[0], 0, ring_bytes(l->q, l->n_ring));
	code = send(l, 0, 1, 0, part);
	/* in case the pair is not a candidate */
	if (!code)
		code = ops->zero(l->queue, l->cand, sizeof(*l->cand));
	if (!code && rule->table == VS_DEVICE_ALLELES)
		return try_triples(l, &w);
	for (; w.missing <= (l->q->has_missing && !l->field) && !code;
		w.missing++) {
		code = vs_lane_count(l, &w, NULL, &n);
		if (!code && w.missing)
			code = ops->settle(l->queue, &w, 1);
		if (!code)
			code = judge(l, &w, NULL, 0, 1, w.missing);
		if (!code)
			code = fetch(l, w.missing, &n);
	}
	return code;
}
