/* SPDX-License-Identifier: BSD-3-Clause */
/* All-pairs driver: step after step of the plan, then tiles of other ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/held_vectors.h"
#include "libcore/engine/sched/ring.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/engine/sched/tile_claims.h"
#include "libcore/engine/sched/tile_levels.h"
#include "libcore/engine/sched/tile_window.h"
#include "libcore/plan/comm.h"
#include "libcore/plan/plan_walk.h"

#define SECONDS_A_TILE 2
/* of the time of earlier steps that a rank waits for vectors before it looks
 * for other work, since other ranks' answers queue behind panels */
#define PATIENCE 0.1
#define GATHER 16        /* batches of records of several tiles done at once */
#define COLUMNS 2        /* blocks in addition to those of a strip's rows */
#define MOST_STREAMED 64 /* blocks: each is read nearly as often */

/* A run of this rank. */
struct state {
	const struct vs_job *job;
	struct vs_thread_pool *pool;
	struct vs_ring ring;
	struct vs_tile_claims claims;
	struct vs_tile_levels levels;
	/* what tiles of other ranks are done with; null: not begun, or, if
	 * there is no memory for their blocks, never */
	struct vs_thread_pool *helper;
	bool helps;
	int step; /* of the tiles taken now */
	/* taken, and waiting for its vectors; bi < 0: none */
	int64_t bi, bj;
	bool between;         /* two steps; waiting for the next one */
	double before, began; /* when the previous step began, and this one */
	struct vs_tile_list list;
	int code; /* first failure; VS_DONE: stopped */
};

/* ---- tiles by counters ---- */

static bool
waits(const struct state *s)
{
	return s->between || s->bi >= 0;
}

/* True if a rank need not wait any longer: it can begin the step, or the tile's
 * vectors are here. */
static bool
has_come(void *ctx)
{
	struct state *s = ctx;

	return s->between    ? vs_ring_may_step(&s->ring, s->step)
		: s->bi >= 0 ? vs_ring_has(&s->ring, s->bi, s->bj)
			     : true;
}

static bool
next_own(void *ctx, struct vs_tile_task *task)
{
	struct state *s = ctx;
	int64_t bi = s->bi, bj = s->bj;

	while (!s->list.code &&
		(bi >= 0 ||
			vs_tile_claims_own(&s->claims, s->step, &bi, &bj))) {
		s->bi = -1;
		if (!vs_tile_levels_sort(&s->list, s->job, bi, bj)) {
			bi = -1;
			continue;
		}
		*task = (struct vs_tile_task){ .bi = bi, .bj = bj };
		if (s->job->stream)
			return true;
		s->bi = bi;
		s->bj = bj;
		if (!has_come(s))
			return false;
		s->bi = -1;
		vs_ring_place(&s->ring, s->step, task);
		return true;
	}
	return false;
}

static bool
own_ahead(void *ctx, int64_t k, struct vs_tile_task *task)
{
	const struct state *s = ctx;

	return vs_tile_claims_ahead(&s->claims, k, &task->bi, &task->bj);
}

/* The last step with tiles that others may be late with. */
static int
upto(const struct state *s)
{
	return waits(s) && s->step ? s->step - 1 : s->step;
}

static bool
next_of_others(void *ctx, struct vs_tile_task *task)
{
	struct state *s = ctx;
	int64_t bi, bj;

	while (!s->list.code && !(waits(s) && has_come(s)) &&
		vs_tile_claims_steal(&s->claims, upto(s), &bi, &bj)) {
		if (!vs_tile_levels_sort(&s->list, s->job, bi, bj))
			continue;
		*task = (struct vs_tile_task){ .bi = bi, .bj = bj };
		s->pool->stats->helped++;
		return true;
	}
	return false;
}

/* Blocks of the sink along the edge of a tile. */
static int64_t
whole(const struct vs_job *job)
{
	return vs_job_is_grouped(job) ? job->plan->tile / job->unit->tile : 1;
}

