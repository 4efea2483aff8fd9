/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A card that is none: the same arithmetic on the CPU, with memory that can be
 * short and a life that can end. What is asked of a lane is done late, its
 * queues taking turns by chance as far as their events allow: a copy takes what
 * the memory holds then, so that a buffer used too early shows in the results.
 */
#ifndef VS_TESTS_UNIT_TWIN_H
#define VS_TESTS_UNIT_TWIN_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/card_alleles.h"
#include "cuda/drive.h"
#ifdef TWIN_EMULATED /* the kernels of tables run, tests/sim/cuda */
#include "cuda/numbers.h"
#include "cuda/tables.h"
#include "cuda/triples.h"
#endif
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/slab/counted_triples.h"
#include "libcore/engine/tables/tables.h"
#include "tests/unit/twin_gather.h"
#include "tests/unit/twin_numbers.h"

#define TWIN_PINS 256

struct twin {
	size_t room;   /* bytes that can be taken in all */
	size_t taken;  /* of them */
	size_t most;   /* that ever were */
	long life;     /* things it does before it is gone; below 0: no end */
	long ill;      /* it fails at this and all that follow; 0: at none */
	uint64_t seed; /* of the turns that queues take */
	unsigned slow; /* microseconds for which each wait takes longer */
	double rate;   /* of triples, as it says; 0: 1e8 */
	long done;
	long counts, takes, settled;
	int (*fail)(int code, const char *fmt, ...); /* null: ours */
	long stray; /* copies from or to memory that is not pinned */
	struct {
		char *at;
		size_t bytes;
	} pin[TWIN_PINS];
};

#define TWIN_ROOM ((size_t)1 << 30)

/* One of the things that a queue is asked to do. */
struct twin_task {
	int (*run)(struct twin *t, const struct twin_task *task);
	void *to;
	const void *from;
	size_t bytes;
	struct vs_card_expand expand;
	struct vs_card_work work;
	struct vs_card_triples *triples; /* its own; or null */
	uint32_t lo, n, *n_out;
	int event; /* to happen; or to be waited for, */
	long turn; /* until it has happened so often */
};

struct twin_lane {
	struct twin *card;
	struct vs_rng rng;
	struct twin_task *task[VS_QUEUES];
	size_t first[VS_QUEUES], n[VS_QUEUES], room[VS_QUEUES];
	long noted[VS_CARD_EVENTS], happened[VS_CARD_EVENTS];
};

static int
twin_code(struct twin *t)
{
	long done = __atomic_add_fetch(&t->done, 1, __ATOMIC_RELAXED);

	if (t->life >= 0 && done > t->life)
		return VS_LOST;
	if (!t->ill || done < t->ill)
		return 0;
	return (t->fail ? t->fail : vs_fail)(VS_EMACHINE, "GPU: will not");
}

static int
twin_space(void *card, uint64_t *bytes)
{
	struct twin *t = card;

	*bytes = t->room - t->taken;
	return twin_code(t);
}

/* In front of what is taken stands how much it is. */
static int
twin_take(void *card, void **p, size_t bytes)
{
	struct twin *t = card;
	size_t *at;
	int code;

	code = twin_code(t);
	if (code)
		return code;
	if (bytes > t->room - t->taken)
		return VS_CARD_FULL;
	at = malloc(bytes + 64);
	if (!at)
		abort();
	memset(at, 0x5a, bytes < 1 << 16 ? bytes + 64 : 1 << 16);
	*at = bytes;
	*p = (char *)at + 64;
	t->takes++;
	bytes = __atomic_add_fetch(&t->taken, bytes, __ATOMIC_RELAXED);
	t->most = bytes > t->most ? bytes : t->most;
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
	struct twin *t = card;
	char *at = malloc(bytes);
	int k = 0;

	while (k < TWIN_PINS && t->pin[k].at)
		k++;
	if (!at || k == TWIN_PINS)
		abort();
	memset(at, 0x5a, bytes < 1 << 16 ? bytes : 1 << 16);
	t->pin[k].at = at;
	t->pin[k].bytes = bytes;
	*p = at;
	return twin_code(t);
}

