/* SPDX-License-Identifier: BSD-3-Clause */
/* Driver of triples: computes all tiles of a plan into a sink. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/candidates/candidate_edges.h"
#include "libcore/engine/candidates/tile_cost.h"
#include "libcore/engine/candidates/triple_candidates.h"
#include "libcore/engine/sched/tile_claims.h"
#include "libcore/engine/triple/threshold_steps.h"
#include "libcore/engine/triple/triple_pass.h"
#include "libcore/engine/triple/triple_run.h"
#include "libcore/engine/triple/triple_run_inner.h"
#include "libcore/engine/triple/triple_slabs.h"
#include "libcore/engine/triple/triple_stream.h"
#include "libcore/plan/comm.h"

#define PARTS 1024 /* for tiles by candidates, counted in one run of the pool */

struct vs_triple_run {
	const struct vs_job *job;
	struct vs_triple_data data;
	uint64_t memory;
	struct vs_threshold_steps steps;
	bool by_candidates;
	struct vs_triple_candidates candidates;
	struct vs_triple_slabs slabs;   /* if not by candidates */
	struct vs_triple_groups groups; /* if the job is a stream */
	uint64_t room;                  /* bytes for their vectors */
	struct vs_triple_stream stream; /* of these */
	struct vs_panel sample; /* sampled by the cost model; zeroed: none */
	struct vs_job_stats *stats;
	bool is_enough; /* values found already: nothing is searched */
	int32_t *owner; /* of tiles, by vs_plan_number() */
	/* of a run */
	struct vs_triple_pass pass;
	struct vs_tile_deal deal;
	struct vs_tile_claims claims;
	bool others;        /* takes tiles of other ranks now */
	uint64_t next, end; /* what is left of the run of tiles taken last */
	int64_t last;       /* block of the tiles being done */
	struct vs_tile_task part[PARTS];
};

/* ---- begin and end ---- */

/* Another rank's failure ends this one, too. */
static int
agreed(int code)
{

	return vs_comm_agree(code) && !code ? VS_DONE : code;
}

/* Read all of a stream once, keeping what the cost model samples. */
static int
scan(struct vs_triple_run *t)
{
	return vs_triple_stream_scan(t->job, &t->data, t->room, &t->sample);
}

static void
free_sample(struct vs_triple_run *t)
{
	t->data.sample = NULL;
	vs_panel_free(&t->sample);
}

/* Use candidates if that is cheaper and those of one vector fit the memory. */
static int
choose(struct vs_triple_run *t)
{
	uint64_t failed;
	const struct vs_job *job = t->job;
	const bool stream = job->stream;
	/* by kernels of genotypes, which have no names for numbers */
	const uint64_t edges = stream && job->graph_bytes
		? (uint64_t)job->n_thread * vs_candidate_edges_bytes(job->query)
		: 0;
	bool pays = false;
	int code = 0;

	/* a step has done so for its threshold */
	if (stream && job->graph_bytes && !t->data.sample)
		code = scan(t);
	/* candidates cover all triples */
	if (!code && !vs_wanted_is_by_sets(job->wanted) &&
		!vs_triple_slabs_wanted(job) && (!stream || job->graph_bytes))
		code = vs_triple_candidates_choose(&t->candidates, job,
			&t->data,
			stream ? job->graph_bytes - edges
			       : vs_triple_run_whole_room(job, t->memory),
			&pays);
	free_sample(t);

	/* the same way on all ranks, since tiles are dealt out by cost */
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
		    : vs_tile_cost_deal(t->job,
			      t->by_candidates ? &t->candidates.model : NULL,
			      t->owner);
}

static void
close_workers(struct vs_triple_run *t)
{
	vs_triple_slabs_close(&t->slabs);
	t->data.groups = NULL;
	vs_triple_stream_close(&t->stream);
	vs_triple_groups_close(&t->groups);
	vs_triple_candidates_close(&t->candidates);
}

/* Open groups for out-of-core triples. Candidate search needs file order. */
static int
open_groups(struct vs_triple_run *t)
{
	const struct vs_job *job = t->job;
	int code = vs_triple_groups_open(&t->groups, job, &t->data,
		t->by_candidates ? t->room
				 : t->room + vs_triple_run_spare(job));

	t->groups.in_order = t->by_candidates;
	t->data.groups = t->by_candidates ? &t->groups : NULL;
	return code ? code
		    : vs_triple_stream_open(&t->stream, &t->pass, &t->groups);
}

