/* SPDX-License-Identifier: BSD-3-Clause */
/* Prediction of a run on a cluster from its plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/seal.h"
#include "libcore/base/mem.h"
#include "libcore/engine/sched/held_vectors.h"
#include "libcore/plan/plan_walk.h"
#include "tools/run/predict.h"

#define COUNTS_BYTES 32   /* of a vector's genotype counts, read by one rank */
#define FIXED_BYTES 20000 /* of a shard without records */
#define RECORD_BYTES 4.2  /* packed: of chromosome 20, ccc above 0.6 */
#define HANDLING 1.5e-7   /* seconds to sort, sum, copy and write a record */

/* Share of a rank: seconds to compute and to read, and bytes to read. */
struct share {
	double compute, read, first; /* first: before it can begin */
	double bytes, end;
};

struct walk {
	const struct vs_predict_of *of;
	const struct vs_plan *plan;
	double pair;  /* seconds of a combination */
	double files; /* bytes a second that a rank reads */
	struct share *share;
};

/* ---- blocks that are read as tiles need them ---- */

/* LRU cache of the numbers of blocks; used[b] is 0 where b is not there. */
struct cache {
	uint64_t *used, clock;
	int n, most;
	int *slot; /* blocks that are there */
	double vectors;
};

static void
touch(struct cache *c, const struct vs_plan *plan, int64_t b)
{
	uint64_t lo, hi;
	int old = 0;

	if (!c->used[b]) {
		for (int k = 1; c->n == c->most && k < c->n; k++)
			if (c->used[c->slot[k]] < c->used[c->slot[old]])
				old = k;
		if (c->n < c->most)
			old = c->n++;
		else
			c->used[c->slot[old]] = 0;
		c->slot[old] = (int)b;
		vs_plan_block(plan, b, &lo, &hi);
		c->vectors += (double)(hi - lo);
	}
	c->used[b] = ++c->clock;
}

/* The tiles of a rank, in order. */
struct tiles {
	const struct walk *w;
	struct cache cache;
	struct share *share;
};

/* A tile: its pairs, and the blocks that have to be read. */
static int
take_tile(void *ctx, int64_t bi, int64_t bj)
{
	struct tiles *t = ctx;
	const struct vs_plan *plan = t->w->plan;

	t->share->compute += (double)vs_plan_pairs(plan, bi, bj) * t->w->pair;
	touch(&t->cache, plan, bi);
	touch(&t->cache, plan, bj);
	if (!t->share->first)
		t->share->first = t->cache.vectors;
	return 0;
}

/* Seconds to get vectors: from the file, or from ranks, over all of whose links
 * they are spread. */
static double
get(const struct walk *w, double vectors)
{
	const struct vs_cluster *c = w->of->cluster;
	const struct vs_job *job = w->of->job;
	const int k = vs_cluster_ranks(c, w->plan->n_rank);
	double bytes;

	if (!job->hold)
		return vectors * (double)w->of->row_bytes / w->files;
	bytes = vectors *
		(double)vs_panel_bytes(job->query->element,
			job->query->n_field);
	return bytes * k / (w->plan->n_rank > k ? c->link : c->copy);
}

/* The next tile's blocks are read by one thread while the others count. */
static double
end_of(const struct share *s, int n_thread)
{
	double rest = s->read - s->first;

	return s->first +
		(n_thread > 1 ? fmax(rest, s->compute + rest / n_thread)
			      : s->compute + rest);
}

