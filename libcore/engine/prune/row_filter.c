/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair_sums.h"
#include "libcore/engine/prune/row_filter.h"

#define LANES VS_ROW_FILTER_LANES

/* How many of hit[], each 0 or 1. Not by a reduction clause: gcc would add up
 * one by one. */
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
	float p, float q, bool two, bool mixed, bool loose)
{
	float both = vs_coefficients_both(e, x->c[j]), ws = x->ws[j];
	float el = x->bl[j] * both, eo = x->bo[j] * both;
	float more = loose ? x->loose.above[j] : 0;
	float less = loose ? x->loose.below[j] : 0;
	float most_l = e->ll * el - e->above - more;
	float most_o = e->oo * eo + (two ? -e->below : e->high + ws - less);
	float least_i = e->low - e->lo * eo + less;
	float least_j = ws + e->below - e->ol * el + more;
	int hit = (p > most_l) | (q > most_o);

	return mixed ? hit | (p < least_i) | (p < least_j) : hit;
}

VS_INLINE int
may_pass(const struct vs_row_filter *t, const struct vs_coefficients *edge,
	size_t j0, bool two, bool mixed, bool loose, int32_t hit[LANES])
{
	const int32_t *pl = t->pl + j0, *po = (two ? t->po : t->pl) + j0;
	/* copies, which the compiler knows not to change */
	const struct vs_sides x = *t->sides;
	const struct vs_coefficients e = *edge;

#pragma omp simd
	for (size_t k = 0; k < LANES; k++)
		hit[k] = passes(&e, &x, j0 + k, (float)pl[k], (float)po[k], two,
			mixed, loose);
	return hits(hit);
}

/*
 * The same where p is that of some first fields only. What the fields left add
 * to it lies, by rearrangement, between the sums over s, t in {1, 2} of
 * max(0, a_s + b_t - n) and of min(a_s, b_t), with n fields left, a_s (b_t) of
 * them with s (t) copies or more of the leading label's allele in the row (the
 * column), a missing call having none.
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

/* So many fields are left. */
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
	const float rest[2], size_t j0, bool two, bool mixed, bool loose,
	int32_t hit[LANES])
{
	return t->rest ? may_still_pass(t, e, rest, j0, mixed, loose, hit)
		       : may_pass(t, e, j0, two, mixed, loose, hit);
}

/*
 * What is present in both: c fields with si and sj label-1 alleles, and
 * p = sum g_i g_j = sum (x_i + 1)(x_j + 1) over them.
 */
static int32_t
joint(const struct vs_row_filter *t, const struct vs_two *at,
	const int32_t sum[4], int32_t r[4])
{
	const struct vs_panel *pi = at->pi, *pj = at->pj;
	const struct vs_pair_sums x = vs_pair_sums_joint((int32_t)t->q->n_field,
		(struct vs_vector_counts){ pi->present[at->i], pi->sum[at->i] },
		(struct vs_vector_counts){ pj->present[at->j], pj->sum[at->j] },
		sum[0], sum[1], sum[2], sum[3]);

	vs_pair_sums_cells(t->q->alleles->weight, x, r);
	return x.c;
}

/* The cells by one label's allele as those by the other's. */
static void
turn_labels(int32_t r[4])
{
	int32_t t[4] = { r[3], r[2], r[1], r[0] };

	memcpy(r, t, sizeof(t));
}

/* The sums of one pair, counted anew; returns its fields. */
static int32_t
count_pair(const struct vs_row_filter *t, const struct vs_two *at, int32_t r[4])
{
	const struct vs_panel *pi = at->pi, *pj = at->pj;
	int32_t n = (int32_t)t->q->n_field, sum[4] = { 0 };

	/* where no call is missing the others are 0, and half the work */
	if (pi->present[at->i] == n && pj->present[at->j] == n)
		sum[0] = t->sparse->part(pi, at->i, pj, at->j, 0);
	else
		t->sparse->pair(pi, at->i, pj, at->j, sum);
	return joint(t, at, sum, r);
}

/* Copies of the leading label's allele in the fields left, none missing. */
static int32_t
sum_left(const struct vs_row_filter *t, const struct vs_panel *p, size_t v,
	int32_t left)
{
	int32_t s = p->sum[v] - p->first_of[t->rest->first].sum[v];

	return t->q->lead ? s : 2 * left - s;
}

