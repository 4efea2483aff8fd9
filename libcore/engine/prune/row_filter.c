/* SPDX-License-Identifier: BSD-3-Clause */
/* Float filter of a row of sums, vectorised over columns. */
#include "libcore/engine/prune/row_filter.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/prune/row_histogram.h"

#define LANES VS_ROW_FILTER_LANES

/* Number of set elements of hit[], each 0 or 1. Without a reduction clause gcc
 * would add them one by one. */
VS_INLINE int
hits(const int32_t hit[LANES])
{
	int n = 0;

	for (int k = 0; k < LANES; k++)
		n += hit[k];
	return n;
}

VS_INLINE int
passes(const struct vs_coefficients *e, const struct vs_sides *x, size_t j,
	float p, bool mixed, bool loose)
{
	float both = vs_coefficients_both(e, x->c[j]), ws = x->ws[j];
	float el = x->bl[j] * both, eo = x->bo[j] * both;
	float more = loose ? x->loose.above[j] : 0;
	float less = loose ? x->loose.below[j] : 0;
	float most_l = e->ll * el - e->above - more;
	float most_o = e->oo * eo + e->high + ws - less;
	float least_i = e->low - e->lo * eo + less;
	float least_j = ws + e->below - e->ol * el + more;
	int hit = (p > most_l) | (p > most_o);

	return mixed ? hit | (p < least_i) | (p < least_j) : hit;
}

VS_INLINE int
may_pass(const struct vs_row_filter *t, const struct vs_coefficients *edge,
	size_t j0, bool mixed, bool loose, int32_t hit[LANES])
{
	const int32_t *pl = t->pl + j0;
	/* local copies, which the compiler knows do not change */
	const struct vs_sides x = *t->sides;
	const struct vs_coefficients e = *edge;

#pragma omp simd
	for (size_t k = 0; k < LANES; k++)
		hit[k] = passes(&e, &x, j0 + k, (float)pl[k], mixed, loose);
	return hits(hit);
}

/*
 * The same with all sums: with s over the c fields shared, r of the cells is
 *   p   w s_i - p   w s_j - p   w w c - w (s_i + s_j) + p
 */
VS_INLINE int
may_pass_whole(const struct vs_row_filter *t,
	const struct vs_coefficients *edge, size_t j0, bool mixed,
	int32_t hit[LANES])
{
	const struct vs_panel *rows = &t->rows->panel;
	const int32_t *p = t->sums.p;
	const struct vs_joint_lost lost = t->sums.lost;
	const struct vs_coefficients e = *edge;
	const struct vs_sides x = *t->sides;
	const float w = (float)t->q->alleles->weight;
	const float w_si = w * (float)vs_panel_sum(rows, t->i, t->q->lead);
	const float window = (float)rows->present[t->i] - (float)t->q->n_field;

#pragma omp simd
	for (size_t k = 0; k < LANES; k++) {
		const size_t j = j0 + k;
		const float c = window + x.c[j] + (float)lost.both[j];
		const float el = x.bl[j] * c, eo = x.bo[j] * c;
		const float r = (float)p[j] + e.slack;
		const float i = w_si - w * (float)lost.i[j];
		const float o = x.ws[j] - w * (float)lost.j[j];
		int may = (r > e.ll * el) | (r > e.oo * eo + i + o - w * w * c);

		if (mixed)
			may |= (r < i - e.lo * eo + 2 * e.slack) |
				(r < o - e.ol * el + 2 * e.slack);
		hit[k] = may;
	}
	return hits(hit);
}

/*
 * The same if p is that of a prefix only. What the remaining n fields add to it
 * lies, by rearrangement, between the sums over s, t in {1, 2} of max(0, a_s +
 * b_t - n) and of min(a_s, b_t), where a_s (b_t) of them have s (t) copies or
 * more of the leading label's allele in the row (the column), none if the call
 * is missing.
 */
VS_INLINE int
still_passes(const struct vs_coefficients *e, const struct vs_sides *x,
	const struct vs_rest *rest, const float a[2], float left, size_t j,
	float p, bool mixed, bool loose)
{
	float a1 = a[0], a2 = a[1];
	float b1 = rest->at_least[0][j], b2 = rest->at_least[1][j];
	float both = vs_coefficients_both(e, x->c[j]), ws = x->ws[j];
	float el = x->bl[j] * both, eo = x->bo[j] * both;
	float more = loose ? rest->loose.above[j] : 0;
	float less = loose ? rest->loose.below[j] : 0;
	float least = p + vs_above_f32(a1 + b1 - left) +
		vs_above_f32(a1 + b2 - left) + vs_above_f32(a2 + b1 - left) +
		vs_above_f32(a2 + b2 - left);
	float most = p + vs_min_f32(a1, b1) + vs_min_f32(a1, b2) +
		vs_min_f32(a2, b1) + vs_min_f32(a2, b2);
	int hit = (most > e->ll * el - e->above - more) |
		(most > e->oo * eo + e->high + ws - less);

	return mixed ? hit | (least < e->low - e->lo * eo + less) |
			(least < ws + e->below - e->ol * el + more)
		     : hit;
}

/* Number of fields left. */
static float
fields_left(const struct vs_row_filter *t)
{
	size_t n = t->q->n_field;

	return (float)(n - vs_first_fields(n, t->rest->first));
}

