/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Correlation, cosine and set indices of pairs on the CPU, from the sums of
 * products, of copies and of squares.
 */
#include <math.h>

#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/engine/pair/products.h"
#include "libcore/engine/pair_sums.h"

#define LOOK 64 /* columns looked at together */

/* A spread that nothing passes. */
#define NEVER 1e30f

struct worker {
	struct vs_products x;
	float *s, *d; /* of columns: copies, and the spread about the mean */
};

/* Sums of a rectangle, and a row of them. */
struct sums {
	const struct vs_pair_work *at;
	const struct vs_rectangle *k;
	size_t i, lo, hi;
	double least;         /* correlation or cosine of what passes */
	const int32_t *p;     /* sum g_i g_j; or null and */
	struct vs_tally four; /* all four, of the row */
	struct vs_tally all;  /* of the first row */
};

static void
lay_out(const struct vs_pair_plan *c, void *worker, struct vs_layout *l)
{
	struct worker *w = worker;

	vs_products_lay_out(c, &w->x, l);
	w->s = vs_layout_next(l, c->n_col * sizeof(*w->s));
	w->d = vs_layout_next(l, c->n_col * sizeof(*w->d));
}

/* Sum of the squares of a vector's copies. */
static int64_t
squares(const struct vs_panel *p, size_t v)
{
	return p->sum[v] + 2 * (int64_t)p->two[v];
}

/*
 * Factor of one vector without missing calls, by the fields n: the
 * root of q - s^2 / n, or of q where means do not matter.
 */
static double
spread(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	double n = (double)q->n_field, s = p->sum[v];
	double squared = (double)squares(p, v);

	/* all factors are whole numbers below 2^53 */
	return sqrt(q->metric->centred ? (n * squared - s * s) / n : squared);
}

static size_t
take(const struct vs_pair_plan *c, void *worker, const struct vs_strip *s,
	size_t lo)
{
	struct worker *w = worker;

	w->x.head.plain = true;
	if (vs_products_take(c, &w->x, s, lo))
		return w->x.hi;
	for (size_t k = 0; k < c->n_col; k++) {
		bool some = k < w->x.cols.n;

		w->s[k] = some ? (float)s->j->sum[lo + k] : 0;
		w->d[k] = some ? (float)spread(&c->q, s->j, lo + k) : 0;
		/* values of 0: no threshold from 0 up is passed */
		if (!(w->d[k] > 0) &&
			vs_metric_least(c->q.metric, c->q.threshold) >= 0)
			w->d[k] = NEVER;
	}
	return w->x.hi;
}

static size_t
most_rows(const struct vs_pair_work *at)
{
	return at->plan->n_row;
}

/*
 * Counts from the planes h and p of two vectors: n[0], fields where the first
 * has two copies and the second misses no call, and n[1], the other way round.
 */
VS_INLINE void
count_twos_any(const uint64_t *const of[4], size_t n_word, int64_t n[2])
{
	const uint64_t *h = of[0], *p = of[1], *hu = of[2], *pu = of[3];
	int64_t a = 0, b = 0;

#pragma omp simd reduction(+ : a, b)
	for (size_t w = 0; w < n_word; w++) {
		a += __builtin_popcountll(h[w] & p[w] & (hu[w] | ~pu[w]));
		b += __builtin_popcountll(hu[w] & pu[w] & (h[w] | ~p[w]));
	}
	n[0] = a;
	n[1] = b;
}

VS_BY_POPCNT(void, count_twos, (of, n_word, n), const uint64_t *const of[4],
	size_t n_word, int64_t n[2])

static void
twos(const struct sums *t, size_t v, int64_t n[2])
{
	const struct vs_strip *s = t->at->part;
	const struct vs_vec *i = &s->i->vec, *j = &s->j->vec;
	const uint64_t *const of[4] = { vs_vec_plane(i, t->i, 0),
		vs_vec_plane(i, t->i, 1), vs_vec_plane(j, v, 0),
		vs_vec_plane(j, v, 1) };

	count_twos(t->at->now.cpu, of, i->n_word, n);
}

