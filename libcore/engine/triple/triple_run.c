/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/sched/shared_threshold.h"
#include "libcore/engine/triple/cost_model.h"
#include "libcore/engine/triple/slab.h"
#include "libcore/engine/triple/threshold_steps.h"
#include "libcore/engine/triple/tile_cost.h"
#include "libcore/engine/triple/triangles.h"
#include "libcore/engine/triple/triple_run.h"
#include "libcore/plan/comm.h"

#define BATCH (1u << 17) /* records of a tile that wait; sorted in cache */
#define CORNER 16        /* vectors whose triangles a thread takes at a time */

/* A tile that is being worked on: slab by slab, or with candidates a corner of
 * it by some vectors at a time. */
struct tile {
	int64_t bi, bj;
	struct vs_slabs slabs;
	struct vs_corner corner;
	size_t n_item, next;
	struct vs_hits found; /* not with the sink yet */
	struct vs_digest_sum sum, renamed;
	double seconds;
	double before, share; /* of its work, done and listed */
};

struct vs_triple_run {
	const struct vs_job *job;
	struct vs_triple_data data;
	uint64_t memory;
	struct vs_threshold_steps steps;
	bool by_candidates;
	/* the vectors whose candidates are there, what these may take, and how
	 * many there are of each pair, as far as is known */
	struct vs_candidate_graph graph;
	uint64_t room;
	double edges;
	double row; /* seconds for those of a vector, as measured; or 0 */
	struct vs_cost_model model;
	const struct vs_slab_kind *kind;
	struct vs_slab_most most;
	bool is_enough; /* was found already: nothing is searched */
	int32_t *owner; /* of tiles, by vs_plan_number() */
	/* by thread, of these the one or the other */
	void **worker;
	struct vs_triangles **triangler;
	/* of a run */
	struct tile tile;
	struct vs_value_histogram
		*histogram; /* of a job with bins: counted of the tile */
	struct vs_job_stats *stats;
	uint64_t done; /* triples of tiles that are finished */
	int code;
	pthread_mutex_t lock; /* of found, sums, seconds, code and stats */
};

/* ---- what it takes ---- */

static bool
of_numbers(const struct vs_query *q)
{
	return vs_element_is_number(q->element);
}

static const struct vs_slab_kind *
kind_of(const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	return of_numbers(q)                       ? &vs_slab_minima
		: job->histogram && q->has_missing ? &vs_slab_missing
						   : &vs_slab_genotypes;
}

uint64_t
vs_triple_run_bytes(const struct vs_job *job)
{
	size_t batch = job->batch ? job->batch : BATCH;
	uint64_t worker = kind_of(job)->bytes(job->query);

	return vs_triple_data_bytes(job->query, job->plan->n_vec) +
		(uint64_t)job->n_thread *
		(worker + VS_HITS * sizeof(struct vs_record) * 3) +
		2 * batch * sizeof(struct vs_record) * 3 / 2;
}

int
vs_triple_run_plan(struct vs_job *job, struct vs_plan *plan, uint64_t n_vec,
	int64_t tile, uint64_t memory)
{
	int code = vs_cube_plan(plan, n_vec, vs_comm_size(), tile);

	if (code)
		return code;
	job->plan = plan;
	job->stream = false;
	if (vs_triple_run_bytes(job) > memory)
		code = vs_fail(VS_EMACHINE,
			"%llu MB of memory needed, as triples take all vectors "
			"at once, and %llu MB allowed",
			(unsigned long long)(vs_triple_run_bytes(job) >> 20),
			(unsigned long long)(memory >> 20));
	return code;
}

/* ---- tiles ---- */

static size_t
lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* All of it in slabs. */
static int
cut(const struct vs_triple_run *t, struct tile *tile)
{
	const size_t n = t->data.all.n_vec;
	struct vs_corner k;
	int code;

	vs_triangles_corner(t->job->plan, tile->bi, tile->bj, &k);
	tile->slabs.n = 0;
	code = k.same
		? vs_slab_cut_own(&tile->slabs, &t->most, k.u_lo, k.u_hi, n)
		: vs_slab_cut(&tile->slabs, &t->most,
			  &(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi,
				  k.v_hi, n, false, SIZE_MAX });
	tile->n_item = tile->slabs.n;
	return code;
}

