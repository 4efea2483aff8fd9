/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A card that is none: the same arithmetic on the CPU, with memory that can be
 * short and a life that can end.
 */
#ifndef VS_TESTS_UNIT_TWIN_H
#define VS_TESTS_UNIT_TWIN_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/drive.h"
#include "libcore/base/err.h"
#include "libcore/base/mem.h"

struct twin {
	size_t room;  /* bytes that can be taken in all */
	size_t taken; /* of them */
	long life;    /* things it does before it is gone; below 0: no end */
	long done;
	long counts, takes, settled;
};

#define TWIN_ROOM ((size_t)1 << 30)

static bool
twin_gone(struct twin *t)
{
	long done = __atomic_add_fetch(&t->done, 1, __ATOMIC_RELAXED);

	return t->life >= 0 && done > t->life;
}

static int
twin_space(void *card, uint64_t *bytes)
{
	struct twin *t = card;

	*bytes = t->room - t->taken;
	return twin_gone(t) ? VS_LOST : 0;
}

/* In front of what is taken stands how much it is. */
static int
twin_take(void *card, void **p, size_t bytes)
{
	struct twin *t = card;
	size_t *at;

	if (twin_gone(t))
		return VS_LOST;
	if (bytes > t->room - t->taken)
		return VS_CARD_FULL;
	at = malloc(bytes + 64);
	if (!at)
		abort();
	memset(at, 0x5a, bytes < 1 << 20 ? bytes + 64 : 1 << 20);
	*at = bytes;
	*p = (char *)at + 64;
	t->takes++;
	__atomic_add_fetch(&t->taken, bytes, __ATOMIC_RELAXED);
	return 0;
}

static void
twin_drop(void *card, void *p)
{
	struct twin *t = card;
	size_t *at = p ? (void *)((char *)p - 64) : NULL;

	if (at)
		__atomic_sub_fetch(&t->taken, *at, __ATOMIC_RELAXED);
	free(at);
}

static int
twin_pin(void *card, void **p, size_t bytes)
{
	*p = malloc(bytes);
	return twin_gone(card) ? VS_LOST : 0;
}

static void
twin_unpin(void *card, void *p)
{
	(void)card;
	free(p);
}

static int
twin_open(void *card, void **lane)
{
	*lane = card;
	return twin_gone(card) ? VS_LOST : 0;
}

static void
twin_close(void *card, void *lane)
{
	(void)card;
	(void)lane;
}

static size_t
twin_scratch(void *card, const struct vs_card_rule *q, size_t room)
{
	(void)card;
	(void)q;
	(void)room;
	return 0;
}

static int
twin_copy(void *lane, void *to, const void *from, size_t bytes)
{
	memcpy(to, from, bytes);
	return twin_gone(lane) ? VS_LOST : 0;
}

static int
twin_zero(void *lane, void *p, size_t bytes)
{
	memset(p, 0, bytes);
	return twin_gone(lane) ? VS_LOST : 0;
}

static int
twin_expand(void *lane, const struct vs_card_expand *e)
{
	uint32_t n = (e->n + VS_TILE_VECS - 1) / VS_TILE_VECS * VS_TILE_VECS;
	uint32_t n_word = e->to.n_block * VS_TILE_FIELDS / 32;

	for (uint32_t v = 0; v < n; v++)
		for (uint32_t w = 0; w < n_word; w++)
			vs_expand_word(e, v, w);
	return twin_gone(lane) ? VS_LOST : 0;
}

/* All sums of a pair, from the planes as they lie. */
static void
twin_sums(const struct vs_card_work *w, uint32_t i, uint32_t j, int32_t sum[4])
{
	uint32_t n_word = w->i.n_block * VS_TILE_FIELDS / 32, a[3], b[3];

	memset(sum, 0, 4 * sizeof(*sum));
	for (uint32_t x = 0; x < n_word; x++) {
		for (uint32_t p = 0; p < w->i.n_plane; p++) {
			a[p] = w->i.plane[vs_word_at(&w->i, i, x, p)];
			b[p] = w->j.plane[vs_word_at(&w->j, j, x, p)];
		}
		if (w->missing)
			vs_popc_missing(a, b, sum);
		else
			sum[0] += vs_popc_dense(a, b);
	}
	if (w->missing)
		vs_popc_missing_end(sum);
	else
		sum[0] = vs_popc_dense_end(sum[0], &w->i.side[i], &w->j.side[j],
			w->i.n_block);
}

static void
twin_pair(const struct vs_card_work *w, uint32_t i, uint32_t j)
{
	const struct vs_card_side *si = &w->i.side[i], *sj = &w->j.side[j];
	struct vs_card_cand cand = { .i = i, .j = j };
	int32_t r[4], c;

	if (!vs_wants(w, i, j))
		return;
	twin_sums(w, i, j, cand.sum);
	c = vs_card_sums(w, si, sj, cand.sum, r);
	if (!vs_may_pass(&w->rule, si, sj, r, c))
		return;
	if (*w->n_cand < w->room)
		w->cand[*w->n_cand] = cand;
	++*w->n_cand;
}

/* Tile after tile, as an engine does it. */
static int
twin_count(void *lane, const struct vs_card_work *w)
{
	const uint32_t T = 64;
	struct twin *t = lane;

	__atomic_add_fetch(&t->counts, 1, __ATOMIC_RELAXED);
	for (uint32_t i = w->i_lo / T * T; i < w->i_hi; i += T)
		for (uint32_t j = w->j_lo / T * T; j < w->j_hi; j += T) {
			if (!vs_wants_any(w, i, T, j, T))
				continue;
			for (uint32_t k = 0; k < T * T; k++)
				twin_pair(w, i + k / T, j + k % T);
		}
	return twin_gone(lane) ? VS_LOST : 0;
}

static int
twin_settle(void *lane, const struct vs_card_work *w, uint32_t n)
{
	struct twin *t = lane;

	__atomic_add_fetch(&t->settled, n, __ATOMIC_RELAXED);
	for (uint32_t k = 0; k < n; k++)
		twin_sums(w, w->cand[k].i, w->cand[k].j, w->cand[k].sum);
	return twin_gone(lane) ? VS_LOST : 0;
}

static int
twin_refine(void *lane, const struct vs_card_work *w, uint32_t lo, uint32_t n,
	struct vs_card_record *out, uint32_t *n_out)
{
	for (uint32_t k = lo; k < lo + n; k++)
		*n_out +=
			(uint32_t)vs_card_refine(w, &w->cand[k], out + *n_out);
	return twin_gone(lane) ? VS_LOST : 0;
}

static int
twin_wait(void *lane)
{
	return twin_gone(lane) ? VS_LOST : 0;
}

static const char *
twin_engine(void *card)
{
	(void)card;
	return "twin";
}

static double
twin_rate(void *card, const struct vs_question *q)
{
	(void)card;
	(void)q;
	return 1e8;
}

#define TWIN_OPS                                                          \
	{                                                                 \
		twin_space, twin_take, twin_drop, twin_pin, twin_unpin,   \
			twin_open, twin_close, twin_scratch, twin_copy,   \
			twin_copy, twin_zero, twin_expand, twin_count,    \
			twin_settle, twin_refine, twin_wait, twin_engine, \
			twin_rate                                         \
	}

__attribute__((unused)) static const struct vs_card_ops twin_ops = TWIN_OPS;

__attribute__((unused)) static const struct vs_cuda_host twin_host = {
	VS_CUDA_ABI, VS_CUDA_SIZES, vs_fail, vs_grow
};

#endif
