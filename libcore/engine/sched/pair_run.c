/* SPDX-License-Identifier: BSD-3-Clause */
/* All-pairs driver: ring exchange of blocks, tile after tile. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/engine/sched/tile_groups.h"
#include "libcore/engine/sched/tile_window.h"
#include "libcore/plan/comm.h"

#define SECONDS_A_TILE 2
#define SLOWER 100 /* than what is assumed, a run may be */
#define GATHER 16  /* batches of records of several tiles done at once */
#define SHARE 3    /* of the limit that a smaller tile is to take */
#define FINER 16   /* blocks read for smaller tiles, where memory is short */
#define COLUMNS 2  /* blocks beside those of a strip's rows */
#define MOST_STREAMED 64 /* blocks: each is read nearly as often */

/* This rank's state over the steps of the ring. */
struct ring {
	const struct vs_job *job;
	struct vs_thread_pool *pool;
	struct vs_panel own, current, next;
	int rank;
	int code; /* first failure; VS_DONE: stopped */
};

/* Tiles of one size, g blocks of the sink's, that are done where those of the
 * plan take too long; its blocks stay until the end. */
struct level {
	int64_t g;
	struct vs_plan plan;
	struct vs_job job;
	struct vs_thread_pool pool;
	struct level *next;
};

/* All of them, and the memory that is left for blocks of others. */
struct levels {
	struct level *first;
	uint64_t memory;
};

/* The tiles of one step, and those that are to be done in smaller ones. */
struct list {
	struct vs_tiles now, later;
};

static int
add_tile(const struct vs_job *job, struct list *list, int64_t bi, int64_t bj,
	const struct vs_panel *i, const struct vs_panel *j)
{
	struct vs_tile_task task = { .bi = bi, .bj = bj, .i = i, .j = j };
	size_t n, n_done = vs_tile_groups_done(job, job->plan, bi, bj, &n);
	struct vs_tiles *to = n_done ? &list->later : &list->now;
	int code;

	if (n_done == n)
		return 0;
	if (!job->stream) {
		task.i_at = (size_t)vs_plan_place(job->plan, bi);
		task.j_at = (size_t)vs_plan_place(job->plan, bj);
	}
	code = vs_mem_grow(&to->task, &to->room, to->n + 1, sizeof(*to->task),
		"list of tiles");
	if (!code)
		to->task[to->n++] = task;
	return code;
}

/* The tiles of this rank, without a ring. */
static int
list_path(const struct ring *ring, struct list *list)
{
	const struct vs_plan *plan = ring->job->plan;
	uint64_t end = vs_plan_share(plan, ring->rank + 1);
	int64_t bi, bj;
	int code = 0;

	list->now.n = list->later.n = 0;
	for (uint64_t x = vs_plan_share(plan, ring->rank); x < end && !code;
		x++) {
		vs_plan_along(plan, x, &bi, &bj);
		code = add_tile(ring->job, list, bi, bj, NULL, NULL);
	}
	return code;
}

static int
list_step(const struct ring *ring, int step, struct list *list)
{
	const struct vs_plan *plan = ring->job->plan;
	const struct vs_panel *own = &ring->own;
	const struct vs_panel *met = step ? &ring->current : own;
	int met_rank = vs_plan_partner(plan, ring->rank, step), code = 0;
	int64_t n = vs_plan_n_own(plan, ring->rank);
	int64_t n_met = vs_plan_n_own(plan, met_rank);

	list->now.n = list->later.n = 0;
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
	const struct vs_panel *out = step ? &ring->current : &ring->own;
	int left = (ring->rank + plan->n_rank - 1) % plan->n_rank;
	int right = (ring->rank + 1) % plan->n_rank;

	/* every panel was allocated for the most any rank owns */
	vs_comm_exchange(out->vec.word, out->bytes, left, ring->next.vec.word,
		ring->next.bytes, right);
}

