/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/err.h"
#include "libcore/base/mem.h"
#include "libcore/engine/crew.h"
#include "libcore/engine/store.h"
#include "libcore/plan/comm.h"

#define SECONDS_A_TILE 2
#define MOST_STREAMED 64 /* blocks: each is read nearly as often */

/* This rank's state over the steps of the ring. */
struct ring {
	const struct vs_pairs *job;
	struct vs_crew *crew;
	struct vs_panel own, held, next;
	int rank;
	int code; /* first failure; VS_DONE: stopped */
};

/* The tiles of one step. */
struct list {
	struct vs_tile_task *task;
	size_t n, room;
};

static int
add_tile(const struct vs_pairs *job, struct list *list, int64_t bi, int64_t bj,
	const struct vs_panel *i, const struct vs_panel *j)
{
	uint64_t t = vs_plan_number(job->plan, bi, bj);
	struct vs_tile_task task = { .bi = bi, .bj = bj, .i = i, .j = j };
	int code;

	if (job->done && job->done[t / 64] >> (t % 64) & 1)
		return 0;
	if (!job->stream) {
		task.i_at = (size_t)vs_plan_place(job->plan, bi);
		task.j_at = (size_t)vs_plan_place(job->plan, bj);
	}
	code = vs_grow(&list->task, &list->room, list->n + 1,
		sizeof(*list->task), "list of tiles");
	if (!code)
		list->task[list->n++] = task;
	return code;
}

static int
list_step(const struct ring *ring, int step, struct list *list)
{
	const struct vs_plan *plan = ring->job->plan;
	const struct vs_panel *own = &ring->own;
	const struct vs_panel *met = step ? &ring->held : own;
	int met_rank = vs_plan_partner(plan, ring->rank, step), code = 0;
	int64_t n = vs_plan_n_own(plan, ring->rank);
	int64_t n_met = vs_plan_n_own(plan, met_rank);

	list->n = 0;
	/* there and back, so that the next tile shares a block */
	for (int64_t x = 0; x < n; x++)
		for (int64_t k = 0; k < n_met && !code; k++) {
			int64_t y = x % 2 ? n_met - 1 - k : k;
			int64_t a = vs_plan_own(plan, ring->rank, x);
			int64_t b = vs_plan_own(plan, met_rank, y);

			if (vs_plan_mine(plan, ring->rank, step, a, b))
				code = a <= b ? add_tile(ring->job, list, a, b,
							own, met)
					      : add_tile(ring->job, list, b, a,
							met, own);
		}
	return code;
}

static void
pass_on(struct ring *ring, int step)
{
	const struct vs_plan *plan = ring->job->plan;
	const struct vs_panel *out = step ? &ring->held : &ring->own;
	int left = (ring->rank + plan->n_rank - 1) % plan->n_rank;
	int right = (ring->rank + 1) % plan->n_rank;

	/* every panel was allocated for the most any rank owns */
	vs_comm_exchange(out->vec.word, out->bytes, left, ring->next.vec.word,
		ring->next.bytes, right);
}

/* What travelled is the memory alone; whose it is follows from the plan. */
static void
take_over(struct ring *ring, int step)
{
	const struct vs_plan *plan = ring->job->plan;
	int whose = vs_plan_partner(plan, ring->rank, step);
	struct vs_panel t = ring->held;
	uint64_t unused;
	double started = vs_clock();

	vs_comm_wait();
	vs_crew_forget(ring->crew, &ring->held);
	ring->crew->stats->seconds_wait += vs_clock() - started;
	ring->held = ring->next;
	ring->next = t;
	vs_plan_block(plan, vs_plan_own(plan, whose, 0), &ring->held.first,
		&unused);
	ring->held.n_vec = (size_t)vs_plan_held(plan, whose);
}

/* The blocks of this rank; neighbours at once. */
static int
load_own(struct ring *ring)
{
	const struct vs_pairs *job = ring->job;
	const struct vs_plan *plan = job->plan;
	int64_t n = vs_plan_n_own(plan, ring->rank), k = plan->n_common;
	uint64_t lo, hi;
	int code = 0;

	if (plan->n_rank == 1)
		return n ? job->load(job->ctx, 0, plan->n_vec, &ring->own) : 0;
	vs_plan_block(plan, k, &lo, &hi);
	if (k)
		code = job->load(job->ctx, 0, lo, &ring->own);
	for (; k < n && !code; k++) {
		vs_plan_block(plan, vs_plan_own(plan, ring->rank, k), &lo, &hi);
		code = job->load(job->ctx, lo, hi, &ring->own);
	}
	return code;
}

/*
 * Panels a rank has memory for: its own; one that comes, of two or three ranks;
 * of more, one that is met while another comes.
 */
static int
n_panel(const struct vs_plan *plan)
{
	int n = vs_plan_n_step(plan);

	return n < 3 ? n : 3;
}

