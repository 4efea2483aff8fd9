/* SPDX-License-Identifier: BSD-3-Clause */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/err.h"
#include "libcore/base/mem.h"
#include "libcore/engine/pairs.h"
#include "libcore/plan/comm.h"

/* This rank's state over the steps of the ring. */
struct ring {
	const struct vs_pairs *job;
	struct vs_pairs_stats *stats;
	void *backend;
	struct vs_found *found; /* one per thread */
	struct vs_panel own, held, next;
	int rank;
	int code; /* first failure; VS_DONE: stopped */
};

/* The tiles of one step, as pairs of block numbers. */
struct tile {
	int64_t own, met;
};

struct list {
	struct tile *tile;
	size_t n, room;
};

static int
list_step(const struct vs_pairs *job, int rank, int step, struct list *list)
{
	int met_rank = vs_plan_partner(job->plan, rank, step), code = 0;
	int64_t alo, ahi, blo, bhi;

	list->n = 0;
	vs_plan_rank(job->plan, rank, &alo, &ahi);
	vs_plan_rank(job->plan, met_rank, &blo, &bhi);
	for (int64_t a = alo; a < ahi; a++)
		for (int64_t b = blo; b < bhi && !code; b++) {
			uint64_t t = vs_plan_number(job->plan, a < b ? a : b,
				a < b ? b : a);

			if (!vs_plan_mine(job->plan, rank, step, a, b))
				continue;
			if (job->done && job->done[t / 64] >> (t % 64) & 1)
				continue;
			code = vs_grow(&list->tile, &list->room, list->n + 1,
				sizeof(*list->tile), "list of tiles");
			if (!code)
				list->tile[list->n++] = (struct tile){ a, b };
		}
	return code;
}

static void
sum_records(struct vs_tile_done *done, const struct vs_panel *pi,
	const struct vs_panel *pj)
{
	for (size_t k = 0; k < done->n; k++) {
		struct vs_record r = done->rec[k];
		size_t i = (size_t)(r.i - pi->first);
		size_t j = (size_t)(r.j - pj->first);
		int64_t source[3] = { pi->source[i], pj->source[j], 0 };
		uint8_t flip[3] = { pi->flip[i], pj->flip[j], 0 };

		vs_sum_record(&done->sum, r.i, r.j, r.k, r.cell, r.value);
		vs_record_rename(&r, source, flip);
		vs_sum_record(&done->renamed, r.i, r.j, r.k, r.cell, r.value);
	}
}

/* By its genotype counts alone, may a vector have a value that passes? */
static bool
can_pass(const struct vs_question *q, const struct vs_panel *p, size_t v)
{
	const uint64_t *h = vs_vec_plane(&p->vec, v, 0);
	const uint64_t *two = vs_vec_plane(&p->vec, v, 1);
	int64_t n = (int64_t)q->n_field, c = p->present[v], n2 = 0, n1, n0;
	int64_t c_ij = c + q->least_present - n;
	double most, other;

	if (!c)
		return q->threshold < 0;
	if (c_ij <= 0)
		return true;
	for (size_t w = 0; w < p->vec.n_word; w++)
		n2 += __builtin_popcountll(h[w] & two[w]);
	n1 = p->sum[v] - 2 * n2;
	n0 = c - n1 - n2;
	most = q->metric->most(n1 + n2, n2, c, n, c_ij);
	other = q->metric->most(n1 + n0, n0, c, n, c_ij);
	/* the bound is rounded a few times, the value too */
	return (most > other ? most : other) * (1 + 1e-9) > q->threshold;
}

/* Vectors that cannot pass go to the end of their block. */
static void
prune(const struct vs_pairs *job, struct vs_panel *p)
{
	const struct vs_question *q = job->question;
	uint64_t lo, hi;

	if (!q->prune)
		return;
#pragma omp parallel for num_threads(job->n_thread)
	for (size_t v = 0; v < p->n_vec; v++)
		p->dead[v] = !can_pass(q, p, v);
	for (int64_t b = (int64_t)(p->first / (uint64_t)job->plan->tile);;
		b++) {
		vs_plan_block(job->plan, b, &lo, &hi);
		if (lo >= p->first + p->n_vec)
			break;
		vs_panel_part(p, (size_t)(lo - p->first),
			(size_t)(hi - p->first));
	}
}

/* The living vectors of block b in panel p. */
static void
living(const struct vs_plan *plan, int64_t b, const struct vs_panel *p,
	size_t *lo, size_t *hi)
{
	uint64_t first, end;

	vs_plan_block(plan, b, &first, &end);
	*lo = (size_t)(first - p->first);
	*hi = (size_t)(end - p->first);
	while (*hi > *lo && p->dead[*hi - 1])
		--*hi;
}

