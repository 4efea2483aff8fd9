/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/err.h"
#include "libcore/base/mem.h"
#include "libcore/engine/bound.h"
#include "libcore/engine/crew.h"
#include "libcore/plan/comm.h"

#define N_OPEN 2          /* a tile and the one that is begun as it ends */
#define ITEMS_A_THREAD 16 /* of a tile: the last ones are 6 % of its time */
#define ROWS 256          /* fewer in an item do not pay for its columns */
#define BATCH (1u << 17)  /* records of a tile that wait; sorted in cache */

/* Rows [lo, hi) of a strip. */
struct item {
	size_t strip, lo, hi;
	uint64_t cost;
};

/* A tile that is being worked on. */
struct tile {
	bool used, ready; /* this place is taken; the items can be */
	bool held;        /* by the store */
	uint64_t number;  /* of the task: the lower the older */
	struct vs_tile_task task;
	uint64_t pairs, counted;
	struct vs_strip *strip;
	struct item *item;
	size_t n_strip, n_item, room_item, next, left;
	struct vs_found found; /* not with the sink yet */
	bool begun;            /* some are with the sink */
	struct vs_sum sum, renamed;
	double seconds;
};

struct crew {
	const struct vs_crew *c;
	const struct vs_tile_task *task;
	size_t n_task, next;
	struct tile tile[N_OPEN];
	struct vs_found spare; /* memory for the next batch */
	bool opening;          /* some thread begins a tile */
	bool outside;          /* some thread is with the sink, or reads */
	bool stopped;
	int code;
	size_t batch;
	pthread_mutex_t lock; /* of all this */
	pthread_cond_t change;
};

/* What a thread brings to the tile it works for. */
struct hand {
	struct vs_found found; /* first: drain() knows it by this */
	struct crew *crew;
	struct tile *tile;
};

/* ---- cutting a tile into items ---- */

/* The living vectors of block b in panel p. */
static void
living(const struct vs_plan *plan, int64_t b, const struct vs_panel *p,
	size_t *lo, size_t *hi)
{
	uint64_t first, end;

	vs_plan_block(plan, b, &first, &end);
	*lo = (size_t)(first - p->first);
	*hi = (size_t)(end - p->first);
	while (*hi > *lo && p->dead[*hi - 1])
		--*hi;
}

/* Pairs that a span counts. */
static uint64_t
pairs_of(const struct vs_strip *s, size_t lo, size_t hi, size_t col, size_t end)
{
	uint64_t above, below;

	if (!s->diagonal || hi <= col)
		return (hi - lo) * (end - col);
	/* a row past the first column has those behind it */
	above = lo < col ? col - lo : 0;
	lo = lo < col ? col : lo;
	below = (end - 1 - lo + end - hi) * (hi - lo) / 2;
	return above * (end - col) + below;
}

/* Rows that each span of the strip wants; returns their number in all. */
static uint64_t
bound_strip(const struct vs_groups *rows, const struct vs_groups *cols,
	struct vs_strip *s, uint64_t *counted)
{
	size_t lo = s->i_hi, hi = s->i_lo;
	uint64_t cost = 0;

	for (size_t k = 0, col = s->j_lo; col < s->j_hi; k++, col += VS_SPAN) {
		size_t end = s->j_hi - col < VS_SPAN ? s->j_hi : col + VS_SPAN;
		size_t a = s->i_lo, b = s->i_hi;

		if (rows->memory)
			vs_groups_range(rows, cols, col, end, &a, &b);
		if (s->diagonal && b > end - 1)
			b = end - 1;
		if (a >= b)
			continue;
		s->span[k].lo = a;
		s->span[k].hi = b;
		lo = a < lo ? a : lo;
		hi = b > hi ? b : hi;
		cost += b - a;
		*counted += pairs_of(s, a, b, col, end);
	}
	s->i_lo = lo;
	s->i_hi = hi;
	return cost;
}

