/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/sift.h"

#define LANES VS_SIFT_LANES
#define INLINE static inline __attribute__((always_inline))

/* 1 / u of a vector without any call: its bounds are never reached. */
#define NEVER 1e30f

static float
reciprocal(const struct vs_question *q, int64_t s, int64_t c, int label)
{
	int64_t factor = q->metric->factor(s, c, label);

	return factor > 0 ? (float)c / (float)factor : NEVER;
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

void
vs_sides_fill(const struct vs_question *q, const struct vs_panel *p, size_t lo,
	size_t n, struct vs_sides *x)
{
	x->least_bl = x->least_bo = NEVER;
	x->least_c = x->least_one = x->least_two = (float)q->n_field;
	x->most_ws = 0;
	for (size_t k = 0; k < n || k % LANES; k++) {
		int32_t s = k < n ? p->sum[lo + k] : 0;
		int32_t c = k < n ? p->present[lo + k] : 0;
		int32_t lead, two;

		x->bl[k] = reciprocal(q, s, c, q->lead);
		x->bo[k] = reciprocal(q, s, c, !q->lead);
		/* without a call, as padding, it seems to share all fields */
		x->c[k] = (float)(c ? (double)c : 2.0 * (double)q->n_field);
		x->ws[k] = 0;
		if (!c)
			continue;
		lead = vs_panel_sum(p, lo + k, q->lead);
		two = vs_panel_two(p, lo + k, q->lead);
		x->ws[k] = (float)(q->metric->weight * lead);
		x->least_bl = lesser(x->least_bl, x->bl[k]);
		x->least_bo = lesser(x->least_bo, x->bo[k]);
		x->least_c = lesser(x->least_c, x->c[k]);
		x->most_ws = -lesser(-x->most_ws, -x->ws[k]);
		x->least_one = lesser(x->least_one, (float)(lead - two));
		x->least_two = lesser(x->least_two, (float)two);
	}
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
vs_rest_fill(const struct vs_question *q, const struct vs_panel *p, size_t lo,
	size_t n, const struct vs_rest *rest)
{
	struct vs_panel first = vs_panel_first(p, rest->first);
	float *one = rest->at_least[0], *two = rest->at_least[1];

	for (size_t k = 0; k < n; k++)
		rest_of(p, &first, lo + k, q->lead, &one[k], &two[k]);
	for (size_t k = n; k % LANES; k++)
		one[k] = two[k] = 0;
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
 * a = scale t / u_i and e = (c_i + c_j - n) / u_j, no cell can pass while
 *   max(w s_i - a_l e_o, w s_j - a_o e_l) <= p <=
 *   min(a_l e_l, a_o e_o - w w n + w (s_i + s_j))
 * The terms that matter are below 16 n and take fewer than ten roundings of
 * 2^-24 each: a slack of n / 65536 + 1e-5 is more than all of them.
 *
 * Common alleles meet often by chance and come near the threshold, so theirs
 * should be the label whose sum is exact where calls are missing.
 */
struct edge {
	float al, ao;    /* scale t / u_i */
	float shift;     /* c_i - n */
	float low, high; /* w s_i + slack, w s_i - w w n - slack */
	float slack;
	bool mixed; /* the cells of unlike labels may pass */
};

/*
 * May p come below a least that the cells of unlike labels need? It is never
 * below the sum over s, t in {1, 2} of max(0, a_s + b_t - n), where a_s (b_t)
 * fields of the row (the column) have s (t) copies or more of the leading
 * label's allele. Alleles of alike frequencies never do, and half of the work
 * is saved.
 */
static bool
may_mix(const struct vs_sift *t, const struct edge *e)
{
	const struct vs_sides *x = t->cols;
	const float n = (float)t->q->n_field, both = e->shift + x->least_c;
	int32_t two = vs_panel_two(t->pi, t->i, t->q->lead);
	float a2 = (float)two;
	float a1 = (float)(vs_panel_sum(t->pi, t->i, t->q->lead) - two);
	float p = rise(a1 + x->least_one - n) + rise(a1 + x->least_two - n) +
		rise(a2 + x->least_one - n) + rise(a2 + x->least_two - n);

	return both <= 0 ||
		p < e->low - e->al * x->least_bo * both + e->slack ||
		p < x->most_ws - e->ao * x->least_bl * both + 2 * e->slack;
}

static void
row_edge(const struct vs_sift *t, struct edge *e)
{
	const struct vs_question *q = t->q;
	const double bound = q->metric->scale * q->threshold;
	const float n = (float)q->n_field, w = (float)q->metric->weight;
	int32_t s = t->pi->sum[t->i], c = t->pi->present[t->i];
	float ws = w * (float)vs_panel_sum(t->pi, t->i, q->lead);

	e->al = (float)(bound * reciprocal(q, s, c, q->lead));
	e->ao = (float)(bound * reciprocal(q, s, c, !q->lead));
	e->shift = (float)c - n;
	e->slack = n / 65536 + 1e-5f;
	e->low = ws + e->slack;
	e->high = ws - w * w * n - e->slack;
	e->mixed = may_mix(t, e);
}

INLINE int
may_pass(const struct vs_sift *t, const struct edge *e, size_t j0, bool two,
	bool mixed, int32_t hit[LANES])
{
	const float *bl = t->cols->bl + j0, *bo = t->cols->bo + j0;
	const float *ws = t->cols->ws + j0, *cs = t->cols->c + j0;
	const float al = e->al, ao = e->ao, shift = e->shift;
	const float low = e->low, high = e->high, slack = e->slack;
	const int32_t *pl = t->pl + j0, *po = (two ? t->po : t->pl) + j0;

#pragma omp simd
	for (int k = 0; k < LANES; k++) {
		float p = (float)pl[k], both = shift + cs[k];
		float q = two ? (float)po[k] : p;
		float el = bl[k] * both, eo = bo[k] * both;
		float most_l = al * el - slack;
		float most_o = ao * eo + (two ? -slack : high + ws[k]);
		float least_i = low - al * eo;
		float least_j = ws[k] + slack - ao * el;

		hit[k] = (p > most_l) | (q > most_o);
		if (mixed)
			hit[k] |= (p < least_i) | (p < least_j);
	}
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
	size_t j0, bool mixed, int32_t hit[LANES])
{
	const float *bl = t->cols->bl + j0, *bo = t->cols->bo + j0;
	const float *ws = t->cols->ws + j0, *cs = t->cols->c + j0;
	const float *b1 = t->rest->at_least[0] + j0;
	const float *b2 = t->rest->at_least[1] + j0;
	const float al = e->al, ao = e->ao, shift = e->shift, a1 = a[0];
	const float low = e->low, high = e->high, slack = e->slack, a2 = a[1];
	const size_t n_field = t->q->n_field;
	const float left =
		(float)(n_field - vs_first_fields(n_field, t->rest->first));
	const int32_t *pl = t->pl + j0;

#pragma omp simd
	for (int k = 0; k < LANES; k++) {
		float p = (float)pl[k], both = shift + cs[k];
		float el = bl[k] * both, eo = bo[k] * both;
		float least = p + rise(a1 + b1[k] - left) +
			rise(a1 + b2[k] - left) + rise(a2 + b1[k] - left) +
			rise(a2 + b2[k] - left);
		float most = p + lesser(a1, b1[k]) + lesser(a1, b2[k]) +
			lesser(a2, b1[k]) + lesser(a2, b2[k]);

		hit[k] = (most > al * el - slack) |
			(most > ao * eo + high + ws[k]);
		if (mixed)
			hit[k] |= (least < low - al * eo) |
				(least < ws[k] + slack - ao * el);
	}
	return hits(hit);
}

INLINE int
look(const struct vs_sift *t, const struct edge *e, const float rest[2],
	size_t j0, bool two, bool mixed, int32_t hit[LANES])
{
	return t->rest ? may_still_pass(t, e, rest, j0, mixed, hit)
		       : may_pass(t, e, j0, two, mixed, hit);
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

/*
 * What is present in both: c fields with si and sj label-1 alleles, and
 * p = sum g_i g_j = sum (x_i + 1)(x_j + 1) over them.
 */
static int32_t
joint(const struct vs_sift *t, size_t j, const int32_t sum[4], int32_t r[4])
{
	int32_t n = (int32_t)t->q->n_field, xx = sum[0], xm = sum[1];
	int32_t mx = sum[2], mm = sum[3];
	int32_t ci = t->pi->present[t->i], cj = t->pj->present[t->j + j];
	int32_t c = ci + cj - n + mm;
	int32_t si = t->pi->sum[t->i] - xm - (n - cj) + mm;
	int32_t sj = t->pj->sum[t->j + j] - mx - (n - ci) + mm;

	cells(t->q->metric->weight, xx + si + sj - c, si, sj, c, r);
	return c;
}

/*
 * Within a block the vectors stand in another order than in the file: there a
 * pair may come with the later one first, and is then named the other way
 * round. The value's recipe gives the same bits both ways.
 */
static int
keep(const struct vs_sift *t, size_t j, const int32_t r[4], int32_t c,
	struct vs_found *found)
{
	const struct vs_question *q = t->q;
	int64_t si = t->pi->sum[t->i], ci = t->pi->present[t->i];
	int64_t sj = t->pj->sum[t->j + j], cj = t->pj->present[t->j + j];

	uint64_t i = t->pi->first + (uint64_t)t->pi->row[t->i];
	uint64_t jj = t->pj->first + (uint64_t)t->pj->row[t->j + j];
	bool turned = i > jj;

	for (uint32_t cell = 0; cell < 4; cell++) {
		uint32_t named = turned ? cell >> 1 | (cell & 1) << 1 : cell;
		struct vs_record *rec;
		double v;
		int code;

		if (!(q->cell_mask >> named & 1))
			continue;
		v = q->metric->value(r[cell],
			q->metric->factor(si, ci, (int)(cell >> 1)), ci,
			q->metric->factor(sj, cj, (int)(cell & 1)), cj, c);
		if (!(v > q->threshold))
			continue;
		code = vs_grow(&found->rec, &found->room, found->n + 1,
			sizeof(*found->rec), "records of a tile");
		if (code)
			return code;
		rec = &found->rec[found->n++];
		rec->i = turned ? jj : i;
		rec->j = turned ? i : jj;
		rec->k = VS_NO_VEC;
		rec->cell = named;
		rec->value = q->f32 ? (double)(float)v : v;
		rec->num = q->metric->num(r[cell]);
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

/* The exact recipe on one pair. */
static int
decide(const struct vs_sift *t, size_t j, struct vs_found *found)
{
	int32_t n = (int32_t)t->q->n_field, sum[4], r[4], c = n;

	if (!t->pl) {
		sum[0] = t->sums.xx[j];
		sum[1] = t->sums.xm[j];
		sum[2] = t->sums.mx[j];
		sum[3] = t->sums.mm[j];
		c = joint(t, j, sum, r);
	} else if (!t->rest && t->pi->present[t->i] == n &&
		t->pj->present[t->j + j] == n) {
		cells(t->q->metric->weight, t->pl[j],
			vs_panel_sum(t->pi, t->i, t->q->lead),
			vs_panel_sum(t->pj, t->j + j, t->q->lead), n, r);
		if (!t->q->lead)
			turn_labels(r);
	} else {
		t->sparse->pair(t->pi, t->i, t->pj, t->j + j, sum);
		c = joint(t, j, sum, r);
	}
	return keep(t, j, r, c, found);
}

/* found null: count only what the float test leaves. */
INLINE int
sift(const struct vs_sift *t, bool two, struct vs_found *found, size_t *n_left)
{
	/* below 0 all pass, and with the sums at hand the recipe is as near */
	bool all = !t->pl || !(t->q->threshold > 0);
	struct edge edge;
	int32_t hit[LANES];
	float rest[2] = { 0 };
	int code = 0;

	/* without a call every value is 0 */
	if (t->q->threshold > 0 && !t->pi->present[t->i])
		return 0;
	row_edge(t, &edge);
	if (t->rest) {
		struct vs_panel first = vs_panel_first(t->pi, t->rest->first);

		rest_of(t->pi, &first, t->i, t->q->lead, &rest[0], &rest[1]);
	}
	for (size_t j0 = t->lo / LANES * LANES; j0 < t->hi; j0 += LANES) {
		size_t end = j0 + LANES < t->hi ? j0 + LANES : t->hi;
		int left = all ? LANES
			: edge.mixed
			? look(t, &edge, rest, j0, two, true, hit)
			: look(t, &edge, rest, j0, two, false, hit);

		*n_left += (size_t)left;
		if (!left || !found)
			continue;
		for (size_t j = j0 < t->lo ? t->lo : j0; j < end && !code; j++)
			if (all || hit[j - j0])
				code = decide(t, j, found);
	}
	return code;
}

INLINE int
sift_any(const struct vs_sift *t, struct vs_found *found, size_t *n_left)
{
	return t->po ? sift(t, true, found, n_left)
		     : sift(t, false, found, n_left);
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

	return sift_cpu(t, found, &n_left);
}

size_t
vs_sift_look(const struct vs_sift *t)
{
	size_t n_left = 0;

	sift_cpu(t, NULL, &n_left);
	return n_left;
}