/*
 * Prepare for the present threshold. Collective, so that all ranks continue or
 * none does.
 * plan  the job's, whose tiles may be made smaller; or null
 */
static int
prepare(struct vs_triple_run *t, struct vs_plan *plan)
{
	const struct vs_job *job = t->job;
	int code = agreed(choose(t));

	if (!code && plan)
		code = t->steps.on && !t->steps.sampled
			? vs_tile_cost_plan_steps(job, &t->data, t->steps.cost,
				  plan)
			: t->by_candidates && !job->query->shared_threshold
			? vs_cube_row_tiles(plan,
				  vs_triple_run_row_grain(job, plan))
			: vs_tile_cost_plan(job, &t->data,
				  t->by_candidates ? &t->candidates.model
						   : NULL,
				  plan);
	/* collective if ranks share one copy */
	code = agreed(code);
	if (!code && job->stream)
		code = open_groups(t);
	else if (!code && !t->by_candidates && !t->data.band &&
		!vs_element_is_number(job->query->element))
		code = vs_triple_data_sort(&t->data, job->plan, job->n_thread);
	/* the rank that found records of a tile finishes it, in all steps */
	if (!code && !t->owner)
		code = deal(t);
	if (!code)
		code = t->by_candidates
			? vs_triple_candidates_open(&t->candidates)
			: vs_triple_slabs_open(&t->slabs, job, &t->data,
				  t->stats);
	return agreed(code);
}

/* Move to the next, lower threshold or, if nothing was done yet, to the first.
 * A stream is read again: counting all triples needs another order of the
 * vectors. */
static int
step(struct vs_triple_run *t)
{
	int code;

	close_workers(t);
	code = t->job->stream ? scan(t) : 0;
	if (!code)
		code = vs_threshold_steps_next(&t->steps, t->job, &t->data);
	code = agreed(code);
	/* the same for all ranks, on whatever machines */
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
	code = job->stream
		? vs_triple_data_reserve(&t->data, q, job->plan->n_vec)
		: vs_triple_data_open(&t->data, q, job->plan->n_vec,
			  vs_triple_run_shared_by(job) > 1, job->load, job->ctx,
			  job->n_thread);
	t->data.stop = job->stop;
	t->data.wanted = job->wanted;
	t->data.band = vs_job_is_band(job) ? job->wanted : NULL;
	t->data.ctx = job->ctx;
	t->data.beside = vs_triple_slabs_rate(job) / job->n_thread;
	stats->seconds_input = vs_clock() - started;
	started = vs_clock();
	/* continue only if all ranks have their vectors */
	code = agreed(code);
	if (code)
		goto out;
	vs_threshold_steps_begin(&t->steps, job);
	if (t->steps.on)
		code = step(t);
	if (!code)
		code = prepare(t, plan);
	stats->seconds_input += t->data.seconds_read;
	stats->seconds_compute = vs_clock() - started - t->data.seconds_read;
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
	vs_strongest_free(&t->steps.sample.best);
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
	if (t ? !!t->slabs.device : vs_triple_slabs_drivers(job) > 0)
		job->device->describe(q, (size_t)job->plan->n_vec, device,
			sizeof(device));
	if (*device && job->alone)
		snprintf(text, room, "%s", device);
	else
		snprintf(text, room, "%s%scpu-%s", device, *device ? "+" : "",
			vs_triple_slabs_kind(job)->kernel(q));
}

/* True if this rank is to do the tile. */
static bool
has(const struct vs_triple_run *t, uint64_t k)
{
	return t->owner[k] == vs_comm_rank() &&
		!vs_plan_is_done(t->job->done, k);
}

bool
vs_triple_run_has(const struct vs_triple_run *t, int64_t bi, int64_t bj)
{
	return has(t, vs_plan_number(t->job->plan, bi, bj));
}

/* True if nothing of the tile is wanted above the present threshold. */
static bool
is_searched(const struct vs_triple_run *t, uint64_t k)
{
	return t->is_enough ||
		vs_threshold_steps_has(&t->steps, t->job, &t->data, k);
}

/* Triples of this rank, or of those of its tiles that are searched already. */
static uint64_t
load(const struct vs_triple_run *t, bool searched)
{
	const struct vs_plan *plan = t->job->plan;
	uint64_t n = 0;

	for (uint64_t k = 0; k < vs_plan_n_tile(plan); k++) {
		int64_t bi, bj;

		vs_plan_tile_of(plan, k, &bi, &bj);
		if (has(t, k) && (!searched || is_searched(t, k)))
			n += vs_cube_triples(plan, bi, bj);
	}
	return n;
}

