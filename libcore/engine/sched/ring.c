/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring exchange of panels: each rank passes on the vectors that it has met. */
#include <time.h>

#include "libcore/base/thread.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/ring.h"
#include "libcore/plan/comm.h"

/*
 * MPI over TCP sends and receives only during calls, 128 KiB or more per call:
 * that much every half millisecond is 2 Gbit/s.
 */
#define MOVE_NANOSECONDS 500000

/* True if an exchange follows the one begun last. */
static bool
is_more(const struct vs_ring *ring)
{
	return ring->exchange + 2 < vs_plan_n_step(ring->job->plan);
}

/*
 * Pass on the panel of the rank's step once all of it has arrived and the next
 * panel has the memory of one that has left.
 */
static void
pass_on(struct vs_ring *ring)
{
	const struct vs_panel *out = ring->step ? &ring->current : &ring->own;
	const int n_rank = ring->job->plan->n_rank;

	if (!is_more(ring) || ring->exchange == ring->step ||
		!vs_comm_arrived())
		return;
	ring->exchange = ring->step;
	/* every panel is allocated for the largest share of a rank; its counts
	 * come before the vectors */
	vs_comm_exchange(out->vec.word, (ring->rank + n_rank - 1) % n_rank,
		ring->next.vec.word, (ring->rank + 1) % n_rank, out->bytes,
		(size_t)((char *)out->source - (char *)out->vec.word));
}

static void
advance(struct vs_ring *ring)
{
	pthread_mutex_lock(&ring->lock);
	pass_on(ring);
	pthread_mutex_unlock(&ring->lock);
}

static void *
move(void *ctx)
{
	const struct timespec moment = { .tv_nsec = MOVE_NANOSECONDS };
	struct vs_ring *ring = ctx;

	pthread_mutex_lock(&ring->lock);
	for (;;) {
		pass_on(ring);
		if (!vs_comm_arrived()) {
			pthread_mutex_unlock(&ring->lock);
			nanosleep(&moment, NULL);
			pthread_mutex_lock(&ring->lock);
		} else if (is_more(ring)) {
			/* the rank is about to begin a step */
			pthread_cond_wait(&ring->change, &ring->lock);
		} else {
			break;
		}
	}
	pthread_mutex_unlock(&ring->lock);
	return NULL;
}

/* Only the memory travels; its owner follows from the plan. */
static void
rotate(struct vs_ring *ring, int step)
{
	const struct vs_plan *plan = ring->job->plan;
	int whose = vs_plan_partner(plan, ring->rank, step);
	struct vs_panel t = ring->current;
	uint64_t unused;

	vs_thread_pool_forget(ring->pool, &ring->current);
	ring->current = ring->next;
	ring->next = t;
	vs_plan_block(plan, vs_plan_own(plan, whose, 0), &ring->current.first,
		&unused);
	ring->current.n_vec = (size_t)vs_plan_held(plan, whose);
}

bool
vs_ring_may_step(struct vs_ring *ring, int step)
{
	bool may;

	pthread_mutex_lock(&ring->lock);
	pass_on(ring);
	may = ring->exchange >= step - 1;
	pthread_mutex_unlock(&ring->lock);
	return may;
}

void
vs_ring_step(struct vs_ring *ring, int step)
{
	pthread_mutex_lock(&ring->lock);
	if (step)
		rotate(ring, step);
	ring->step = step;
	pass_on(ring);
	pthread_cond_signal(&ring->change);
	pthread_mutex_unlock(&ring->lock);
	/* without a thread it progresses in calls of vs_comm_poke() */
	if (!step && vs_plan_n_step(ring->job->plan) > 1)
		ring->is_moving = vs_comm_is_threaded() &&
			!vs_thread_start(&ring->mover, move, ring);
}

void
vs_ring_finish(struct vs_ring *ring)
{
	if (ring->is_moving)
		pthread_join(ring->mover, NULL);
	ring->is_moving = false;
	vs_comm_wait();
}