VS_INLINE int
may_still_pass(const struct vs_row_filter *t,
	const struct vs_coefficients *edge, const float a[2], size_t j0,
	bool mixed, bool loose, int32_t hit[LANES])
{
	const struct vs_sides x = *t->sides;
	const struct vs_rest rest = *t->rest;
	const struct vs_coefficients e = *edge;
	const float row[2] = { a[0], a[1] }, left = fields_left(t);
	const int32_t *pl = t->pl + j0;

#pragma omp simd
	for (size_t k = 0; k < LANES; k++)
		hit[k] = still_passes(&e, &x, &rest, row, left, j0 + k,
			(float)pl[k], mixed, loose);
	return hits(hit);
}

VS_INLINE int
look(const struct vs_row_filter *t, const struct vs_coefficients *e,
	const float rest[2], size_t j0, bool whole, bool mixed, bool loose,
	int32_t hit[LANES])
{
	return whole      ? may_pass_whole(t, e, j0, mixed, hit)
		: t->rest ? may_still_pass(t, e, rest, j0, mixed, loose, hit)
			  : may_pass(t, e, j0, mixed, loose, hit);
}

bool
vs_row_filter_passes(const struct vs_row_filter *t,
	const struct vs_coefficients *whole, size_t j, int32_t p)
{
	const float sum = (float)p;

	return passes(whole, t->sides, j, sum, true, true);
}

/*
 * column null: only count what the float test leaves; may not null: its bit j
 * is what the histogram says about column j.
 */
VS_INLINE size_t
filter(const struct vs_row_filter *t, bool whole, bool loose,
	const uint64_t *may, uint16_t *column)
{
	/* below 0 all pass */
	bool all = !(t->q->threshold > 0) ||
		vs_query_without(t->q, VS_WITHOUT_ROW_FILTER);
	struct vs_coefficients edge;
	const uint64_t *bits = whole && t->batch
		? t->batch->hit + t->i * t->batch->n_word
		: NULL;
	int32_t hit[LANES];
	float rest[2] = { 0 };
	size_t n = 0;

	/* without a call every value is 0 */
	if (t->q->threshold > 0 && !t->rows->panel.present[t->i])
		return 0;
	vs_coefficients_row(t->q, t->rows, t->i, t->sides, t->rest, &edge);
	if (t->rest) {
		const struct vs_panel *p = &t->rows->panel;
		struct vs_panel first = vs_panel_first(p, t->rest->first);

		vs_coefficients_rest_of(p, &first, t->i, t->q->lead, &rest[0],
			&rest[1]);
	}
	for (size_t j0 = t->lo / LANES * LANES; j0 < t->hi; j0 += LANES) {
		size_t end = j0 + LANES < t->hi ? j0 + LANES : t->hi;
		int left = bits && !(bits[j0 / 64] | bits[j0 / 64 + 1]) ? 0
			: all                                           ? LANES
			: edge.mixed
			? look(t, &edge, rest, j0, whole, true, loose, hit)
			: look(t, &edge, rest, j0, whole, false, loose, hit);

		if (!column)
			n += (size_t)left;
		if (!left || !column)
			continue;
		for (size_t j = j0 < t->lo ? t->lo : j0; j < end; j++) {
			column[n] = (uint16_t)j;
			n += may ? may[j / 64] >> j % 64 & 1
				 : all || hit[j - j0];
		}
	}
	return n;
}

/* The same using a batch filter, which leaves little to test. */
VS_INLINE size_t
filter_batch(const struct vs_row_filter *t, bool loose, uint16_t *column)
{
	const struct vs_batch_filter *s = t->batch;
	const struct vs_coefficients *edge = &s->row[t->i].edge;
	const float *rest = s->row[t->i].rest;
	const uint64_t *hit = s->hit + t->i * s->n_word;
	const float left = t->rest ? fields_left(t) : 0;
	const bool all = vs_query_without(t->q, VS_WITHOUT_ROW_FILTER);
	size_t n = 0;

	if (!t->rows->panel.present[t->i] || t->lo == t->hi)
		return 0;
	for (size_t w = t->lo / 64; 64 * w < t->hi; w++)
		for (uint64_t bits = hit[w]; bits; bits &= bits - 1) {
			size_t j = 64 * w + (size_t)__builtin_ctzll(bits);
			float p = (float)t->pl[j];

			if (j < t->lo || j >= t->hi)
				continue;
			if (all ||
				(t->rest ? still_passes(edge, t->sides, t->rest,
						   rest, left, j, p, true,
						   loose)
					 : passes(edge, t->sides, j, p, true,
						   loose)))
				column[n++] = (uint16_t)j;
		}
	return n;
}

VS_INLINE size_t
filter_row_any(const struct vs_row_filter *t, const uint64_t *may,
	uint16_t *column)
{
	bool loose = t->cols->some;

	if (t->batch && !t->whole)
		return loose ? filter_batch(t, true, column)
			     : filter_batch(t, false, column);
	return t->whole ? filter(t, true, false, may, column)
		: loose ? filter(t, false, true, NULL, column)
			: filter(t, false, false, NULL, column);
}

VS_BY_CPU(size_t, filter_row, (t, may, column), const struct vs_row_filter *t,
	const uint64_t *may, uint16_t *column)

size_t
vs_row_filter_row(const struct vs_row_filter *t,
	struct vs_value_histogram *histogram, uint16_t *column)
{
	uint64_t may[VS_SPAN * VS_SPANS / 64];

	if (histogram)
		vs_row_histogram(histogram, t, may);
	return filter_row(t->q->cpu, t, histogram && t->whole ? may : NULL,
		column);
}

size_t
vs_row_filter_look(const struct vs_row_filter *t)
{
	return filter_row(t->q->cpu, t, NULL, NULL);
}
