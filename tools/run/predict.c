/* SPDX-License-Identifier: BSD-3-Clause */
/* Prediction of a run on a cluster from its plan. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/seal.h"
#include "libcore/base/mem.h"
#include "libcore/engine/sched/held_vectors.h"
#include "libcore/engine/sched/tile_claims.h"
#include "libcore/plan/plan_walk.h"
#include "tools/run/predict.h"

#define COUNTS_BYTES 32   /* of a vector's genotype counts, read by one rank */
#define FIXED_BYTES 20000 /* of a shard without records */
#define RECORD_BYTES 4.2  /* packed: for chromosome 20, ccc above 0.6 */
#define HANDLING 1.5e-7   /* seconds to sort, sum, copy and write a record */

/* A rank's share: seconds to compute and to read, and bytes to read. */
struct share {
	double compute, read;
	double bytes, end;
};

struct walk {
	const struct vs_predict_of *of;
	const struct vs_plan *plan;
	double pair;  /* seconds per combination */
	double files; /* bytes per second that a rank reads */
	struct share *share;
};

/* ---- blocks that are read as tiles need them ---- */

/* Slot for a block: when the block arrives, and when the last tile that used it
 * was done. */
struct slot {
	int64_t block;
	uint64_t used; /* by the cache's clock */
	double there, done;
};

/* LRU cache of block numbers; at[b] is -1 if b is not in it. */
struct cache {
	int32_t *at;
	uint64_t clock;
	int n, most;
	struct slot *slot;
};

/* The tiles of a rank, in order. */
struct tiles {
	const struct walk *w;
	struct cache cache;
	struct vs_path_order order;
	int rank;
	int32_t (*tile)[2];
	size_t n, room;
	struct share *share;
	/* when the last tile began and ended, and the last block arrived */
	double began, done, came;
	double read; /* seconds to read blocks */
};

/* Seconds to get vectors: from the file, or from ranks, spread over all of
 * their links. */
static double
get(const struct walk *w, double vectors, bool own)
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
	return bytes * k / (!own && w->plan->n_rank > k ? c->link : c->copy);
}

/* The slot for a block that is not in the cache. */
static struct slot *
make_room(struct cache *c, int64_t b)
{
	struct slot *old = &c->slot[0];

	if (c->n < c->most)
		old = &c->slot[c->n++];
	else
		for (int k = 1; k < c->n; k++)
			if (c->slot[k].used < old->used)
				old = &c->slot[k];
	if (old->used)
		c->at[old->block] = -1;
	old->block = b;
	c->at[b] = (int32_t)(old - c->slot);
	return old;
}

/*
 * The slot of a block. A missing one is read after the others, as soon as it
 * has a slot; and, by a counting thread, not before the previous tile begins.
 */
static struct slot *
touch(struct tiles *t, int64_t b)
{
	const struct vs_job *job = t->w->of->job;
	struct cache *c = &t->cache;
	struct slot *x = c->at[b] < 0 ? NULL : &c->slot[c->at[b]];

	if (!x) {
		const bool own =
			vs_path_order_has(&t->order, t->w->plan, t->rank, b);
		uint64_t lo, hi;
		double seconds, from;

		x = make_room(c, b);
		vs_plan_block(t->w->plan, b, &lo, &hi);
		seconds = get(t->w, (double)(hi - lo), own);
		from = fmax(own ? 0 : t->came, x->done);
		if (!job->hold && job->n_thread > 1)
			from = fmax(from, t->began);
		x->there = from + seconds;
		if (!own)
			t->came = x->there;
		t->read += seconds;
		if (!job->hold)
			t->share->bytes +=
				(double)(hi - lo) * (double)t->w->of->row_bytes;
	}
	x->used = ++c->clock;
	return x;
}

