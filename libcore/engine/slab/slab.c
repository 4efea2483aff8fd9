/* SPDX-License-Identifier: BSD-3-Clause */
/* Exhaustive work unit of triples: pairs as rows. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/slab/slab.h"

size_t
vs_slab_left_out(const struct vs_slab *s, size_t v)
{
	size_t lo = vs_max_size(s->skip, s->w_lo),
	       hi = vs_min_size(v + 1, s->w_hi);

	return hi > lo ? hi - lo : 0;
}

static size_t
within(size_t a, size_t lo, size_t hi)
{
	return a < lo ? lo : a > hi ? hi : a;
}

void
vs_slab_wanted(const struct vs_slab *s, size_t v, size_t lo, size_t hi,
	size_t part[2][2])
{
	const size_t out = vs_max_size(s->skip, s->w_lo) - s->w_lo;

	part[0][0] = lo;
	part[0][1] = within(out, lo, hi);
	part[1][0] = within(out + vs_slab_left_out(s, v), lo, hi);
	part[1][1] = hi;
}

uint64_t
vs_slab_triples(const struct vs_slab *s)
{
	uint64_t n = 0;

	for (size_t v = s->v_lo; v < s->v_hi; v++) {
		size_t hi = s->ordered ? vs_min_size(v, s->u_hi) : s->u_hi;

		if (hi > s->u_lo)
			n += (uint64_t)(hi - s->u_lo) *
				(s->w_hi - s->w_lo - vs_slab_left_out(s, v));
	}
	return n;
}

/* Trim vectors at the ends that form no pair with any of the others. */
static void
narrow(const struct vs_wanted *band, struct vs_slab *s)
{
	vs_wanted_reduce(band, s->u_lo, s->u_hi, &s->v_lo, &s->v_hi);
	vs_wanted_reduce(band, s->u_lo, s->u_hi, &s->w_lo, &s->w_hi);
	if (s->v_lo == s->v_hi)
		return;
	vs_wanted_reduce(band, s->v_lo, s->v_hi, &s->u_lo, &s->u_hi);
	vs_wanted_reduce(band, s->v_lo, s->v_hi, &s->w_lo, &s->w_hi);
}

static int
add(struct vs_slabs *list, const struct vs_slab *whole)
{
	struct vs_slab narrowed = *whole;
	const struct vs_slab *s = &narrowed;
	int code = 0;

	if (list->band && vs_slab_triples(whole))
		narrow(list->band, &narrowed);
	if (!vs_slab_triples(s))
		return 0;
	code = vs_mem_grow(&list->at, &list->room, list->n + 1,
		sizeof(*list->at), "slabs of a tile");
	if (!code)
		list->at[list->n++] = *s;
	return code;
}

/* A row leaves the same columns out in every slab. */
static struct vs_slab
within_window(const struct vs_slab *s, const struct vs_slab_window *x)
{
	struct vs_slab part = *s;

	if (x) {
		part.v_lo = vs_max_size(s->v_lo, x->v_lo);
		part.v_hi = vs_min_size(s->v_hi, x->v_hi);
		part.w_lo = vs_max_size(s->w_lo, x->w_lo);
		part.w_hi = vs_min_size(s->w_hi, x->w_hi);
	}
	return part;
}

int
vs_slab_cut(struct vs_slabs *list, const struct vs_slab_most *most,
	const struct vs_slab *all)
{
	const struct vs_slab part = within_window(all, list->window),
			     *whole = &part;
	struct vs_slab s = part;
	int code = 0;

	for (size_t w = whole->w_lo; w < whole->w_hi; w += most->w)
		for (size_t v = whole->v_lo; v < whole->v_hi; v += most->v) {
			size_t end = vs_min_size(v + most->v, whole->v_hi);
			size_t u_end = whole->ordered
				? vs_min_size(end, whole->u_hi)
				: whole->u_hi;
			size_t w_end = vs_min_size(w + most->w, whole->w_hi);

			/* columns that no row asks for */
			s.w_lo = w < whole->skip
				? w
				: vs_max_size(w, vs_min_size(v + 1, w_end));
			s.w_hi = w_end;
			s.v_lo = v;
			s.v_hi = end;
			for (size_t u = whole->u_lo; u < u_end && !code;
				u += most->u) {
				s.u_lo = u;
				s.u_hi = vs_min_size(u + most->u, u_end);
				code = add(list, &s);
			}
		}
	return code;
}

