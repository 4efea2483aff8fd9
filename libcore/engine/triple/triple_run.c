/* SPDX-License-Identifier: BSD-3-Clause */
/* Driver of triples: all tiles of a plan into a sink. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/triple/candidate_edges.h"
#include "libcore/engine/triple/candidate_stream.h"
#include "libcore/engine/triple/slab_stream.h"
#include "libcore/engine/triple/threshold_steps.h"
#include "libcore/engine/triple/tile_cost.h"
#include "libcore/engine/triple/triple_candidates.h"
#include "libcore/engine/triple/triple_claims.h"
#include "libcore/engine/triple/triple_deal.h"
#include "libcore/engine/triple/triple_pass.h"
#include "libcore/engine/triple/triple_run.h"
#include "libcore/engine/triple/triple_run_inner.h"
#include "libcore/engine/triple/triple_slabs.h"
#include "libcore/plan/comm.h"

struct vs_triple_run {
	const struct vs_job *job;
	struct vs_triple_data data;
	uint64_t memory;
	struct vs_threshold_steps steps;
	bool by_candidates;
	struct vs_triple_candidates candidates;
	struct vs_triple_slabs slabs;      /* where not by candidates */
	struct vs_triple_groups groups;    /* where the job is a stream */
	uint64_t room;                     /* bytes for their vectors */
	struct vs_candidate_stream stream; /* of candidates */
	struct vs_slab_stream slab_stream; /* or of all */
	struct vs_panel sample; /* that the cost model tries; zeroed: none */
	uint64_t n_read;        /* vectors, by groups that are closed */
	double seconds_read;
	struct vs_job_stats *stats;
	bool is_enough; /* was found already: nothing is searched */
	int32_t *owner; /* of tiles, by vs_plan_number() */
	/* of a run */
	struct vs_triple_pass pass;
	struct vs_triple_claims claims;
	bool helps;
	int64_t last; /* block of the tiles that are taken; -1: any */
	struct vs_triple_part *part;
	size_t room_part;
};

/* ---- begin and end ---- */

/* Another rank's failure is an end of this one too. */
static int
agreed(int code)
{
	bool speaker;

	return vs_comm_agree(code, &speaker) && !code ? VS_DONE : code;
}

/* All of a stream is read once, and what the cost model tries is kept. */
static int
scan(struct vs_triple_run *t)
{
	struct vs_triple_groups all = { 0 };
	int code = vs_candidate_stream_scan(t->job, &t->data, t->room,
		&t->sample, &all);

	t->n_read += all.n_read;
	t->seconds_read += all.seconds;
	t->data.sample = &t->sample;
	return code;
}

static void
free_sample(struct vs_triple_run *t)
{
	t->data.sample = NULL;
	vs_panel_free(&t->sample);
}

/* By candidates, where that is cheaper and one vector's fit the memory. */
static int
choose(struct vs_triple_run *t)
{
	uint64_t failed;
	const bool stream = t->job->stream;
	bool pays = false;
	int code = 0;

	/* a step has done so for its threshold */
	if (stream && t->job->graph_bytes && !t->data.sample)
		code = scan(t);
	/* candidates are of all triples */
	if (!code && !t->job->between && (!stream || t->job->graph_bytes))
		code = vs_triple_candidates_choose(&t->candidates, t->job,
			&t->data,
			stream ? vs_triple_run_graph_room(t->job)
			       : vs_triple_run_whole_room(t->job, t->memory),
			&pays);
	free_sample(t);

	/* all ranks in one way, since tiles are dealt out by their costs */
	failed = code || !pays;
	vs_comm_sum_u64(&failed, 1);
	t->by_candidates = !failed;
	return code;
}

static int
deal(struct vs_triple_run *t)
{
	int code = vs_mem_new(&t->owner, vs_plan_n_tile(t->job->plan),
		sizeof(*t->owner), "list of tiles");

	return code ? code
		    : vs_triple_deal(t->job,
			      t->by_candidates ? &t->candidates.model : NULL,
			      t->owner);
}