/* Number of vectors of the rank's step that have arrived. */
static size_t
n_here(struct vs_ring *ring)
{
	const struct vs_panel *p = &ring->current;
	struct vs_panel_part part[VS_PANEL_PARTS];
	size_t n = p->n_vec;

	pthread_mutex_lock(&ring->lock);
	if (ring->exchange < ring->step) {
		vs_panel_parts(p, part);
		n = vs_comm_arrived_upto() / part[0].bytes;
	}
	pthread_mutex_unlock(&ring->lock);
	return n < p->n_vec && ring->job->device ? 0 : n;
}

/* The panel that holds block b: all blocks of a step belong to two ranks. */
static const struct vs_panel *
panel_of(const struct vs_ring *ring, int step, int64_t b)
{
	const struct vs_plan *plan = ring->job->plan;

	return !step || b % plan->n_rank == ring->rank ? &ring->own
						       : &ring->current;
}

bool
vs_ring_has(struct vs_ring *ring, int64_t bi, int64_t bj)
{
	const struct vs_plan *plan = ring->job->plan;
	uint64_t end = 0;

	advance(ring);
	for (int k = 0; k < 2; k++) {
		const int64_t b = k ? bj : bi;
		uint64_t lo, hi;

		if (panel_of(ring, ring->step, b) == &ring->own)
			continue;
		vs_plan_block(plan, b, &lo, &hi);
		end = vs_plan_place(plan, b) + hi - lo;
	}
	return !end || n_here(ring) >= end;
}

void
vs_ring_place(const struct vs_ring *ring, int step, struct vs_tile_task *task)
{
	const struct vs_plan *plan = ring->job->plan;

	task->i = panel_of(ring, step, task->bi);
	task->j = panel_of(ring, step, task->bj);
	task->i_at = (size_t)vs_plan_place(plan, task->bi);
	task->j_at = (size_t)vs_plan_place(plan, task->bj);
}

/* Read the blocks of this rank, neighbours together. */
static int
load_own(struct vs_ring *ring)
{
	const struct vs_job *job = ring->job;
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

int
vs_ring_panels(const struct vs_plan *plan)
{
	int n = vs_plan_n_step(plan);

	return n < 3 ? n : 3;
}

static int
begin_ring(struct vs_ring *ring)
{
	const struct vs_job *job = ring->job;
	const struct vs_query *q = job->query;
	size_t most = (size_t)vs_plan_most(job->plan);
	int code = vs_panel_room_of(&ring->own, q->element, most, q->n_field);

	if (!code && vs_ring_panels(job->plan) > 1)
		code = vs_panel_room_of(&ring->next, q->element, most,
			q->n_field);
	if (!code && vs_ring_panels(job->plan) > 2)
		code = vs_panel_room_of(&ring->current, q->element, most,
			q->n_field);
	if (!code)
		code = load_own(ring);
	return code ? code : vs_block_cache_arrange(job, &ring->own);
}

static void
forget(void *ctx, const struct vs_panel *panel)
{
	vs_thread_pool_forget(ctx, panel);
}

uint64_t
vs_ring_cache_extra(const struct vs_job *job)
{
	return !job->plan->by_path       ? 0
		: vs_job_is_grouped(job) ? job->extra_bytes / 2
					 : job->extra_bytes;
}

uint64_t
vs_ring_cache_bytes(const struct vs_job *job)
{
	return vs_ring_cache_extra(job) +
		vs_block_cache_bytes(job->query, (uint64_t)job->plan->tile);
}

int
vs_ring_begin(struct vs_ring *ring)
{
	const struct vs_job *job = ring->job;

	ring->exchange = -1;
	ring->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	ring->change = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	return job->stream
		? vs_block_cache_new(&ring->pool->cache, job, ring->pool->held,
			  vs_ring_cache_bytes(job), forget, ring->pool)
		: begin_ring(ring);
}

void
vs_ring_end(struct vs_ring *ring)
{
	vs_panel_free(&ring->own);
	vs_panel_free(&ring->current);
	vs_panel_free(&ring->next);
}