uint64_t
vs_triple_run_load(const struct vs_triple_run *t)
{
	return load(t, false);
}

/* ---- candidates ---- */

/* The end of the tiles that are taken together, for a stream within one
 * group. */
static size_t
own_end(const struct vs_triple_run *t, int64_t bi)
{
	const struct vs_plan *plan = t->job->plan;
	size_t end = (size_t)plan->n_vec, unused;

	if (t->job->stream)
		vs_triple_groups_vectors(&t->groups,
			vs_triple_groups_of(&t->groups, bi), &unused, &end);
	return vs_min_size((size_t)((t->last + 1) * plan->tile), end);
}

static bool
has_graph(const struct vs_candidate_graph *g, size_t u)
{
	return g->start && u >= g->lo && u < g->hi;
}

/*
 * Do tile *k, which then becomes the next one, and those after it, before hi,
 * whose first vectors the graph has by then. A tile that it has only part of is
 * done in several passes.
 */
static int
do_candidates(struct vs_triple_run *t, uint64_t *k, uint64_t hi)
{
	const struct vs_candidate_graph *g = &t->candidates.graph;
	const struct vs_plan *plan = t->job->plan;
	const uint64_t first = *k;
	size_t u = 0;
	int code = 0;

	while (*k == first && !code) {
		struct vs_tile_task part = { .last = true };
		size_t n = 0;

		while (*k < hi && part.last && !code) {
			struct vs_corner c;

			vs_plan_tile_of(plan, *k, &part.bi, &part.bj);
			vs_triangles_corner(plan, part.bi, part.bj, &c);
			part.lo = vs_max_size(u, c.u_lo);
			if (n == PARTS || (n && !has_graph(g, part.lo)))
				break;
			if (!has_graph(g, part.lo))
				code = vs_triple_candidates_make(&t->candidates,
					part.bi, part.lo, own_end(t, part.bi));
			if (code)
				break;
			part.hi = vs_min_size(g->hi, c.u_hi);
			part.last = part.hi == c.u_hi;
			u = part.last ? 0 : part.hi;
			*k += part.last;
			t->part[n++] = part;
		}
		if (!code && !t->job->stream)
			code = vs_thread_pool_parts(&t->pass.window, t->part,
				n);
		for (size_t x = 0; x < n && t->job->stream && !code; x++)
			code = vs_triple_stream_run(&t->stream, &t->part[x]);
	}
	return code;
}

/* ---- all tiles ---- */

/* True if whole tiles are taken, several at a time. */
static bool
takes_whole(const struct vs_triple_run *t)
{
	return !t->by_candidates && !t->job->stream;
}

static int
open_pass(struct vs_triple_run *t, int n_open)
{
	t->pass.data = &t->data;
	t->pass.slabs = &t->slabs;
	t->pass.candidates = t->by_candidates ? &t->candidates : NULL;
	return vs_triple_pass_open(&t->pass, t->job, t->stats, n_open);
}

/* True if ranks take tiles from each other. The rank that found records of a
 * tile in one step has to finish it. */
static bool
shares(const struct vs_triple_run *t)
{
	const int n_rank = t->job->plan->n_rank;

	return n_rank > 1 && n_rank == vs_comm_size() && !t->steps.on;
}

/* Take a run of tiles of this rank or of others; false: there are none. */
static bool
take_run(struct vs_triple_run *t)
{
	const struct vs_plan *plan = t->job->plan;
	int64_t bi, bj;

	if (!(t->others ? vs_tile_claims_steal(&t->claims, 0, &bi, &bj)
			: vs_tile_claims_own(&t->claims, 0, &bi, &bj)))
		return false;
	t->stats->helped += t->others;
	t->next = vs_plan_number(plan, bi, bj);
	t->end = vs_tile_claims_deal_end(&t->deal, vs_plan_n_tile(plan),
		t->next);
	return true;
}

/* The next tiles, [*lo, *hi), that are not searched yet; false: there are
 * none. */
static bool
next_range(struct vs_triple_run *t, uint64_t *lo, uint64_t *hi)
{
	do {
		if (t->next == t->end && !take_run(t))
			return false;
		while (t->next < t->end && is_searched(t, t->next))
			t->next++;
		*lo = t->next;
		while (t->next < t->end && !is_searched(t, t->next))
			t->next++;
		*hi = t->next;
	} while (*lo == *hi);
	return true;
}

