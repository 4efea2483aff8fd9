/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory of first vectors of triples, and their launches. */
#include <string.h>

#include "cuda/card_query.h"
#include "cuda/lane.h"
#include "cuda/pivots.h"

#define STEP 8 /* a segment has a multiple of this many words */
/* most vectors of a slab, if memory allows: 5e8 triples of a launch */
#define MOST_V 2048
#define MOST_W 8192
#define FEW_PIVOTS 4 /* that a launch should have before slabs are larger */

/* Segments are rounded up from the size of classes, and a plane to whole
 * tiles. */
static size_t
words(const struct vs_query *q)
{
	struct vs_card_part layout;

	return (vs_card_segments_make(q, &layout) + VS_CARD_SEGMENTS * STEP +
		       31) /
		32 * 32;
}

static uint32_t
planes(const struct vs_query *q)
{
	return q->has_missing ? 3 : 2;
}

static size_t
plane_words(const struct vs_query *q, const struct vs_pivots_side *s)
{
	return (s->v + s->w) * planes(q) * words(q);
}

static size_t
margins(const struct vs_pivots_side *s)
{
	return (s->v + s->w) * VS_CARD_SEGMENTS * VS_CARD_LEVELS;
}

/* Device memory for one first vector. */
static size_t
pivot_bytes(const struct vs_query *q, const struct vs_pivots_side *s)
{
	return sizeof(uint32_t) * (plane_words(q, s) + 32 * words(q)) +
		sizeof(int32_t) * margins(s);
}

/* A sum for each VS_CARD_CHECKED rows; a slab has whole tiles of them. */
static size_t
check_bytes(const struct vs_pivots_side *s)
{
	return s->v / VS_CARD_CHECKED * sizeof(uint32_t);
}

/* Two classes of all pairs of a slab: 4 products, or 9 where calls are
 * missing. */
static size_t
pair_bytes(const struct vs_query *q, const struct vs_pivots_side *s)
{
	struct vs_card_part layout;

	if (!q->classes)
		return 0;
	vs_card_segments_make(q, &layout);
	if (q->has_missing)
		return vs_card_triples_wide(layout.size)
			? 0
			: s->v * s->w / 4 * 9 * sizeof(struct vs_card_four);
	return s->v * s->w * sizeof(struct vs_card_four) *
		(vs_card_triples_wide(layout.size) ? 2 : 1);
}

size_t
vs_pivots_bytes(const struct vs_query *q, const struct vs_pivots_side *s,
	size_t n)
{
	return n * pivot_bytes(q, s) + pair_bytes(q, s) + check_bytes(s);
}

void
vs_pivots_fit(const struct vs_query *q, size_t most, size_t room,
	struct vs_pivots_side *s)
{
	most = vs_lane_up_to(most ? most : 1, VS_TILE_VECS);
	s->v = vs_min_size(most, MOST_V);
	s->w = vs_min_size(most, MOST_W);
	while (s->v + s->w > 2 * VS_TILE_VECS &&
		vs_pivots_bytes(q, s, FEW_PIVOTS) > room) {
		size_t *side = s->w > s->v ? &s->w : &s->v;

		*side = vs_lane_up_to(*side / 2, VS_TILE_VECS);
	}
}

static int
allocate(struct vs_pivots *p, void *out, size_t bytes)
{
	int code = p->base->ops->allocate(p->base->card, out, bytes);

	return code == VS_CARD_FULL
		? vs_lane_fail_memory(p->base, "first vectors", bytes)
		: code;
}

int
vs_pivots_open(struct vs_pivots *p, const struct vs_drive_base *base,
	const struct vs_query *q, size_t room, const struct vs_pivots_side *s)
{
	const size_t pair = pair_bytes(q, s), rest = pair + check_bytes(s),
		     n = (room > rest ? room - rest : 0) / pivot_bytes(q, s);
	int code;

	*p = (struct vs_pivots){ .base = base, .q = q, .side = *s };
	p->n = n < 1 ? 1 : n < VS_CARD_PIVOTS ? (uint32_t)n : VS_CARD_PIVOTS;
	p->n_word = (uint32_t)words(q);
	code = allocate(p, &p->plane,
		p->n * plane_words(q, s) * sizeof(*p->plane));
	if (!code)
		code = allocate(p, &p->field,
			p->n * 32 * words(q) * sizeof(*p->field));
	if (!code)
		code = allocate(p, &p->margin,
			p->n * margins(s) * sizeof(*p->margin));
	if (!code)
		code = allocate(p, &p->check, check_bytes(s));
	if (!code && pair)
		code = allocate(p, &p->pair, pair);
	return code;
}