/* A tile begins when its blocks have arrived and the one before is done. */
static void
take_tile(struct tiles *t, int64_t bi, int64_t bj)
{
	const struct vs_job *job = t->w->of->job;
	const double read = t->read;
	const double work =
		(double)vs_pair_run_counted(job, bi, bj) * t->w->pair;
	struct slot *i, *j;

	/* its blocks are not read */
	if (work <= 0)
		return;
	i = touch(t, bi);
	j = touch(t, bj);
	t->share->compute += work;
	t->began = fmax(t->done, fmax(i->there, j->there));
	t->done = t->began + work;
	/* one of the threads reads */
	if (!job->hold && job->n_thread > 1)
		t->done += (t->read - read) / job->n_thread;
	i->done = j->done = t->done;
}

static int
append(void *ctx, int64_t bi, int64_t bj)
{
	struct tiles *t = ctx;
	int code = vs_mem_grow(&t->tile, &t->room, t->n + 1, sizeof(*t->tile),
		"list of tiles");

	if (code)
		return code;
	t->tile[t->n][0] = (int32_t)bi;
	t->tile[t->n++][1] = (int32_t)bj;
	return 0;
}

/* The tiles of a rank. */
static int
walk_rank(struct tiles *t)
{
	const struct walk *w = t->w;
	const struct vs_plan *plan = w->plan;
	struct cache *c = &t->cache;
	struct share *s = t->share = &w->share[t->rank];
	int code = 0;

	memset(c->at, -1, (size_t)plan->n_block * sizeof(*c->at));
	memset(c->slot, 0, (size_t)c->most * sizeof(*c->slot));
	c->clock = 0;
	c->n = 0;
	t->n = 0;
	t->read = 0;
	for (int step = 0; step < vs_plan_n_step(plan) && !code; step++)
		code = vs_plan_walk(plan, t->rank, step, append, t);
	if (!code)
		code = vs_tile_claims_sort(w->of->job, &t->order, plan, t->rank,
			t->tile, t->n);
	if (code)
		return code;
	/* counts, and what is held for other ranks */
	if (w->of->job->hold)
		s->bytes += (double)vs_held_vectors_share(plan) *
			(double)w->of->row_bytes;
	t->began = t->done = t->came = s->bytes / w->files;
	for (size_t k = 0; k < t->n; k++)
		take_tile(t, t->tile[k][0], t->tile[k][1]);
	s->end = t->done;
	return 0;
}

static int
walk_stream(const struct walk *w)
{
	const struct vs_plan *plan = w->plan;
	struct tiles t = { .w = w,
		.cache = { .most = vs_pair_run_slots(w->of->job) } };
	struct cache *c = &t.cache;
	int code = vs_mem_room(&c->at, (size_t)plan->n_block, sizeof(*c->at),
		"blocks");

	VS_MEM_ROOM(&code, c->slot, (size_t)c->most, "blocks");
	vs_pair_run_order(&t.order, w->of->job);
	for (t.rank = 0; t.rank < plan->n_rank && !code; t.rank++)
		code = walk_rank(&t);
	free(t.tile);
	free(c->at);
	free(c->slot);
	return code;
}

/* ---- vectors passed round a ring ---- */

/* Seconds to pass on a panel while all ranks of a node do so. */
static double
transfer(const struct walk *w)
{
	const struct vs_cluster *c = w->of->cluster;
	const struct vs_query *q = w->of->job->query;
	const int n_rank = w->plan->n_rank, k = vs_cluster_ranks(c, n_rank);
	double bytes = (double)vs_plan_most(w->plan) *
		(double)vs_panel_bytes(q->element, q->n_field);
	/* neighbours are on one node, except for one of them */
	bool linked = n_rank > c->ranks;

	return fmax(bytes * (k - linked) / c->copy,
		linked ? c->latency + bytes / c->link : 0);
}

/* Seconds of a rank in a step. */
static double
work_of_step(const struct walk *w, int rank, int step)
{
	return (double)vs_pair_run_step(w->of->job, rank, step) * w->pair;
}

/*
 * When a rank ends a step that it began, with the panel arriving until `came`,
 * one block of the other rank after another.
 */
static double
end_of_step(const struct walk *w, int rank, int step, double began, double came,
	double pass)
{
	const int met = vs_plan_partner(w->plan, rank, step);
	const int64_t n = vs_plan_n_own(w->plan, met);
	const double work = work_of_step(w, rank, step);
	double at = began;

	w->share[rank].compute += work;
	if (!step || !n)
		return began + work;
	for (int64_t k = 1; k <= n; k++)
		at = fmax(at, came - pass * (double)(n - k) / (double)n) +
			work / (double)n;
	return at;
}