/* The strips of a tile that have rows, and what they cost. */
static int
make_strips(const struct crew *crew, struct tile *t, uint64_t *cost)
{
	const struct vs_pairs *job = crew->c->job;
	const struct vs_question *q = job->question;
	struct vs_strip whole = { .i = t->task.i,
		.j = t->task.j,
		.diagonal = t->task.bi == t->task.bj };
	size_t step = job->backend->columns(q, (size_t)job->plan->tile);
	struct vs_groups rows = { 0 }, cols = { 0 };
	int code = 0;

	living(job->plan, t->task.bi, whole.i, &whole.i_lo, &whole.i_hi);
	living(job->plan, t->task.bj, whole.j, &whole.j_lo, &whole.j_hi);
	if (whole.i_lo == whole.i_hi || whole.j_lo == whole.j_hi)
		return 0;
	code = vs_new(&t->strip, (whole.j_hi - whole.j_lo + step - 1) / step,
		sizeof(*t->strip), "strips of a tile");
	if (!code && vs_question_prunes(q))
		code = vs_groups_make(&rows, q, whole.i, whole.i_lo,
			whole.i_hi);
	if (!code && vs_question_prunes(q))
		code = vs_groups_make(&cols, q, whole.j, whole.j_lo,
			whole.j_hi);
	for (size_t col = whole.j_lo; col < whole.j_hi && !code; col += step) {
		struct vs_strip *s = &t->strip[t->n_strip];
		uint64_t more;

		*s = whole;
		s->j_lo = col;
		s->j_hi = whole.j_hi - col < step ? whole.j_hi : col + step;
		more = bound_strip(&rows, &cols, s, &t->counted);
		t->n_strip += more > 0;
		*cost += more;
	}
	vs_groups_free(&rows);
	vs_groups_free(&cols);
	return code;
}

static int
by_cost(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return x->cost != y->cost      ? x->cost < y->cost ? 1 : -1
		: x->strip != y->strip ? x->strip > y->strip ? 1 : -1
				       : (x->lo > y->lo) - (x->lo < y->lo);
}

static uint64_t
cost_of(const struct vs_strip *s, size_t lo, size_t hi)
{
	uint64_t cost = 0;

	for (size_t k = 0; k < VS_SPANS; k++) {
		size_t a = s->span[k].lo > lo ? s->span[k].lo : lo;
		size_t b = s->span[k].hi < hi ? s->span[k].hi : hi;

		cost += b > a ? b - a : 0;
	}
	return cost;
}

/* Items of about equal cost, the largest first. */
static int
cut(const struct crew *crew, struct tile *t)
{
	uint64_t cost = 0, share;
	int code = make_strips(crew, t, &cost);

	share = cost / (ITEMS_A_THREAD * (uint64_t)crew->c->job->n_thread) + 1;
	for (size_t k = 0; k < t->n_strip && !code; k++) {
		const struct vs_strip *s = &t->strip[k];
		uint64_t n = cost_of(s, s->i_lo, s->i_hi) / share + 1;
		size_t rows = (s->i_hi - s->i_lo) / n / ROWS * ROWS + ROWS;

		for (size_t lo = s->i_lo; lo < s->i_hi && !code; lo += rows) {
			size_t hi = s->i_hi - lo < rows ? s->i_hi : lo + rows;

			code = vs_grow(&t->item, &t->room_item, t->n_item + 1,
				sizeof(*t->item), "items of a tile");
			if (!code)
				t->item[t->n_item++] = (struct item){ k, lo, hi,
					cost_of(s, lo, hi) };
		}
	}
	if (t->n_item)
		qsort(t->item, t->n_item, sizeof(*t->item), by_cost);
	t->left = t->n_item;
	return code;
}

/* ---- records on their way to the sink ---- */

static bool
is_oldest(const struct crew *crew, const struct tile *t)
{
	for (int k = 0; k < N_OPEN; k++)
		if (crew->tile[k].used && crew->tile[k].number < t->number)
			return false;
	return true;
}

static void
fail(struct crew *crew, int code)
{
	if (code && !crew->code)
		crew->code = code;
}

/*
 * Give the sink what the tile has gathered, last or not. The lock is held, and
 * released meanwhile.
 */
static void
give(struct crew *crew, struct tile *t, bool last)
{
	const struct vs_pairs *job = crew->c->job;
	struct vs_found batch = t->found;
	struct vs_tile_done done = { .bi = t->task.bi,
		.bj = t->task.bj,
		.rec = batch.rec,
		.n = batch.n,
		.last = last,
		.evaluated = t->pairs *
			(uint64_t)__builtin_popcount(job->question->cell_mask),
		.sum = t->sum,
		.renamed = t->renamed,
		.seconds = t->seconds };
	int code;

	crew->outside = true;
	t->begun = true;
	t->found = crew->spare;
	memset(&crew->spare, 0, sizeof(crew->spare));
	pthread_mutex_unlock(&crew->lock);
	vs_record_sort(batch.rec, batch.n);
	code = job->sink(job->ctx, &done);
	pthread_mutex_lock(&crew->lock);
	batch.n = 0;
	free(crew->spare.rec);
	crew->spare = batch;
	crew->outside = false;
	fail(crew, code);
	pthread_cond_broadcast(&crew->change);
}