/* The sums of column j of a row, but for q. */
static void
sums_of(const struct sums *t, size_t j, struct vs_moments *m)
{
	const struct vs_panel *pi = t->at->part->i, *pj = t->at->part->j;
	const struct vs_tally *sums = &t->four;
	const int32_t n = (int32_t)t->at->now.n_field;
	const size_t v = t->at->part->j_lo + j;
	const struct vs_vector_counts ci = { pi->present[t->i], pi->sum[t->i] };
	const struct vs_vector_counts cj = { pj->present[v], pj->sum[v] };
	struct vs_pair_sums s;

	if (t->p)
		s = (struct vs_pair_sums){ n, ci.sum, cj.sum, t->p[j] };
	else
		s = vs_pair_sums_joint(n, ci, cj, sums->xx[j], sums->xm[j],
			sums->mx[j], sums->mm[j]);
	*m = (struct vs_moments){ .c = s.c, .si = s.si, .sj = s.sj, .p = s.p };
}

static double
value_of(const struct sums *t, size_t j, struct vs_moments *m)
{
	size_t v = t->at->part->j_lo + j;
	int64_t two[2] = { t->at->part->i->two[t->i], t->at->part->j->two[v] };

	sums_of(t, j, m);
	if (!t->p)
		twos(t, v, two);
	m->qi = m->si + 2 * two[0];
	m->qj = m->sj + 2 * two[1];
	return t->at->now.metric->value(m);
}

static int
decide(const void *sums, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const struct sums *t = sums;
	const struct vs_strip *s = t->at->part;
	const struct vs_query *q = &t->at->now;
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		struct vs_moments m;
		struct vs_record *rec;
		double value = value_of(t, column[k], &m);

		if (!(value > q->threshold) || m.c < q->min_joint)
			continue;
		code = vs_hits_pair(found, s, t->i, s->j_lo + column[k], &rec);
		if (code)
			continue;
		rec->value = q->f32 ? (double)(float)value : value;
		if (q->has_missing)
			rec->nvalid = m.c;
	}
	return code;
}

/*
 * Without missing calls a value above t asks for p - s_i s_j / n, or just p, to
 * be above l d_i d_j, d = spread(), l the least correlation or cosine that goes
 * with t; or, of a square, below its negative. All terms are at most 4 n and
 * take fewer than ten roundings of 2^-24: a slack of n / 65536 is more than
 * these.
 */
struct edge {
	float mean, threshold, slack;
	bool squared, all; /* all: the threshold is below what there is */
	bool never;        /* the row has no spread, its values are 0 */
};

static struct edge
edge_of(const struct sums *t)
{
	const struct vs_query *q = &t->at->now;
	const struct vs_panel *p = t->at->part->i;
	double n = (double)q->n_field, d = spread(q, p, t->i);
	struct edge e = { .slack = (float)n / 65536 + 1e-5f,
		.squared = q->metric->squared };

	e.mean = q->metric->centred ? (float)(p->sum[t->i] / n) : 0;
	e.threshold = (float)(t->least * d);
	e.never = t->least >= 0 && !(d > 0);
	e.all = (t->least < 0 && (e.squared || !q->metric->centred)) ||
		vs_query_without(q, VS_WITHOUT_ROW_FILTER);
	return e;
}

/* Number of the LOOK pairs from column at on that may pass. */
VS_INLINE int
look(const struct sums *t, const struct edge *e, size_t at, int32_t hit[LOOK])
{
	const int32_t *p = t->p + at;
	const struct worker *w = t->at->worker;
	const float *s = w->s + at, *d = w->d + at;
	const float mean = e->mean, threshold = e->threshold, slack = e->slack;
	const bool squared = e->squared;
	int n = 0;

#pragma omp simd
	for (int k = 0; k < LOOK; k++) {
		float over = (float)p[k] - mean * s[k];

		over = squared && over < 0 ? -over : over;
		hit[k] = over > threshold * d[k] - slack;
	}
	for (int k = 0; k < LOOK; k++)
		n += hit[k];
	return n;
}

VS_INLINE size_t
filter_dense_any(const struct sums *t, uint16_t *column)
{
	const struct edge e = edge_of(t);
	size_t n = 0;

	if (e.never)
		return 0;
	for (size_t at = t->lo / LOOK * LOOK; at < t->hi; at += LOOK) {
		size_t end = at + LOOK < t->hi ? at + LOOK : t->hi;
		int32_t hit[LOOK];

		if (!e.all && !look(t, &e, at, hit))
			continue;
		for (size_t j = at < t->lo ? t->lo : at; j < end; j++) {
			column[n] = (uint16_t)j;
			n += e.all || hit[j - at];
		}
	}
	return n;
}