/* Do the tiles of a source, and as smaller tiles those that take too long. */
static void
do_source(struct state *s, const struct vs_thread_pool *pool,
	bool (*next)(void *ctx, struct vs_tile_task *task))
{
	struct vs_job_stats *stats = s->pool->stats;
	const struct vs_tile_source source = { .next = next,
		.ahead = next == next_own ? own_ahead : NULL,
		.ctx = s,
		.early = next == next_of_others && pool->held };
	const double started = vs_clock(), cpu = vs_clock_cpu(),
		     waited = stats->seconds_wait;

	if (!s->code)
		s->code = vs_tile_levels_feed(&s->levels, pool, &s->list,
			&source, whole(s->job));
	if (!s->code)
		s->code = s->claims.code;
	stats->seconds_compute +=
		vs_clock() - started - (stats->seconds_wait - waited);
	stats->cpu_compute += vs_clock_cpu() - cpu;
}

/*
 * Do tiles that other ranks are late with. Their blocks are read from the file,
 * if there is memory for them.
 */
static void
help(struct state *s)
{
	if (s->code || !s->helps ||
		!vs_claims_may_help(&s->claims.claims, upto(s),
			waits(s) ? has_come : NULL, s))
		return;
	if (!s->helper && s->job->stream)
		s->helper = s->pool;
	if (!s->helper)
		s->code = vs_tile_levels_open(&s->levels, s->pool,
			whole(s->job), &s->helper);
	if (!s->code)
		do_source(s, s->helper, next_of_others);
}

/* True if what the rank waits for comes soon enough not to look for other
 * work. */
static bool
comes_soon(struct state *s)
{
	const struct timespec moment = { .tv_nsec = 200000 };
	const double now = vs_clock(),
		     until = now + PATIENCE * (now - s->before);

	while (!has_come(s)) {
		if (vs_clock() >= until)
			return false;
		nanosleep(&moment, NULL);
	}
	return true;
}

/* Wait for vectors; until then do tiles that other ranks are late with. */
static void
await(struct state *s)
{
	const struct timespec moment = { .tv_nsec = 200000 };
	struct vs_job_stats *stats = s->pool->stats;
	const double started = vs_clock(), waited = stats->seconds_wait,
		     computed = stats->seconds_compute;

	if (!comes_soon(s))
		help(s);
	while (!has_come(s))
		nanosleep(&moment, NULL);
	/* not counting what help() computed meanwhile */
	stats->seconds_wait = waited + vs_clock() - started -
		(stats->seconds_compute - computed);
}

/* Do the tiles of a step as their vectors arrive. */
static void
do_step(struct state *s)
{
	if (!s->job->stream) {
		s->between = true;
		await(s);
		s->between = false;
		vs_ring_step(&s->ring, s->step);
	}
	s->before = s->began;
	s->began = vs_clock();
	for (;;) {
		do_source(s, s->pool, next_own);
		if (s->code)
			s->bi = -1;
		if (s->bi < 0)
			return;
		await(s);
	}
}

void
vs_pair_run_order(struct vs_path_order *order, const struct vs_job *job)
{
	order->most = job->n_keep;
	order->n_own = job->hold ? vs_held_vectors_share(job->plan) : 0;
}

int
vs_pair_run_slots(const struct vs_job *job)
{
	return vs_block_cache_slots(job, vs_ring_cache_bytes(job));
}

static int
begin(struct state *s)
{
	const struct vs_job *job = s->job;
	/* collective, even if something else fails */
	int held = job->hold ? vs_held_vectors_begin(&s->pool->held, job) : 0;
	int code = vs_tile_claims_begin(&s->claims, job->plan, NULL,
		s->ring.rank, &vs_claims_of_ranks);

	code = held ? held : code;
	vs_pair_run_order(&s->claims.order, job);
	s->claims.job = job;
	s->levels.memory = job->extra_bytes - vs_ring_cache_extra(job);
	s->helps = job->plan->n_rank > 1 &&
		job->plan->n_rank == vs_comm_size() &&
		(job->stream || vs_tile_levels_fit(&s->levels, job));
	return code ? code : vs_ring_begin(&s->ring);
}