static int
walk_stream(const struct walk *w)
{
	const struct vs_plan *plan = w->plan;
	struct tiles t = { .w = w,
		.cache = { .most = vs_pair_run_slots(w->of->job) } };
	struct cache *c = &t.cache;
	int code = vs_mem_new(&c->used, (size_t)plan->n_block, sizeof(*c->used),
		"blocks");

	if (!code)
		code = vs_mem_new(&c->slot, (size_t)c->most, sizeof(*c->slot),
			"blocks");
	for (int r = 0; r < plan->n_rank && !code; r++) {
		struct share *s = t.share = &w->share[r];
		double before;

		memset(c->used, 0, (size_t)plan->n_block * sizeof(*c->used));
		c->clock = 0;
		c->n = 0;
		c->vectors = 0;
		for (int step = 0; step < vs_plan_n_step(plan); step++)
			vs_plan_walk(plan, r, step, take_tile, &t);
		/* counts, and what is held for others */
		if (w->of->job->hold)
			s->bytes += (double)vs_held_vectors_share(plan) *
				(double)w->of->row_bytes;
		before = s->bytes / w->files;
		s->read = before + get(w, c->vectors);
		s->first = before + get(w, s->first);
		if (!w->of->job->hold)
			s->bytes += c->vectors * (double)w->of->row_bytes;
		s->end = end_of(s, w->of->job->n_thread);
	}
	free(c->used);
	free(c->slot);
	return code;
}

/* ---- vectors that are passed round a ring ---- */

/* Seconds to pass a panel on, while all ranks of a node do. */
static double
transfer(const struct walk *w)
{
	const struct vs_cluster *c = w->of->cluster;
	const struct vs_query *q = w->of->job->query;
	const int n_rank = w->plan->n_rank, k = vs_cluster_ranks(c, n_rank);
	double bytes = (double)vs_plan_most(w->plan) *
		(double)vs_panel_bytes(q->element, q->n_field);
	/* neighbours are of one node, but for one of them */
	bool linked = n_rank > c->ranks;

	return fmax(bytes * (k - linked) / c->copy,
		linked ? c->latency + bytes / c->link : 0);
}

struct pairs {
	const struct vs_plan *plan;
	double n;
};

static int
add_pairs(void *ctx, int64_t bi, int64_t bj)
{
	struct pairs *p = ctx;

	p->n += (double)vs_plan_pairs(p->plan, bi, bj);
	return 0;
}

/* Seconds of a rank in a step. */
static double
work_of_step(const struct walk *w, int rank, int step)
{
	struct pairs p = { .plan = w->plan };

	vs_plan_walk(w->plan, rank, step, add_pairs, &p);
	return p.n * w->pair;
}

/*
 * A rank begins a step when it is done with the one before and has what its
 * neighbour, which has begun that too, passes to it meanwhile.
 */
static int
walk_ring(const struct walk *w)
{
	const struct vs_plan *plan = w->plan;
	const int n_rank = plan->n_rank, n_step = vs_plan_n_step(plan);
	double *began = NULL, *next = NULL, pass = transfer(w);
	int code = vs_mem_new(&began, (size_t)n_rank, sizeof(*began), "steps");

	if (!code)
		code = vs_mem_new(&next, (size_t)n_rank, sizeof(*next),
			"steps");
	for (int r = 0; r < n_rank && !code; r++) {
		struct share *s = &w->share[r];

		s->bytes += (double)vs_plan_held(plan, r) *
			(double)w->of->row_bytes;
		s->read = s->first = s->bytes / w->files;
		/* all wait for each other before they begin */
		began[0] = fmax(began[0], s->read);
	}
	for (int r = 1; r < n_rank && !code; r++)
		began[r] = began[0];
	for (int step = 0; step < n_step && !code; step++) {
		for (int r = 0; r < n_rank; r++) {
			double work = work_of_step(w, r, step);
			double other = began[(r + 1) % n_rank];

			w->share[r].compute += work;
			next[r] = began[r] + work;
			if (step + 1 < n_step)
				next[r] = fmax(next[r],
					fmax(began[r], other) + pass);
		}
		memcpy(began, next, (size_t)n_rank * sizeof(*began));
	}
	for (int r = 0; r < n_rank && !code; r++)
		w->share[r].end = began[r];
	free(began);
	free(next);
	return code;
}

/* ---- triples, of all vectors on each node ---- */