static void
close_workers(struct vs_triple_run *t)
{
	vs_triple_slabs_close(&t->slabs);
	t->data.groups = NULL;
	vs_candidate_stream_close(&t->stream);
	t->n_read += t->groups.n_read;
	t->seconds_read += t->groups.seconds;
	vs_triple_groups_close(&t->groups);
	vs_triple_candidates_close(&t->candidates);
}

/* Groups of a stream; who counts candidates wants vectors as they were read. */
static int
open_groups(struct vs_triple_run *t)
{
	const struct vs_job *job = t->job;
	int code = vs_triple_groups_open(&t->groups, job, &t->data,
		t->by_candidates ? t->room
				 : t->room + vs_triple_run_spare(job));

	if (code || !t->by_candidates)
		return code;
	t->groups.in_order = true;
	t->data.groups = &t->groups;
	return vs_candidate_stream_open(&t->stream, &t->candidates, &t->groups);
}

/*
 * For the threshold that there is. Collective; so that all go on or none.
 * plan  the job's, whose tiles may be made smaller; or null
 */
static int
prepare(struct vs_triple_run *t, struct vs_plan *plan)
{
	const struct vs_job *job = t->job;
	int code = agreed(choose(t));

	if (!code && plan)
		code = t->steps.on ? vs_tile_cost_plan_steps(job, &t->data,
					     t->steps.cost, plan)
			: t->by_candidates && !job->query->shared_threshold
			? vs_cube_row_tiles(plan,
				  vs_triple_run_row_grain(job, plan))
			: vs_tile_cost_plan(job, &t->data,
				  t->by_candidates ? &t->candidates.model
						   : NULL,
				  plan);
	/* which is done together where ranks have one copy */
	code = agreed(code);
	if (!code && job->stream)
		code = open_groups(t);
	else if (!code && !t->by_candidates && !t->data.band &&
		!vs_element_is_number(job->query->element))
		code = vs_triple_data_sort(&t->data, job->plan, job->n_thread);
	/* who has found records of a tile has to end it: once for all steps */
	if (!code && !t->owner)
		code = deal(t);
	if (!code)
		code = t->by_candidates
			? vs_triple_candidates_open(&t->candidates)
			: vs_triple_slabs_open(&t->slabs, job, &t->data,
				  t->stats);
	return agreed(code);
}

/* To the next threshold, a lower one, or if nothing was done yet the first. Of
 * a stream all is read again: counting all has vectors in another order. */
static int
step(struct vs_triple_run *t)
{
	int code;

	close_workers(t);
	code = t->job->stream ? scan(t) : 0;
	if (!code)
		code = vs_threshold_steps_next(&t->steps, t->job, &t->data);
	code = agreed(code);
	/* one for all ranks, on whatever machines */
	vs_comm_share(&t->data.q.threshold, sizeof(double));
	return code;
}

int
vs_triple_run_new(struct vs_triple_run **out, const struct vs_job *job,
	struct vs_plan *plan, uint64_t memory, struct vs_job_stats *stats)
{
	const struct vs_query *q = job->query;
	struct vs_triple_run *t = NULL;
	double started = vs_clock();
	/* ranks of a machine load their vectors together */
	int code = agreed(vs_mem_new(&t, 1, sizeof(*t), "triples"));