/* Only the memory travels; its owner follows from the plan. */
static void
rotate(struct ring *ring, int step)
{
	const struct vs_plan *plan = ring->job->plan;
	int whose = vs_plan_partner(plan, ring->rank, step);
	struct vs_panel t = ring->current;
	uint64_t unused;
	double started = vs_clock();

	vs_comm_wait();
	vs_thread_pool_forget(ring->pool, &ring->current);
	ring->pool->stats->seconds_wait += vs_clock() - started;
	ring->current = ring->next;
	ring->next = t;
	vs_plan_block(plan, vs_plan_own(plan, whose, 0), &ring->current.first,
		&unused);
	ring->current.n_vec = (size_t)vs_plan_held(plan, whose);
}

/* The blocks of this rank; neighbours at once. */
static int
load_own(struct ring *ring)
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
	const struct vs_job *job = ring->job;
	const struct vs_query *q = job->query;
	size_t most = (size_t)vs_plan_most(job->plan);
	int code = vs_panel_room_of(&ring->own, q->element, most, q->n_field);

	if (!code && n_panel(job->plan) > 1)
		code = vs_panel_room_of(&ring->next, q->element, most,
			q->n_field);
	if (!code && n_panel(job->plan) > 2)
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

/* Memory for more than the fewest blocks of a stream: a path comes back to its
 * rows. Where tiles are done in smaller ones these have half of it. */
static uint64_t
cache_extra(const struct vs_job *job)
{
	return !job->plan->by_path       ? 0
		: vs_job_is_grouped(job) ? job->extra_bytes / 2
					 : job->extra_bytes;
}

static uint64_t
cache_memory(const struct vs_job *job)
{
	return cache_extra(job) +
		vs_block_cache_bytes(job->query, (uint64_t)job->plan->tile);
}

int
vs_pair_run_slots(const struct vs_job *job)
{
	return vs_block_cache_slots(job, cache_memory(job));
}

static int
begin(struct ring *ring)
{
	const struct vs_job *job = ring->job;

	return job->stream ? vs_block_cache_new(&ring->pool->cache, job,
				     cache_memory(job), forget, ring->pool)
			   : begin_ring(ring);
}

static void
end(struct ring *ring)
{
	struct vs_block_cache *cache = ring->pool->cache;

	/* what computes knows the panels */
	vs_thread_pool_close(ring->pool);
	vs_block_cache_free(cache);
	vs_panel_free(&ring->own);
	vs_panel_free(&ring->current);
	vs_panel_free(&ring->next);
}

/* ---- tiles that take too long, in smaller ones ---- */

/* Largest number of the sink's blocks in a block, by what was seen. */
static int64_t
group(const struct vs_job *job, const struct vs_job_stats *stats)
{
	double rate =
		vs_thread_pool_rate(job) / fmax((double)job->query->n_field, 1);
	double pace = stats->pace > 0 ? stats->pace : rate / SLOWER;
	double most = pace * job->limit / SHARE, n;
	int64_t whole = job->plan->tile / job->unit->tile, g = 1;

	if (!job->query->shared_threshold && stats->density > 0)
		most = fmin(most, (double)job->gather / stats->density / SHARE);
	n = sqrt(most) / (double)job->unit->tile;
	while (2 * g < whole && 2 * (double)g <= n &&
		(2 * g <= whole / FINER ||
			vs_block_cache_bytes(job->query,
				2 * (uint64_t)(g * job->unit->tile)) <=
				job->extra_bytes))
		g *= 2;
	return g;
}

/*
 * The tiles of a finer plan that task, of the job's plan, is made of; a tile
 * that is done in part, in one of the sink's.
 */