/* ---- begin and end ---- */

#define CELLS 4 /* edges that a pair can have */

/* Another rank's failure is an end of this one too. */
static int
agreed(int code)
{
	bool speaker;

	return vs_comm_agree(code, &speaker) && !code ? VS_DONE : code;
}

/* By candidates, where that is cheaper and one vector's fit the memory. */
static int
choose(struct vs_triple_run *t)
{
	const struct vs_query *q = &t->data.q;
	size_t n = t->data.all.n_vec;
	uint64_t taken = vs_triple_run_bytes(t->job) +
		(uint64_t)t->job->n_thread * vs_triangles_bytes(q, n);
	uint64_t failed;
	int code = 0;

	t->room = t->memory > taken ? t->memory - taken : 0;
	memset(&t->model, 0, sizeof(t->model));
	if (!of_numbers(q) && vs_query_prunes(q))
		code = vs_cost_model_make(&t->model, &t->data);
	t->edges = t->model.edges;
	/* all ranks in one way, since tiles are dealt out by their costs */
	failed = code || vs_query_without(q, VS_WITHOUT_CANDIDATES) ||
		!vs_query_prunes(q) || of_numbers(q) ||
		(t->model.seconds[1] >= t->model.seconds[0] &&
			!vs_query_without(q, VS_WITHOUT_COST_MODEL)) ||
		t->room < CELLS * n * vs_candidate_graph_edge_bytes(&t->data);
	vs_comm_sum_u64(&failed, 1);
	t->by_candidates = !failed;
	return code;
}

/* With candidates a rank has all tiles of a block, so that it alone makes the
 * graph of its vectors. */
static int
deal_rows(struct vs_triple_run *t, uint64_t *cost)
{
	const struct vs_plan *plan = t->job->plan;
	uint64_t n = (uint64_t)plan->n_block;
	int32_t *row = NULL;
	int code = vs_mem_new(&row, n, sizeof(*row), "list of blocks");

	if (code)
		return code;
	vs_tile_cost_rows(t->job, &t->model, cost);
	code = vs_cube_deal(plan->n_rank, n, cost, row);
	for (int64_t bi = 0; bi < plan->n_block && !code; bi++)
		for (int64_t bj = bi; bj < plan->n_block; bj++)
			t->owner[vs_plan_number(plan, bi, bj)] = row[bi];
	free(row);
	return code;
}

static int
deal_tiles(struct vs_triple_run *t, uint64_t *cost)
{
	const struct vs_plan *plan = t->job->plan;

	for (int64_t bi = 0; bi < plan->n_block; bi++)
		for (int64_t bj = bi; bj < plan->n_block; bj++) {
			uint64_t k = vs_plan_number(plan, bi, bj);

			if (!vs_tile_cost_is_done(t->job, k))
				cost[k] = vs_cube_triples(plan, bi, bj);
		}
	return vs_cube_deal(plan->n_rank, vs_plan_n_tile(plan), cost, t->owner);
}

static int
deal(struct vs_triple_run *t)
{
	uint64_t n_tile = vs_plan_n_tile(t->job->plan), *cost = NULL;
	int code = vs_mem_new(&cost, n_tile, sizeof(*cost), "costs of tiles");

	if (!code)
		code = vs_mem_new(&t->owner, n_tile, sizeof(*t->owner),
			"list of tiles");
	if (!code)
		code = t->by_candidates ? deal_rows(t, cost)
					: deal_tiles(t, cost);
	free(cost);
	return code;
}

static int
open_workers(struct vs_triple_run *t)
{
	size_t n = (size_t)t->job->n_thread;
	int code = vs_mem_new(&t->worker, n, sizeof(*t->worker), "workers");

	if (!code)
		code = vs_mem_new(&t->triangler, n, sizeof(*t->triangler),
			"workers");
	for (size_t k = 0; k < n && !code; k++)
		code = t->by_candidates
			? vs_triangles_open(&t->triangler[k], &t->data)
			: t->kind->open(&t->worker[k], &t->data);
	return code;
}