/* The dense sum of column j: of first fields, and what the others add. */
static int32_t
whole_sum(const struct vs_row_filter *t, size_t j)
{
	const struct vs_panel *pi = &t->rows->panel, *pj = &t->cols->panel;
	size_t n = t->q->n_field, n_first;
	int32_t left;

	if (!t->rest)
		return t->pl[j];
	n_first = vs_first_fields(n, t->rest->first);
	left = (int32_t)(n - n_first);
	/* g g' = x x' + g + g' - 1, whichever the label */
	return t->pl[j] + t->sparse->part(pi, t->i, pj, j, n_first) +
		sum_left(t, pi, t->i, left) + sum_left(t, pj, j, left) - left;
}

/*
 * The exact sums of leaders of column j; returns their fields. Their own panels
 * have all counts of a row side by side.
 */
static int32_t
leaders(const struct vs_row_filter *t, size_t j, const struct vs_two *at,
	int32_t r[4])
{
	const struct vs_panel *pi = &t->rows->panel, *pj = &t->cols->panel;
	int32_t n = (int32_t)t->q->n_field, sum[4];

	if (!t->pl) {
		sum[0] = t->sums.xx[j];
		sum[1] = t->sums.xm[j];
		sum[2] = t->sums.mx[j];
		sum[3] = t->sums.mm[j];
		return joint(t, at, sum, r);
	}
	if (pi->present[t->i] != n || pj->present[j] != n)
		return count_pair(t, at, r);
	vs_pair_sums_cells(t->q->alleles->weight,
		(struct vs_pair_sums){ n, vs_panel_sum(pi, t->i, t->q->lead),
			vs_panel_sum(pj, j, t->q->lead), whole_sum(t, j) },
		r);
	if (!t->q->lead)
		turn_labels(r);
	return n;
}

/* A vector beside its leader, with s copies of the leading label's allele. */
struct follower {
	double c, u[2]; /* of the other and of the leading label */
	double above, below;
};

static struct follower
follower(const struct vs_query *q, const struct vs_panel *p, size_t v, double s)
{
	struct follower x = { .c = p->present[v], .above = p->above[v] };

	x.below = x.above - (vs_panel_sum(p, v, q->lead) - s);
	for (int k = 0; k < 2; k++)
		x.u[k] = vs_alleles_u(q->alleles, p->sum[v], p->present[v],
			k ? q->lead : !q->lead);
	return x;
}

/*
 * The four sums of two leaders, by whether a label is the leading one, bound
 * those of their followers: each with its allele has above more of it, or
 * below more of the other. Doubles are exact but for the products.
 */
static bool
may_follow(const struct vs_query *q, const int32_t r[4],
	const struct follower *i, const struct follower *j)
{
	const double c =
		fmax(i->c + j->c - (double)q->n_field, (double)q->min_joint);
	const double w = q->alleles->weight;
	bool hit = c <= 0;

	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			double more = (a ? i->above : i->below) +
				(b ? j->above : j->below);
			double t = vs_query_threshold(q, 2,
				q->lead ? a + b : 2 - a - b);

			hit |= (r[2 * a + b] + w * more) * i->u[a] * j->u[b] *
					(1 + 1e-9) >
				q->alleles->scale * t * c;
		}
	return hit;
}

/* Bounds of the four sums of leaders by the exact one of the leading label. */
static void
lead_sums(const struct vs_row_filter *t, const struct vs_two *lead, int32_t p,
	int32_t r[4])
{
	const int label = t->q->lead;

	vs_pair_sums_cells(t->q->alleles->weight,
		(struct vs_pair_sums){ (int32_t)t->q->n_field,
			vs_panel_sum(lead->pi, lead->i, label),
			vs_panel_sum(lead->pj, lead->j, label), p },
		r);
}

/* Vectors [lo, hi) against i, of those that leaders tell, but themselves. */
static int
decide_followers(const struct vs_row_filter *t, const struct vs_two *lead,
	const int32_t r[4], size_t i, size_t lo, size_t hi,
	struct vs_hits *found)
{
	const struct vs_panel *pi = lead->pi, *pj = lead->pj;
	double si = vs_panel_sum(pi, lead->i, t->q->lead);
	double sj = vs_panel_sum(pj, lead->j, t->q->lead);
	struct follower a = follower(t->q, pi, i, si), b;
	int32_t own[4], c;
	int code = 0;