static void
end(struct state *s, struct vs_job_stats *stats)
{
	struct vs_block_cache *cache = s->pool->cache;
	struct vs_held_vectors *held = s->pool->held;

	vs_tile_levels_clear(&s->list);
	vs_tile_levels_free(&s->levels);
	/* the backend knows the panels */
	vs_thread_pool_close(s->pool);
	vs_block_cache_free(cache);
	vs_held_vectors_note(held, stats);
	vs_held_vectors_free(held);
	vs_ring_end(&s->ring);
	vs_tile_claims_end(&s->claims);
}

int
vs_pair_run(struct vs_thread_pool *pool, struct vs_job_stats *stats)
{
	const struct vs_job *job = pool->job;
	struct state s = { .job = job,
		.pool = pool,
		.bi = -1,
		.ring = { .job = job, .pool = pool, .rank = vs_comm_rank() } };
	int n_step = vs_plan_n_step(job->plan);
	double *shared_threshold = job->query->shared_threshold,
	       started = vs_clock();

	memset(stats, 0, sizeof(*stats));
	pool->stats = stats;
	s.code = begin(&s);
	stats->seconds_input = vs_clock() - started;
	/* start to pass panels on only if all ranks have theirs */
	if (vs_comm_agree(s.code)) {
		if (!s.code)
			s.code = VS_DONE;
		n_step = 0;
	}
	if (n_step && !vs_comm_counters_begin())
		s.helps = false;
	s.claims.claims.began = vs_clock();
	if (shared_threshold && n_step)
		vs_comm_most_begin(-INFINITY);
	s.began = vs_clock();
	for (; s.step < n_step; s.step++)
		do_step(&s);
	s.step = n_step - 1;
	if (n_step)
		help(&s);
	if (n_step && !job->stream)
		vs_ring_finish(&s.ring);
	if (shared_threshold && n_step)
		vs_comm_most_end(*shared_threshold);
	end(&s, stats);
	return s.code;
}

uint64_t
vs_pair_run_bytes(const struct vs_job *job)
{
	const struct vs_query *q = job->query;
	uint64_t most = vs_plan_most(job->plan);
	uint64_t panel =
		most * vs_panel_bytes(q->element, q->n_field) + VS_PANEL_MORE;
	uint64_t tile = (uint64_t)job->plan->tile;
	uint64_t vectors = job->stream
		? vs_block_cache_bytes(q, tile)
		: panel * (uint64_t)vs_ring_panels(job->plan);
	uint64_t finer = 0;

	if (vs_job_is_grouped(job))
		finer = tile / VS_TILE_LEVELS_FINER > (uint64_t)job->unit->tile
			? tile / VS_TILE_LEVELS_FINER
			: (uint64_t)job->unit->tile;
	if (finer)
		vectors += vs_block_cache_bytes(q, finer);
	if (job->hold)
		vectors += vs_held_vectors_bytes(job);
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

		if (!vs_plan_is_done(job->done, t))
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

/* If some of the sink's tiles are done, the others are counted one by one. */
uint64_t
vs_pair_run_counted(const struct vs_job *job, int64_t bi, int64_t bj)
{
	struct vs_job finer = *job;
	const struct vs_tile_task whole = { .bi = bi, .bj = bj };
	uint64_t lo[2], hi[2], n = 0;
	bool some = false;

	finer.plan = job->unit ? job->unit : job->plan;
	vs_plan_block(job->plan, bi, &lo[0], &hi[0]);
	vs_plan_block(job->plan, bj, &lo[1], &hi[1]);
	if (!job->done || hi[0] == lo[0] || hi[1] == lo[1])
		return vs_tile_split_pairs(job, &whole);
	for (int64_t a = vs_plan_find(finer.plan, lo[0]);
		a <= vs_plan_find(finer.plan, hi[0] - 1); a++)
		for (int64_t b = vs_plan_find(finer.plan, lo[1]);
			b <= vs_plan_find(finer.plan, hi[1] - 1); b++) {
			const struct vs_tile_task part = { .bi = a, .bj = b };
			uint64_t t;

			if (b < a)
				continue;
			t = vs_plan_number(finer.plan, a, b);
			if (vs_plan_is_done(job->done, t))
				some = true;
			else
				n += vs_tile_split_pairs(&finer, &part);
		}
	return some ? n : vs_tile_split_pairs(job, &whole);
}

/* A rank's pairs, as its tiles are walked. */
struct sum {
	const struct vs_job *job;
	uint64_t n;
};

static int
add_tile(void *ctx, int64_t bi, int64_t bj)
{
	struct sum *s = ctx;

	s->n += vs_pair_run_counted(s->job, bi, bj);
	return 0;
}

uint64_t
vs_pair_run_step(const struct vs_job *job, int rank, int step)
{
	struct sum s = { .job = job };

	vs_plan_walk(job->plan, rank, step, add_tile, &s);
	return s.n;
}

uint64_t
vs_pair_run_share(const struct vs_job *job, int rank)
{
	uint64_t n = 0;

	for (int step = 0; step < vs_plan_n_step(job->plan); step++)
		n += vs_pair_run_step(job, rank, step);
	return n;
}

/* Pairs of a tile that a rank counts in some seconds; the values of a summary
 * take 4 ns each, however few fields there are. */
#define SUMMED 0x1p30
static double
pairs_of_tile(const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	return fmin(SECONDS_A_TILE * vs_thread_pool_rate(job) /
			fmax((double)q->n_field, 1),
		q->summary ? SUMMED : INFINITY);
}

/*
 * The edge of the tiles that the sink gets. They are what an interrupted run
 * loses, so they should take little time however slow the counting turns out to
 * be, and have few records even if all pass, yet be few enough to list. A block
 * of `whole` vectors is halved until its parts are that small.
 */
#define PAIRS (1u << 18) /* in a tile */
#define MOST_UNITS 1500  /* blocks: a million tiles; halving may exceed it */
#define LEAST_UNIT 32

/* True if tiles of this edge between two sets, which form a rectangle, can be
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
	/* with a histogram there are no records, and all pairs are counted */
	int more = job->histogram ? 16 : 1;
	double edge = sqrt(
		more * fmin(pairs_of_tile(job) / VS_TILE_LEVELS_SLOWER, PAIRS));
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

	if (job->stages && job->stages->by != VS_STAGES_SPREAD)
		return true;
	return vs_job_ranks(job) > 1 &&
		(job->no_ring || vs_job_ranks(job) > most);
}