static void
sum_records(const struct vs_found *found, const struct vs_tile_task *task,
	struct vs_sum *sum, struct vs_sum *renamed)
{
	const struct vs_panel *pi = task->i, *pj = task->j;

	for (size_t k = 0; k < found->n; k++) {
		struct vs_record r = found->rec[k];
		size_t i = (size_t)(r.i - pi->first);
		size_t j = (size_t)(r.j - pj->first);
		int64_t source[3] = { pi->source[i], pj->source[j], 0 };
		uint8_t flip[3] = { pi->flip[i], pj->flip[j], 0 };

		vs_sum_record(sum, r.i, r.j, r.k, r.cell, r.value);
		vs_record_rename(&r, source, flip);
		vs_sum_record(renamed, r.i, r.j, r.k, r.cell, r.value);
	}
}

/*
 * What a thread has found goes to its tile. Where that is full the oldest tile
 * makes room by a batch for the sink; a younger one has to wait until it is
 * the oldest, since no two may be half-written. The oldest never waits for
 * another, so all get on.
 */
static int
gather(struct vs_found *found)
{
	struct hand *hand = (struct hand *)found;
	struct crew *crew = hand->crew;
	struct tile *t = hand->tile;
	struct vs_sum sum = { { 0 } }, renamed = { { 0 } };
	int code;

	sum_records(found, &t->task, &sum, &renamed);
	pthread_mutex_lock(&crew->lock);
	while (t->found.n && t->found.n + found->n > crew->batch && !crew->code)
		if (!crew->outside && is_oldest(crew, t))
			give(crew, t, false);
		else
			pthread_cond_wait(&crew->change, &crew->lock);
	code = crew->code;
	if (!code)
		code = vs_grow(&t->found.rec, &t->found.room,
			t->found.n + found->n, sizeof(*found->rec),
			"records of a tile");
	if (!code && found->n) {
		memcpy(t->found.rec + t->found.n, found->rec,
			found->n * sizeof(*found->rec));
		t->found.n += found->n;
		vs_sum_add(&t->sum, &sum);
		vs_sum_add(&t->renamed, &renamed);
	}
	pthread_mutex_unlock(&crew->lock);
	found->n = 0;
	return code;
}

/* Its place is free. */
static void
clear(struct crew *crew, struct tile *t)
{
	if (t->held) {
		vs_store_drop(crew->c->store, t->task.i);
		vs_store_drop(crew->c->store, t->task.j);
	}
	free(t->strip);
	free(t->item);
	free(t->found.rec);
	memset(t, 0, sizeof(*t));
}

/* A tile whose items are all done goes to the sink, and its place is free. */
static void
finish(struct crew *crew, struct tile *t)
{
	const struct tile *other = t == crew->tile ? t + 1 : t - 1;

	while (!crew->code && (crew->outside || (other->used && other->begun)))
		pthread_cond_wait(&crew->change, &crew->lock);
	if (!crew->code) {
		give(crew, t, true);
		crew->c->stats->pairs += t->pairs;
		crew->c->stats->counted += t->counted;
	}
	clear(crew, t);
	pthread_cond_broadcast(&crew->change);
}

/* ---- what a thread does; the lock is held on entry and exit ---- */

/* The blocks of a tile, where they are read when needed. */
static int
hold(struct crew *crew, struct vs_tile_task *task)
{
	struct vs_store *store = crew->c->store;
	const struct vs_panel *i, *j;
	int code = vs_store_hold(store, task->bi, &i);

	if (code)
		return code;
	code = vs_store_hold(store, task->bj, &j);
	if (code) {
		vs_store_drop(store, i);
		return code;
	}
	task->i = i;
	task->j = j;
	return 0;
}

static void
open_next(struct crew *crew, struct tile *t)
{
	int code = 0;

	t->used = crew->opening = true;
	t->number = crew->next++;
	t->task = crew->task[t->number];
	t->pairs = vs_plan_pairs(crew->c->job->plan, t->task.bi, t->task.bj);
	if (crew->c->store) {
		while (crew->outside)
			pthread_cond_wait(&crew->change, &crew->lock);
		crew->outside = true;
		pthread_mutex_unlock(&crew->lock);
		code = hold(crew, &t->task);
		pthread_mutex_lock(&crew->lock);
		t->held = !code;
		crew->outside = false;
		pthread_cond_broadcast(&crew->change);
	}
	pthread_mutex_unlock(&crew->lock);
	if (!code)
		code = cut(crew, t);
	pthread_mutex_lock(&crew->lock);
	fail(crew, code);
	t->ready = true;
	crew->opening = false;
	pthread_cond_broadcast(&crew->change);
	if (!t->n_item)
		finish(crew, t);
}

