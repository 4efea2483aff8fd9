/* SPDX-License-Identifier: BSD-3-Clause */
/* LRU cache of vector blocks, pinned while a tile uses them. */
#include <pthread.h>
#include <stdlib.h>

#include "libcore/base/clock.h"
#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary_kind.h"
#include "libcore/engine/prune/block_bound.h"
#include "libcore/engine/prune/representatives.h"
#include "libcore/engine/query.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/held_vectors.h"
#include "libcore/kern/dots/joint_dots.h"
#include "libcore/kern/minima/minima.h"
#include "libcore/metric/inner.h"

/* means are per pair; the total is 0 if all numbers are */
static void
scale(const struct vs_query *q, struct vs_panel *p, size_t v)
{
	const double *x = vs_numbers_of(&p->number, v);
	struct vs_joint_dots d;

	vs_panel_centre(p, v, false, false);
	vs_joint_dots(q->cpu, x, x, q->n_field, (double[]){ 0, 0 }, &d);
	p->total[v] = d.p;
}

/*
 * Centre the numbers of all vectors of a panel as the query's metric requires,
 * and set their totals to v of libcore/metric/inner.h. A vector of 0 has the
 * value 0 with any other. With missing entries, numbers are only scaled by a
 * power of two, and totals are sums of squares. The same totals serve
 * distances, for which numbers stay unchanged.
 */
static void
make_inner_norms(const struct vs_query *q, struct vs_panel *p, int n_thread)
{
	const struct vs_minima *k =
		vs_registry_inner_pick(q->cpu, q->element, q->bits, NULL);
	const double n = (double)q->n_field;

#pragma omp parallel for num_threads(n_thread) schedule(static)
	for (size_t v = 0; v < p->n_vec; v++) {
		const void *x = vs_numbers_of(&p->number, v);

		vs_float_env_set();
		if (q->has_missing) {
			scale(q, p, v);
			continue;
		}
		if (!vs_metric_is_distance(q->metric))
			vs_panel_centre(p, v, q->metric->centred, q->whole);
		p->total[v] =
			vs_inner_norm(n, k->one(x, x, q->n_field), p->sum[v]);
	}
}

#define COMING 8 /* blocks that threads load at a time, beyond their number */

/* A block, or none: block is -1. */
struct slot {
	struct vs_panel panel;
	int64_t block;
	bool coming; /* its vectors have not arrived yet */
	bool raw;    /* they are not sorted yet */
	int holders;
	uint64_t used; /* when it was last held */
	uint64_t kept; /* the last round in which it was kept */
};

struct vs_block_cache {
	const struct vs_job *job;
	struct vs_held_vectors *held;
	void (*forget)(void *ctx, const struct vs_panel *panel);
	void *ctx;
	struct slot *slot;
	int n_slot;
	int32_t *at;            /* the slot of each block, or -1 */
	uint64_t n_pin;         /* clock for `used` */
	uint64_t round;         /* round of blocks that are kept */
	int64_t coming[COMING]; /* blocks, or -1 */
	bool loading;           /* some thread is in the job's load() */
	pthread_mutex_t lock;
	pthread_cond_t change; /* signals that a block has arrived */
};

/* End of the block that begins at lo; panels hold whole blocks. */
static size_t
block_end(const struct vs_plan *plan, const struct vs_panel *p, size_t lo)
{
	uint64_t from, end;

	vs_plan_block(plan, vs_plan_find(plan, p->first + p->row[lo]), &from,
		&end);
	return lo + (size_t)(end - from);
}

/*
 * The order in which bounds of groups of vectors work best. Correlation depends
 * on a vector's spread, which follows from both of its genotype counts: with
 * neighbours alike in both, r2 at 0.8 for alleles of 5 % and more, 100,000 x
 * 2504, is 1.5 times faster. CCC is 1.1 times slower then, as row filters need
 * similar frequencies.
 */