	memset(stats, 0, sizeof(*stats));
	if (code)
		goto out;
	t->job = job;
	t->memory = memory;
	t->stats = stats;
	t->room = job->stream ? vs_triple_run_streamed(job) : 0;
	t->slab_stream = (struct vs_slab_stream){ .groups = &t->groups,
		.slabs = &t->slabs,
		.pass = &t->pass };
	code = job->stream
		? vs_triple_data_reserve(&t->data, q, job->plan->n_vec)
		: vs_triple_data_open(&t->data, q, job->plan->n_vec,
			  vs_triple_run_shared_by(job) > 1, job->load, job->ctx,
			  job->n_thread);
	t->data.stop = job->stop;
	t->data.filter = job->filter;
	t->data.band = vs_job_is_triple_band(job) ? job->filter : NULL;
	t->data.ctx = job->ctx;
	stats->seconds_input = vs_clock() - started;
	started = vs_clock();
	/* all have their vectors, or nobody goes on */
	code = agreed(code);
	if (code)
		goto out;
	vs_threshold_steps_begin(&t->steps, job);
	if (t->steps.on)
		code = step(t);
	if (!code)
		code = prepare(t, plan);
	stats->seconds_input += t->seconds_read;
	stats->seconds_compute = vs_clock() - started - t->seconds_read;
out:
	if (code)
		vs_triple_run_free(t);
	else
		*out = t;
	return code;
}

void
vs_triple_run_free(struct vs_triple_run *t)
{
	if (!t)
		return;
	close_workers(t);
	free_sample(t);
	free(t->owner);
	free(t->part);
	vs_triple_data_close(&t->data);
	free(t);
}

void
vs_triple_run_describe(const struct vs_job *job, const struct vs_triple_run *t,
	char *text, size_t room)
{
	const struct vs_query *q = job->query;
	char device[64] = "";

	if (t && t->by_candidates) {
		snprintf(text, room, "cpu-%s candidates",
			vs_registry_dense_pick(q->cpu, q->kernel)->name);
		return;
	}
	if (t ? !!t->slabs.pool.device : vs_triple_slabs_drivers(job) > 0)
		job->device->describe(q, (size_t)job->plan->n_vec, device,
			sizeof(device));
	if (*device && job->alone)
		snprintf(text, room, "%s", device);
	else
		snprintf(text, room, "%s%scpu-%s", device, *device ? "+" : "",
			vs_triple_slabs_kind(job)->kernel(q));
}

bool
vs_triple_run_has(const struct vs_triple_run *t, int64_t bi, int64_t bj)
{
	uint64_t k = vs_plan_number(t->job->plan, bi, bj);

	return t->owner[k] == vs_comm_rank() &&
		!vs_tile_cost_is_done(t->job, k);
}

/* True when nothing of the tile is wanted above the present threshold. */
static bool
is_searched(const struct vs_triple_run *t, int64_t bi, int64_t bj)
{
	return t->is_enough ||
		vs_threshold_steps_has(&t->steps, t->job, &t->data,
			vs_plan_number(t->job->plan, bi, bj));
}

uint64_t
vs_triple_run_load(const struct vs_triple_run *t)
{
	const struct vs_plan *plan = t->job->plan;
	uint64_t n = 0;

	for (uint64_t k = 0; k < vs_plan_n_tile(plan); k++) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, k, &bi, &bj);
		if (vs_triple_run_has(t, bi, bj))
			n += vs_cube_triples(plan, bi, bj);
	}
	return n;
}

/* True when the tile is to be searched now. */
static bool
is_next(const struct vs_triple_run *t, int64_t bi, int64_t bj)
{
	return vs_triple_run_has(t, bi, bj) && !is_searched(t, bi, bj);
}

static int
count_candidates(void *ctx, int thread, const struct vs_triple_part *part,
	struct vs_hits *found, uint64_t *counted)
{
	struct vs_triple_run *t = ctx;

	return vs_triple_candidates_count(&t->candidates, thread, part, found,
		counted);
}

static int
count_slabs(void *ctx, int thread, const struct vs_triple_part *part,
	struct vs_hits *found, uint64_t *counted)
{
	struct vs_triple_run *t = ctx;

	return vs_triple_slabs_count(&t->slabs, thread, part, found, counted);
}

