/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles of several sizes; their blocks are read for them. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/engine/sched/block_cache.h"
#include "libcore/engine/sched/tile_groups.h"
#include "libcore/engine/sched/tile_levels.h"

#define SHARE 3 /* share of the limit that a smaller tile may take */

/* ---- lists ---- */

void
vs_tile_levels_clear(struct vs_tile_list *list)
{
	free(list->now.task);
	free(list->later.task);
	free(list->partial.task);
}

bool
vs_tile_levels_sort(struct vs_tile_list *list, const struct vs_job *job,
	int64_t bi, int64_t bj)
{
	const struct vs_tile_task task = { .bi = bi, .bj = bj };
	size_t n, n_done = vs_tile_groups_done(job, job->plan, bi, bj, &n);

	if (n_done && n_done < n && !list->code)
		list->code = vs_tiles_add(&list->partial, &task);
	return !n_done && n;
}

/* ---- levels ---- */

static void
forget(void *ctx, const struct vs_panel *panel)
{
	vs_thread_pool_forget(ctx, panel);
}

/* Largest number of the sink's blocks per block, judging by the data so far. */
static int64_t
group(const struct vs_tile_levels *levels, const struct vs_job *job,
	const struct vs_job_stats *stats)
{
	double rate =
		vs_thread_pool_rate(job) / fmax((double)job->query->n_field, 1);
	double pace =
		stats->pace > 0 ? stats->pace : rate / VS_TILE_LEVELS_SLOWER;
	double most = pace * job->limit / SHARE, n;
	int64_t whole = job->plan->tile / job->unit->tile, g = 1;

	if (!job->query->shared_threshold && stats->density > 0)
		most = fmin(most, (double)job->gather / stats->density / SHARE);
	n = sqrt(most) / (double)job->unit->tile;
	while (2 * g < whole && 2 * (double)g <= n &&
		(2 * g <= whole / VS_TILE_LEVELS_FINER ||
			vs_block_cache_bytes(job->query,
				2 * (uint64_t)(g * job->unit->tile)) <=
				job->extra_bytes - levels->reserved))
		g *= 2;
	return g;
}

/*
 * Split a task of the job's plan into tiles of a finer plan; if it is done in
 * part, into the sink's tiles.
 */
static int
split(const struct vs_job *job, const struct vs_tile_task *task,
	const struct vs_plan *fine, struct vs_tile_list *list)
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
			struct vs_tile_task t = { .bi = i, .bj = j };
			struct vs_job of = *job;

			of.plan = fine;
			if (vs_plan_has(fine, i, j) &&
				vs_tile_levels_sort(list, &of, i, j))
				code = vs_tiles_add(&list->now, &t);
			code = code ? code : list->code;
		}
	return code;
}

static int
add_level(struct vs_tile_levels *levels, const struct vs_thread_pool *pool,
	int64_t g, struct vs_tile_level **out)
{
	const struct vs_job *job = pool->job;
	const struct vs_plan *unit = job->unit ? job->unit : job->plan;
	struct vs_tile_level *l = NULL;
	uint64_t used;
	int code = vs_mem_new(&l, 1, sizeof(*l), "tiles");

	if (code)
		return code;
	l->g = g;
	l->job = *job;
	l->job.plan = &l->plan;
	l->job.stream = true;
	l->pool = *pool;
	l->pool.job = &l->job;
	l->pool.cache = NULL;
	code = vs_plan_between(&l->plan, &unit->of, 1, g * unit->tile);
	if (!code)
		code = vs_block_cache_new(&l->pool.cache, &l->job, l->pool.held,
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

static int
find_level(struct vs_tile_levels *levels, const struct vs_thread_pool *pool,
	int64_t g, struct vs_tile_level **out)
{
	struct vs_tile_level *l = levels->first;

	while (l && l->g != g)
		l = l->next;
	*out = l;
	return l ? 0 : add_level(levels, pool, g, out);
}

int
vs_tile_levels_open(struct vs_tile_levels *levels,
	const struct vs_thread_pool *pool, int64_t g,
	struct vs_thread_pool **out)
{
	struct vs_tile_level *l = NULL;
	int code = find_level(levels, pool, g, &l);

	if (!code)
		*out = &l->pool;
	return code;
}

bool
vs_tile_levels_fit(struct vs_tile_levels *levels, const struct vs_job *job)
{
	uint64_t bytes =
		vs_block_cache_bytes(job->query, (uint64_t)job->plan->tile);

	if (bytes > job->extra_bytes / 2)
		return false;
	levels->reserved = bytes;
	return true;
}

void
vs_tile_levels_free(struct vs_tile_levels *levels)
{
	while (levels->first) {
		struct vs_tile_level *l = levels->first;

		levels->first = l->next;
		vs_block_cache_free(l->pool.cache);
		free(l);
	}
}

/* ---- tiles ---- */

static bool
may_postpone(const struct vs_job *job)
{
	return vs_job_is_grouped(job) && job->limit > 0;
}

static int do_finer(struct vs_tile_levels *levels,
	const struct vs_thread_pool *pool, const struct vs_tile_list *of,
	int64_t g);

/* Put off those that take too long. */
static int
do_list(struct vs_tile_levels *levels, const struct vs_thread_pool *pool,
	struct vs_tile_list *list, int64_t g)
{
	int code = vs_thread_pool_run(pool, list->now.task, list->now.n,
		may_postpone(pool->job) ? &list->later : NULL);

	return code ? code : do_finer(levels, pool, list, g);
}

/*
 * Do the tiles as tiles with an edge below g blocks, all together, so that
 * threads wait for each other only once. Vectors are read and sorted again,
 * once if there is memory for all.
 */
static int
do_finer(struct vs_tile_levels *levels, const struct vs_thread_pool *pool,
	const struct vs_tile_list *of, int64_t g)
{
	int64_t least;
	struct vs_tile_level *l = NULL;
	struct vs_tile_list list = { 0 };
	int code;

	if (!of->later.n && !of->partial.n)
		return 0;
	least = group(levels, pool->job, pool->stats);
	g = least < g / 2 ? least : g / 2;
	g = g < 1 ? 1 : g;
	code = find_level(levels, pool, g, &l);
	for (size_t k = 0; k < of->partial.n && !code; k++)
		code = split(pool->job, &of->partial.task[k], &l->plan, &list);
	for (size_t k = 0; k < of->later.n && !code; k++)
		code = split(pool->job, &of->later.task[k], &l->plan, &list);
	if (!code)
		code = do_list(levels, &l->pool, &list, g);
	vs_tile_levels_clear(&list);
	return code;
}

int
vs_tile_levels_feed(struct vs_tile_levels *levels,
	const struct vs_thread_pool *pool, struct vs_tile_list *list,
	const struct vs_tile_source *source, int64_t g)
{
	bool full;
	int code;

	do {
		list->later.n = list->partial.n = 0;
		list->code = 0;
		code = vs_thread_pool_feed(pool, source,
			may_postpone(pool->job) ? &list->later : NULL);
		full = vs_thread_pool_is_full(pool->job, list->later.n);
		code = code ? code : list->code;
		code = code ? code : do_finer(levels, pool, list, g);
	} while (!code && full);
	return code;
}