static int
begin_ring(struct ring *ring)
{
	const struct vs_pairs *job = ring->job;
	const struct vs_question *q = job->question;
	size_t most = (size_t)vs_plan_most(job->plan);
	int code = vs_panel_room_of(&ring->own, q->element, most, q->n_field);

	if (!code && n_panel(job->plan) > 1)
		code = vs_panel_room_of(&ring->next, q->element, most,
			q->n_field);
	if (!code && n_panel(job->plan) > 2)
		code = vs_panel_room_of(&ring->held, q->element, most,
			q->n_field);
	if (!code)
		code = load_own(ring);
	return code ? code : vs_pairs_arrange(job, &ring->own);
}

static int
begin(struct ring *ring)
{
	return ring->job->stream ? vs_store_new(&ring->crew->store, ring->crew)
				 : begin_ring(ring);
}

static void
end(struct ring *ring)
{
	struct vs_store *store = ring->crew->store;

	/* what computes knows the panels */
	vs_crew_close(ring->crew);
	vs_store_free(store);
	vs_panel_free(&ring->own);
	vs_panel_free(&ring->held);
	vs_panel_free(&ring->next);
}

int
vs_pairs_run(struct vs_crew *crew, struct vs_pairs_stats *stats)
{
	const struct vs_pairs *job = crew->job;
	struct ring ring = { .job = job, .crew = crew, .rank = vs_comm_rank() };
	int n_step = vs_plan_n_step(job->plan);
	struct list list = { 0 };
	double *rising = job->question->rising, started = vs_clock();
	bool speaker;

	memset(stats, 0, sizeof(*stats));
	crew->stats = stats;
	ring.code = begin(&ring);
	stats->seconds_input = vs_clock() - started;
	/* all have their panels, or nobody starts to pass them on */
	if (vs_comm_agree(ring.code, &speaker) < 0) {
		if (!ring.code)
			ring.code = VS_DONE;
		n_step = 0;
	}
	if (rising && n_step)
		vs_comm_most_begin(-INFINITY);
	for (int s = 0; s < n_step; s++) {
		if (s && !job->stream)
			take_over(&ring, s);
		if (s + 1 < n_step && !job->stream)
			pass_on(&ring, s);
		if (!ring.code)
			ring.code = list_step(&ring, s, &list);
		started = vs_clock();
		if (!ring.code)
			ring.code = vs_crew_run(crew, list.task, list.n);
		stats->seconds_compute += vs_clock() - started;
	}
	if (rising && n_step)
		vs_comm_most_end(*rising);
	free(list.task);
	end(&ring);
	return ring.code;
}

uint64_t
vs_pairs_bytes(const struct vs_pairs *job)
{
	const struct vs_question *q = job->question;
	uint64_t most = vs_plan_most(job->plan);
	uint64_t panel =
		most * vs_panel_bytes(q->element, q->n_field) + VS_PANEL_MORE;
	uint64_t tile = (uint64_t)job->plan->tile;
	uint64_t vectors = job->stream ? vs_store_bytes(q, tile)
				       : panel * (uint64_t)n_panel(job->plan);

	return vectors + vs_crew_bytes(job);
}

/* Pairs of a tile that a rank counts in some seconds. */
static double
pairs_of_tile(const struct vs_pairs *job)
{
	const struct vs_question *q = job->question;

	return SECONDS_A_TILE * vs_crew_rate(job) / fmax((double)q->n_field, 1);
}

/* The largest blocks that can be streamed in so much memory. */
static int64_t
fitting(const struct vs_pairs *job, uint64_t memory)
{
	const struct vs_question *q = job->question;
	uint64_t fixed = vs_crew_bytes(job);

	return memory > fixed
		? (int64_t)((memory - fixed) / vs_store_bytes(q, 1))
		: 0;
}

int
vs_pairs_plan(struct vs_pairs *job, struct vs_plan *plan, uint64_t n_vec,
	int64_t tile, uint64_t memory)
{
	const struct vs_between all = { .n_both = n_vec },
				*of = job->between ? job->between : &all;
	int n_rank = vs_comm_size();
	int64_t choice[2];
	int code = vs_plan_between(plan, of, n_rank,
		tile ? tile
		     : vs_plan_tile(vs_plan_extent(of), n_rank,
			       pairs_of_tile(job), job->question->rounds));

	if (code)
		return code;
	job->plan = plan;
	job->stream = false;
	job->stream = vs_pairs_bytes(job) > memory;
	if (job->stream && !job->batch)
		job->batch = vs_crew_batch(memory / 4);
	choice[0] = plan->tile;
	if (job->stream && !tile) {
		int64_t least =
			(int64_t)(vs_plan_extent(of) / MOST_STREAMED) + 1;
		int64_t edge = fitting(job, memory);

		edge = edge < least ? least : edge;
		choice[0] = edge < plan->tile ? edge : plan->tile;
	}
	/* processors may differ, the plan may not */
	choice[1] = job->stream;
	vs_comm_share(choice, sizeof(choice));
	job->stream = choice[1];
	code = vs_plan_between(plan, of, n_rank, choice[0]);
	if (!code && vs_pairs_bytes(job) > memory)
		code = vs_fail(VS_EMACHINE,
			"%llu MB of memory needed for tiles of %lld vectors "
			"and %llu MB allowed",
			(unsigned long long)(vs_pairs_bytes(job) >> 20),
			(long long)plan->tile,
			(unsigned long long)(memory >> 20));
	return code;
}
