/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact decision on a pair of genotype vectors that a filter leaves. */
#include <math.h>
#include <string.h>

#include "libcore/engine/pair/exact.h"

#define AHEAD 16 /* columns prefetched before they are decided */

struct vs_pair_sums
vs_exact_sums(const struct vs_sparse *sparse, size_t n_field,
	const struct vs_two *at)
{
	const struct vs_panel *pi = at->pi, *pj = at->pj;
	const struct vs_vector_counts i = { pi->present[at->i],
		pi->sum[at->i] };
	const struct vs_vector_counts j = { pj->present[at->j],
		pj->sum[at->j] };
	const int32_t n = (int32_t)n_field;
	int32_t sum[4] = { 0 };

	/* without missing calls the others are 0, which halves the work */
	if (i.present == n && j.present == n)
		sum[0] = sparse->part(pi, at->i, pj, at->j, 0);
	else
		sparse->pair(pi, at->i, pj, at->j, sum);
	return vs_pair_sums_joint(n, i, j, sum[0], sum[1], sum[2], sum[3]);
}

/* Exchange the labels of both vectors. */
static void
turn_labels(int32_t r[4])
{
	int32_t t[4] = { r[3], r[2], r[1], r[0] };

	memcpy(r, t, sizeof(t));
}

/* Recount the cells of a pair; returns c. */
static int32_t
count_pair(const struct vs_row_filter *t, const struct vs_two *at, int32_t r[4])
{
	const struct vs_pair_sums s =
		vs_exact_sums(t->sparse, t->q->n_field, at);

	vs_pair_sums_cells(t->q->alleles->weight, s, r);
	return s.c;
}

/* Copies of the leading label's allele in the fields past the prefix; no call
 * is missing. */
static int32_t
sum_left(const struct vs_row_filter *t, const struct vs_panel *p, size_t v,
	int32_t left)
{
	int32_t s = p->sum[v] - p->first_of[t->rest->first].sum[v];

	return t->q->lead ? s : 2 * left - s;
}

/* Dense sum of column j over all fields: prefix plus the others. */
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
	/* g g' = x x' + g + g' - 1, for either label */
	return t->pl[j] + t->sparse->part(pi, t->i, pj, j, n_first) +
		sum_left(t, pi, t->i, left) + sum_left(t, pj, j, left) - left;
}

/*
 * Cells of the leaders of the row and of column j; returns c. Panels of leaders
 * have all counts of a row side by side.
 */
static int32_t
cells_of_leaders(const struct vs_row_filter *t, size_t j,
	const struct vs_two *at, int32_t r[4])
{
	const struct vs_panel *pi = &t->rows->panel, *pj = &t->cols->panel;
	const int32_t n = (int32_t)t->q->n_field;
	const struct vs_vector_counts i = { pi->present[t->i],
		vs_panel_sum(pi, t->i, t->q->lead) };
	const struct vs_vector_counts k = { pj->present[j],
		vs_panel_sum(pj, j, t->q->lead) };
	struct vs_pair_sums s = { n, i.sum, k.sum, 0 };

	if (t->whole)
		s = vs_joint_sums_at(&t->sums, n, i, k, j);
	else if (i.present != n || k.present != n)
		return count_pair(t, at, r);
	else
		s.p = whole_sum(t, j);
	vs_pair_sums_cells(t->q->alleles->weight, s, r);
	if (!t->q->lead)
		turn_labels(r);
	return s.c;
}

/* True if a cell of column j may pass by its exact sum, in float. */
static bool
may_pass(const struct vs_row_filter *t, size_t j, const int32_t r[4], int32_t c)
{
	const struct vs_coefficients *e = &t->batch->row[t->i].edge;
	const int lead = t->q->lead;
	const float less = 1 - 2e-6f, both = (float)c * less;
	const float el = t->sides->bl[j] * both, eo = t->sides->bo[j] * both;

	return (float)r[lead ? 3 : 0] > e->ll * el ||
		(float)r[lead ? 2 : 1] > e->lo * eo ||
		(float)r[lead ? 1 : 2] > e->ol * el ||
		(float)r[lead ? 0 : 3] > e->oo * eo;
}

/* A vector and its leader, with s copies of the leading label's allele. */
struct follower {
	double c, u[2]; /* above for the leading label, below for the other */
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
 * The four sums of two leaders, by whether each label is the leading one, bound
 * those of their followers: each follower has at most `above` more copies of
 * its allele, or `below` more of the other. Doubles are exact except in the
 * products.
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

/* Upper bounds of the cells of leaders by the exact sum of the leading
 * label. */
static void
bound_leaders(const struct vs_row_filter *t, const struct vs_two *lead,
	int32_t p, int32_t r[4])
{
	const int label = t->q->lead;

	vs_pair_sums_cells(t->q->alleles->weight,
		(struct vs_pair_sums){ (int32_t)t->q->n_field,
			vs_panel_sum(lead->pi, lead->i, label),
			vs_panel_sum(lead->pj, lead->j, label), p },
		r);
}

/* Vector i against followers [lo, hi), except the pair of leaders. */
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

/*
 * Column j of the row: append the records that pass among all pairs that the
 * two leaders represent. whole: the row's coefficients for sums of all fields,
 * if rest is not null.
 */
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
	int32_t r[4], most[4], c = cells_of_leaders(t, j, &lead, r);
	int32_t p = r[t->q->lead ? 3 : 0];
	const bool alone = !rows->some && !cols->some;
	int code = 0;

	if (t->rest && !vs_row_filter_passes(t, whole, j, p))
		return 0;
	if (alone && t->batch && !may_pass(t, j, r, c))
		return 0;
	lo = lo < t->from ? t->from : lo;
	hi = hi > t->to ? t->to : hi;
	if (lead.i >= i && lead.j >= lo && lead.j < hi &&
		!(t->diagonal && lead.i >= lead.j))
		code = vs_hits_cells(found, t->q, &lead, r, c);
	if (hi - lo == 1 && end - i == 1 && alone)
		return code;
	bound_leaders(t, &lead, p, most);
	for (; i < end && !code; i++) {
		if (t->diagonal && i >= lo)
			lo = i + 1;
		code = decide_followers(t, &lead, most, i, lo, hi, found);
	}
	return code;
}

/* prefetch: a column's planes and counts are far from its neighbours' */
static void
prefetch(const struct vs_row_filter *t, size_t j)
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

int
vs_exact_row(const struct vs_row_filter *t, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const size_t ahead = t->batch ? AHEAD : n;
	struct vs_coefficients whole;
	int code = 0;

	if (t->rest && n)
		vs_coefficients_row(t->q, t->rows, t->i, t->sides, NULL,
			&whole);
	for (size_t k = 0; t->batch && k < n && k < ahead; k++)
		prefetch(t, column[k]);
	for (size_t k = 0; k < n && !code; k++) {
		if (n - k > ahead)
			prefetch(t, column[k + ahead]);
		code = decide(t, &whole, column[k], found);
	}
	return code;
}