void
vs_pivots_close(struct vs_pivots *p)
{
	if (!p->base)
		return;
	p->base->ops->drop(p->base->card, p->plane);
	p->base->ops->drop(p->base->card, p->field);
	p->base->ops->drop(p->base->card, p->margin);
	p->base->ops->drop(p->base->card, p->check);
	p->base->ops->drop(p->base->card, p->pair);
}

/* Samples of vector v by genotype, rarest first, and class; the genotypes. */
static void
take_levels(const struct vs_triple_data *data, size_t v, int32_t count[3][2],
	uint32_t genotype[3])
{
	const struct vs_class_rows *r = &data->by_class;
	const struct vs_panel *a = &data->all;
	int32_t n[3] = { a->present[v], a->sum[v] - 2 * a->two[v], a->two[v] };

	if (data->q.classes) {
		memcpy(count, r->count[v], sizeof(r->count[v]));
		for (int x = 0; x < 3; x++)
			genotype[x] = r->genotype[v][x];
		return;
	}
	n[0] -= n[1] + n[2];
	for (uint32_t x = 0; x < 3; x++) {
		uint32_t at = 0;

		for (uint32_t y = 0; y < 3; y++)
			at += n[y] < n[x] || (n[y] == n[x] && y < x);
		genotype[at] = x;
		count[at][0] = n[x];
		count[at][1] = 0;
	}
}

/* The parts of pivot k, which is vector v. */
static void
set_pivot(const struct vs_pivots *p, const struct vs_triple_data *data,
	size_t v, uint32_t k, struct vs_card_triples *t)
{
	int32_t count[3][2];
	struct vs_card_pivot *to = &t->pivot[k];
	struct vs_card_part *part = &to->i;
	uint32_t end = 0;

	take_levels(data, v, count, to->genotype);
	for (int c = 0; c < 2 && t->rest; c++)
		count[2][c] = t->work.i.size[c] - count[0][c] - count[1][c] -
			count[2][c];
	*part = (struct vs_card_part){ .n_vec = (uint32_t)p->side.v,
		.n_plane = planes(p->q),
		.n_segment = 2 * t->n_level,
		.plane = p->plane + k * plane_words(p->q, &p->side),
		.margin = p->margin + k * margins(&p->side) };
	for (uint32_t s = 0; s < part->n_segment; s++) {
		const int32_t n = count[s / 2][s % 2];

		end += ((uint32_t)n + 32 * STEP - 1) / (32 * STEP) * STEP;
		part->end[s] = end;
		part->size[s] = n;
	}
	part->n_block = (end + 31) / 32;
	to->j = *part;
	to->j.n_vec = (uint32_t)p->side.w;
	to->j.plane += p->side.v * planes(p->q) * p->n_word;
	to->j.margin += p->side.v * VS_CARD_SEGMENTS * VS_CARD_LEVELS;
	to->field = p->field + (size_t)k * 32 * p->n_word;
	to->u = (uint32_t)(v - (size_t)t->u.first);
}

void
vs_pivots_set(const struct vs_pivots *p, const struct vs_triple_data *data,
	size_t lo, size_t hi, struct vs_card_triples *t)
{
	t->n_level = planes(p->q);
	t->rest = t->n_level == 2 || !p->q->classes ||
		!vs_card_triples_wide(t->work.i.size);
	t->n_pivot = (uint32_t)(hi - lo);
	t->i_from = t->work.i_lo;
	t->j_from = t->work.j_lo;
	t->n_i = t->work.i_hi - t->work.i_lo;
	t->n_j = t->work.j_hi - t->work.j_lo;
	for (size_t v = lo; v < hi; v++)
		set_pivot(p, data, v, (uint32_t)(v - lo), t);
}

void
vs_pivots_count(struct vs_pivots *p, struct vs_card_triples *t)
{
	const struct vs_card_work *w = &t->work;
	const uint64_t ranges[4] = { w->i.first + w->i_lo, w->i.first + w->i_hi,
		w->j.first + w->j_lo, w->j.first + w->j_hi };

	t->pair = p->pair;
	t->check = p->check;
	t->counted = !memcmp(ranges, p->counted, sizeof(ranges));
	memcpy(p->counted, ranges, sizeof(ranges));
}

void
vs_pivots_forget(struct vs_pivots *p)
{
	memset(p->counted, 0, sizeof(p->counted));
}