static void
close_workers(struct vs_triple_run *t)
{
	for (int k = 0; k < t->job->n_thread; k++) {
		if (t->worker)
			t->kind->close(t->worker[k]);
		if (t->triangler)
			vs_triangles_close(t->triangler[k]);
	}
	free(t->worker);
	free(t->triangler);
	t->worker = NULL;
	t->triangler = NULL;
	vs_candidate_graph_free(&t->graph);
}

/*
 * For the threshold that there is. Collective; so that all go on or none.
 * plan  the job's, whose tiles may be made smaller; or null
 */
static int
prepare(struct vs_triple_run *t, struct vs_plan *plan)
{
	const struct vs_job *job = t->job;
	int code;

	close_workers(t);
	code = choose(t);
	if (plan)
		code = agreed(code);
	if (!code && plan)
		code = t->steps.on
			? vs_tile_cost_plan_steps(job, &t->data, t->steps.cost,
				  plan)
			: vs_tile_cost_plan(job, &t->data,
				  t->by_candidates ? &t->model : NULL, plan);
	if (!code && !t->by_candidates && !of_numbers(job->query))
		code = vs_triple_data_sort(&t->data, job->plan, job->n_thread);
	/* who has found records of a tile has to end it: once for all steps */
	if (!code && !t->owner)
		code = deal(t);
	if (!code)
		code = open_workers(t);
	return agreed(code);
}

/* To the next threshold, a lower one, or if nothing was done yet the first. */
static int
step(struct vs_triple_run *t)
{
	int code = agreed(vs_threshold_steps_next(&t->steps, t->job, &t->data));

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
	int code = vs_mem_new(&t, 1, sizeof(*t), "triples");

	memset(stats, 0, sizeof(*stats));
	if (!code) {
		t->job = job;
		t->memory = memory;
		t->kind = kind_of(job);
		code = vs_triple_data_open(&t->data, q, job->plan->n_vec,
			job->load, job->ctx, job->n_thread);
		t->data.stop = job->stop;
		t->data.ctx = job->ctx;
	}
	if (!code && job->histogram)
		code = vs_value_histogram_like(&t->histogram, job->histogram);
	stats->seconds_input = vs_clock() - started;
	started = vs_clock();
	/* all have their vectors, or nobody goes on */
	code = agreed(code);
	if (code)
		goto out;
	t->most = t->kind->most(q);
	vs_threshold_steps_begin(&t->steps, job);
	if (t->steps.on)
		code = step(t);
	if (!code)
		code = prepare(t, plan);
	stats->seconds_compute = vs_clock() - started;
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
	free(t->owner);
	vs_value_histogram_free(t->histogram);
	vs_triple_data_close(&t->data);
	free(t);
}

void
vs_triple_run_describe(const struct vs_job *job, const struct vs_triple_run *t,
	char *text, size_t room)
{
	const struct vs_query *q = job->query;

	if (t && t->by_candidates)
		snprintf(text, room, "cpu-%s candidates",
			vs_registry_dense_pick(q->cpu, q->kernel)->name);
	else
		snprintf(text, room, "cpu-%s", kind_of(job)->kernel(q));
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

	for (int64_t bi = 0; bi < plan->n_block; bi++)
		for (int64_t bj = bi; bj < plan->n_block; bj++)
			if (vs_triple_run_has(t, bi, bj))
				n += vs_cube_triples(plan, bi, bj);
	return n;
}

/* ---- records on their way to the sink ---- */

/* A thread's hands. */
struct hand {
	struct vs_hits found; /* first: drain() knows it by this */
	struct vs_triple_run *t;
	uint64_t counted;
	struct vs_effort effort;
};

static void
sum_records(const struct vs_triple_run *t, const struct vs_hits *found,
	struct vs_digest_sum *sum, struct vs_digest_sum *renamed)
{
	const struct vs_panel *p = &t->data.all;

