/* SPDX-License-Identifier: BSD-3-Clause */
/* Device memory of first vectors of triples, and their launches. */
#include <string.h>

#include "cuda/card_query.h"
#include "cuda/lane.h"
#include "cuda/pivots.h"

#define STEP 8 /* a segment has a multiple of this many words */
#define ROWS (VS_SLAB_V + VS_SLAB_W)
_Static_assert(VS_SLAB_V % VS_TILE_VECS == 0 && VS_SLAB_W % VS_TILE_VECS == 0,
	"a slab's vectors fill tiles");

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
plane_words(const struct vs_query *q)
{
	return ROWS * planes(q) * words(q);
}

#define MARGINS ((size_t)ROWS * VS_CARD_SEGMENTS * VS_CARD_LEVELS)

size_t
vs_pivots_bytes(const struct vs_query *q)
{
	return sizeof(uint32_t) * (plane_words(q) + 32 * words(q)) +
		sizeof(int32_t) * MARGINS;
}

/* Two classes of all pairs of a slab, without missing calls. */
size_t
vs_pivots_pair_bytes(const struct vs_query *q)
{
	struct vs_card_part layout;

	if (!q->classes || q->has_missing)
		return 0;
	vs_card_segments_make(q, &layout);
	return (size_t)VS_SLAB_V * VS_SLAB_W * sizeof(struct vs_card_four) *
		(vs_card_triples_wide(layout.size) ? 2 : 1);
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
	const struct vs_query *q, size_t room)
{
	const size_t n = room / vs_pivots_bytes(q);
	int code;

	*p = (struct vs_pivots){ .base = base, .q = q };
	p->n = n < 1 ? 1 : n < VS_CARD_PIVOTS ? (uint32_t)n : VS_CARD_PIVOTS;
	p->n_word = (uint32_t)words(q);
	code = allocate(p, &p->plane,
		p->n * plane_words(q) * sizeof(*p->plane));
	if (!code)
		code = allocate(p, &p->field,
			p->n * 32 * words(q) * sizeof(*p->field));
	if (!code)
		code = allocate(p, &p->margin,
			p->n * MARGINS * sizeof(*p->margin));
	if (!code && vs_pivots_pair_bytes(q))
		code = allocate(p, &p->pair, vs_pivots_pair_bytes(q));
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
	*part = (struct vs_card_part){ .n_vec = VS_SLAB_V,
		.n_plane = planes(p->q),
		.n_segment = 2 * t->n_level,
		.plane = p->plane + k * plane_words(p->q),
		.margin = p->margin + k * MARGINS };
	for (uint32_t s = 0; s < part->n_segment; s++) {
		const int32_t n = count[s % t->n_level][s / t->n_level];

		end += ((uint32_t)n + 32 * STEP - 1) / (32 * STEP) * STEP;
		part->end[s] = end;
		part->size[s] = n;
	}
	part->n_block = (end + 31) / 32;
	to->j = *part;
	to->j.n_vec = VS_SLAB_W;
	to->j.plane += (size_t)VS_SLAB_V * planes(p->q) * p->n_word;
	to->j.margin += (size_t)VS_SLAB_V * VS_CARD_SEGMENTS * VS_CARD_LEVELS;
	to->field = p->field + (size_t)k * 32 * p->n_word;
	to->u = (uint32_t)(v - (size_t)t->u.first);
}

void
vs_pivots_set(const struct vs_pivots *p, const struct vs_triple_data *data,
	size_t lo, size_t hi, struct vs_card_triples *t)
{
	t->n_level = planes(p->q);
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
	t->counted = !memcmp(ranges, p->counted, sizeof(ranges));
	memcpy(p->counted, ranges, sizeof(ranges));
}

void
vs_pivots_forget(struct vs_pivots *p)
{
	memset(p->counted, 0, sizeof(p->counted));
}