static int
do_tile(struct ring *ring, const struct vs_panel *met, struct tile tile)
{
	const struct vs_pairs *job = ring->job;
	bool turned = tile.met < tile.own;
	const struct vs_panel *pi = turned ? met : &ring->own;
	const struct vs_panel *pj = turned ? &ring->own : met;
	int thread = omp_get_thread_num(), code;
	struct vs_found *found = &ring->found[thread];
	struct vs_tile_done done = { .bi = turned ? tile.met : tile.own,
		.bj = turned ? tile.own : tile.met };
	struct vs_tile_work work = { .i = pi, .j = pj };
	double started = vs_clock();
	uint64_t pairs = vs_plan_pairs(job->plan, done.bi, done.bj), counted;

	living(job->plan, done.bi, pi, &work.i_lo, &work.i_hi);
	living(job->plan, done.bj, pj, &work.j_lo, &work.j_hi);
	counted = (work.i_hi - work.i_lo) * (work.j_hi - work.j_lo);
	if (done.bi == done.bj)
		counted = (counted - (work.i_hi - work.i_lo)) / 2;
	found->n = 0;
	code = counted ? job->backend->tile(ring->backend, thread, &work, found)
		       : 0;
	if (code)
		return code;
	done.rec = found->rec;
	done.n = found->n;
	done.evaluated =
		pairs * (uint64_t)__builtin_popcount(job->question->cell_mask);
	sum_records(&done, pi, pj);
	done.seconds = vs_clock() - started;
#pragma omp critical(vs_pairs_sink)
	{
		code = job->sink(job->ctx, &done);
		ring->stats->pairs += pairs;
		ring->stats->counted += counted;
	}
	return code;
}

static void
do_step(struct ring *ring, const struct vs_panel *met, const struct list *list)
{
	const struct vs_pairs *job = ring->job;
	double started = vs_clock();
	size_t next = 0;

#pragma omp parallel num_threads(job->n_thread)
	for (;;) {
		int code = 0, stop;
		size_t mine;

#pragma omp atomic read
		stop = ring->code;
#pragma omp atomic capture
		mine = next++;
		if (stop || mine >= list->n)
			break;
		code = do_tile(ring, met, list->tile[mine]);
		if (omp_get_thread_num() == 0) {
			vs_comm_poke();
			if (job->tick)
				job->tick(job->ctx, ring->stats->pairs);
			if (!code && job->stop && job->stop(job->ctx))
				code = VS_DONE;
		}
		if (code)
#pragma omp critical(vs_pairs_code)
			if (!ring->code)
				ring->code = code;
	}
	ring->stats->seconds_compute += vs_clock() - started;
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
	struct vs_panel t = ring->held;
	uint64_t lo, hi, unused;
	int64_t blo, bhi;
	double started = vs_clock();

	vs_comm_wait();
	ring->stats->seconds_wait += vs_clock() - started;
	ring->held = ring->next;
	ring->next = t;
	vs_plan_rank(plan, vs_plan_partner(plan, ring->rank, step), &blo, &bhi);
	vs_plan_block(plan, blo, &lo, &unused);
	vs_plan_block(plan, bhi, &hi, &unused);
	ring->held.first = lo;
	ring->held.n_vec = (size_t)(hi - lo);
}

static int
begin(struct ring *ring)
{
	const struct vs_pairs *job = ring->job;
	const struct vs_question *q = job->question;
	size_t most = (size_t)vs_plan_most(job->plan);
	size_t tile = (size_t)job->plan->tile;
	uint64_t lo, hi, unused;
	int64_t blo, bhi;
	int code = vs_panel_new(&ring->own, most, q->n_field);

	if (!code && job->plan->n_rank > 1)
		code = vs_panel_new(&ring->held, most, q->n_field);
	if (!code && job->plan->n_rank > 1)
		code = vs_panel_new(&ring->next, most, q->n_field);
	if (!code)
		code = vs_new(&ring->found, (size_t)job->n_thread,
			sizeof(*ring->found), "threads");
	if (!code)
		code = job->backend->open(&ring->backend, q, job->n_thread,
			tile);
	if (code)
		return code;
	vs_plan_rank(job->plan, ring->rank, &blo, &bhi);
	vs_plan_block(job->plan, blo, &lo, &unused);
	vs_plan_block(job->plan, bhi, &hi, &unused);
	ring->own.first = lo;
	if (hi > lo)
		code = job->load(job->ctx, lo, hi, &ring->own);
	if (!code && hi > lo)
		prune(job, &ring->own);
	return code;
}

static void
end(struct ring *ring)
{
	for (int t = 0; ring->found && t < ring->job->n_thread; t++)
		free(ring->found[t].rec);
	free(ring->found);
	ring->job->backend->close(ring->backend);
	vs_panel_free(&ring->own);
	vs_panel_free(&ring->held);
	vs_panel_free(&ring->next);
}

int
vs_pairs_run(const struct vs_pairs *job, struct vs_pairs_stats *stats)
{
	struct ring ring = { .job = job,
		.stats = stats,
		.rank = vs_comm_rank() };
	int n_step = vs_plan_n_step(job->plan);
	struct list list = { 0 };
	double started = vs_clock();
	bool speaker;

	memset(stats, 0, sizeof(*stats));
	ring.code = begin(&ring);
	stats->seconds_input = vs_clock() - started;
	/* all have their panels, or nobody starts to pass them on */
	if (vs_comm_agree(ring.code, &speaker) < 0) {
		if (!ring.code)
			ring.code = VS_DONE;
		n_step = 0;
	}
	for (int s = 0; s < n_step; s++) {
		if (s)
			take_over(&ring, s);
		if (s + 1 < n_step)
			pass_on(&ring, s);
		if (!ring.code)
			ring.code = list_step(job, ring.rank, s, &list);
		if (!ring.code)
			do_step(&ring, s ? &ring.held : &ring.own, &list);
	}
	free(list.tile);
	end(&ring);
	return ring.code;
}

uint64_t
vs_pairs_bytes(const struct vs_pairs *job)
{
	const struct vs_question *q = job->question;
	uint64_t most = vs_plan_most(job->plan);
	uint64_t panel = most * (16 * vs_vec_words(q->n_field) + 22);

	return panel * (job->plan->n_rank > 1 ? 3 : 1) +
		job->backend->bytes(q, job->n_thread, (size_t)job->plan->tile);
}