static int
split(const struct vs_job *job, const struct vs_tile_task *task,
	const struct vs_plan *fine, struct list *list)
{
	uint64_t lo, hi;
	int64_t i_lo, i_hi, j_lo, j_hi;
	int code = 0;

	vs_plan_block(job->plan, task->bi, &lo, &hi);
	i_lo = vs_plan_find(fine, lo);
	i_hi = vs_plan_find(fine, hi - 1) + 1;
	vs_plan_block(job->plan, task->bj, &lo, &hi);
	j_lo = vs_plan_find(fine, lo);
	j_hi = vs_plan_find(fine, hi - 1) + 1;
	for (int64_t i = i_lo; i < i_hi; i++)
		for (int64_t k = j_lo; k < j_hi && !code; k++) {
			int64_t j = (i - i_lo) % 2 ? j_hi - 1 - (k - j_lo) : k;
			struct vs_job of = *job;

			of.plan = fine;
			of.stream = true;
			if (vs_plan_has(fine, i, j))
				code = add_tile(&of, list, i, j, NULL, NULL);
		}
	return code;
}

static int
add_level(const struct vs_thread_pool *pool, struct levels *levels, int64_t g,
	struct level **out)
{
	const struct vs_plan *unit = pool->job->unit;
	struct level *l = NULL;
	uint64_t used;
	int code = vs_mem_new(&l, 1, sizeof(*l), "tiles");

	if (code)
		return code;
	l->g = g;
	l->job = *pool->job;
	l->job.plan = &l->plan;
	l->job.stream = true;
	l->pool = *pool;
	l->pool.job = &l->job;
	l->pool.cache = NULL;
	code = vs_plan_between(&l->plan, &unit->of, 1, g * unit->tile);
	if (!code)
		code = vs_block_cache_new(&l->pool.cache, &l->job,
			levels->memory / 2, forget, &l->pool);
	if (code) {
		free(l);
		return code;
	}
	used = vs_block_cache_most(l->pool.cache);
	levels->memory -= used < levels->memory ? used : levels->memory;
	l->next = levels->first;
	*out = levels->first = l;
	return 0;
}

static void
free_levels(struct levels *levels)
{
	while (levels->first) {
		struct level *l = levels->first;

		levels->first = l->next;
		vs_block_cache_free(l->pool.cache);
		free(l);
	}
}

static int do_finer(const struct vs_thread_pool *pool, struct levels *levels,
	const struct vs_tiles *tiles, int64_t g);

/* Tiles now, and those that take too long for it later. */
static int
do_list(const struct vs_thread_pool *pool, struct levels *levels,
	struct list *list, int64_t g)
{
	const struct vs_job *job = pool->job;
	bool may = vs_job_is_grouped(job) && job->limit > 0;
	int code = vs_thread_pool_run(pool, list->now.task, list->now.n,
		may ? &list->later : NULL);

	return code || !list->later.n ? code
				      : do_finer(pool, levels, &list->later, g);
}

/*
 * Tiles in such of less than g blocks' edge, all together, so that threads wait
 * for each other once. Vectors are read and arranged again, once where there is
 * memory for all.
 */
static int
do_finer(const struct vs_thread_pool *pool, struct levels *levels,
	const struct vs_tiles *tiles, int64_t g)
{
	int64_t least = group(pool->job, pool->stats);
	struct level *l = levels->first;
	struct list list = { 0 };
	int code = 0;

	g = least < g / 2 ? least : g / 2;
	g = g < 1 ? 1 : g;
	while (l && l->g != g)
		l = l->next;
	if (!l)
		code = add_level(pool, levels, g, &l);
	for (size_t k = 0; k < tiles->n && !code; k++)
		code = split(pool->job, &tiles->task[k], &l->plan, &list);
	if (!code)
		code = do_list(&l->pool, levels, &list, g);
	free(list.now.task);
	free(list.later.task);
	return code;
}

