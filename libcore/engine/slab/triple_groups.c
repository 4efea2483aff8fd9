/* SPDX-License-Identifier: BSD-3-Clause */
/* LRU cache of groups of vectors, for triples. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/clock.h"
#include "libcore/base/mem.h"
#include "libcore/base/reserve.h"
#include "libcore/engine/slab/triple_groups.h"

#define GROUPS 16 /* that fit in memory, in one block or several */

int
vs_triple_groups_open(struct vs_triple_groups *g, const struct vs_job *job,
	struct vs_triple_data *data, uint64_t room)
{
	const struct vs_plan *plan = job->plan;
	const uint64_t block =
		(uint64_t)plan->tile * vs_triple_data_row_bytes(job->query);
	int64_t there = (int64_t)(room / (block ? block : 1));

	memset(g, 0, sizeof(*g));
	g->job = job;
	g->data = data;
	there = there < VS_TRIPLE_GROUPS_LEAST ? VS_TRIPLE_GROUPS_LEAST : there;
	g->blocks = there < GROUPS ? 1 : there / GROUPS;
	g->n = (plan->n_block + g->blocks - 1) / g->blocks;
	g->most = there < plan->n_block ? there / g->blocks : g->n;
	/* some of which occur twice */
	if (g->most < VS_TRIPLE_GROUPS_LEAST)
		g->most = VS_TRIPLE_GROUPS_LEAST;
	return vs_mem_new(&g->used, (size_t)g->n, sizeof(*g->used),
		"groups of vectors");
}

void
vs_triple_groups_vectors(const struct vs_triple_groups *g, int64_t group,
	size_t *lo, size_t *hi)
{
	const struct vs_plan *plan = g->job->plan;
	const int64_t first = group * g->blocks;
	int64_t last = first + g->blocks - 1;
	uint64_t from, to, unused;

	last = last < plan->n_block ? last : plan->n_block - 1;
	vs_plan_block(plan, first, &from, &unused);
	vs_plan_block(plan, last, &unused, &to);
	*lo = (size_t)from;
	*hi = (size_t)to;
}

static void
drop(struct vs_triple_groups *g, int64_t group)
{
	struct vs_panel_part rows[VS_TRIPLE_DATA_ROWS];
	const int n = vs_triple_data_rows(g->data, rows);
	size_t lo, hi;

	vs_triple_groups_vectors(g, group, &lo, &hi);
	for (int k = 0; k < n; k++)
		vs_reserve_give(rows[k].at + lo * rows[k].bytes,
			(hi - lo) * rows[k].bytes);
	g->used[group] = 0;
	g->n_there--;
}

void
vs_triple_groups_close(struct vs_triple_groups *g)
{
	for (int64_t k = 0; k < g->n; k++)
		if (g->used[k])
			drop(g, k);
	free(g->used);
	memset(g, 0, sizeof(*g));
}

/* Drop the least recently needed group. */
static void
drop_oldest(struct vs_triple_groups *g)
{
	int64_t oldest = -1;

	for (int64_t k = 0; k < g->n; k++)
		if (g->used[k] && (oldest < 0 || g->used[k] < g->used[oldest]))
			oldest = k;
	drop(g, oldest);
}

/* The vectors, as they were read. */
static int
read_vectors(struct vs_triple_groups *g, size_t lo, size_t hi)
{
	struct vs_panel *all = &g->data->all;
	const size_t n = all->n_vec;
	int code;

	all->n_vec = lo;
	code = g->job->load(g->job->ctx, lo, hi, all);
	all->first = 0;
	all->n_vec = n;
	return code;
}

/* Each block has its own order, the same whenever it is read. */
static int
sort(struct vs_triple_groups *g, int64_t group)
{
	const struct vs_plan *plan = g->job->plan;
	int code = 0;

	if (g->in_order || g->data->band ||
		vs_element_is_number(g->data->q.element))
		return 0;
	for (int64_t b = group * g->blocks;
		b < (group + 1) * g->blocks && b < plan->n_block && !code;
		b++) {
		uint64_t lo, hi;

		vs_plan_block(plan, b, &lo, &hi);
		code = vs_panel_sort(&g->data->all, (size_t)lo, (size_t)hi, 0,
			(size_t)(hi - lo), g->job->n_thread);
	}
	return code;
}

static int
make(struct vs_triple_groups *g, int64_t group)
{
	struct vs_panel_part rows[VS_TRIPLE_DATA_ROWS];
	const int n = vs_triple_data_rows(g->data, rows);
	const double started = vs_clock();
	size_t lo, hi;
	int code = 0;

	vs_triple_groups_vectors(g, group, &lo, &hi);
	for (int k = 0; k < n && !code; k++)
		code = vs_reserve_take(rows[k].at + lo * rows[k].bytes,
			(hi - lo) * rows[k].bytes, "group of vectors");
	if (!code)
		code = read_vectors(g, lo, hi);
	if (!code)
		code = sort(g, group);
	if (!code)
		code = vs_triple_data_derive(g->data, lo, hi, g->job->n_thread);
	g->data->n_read += hi - lo;
	g->data->seconds_read += vs_clock() - started;
	return code;
}

/* Mark a group as needed now, and load it if it is not in memory. */
static int
need(struct vs_triple_groups *g, int64_t group, bool made)
{
	if (g->used[group] || !made) {
		g->used[group] = g->used[group] ? g->clock : 0;
		return 0;
	}
	if (g->n_there == g->most)
		drop_oldest(g);
	g->used[group] = g->clock;
	g->n_there++;
	return make(g, group);
}

int
vs_triple_groups_need(struct vs_triple_groups *g, int64_t u, int64_t v,
	int64_t lo, int64_t hi)
{
	int code = 0;

	assert(hi - lo <= vs_triple_groups_thirds(g));
	g->clock++;
	/* none of the needed groups is dropped */
	for (int made = 0; made < 2 && !code; made++) {
		code = need(g, u, made);
		if (!code)
			code = need(g, v, made);
		for (int64_t w = lo; w < hi && !code; w++)
			code = need(g, w, made);
	}
	return code;
}