static void
twin_unpin(void *card, void *p)
{
	struct twin *t = card;

	for (int k = 0; k < TWIN_PINS; k++)
		if (p && t->pin[k].at == p)
			t->pin[k].at = NULL;
	free(p);
}

static bool
twin_pinned(const struct twin *t, const char *p, size_t bytes)
{
	for (int k = 0; k < TWIN_PINS; k++)
		if (t->pin[k].at && p >= t->pin[k].at &&
			p + bytes <= t->pin[k].at + t->pin[k].bytes)
			return true;
	return false;
}

/* ---- queues ---- */

static int
twin_open(void *card, void **lane)
{
	struct twin_lane *l = calloc(1, sizeof(*l));
	struct twin *t = card;

	if (!l)
		abort();
	l->card = t;
	vs_rng_seed(&l->rng, t->seed++);
	*lane = l;
	return twin_code(t);
}

static void
twin_close(void *card, void *lane)
{
	struct twin_lane *l = lane;

	(void)card;
	for (int q = 0; q < VS_QUEUES; q++) {
		for (size_t k = l->first[q]; k < l->n[q]; k++)
			free(l->task[q][k].triples);
		free(l->task[q]);
	}
	free(l);
}

/* Execute the next operation of some queue; false: none can. */
static bool
twin_step(struct twin_lane *l)
{
	unsigned from = (unsigned)vs_rng_below(&l->rng, VS_QUEUES);

	for (unsigned k = 0; k < VS_QUEUES; k++) {
		unsigned q = (from + k) % VS_QUEUES;
		const struct twin_task *x = &l->task[q][l->first[q]];

		if (l->first[q] == l->n[q] ||
			(!x->run && l->happened[x->event] < x->turn))
			continue;
		if (x->run && x->run(l->card, x))
			l->happened[x->event]++;
		free(x->triples);
		if (++l->first[q] == l->n[q])
			l->first[q] = l->n[q] = 0;
		return true;
	}
	return false;
}

/* Queue a task; now and then something is done at once. */
static int
twin_ask(struct twin_lane *l, enum vs_card_queue q, const struct twin_task *x)
{
	if (vs_mem_grow(&l->task[q], &l->room[q], l->n[q] + 1, sizeof(*x),
		    "tasks"))
		abort();
	l->task[q][l->n[q]++] = *x;
	while (!vs_rng_below(&l->rng, 4) && twin_step(l))
		;
	return twin_code(l->card);
}

static int
twin_happen(struct twin *t, const struct twin_task *x)
{
	(void)t;
	(void)x;
	return 1;
}

static int
twin_note(void *lane, enum vs_card_queue q, int event)
{
	struct twin_lane *l = lane;

	l->noted[event]++;
	return twin_ask(l, q,
		&(struct twin_task){ .run = twin_happen, .event = event });
}

static int
twin_after(void *lane, enum vs_card_queue q, int event)
{
	struct twin_lane *l = lane;

	return twin_ask(l, q,
		&(struct twin_task){ .event = event, .turn = l->noted[event] });
}

static int
twin_wait(void *lane, int event)
{
	struct twin_lane *l = lane;

	while (l->happened[event] < l->noted[event])
		if (!twin_step(l))
			abort(); /* each waits for another */
	if (l->card->slow)
		usleep(l->card->slow);
	return twin_code(l->card);
}

/* ---- what they do ---- */

static size_t
twin_scratch(void *card, const struct vs_card_rule *q, size_t room)
{
	(void)card;
	(void)q;
	(void)room;
	return 0;
}

static int
twin_do_copy(struct twin *t, const struct twin_task *x)
{
	(void)t;
	memcpy(x->to, x->from, x->bytes);
	return 0;
}

static int
twin_put(void *lane, void *to, const void *from, size_t bytes)
{
	struct twin_lane *l = lane;

	if (!twin_pinned(l->card, from, bytes))
		__atomic_add_fetch(&l->card->stray, 1, __ATOMIC_RELAXED);
	return twin_ask(l, VS_QUEUE_UP,
		&(struct twin_task){ .run = twin_do_copy,
			.to = to,
			.from = from,
			.bytes = bytes });
}