#define HALF 256 /* ranges of fewer vectors are not halved further */

/*
 * For genotypes: each vector with the pairs after it. Vectors are sorted by
 * frequency, so the rarest of three determines the fields in which they count.
 * Else, since two of any three vectors are in the same half: the halves with
 * themselves, and all other pairs with vectors outside the block.
 */
int
vs_slab_cut_own(struct vs_slabs *list, const struct vs_slab_most *most,
	size_t lo, size_t hi, size_t n)
{
	size_t mid = lo + (hi - lo) / 2;
	const struct vs_slab own = { lo, hi, lo, hi, 0, n, true, lo };
	struct vs_slab cross = { lo, mid, mid, hi, 0, lo, false, SIZE_MAX };
	int code;

	if (!most->halves || hi - lo <= HALF)
		return vs_slab_cut(list, most, &own);
	code = vs_slab_cut_own(list, most, lo, mid, n);
	if (!code)
		code = vs_slab_cut_own(list, most, mid, hi, n);
	if (!code)
		code = vs_slab_cut(list, most, &cross);
	cross.w_lo = hi;
	cross.w_hi = n;
	return code ? code : vs_slab_cut(list, most, &cross);
}

int
vs_slab_cut_row(struct vs_slabs *list, const struct vs_slab_most *most,
	size_t lo, size_t hi, size_t n)
{
	const struct vs_slab own = { lo, hi, lo, hi, lo, n, true, lo };
	const struct vs_slab behind = { lo, hi, hi, n, hi, n, false, hi };
	int code = vs_slab_cut(list, most, &own);

	return code ? code : vs_slab_cut(list, most, &behind);
}

/* ---- workers ---- */

size_t
vs_slab_bytes(const struct vs_slab_kind *kind, const struct vs_query *q)
{
	max_align_t worker[kind->worker_bytes / sizeof(max_align_t) + 1];
	struct vs_layout l = { 0 };

	vs_layout_next(&l, kind->worker_bytes);
	kind->lay_out(worker, q, &l);
	return l.used;
}

int
vs_slab_open(void **worker, const struct vs_slab_kind *kind,
	const struct vs_triple_data *data)
{
	struct vs_layout l = { 0 };
	int code = vs_mem_room(&l.at, vs_slab_bytes(kind, &data->q), 1,
		"columns and sums of a thread");

	if (code)
		return code;
	*worker = memset(vs_layout_next(&l, kind->worker_bytes), 0,
		kind->worker_bytes);
	kind->lay_out(*worker, &data->q, &l);
	if (kind->begin)
		kind->begin(*worker, data);
	return 0;
}

int
vs_slab_count(const struct vs_slab_kind *kind, void *worker,
	const struct vs_triple_data *data, const struct vs_slab *s,
	struct vs_hits *found, uint64_t *counted)
{
	struct vs_triple_data now = *data;

	now.q = vs_query_now(&data->q);
	return kind->count(worker, &now, s, found, counted);
}

void
vs_slab_lay_panel(struct vs_panel *p, size_t n, size_t n_field,
	struct vs_layout *l)
{
	const size_t bytes =
		n * vs_panel_bytes(VS_BIT2, n_field) + VS_PANEL_MORE;
	void *memory = vs_layout_next(l, bytes);

	if (memory)
		vs_panel_on(p, VS_BIT2, n, n_field, memset(memory, 0, bytes));
}