	for (size_t k = 0; k < found->n; k++) {
		struct vs_record r = found->rec[k];
		const int64_t source[3] = { p->source[r.i], p->source[r.j],
			p->source[r.k] };
		const uint8_t flip[3] = { p->flip[r.i], p->flip[r.j],
			p->flip[r.k] };

		vs_digest_sum_record(sum, r.i, r.j, r.k, r.cell, r.value);
		vs_record_rename(&r, source, flip);
		vs_digest_sum_record(renamed, r.i, r.j, r.k, r.cell, r.value);
	}
}

/* Unit of work that ends with a batch. */
enum end { NOTHING, STEP, TILE };

/* Give the sink what the tile has gathered. The lock is held. */
static int
give(struct vs_triple_run *t, enum end end)
{
	const struct vs_job *job = t->job;
	struct tile *tile = &t->tile;
	struct vs_tile_done done = { .bi = tile->bi,
		.bj = tile->bj,
		.rec = tile->found.rec,
		.n = tile->found.n,
		.last = end == TILE,
		.searched = end == STEP,
		.above = t->data.q.threshold,
		.evaluated = vs_cube_triples(job->plan, tile->bi, tile->bj) *
			(uint64_t)__builtin_popcount(job->query->cell_mask),
		.sum = tile->sum,
		.renamed = tile->renamed,
		.seconds = tile->seconds,
		.counts =
			end == TILE && t->histogram ? t->histogram->n : NULL };
	int code;

	/* the strongest are sorted once it is known which they are */
	if (!job->query->shared_threshold)
		vs_record_sort(tile->found.rec, tile->found.n);
	tile->found.n = 0;
	code = job->sink(job->ctx, &done);
	if (done.counts)
		vs_value_histogram_move(job->histogram, t->histogram);
	return code;
}

static bool
is_stopped(const struct vs_triple_run *t)
{
	return t->job->stop && t->job->stop(t->job->ctx);
}

static bool
due(const struct vs_hits *found)
{
	return is_stopped(((const struct hand *)found)->t);
}

static int
drain(struct vs_hits *found)
{
	struct hand *hand = (struct hand *)found;
	struct vs_triple_run *t = hand->t;
	struct vs_hits *to = &t->tile.found;
	struct vs_digest_sum sum = { { 0 } }, renamed = { { 0 } };
	size_t batch = t->job->batch              ? t->job->batch
		: t->job->query->shared_threshold ? VS_HITS
						  : BATCH;
	int code;

	vs_hits_drop(found, t->job->query);
	sum_records(t, found, &sum, &renamed);
	pthread_mutex_lock(&t->lock);
	code = t->code ? t->code : is_stopped(t) ? VS_DONE : 0;
	if (!code && to->n && to->n + found->n > batch)
		code = give(t, NOTHING);
	if (!code)
		code = vs_mem_grow(&to->rec, &to->room, to->n + found->n,
			sizeof(*to->rec), "records of a tile");
	if (!code && found->n) {
		memcpy(to->rec + to->n, found->rec,
			found->n * sizeof(*found->rec));
		to->n += found->n;
		vs_digest_sum_add(&t->tile.sum, &sum);
		vs_digest_sum_add(&t->tile.renamed, &renamed);
	}
	pthread_mutex_unlock(&t->lock);
	found->n = 0;
	return code;
}

/* ---- a tile after the other ---- */

/* Thread 0 alone polls MPI, reports progress and checks for signals. */
static void
look_round(struct vs_triple_run *t)
{
	const struct vs_job *job = t->job;
	struct tile *tile = &t->tile;
	double all = (double)vs_cube_triples(job->plan, tile->bi, tile->bj);
	size_t next = tile->next < tile->n_item ? tile->next : tile->n_item;
	double share = tile->share * (double)next / (double)tile->n_item;

	if (job->query->shared_threshold)
		vs_shared_threshold_exchange(job->query->shared_threshold);
	if (job->tick)
		job->tick(job->ctx,
			t->done + (uint64_t)(all * (tile->before + share)));
}