/* All of a tile in slabs. */
static int
do_slabs(struct vs_triple_run *t, int64_t bi, int64_t bj)
{
	struct vs_triple_part part = { .bi = bi, .bj = bj };
	int code = vs_triple_slabs_cut(&t->slabs, bi, bj, NULL, &part.all);

	part.hi = part.all;
	return code ? code : vs_triple_pass_run(&t->pass, &part, 1);
}

/* ---- candidates ---- */

/* The end of the block, and of those behind it that this rank has, of a stream
 * in the same group. */
static size_t
own_end(const struct vs_triple_run *t, int64_t bi)
{
	const struct vs_plan *plan = t->job->plan;
	bool own = t->last < 0;
	size_t end = (size_t)plan->n_vec, unused;

	if (t->job->stream)
		vs_triple_groups_vectors(&t->groups,
			vs_triple_groups_of(&t->groups, bi), &unused, &end);
	bi = own ? bi : t->last;
	while (own && bi + 1 < plan->n_block) {
		own = false;
		for (int64_t bj = bi + 1; bj < plan->n_block && !own &&
			vs_plan_has(plan, bi + 1, bj);
			bj++)
			own = is_next(t, bi + 1, bj);
		bi += own;
	}
	return vs_min_size((size_t)((bi + 1) * plan->tile), end);
}

/* See that candidates of block bi's vector u are there. */
static int
reach(struct vs_triple_run *t, int64_t bi, size_t u)
{
	const struct vs_candidate_graph *g = &t->candidates.graph;

	if (g->start && u >= g->lo && u < g->hi)
		return 0;
	return vs_triple_candidates_make(&t->candidates, bi, u, own_end(t, bi));
}

/* The tile by candidates of some of its first vectors after the other. */
static int
do_corners(struct vs_triple_run *t, int64_t bi, int64_t bj)
{
	struct vs_corner k;
	int code = 0;

	vs_triangles_corner(t->job->plan, bi, bj, &k);
	for (size_t u = k.u_lo; u < k.u_hi && !code;
		u = t->candidates.graph.hi) {
		struct vs_triple_part part = { bi, bj, u, 0, k.u_hi - k.u_lo,
			false };

		code = reach(t, bi, u);
		if (code)
			break;
		part.hi = vs_min_size(t->candidates.graph.hi, k.u_hi);
		code = t->job->stream
			? vs_candidate_stream_run(&t->stream, &t->pass, &part)
			: vs_triple_pass_run(&t->pass, &part, 1);
	}
	return code;
}

/* A row tile, and those behind it that the graph has the candidates of, up to
 * *end; a tile whose vectors it has some of is done in several passes. */
static int
do_row_tiles(struct vs_triple_run *t, int64_t bi, int64_t *end)
{
	const struct vs_candidate_graph *g = &t->candidates.graph;
	const struct vs_plan *plan = t->job->plan;
	size_t n_part, u = (size_t)(bi * plan->tile);
	int code = 0;

	for (*end = bi; *end == bi && !code;) {
		code = reach(t, bi, u);
		for (n_part = 0; u < g->hi && !code; n_part++) {
			struct vs_triple_part part = { .bi = *end,
				.bj = *end,
				.lo = u };
			uint64_t lo, hi;

			code = vs_mem_grow(&t->part, &t->room_part, n_part + 1,
				sizeof(*t->part), "parts of tiles");
			if (code)
				break;
			vs_plan_block(plan, *end, &lo, &hi);
			part.all = (size_t)(hi - lo);
			u = part.hi = vs_min_size((size_t)hi, g->hi);
			*end += u == hi;
			t->part[n_part] = part;
		}
		if (!code)
			code = vs_triple_pass_run(&t->pass, t->part, n_part);
	}
	return code;
}

/* ---- all tiles ---- */

/* True when several row tiles are done together; of a stream one is. */
static bool
takes_rows(const struct vs_triple_run *t)
{
	return t->by_candidates && t->job->plan->row_tiles && !t->job->stream;
}