static int
twin_get(void *lane, void *to, const void *from, size_t bytes)
{
	struct twin_lane *l = lane;

	if (!twin_pinned(l->card, to, bytes))
		__atomic_add_fetch(&l->card->stray, 1, __ATOMIC_RELAXED);
	return twin_ask(l, VS_QUEUE_DOWN,
		&(struct twin_task){ .run = twin_do_copy,
			.to = to,
			.from = from,
			.bytes = bytes });
}

static int
twin_do_zero(struct twin *t, const struct twin_task *x)
{
	(void)t;
	memset(x->to, 0, x->bytes);
	return 0;
}

static int
twin_zero(void *lane, void *p, size_t bytes)
{
	return twin_ask(lane, VS_QUEUE_COUNT,
		&(struct twin_task){ .run = twin_do_zero,
			.to = p,
			.bytes = bytes });
}

static void
twin_margins(const struct vs_card_part *p, uint32_t v)
{
	for (uint32_t k = 0; k < p->n_segment; k++) {
		int32_t m[VS_CARD_LEVELS] = { 0 };

		vs_card_tables_add_margin(p, v, k, 0, 1, m);
		vs_card_tables_set_margin(p, v, k, m);
	}
}

static int
twin_do_expand(struct twin *t, const struct twin_task *x)
{
	const struct vs_card_expand *e = &x->expand;
	uint32_t n = (e->n + VS_TILE_VECS - 1) / VS_TILE_VECS * VS_TILE_VECS;
	uint32_t n_word = e->to.n_block * VS_TILE_FIELDS / 32;

	(void)t;
#ifdef TWIN_EMULATED
	if (e->field)
		return vs_tables_expand(e, NULL);
	if (e->element)
		return vs_numbers_expand(e, NULL);
#endif
	if (e->element)
		n_word = e->to.n_block * vs_card_numbers_units(e->element);
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t w = 0; w < n_word; w++)
			if (e->field)
				vs_card_tables_expand(e, v, w);
			else if (e->element)
				vs_card_numbers_expand(e, v, w);
			else
				vs_expand_word(e, v, w);
	for (uint32_t v = 0; e->field && v < n; v++)
		twin_margins(&e->to, e->at + v);
	return 0;
}

static int
twin_expand(void *lane, const struct vs_card_expand *e)
{
	return twin_ask(lane, VS_QUEUE_COUNT,
		&(struct twin_task){ .run = twin_do_expand, .expand = *e });
}

/* All sums of a pair, from the planes as they lie. */
static void
twin_sums(const struct vs_card_work *w, uint32_t i, uint32_t j,
	int32_t sum[VS_CARD_SUMS])
{
	uint32_t n_word = w->i.n_block * VS_TILE_FIELDS / 32, a[4], b[4];

	memset(sum, 0, VS_CARD_SUMS * sizeof(*sum));
	for (uint32_t x = 0; x < n_word; x++) {
		for (uint32_t p = 0; p < w->i.n_plane; p++) {
			a[p] = w->i.plane[vs_word_at(&w->i, i, x, p)];
			b[p] = w->j.plane[vs_word_at(&w->j, j, x, p)];
		}
		if (a[w->i.half] != (a[0] ^ a[1]) ||
			b[w->j.half] != (b[0] ^ b[1]))
			abort();
		if (w->missing) {
			vs_popc_missing(a, b, sum);
			vs_popc_twos(a, b, sum);
			continue;
		}
		sum[0] += vs_popc_dense(a, b);
	}
	if (w->missing)
		vs_popc_missing_end(sum);
	else
		sum[0] = vs_popc_dense_end(sum[0], &w->i.side[i], &w->j.side[j],
			w->i.n_block);
}

/* The table of a pair. */
static void
twin_table(const struct vs_card_work *w, uint32_t i, uint32_t j,
	struct vs_counted_table *t)
{
	*t = (struct vs_counted_table){ .i = i, .j = j };
	for (uint32_t k = 0; k < VS_CARD_CLASSES; k++) {
		int32_t n[VS_CARD_PRODUCTS] = { 0 };

		for (uint32_t x = vs_card_tables_begin(&w->i, k);
			x < w->i.end[k]; x++)
			vs_card_tables_add(&w->i, i, &w->j, j, x, n);
		vs_card_tables_cells(&w->i, i, &w->j, j, k, n, t->n[k]);
	}
}