/* The at-th part of a corner. */
static int
do_corner(struct vs_triple_run *t, struct vs_triangles *w, size_t at,
	struct hand *hand)
{
	struct vs_corner k = t->tile.corner;

	k.u_lo += at * CORNER;
	k.u_hi = lesser(k.u_lo + CORNER, k.u_hi);
	return vs_triangles_do(w, &t->graph, &k, &hand->found, &hand->effort);
}

static void
work(struct vs_triple_run *t, int thread)
{
	struct hand hand = { .found.drain = drain, .found.due = due, .t = t };
	struct tile *tile = &t->tile;
	double started = vs_clock();
	int code = t->histogram
		? vs_value_histogram_like(&hand.found.histogram, t->histogram)
		: 0;

	while (!code) {
		size_t at;

#pragma omp atomic capture
		at = tile->next++;
		if (at >= tile->n_item)
			break;
		if (is_stopped(t))
			code = VS_DONE;
		else
			code = t->by_candidates
				? do_corner(t, t->triangler[thread], at, &hand)
				: t->kind->count(t->worker[thread],
					  &tile->slabs.at[at], &hand.found,
					  &hand.counted);
		if (!thread)
			look_round(t);
	}
	if (!code)
		code = drain(&hand.found);
	pthread_mutex_lock(&t->lock);
	if (code && !t->code)
		t->code = code;
	tile->seconds += vs_clock() - started;
	t->stats->counted += hand.counted + hand.effort.counted;
	if (hand.found.histogram)
		vs_value_histogram_move(t->histogram, hand.found.histogram);
	pthread_mutex_unlock(&t->lock);
	vs_value_histogram_free(hand.found.histogram);
	free(hand.found.rec);
}

/* Its items, all threads. */
static int
do_items(struct vs_triple_run *t)
{
	t->tile.next = 0;
#pragma omp parallel num_threads(t->job->n_thread)
	work(t, omp_get_thread_num());
	return t->code;
}

/* The last vector of the block, and of those behind it that this rank has. */
static size_t
own_end(const struct vs_triple_run *t, int64_t bi)
{
	const struct vs_plan *plan = t->job->plan;
	bool own = true;

	while (own && bi + 1 < plan->n_block) {
		own = false;
		for (int64_t bj = bi + 1; bj < plan->n_block && !own; bj++)
			own = vs_triple_run_has(t, bi + 1, bj) &&
				!is_searched(t, bi + 1, bj);
		bi += own;
	}
	return lesser((size_t)((bi + 1) * plan->tile), (size_t)plan->n_vec);
}

/* See that candidates of block bi's vector u are there, and with them those of
 * as many behind it as there is room for. */
static int
reach(struct vs_triple_run *t, int64_t bi, size_t u)
{
	struct vs_candidate_graph *g = &t->graph;
	size_t n = t->data.all.n_vec, tile = (size_t)t->job->plan->tile;
	size_t block_end = lesser(((size_t)bi + 1) * tile, n);
	double edge = (double)vs_candidate_graph_edge_bytes(&t->data), rows;
	size_t end = own_end(t, bi);
	double started;
	int code;

	if (g->start && u >= g->lo && u < g->hi)
		return 0;
	vs_candidate_graph_free(g);
	rows = (double)t->room / (t->edges * edge * (double)n + 1);
	if (rows < (double)(end - u))
		end = u + (rows < 1 ? 1 : (size_t)rows);
	/* no more than can be sealed in time, but a block */
	if (t->job->limit > 0 && end > block_end) {
		rows = t->job->limit /
			(t->row > 0 ? t->row
				    : vs_tile_cost_row_seconds(t->job,
					      &t->model));
		if (rows < (double)(end - block_end))
			end = block_end + (size_t)rows;
	}
	started = vs_clock();
	for (;; end = u + (end - u) / 2) {
		/* whole blocks, or less than one: its tiles come in turn */
		if (end > block_end && end < n)
			end -= end % tile;
		code = vs_candidate_graph_make(g, &t->data, u, end,
			t->job->n_thread, t->room);
		if (code != VS_DONE || end - u == 1 || is_stopped(t))
			break;
	}
	if (!code)
		t->row = (vs_clock() - started) / (double)(end - u);
	if (!code)
		t->edges = fmax(t->edges,
			1.1 * (double)vs_candidate_graph_edges(g) /
				((double)(end - u) * (double)n));
	return code;
}