	for (struct vs_two at = { pi, pj, i, lo }; at.j < hi && !code; at.j++) {
		if (at.i == lead->i && at.j == lead->j)
			continue;
		b = follower(t->q, pj, at.j, sj);
		if (!may_follow(t->q, r, &a, &b))
			continue;
		c = count_pair(t, &at, own);
		found->inferred--;
		code = vs_hits_cells(found, t->q, &at, own, c);
	}
	return code;
}

/* The exact recipe on all pairs that are told by leaders i and j. */
static int
decide(const struct vs_row_filter *t, const struct vs_coefficients *whole,
	size_t j, struct vs_hits *found)
{
	const struct vs_representatives *rows = t->rows, *cols = t->cols;
	const struct vs_two lead = { rows->of, cols->of,
		vs_representatives_place(rows, t->i),
		vs_representatives_place(cols, j) };
	size_t lo = (size_t)cols->begin[j], hi = (size_t)cols->begin[j + 1];
	size_t i = (size_t)rows->begin[t->i];
	size_t end = (size_t)rows->begin[t->i + 1];
	int32_t r[4], most[4], c = leaders(t, j, &lead, r);
	int32_t p = r[t->q->lead ? 3 : 0];
	int code = 0;

	if (t->rest &&
		!passes(whole, t->sides, j, (float)p, (float)p, false, true,
			true))
		return 0;
	lo = lo < t->from ? t->from : lo;
	hi = hi > t->to ? t->to : hi;
	if (lead.i >= i && lead.j >= lo && lead.j < hi &&
		!(t->diagonal && lead.i >= lead.j))
		code = vs_hits_cells(found, t->q, &lead, r, c);
	if (hi - lo == 1 && end - i == 1 && !rows->some && !cols->some)
		return code;
	lead_sums(t, &lead, p, most);
	for (; i < end && !code; i++) {
		if (t->diagonal && i >= lo)
			lo = i + 1;
		code = decide_followers(t, &lead, most, i, lo, hi, found);
	}
	return code;
}

/* found null: count only what the float test leaves. */
VS_INLINE int
filter(const struct vs_row_filter *t, bool two, bool loose,
	struct vs_hits *found, size_t *n_left)
{
	/* below 0 all pass, and with the sums at hand the recipe is as near */
	bool all = !t->pl || !(t->q->threshold > 0) ||
		vs_query_without(t->q, VS_WITHOUT_ROW_FILTER);
	const uint64_t *may = t->pl ? NULL : t->may;
	struct vs_coefficients edge, whole;
	int32_t hit[LANES];
	float rest[2] = { 0 };
	int code = 0;

	/* without a call every value is 0 */
	if (t->q->threshold > 0 && !t->rows->panel.present[t->i])
		return 0;
	vs_coefficients_row(t->q, t->rows, t->i, t->sides, t->rest, &edge);
	if (t->rest) {
		const struct vs_panel *p = &t->rows->panel;
		struct vs_panel first = vs_panel_first(p, t->rest->first);

		whole = edge;
		vs_coefficients_sums(t->q, t->rows, t->i, NULL, &whole);
		vs_coefficients_rest_of(p, &first, t->i, t->q->lead, &rest[0],
			&rest[1]);
	}
	for (size_t j0 = t->lo / LANES * LANES; j0 < t->hi; j0 += LANES) {
		size_t end = j0 + LANES < t->hi ? j0 + LANES : t->hi;
		int left = all ? LANES
			: edge.mixed
			? look(t, &edge, rest, j0, two, true, loose, hit)
			: look(t, &edge, rest, j0, two, false, loose, hit);

		*n_left += (size_t)left;
		if (!left || !found)
			continue;
		for (size_t j = j0 < t->lo ? t->lo : j0; j < end && !code; j++)
			if (may ? may[j / 64] >> j % 64 & 1
				: all || hit[j - j0])
				code = decide(t, &whole, j, found);
	}
	return code;
}

