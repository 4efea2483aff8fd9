/* SPDX-License-Identifier: BSD-3-Clause */
/* Slabs of a stream: windows of second and third vectors. */
#include "libcore/engine/triple/slab_stream.h"
#include "libcore/base/fail.h"
#include "libcore/base/minmax.h"

/* Groups that the third vectors of the slabs are of. */
static void
thirds_of(const struct vs_slab_stream *s, int64_t *lo, int64_t *hi)
{
	const struct vs_slabs *list = &s->slabs->of_tile;
	const struct vs_plan *plan = s->groups->job->plan;
	size_t from = SIZE_MAX, to = 0;

	for (size_t k = 0; k < list->n; k++) {
		from = vs_min_size(from, list->at[k].w_lo);
		to = vs_max_size(to, list->at[k].w_hi);
	}
	*lo = vs_triple_groups_of(s->groups, vs_plan_find(plan, from));
	*hi = vs_triple_groups_of(s->groups, vs_plan_find(plan, to - 1)) + 1;
}

/* Slabs of a tile with second vectors of group v and third ones of w and those
 * behind it: counted, or, of a tile that is begun, done. */
static int
do_window(struct vs_slab_stream *s, struct vs_triple_part *part, int64_t v,
	int64_t w, bool begun)
{
	struct vs_triple_groups *g = s->groups;
	int64_t last = w + vs_triple_groups_thirds(g) - 1, lo, hi;
	struct vs_slab_window x;
	size_t unused;
	int code;

	last = last < g->n ? last : g->n - 1;
	vs_triple_groups_vectors(g, v, &x.v_lo, &x.v_hi);
	vs_triple_groups_vectors(g, w, &x.w_lo, &unused);
	vs_triple_groups_vectors(g, last, &unused, &x.w_hi);
	code = vs_triple_slabs_cut(s->slabs, part->bi, part->bj, &x, &part->hi);
	if (code || !part->hi)
		return code;
	if (!begun) {
		part->all += part->hi;
		return 0;
	}
	if (s->pass && vs_tile_window_is_stopped(&s->pass->window))
		return VS_DONE;
	thirds_of(s, &lo, &hi);
	code = vs_triple_groups_need(g, vs_triple_groups_of(g, part->bi), v, lo,
		hi);
	return code || !s->pass ? code : vs_triple_pass_run(s->pass, part, 1);
}

/* All windows of a tile; the second vectors are of its second block, or where
 * tiles are rows of any. */
static int
do_windows(struct vs_slab_stream *s, struct vs_triple_part *part, bool begun)
{
	const struct vs_triple_groups *g = s->groups;
	const int64_t step = vs_triple_groups_thirds(g),
		      n = (g->n + step - 1) / step,
		      first = vs_triple_groups_of(g, part->bj),
		      last = s->groups->job->plan->row_tiles ? g->n - 1 : first;
	int code = 0;

	for (int64_t v = first; v <= last && !code; v++)
		for (int64_t k = 0; k < n && !code; k++)
			code = do_window(s, part, v,
				step * (s->backwards ? n - 1 - k : k), begun);
	return code;
}

/* Windows are taken forwards and backwards in turn, so that the last ones of a
 * tile are there for the next one. */
int
vs_slab_stream_run(struct vs_slab_stream *s, int64_t bi, int64_t bj)
{
	struct vs_triple_part part = { .bi = bi, .bj = bj };
	int code = s->pass ? do_windows(s, &part, false) : 0;

	if (code)
		return code;
	if (part.all || !s->pass) {
		code = do_windows(s, &part, true);
	} else {
		part.hi = 0;
		code = vs_triple_pass_run(s->pass, &part, 1);
	}
	s->backwards = !s->backwards;
	return code;
}