static int
open_pass(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	bool rows = takes_rows(t);
	int code = vs_triple_pass_open(&t->pass, t->job, &t->data, stats,
		rows ? VS_OPEN_DEVICE : 1);

	t->pass.count = t->by_candidates ? count_candidates : count_slabs;
	t->pass.ctx = t;
	t->pass.grain = t->by_candidates ? VS_TRIPLE_CANDIDATES_VECTORS : 1;
	t->pass.window.searched = t->steps.on;
	t->pass.window.above = t->data.q.threshold;
	return code;
}

/* Tile k, and those behind it that go with it, before `end`; k becomes the next
 * one. */
static int
do_tile(struct vs_triple_run *t, uint64_t *k)
{
	const struct vs_plan *plan = t->job->plan;
	int64_t bi, bj;
	int code;

	vs_plan_tile_of(plan, *k, &bi, &bj);
	if (takes_rows(t)) {
		code = do_row_tiles(t, bi, &bj);
		*k = (uint64_t)bj;
	} else {
		code = t->by_candidates ? do_corners(t, bi, bj)
			: t->job->stream
			? vs_slab_stream_run(&t->slab_stream, bi, bj)
			: do_slabs(t, bi, bj);
		++*k;
	}
	if (!code && vs_tile_window_is_stopped(&t->pass.window))
		code = VS_DONE;
	return code;
}

/* The tiles that this rank is dealt. */
static int
do_own(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	const struct vs_plan *plan = t->job->plan;
	int code = 0;

	for (uint64_t k = 0; k < vs_plan_n_tile(plan) && !code;) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, k, &bi, &bj);
		if (is_next(t, bi, bj)) {
			code = do_tile(t, &k);
			continue;
		}
		if (vs_triple_run_has(t, bi, bj))
			stats->pairs += vs_cube_triples(plan, bi, bj);
		k++;
	}
	return code;
}

static int
do_range(struct vs_triple_run *t, struct vs_triple_range range)
{
	int64_t unused;
	int code = 0;

	vs_plan_tile_of(t->job->plan, range.hi - 1, &t->last, &unused);
	while (range.lo < range.hi && !code)
		code = do_tile(t, &range.lo);
	t->last = -1;
	return code;
}

/* These, and those of other ranks, as long as there are any. */
static int
do_shared(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	struct vs_triple_range range;
	int code = 0;

	while (!code && vs_triple_claims_own(&t->claims, &range))
		code = do_range(t, range);
	if (!code && t->helps &&
		vs_claims_may_help(&t->claims.claims, 0, NULL, NULL))
		while (!code && vs_triple_claims_other(&t->claims, &range)) {
			code = do_range(t, range);
			stats->helped++;
		}
	return code ? code : t->claims.code;
}

/* True if ranks take tiles from each other. Who has found records of a tile in
 * a step has to end it. */
static bool
shares(const struct vs_triple_run *t)
{
	const int n_rank = t->job->plan->n_rank;

	return n_rank > 1 && n_rank == vs_comm_size() && !t->steps.on;
}

/* Tiles for the queue: of this rank, or of others. */
struct tile_feed {
	struct vs_triple_run *t;
	struct vs_job_stats *stats;
	bool others;
	uint64_t next; /* where ranks take none from each other */
};

static bool
next_tile(void *ctx, struct vs_tile_task *task)
{
	struct tile_feed *f = ctx;
	struct vs_triple_run *t = f->t;
	const struct vs_plan *plan = t->job->plan;
	struct vs_triple_range range;
	bool found = false;

	if (shares(t)) {
		found = f->others ? vs_triple_claims_other(&t->claims, &range)
				  : vs_triple_claims_own(&t->claims, &range);
		if (found)
			vs_plan_tile_of(plan, range.lo, &task->bi, &task->bj);
		f->stats->helped += found && f->others;
		return found;
	}
	while (!found && f->next < vs_plan_n_tile(plan)) {
		vs_plan_tile_of(plan, f->next++, &task->bi, &task->bj);
		found = vs_triple_run_has(t, task->bi, task->bj);
	}
	return found;
}

