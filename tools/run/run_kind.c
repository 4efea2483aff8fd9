/* SPDX-License-Identifier: BSD-3-Clause */
/* Dispatch between runs over pairs and runs over triples. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/candidates/tile_cost.h"
#include "libcore/plan/comm.h"
#include "tools/run/devices.h"
#include "tools/run/run_kind.h"

void
vs_run_kind_set(struct vs_run_kind *w, int n, bool has_cells)
{
	w->n = n;
	w->has_cells = has_cells;
	w->what = n == 3 ? "triples" : "pairs";
}

int
vs_run_kind_plan(struct vs_run_kind *w, struct vs_job *job,
	struct vs_plan *plan, struct vs_plan *unit, uint64_t n_vec,
	int64_t tile, uint64_t memory)
{
	w->memory = memory;
	w->plan = tile ? NULL : plan;
	return w->n == 3
		? vs_triple_run_plan(job, plan, n_vec, tile, memory)
		: vs_pair_run_plan(job, plan, unit, n_vec, tile, memory);
}

uint64_t
vs_run_kind_all(const struct vs_run_kind *w, const struct vs_plan *plan)
{
	return w->n == 3 ? vs_cube_n_triple(plan) : vs_plan_n_pair(plan);
}

vs_wide
vs_run_kind_values(const struct vs_run_kind *w, const struct vs_plan *plan,
	const uint64_t *done)
{
	vs_wide n = 0;

	for (uint64_t t = 0; done && t < vs_plan_n_tile(plan); t++) {
		int64_t bi, bj;

		if (!vs_plan_is_done(done, t))
			continue;
		vs_plan_tile_of(plan, t, &bi, &bj);
		n += w->n == 3 ? vs_cube_triples(plan, bi, bj)
			       : vs_plan_pairs(plan, bi, bj);
	}
	return n * (vs_wide)vs_run_kind_cells(w);
}

uint64_t
vs_run_kind_bytes(const struct vs_run_kind *w, const struct vs_job *job)
{
	return w->n == 3 ? vs_triple_run_bytes(job) : vs_pair_run_bytes(job);
}

/* Triples dealt to each rank if all are counted. */
static int
deal(const struct vs_job *job, uint64_t *load)
{
	const uint64_t n_tile = vs_plan_n_tile(job->plan);
	int32_t *owner = NULL;
	int code = vs_mem_new(&owner, n_tile, sizeof(*owner), "list of tiles");

	if (!code)
		code = vs_tile_cost_deal(job, NULL, owner);
	for (uint64_t t = 0; t < n_tile && !code; t++) {
		int64_t bi, bj;

		vs_plan_tile_of(job->plan, t, &bi, &bj);
		if (!vs_plan_is_done(job->done, t))
			load[owner[t]] += vs_cube_triples(job->plan, bi, bj);
	}
	free(owner);
	return code;
}

int
vs_run_kind_shares(const struct vs_run_kind *w, const struct vs_job *job,
	uint64_t *least, uint64_t *most)
{
	const struct vs_plan *plan = job->plan;
	uint64_t *load = NULL;
	int code = vs_mem_new(&load, (size_t)plan->n_rank, sizeof(*load),
		"shares of ranks");

	if (!code && w->n == 3)
		code = deal(job, load);
	*least = UINT64_MAX;
	*most = 0;
	for (int r = 0; r < plan->n_rank && !code; r++) {
		if (w->n != 3)
			load[r] = vs_pair_run_share(job, r);
		*most = load[r] > *most ? load[r] : *most;
		*least = load[r] < *least ? load[r] : *least;
	}
	free(load);
	return code;
}

static int
open_pool(struct vs_thread_pool *pool, struct vs_job *job)
{
	int code = vs_thread_pool_open(pool, job);

	if (!code || !job->device || !job->dispensable)
		return code;
	vs_devices_drop(job);
	return vs_thread_pool_open(pool, job);
}

void
vs_run_kind_describe(const struct vs_run_kind *w, const struct vs_job *job,
	char *text, size_t room)
{
	if (w->n == 3)
		vs_triple_run_describe(job, w->triples, text, room);
	else
		vs_devices_describe(job, text, room);
}

static bool
all_done(const struct vs_job *job)
{
	const uint64_t n = vs_plan_n_tile(job->unit ? job->unit : job->plan);
	uint64_t t = 0;

	while (t < n && vs_plan_is_done(job->done, t))
		t++;
	return job->done && t == n;
}

int
vs_run_kind_begin(struct vs_run_kind *w, struct vs_job *job,
	struct vs_job_stats *stats, char *text, size_t room, uint64_t *load)
{
	int code = 0;

	if (w->n != 3) {
		code = open_pool(&w->pool, job);
		/* else a complete run would take seconds to find that no tile
		 * is left */
		w->idle = all_done(job);
		*load = w->idle ? 0 : vs_pair_run_load(job, vs_comm_rank());
	} else {
		code = vs_triple_run_new(&w->triples, job, w->plan, w->memory,
			stats);
		*load = code ? 0 : vs_triple_run_load(w->triples);
	}
	vs_run_kind_describe(w, job, text, room);
	return code;
}

int
vs_run_kind_run(struct vs_run_kind *w, struct vs_job_stats *stats)
{
	if (w->idle) {
		memset(stats, 0, sizeof(*stats));
		return 0;
	}
	return w->n == 3 ? vs_triple_run_all(w->triples, stats)
			 : vs_pair_run(&w->pool, stats);
}

bool
vs_run_kind_has(const struct vs_run_kind *w, int64_t bi, int64_t bj)
{
	return w->triples && vs_triple_run_has(w->triples, bi, bj);
}

void
vs_run_kind_end(struct vs_run_kind *w)
{
	vs_triple_run_free(w->triples);
	w->triples = NULL;
	vs_thread_pool_close(&w->pool);
	/* by now, no rank copies from this one's vectors any more */
	vs_comm_memory_end();
}