/*
 * In each step but the last, a rank and its neighbour, having begun it, pass on
 * panels that have arrived. A rank begins the next step when it is done with
 * this one and its panel has been passed on.
 */
static void
do_steps(const struct walk *w, double *began, double *came, double *next)
{
	const struct vs_plan *plan = w->plan;
	const int n_rank = plan->n_rank, n_step = vs_plan_n_step(plan);
	const double pass = transfer(w);

	for (int step = 0; step < n_step; step++) {
		for (int r = 0; r < n_rank; r++) {
			const int k = (r + 1) % n_rank;

			next[r] = fmax(fmax(began[r], began[k]),
				fmax(came[r], came[k]));
		}
		for (int r = 0; r < n_rank; r++) {
			began[r] = end_of_step(w, r, step, began[r], came[r],
				pass);
			if (step + 1 < n_step) {
				began[r] = fmax(began[r], next[r]);
				next[r] += pass;
			}
		}
		memcpy(came, next, (size_t)n_rank * sizeof(*came));
	}
}

static int
walk_ring(const struct walk *w)
{
	const struct vs_plan *plan = w->plan;
	const int n_rank = plan->n_rank;
	double *at = NULL, most = 0;
	int code = vs_mem_new(&at, 3 * (size_t)n_rank, sizeof(*at), "steps");

	if (code)
		return code;
	for (int r = 0; r < n_rank; r++) {
		struct share *s = &w->share[r];

		s->bytes += (double)vs_plan_held(plan, r) *
			(double)w->of->row_bytes;
		s->read = s->bytes / w->files;
		/* all wait for each other before they begin */
		most = fmax(most, s->read);
	}
	for (int r = 0; r < n_rank; r++)
		at[r] = at[n_rank + r] = most;
	do_steps(w, at, at + n_rank, at + 2 * n_rank);
	for (int r = 0; r < n_rank; r++)
		w->share[r].end = at[r];
	free(at);
	return 0;
}

/* ---- triples, of all vectors on each node ---- */

static int
walk_triples(const struct walk *w)
{
	const struct vs_plan *plan = w->plan;
	uint64_t least, most;
	double mean = (double)vs_cube_n_triple(plan) / plan->n_rank;
	/* each rank of a node reads a share */
	const double n_read = (double)plan->n_vec /
		vs_cluster_ranks(w->of->cluster, plan->n_rank);
	int code = vs_run_kind_shares(w->of->way, w->of->job, &least, &most);

	for (int r = 0; r < plan->n_rank && !code; r++) {
		struct share *s = &w->share[r];

		s->bytes += n_read * (double)w->of->row_bytes;
		s->read = s->bytes / w->files;
		/* the first rank stands for the one with most */
		s->compute = (r ? mean : (double)most) * w->pair;
		s->end = s->read + s->compute;
	}
	return code;
}

/* ---- the whole run ---- */

static void
add_up(struct vs_prediction *p, const struct walk *w)
{
	const struct vs_cluster *c = w->of->cluster;
	const int n_rank = w->plan->n_rank;
	const struct share *last = &w->share[0];
	double all = (double)w->plan->n_vec * (double)w->of->row_bytes;

	p->n_node = vs_cluster_nodes(c, n_rank);
	p->start = c->start;
	/* a rank that reads part of the file checks that part */
	p->check = n_rank > 1 || w->of->job->stages ||
			all > (double)VS_SEAL_MOST_PAYLOAD
		? 0
		: all / fmin(c->files, c->all_files);
	for (int r = 0; r < n_rank; r++) {
		const struct share *s = &w->share[r];

		last = s->end > last->end ? s : last;
		p->compute += s->compute / n_rank;
		p->bytes_most = fmax(p->bytes_most, s->bytes);
		p->bytes_all += s->bytes;
	}
	/* a stream does not wait for what is overlapped */
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
	w.pair = (double)of->job->query->n_field /
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