static unsigned
order_of(const struct vs_query *q)
{
	unsigned order = 0;

	/* in a step, neighbours have one cell of a summary */
	if (q->summary)
		return VS_PANEL_BY_EIGHTHS;
	/* numbers are sorted by their totals alone */
	if (!vs_query_prunes(q) || vs_element_is_number(q->element))
		return 0;
	if (q->has_missing)
		order |= VS_PANEL_BY_MISSING;
	if (vs_query_family(q) == VS_FAMILY_MOMENTS)
		order |= VS_PANEL_BY_TWOS;
	return order;
}

/*
 * True if vectors are sorted: with the rarer one as the row, pairs are counted
 * twice as fast. If all pass, records would need sorting; and a summary has
 * longer runs of one cell, or finds wanted neighbours together, in file order.
 */
static bool
is_sorted(const struct vs_job *job, const struct vs_panel *p)
{
	const struct vs_query *q = job->query;

	if (vs_query_prunes(q) || p->total)
		return vs_query_prunes(q);
	return q->summary
		? !q->summary->ranges && !vs_wanted_is_by_place(job->wanted)
		: !vs_query_takes_all(q);
}

int
vs_block_cache_arrange(const struct vs_job *job, struct vs_panel *p)
{
	const struct vs_query *q = job->query;
	size_t n = p->n_vec, hi;
	int32_t gap = p->total ? 0 : vs_representatives_most_gap(q);
	bool single = vs_query_prunes(q) &&
		!vs_query_without(q, VS_WITHOUT_SINGLE_VECTOR);
	/* a block is part of all vectors, sorted */
	const bool ordered = vs_wanted_is_by_order(job->wanted);
	int code = 0;

	if (vs_query_family(q) == VS_FAMILY_INNER)
		make_inner_norms(q, p, job->n_thread);
	if (vs_job_is_band(job))
		return 0;
		/* some may be known to be dead */
#pragma omp parallel for num_threads(job->n_thread)
	for (size_t v = 0; v < (single ? n : 0); v++) {
		vs_float_env_set();
		if (!p->dead[v])
			p->dead[v] = p->total ? !p->total[v]
					      : !vs_block_bound_passes(q, p, v);
	}
	for (size_t lo = 0; lo < n && !code; lo = hi) {
		hi = block_end(job->plan, p, lo);
		if (gap)
			vs_panel_follow(p, lo, hi, q->lead, gap, job->n_thread);
		if (is_sorted(job, p))
			code = vs_panel_sort(p, lo, hi, order_of(q),
				ordered ? job->plan->n_vec : hi - lo,
				job->n_thread);
	}
	if (!code && !p->total && vs_query_prunes(q))
		vs_panel_count_first(p, q->lead, job->n_thread);
	return code;
}

static uint64_t
slot_bytes(const struct vs_job *job)
{
	return vs_block_cache_bytes(job->query, (uint64_t)job->plan->tile) /
		VS_BLOCK_CACHE_LEAST;
}

uint64_t
vs_block_cache_most(const struct vs_block_cache *s)
{
	return (uint64_t)s->n_slot * slot_bytes(s->job);
}

int
vs_block_cache_n_slot(const struct vs_block_cache *s)
{
	return s->n_slot;
}

int
vs_block_cache_slots(const struct vs_job *job, uint64_t memory)
{
	uint64_t n = memory / slot_bytes(job);

	if (n > (uint64_t)job->plan->n_block)
		n = (uint64_t)job->plan->n_block;
	return n > VS_BLOCK_CACHE_LEAST ? (int)n : VS_BLOCK_CACHE_LEAST;
}