/* The largest blocks that can be streamed in this much memory. */
static int64_t
fitting(const struct vs_job *job, uint64_t memory)
{
	const struct vs_query *q = job->query;
	uint64_t fixed = vs_thread_pool_bytes(job) +
		(job->hold ? vs_held_vectors_bytes(job) : 0);
	uint64_t all = VS_TILE_LEVELS_FINER * vs_block_cache_bytes(q, 1) /
		(VS_TILE_LEVELS_FINER + 1);

	return memory > fixed ? (int64_t)((memory - fixed) / all) : 0;
}

/*
 * Make plans with blocks of `whole` vectors, and for the sink of `edge`;
 * halvings is how often these are doubled, or negative to find it here.
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
 * Reduce blocks until they fit along with those read for smaller tiles, which
 * are large if the sink's are. The plans then have blocks of *whole.
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
		*whole -= *whole / VS_TILE_LEVELS_FINER + 1;
		*whole = *whole < least ? least : *whole;
	}
}

/*
 * True if one rank streams through a band: a block is paired only with its
 * neighbours, so the rest need not be in memory. The table of r2 within 500
 * variants, 200,000 x 2504, takes 211 MB instead of 543, and 0.7 of the CPU
 * time.
 */
static bool
passes_by(const struct vs_job *job, const struct vs_between *of)
{
	return vs_job_is_band(job) && vs_job_ranks(job) == 1 && !job->device &&
		!by_path(job, of);
}

/* Vectors of a block; larger ones are not faster, but their tiles, most of them
 * empty, are to be few. A summary or histogram settles its sums after each
 * tile: LD scores of 358,499 x 427 take 1.3 times as long with the small
 * blocks. */
#define BAND_BLOCK 2048
#define BAND_SUMMED 32768
#define BAND_BLOCKS 2048 /* at most */

