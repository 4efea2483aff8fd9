/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhaustive counting of the triples of a tile, cut into slabs. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/triple/triangles.h"
#include "libcore/engine/triple/triple_slabs.h"
#include "libcore/plan/cube.h"

const struct vs_slab_kind *
vs_triple_slabs_kind(const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	switch (vs_query_family(q)) {
	case VS_FAMILY_ALLELES:
		return job->histogram && q->has_missing ? &vs_slab_missing
							: &vs_slab_genotypes;
	case VS_FAMILY_MINIMA:
		return &vs_slab_minima;
	case VS_FAMILY_TABLES:
		return &vs_slab_tables;
	case VS_FAMILY_INNER:
	case VS_FAMILY_MOMENTS: /* of pairs alone */
	case VS_FAMILY_NONE:
		break;
	}
	assert(!"metric of triples");
	return NULL;
}

int
vs_triple_slabs_drivers(const struct vs_job *job)
{
	return job->device && job->device->slab ? vs_thread_pool_drivers(job)
						: 0;
}

/* ---- slabs as pieces of the work queue ---- */

#define UNCUT ((size_t)1 << 40)

static int
cut(const struct vs_triple_slabs *s, int64_t bi, int64_t bj,
	struct vs_slabs *list)
{
	const struct vs_slab_most most = s->uncut
		? (struct vs_slab_most){ UNCUT, UNCUT, UNCUT, false }
		: s->kind->most(s->job->query);
	const size_t n_vec = s->data->all.n_vec;
	uint64_t w_lo, w_hi;
	struct vs_corner k;

	vs_triangles_corner(s->job->plan, bi, bj, &k);
	vs_cube_thirds(s->job->plan, bj, &w_lo, &w_hi);
	list->n = 0;
	list->band = s->data->band;
	if (s->job->plan->row_tiles)
		return vs_slab_cut_row(list, &most, k.u_lo, k.u_hi, n_vec);
	if (vs_cube_by_first_two(s->job->plan))
		return vs_slab_cut(list, &most,
			&(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi,
				(size_t)w_lo, (size_t)w_hi, k.same, k.v_lo });
	return k.same
		? vs_slab_cut_own(list, &most, k.u_lo, k.u_hi, n_vec)
		: vs_slab_cut(list, &most,
			  &(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi,
				  k.v_hi, n_vec, false, SIZE_MAX });
}

/* A piece is a slab, or some of its first vectors where that is lost. */
static int
split(const struct vs_thread_pool *pool, const struct vs_tile_task *task,
	int n_front, void *of, struct vs_tile_split *to)
{
	struct vs_slabs list = { 0 };
	int code = cut(pool->ctx, task->bi, task->bj, &list);

	(void)n_front;
	to->slab = list.at;
	if (!code)
		code = vs_mem_new(&to->piece, list.n, sizeof(*to->piece),
			"slabs of a tile");
	for (size_t k = 0; k < list.n && !code; k++) {
		const struct vs_slab *s = &list.at[k];
		const size_t rows = s->u_hi - s->u_lo;

		to->piece[k] = (struct vs_piece){ .of = of,
			.part = k,
			.lo = s->u_lo,
			.hi = s->u_hi,
			.grain = rows,
			.cost = vs_slab_triples(s) };
		to->amount += rows;
		to->counted += to->piece[k].cost;
		to->n_piece++;
	}
	return code;
}

static int
count_on_cpu(struct vs_triple_slabs *s, int thread, const struct vs_slab *slab,
	struct vs_hits *found, uint64_t *counted)
{
	int code = s->worker[thread]
		? 0
		: s->kind->open(&s->worker[thread], s->data);

	return code ? code
		    : s->kind->count(s->worker[thread], slab, found, counted);
}

/* A device's hits are of the first vectors that it has done. */
static int
count_piece(const struct vs_thread_pool *pool, int thread,
	struct vs_piece *piece, struct vs_tile_worker *worker)
{
	const struct vs_slab *slabs = worker->tile->split.slab;
	struct vs_slab slab = slabs[piece->part];
	struct vs_hits *found = &worker->hits;
	const int driver = thread - pool->job->n_thread;
	uint64_t counted = 0;
	int code, gathered;

