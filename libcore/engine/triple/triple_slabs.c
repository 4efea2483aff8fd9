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
	return job->device && job->device->slab ? job->device->n_driver : 0;
}

/* A device failed: others go on. The lock is held, or nobody else is there. */
static void
note_failure(struct vs_job_stats *stats, int code)
{
	if (code == VS_LOST) {
		stats->lost++;
		return;
	}
	if (!stats->failed++)
		snprintf(stats->why, sizeof(stats->why), "%s", vs_fail_text());
	vs_fail_clear();
}

/* Open the device; where it is dispensable, go on without. */
static int
open_device(struct vs_triple_slabs *s)
{
	const struct vs_job *job = s->job;
	int code = job->device->open_triples(&s->device, &s->data->q,
		s->n_driver, s->data->all.n_vec);

	if (!code)
		return 0;
	s->n_driver = 0;
	if (!job->dispensable)
		return code;
	note_failure(s->stats, code);
	return 0;
}

int
vs_triple_slabs_open(struct vs_triple_slabs *s, const struct vs_job *job,
	const struct vs_triple_data *data, struct vs_job_stats *stats)
{
	size_t n;
	int code = 0;

	s->job = job;
	s->data = data;
	s->stats = stats;
	s->kind = vs_triple_slabs_kind(job);
	s->n_driver = vs_triple_slabs_drivers(job);
	if (s->n_driver)
		code = open_device(s);
	s->n_cpu = s->n_driver && job->alone ? 0 : job->n_thread;
	n = (size_t)(s->n_cpu + s->n_driver);
	if (!code)
		code = vs_mem_new(&s->worker, n, sizeof(*s->worker), "workers");
	if (!code)
		code = vs_mem_new(&s->failed, n, sizeof(*s->failed), "workers");
	for (int k = 0; k < s->n_cpu && !code; k++)
		code = s->kind->open(&s->worker[k], data);
	return code;
}

void
vs_triple_slabs_close(struct vs_triple_slabs *s)
{
	for (int k = 0; s->worker && k < s->n_cpu + s->n_driver; k++)
		s->kind->close(s->worker[k]);
	if (s->device)
		s->job->device->close(s->device);
	free(s->worker);
	free(s->failed);
	free(s->of_tile.at);
	memset(s, 0, sizeof(*s));
}

int
vs_triple_slabs_cut(struct vs_triple_slabs *s, int64_t bi, int64_t bj,
	size_t *n)
{
	const struct vs_slab_most most = s->kind->most(s->job->query);
	const size_t n_vec = s->data->all.n_vec;
	struct vs_slabs *list = &s->of_tile;
	uint64_t w_lo, w_hi;
	struct vs_corner k;
	int code;

	vs_triangles_corner(s->job->plan, bi, bj, &k);
	vs_cube_thirds(s->job->plan, bj, &w_lo, &w_hi);
	list->n = 0;
	list->band = s->data->band;
	if (s->job->plan->row_tiles)
		code = vs_slab_cut_row(list, &most, k.u_lo, k.u_hi, n_vec);
	else if (vs_cube_by_first_two(s->job->plan))
		code = vs_slab_cut(list, &most,
			&(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi,
				(size_t)w_lo, (size_t)w_hi, k.same, k.v_lo });
	else if (k.same)
		code = vs_slab_cut_own(list, &most, k.u_lo, k.u_hi, n_vec);
	else
		code = vs_slab_cut(list, &most,
			&(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi,
				k.v_hi, n_vec, false, SIZE_MAX });
	*n = list->n;
	return code;
}

/* Triples done by the CPU or by the device. */
static void
add_cost(struct vs_triple_slabs *s, bool device, uint64_t n)
{
#pragma omp critical(vs_slab_device)
	s->stats->cost[device] += (double)n;
}

static int
count_on_cpu(struct vs_triple_slabs *s, int thread, const struct vs_slab *slab,
	struct vs_hits *found, uint64_t *counted)
{
	int code = s->worker[thread]
		? 0
		: s->kind->open(&s->worker[thread], s->data);

	if (!code)
		code = s->kind->count(s->worker[thread], slab, found, counted);
	if (!code && s->n_driver)
		add_cost(s, false, vs_slab_triples(slab));
	return code;
}

/* By the device, and what it leaves by the CPU. */
static int
count_on_device(struct vs_triple_slabs *s, int thread,
	const struct vs_slab *slab, struct vs_hits *found, uint64_t *counted)
{
	const struct vs_job *job = s->job;
	struct vs_slab done = *slab, left = *slab;
	int code;

	if (s->failed[thread])
		return count_on_cpu(s, thread, slab, found, counted);
	code = job->device->slab(s->device, thread - s->n_cpu, s->data, slab,
		found, &left.u_lo);
	done.u_hi = left.u_lo;
	*counted += vs_slab_triples(&done);
	add_cost(s, true, vs_slab_triples(&done));
	if (code == VS_UNABLE && !job->dispensable)
		code = VS_EMACHINE;
	if (code != VS_UNABLE && code != VS_LOST)
		return code;
	s->failed[thread] = true;
#pragma omp critical(vs_slab_device)
	note_failure(s->stats, code);
	return count_on_cpu(s, thread, &left, found, counted);
}

int
vs_triple_slabs_count(struct vs_triple_slabs *s, int thread,
	const struct vs_triple_part *part, struct vs_hits *found,
	uint64_t *counted)
{
	int code = 0;

	for (size_t k = part->lo; k < part->hi && !code; k++)
		code = (thread < s->n_cpu ? count_on_cpu : count_on_device)(s,
			thread, &s->of_tile.at[k], found, counted);
	return code;
}
