/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhaustive counting of the triples of a tile, cut into slabs. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
	case VS_FAMILY_MOMENTS: /* of pairs alone */
	case VS_FAMILY_NONE:
		break;
	}
	assert(!"metric of triples");
	return NULL;
}

int
vs_triple_slabs_open(struct vs_triple_slabs *s, const struct vs_job *job,
	const struct vs_triple_data *data)
{
	size_t n = (size_t)job->n_thread;
	int code;

	s->job = job;
	s->data = data;
	s->kind = vs_triple_slabs_kind(job);
	code = vs_mem_new(&s->worker, n, sizeof(*s->worker), "workers");
	for (size_t k = 0; k < n && !code; k++)
		code = s->kind->open(&s->worker[k], data);
	return code;
}

void
vs_triple_slabs_close(struct vs_triple_slabs *s)
{
	for (int k = 0; s->worker && k < s->job->n_thread; k++)
		s->kind->close(s->worker[k]);
	free(s->worker);
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
	struct vs_corner k;
	int code;

	vs_triangles_corner(s->job->plan, bi, bj, &k);
	list->n = 0;
	list->band = s->data->band;
	if (s->job->plan->row_tiles)
		code = vs_slab_cut_row(list, &most, k.u_lo, k.u_hi, n_vec);
	else if (vs_cube_by_first_two(s->job->plan))
		code = vs_slab_cut(list, &most,
			&(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi,
				k.v_lo, n_vec, k.same, k.v_lo });
	else if (k.same)
		code = vs_slab_cut_own(list, &most, k.u_lo, k.u_hi, n_vec);
	else
		code = vs_slab_cut(list, &most,
			&(struct vs_slab){ k.u_lo, k.u_hi, k.v_lo, k.v_hi,
				k.v_hi, n_vec, false, SIZE_MAX });
	*n = list->n;
	return code;
}

int
vs_triple_slabs_count(struct vs_triple_slabs *s, int thread,
	const struct vs_triple_part *part, struct vs_hits *found,
	uint64_t *counted)
{
	int code = 0;

	for (size_t k = part->lo; k < part->hi && !code; k++)
		code = s->kind->count(s->worker[thread], &s->of_tile.at[k],
			found, counted);
	return code;
}