int
vs_block_cache_new(struct vs_block_cache **out, const struct vs_job *job,
	struct vs_held_vectors *held, uint64_t memory,
	void (*forget)(void *ctx, const struct vs_panel *panel), void *ctx)
{
	const size_t n_block = (size_t)job->plan->n_block;
	struct vs_block_cache *s = NULL;
	int code = vs_mem_new(&s, 1, sizeof(*s), "blocks");

	if (code)
		return code;
	s->n_slot = vs_block_cache_slots(job, memory);
	code = vs_mem_new(&s->slot, (size_t)s->n_slot, sizeof(*s->slot),
		"blocks");
	VS_MEM_ROOM(&code, s->at, n_block, "blocks");
	if (code) {
		free(s->slot);
		free(s);
		return code;
	}
	s->job = job;
	s->held = held;
	s->forget = forget;
	s->ctx = ctx;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->change, NULL);
	for (int k = 0; k < s->n_slot; k++)
		s->slot[k].block = -1;
	for (size_t b = 0; b < n_block; b++)
		s->at[b] = -1;
	for (int k = 0; k < COMING; k++)
		s->coming[k] = -1;
	*out = s;
	return 0;
}

void
vs_block_cache_free(struct vs_block_cache *s)
{
	if (!s)
		return;
	for (int k = 0; k < s->n_slot; k++) {
		s->forget(s->ctx, &s->slot[k].panel);
		vs_panel_free(&s->slot[k].panel);
	}
	pthread_cond_destroy(&s->change);
	pthread_mutex_destroy(&s->lock);
	free(s->at);
	free(s->slot);
	free(s);
}

/* ---- slots; the lock is held ---- */

static struct slot *
find(const struct vs_block_cache *s, int64_t b)
{
	return s->at[b] < 0 ? NULL : &s->slot[s->at[b]];
}

/* The slot not held for longest, among those not kept in this round; round 0
 * keeps none. Null: there is none. */
static struct slot *
find_oldest(const struct vs_block_cache *s, uint64_t round)
{
	struct slot *best = NULL;

	for (int k = 0; k < s->n_slot; k++) {
		struct slot *x = &s->slot[k];

		if (!x->holders && !x->coming && !(round && x->kept == round) &&
			(!best || x->used < best->used))
			best = x;
	}
	return best;
}

static void
clear(struct vs_block_cache *s, struct slot *x)
{
	if (x->block >= 0)
		s->at[x->block] = -1;
	x->block = -1;
	x->used = 0;
	x->coming = x->raw = false;
}

/* Take a slot for block b, which is to be loaded. */
static void
claim(struct vs_block_cache *s, struct slot *x, int64_t b)
{
	clear(s, x);
	x->block = b;
	x->coming = true;
	x->used = ++s->n_pin;
	s->at[b] = (int32_t)(x - s->slot);
	s->forget(s->ctx, &x->panel);
}

/* Note that a block is being loaded or, up to -1, no longer is. */
static void
note_coming(struct vs_block_cache *s, int64_t from, int64_t to)
{
	int k = 0;

	while (k < COMING && s->coming[k] != from)
		k++;
	if (k < COMING)
		s->coming[k] = to;
}

static int
read_block(const struct vs_block_cache *s, int64_t b, struct vs_panel *p)
{
	const struct vs_job *job = s->job;
	uint64_t lo, hi;
	int code = p->vec.word
		? 0
		: vs_panel_room_of(p, job->query->element,
			  (size_t)job->plan->tile, job->query->n_field);

	vs_plan_block(job->plan, b, &lo, &hi);
	p->n_vec = 0;
	if (!code && s->held)
		vs_held_vectors_load(s->held, lo, hi, p);
	else if (!code)
		code = job->load(job->ctx, lo, hi, p);
	return code;
}

/* Load the block of a slot; the lock is released meanwhile. */
static int
load(struct vs_block_cache *s, struct slot *x)
{
	const int64_t b = x->block;
	int code;

	note_coming(s, -1, b);
	/* only one thread at a time calls the job's load() */
	while (s->loading)
		pthread_cond_wait(&s->change, &s->lock);
	s->loading = !s->held;
	pthread_mutex_unlock(&s->lock);
	code = read_block(s, b, &x->panel);
	pthread_mutex_lock(&s->lock);
	note_coming(s, b, -1);
	s->loading = x->coming = false;
	x->raw = true;
	if (code)
		clear(s, x);
	pthread_cond_broadcast(&s->change);
	return code;
}