static bool
twin_table_passes(const struct vs_card_work *w, uint32_t i, uint32_t j)
{
	struct vs_association a = { 0 };
	struct vs_counted_table t;

	twin_table(w, i, j, &t);
	for (int x = 0; x < 9; x++)
		vs_card_tables_sum(&w->rule.logs, t.n[0][x], t.n[1][x], &a);
	return vs_card_tables_may_pass(&w->rule, &a);
}

static void
twin_append(const struct vs_card_work *w, const struct vs_card_cand *cand)
{
	if (*w->n_cand < w->room)
		w->cand[*w->n_cand] = *cand;
	++*w->n_cand;
}

static void
twin_pair(const struct vs_card_work *w, uint32_t i, uint32_t j)
{
	const struct vs_card_side *si = w->i.side + i, *sj = w->j.side + j;
	struct vs_card_cand cand = { .i = i, .j = j };

	if (!vs_wants(w, i, j))
		return;
	if (w->rule.table) {
		if (twin_table_passes(w, i, j))
			twin_append(w, &cand);
		return;
	}
	if (w->rule.element) {
		cand.least = twin_least(w, i, j);
		if (vs_card_numbers_may_pass(&w->rule, cand.least, si->total,
			    sj->total))
			twin_append(w, &cand);
		return;
	}
	twin_sums(w, i, j, cand.sum);
	/* only those that are settled have these */
	cand.sum[VS_SUM_2M] = cand.sum[VS_SUM_M2] = -1;
	if (vs_sums_may_pass(w, si, sj, cand.sum))
		twin_append(w, &cand);
}

/* Tile after tile, as an engine does it. */
static int
twin_do_count(struct twin *t, const struct twin_task *x)
{
	const struct vs_card_work *w = &x->work;
	const uint32_t T = 64;

	__atomic_add_fetch(&t->counts, 1, __ATOMIC_RELAXED);
#ifdef TWIN_EMULATED
	if (w->rule.table)
		return vs_tables_count(w, NULL);
	if (w->rule.element)
		return vs_numbers_count(w, NULL);
#endif
	for (uint32_t i = w->i_lo / T * T; i < w->i_hi; i += T)
		for (uint32_t j = w->j_lo / T * T; j < w->j_hi; j += T) {
			if (!vs_wants_any(w, i, T, j, T))
				continue;
			for (uint32_t k = 0; k < T * T; k++)
				twin_pair(w, i + k / T, j + k % T);
		}
	return 0;
}

static int
twin_count(void *lane, const struct vs_card_work *w)
{
	return twin_ask(lane, VS_QUEUE_COUNT,
		&(struct twin_task){ .run = twin_do_count, .work = *w });
}

static int
twin_do_settle(struct twin *t, const struct twin_task *x)
{
	const struct vs_card_work *w = &x->work;

	__atomic_add_fetch(&t->settled, x->n, __ATOMIC_RELAXED);
	for (uint32_t k = 0; k < x->n; k++)
		twin_sums(w, w->cand[k].i, w->cand[k].j, w->cand[k].sum);
	return 0;
}

static int
twin_settle(void *lane, const struct vs_card_work *w, uint32_t n)
{
	return twin_ask(lane, VS_QUEUE_COUNT,
		&(struct twin_task){ .run = twin_do_settle,
			.work = *w,
			.n = n });
}

static int
twin_do_refine(struct twin *t, const struct twin_task *x)
{
	const struct vs_card_work *w = &x->work;
	struct vs_counted_table *table = x->to;
	struct vs_card_record *out = x->to;

	(void)t;
#ifdef TWIN_EMULATED
	if (w->rule.table)
		return vs_tables_list(w, x->lo, x->n, x->to, x->n_out, NULL);
#endif
	for (uint32_t k = x->lo; w->rule.table && k < x->lo + x->n; k++)
		twin_table(w, w->cand[k].i, w->cand[k].j,
			table + (*x->n_out)++);
	for (uint32_t k = x->lo; !w->rule.table && k < x->lo + x->n; k++)
		*x->n_out += (uint32_t)vs_card_refine(w, &w->cand[k],
			out + *x->n_out);
	return 0;
}