/* Vectors of a block that is to be done at once. */
static int64_t
whole_of(const struct vs_job *job, const struct vs_between *of)
{
	int64_t extent = (int64_t)vs_plan_extent(of), most = job->most_tile;

	if (!most && passes_by(job, of))
		most = vs_max_i64(
			vs_max_i64(job->query->summary || job->histogram
					? BAND_SUMMED
					: BAND_BLOCK,
				extent / BAND_BLOCKS + 1),
			(int64_t)vs_wanted_reach(job->wanted));
	if (most)
		return vs_min_i64(most, extent);
	return by_path(job, of)
		? vs_plan_path_tile(of, vs_job_ranks(job), pairs_of_tile(job))
		: vs_plan_tile((uint64_t)extent, vs_job_ranks(job),
			  pairs_of_tile(job), job->query->rounds);
}

/* Find blocks that can be streamed, with fewer threads if necessary. */
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
		/* each thread has columns and sums of its own */
		while (job->n_thread > 1 &&
			vs_thread_pool_bytes(job) > memory / 3 * 2)
			job->n_thread--;
	}
}

/*
 * True if the first rank lacks memory for the panels of a ring: a share of the
 * path needs each block a few times, while blocks dealt to a rank are paired
 * with all others. For a band, both need only neighbours.
 */
static bool
is_short(const struct vs_job *job, bool lacks)
{
	int64_t is = lacks;

	vs_comm_share(&is, sizeof(is));
	return is && vs_job_ranks(job) > 1 &&
		!vs_wanted_is_by_place(job->wanted);
}

/*
 * True if ranks hold the vectors for each other: the first rank has memory for
 * a share in addition to its blocks.
 */
static bool
can_hold(struct vs_job *job, uint64_t memory)
{
	int64_t can;

	job->hold = true;
	can = !job->no_hold && vs_pair_run_bytes(job) <= memory;
	vs_comm_share(&can, sizeof(can));
	return can;
}

int
vs_pair_run_plan(struct vs_job *job, struct vs_plan *plan, struct vs_plan *unit,
	uint64_t n_vec, int64_t tile, uint64_t memory)
{
	const struct vs_between of = vs_wanted_parts(job->wanted, n_vec);
	bool lacks, path = by_path(job, &of), band = passes_by(job, &of);
	int64_t choice[4];
	int halvings = -1;
	int64_t whole = tile && !unit ? tile : whole_of(job, &of);
	int64_t edge = tile ? tile : unit_of(job, &of, whole, &halvings);
	int code = vs_plan_between(plan, &of, vs_job_ranks(job), whole);

	if (!code)
		code = make_plans(job, plan, unit, whole, edge, halvings);
	if (!code && !unit && !tile && job->histogram && !band)
		whole = unit_of(job, &of, whole, &halvings);
	if (code)
		return code;
	job->stream = path;
	job->hold = path && !job->no_hold;
	/* first, fewer records may wait */
	if (vs_pair_run_bytes(job) > memory)
		job->gather /= GATHER;
	job->hold = path && can_hold(job, memory);
	lacks = vs_pair_run_bytes(job) > memory;
	if (!path && is_short(job, lacks)) {
		job->no_ring = true;
		return vs_pair_run_plan(job, plan, unit, n_vec, tile, memory);
	}
	job->stream = path || lacks || band;
	if (lacks && !job->batch)
		job->gather = job->batch = vs_thread_pool_batch(memory / 4);
	if (lacks && !(tile && !unit))
		code = make_stream(job, plan, unit, tile, memory, &whole);
	/* processors may differ between ranks; the plan may not */
	choice[0] = whole;
	choice[1] = job->stream;
	choice[2] = unit_of(job, &of, whole, &halvings);
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
	else if (!band)
		job->extra_bytes = memory - vs_pair_run_bytes(job);
	if (plan->by_path) {
		/* the rows of a strip stay while its columns pass by */
		int64_t most = vs_pair_run_slots(job) - COLUMNS;

		vs_comm_share(&most, sizeof(most));
		job->n_keep = most + COLUMNS;
		if (!job->stages)
			vs_plan_by_path(plan, most);
		else if (!code)
			code = vs_stages_deal(job->stages, job->stages->at,
				most, plan);
	}
	return code;
}