int
vs_pair_run(struct vs_thread_pool *pool, struct vs_job_stats *stats)
{
	const struct vs_job *job = pool->job;
	struct ring ring = { .job = job, .pool = pool, .rank = vs_comm_rank() };
	int n_step = vs_plan_n_step(job->plan);
	struct list list = { 0 };
	struct levels levels = { .memory =
					 job->extra_bytes - cache_extra(job) };
	double *shared_threshold = job->query->shared_threshold,
	       started = vs_clock();
	bool speaker;

	memset(stats, 0, sizeof(*stats));
	pool->stats = stats;
	ring.code = begin(&ring);
	stats->seconds_input = vs_clock() - started;
	/* all have their panels, or nobody starts to pass them on */
	if (vs_comm_agree(ring.code, &speaker)) {
		if (!ring.code)
			ring.code = VS_DONE;
		n_step = 0;
	}
	if (shared_threshold && n_step)
		vs_comm_most_begin(-INFINITY);
	for (int s = 0; s < n_step; s++) {
		if (s && !job->stream)
			rotate(&ring, s);
		if (s + 1 < n_step && !job->stream)
			pass_on(&ring, s);
		if (!ring.code)
			ring.code = job->plan->by_path
				? list_path(&ring, &list)
				: list_step(&ring, s, &list);
		started = vs_clock();
		if (!ring.code)
			ring.code = do_list(pool, &levels, &list,
				vs_job_is_grouped(job)
					? job->plan->tile / job->unit->tile
					: 1);
		stats->seconds_compute += vs_clock() - started;
	}
	if (shared_threshold && n_step)
		vs_comm_most_end(*shared_threshold);
	free(list.now.task);
	free(list.later.task);
	free_levels(&levels);
	end(&ring);
	return ring.code;
}

uint64_t
vs_pair_run_bytes(const struct vs_job *job)
{
	const struct vs_query *q = job->query;
	uint64_t most = vs_plan_most(job->plan);
	uint64_t panel =
		most * vs_panel_bytes(q->element, q->n_field) + VS_PANEL_MORE;
	uint64_t tile = (uint64_t)job->plan->tile;
	uint64_t vectors = job->stream ? vs_block_cache_bytes(q, tile)
				       : panel * (uint64_t)n_panel(job->plan);
	uint64_t finer = 0;

	if (vs_job_is_grouped(job))
		finer = tile / FINER > (uint64_t)job->unit->tile
			? tile / FINER
			: (uint64_t)job->unit->tile;
	if (finer)
		vectors += vs_block_cache_bytes(q, finer);
	return vectors + vs_thread_pool_bytes(job);
}

uint64_t
vs_pair_run_load(const struct vs_job *job, int rank)
{
	const struct vs_plan *p = job->plan;
	const struct vs_plan *unit = job->unit ? job->unit : p;
	uint64_t pairs = vs_plan_load(p, rank, NULL);

	for (uint64_t t = 0; job->done && t < vs_plan_n_tile(unit); t++) {
		int64_t bi, bj;
		uint64_t lo[2], unused;

		if (!(job->done[t / 64] >> (t % 64) & 1))
			continue;
		vs_plan_tile_of(unit, t, &bi, &bj);
		vs_plan_block(unit, bi, &lo[0], &unused);
		vs_plan_block(unit, bj, &lo[1], &unused);
		if (vs_plan_owner(p, vs_plan_find(p, lo[0]),
			    vs_plan_find(p, lo[1])) == rank)
			pairs -= vs_plan_pairs(unit, bi, bj);
	}
	return pairs;
}

/* Pairs of a tile that a rank counts in some seconds. */
static double
pairs_of_tile(const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	return SECONDS_A_TILE * vs_thread_pool_rate(job) /
		fmax((double)q->n_field, 1);
}

/*
 * The edge of the tiles that the sink gets. They are what a run loses, so they
 * are to take little time however slow the counting turns out to be, and to
 * have few records if all pass; as long as they are few enough to list. A block
 * of `whole` vectors is cut in halves until its parts are so small.
 */
#define PAIRS (1u << 18) /* in a tile */
#define MOST_UNITS 1500  /* blocks: a million tiles; halving may go past it */
#define LEAST_UNIT 32

/* True if tiles of this edge between two sets, a rectangle of them, can be
 * listed. */