static bool
next_tile(void *ctx, struct vs_tile_task *task)
{
	struct vs_triple_run *t = ctx;
	uint64_t lo, hi;
	bool found = next_range(t, &lo, &hi);

	if (found)
		vs_plan_tile_of(t->job->plan, lo, &task->bi, &task->bj);
	return found;
}

/* Do tiles in parts. */
static int
do_range(struct vs_triple_run *t, uint64_t lo, uint64_t hi)
{
	struct vs_tile_task slabs = { .hi = 1, .last = true };
	int64_t unused;
	int code = 0;

	vs_plan_tile_of(t->job->plan, hi - 1, &t->last, &unused);
	while (lo < hi && !code) {
		if (t->by_candidates) {
			code = do_candidates(t, &lo, hi);
		} else {
			vs_plan_tile_of(t->job->plan, lo++, &slabs.bi,
				&slabs.bj);
			code = vs_triple_stream_run(&t->stream, &slabs);
		}
		if (!code && vs_tile_window_is_stopped(&t->pass.window))
			code = VS_DONE;
	}
	return code;
}

static int
do_ranges(struct vs_triple_run *t)
{
	const struct vs_tile_source source = { .next = next_tile, .ctx = t };
	uint64_t lo, hi;
	int code = 0;

	if (takes_whole(t))
		code = vs_thread_pool_feed(&t->pass.pool, &source, NULL);
	while (!code && !takes_whole(t) && next_range(t, &lo, &hi))
		code = do_range(t, lo, hi);
	return code ? code : t->claims.code;
}

/* Do every tile of this rank at the present threshold, then those of other
 * ranks as long as there are any. */
static int
do_tiles(struct vs_triple_run *t)
{
	const struct vs_job *job = t->job;
	struct vs_job_stats *stats = t->stats;
	double *shared_threshold = job->query->shared_threshold;
	double cpu = vs_clock_cpu();
	bool helps;
	int code = open_pass(t,
		takes_whole(t)           ? 0
			: t->job->stream ? 1
					 : VS_OPEN_DEVICE);

	t->pass.pool.searched = t->steps.on;
	t->pass.pool.above = t->data.q.threshold;
	t->next = t->end = 0;
	t->others = false;
	stats->pairs = load(t, true);
	helps = vs_comm_counters_begin() && shares(t);
	if (shared_threshold)
		vs_comm_most_begin(-INFINITY);
	t->deal =
		(struct vs_tile_deal){ t->owner, job->done, t->by_candidates };
	if (!code)
		code = vs_tile_claims_begin(&t->claims, job->plan, &t->deal,
			vs_comm_rank(), &vs_claims_of_ranks);
	if (!code)
		code = do_ranges(t);
	t->others = !code && helps &&
		vs_claims_may_help(&t->claims.claims, 0, NULL, NULL);
	if (t->others)
		code = do_ranges(t);
	stats->cpu_compute += vs_clock_cpu() - cpu;
	if (shared_threshold)
		vs_comm_most_end(*shared_threshold);
	vs_tile_claims_end(&t->claims);
	vs_triple_pass_close(&t->pass);
	return code;
}

/* True if values below the threshold are still wanted; then a lower one is
 * set. */
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

/* Tiles delivered in steps are now complete. */
static int
end_tiles(struct vs_triple_run *t)
{
	const struct vs_plan *plan = t->job->plan;
	uint64_t n = vs_plan_n_tile(plan), done = t->stats->pairs;
	int code = open_pass(t, 1);

	for (uint64_t k = 0; k < n && !code; k++) {
		struct vs_tile_task none = { .last = true };

		vs_plan_tile_of(plan, k, &none.bi, &none.bj);
		if (has(t, k))
			code = vs_thread_pool_parts(&t->pass.window, &none, 1);
	}
	t->stats->pairs = done;
	vs_triple_pass_close(&t->pass);
	return code;
}

int
vs_triple_run_all(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	double started = vs_clock(), read = t->data.seconds_read;
	int code;

	t->stats = stats;
	t->is_enough =
		t->steps.on && vs_threshold_steps_enough(t->job, t->data.known);
	do {
		code = do_tiles(t);
	} while (goes_on(t, &code));
	if (!code && t->steps.on)
		code = end_tiles(t);
	read = t->data.seconds_read - read;
	stats->seconds_compute += vs_clock() - started - read;
	stats->seconds_input += read;
	stats->read = t->data.n_read;
	return code;
}