/* The slot is held. */
static int
arrange(struct vs_block_cache *s, struct slot *x)
{
	int code;

	pthread_mutex_unlock(&s->lock);
	code = vs_block_cache_arrange(s->job, &x->panel);
	pthread_mutex_lock(&s->lock);
	x->raw = false;
	if (code)
		clear(s, x);
	return code;
}

/* The slot of block b, or one to load it into. Waits if it is being loaded, or
 * if all slots are held or being loaded. */
static struct slot *
await(struct vs_block_cache *s, int64_t b)
{
	for (;;) {
		struct slot *x = find(s, b);

		if (x && !x->coming)
			return x;
		if (!x && !(x = find_oldest(s, s->round)))
			x = find_oldest(s, 0);
		if (x && !x->coming)
			return x;
		pthread_cond_wait(&s->change, &s->lock);
	}
}

/* ---- for the present tiles ---- */

int
vs_block_cache_pin(struct vs_block_cache *s, int64_t b,
	const struct vs_panel **panel, double *waited)
{
	const double began = vs_clock();
	struct slot *x;
	int code = 0;

	pthread_mutex_lock(&s->lock);
	x = await(s, b);
	x->holders++;
	x->used = ++s->n_pin;
	if (x->block != b) {
		claim(s, x, b);
		code = load(s, x);
	}
	*waited += vs_clock() - began;
	if (!code && x->raw)
		code = arrange(s, x);
	if (code)
		x->holders--;
	pthread_mutex_unlock(&s->lock);
	if (!code)
		*panel = &x->panel;
	return code;
}

void
vs_block_cache_unpin(struct vs_block_cache *s, const struct vs_panel *panel)
{
	pthread_mutex_lock(&s->lock);
	for (int k = 0; k < s->n_slot; k++)
		if (&s->slot[k].panel == panel)
			s->slot[k].holders--;
	pthread_mutex_unlock(&s->lock);
}

/* ---- for coming tiles ---- */

void
vs_block_cache_keep_none(struct vs_block_cache *s)
{
	pthread_mutex_lock(&s->lock);
	s->round++;
	pthread_mutex_unlock(&s->lock);
}

bool
vs_block_cache_keep(struct vs_block_cache *s, int64_t b)
{
	struct slot *x;

	pthread_mutex_lock(&s->lock);
	x = find(s, b);
	if (x)
		x->kept = s->round;
	pthread_mutex_unlock(&s->lock);
	return x;
}

static int
holder_of(const struct vs_block_cache *s, int64_t b)
{
	uint64_t lo, hi;

	vs_plan_block(s->job->plan, b, &lo, &hi);
	return vs_held_vectors_holder(s->held, lo);
}

bool
vs_block_cache_is_apart(struct vs_block_cache *s, int64_t b)
{
	bool apart = true;

	if (!s->held)
		return true;
	pthread_mutex_lock(&s->lock);
	for (int k = 0; k < COMING; k++)
		apart &= s->coming[k] < 0 ||
			holder_of(s, s->coming[k]) != holder_of(s, b);
	pthread_mutex_unlock(&s->lock);
	return apart;
}

void *
vs_block_cache_claim(struct vs_block_cache *s, int64_t b)
{
	struct slot *x;

	pthread_mutex_lock(&s->lock);
	x = find_oldest(s, s->round);
	if (x)
		claim(s, x, b);
	pthread_mutex_unlock(&s->lock);
	return x;
}

int
vs_block_cache_load(struct vs_block_cache *s, void *claimed)
{
	int code;

	pthread_mutex_lock(&s->lock);
	code = load(s, claimed);
	pthread_mutex_unlock(&s->lock);
	return code;
}

uint64_t
vs_block_cache_bytes(const struct vs_query *q, uint64_t n_vec)
{
	return VS_BLOCK_CACHE_LEAST *
		(n_vec * vs_panel_bytes(q->element, q->n_field) +
			VS_PANEL_MORE);
}
