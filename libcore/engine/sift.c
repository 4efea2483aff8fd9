/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/bins.h"
#include "libcore/engine/sift.h"

#define LANES VS_SIFT_LANES
#define INLINE static inline __attribute__((always_inline))

/* 1 / u of a vector without any call: its bounds are never reached. */
#define NEVER 1e30f

static float
reciprocal(const struct vs_question *q, int64_t s, int64_t c, int label)
{
	double u = vs_metric_u(q->metric, s, c, label);

	return u > 0 ? (float)(1 / u) : NEVER;
}

static inline float
lesser(float a, float b)
{
	return a < b ? a : b;
}

static inline float
rise(float a)
{
	return a > 0 ? a : 0;
}

static inline float
greater(float a, float b)
{
	return a > b ? a : b;
}

/* Of leader k and those it stands for the least of 1 / u and of c. */
struct least {
	float bl, bo, c;
};

static struct least
least_of(const struct vs_question *q, const struct vs_leads *l, size_t k)
{
	const struct vs_panel *p = l->of;
	struct least x = { NEVER, NEVER, 2 * (float)q->n_field };

	for (size_t v = (size_t)l->begin[k]; v < (size_t)l->begin[k + 1]; v++) {
		int32_t s = p->sum[v], c = p->present[v];

		/* without a call, as padding, it seems to share all fields */
		if (!c)
			continue;
		x.bl = lesser(x.bl, reciprocal(q, s, c, q->lead));
		x.bo = lesser(x.bo, reciprocal(q, s, c, !q->lead));
		x.c = lesser(x.c, (float)c);
	}
	return x;
}

static void
loose_fill(const struct vs_question *q, const struct vs_leads *cols, size_t lo,
	size_t n, int first, struct vs_loose *x)
{
	x->most_above = x->most_below = 0;
	for (size_t k = 0; k < n || k % LANES; k++) {
		x->above[k] = x->below[k] = 0;
		if (k >= n)
			continue;
		vs_leads_gap(cols, q, lo + k, first, &x->above[k],
			&x->below[k]);
		x->most_above = greater(x->most_above, x->above[k]);
		x->most_below = greater(x->most_below, x->below[k]);
	}
}

void
vs_sides_fill(const struct vs_question *q, const struct vs_leads *cols,
	struct vs_sides *x)
{
	const struct vs_panel *p = &cols->panel;

	x->least_bl = x->least_bo = NEVER;
	x->least_c = x->least_one = x->least_two = (float)q->n_field;
	x->most_ws = 0;
	for (size_t k = 0; k < cols->n || k % LANES; k++) {
		struct least least = { NEVER, NEVER, 2 * (float)q->n_field };
		int32_t lead, two;

		if (k < cols->n)
			least = least_of(q, cols, k);
		x->bl[k] = least.bl;
		x->bo[k] = least.bo;
		x->c[k] = least.c;
		x->ws[k] = 0;
		if (k >= cols->n || !p->present[k])
			continue;
		lead = vs_panel_sum(p, k, q->lead);
		two = vs_panel_two(p, k, q->lead);
		x->ws[k] = (float)(q->metric->weight * lead);
		x->least_bl = lesser(x->least_bl, x->bl[k]);
		x->least_bo = lesser(x->least_bo, x->bo[k]);
		x->least_c = lesser(x->least_c, x->c[k]);
		x->most_ws = greater(x->most_ws, x->ws[k]);
		x->least_one = lesser(x->least_one, (float)(lead - two));
		x->least_two = lesser(x->least_two, (float)two);
	}
	loose_fill(q, cols, 0, cols->n, -1, &x->loose);
}

/* How many of hit[], each 0 or 1. Not by a reduction clause: gcc would add up
 * one by one. */
INLINE int
hits(const int32_t hit[LANES])
{
	int n = 0;

	for (int k = 0; k < LANES; k++)
		n += hit[k];
	return n;
}