static int
twin_refine(void *lane, const struct vs_card_work *w, uint32_t lo, uint32_t n,
	void *out, uint32_t *n_out)
{
	return twin_ask(lane, VS_QUEUE_COUNT,
		&(struct twin_task){ .run = twin_do_refine,
			.work = *w,
			.lo = lo,
			.n = n,
			.to = out,
			.n_out = n_out });
}

/* ---- triples ---- */

static void
twin_gather_pivot(const struct vs_card_triples *t, uint32_t k)
{
	const struct vs_card_pivot *p = &t->pivot[k];

	for (uint32_t s = 0; s < p->i.n_segment; s++) {
		const uint32_t c = s % VS_CARD_CLASSES;
		uint32_t n = 32 * vs_card_tables_begin(&p->i, s);

		for (uint32_t w = vs_card_tables_begin(&t->u, c);
			w < t->u.end[c]; w++)
			n += twin_list(vs_card_triples_bits(t, p, w,
					       s / VS_CARD_CLASSES) &
					vs_card_triples_within(&t->u, c, w),
				w, p->field + n);
		while (n < 32 * p->i.end[s])
			p->field[n++] = VS_CARD_NO_FIELD;
	}
	for (int col = 0; col < 2; col++) {
		const struct vs_card_part *to = col ? &p->j : &p->i;

		for (uint32_t r = 0; r < (col ? t->n_j : t->n_i); r++) {
			for (uint32_t w = 0; w < to->end[to->n_segment - 1];
				w++)
				twin_gather_word(col ? &t->work.j : &t->work.i,
					(col ? t->j_from : t->i_from) + r,
					p->field, to, r, w);
			twin_margins(to, r);
		}
	}
}

static int
twin_do_gather(struct twin *t, const struct twin_task *x)
{
	(void)t;
#ifdef TWIN_EMULATED
	return vs_triples_gather(x->triples, NULL);
#endif
	for (uint32_t k = 0; k < x->triples->n_pivot; k++)
		twin_gather_pivot(x->triples, k);
	return 0;
}

static void
twin_triple(const struct vs_card_triples *t, uint32_t pivot, uint32_t i,
	uint32_t j, struct vs_counted_table *table)
{
	struct vs_card_products n = { 0 };

	*table = (struct vs_counted_table){ .u = t->pivot[pivot].u,
		.i = i,
		.j = j };
	vs_card_triples_add(t, pivot, i, j, 0, 1, &n);
	for (uint32_t c = 0; c < VS_CARD_CLASSES; c++)
		vs_card_triples_cells(t, pivot, i, j, c,
			(const int32_t(*)[VS_CARD_PRODUCTS])(n.of + c),
			VS_CARD_CLASSES, n.all[c], table->n[c]);
	if (t->work.rule.table == VS_DEVICE_ALLELES)
		vs_card_alleles_sums(t->pivot[pivot].genotype, table->n[0],
			table->n[1]);
}

static bool
twin_triple_passes(const struct vs_card_triples *t, uint32_t pivot, uint32_t i,
	uint32_t j)
{
	const struct vs_card_rule *q = &t->work.rule;
	struct vs_association a = { 0 };
	struct vs_counted_table x;

	twin_triple(t, pivot, i, j, &x);
	if (q->table == VS_DEVICE_ALLELES)
		return vs_card_alleles_wants(t, pivot, i, j, x.n[1]);
	for (int y = 0; y < VS_COUNTED_CELLS; y++)
		vs_card_tables_sum(&q->logs, x.n[0][y], x.n[1][y], &a);
	return vs_card_tables_may_pass(q, &a);
}