/*
 * Columns of a row that wait to be decided. What is needed of a column comes
 * from afar: it is asked for as soon as the column is known.
 */
#define WAITING 16
struct waiting {
	size_t n, column[WAITING];
};

static void
ask_for(const struct vs_row_filter *t, size_t j)
{
	const struct vs_representatives *cols = t->cols;
	const struct vs_panel *of = cols->of, *lead = &cols->panel;
	size_t v = (size_t)cols->begin[j];
	size_t from = t->rest
		? vs_first_fields(t->q->n_field, t->rest->first) / 64
		: lead->vec.n_word;

	for (int plane = 0; plane < 2; plane++)
		for (size_t w = from; w < lead->vec.n_word; w += 8)
			__builtin_prefetch(
				vs_vec_plane(&lead->vec, j, plane) + w);
	__builtin_prefetch(&of->sum[v]);
	__builtin_prefetch(&of->present[v]);
	if (cols->some)
		__builtin_prefetch(&of->above[v]);
}

static int
decide_all(const struct vs_row_filter *t, const struct vs_coefficients *whole,
	struct waiting *w, struct vs_hits *found)
{
	int code = 0;

	for (size_t k = 0; k < w->n && !code; k++)
		code = decide(t, whole, w->column[k], found);
	w->n = 0;
	return code;
}

/* The same by way of a band, that leaves little to be tested. */
VS_INLINE int
filter_batch(const struct vs_row_filter *t, bool loose, struct vs_hits *found)
{
	const struct vs_batch_filter *s = t->batch;
	const struct vs_coefficients *edge = &s->row[t->i].edge;
	const float *rest = s->row[t->i].rest;
	const uint64_t *hit = s->hit + t->i * s->n_word;
	const float left = t->rest ? fields_left(t) : 0;
	const bool all = vs_query_without(t->q, VS_WITHOUT_ROW_FILTER);
	struct waiting waiting = { .n = 0 };
	struct vs_coefficients whole;
	int code = 0;

	if (!t->rows->panel.present[t->i] || t->lo == t->hi)
		return 0;
	whole = *edge;
	if (t->rest)
		vs_coefficients_sums(t->q, t->rows, t->i, NULL, &whole);
	for (size_t w = t->lo / 64; 64 * w < t->hi; w++)
		for (uint64_t bits = hit[w]; bits && !code; bits &= bits - 1) {
			size_t j = 64 * w + (size_t)__builtin_ctzll(bits);
			float p = (float)t->pl[j];

			if (j < t->lo || j >= t->hi)
				continue;
			if (!all &&
				!(t->rest ? still_passes(edge, t->sides,
						    t->rest, rest, left, j, p,
						    true, loose)
					  : passes(edge, t->sides, j, p, p,
						    false, true, loose)))
				continue;
			ask_for(t, j);
			waiting.column[waiting.n++] = j;
			if (waiting.n == WAITING)
				code = decide_all(t, &whole, &waiting, found);
		}
	return code ? code : decide_all(t, &whole, &waiting, found);
}

VS_INLINE int
filter_row_any(const struct vs_row_filter *t, struct vs_hits *found,
	size_t *n_left)
{
	bool loose = t->cols->some;

	if (t->batch)
		return loose ? filter_batch(t, true, found)
			     : filter_batch(t, false, found);
	return t->po    ? filter(t, true, false, found, n_left)
		: loose ? filter(t, false, true, found, n_left)
			: filter(t, false, false, found, n_left);
}

VS_BY_CPU(int, filter_row, (t, found, n_left), const struct vs_row_filter *t,
	struct vs_hits *found, size_t *n_left)

int
vs_row_filter_row(const struct vs_row_filter *t, struct vs_hits *found)
{
	uint64_t may[VS_SPAN * VS_SPANS / 64];
	struct vs_row_filter own = *t;
	size_t n_left = 0;

	if (found->histogram) {
		vs_row_histogram(found->histogram, t, may);
		own.may = may;
	}
	return filter_row(t->q->cpu, &own, found, &n_left);
}

size_t
vs_row_filter_look(const struct vs_row_filter *t)
{
	size_t n_left = 0;

	filter_row(t->q->cpu, t, NULL, &n_left);
	return n_left;
}