/* Of vector v behind its first fields: those with one and with two copies. */
INLINE void
rest_of(const struct vs_panel *p, const struct vs_panel *first, size_t v,
	int lead, float *one, float *two)
{
	int32_t all = vs_panel_sum(p, v, lead) - vs_panel_sum(first, v, lead);
	int32_t both = vs_panel_two(p, v, lead) - vs_panel_two(first, v, lead);

	*one = (float)(all - both);
	*two = (float)both;
}

void
vs_rest_fill(const struct vs_question *q, const struct vs_leads *cols,
	size_t lo, size_t n, struct vs_rest *rest)
{
	const struct vs_panel *p = &cols->panel;
	struct vs_panel first = vs_panel_first(p, rest->first);
	float *one = rest->at_least[0], *two = rest->at_least[1];

	for (size_t k = 0; k < n; k++)
		rest_of(p, &first, lo + k, q->lead, &one[k], &two[k]);
	for (size_t k = n; k % LANES; k++)
		one[k] = two[k] = 0;
	loose_fill(q, cols, lo, n, rest->first, &rest->loose);
}

/*
 * Which of the LANES pairs from column j0 on may pass? hit[k] is 0 or not; the
 * number of those comes back.
 *
 * A cell passes when r u_i u_j > scale t c_ij. With l the leading label, o the
 * other, s the copies of the leading one, w the weight and n all fields, r is by
 * the dense sum p of the leading label
 *   r_ll = p   r_lo <= w s_i - p   r_ol <= w s_j - p
 *   r_oo <= w w n - w (s_i + s_j) + p, or the dense sum of the other label
 * with equality when nothing is missing, and c_ij >= c_i + c_j - n. With
 * a = scale t / u_i, t of the cell's class, and e = (c_i + c_j - n) / u_j, no cell can pass while
 *   max(w s_i - a_l e_o, w s_j - a_o e_l) <= p <=
 *   min(a_l e_l, a_o e_o - w w n + w (s_i + s_j))
 * Where i and j are leaders, each p stands for sums between p - below and
 * p + above, those of i and of j together; w s goes up by w (above - below)
 * with it, and a, 1 / u_j and c are the least of any: p is to be so much less
 * or more. The terms that matter are below 16 n and take fewer than fifteen
 * roundings of 2^-24 each: a slack of n / 65536 + 1e-5 is more than all of
 * them.
 *
 * Common alleles meet often by chance and come near the threshold, so theirs
 * should be the label whose sum is exact where calls are missing.
 */
struct edge {
	/* scale t / u_i of the cells of two leading labels and so on */
	float ll, lo, ol, oo;
	float shift; /* c_i - n */
	/* w s_i + slack + above, w s_i - w w n - slack - below */
	float low, high;
	float slack, above, below; /* these two with the slack */
	bool mixed;                /* the cells of unlike labels may pass */
};

/*
 * May p come below a least that the cells of unlike labels need? It is never
 * below the sum over s, t in {1, 2} of max(0, a_s + b_t - n), where a_s (b_t)
 * fields of the row (the column) have s (t) copies or more of the leading
 * label's allele. Alleles of alike frequencies never do, and half of the work
 * is saved.
 */
static bool
may_mix(const struct vs_sift *t, const struct vs_rest *rest,
	const struct edge *e)
{
	const struct vs_panel *rows = &t->rows->panel;
	const struct vs_sides *x = t->sides;
	const struct vs_loose *loose = rest ? &rest->loose : &x->loose;
	const float n = (float)t->q->n_field, both = e->shift + x->least_c;
	int32_t two = vs_panel_two(rows, t->i, t->q->lead);
	float a2 = (float)two;
	float a1 = (float)(vs_panel_sum(rows, t->i, t->q->lead) - two);
	float p = rise(a1 + x->least_one - n) + rise(a1 + x->least_two - n) +
		rise(a2 + x->least_one - n) + rise(a2 + x->least_two - n);

	return both <= 0 ||
		p < e->low + loose->most_below - e->lo * x->least_bo * both +
			e->slack ||
		p < x->most_ws + loose->most_above -
			e->ol * x->least_bl * both + e->below + e->slack;
}