static int
twin_do_count_triples(struct twin *twin, const struct twin_task *x)
{
	const struct vs_card_triples *t = x->triples;
	const struct vs_card_work *w = &t->work;

	__atomic_add_fetch(&twin->counts, 1, __ATOMIC_RELAXED);
#ifdef TWIN_EMULATED
	return vs_triples_count(t, NULL);
#endif
	for (uint32_t k = 0; k < t->n_pivot; k++)
		for (uint32_t i = w->i_lo; i < w->i_hi; i++)
			for (uint32_t j = w->j_lo; j < w->j_hi; j++) {
				const struct vs_card_cand cand = { .i = i,
					.j = j,
					.sum = { (int32_t)k } };

				if (vs_card_triples_wants(t, k, i, j) &&
					twin_triple_passes(t, k, i, j))
					twin_append(w, &cand);
			}
	return 0;
}

static int
twin_do_list_triples(struct twin *twin, const struct twin_task *x)
{
	const struct vs_card_triples *t = x->triples;
	struct vs_counted_table *out = x->to;

	(void)twin;
#ifdef TWIN_EMULATED
	return vs_triples_list(t, x->lo, x->n, x->to, x->n_out, NULL);
#endif
	for (uint32_t k = x->lo; k < x->lo + x->n; k++) {
		const struct vs_card_cand *c = &t->work.cand[k];

		twin_triple(t, (uint32_t)c->sum[0], c->i, c->j,
			out + (*x->n_out)++);
	}
	return 0;
}

/* Queue a task of triples, copied as a launch's arguments are. */
static int
twin_ask_triples(void *lane, const struct vs_card_triples *t,
	struct twin_task task)
{
	struct vs_card_triples *copy = malloc(sizeof(*copy));

	if (!copy)
		abort();
	*copy = *t;
	task.triples = copy;
	return twin_ask(lane, VS_QUEUE_COUNT, &task);
}

static int
twin_gather(void *lane, const struct vs_card_triples *t)
{
	return twin_ask_triples(lane, t,
		(struct twin_task){ .run = twin_do_gather });
}

static int
twin_count_triples(void *lane, const struct vs_card_triples *t)
{
	return twin_ask_triples(lane, t,
		(struct twin_task){ .run = twin_do_count_triples });
}

static int
twin_list_triples(void *lane, const struct vs_card_triples *t, uint32_t lo,
	uint32_t n, void *out, uint32_t *n_out)
{
	return twin_ask_triples(lane, t,
		(struct twin_task){ .run = twin_do_list_triples,
			.lo = lo,
			.n = n,
			.to = out,
			.n_out = n_out });
}

/* Plane h is not counted here, but has to lie where it is said to. */
static bool
twin_half(void *card)
{
	(void)card;
	return true;
}

static const char *
twin_engine(void *card)
{
	(void)card;
	return "twin";
}

static double
twin_rate(void *card, const struct vs_query *q)
{
	(void)card;
	(void)q;
	return 1e8;
}

static double
twin_rate_triples(void *card, const struct vs_query *q)
{
	const struct twin *t = card;

	(void)q;
	return t->rate > 0 ? t->rate : 1e8;
}

/* Its clock counts launches. */
static void
twin_seconds(void *card, double of[VS_DEVICE_TIMES])
{
	const struct twin *t = card;

	for (int k = 0; k < VS_DEVICE_TIMES; k++)
		of[k] += (double)(t->counts << k);
}

#define TWIN_OPS                                                          \
	{                                                                 \
		twin_space, twin_take, twin_drop, twin_pin, twin_unpin,   \
			twin_open, twin_close, twin_scratch, twin_put,    \
			twin_get, twin_zero, twin_expand, twin_count,     \
			twin_settle, twin_refine, twin_gather,            \
			twin_count_triples, twin_list_triples, twin_note, \
			twin_after, twin_wait, twin_half, twin_engine,    \
			twin_rate, twin_rate_triples, twin_seconds        \
	}

__attribute__((unused)) static const struct vs_card_ops twin_ops = TWIN_OPS;

__attribute__((unused)) static const struct vs_cuda_host twin_host = {
	VS_CUDA_ABI, VS_CUDA_SIZES, vs_fail, vs_mem_grow,
	vs_tables_counted_pairs, vs_counted_triples_add
};

#endif
