/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhaustive counting of the triples of a tile, cut into slabs. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/candidates/triangles.h"
#include "libcore/engine/sched/thread_pool.h"
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
	case VS_FAMILY_MOMENTS: /* pairs only */
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

double
vs_triple_slabs_rate(const struct vs_job *job)
{
	const struct vs_query *q = job->query;

	return vs_triple_slabs_drivers(job)
		? job->device->rate_triples(q) / (double)q->n_field
		: 0;
}

bool
vs_triple_slabs_wanted(const struct vs_job *job)
{
	return vs_triple_slabs_drivers(job) && !job->dispensable;
}

/* ---- slabs as pieces of the work queue ---- */

#define UNCUT ((size_t)1 << 40) /* more than any tile has */

int
vs_triple_slabs_cut(struct vs_triple_slabs *s, int64_t bi, int64_t bj,
	const struct vs_slab_window *window, int n_front)
{
	struct vs_slab_most most = s->kind->most(s->job->query);
	const size_t n_vec = s->data->all.n_vec;
	struct vs_slabs *list = &s->list;
	uint64_t w_lo, w_hi;
	struct vs_corner k;

	vs_triangles_corner(s->job->plan, bi, bj, &k);
	vs_cube_thirds(s->job->plan, bj, &w_lo, &w_hi);
	/* of first vectors the queue hands out some */
	most.u = UNCUT;
	if (n_front && s->device) {
		most.halves = false;
		s->job->device->slab_most(s->device, &most.v, &most.w);
	}
	list->n = 0;
	list->band = s->data->band;
	list->window = window;
	if (s->job->plan->row_tiles)
		return vs_slab_cut_row(list, &most, k.u_lo, k.u_hi, n_vec);
	if (vs_cube_by_first_two(s->job->plan))
		return vs_slab_cut(list, &most,
			&(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi,
				(size_t)w_lo, (size_t)w_hi, k.same, k.v_lo });
	if (k.same)
		return vs_slab_cut_own(list, &most, k.u_lo, k.u_hi, n_vec);
	return vs_slab_cut(list, &most,
		&(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi, k.v_hi,
			n_vec, false, SIZE_MAX });
}

/* A piece is a slab; its rows are the first vectors. */
int
vs_triple_slabs_split(struct vs_triple_slabs *s,
	const struct vs_tile_task *task, int n_front, void *of,
	struct vs_tile_split *to)
{
	const size_t most = s->kind->most(s->job->query).u;
	const struct vs_slab *slab;
	int code = s->job->stream
		? 0
		: vs_triple_slabs_cut(s, task->bi, task->bj, NULL, n_front);

	slab = to->slab = s->list.at;
	to->n_piece = s->list.n;
	s->list = (struct vs_slabs){ 0 };
	VS_MEM_NEW(&code, to->piece, to->n_piece, "slabs of a tile");
	for (size_t k = 0; k < to->n_piece && !code; k++, slab++)
		to->piece[k] = (struct vs_piece){ .of = of,
			.part = k,
			.lo = slab->u_lo,
			.hi = slab->u_hi,
			.grain = vs_min_size(most, slab->u_hi - slab->u_lo),
			.cost = vs_slab_triples(slab) };
	for (size_t k = 0; k < to->n_piece && !code; k++)
		to->amount += to->piece[k].hi - to->piece[k].lo;
	return code;
}

/* A slab that was cut for a device is larger than a thread's. */
static int
count_on_cpu(struct vs_triple_slabs *s, int thread, const struct vs_slab *slab,
	struct vs_hits *found, uint64_t *counted)
{
	const struct vs_slab_most most = s->kind->most(s->job->query);
	struct vs_slabs parts = { .band = s->data->band };
	int code = s->worker[thread]
		? 0
		: vs_slab_open(&s->worker[thread], s->kind, s->data);

	if (!code)
		code = vs_slab_cut(&parts, &most, slab);
	for (size_t k = 0; k < parts.n && !code; k++)
		code = vs_slab_count(s->kind, s->worker[thread], s->data,
			&parts.at[k], found, counted);
	free(parts.at);
	return code;
}

int
vs_triple_slabs_count(struct vs_triple_slabs *s, int thread,
	const struct vs_slab *slabs, struct vs_piece *piece,
	struct vs_hits *found, uint64_t *counted)
{
	struct vs_slab slab = slabs[piece->part];
	const int driver = thread - s->job->n_thread;
	int code;

	slab.u_lo = piece->lo;
	slab.u_hi = piece->hi;
	if (driver < 0)
		return count_on_cpu(s, thread, &slab, found, counted);
	code = s->job->device->slab(s->device, driver, s->data, &slab, found,
		&piece->lo);
	slab.u_hi = piece->lo;
	*counted += vs_slab_triples(&slab);
	return code;
}

/* ---- begin and end ---- */

/* Open the devices; continue without optional ones. */
static int
open_device(struct vs_triple_slabs *s, struct vs_job_stats *stats)
{
	const struct vs_job *job = s->job;
	int code = job->device->open_triples(&s->device, &s->data->q,
		vs_triple_slabs_drivers(job), s->data->all.n_vec);

	if (code && job->dispensable) {
		if (!stats->failed++)
			snprintf(stats->why, sizeof(stats->why), "%s",
				vs_fail_text());
		vs_fail_clear();
		return 0;
	}
	return code;
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
	VS_MEM_NEW(&code, s->worker, (size_t)job->n_thread, "workers");
	/* beside a device that does everything, these are opened once it leaves
	 * some */
	for (int k = 0;
		k < job->n_thread && !code && !(s->device && job->alone); k++)
		code = vs_slab_open(&s->worker[k], s->kind, data);
	return code;
}

void
vs_triple_slabs_close(struct vs_triple_slabs *s)
{
	for (int k = 0; s->worker && k < s->job->n_thread; k++)
		free(s->worker[k]);
	if (s->device)
		s->job->device->close(s->device);
	free(s->worker);
	free(s->list.at);
	memset(s, 0, sizeof(*s));
}