static bool
can_list(const struct vs_between *of, int64_t edge)
{
	struct vs_plan p;

	if (!of->n_first && !of->n_second)
		return true;
	return !vs_plan_between(&p, of, 1, edge) &&
		vs_plan_n_tile(&p) <= VS_PLAN_MOST_TILES;
}

static int64_t
unit_of(const struct vs_job *job, const struct vs_between *of, int64_t whole,
	int *halvings)
{
	/* with a histogram they are all there is, and all pairs are counted */
	int more = job->histogram ? 16 : 1;
	double edge = sqrt(more * fmin(pairs_of_tile(job) / SLOWER, PAIRS));
	int64_t extent = (int64_t)vs_plan_extent(of), n = 1;
	int64_t blocks = (extent + whole - 1) / (whole ? whole : 1);

	edge = fmax(edge, (double)extent / MOST_UNITS);
	edge = fmax(edge, LEAST_UNIT);
	for (*halvings = 0; (double)whole > edge * (double)n &&
		2 * n * blocks <= VS_PLAN_MOST_BLOCKS &&
		can_list(of, (whole + 2 * n - 1) / (2 * n));
		++*halvings)
		n *= 2;
	return (whole + n - 1) / n;
}

/* True if ranks read what they need and pass nothing on. */
static bool
by_path(const struct vs_job *job, const struct vs_between *of)
{
	const int most = of->n_first || of->n_second ? VS_PLAN_MOST_DEALT
						     : VS_PLAN_MOST_RING;

	return vs_job_ranks(job) > 1 &&
		(job->no_ring || vs_job_ranks(job) > most);
}

/* The largest blocks that can be streamed in so much memory. */
static int64_t
fitting(const struct vs_job *job, uint64_t memory)
{
	const struct vs_query *q = job->query;
	uint64_t fixed = vs_thread_pool_bytes(job);
	uint64_t all = FINER * vs_block_cache_bytes(q, 1) / (FINER + 1);

	return memory > fixed ? (int64_t)((memory - fixed) / all) : 0;
}

/*
 * Plans of blocks of `whole` vectors, and of the sink's, of `edge`; halvings is
 * how often these are doubled, or negative where that is to be found.
 */
static int
make_plans(struct vs_job *job, struct vs_plan *plan, struct vs_plan *unit,
	int64_t whole, int64_t edge, int halvings)
{
	const struct vs_between of = plan->of;
	int code;

	if (halvings < 0)
		for (halvings = 0; edge << (halvings + 1) <= whole;)
			halvings++;
	code = vs_plan_between(plan, &of, plan->n_rank,
		unit ? edge << halvings : whole);
	if (!code && by_path(job, &of))
		vs_plan_by_path(plan, INT64_MAX);
	if (!code && unit)
		code = vs_plan_between(unit, &of, plan->n_rank, edge);
	job->plan = plan;
	job->unit = unit;
	job->gather = GATHER * (job->batch ? job->batch : VS_BATCH);
	return code;
}

/*
 * Smaller blocks, until they fit with those that are read for smaller tiles,
 * which are large where the sink's are. The plans are then of blocks of *whole.
 */
static int
make_fit(struct vs_job *job, struct vs_plan *plan, struct vs_plan *unit,
	int64_t tile, int64_t least, uint64_t memory, int64_t *whole)
{
	int code;

	for (;;) {
		int halvings = -1;
		int64_t edge = tile
			? tile
			: unit_of(job, &plan->of, *whole, &halvings);

		code = make_plans(job, plan, unit, *whole, edge, halvings);
		job->gather /= GATHER;
		if (code || *whole <= least || vs_pair_run_bytes(job) <= memory)
			return code;
		*whole -= *whole / FINER + 1;
		*whole = *whole < least ? least : *whole;
	}
}

/* Vectors of a block that is to be done at once. */
static int64_t
whole_of(const struct vs_job *job, const struct vs_between *of)
{
	int64_t extent = (int64_t)vs_plan_extent(of);

	if (job->most_tile)
		return job->most_tile < extent ? job->most_tile : extent;
	return by_path(job, of)
		? vs_plan_path_tile(of, vs_job_ranks(job), pairs_of_tile(job))
		: vs_plan_tile((uint64_t)extent, vs_job_ranks(job),
			  pairs_of_tile(job), job->query->rounds);
}