	slab.u_lo = piece->lo;
	slab.u_hi = piece->hi;
	if (driver < 0) {
		code = count_on_cpu(pool->ctx, thread, &slab, found, &counted);
		found->inferred += (double)(vs_slab_triples(&slab) - counted);
	} else {
		const struct vs_triple_slabs *s = pool->ctx;

		code = pool->job->device->slab(pool->device, driver, s->data,
			&slab, found, &piece->lo);
	}
	gathered = found->n ? vs_tile_window_gather(found) : 0;
	return gathered < 0 || !code ? gathered : code;
}

static void
sum_records(const void *ctx, const struct vs_hits *found,
	struct vs_digest_sum *sum, struct vs_digest_sum *renamed)
{
	const struct vs_triple_slabs *s = ctx;

	vs_triple_pass_sum(s->data, found, sum, renamed);
}

/* Many pieces in few tiles, so that few lists of them are there at a time. */
static const struct vs_tile_kind slabs_of_tiles = { .n_open = 4,
	.size = vs_cube_triples,
	.split = split,
	.count = count_piece,
	.sum = sum_records };

/* ---- begin and end ---- */

/* Open the devices; where they are dispensable, go on without. */
static int
open_device(struct vs_triple_slabs *s, struct vs_job_stats *stats)
{
	const struct vs_job *job = s->job;
	const struct vs_query *q = &s->data->q;
	/* a triple takes as long as some pairs */
	const double unit = 3 * (double)(q->n_field ? q->n_field : 1);
	struct vs_thread_pool *pool = &s->pool;
	int code = job->device->open_triples(&pool->device, q,
		vs_triple_slabs_drivers(job), s->data->all.n_vec);

	if (code && job->dispensable) {
		if (!stats->failed++)
			snprintf(stats->why, sizeof(stats->why), "%s",
				vs_fail_text());
		vs_fail_clear();
		return 0;
	}
	if (code)
		return code;
	pool->job = job;
	pool->kind = &slabs_of_tiles;
	pool->ctx = s;
	pool->stats = stats;
	return vs_thread_pool_queue(&pool->queue, job, unit, NULL);
}

int
vs_triple_slabs_open(struct vs_triple_slabs *s, const struct vs_job *job,
	const struct vs_triple_data *data, struct vs_job_stats *stats)
{
	int code = 0;

	s->job = job;
	s->data = data;
	s->kind = vs_triple_slabs_kind(job);
	if (vs_triple_slabs_drivers(job))
		code = open_device(s, stats);
	if (!code)
		code = vs_mem_new(&s->worker, (size_t)job->n_thread,
			sizeof(*s->worker), "workers");
	/* beside a device that does all they are opened when it leaves some */
	for (int k = 0;
		k < job->n_thread && !code && !(s->pool.device && job->alone);
		k++)
		code = s->kind->open(&s->worker[k], data);
	return code;
}

void
vs_triple_slabs_close(struct vs_triple_slabs *s)
{
	for (int k = 0; s->worker && k < s->job->n_thread; k++)
		s->kind->close(s->worker[k]);
	if (s->pool.device)
		s->job->device->close(s->pool.device);
	vs_work_queue_free(s->pool.queue);
	free(s->worker);
	free(s->of_tile.at);
	memset(s, 0, sizeof(*s));
}

/* ---- the CPU alone ---- */

int
vs_triple_slabs_cut(struct vs_triple_slabs *s, int64_t bi, int64_t bj,
	const struct vs_slab_window *window, size_t *n)
{
	int code;

	s->of_tile.window = window;
	code = cut(s, bi, bj, &s->of_tile);
	s->of_tile.window = NULL;

	*n = s->of_tile.n;
	return code;
}

int
vs_triple_slabs_count(struct vs_triple_slabs *s, int thread,
	const struct vs_triple_part *part, struct vs_hits *found,
	uint64_t *counted)
{
	int code = 0;

	for (size_t k = part->lo; k < part->hi && !code; k++)
		code = count_on_cpu(s, thread, &s->of_tile.at[k], found,
			counted);
	return code;
}
