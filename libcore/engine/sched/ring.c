/* SPDX-License-Identifier: BSD-3-Clause */
/* Ring exchange of panels: each rank passes on the vectors that it has met. */
#include <time.h>

#include "libcore/base/thread.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/ring.h"
#include "libcore/plan/comm.h"

/*
 * MPI over TCP sends and receives in its calls alone, 128 KiB or more in each:
 * that much each half millisecond is 2 Gbit/s.
 */
#define MOVE_NANOSECONDS 500000

static void *
move(void *ctx)
{
	const struct timespec moment = { .tv_nsec = MOVE_NANOSECONDS };

	(void)ctx;
	do
		nanosleep(&moment, NULL);
	while (!vs_comm_arrived());
	return NULL;
}

void
vs_ring_pass_on(struct vs_ring *ring, int step)
{
	const struct vs_plan *plan = ring->job->plan;
	const struct vs_panel *out = step ? &ring->current : &ring->own;
	int left = (ring->rank + plan->n_rank - 1) % plan->n_rank;
	int right = (ring->rank + 1) % plan->n_rank;

	/* every panel was allocated for the most any rank owns */
	vs_comm_exchange(out->vec.word, out->bytes, left, ring->next.vec.word,
		ring->next.bytes, right);
	/* without a thread it moves on as vs_comm_poke() is called */
	ring->is_moving = vs_comm_is_threaded() &&
		!vs_thread_start(&ring->mover, move, NULL);
}

/* Only the memory travels; its owner follows from the plan. */
void
vs_ring_rotate(struct vs_ring *ring, int step)
{
	const struct vs_plan *plan = ring->job->plan;
	int whose = vs_plan_partner(plan, ring->rank, step);
	struct vs_panel t = ring->current;
	uint64_t unused;

	/* it ends when all has arrived, and needs no CPU until then */
	if (ring->is_moving)
		pthread_join(ring->mover, NULL);
	ring->is_moving = false;
	vs_comm_wait();
	vs_thread_pool_forget(ring->pool, &ring->current);
	ring->current = ring->next;
	ring->next = t;
	vs_plan_block(plan, vs_plan_own(plan, whose, 0), &ring->current.first,
		&unused);
	ring->current.n_vec = (size_t)vs_plan_held(plan, whose);
}

/* The panel that holds block b: all of a step are of two ranks. */
static const struct vs_panel *
panel_of(const struct vs_ring *ring, int step, int64_t b)
{
	const struct vs_plan *plan = ring->job->plan;

	return !step || b % plan->n_rank == ring->rank ? &ring->own
						       : &ring->current;
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

/* The blocks of this rank; neighbours at once. */
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