/* Blocks that can be streamed, by fewer threads where there is no other way. */
static int
make_stream(struct vs_job *job, struct vs_plan *plan, struct vs_plan *unit,
	int64_t tile, uint64_t memory, int64_t *whole)
{
	const int64_t most = *whole,
		      least = (int64_t)(vs_plan_extent(&plan->of) /
				      MOST_STREAMED) +
		1;

	for (bool again = false;; again = true) {
		int64_t edge = fitting(job, memory);
		int code;

		edge = edge < least ? least : edge;
		*whole = edge < most ? edge : most;
		code = make_fit(job, plan, unit, tile, least, memory, whole);
		if (code || again || vs_pair_run_bytes(job) <= memory)
			return code;
		/* each has columns and sums of its own */
		while (job->n_thread > 1 &&
			vs_thread_pool_bytes(job) > memory / 3 * 2)
			job->n_thread--;
	}
}

int
vs_pair_run_plan(struct vs_job *job, struct vs_plan *plan, struct vs_plan *unit,
	uint64_t n_vec, int64_t tile, uint64_t memory)
{
	const struct vs_between all = { .n_both = n_vec },
				*of = job->between ? job->between : &all;
	bool lacks, path = by_path(job, of);
	int64_t choice[4];
	int halvings = -1;
	int64_t whole = tile && !unit ? tile : whole_of(job, of);
	int code = vs_plan_between(plan, of, vs_job_ranks(job), whole);

	if (!code && tile)
		code = make_plans(job, plan, unit, whole, tile, -1);
	else if (!code)
		code = make_plans(job, plan, unit, whole,
			unit_of(job, of, whole, &halvings), halvings);
	if (!code && !unit && !tile && job->histogram)
		whole = unit_of(job, of, whole, &halvings);
	if (code)
		return code;
	job->stream = path;
	/* records that wait are the first to do with less */
	if (vs_pair_run_bytes(job) > memory)
		job->gather /= GATHER;
	lacks = vs_pair_run_bytes(job) > memory;
	job->stream = path || lacks;
	if (lacks && !job->batch)
		job->gather = job->batch = vs_thread_pool_batch(memory / 4);
	if (lacks && !(tile && !unit))
		code = make_stream(job, plan, unit, tile, memory, &whole);
	/* processors may differ, the plan may not */
	choice[0] = whole;
	choice[1] = job->stream;
	choice[2] = unit_of(job, of, whole, &halvings);
	choice[3] = halvings;
	vs_comm_share(choice, sizeof(choice));
	job->stream = choice[1];
	if (!code)
		code = tile ? make_plans(job, plan, unit, choice[0], tile, -1)
			    : make_plans(job, plan, unit, choice[0], choice[2],
				      (int)choice[3]);
	if (!code && vs_pair_run_bytes(job) > memory)
		job->gather /= GATHER;
	if (code)
		return code;
	while (job->n_thread > 1 && vs_pair_run_bytes(job) > memory)
		job->n_thread--;
	if (vs_pair_run_bytes(job) > memory)
		code = vs_fail(VS_EMACHINE,
			"%llu MB of memory needed for tiles of %lld vectors "
			"and %llu MB allowed; --memory allows more",
			(unsigned long long)(vs_pair_run_bytes(job) >> 20),
			(long long)plan->tile,
			(unsigned long long)(memory >> 20));
	else
		job->extra_bytes = memory - vs_pair_run_bytes(job);
	if (plan->by_path) {
		/* the rows of a strip stay while its columns pass */
		int64_t most = vs_pair_run_slots(job) - COLUMNS;

		vs_comm_share(&most, sizeof(most));
		vs_plan_by_path(plan, most);
	}
	return code;
}