static void
do_item(struct crew *crew, int thread, struct tile *t, struct hand *hand)
{
	const struct item *item = &t->item[t->next++];
	struct vs_strip work = t->strip[item->strip];
	const struct vs_pairs *job = crew->c->job;
	double started = vs_clock();
	int code;

	pthread_mutex_unlock(&crew->lock);
	work.i_lo = item->lo;
	work.i_hi = item->hi;
	hand->tile = t;
	code = job->backend->strip(crew->c->backend, thread, &work,
		&hand->found);
	if (!code)
		code = gather(&hand->found);
	pthread_mutex_lock(&crew->lock);
	fail(crew, code);
	t->seconds += vs_clock() - started;
	crew->c->stats->spared += hand->found.spared;
	hand->found.spared = 0;
	if (!--t->left)
		finish(crew, t);
}

/* The oldest tile that has an item to take, or null. */
static struct tile *
find_work(struct crew *crew)
{
	struct tile *best = NULL;

	for (int k = 0; k < N_OPEN; k++) {
		struct tile *t = &crew->tile[k];

		if (t->ready && t->next < t->n_item &&
			(!best || t->number < best->number))
			best = t;
	}
	return best;
}

static struct tile *
find_place(struct crew *crew)
{
	if (crew->next < crew->n_task && !crew->stopped && !crew->opening)
		for (int k = 0; k < N_OPEN; k++)
			if (!crew->tile[k].used)
				return &crew->tile[k];
	return NULL;
}

/* The first thread has the word with the world outside. */
static void
look_round(struct crew *crew)
{
	const struct vs_pairs *job = crew->c->job;
	double pairs = (double)crew->c->stats->pairs;
	bool stop;

	for (int k = 0; k < N_OPEN; k++) {
		const struct tile *t = &crew->tile[k];

		if (t->ready && t->n_item)
			pairs += (double)t->pairs *
				(double)(t->n_item - t->left) /
				(double)t->n_item;
	}
	pthread_mutex_unlock(&crew->lock);
	vs_comm_poke();
	if (job->tick)
		job->tick(job->ctx, (uint64_t)pairs);
	stop = job->stop && job->stop(job->ctx);
	pthread_mutex_lock(&crew->lock);
	crew->stopped |= stop;
}

static void
work(struct crew *crew, int thread)
{
	struct hand hand = { .found.drain = gather, .crew = crew };

	pthread_mutex_lock(&crew->lock);
	while (!crew->code) {
		struct tile *t = find_work(crew), *place = find_place(crew);
		bool busy = false;

		for (int k = 0; k < N_OPEN; k++)
			busy |= crew->tile[k].used;
		/* the next tile's blocks are read while others count */
		if (place)
			open_next(crew, place);
		else if (t)
			do_item(crew, thread, t, &hand);
		else if (busy)
			pthread_cond_wait(&crew->change, &crew->lock);
		else
			break;
		if (!thread)
			look_round(crew);
	}
	pthread_cond_broadcast(&crew->change);
	pthread_mutex_unlock(&crew->lock);
	free(hand.found.rec);
}

int
vs_crew_run(const struct vs_crew *c, const struct vs_tile_task *task, size_t n)
{
	struct crew crew = { .c = c,
		.task = task,
		.n_task = n,
		.batch = c->job->batch ? c->job->batch : BATCH,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.change = PTHREAD_COND_INITIALIZER };

#pragma omp parallel num_threads(c->job->n_thread)
	work(&crew, omp_get_thread_num());
	for (int k = 0; k < N_OPEN; k++)
		clear(&crew, &crew.tile[k]);
	free(crew.spare.rec);
	return crew.code ? crew.code : crew.stopped ? VS_DONE : 0;
}

/* Open tiles, the spare, one being sorted; arrays grow by half. */
#define BATCH_BYTES ((N_OPEN + 2) * sizeof(struct vs_record) * 3 / 2)

size_t
vs_crew_batch(uint64_t bytes)
{
	uint64_t n = bytes / BATCH_BYTES;

	return n < VS_FOUND / 4 ? VS_FOUND / 4 : n < BATCH ? (size_t)n : BATCH;
}

size_t
vs_crew_bytes(const struct vs_pairs *job)
{
	size_t batch = job->batch ? job->batch : BATCH;

	return batch * BATCH_BYTES +
		(size_t)job->n_thread * VS_FOUND * sizeof(struct vs_record) * 3;
}