VS_BY_CPU(size_t, filter_dense, (t, column), const struct sums *t,
	uint16_t *column)

/*
 * Fewest copies squared of a vector in the c fields with s copies that are
 * shared: of all its fields with two, those lost hold two each of the copies
 * lost, and s copies in c fields need s - c of them.
 */
static double
least_squares(const struct vs_panel *p, size_t v, int64_t s, int64_t c)
{
	int64_t two = p->two[v] - (p->sum[v] - s) / 2;

	two = two < s - c ? s - c : two;
	return (double)(s + 2 * (two < 0 ? 0 : two));
}

/* True if a pair may pass whose sums are exact but for the squares. */
static bool
may_pass(const struct sums *t, size_t j)
{
	const struct vs_strip *s = t->at->part;
	const struct vs_query *q = &t->at->now;
	double c, over, qi, qj;
	struct vs_moments m;

	sums_of(t, j, &m);
	if (m.c < q->min_joint)
		return false;
	c = (double)m.c;
	qi = least_squares(s->i, t->i, m.si, m.c);
	qj = least_squares(s->j, s->j_lo + j, m.sj, m.c);
	over = (double)m.p;
	if (q->metric->centred) {
		over = c * over - (double)m.si * (double)m.sj;
		qi = c * qi - (double)m.si * (double)m.si;
		qj = c * qj - (double)m.sj * (double)m.sj;
	}
	if (over < 0 && !q->metric->squared)
		return false;
	return over * over > t->least * t->least * (qi < 0 ? 0 : qi) *
		(qj < 0 ? 0 : qj) * (1 - 1e-9);
}

static size_t
filter_four(const struct sums *t, uint16_t *column)
{
	/* below 0 most do */
	bool all = t->least < 0 ||
		vs_query_without(&t->at->now, VS_WITHOUT_ROW_FILTER);
	size_t n = 0;

	for (size_t j = t->lo; j < t->hi; j++) {
		column[n] = (uint16_t)j;
		n += all || may_pass(t, j);
	}
	return n;
}

/* All values of a row. */
static void
fill_histogram(const struct sums *t, struct vs_value_histogram *b)
{
	struct vs_moments m;

	for (size_t j = t->lo; j < t->hi; j++) {
		double value = value_of(t, j, &m);

		if (m.c < t->at->now.min_joint)
			++*b->few;
		else
			vs_value_histogram_value(b, 0, value);
	}
}

static size_t
filter(void *sums, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct sums *t = sums;

	if (t->p && r)
		t->p += t->at->plan->ld;
	t->four = t->all;
	if (!t->p)
		vs_products_row(&t->four, r);
	t->i = t->k->row + r;
	t->lo = vs_rectangle_from(t->at->part, t->k, t->i);
	if (found->histogram)
		fill_histogram(t, found->histogram);
	return t->p ? filter_dense(t->at->now.cpu, t, column)
		    : filter_four(t, column);
}

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	const struct vs_strip *s = at->part;
	const size_t end = k->row + k->n_row;
	struct worker *w = at->worker;
	struct sums t = { .at = at,
		.k = k,
		.hi = k->hi,
		.least = vs_metric_least(at->now.metric, at->now.threshold) };

	vs_representatives_take(&w->x.rows, s->i, k->row, end, k->n_row, true);
	if (vs_panel_complete(s->j, s->j_lo, s->j_hi) &&
		vs_panel_complete(s->i, k->row, end))
		t.p = vs_products_count(at->plan, &w->x, 1, VS_FIRSTS, k->lo,
			k->hi);
	else
		vs_products_four(at->plan, &w->x, k->lo, k->hi, &t.all);
	return vs_pair_rows(&vs_pair_moments, &t, k->n_row, at->found);
}

const struct vs_pair_family vs_pair_moments = {
	.worker_bytes = sizeof(struct worker),
	.choose = vs_products_choose,
	.columns = vs_products_columns,
	.lay_out = lay_out,
	.open = vs_products_open,
	.more_bytes = vs_products_more_bytes,
	.close = vs_products_close,
	.take = take,
	.rows = most_rows,
	.rectangle = rectangle,
	.filter = filter,
	.decide = decide,
	.kernel = vs_products_kernel,
};