static int
walk_triples(const struct walk *w)
{
	const struct vs_plan *plan = w->plan;
	uint64_t least, most;
	int code = vs_run_kind_shares(w->of->way, w->of->job, &least, &most);
	double mean = (double)vs_cube_n_triple(plan) / plan->n_rank;
	/* those of a node read a share each */
	int n_share = vs_cluster_ranks(w->of->cluster, plan->n_rank);

	for (int r = 0; r < plan->n_rank && !code; r++) {
		struct share *s = &w->share[r];

		s->bytes += (double)plan->n_vec * (double)w->of->row_bytes /
			n_share;
		s->read = s->first = s->bytes / w->files;
		/* the first stands for the one that has most */
		s->compute = (r ? mean : (double)most) * w->pair;
		s->end = s->read + s->compute;
	}
	return code;
}

/* ---- all of it ---- */

/* Pairs that are left by a filter and other stages, as a share of all. */
static double
left(const struct vs_predict_of *of)
{
	const struct vs_job *job = of->job;
	double all =
		of->way->n == 2 ? (double)vs_plan_load(job->plan, 0, NULL) : 0;
	double n_pair = (double)vs_plan_n_pair(job->plan);

	if (of->way->n != 2 || all <= 0 || n_pair <= 0)
		return 1;
	return (job->done ? (double)vs_pair_run_load(job, 0) / all : 1) *
		(job->filter ? vs_thread_pool_work(job) / n_pair : 1);
}

static void
add_up(struct vs_prediction *p, const struct walk *w)
{
	const struct vs_cluster *c = w->of->cluster;
	const int n_rank = w->plan->n_rank;
	const struct share *last = &w->share[0];
	double all = (double)w->plan->n_vec * (double)w->of->row_bytes;

	p->n_node = vs_cluster_nodes(c, n_rank);
	p->start = c->start;
	p->check = all > (double)VS_SEAL_MOST_PAYLOAD
		? 0
		: all / fmin(c->files, c->all_files);
	for (int r = 0; r < n_rank; r++) {
		const struct share *s = &w->share[r];

		last = s->end > last->end ? s : last;
		p->compute += s->compute / n_rank;
		p->bytes_most = fmax(p->bytes_most, s->bytes);
		p->bytes_all += s->bytes;
	}
	/* by a stream what is hidden is not waited for */
	p->read = w->of->way->n == 2 && w->of->job->stream
		? last->end - last->compute
		: last->read;
	p->wait = fmax(last->end - p->read - p->compute, 0);
	p->records = w->of->records >= 0 ? w->of->records
					 : c->records * (double)w->plan->n_vec;
	p->output = w->of->bytes >= 0
		? w->of->bytes
		: p->records * RECORD_BYTES + FIXED_BYTES * (double)n_rank;
	p->files = n_rank;
	p->write = p->output / n_rank / w->files +
		p->records / n_rank * HANDLING +
		c->create * vs_cluster_ranks(c, n_rank);
	p->seconds = p->start + p->check + last->end + p->write;
}

int
vs_predict(struct vs_prediction *p, const struct vs_predict_of *of)
{
	const struct vs_plan *plan = of->job->plan;
	struct walk w = { .of = of,
		.plan = plan,
		.files = vs_cluster_files(of->cluster, plan->n_rank) };
	int code = vs_mem_new(&w.share, (size_t)plan->n_rank, sizeof(*w.share),
		"shares of ranks");

	memset(p, 0, sizeof(*p));
	w.pair = (double)of->job->query->n_field * left(of) /
		(vs_cluster_rate(of->cluster, of->way->n) *
			of->cluster->pruned);
	for (int r = 0; r < plan->n_rank && !code; r++)
		w.share[r].bytes =
			(double)plan->n_vec * COUNTS_BYTES / plan->n_rank;
	if (!code)
		code = of->way->n == 3    ? walk_triples(&w)
			: of->job->stream ? walk_stream(&w)
					  : walk_ring(&w);
	if (!code)
		add_up(p, &w);
	free(w.share);
	return code;
}
