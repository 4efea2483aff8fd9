/* SPDX-License-Identifier: BSD-3-Clause */
/* Triples of a stream: windows of second and third vectors with triples. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/triple/triple_stream.h"

#define MARKS 1024 /* most groups: a megabyte of pairs */

/* ---- data kept for all vectors ---- */

/* Keep the planes of the sampled vectors within [lo, hi). */
static void
copy(const struct vs_panel *all, const uint32_t *v, size_t n, size_t lo,
	size_t hi, struct vs_panel *sample)
{
	const size_t bytes = all->vec.n_word * sizeof(uint64_t);

	for (size_t k = 0; k < n; k++)
		for (int plane = 0; plane < 2 && v[k] >= lo && v[k] < hi;
			plane++)
			memcpy(vs_vec_plane(&sample->vec, k, plane),
				vs_vec_plane(&all->vec, v[k], plane), bytes);
}

int
vs_triple_stream_scan(const struct vs_job *job, struct vs_triple_data *data,
	uint64_t room, struct vs_panel *sample)
{
	uint32_t v[VS_COST_MODEL_VECTORS];
	const size_t n = vs_cost_model_sample(data->all.n_vec, v);
	struct vs_triple_groups g = { 0 };
	int code = vs_panel_room(sample, n, job->query->n_field);

	if (!code)
		code = vs_triple_groups_open(&g, job, data, room);
	g.in_order = true;
	for (int64_t k = 0; k < g.n && !code; k++) {
		size_t lo, hi;

		if (vs_triple_data_stopped(data))
			code = VS_DONE;
		else
			code = vs_triple_groups_need(&g, k, k, k, k + 1);
		vs_triple_groups_vectors(&g, k, &lo, &hi);
		if (!code)
			copy(&data->all, v, n, lo, hi, sample);
	}
	vs_triple_groups_close(&g);
	data->sample = sample;
	return code;
}

/* ---- begin and end ---- */

int
vs_triple_stream_open(struct vs_triple_stream *s, struct vs_triple_pass *pass,
	struct vs_triple_groups *groups)
{
	struct vs_triangle_marks *m = &s->marks;

	memset(s, 0, sizeof(*s));
	s->groups = groups;
	s->pass = pass;
	m->groups = groups;
	m->n = vs_min_size((size_t)groups->n, MARKS);
	return vs_mem_new(&m->seen, m->n * m->n, 1, "windows of triples");
}

void
vs_triple_stream_close(struct vs_triple_stream *s)
{
	free(s->marks.seen);
	memset(s, 0, sizeof(*s));
}

/* ---- a part ---- */

/* Mark the groups of the part's candidates. */
static int
mark_candidates(struct vs_triple_stream *s, const struct vs_tile_task *part)
{
	const struct vs_triple_candidates *c = s->pass->candidates;
	const size_t grain = VS_TRIPLE_CANDIDATES_VECTORS;
	struct vs_corner all;

	vs_triangles_corner(c->job->plan, part->bi, part->bj, &all);
#pragma omp parallel for num_threads(c->job->n_thread) schedule(dynamic)
	for (size_t u = part->lo; u < part->hi; u += grain) {
		struct vs_corner k = all;

		vs_float_env_set();
		k.u_lo = u;
		k.u_hi = vs_min_size(u + grain, part->hi);
		if (!vs_triple_data_stopped(c->data))
			vs_triangles_mark(c->worker[omp_get_thread_num()],
				&c->graph, &k, &s->marks);
	}
	return vs_triple_data_stopped(c->data) ? VS_DONE : 0;
}

/* Mark the groups of all slabs of a tile. */
static int
mark_slabs(struct vs_triple_stream *s, const struct vs_tile_task *part)
{
	const struct vs_triple_groups *g = s->groups;
	const struct vs_slabs *list = &s->pass->slabs->list;
	int code = vs_triple_slabs_cut(s->pass->slabs, part->bi, part->bj, NULL,
		0);

	for (size_t k = 0; k < list->n && !code; k++) {
		const struct vs_slab *x = &list->at[k];
		const int64_t lo = vs_triple_groups_at(g, x->w_lo),
			      hi = vs_triple_groups_at(g, x->w_hi - 1);

		for (int64_t v = vs_triple_groups_at(g, x->v_lo);
			v <= vs_triple_groups_at(g, x->v_hi - 1); v++)
			for (int64_t w = lo; w <= hi; w++)
				vs_triangles_mark_groups(&s->marks, v, w);
	}
	return code;
}

/* The next groups of third vectors beside v in [*lo, *hi) that are marked and
 * fit in memory together; false: none. */
static bool
next_window(const struct vs_triple_stream *s, int64_t v, int64_t *lo,
	int64_t *hi)
{
	const int64_t most = vs_triple_groups_thirds(s->groups);

	while (*lo < *hi && !vs_triangles_marked(&s->marks, v, *lo))
		++*lo;
	while (*lo < *hi && !vs_triangles_marked(&s->marks, v, *hi - 1))
		--*hi;
	if (s->backwards && *hi - *lo > most)
		*lo = *hi - most;
	else if (*hi - *lo > most)
		*hi = *lo + most;
	return *lo < *hi;
}

static int
count_window(struct vs_triple_stream *s, const struct vs_tile_task *part,
	int64_t v, int64_t lo, int64_t hi)
{
	struct vs_triple_groups *g = s->groups;
	struct vs_triple_pass *p = s->pass;
	struct vs_slab_window only;
	size_t unused;
	int code = 0;

	if (vs_tile_window_is_stopped(&p->window))
		return VS_DONE;
	vs_triple_groups_vectors(g, v, &only.v_lo, &only.v_hi);
	vs_triple_groups_vectors(g, lo, &only.w_lo, &unused);
	vs_triple_groups_vectors(g, hi - 1, &unused, &only.w_hi);
	if (p->candidates) {
		p->candidates->only = &only;
	} else {
		code = vs_triple_slabs_cut(p->slabs, part->bi, part->bj, &only,
			0);
		if (code || !p->slabs->list.n)
			return code;
	}
	if (!code)
		code = vs_triple_groups_need(g,
			vs_triple_groups_of(g, part->bi), v, lo, hi);
	return code ? code : vs_thread_pool_parts(&p->window, part, 1);
}

/* Visit the windows beside v forwards and backwards in turn, so that the last
 * ones are still in memory. */
static int
count_windows(struct vs_triple_stream *s, const struct vs_tile_task *part,
	int64_t v)
{
	int64_t from = 0, to = s->groups->n, lo = from, hi = to;
	bool some = false;
	int code = 0;

	for (; !code && next_window(s, v, &lo, &hi); lo = from, hi = to) {
		some = true;
		code = count_window(s, part, v, lo, hi);
		if (s->backwards)
			to = lo;
		else
			from = hi;
	}
	if (some)
		s->backwards = !s->backwards;
	return code;
}

int
vs_triple_stream_run(struct vs_triple_stream *s,
	const struct vs_tile_task *part)
{
	struct vs_tile_task some = *part, end = *part;
	int code;

	memset(s->marks.seen, 0, s->marks.n * s->marks.n);
	code = s->pass->candidates ? mark_candidates(s, part)
				   : mark_slabs(s, part);
	some.last = false;
	for (int64_t v = 0; v < s->groups->n && !code; v++)
		code = count_windows(s, &some, v);
	end.hi = end.lo;
	return code || !end.last
		? code
		: vs_thread_pool_parts(&s->pass->window, &end, 1);
}