/* Beside devices, which take slabs of any tile that is there. */
static int
do_queue(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	struct tile_feed feed = { .t = t, .stats = stats };
	const struct vs_tile_source source = { .next = next_tile,
		.ctx = &feed };
	int code;

	t->slabs.pool.stats = stats;
	code = vs_thread_pool_feed(&t->slabs.pool, &source, NULL);
	feed.others = true;
	if (!code && t->helps &&
		vs_claims_may_help(&t->claims.claims, 0, NULL, NULL))
		code = vs_thread_pool_feed(&t->slabs.pool, &source, NULL);
	return code ? code : t->claims.code;
}

/* Every tile of this rank, by the threshold that there is. */
static int
do_tiles(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	const struct vs_job *job = t->job;
	/* those of steps are none that a device has code for */
	const bool queue = t->slabs.pool.device && !t->steps.on;
	double *shared_threshold = job->query->shared_threshold;
	double cpu = vs_clock_cpu();
	int code = queue ? 0 : open_pass(t, stats);

	stats->pairs = 0;
	t->last = -1;
	if (shares(t))
		t->helps = vs_comm_counters_begin();
	if (shared_threshold)
		vs_comm_most_begin(-INFINITY);
	if (!code && shares(t))
		code = vs_triple_claims_begin(&t->claims, job, t->owner,
			t->by_candidates, vs_comm_rank(), &vs_claims_of_ranks);
	if (!code)
		code = queue        ? do_queue(t, stats)
			: shares(t) ? do_shared(t, stats)
				    : do_own(t, stats);
	stats->cpu_compute += vs_clock_cpu() - cpu;
	if (shared_threshold)
		vs_comm_most_end(*shared_threshold);
	vs_triple_claims_end(&t->claims);
	vs_triple_pass_close(&t->pass);
	return code;
}

/* True when values below the threshold are still wanted: a lower one is set. */
static bool
goes_on(struct vs_triple_run *t, int *code)
{
	uint64_t failed = *code != 0;

	if (!t->steps.on)
		return false;
	vs_comm_sum_u64(&failed, 1);
	if (failed) {
		*code = *code ? *code : VS_DONE;
		return false;
	}
	if (t->data.q.threshold <= t->steps.lowest ||
		vs_threshold_steps_enough(t->job, t->data.q.threshold))
		return false;
	*code = step(t);
	if (!*code)
		*code = prepare(t, NULL);
	return !*code;
}

/* Tiles that were delivered in steps are complete. */
static int
end_tiles(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	const struct vs_plan *plan = t->job->plan;
	uint64_t n = vs_plan_n_tile(plan), done = stats->pairs;
	int code = open_pass(t, stats);

	t->pass.window.searched = false;
	for (uint64_t k = 0; k < n && !code; k++) {
		struct vs_triple_part part = { 0 };

		vs_plan_tile_of(plan, k, &part.bi, &part.bj);
		if (vs_triple_run_has(t, part.bi, part.bj))
			code = vs_triple_pass_run(&t->pass, &part, 1);
	}
	stats->pairs = done;
	vs_triple_pass_close(&t->pass);
	return code;
}

int
vs_triple_run_all(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	double started = vs_clock(), read = t->seconds_read;
	int code;

	t->is_enough =
		t->steps.on && vs_threshold_steps_enough(t->job, t->data.known);
	do {
		code = do_tiles(t, stats);
	} while (goes_on(t, &code));
	if (!code && t->steps.on)
		code = end_tiles(t, stats);
	read = t->seconds_read + t->groups.seconds - read;
	stats->seconds_compute += vs_clock() - started - read;
	stats->seconds_input += read;
	stats->read = t->n_read + t->groups.n_read;
	return code;
}