/* The tile of candidates, rows in parts. */
static int
do_corners(struct vs_triple_run *t)
{
	struct tile *tile = &t->tile;
	struct vs_corner *k = &tile->corner;
	int code = 0;

	vs_triangles_corner(t->job->plan, tile->bi, tile->bj, k);
	for (size_t u = k->u_lo, end = k->u_hi; u < end && !code; u = k->u_hi) {
		code = reach(t, tile->bi, u);
		if (code)
			break;
		tile->before += tile->share;
		k->u_lo = u;
		k->u_hi = lesser(t->graph.hi, end);
		tile->share = (double)(k->u_hi - u) / (double)(end - u) *
			(1 - tile->before);
		tile->n_item = (k->u_hi - u + CORNER - 1) / CORNER;
		code = do_items(t);
	}
	return code;
}

static int
do_tile(struct vs_triple_run *t, int64_t bi, int64_t bj)
{
	struct tile *tile = &t->tile;
	int code;

	tile->bi = bi;
	tile->bj = bj;
	tile->seconds = tile->before = 0;
	tile->share = t->by_candidates ? 0 : 1;
	memset(&tile->sum, 0, sizeof(tile->sum));
	memset(&tile->renamed, 0, sizeof(tile->renamed));
	code = t->by_candidates ? do_corners(t) : cut(t, tile);
	if (!code && !t->by_candidates)
		code = do_items(t);
	if (!code)
		code = give(t, t->steps.on ? STEP : TILE);
	return code;
}

/* Every tile of this rank, by the threshold that there is. */
static int
do_tiles(struct vs_triple_run *t)
{
	const struct vs_job *job = t->job;
	double *shared_threshold = job->query->shared_threshold;
	int code = 0;

	t->done = 0;
	if (shared_threshold)
		vs_comm_most_begin(-INFINITY);
	for (int64_t bi = 0; bi < job->plan->n_block && !code; bi++)
		for (int64_t bj = bi; bj < job->plan->n_block && !code; bj++) {
			if (!vs_triple_run_has(t, bi, bj))
				continue;
			code = is_searched(t, bi, bj) ? 0 : do_tile(t, bi, bj);
			t->done += vs_cube_triples(job->plan, bi, bj);
			if (!code && job->stop && job->stop(job->ctx))
				code = VS_DONE;
		}
	if (shared_threshold)
		vs_comm_most_end(*shared_threshold);
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
end_tiles(struct vs_triple_run *t)
{
	const struct vs_plan *plan = t->job->plan;
	int code = 0;

	t->tile.seconds = 0;
	for (int64_t bi = 0; bi < plan->n_block; bi++)
		for (int64_t bj = bi; bj < plan->n_block && !code; bj++) {
			t->tile.bi = bi;
			t->tile.bj = bj;
			if (vs_triple_run_has(t, bi, bj))
				code = give(t, TILE);
		}
	return code;
}

int
vs_triple_run_all(struct vs_triple_run *t, struct vs_job_stats *stats)
{
	const struct vs_job *job = t->job;
	double started = vs_clock();
	int code;

	t->stats = stats;
	t->is_enough =
		t->steps.on && vs_threshold_steps_enough(job, t->data.known);
	pthread_mutex_init(&t->lock, NULL);
	do {
		code = do_tiles(t);
	} while (goes_on(t, &code));
	if (!code && t->steps.on)
		code = end_tiles(t);
	pthread_mutex_destroy(&t->lock);
	free(t->tile.slabs.at);
	free(t->tile.found.rec);
	memset(&t->tile, 0, sizeof(t->tile));
	stats->pairs = t->done;
	stats->seconds_compute += vs_clock() - started;
	return code;
}