/* For sums of the first fields, or of all: rest is null. */
static void
row_edge(const struct vs_sift *t, const struct vs_rest *rest, struct edge *e)
{
	const struct vs_question *q = t->q;
	const double scale = q->metric->scale;
	const double mixed = scale * vs_question_bar(q, 2, 1);
	const float n = (float)q->n_field, w = (float)q->metric->weight;
	const float slack = n / 65536 + 1e-5f;
	struct least least = least_of(q, t->rows, t->i);
	float ws = w * (float)vs_panel_sum(&t->rows->panel, t->i, q->lead);
	float above, below;

	vs_leads_gap(t->rows, q, t->i, rest ? rest->first : -1, &above, &below);
	e->ll = (float)(scale * vs_question_bar(q, 2, 2 * q->lead) * least.bl);
	e->oo = (float)(scale * vs_question_bar(q, 2, 2 - 2 * q->lead) *
		least.bo);
	e->lo = (float)(mixed * least.bl);
	e->ol = (float)(mixed * least.bo);
	e->shift = least.c - n;
	e->slack = slack;
	e->above = above + slack;
	e->below = below + slack;
	e->low = ws + e->above;
	e->high = ws - w * w * n - e->below;
	e->mixed = may_mix(t, rest, e);
}

INLINE int
passes(const struct edge *e, const struct vs_sides *x, size_t j, float p,
	float q, bool two, bool mixed, bool loose)
{
	float both = e->shift + x->c[j], ws = x->ws[j];
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

INLINE int
may_pass(const struct vs_sift *t, const struct edge *edge, size_t j0, bool two,
	bool mixed, bool loose, int32_t hit[LANES])
{
	const int32_t *pl = t->pl + j0, *po = (two ? t->po : t->pl) + j0;
	/* copies, which the compiler knows not to change */
	const struct vs_sides x = *t->sides;
	const struct edge e = *edge;

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
INLINE int
may_still_pass(const struct vs_sift *t, const struct edge *e, const float a[2],
	size_t j0, bool mixed, bool loose, int32_t hit[LANES])
{
	const struct vs_sides *x = t->sides;
	const float *bl = x->bl + j0, *bo = x->bo + j0;
	const float *ws = x->ws + j0, *cs = x->c + j0;
	const float *b1 = t->rest->at_least[0] + j0;
	const float *b2 = t->rest->at_least[1] + j0;
	const float *above = t->rest->loose.above + j0;
	const float *below = t->rest->loose.below + j0;
	const float ll = e->ll, lo = e->lo, ol = e->ol, oo = e->oo;
	const float shift = e->shift, a1 = a[0];
	const float low = e->low, high = e->high, a2 = a[1];
	const float up = e->above, down = e->below;
	const size_t n_field = t->q->n_field;
	const float left =
		(float)(n_field - vs_first_fields(n_field, t->rest->first));
	const int32_t *pl = t->pl + j0;

#pragma omp simd
	for (int k = 0; k < LANES; k++) {
		float p = (float)pl[k], both = shift + cs[k];
		float el = bl[k] * both, eo = bo[k] * both;
		float more = loose ? above[k] : 0, less = loose ? below[k] : 0;
		float least = p + rise(a1 + b1[k] - left) +
			rise(a1 + b2[k] - left) + rise(a2 + b1[k] - left) +
			rise(a2 + b2[k] - left);
		float most = p + lesser(a1, b1[k]) + lesser(a1, b2[k]) +
			lesser(a2, b1[k]) + lesser(a2, b2[k]);

		hit[k] = (most > ll * el - up - more) |
			(most > oo * eo + high + ws[k] - less);
		if (mixed)
			hit[k] |= (least < low - lo * eo + less) |
				(least < ws[k] + down - ol * el + more);
	}
	return hits(hit);
}

INLINE int
look(const struct vs_sift *t, const struct edge *e, const float rest[2],
	size_t j0, bool two, bool mixed, bool loose, int32_t hit[LANES])
{
	return t->rest ? may_still_pass(t, e, rest, j0, mixed, loose, hit)
		       : may_pass(t, e, j0, two, mixed, loose, hit);
}

/* The four sums r of a pair, cell 2a + b, from its product and counts. */
static void
cells(int w, int32_t p, int32_t si, int32_t sj, int32_t c, int32_t r[4])
{
	r[3] = p;
	r[2] = w * si - p;
	r[1] = w * sj - p;
	r[0] = w * w * c - w * (si + sj) + p;
}

/* Vectors i and j of the panels of rows and columns. */
struct two {
	size_t i, j;
};

/*
 * What is present in both: c fields with si and sj label-1 alleles, and
 * p = sum g_i g_j = sum (x_i + 1)(x_j + 1) over them.
 */
static int32_t
joint(const struct vs_sift *t, struct two at, const int32_t sum[4],
	int32_t r[4])
{
	const struct vs_panel *pi = t->rows->of, *pj = t->cols->of;
	int32_t n = (int32_t)t->q->n_field, xx = sum[0], xm = sum[1];
	int32_t mx = sum[2], mm = sum[3];
	int32_t ci = pi->present[at.i], cj = pj->present[at.j];
	int32_t c = ci + cj - n + mm;
	int32_t si = pi->sum[at.i] - xm - (n - cj) + mm;
	int32_t sj = pj->sum[at.j] - mx - (n - ci) + mm;

	cells(t->q->metric->weight, xx + si + sj - c, si, sj, c, r);
	return c;
}

/*
 * Within a block the vectors stand in another order than in the file: there a
 * pair may come with the later one first, and is then named the other way
 * round. The value's recipe gives the same bits both ways.
 */
static int
keep(const struct vs_sift *t, struct two at, const int32_t r[4], int32_t c,
	struct vs_found *found)
{
	const struct vs_question *q = t->q;
	const struct vs_recipe *m = &q->metric->recipe;
	const struct vs_panel *pi = t->rows->of, *pj = t->cols->of;
	int64_t si = pi->sum[at.i], ci = pi->present[at.i];
	int64_t sj = pj->sum[at.j], cj = pj->present[at.j];
	uint64_t i = pi->first + (uint64_t)pi->row[at.i];
	uint64_t j = pj->first + (uint64_t)pj->row[at.j];
	bool turned = i > j;
	uint32_t pass;
	double v[4];

	for (int cell = 0; cell < 4; cell++)
		v[cell] = vs_recipe_value(m, r[cell],
			vs_recipe_factor(m, si, ci, cell >> 1), ci,
			vs_recipe_factor(m, sj, cj, cell & 1), cj, c);
	pass = vs_question_passes(q, 2, v);
	for (uint32_t cell = 0; cell < 4; cell++) {
		uint32_t named = turned ? cell >> 1 | (cell & 1) << 1 : cell;
		struct vs_record *rec;
		int code;

		if (!(pass >> cell & q->cell_mask >> named & 1))
			continue;
		code = vs_grow(&found->rec, &found->room, found->n + 1,
			sizeof(*found->rec), "records of a tile");
		if (code)
			return code;
		rec = &found->rec[found->n++];
		rec->i = turned ? j : i;
		rec->j = turned ? i : j;
		rec->k = VS_NO_VEC;
		rec->cell = named;
		rec->value = q->f32 ? (double)(float)v[cell] : v[cell];
		rec->num = vs_recipe_num(m, r[cell]);
		rec->nvalid = q->has_missing ? c : -1;
	}
	return 0;
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
count_pair(const struct vs_sift *t, struct two at, int32_t r[4])
{
	int32_t sum[4];

	t->sparse->pair(t->rows->of, at.i, t->cols->of, at.j, sum);
	return joint(t, at, sum, r);
}

/* The exact sums of leaders of column j; returns their fields. */
static int32_t
leaders(const struct vs_sift *t, size_t j, struct two at, int32_t r[4])
{
	const struct vs_panel *pi = t->rows->of, *pj = t->cols->of;
	int32_t n = (int32_t)t->q->n_field, sum[4];

	if (!t->pl) {
		sum[0] = t->sums.xx[j];
		sum[1] = t->sums.xm[j];
		sum[2] = t->sums.mx[j];
		sum[3] = t->sums.mm[j];
		return joint(t, at, sum, r);
	}
	if (t->rest || pi->present[at.i] != n || pj->present[at.j] != n)
		return count_pair(t, at, r);
	cells(t->q->metric->weight, t->pl[j],
		vs_panel_sum(pi, at.i, t->q->lead),
		vs_panel_sum(pj, at.j, t->q->lead), n, r);
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
follower(const struct vs_question *q, const struct vs_panel *p, size_t v,
	double s)
{
	struct follower x = { .c = p->present[v], .above = p->above[v] };

	x.below = x.above - (vs_panel_sum(p, v, q->lead) - s);
	for (int k = 0; k < 2; k++)
		x.u[k] = vs_metric_u(q->metric, p->sum[v], p->present[v],
			k ? q->lead : !q->lead);
	return x;
}

/*
 * The four sums of two leaders, by whether a label is the leading one, bound
 * those of their followers: each with its allele has above more of it, or
 * below more of the other. Doubles are exact but for the products.
 */
static bool
may_follow(const struct vs_question *q, const double r[2][2],
	const struct follower *i, const struct follower *j)
{
	const double c = i->c + j->c - (double)q->n_field;
	const double w = q->metric->weight;
	bool hit = c <= 0;

	for (int a = 0; a < 2; a++)
		for (int b = 0; b < 2; b++) {
			double more = (a ? i->above : i->below) +
				(b ? j->above : j->below);
			double t = vs_question_bar(q, 2,
				q->lead ? a + b : 2 - a - b);

			hit |= (r[a][b] + w * more) * i->u[a] * j->u[b] *
					(1 + 1e-9) >
				q->metric->scale * t * c;
		}
	return hit;
}

/* Bounds of the four sums of leaders by the exact one of the leading label. */
static void
lead_sums(const struct vs_sift *t, struct two lead, double p, double r[2][2])
{
	const int l = t->q->lead;
	const double w = t->q->metric->weight, n = (double)t->q->n_field;
	double si = vs_panel_sum(t->rows->of, lead.i, l);
	double sj = vs_panel_sum(t->cols->of, lead.j, l);

	r[1][1] = p;
	r[1][0] = w * si - p;
	r[0][1] = w * sj - p;
	r[0][0] = w * w * n - w * (si + sj) + p;
}

/* Vectors [lo, hi) against i, of those that leaders tell, but themselves. */
static int
decide_followers(const struct vs_sift *t, struct two lead, double r[2][2],
	size_t i, size_t lo, size_t hi, struct vs_found *found)
{
	const struct vs_panel *pi = t->rows->of, *pj = t->cols->of;
	double si = vs_panel_sum(pi, lead.i, t->q->lead);
	double sj = vs_panel_sum(pj, lead.j, t->q->lead);
	struct follower a = follower(t->q, pi, i, si), b;
	int32_t own[4], c;
	int code = 0;

	for (struct two at = { i, lo }; at.j < hi && !code; at.j++) {
		if (at.i == lead.i && at.j == lead.j)
			continue;
		b = follower(t->q, pj, at.j, sj);
		if (!may_follow(t->q, r, &a, &b))
			continue;
		c = count_pair(t, at, own);
		found->told--;
		code = keep(t, at, own, c, found);
	}
	return code;
}

/* The exact recipe on all pairs that are told by leaders i and j. */
static int
decide(const struct vs_sift *t, const struct edge *whole, size_t j,
	struct vs_found *found)
{
	const struct vs_leads *rows = t->rows, *cols = t->cols;
	struct two lead = { vs_leads_place(rows, t->i),
		vs_leads_place(cols, j) };
	size_t lo = (size_t)cols->begin[j], hi = (size_t)cols->begin[j + 1];
	size_t i = (size_t)rows->begin[t->i];
	size_t end = (size_t)rows->begin[t->i + 1];
	int32_t r[4], c = leaders(t, j, lead, r);
	float p = (float)r[t->q->lead ? 3 : 0];
	double most[2][2];
	int code = 0;

	if (t->rest && !passes(whole, t->sides, j, p, p, false, true, true))
		return 0;
	lo = lo < t->from ? t->from : lo;
	hi = hi > t->to ? t->to : hi;
	if (lead.i >= i && lead.j >= lo && lead.j < hi &&
		!(t->diagonal && lead.i >= lead.j))
		code = keep(t, lead, r, c, found);
	if (hi - lo == 1 && end - i == 1 && !rows->some && !cols->some)
		return code;
	lead_sums(t, lead, p, most);
	for (; i < end && !code; i++) {
		if (t->diagonal && i >= lo)
			lo = i + 1;
		code = decide_followers(t, lead, most, i, lo, hi, found);
	}
	return code;
}

/* found null: count only what the float test leaves. */
INLINE int
sift(const struct vs_sift *t, bool two, bool loose, struct vs_found *found,
	size_t *n_left)
{
	/* below 0 all pass, and with the sums at hand the recipe is as near */
	bool all = !t->pl || !(t->q->threshold > 0);
	struct edge edge, whole;
	int32_t hit[LANES];
	float rest[2] = { 0 };
	int code = 0;

	/* without a call every value is 0 */
	if (t->q->threshold > 0 && !t->rows->panel.present[t->i])
		return 0;
	row_edge(t, t->rest, &edge);
	if (t->rest) {
		const struct vs_panel *p = &t->rows->panel;
		struct vs_panel first = vs_panel_first(p, t->rest->first);

		row_edge(t, NULL, &whole);
		rest_of(p, &first, t->i, t->q->lead, &rest[0], &rest[1]);
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
			if (all || hit[j - j0])
				code = decide(t, &whole, j, found);
	}
	return code;
}

INLINE int
sift_any(const struct vs_sift *t, struct vs_found *found, size_t *n_left)
{
	bool loose = t->cols->some;

	return t->po    ? sift(t, true, false, found, n_left)
		: loose ? sift(t, false, true, found, n_left)
			: sift(t, false, false, found, n_left);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) static int
sift_avx512(const struct vs_sift *t, struct vs_found *found, size_t *n_left)
{
	return sift_any(t, found, n_left);
}

__attribute__((target("avx2"))) static int
sift_avx2(const struct vs_sift *t, struct vs_found *found, size_t *n_left)
{
	return sift_any(t, found, n_left);
}
#endif

static int
sift_cpu(const struct vs_sift *t, struct vs_found *found, size_t *n_left)
{
#if defined(__x86_64__)
	if (t->q->cpu >= VS_CPU_AVX512)
		return sift_avx512(t, found, n_left);
	if (t->q->cpu >= VS_CPU_AVX2)
		return sift_avx2(t, found, n_left);
#endif
	return sift_any(t, found, n_left);
}

int
vs_sift_row(const struct vs_sift *t, struct vs_found *found)
{
	size_t n_left = 0;

	if (found->bins)
		vs_bins_row(found->bins, t);
	return sift_cpu(t, found, &n_left);
}

size_t
vs_sift_look(const struct vs_sift *t)
{
	size_t n_left = 0;

	sift_cpu(t, NULL, &n_left);
	return n_left;
}
