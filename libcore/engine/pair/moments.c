/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Correlation, cosine and set indices of pairs on the CPU, from the sums of
 * products, of copies and of squares.
 */
#include "libcore/base/minmax.h"
#include "libcore/engine/pair/exact.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/engine/pair/products.h"
#include "libcore/engine/prune/moment_filter.h"
#include "libcore/engine/prune/prefix.h"

/* If calls are missing and the products leave more than one pair in ONE_IN, all
 * sums are counted; else only those of each pair that is left. */
#define ONE_IN 16

#define PLAIN 64 /* values at a time */

#define GROUPS (VS_PRODUCTS_COLS / VS_SPAN)

struct worker {
	struct vs_products x;
	struct vs_moment_filter filter;
	/* of columns without missing calls, for all values of r2: the copies,
	 * and c times the sum of squares less the square of these */
	double *copies, *spread;
	/* of a part: least prefix worth a try, by VS_SPAN columns; VS_FIRSTS:
	 * none */
	int first[GROUPS];
};

/* Sums of a rectangle, and a row of them. */
struct sums {
	struct vs_pair_row row;
	double least;    /* correlation or cosine that passes, |r| for r2 */
	bool all;        /* each pair may pass */
	bool single;     /* a pair is counted when it is decided */
	int first;       /* prefix of the products, or VS_FIRSTS */
	bool whole;      /* all sums have been counted */
	bool plain;      /* no call is missing, and the sums are all there */
	size_t from, to; /* the columns */
	struct vs_joint_sums begin;
	struct vs_products_twos twos; /* if all values are wanted */
	/* of a row: */
	size_t r;
	const int32_t *p, *sum; /* sum g_i g_j, and of the first row */
	struct vs_joint_sums joint;
};

/* True if r2_complete() and r2_missing() compute the values. */
static bool
sums_r2(const struct vs_query *q)
{
	return q->values && q->metric->device == VS_DEVICE_R2;
}

static void
lay_out(const struct vs_pair_plan *c, void *worker, struct vs_layout *l)
{
	struct worker *w = worker;

	vs_products_lay_out(c, &w->x, l);
	vs_moment_filter_lay_out(&w->filter, c->n_row, c->n_col, c->gives_up,
		l);
	if (sums_r2(&c->q)) {
		w->copies = vs_layout_next(l, c->n_col * sizeof(*w->copies));
		w->spread = vs_layout_next(l, c->n_col * sizeof(*w->spread));
	}
}

/* The spread of a vector without missing calls: exact, since all factors are
 * whole numbers below 2^53. */
static double
spread_of(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	const double s = p->sum[v], squares = s + 2 * (double)p->two[v];

	return (double)q->n_field * squares - s * s;
}

static size_t
take(const struct vs_pair_plan *c, void *worker, const struct vs_strip *s,
	size_t lo)
{
	struct worker *w = worker;

	w->x.head.plain = true;
	if (vs_products_take(c, &w->x, s, lo))
		return w->x.hi;
	vs_moment_filter_cols(&w->filter, &c->q, s->j, lo, w->x.hi - lo);
	for (size_t v = lo; v < w->x.hi && w->copies; v++) {
		w->copies[v - lo] = s->j->sum[v];
		w->spread[v - lo] = spread_of(&c->q, s->j, v);
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
 * has two copies and the second has a call, and n[1], vice versa.
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

/* Fields where both have one copy, as past the last field. */
VS_INLINE void
count_ones_any(const uint64_t *const of[4], size_t n_word, int64_t *n)
{
	const uint64_t *h = of[0], *p = of[1], *hu = of[2], *pu = of[3];
	int64_t a = 0;

#pragma omp simd reduction(+ : a)
	for (size_t w = 0; w < n_word; w++)
		a += __builtin_popcountll(~(h[w] | p[w] | hu[w] | pu[w]));
	*n = a;
}

VS_BY_POPCNT(void, count_ones, (of, n_word, n), const uint64_t *const of[4],
	size_t n_word, int64_t *n)

/* The sums of column j of a row, without q. */
static void
sums_of(const struct sums *t, size_t j, struct vs_moments *m)
{
	const struct vs_panel *pi = t->row.at->part->i,
			      *pj = t->row.at->part->j;
	const int32_t n = (int32_t)t->row.at->now.n_field;
	const size_t v = t->row.at->part->j_lo + j;
	const struct vs_vector_counts ci = { pi->present[t->row.i],
		pi->sum[t->row.i] };
	const struct vs_vector_counts cj = { pj->present[v], pj->sum[v] };
	struct vs_pair_sums s = { n, ci.sum, cj.sum, 0 };

	if (t->whole)
		s = vs_joint_sums_at(&t->joint, n, ci, cj, j);
	else if (t->single || t->first < VS_FIRSTS || ci.present != n ||
		cj.present != n)
		s = vs_exact_sums(t->row.at->plan->sparse, (size_t)n,
			&(struct vs_two){ pi, pj, t->row.i, v });
	else
		s.p = t->p[j];
	*m = (struct vs_moments){ .c = s.c, .si = s.si, .sj = s.sj, .p = s.p };
}

/*
 * Least sum of squares of a vector's copies in the fields shared, which have s
 * copies: of all its fields with two copies, each one lost takes two of the
 * copies lost.
 */
static double
least_squares(const struct vs_panel *p, size_t v, int64_t s)
{
	const int64_t two = 2 * (int64_t)p->two[v] - (p->sum[v] - s);

	return (double)(s + (two < 0 ? 0 : two));
}

/* True if a pair may pass; its sums are exact except for the squares. */
static bool
may_pass(const struct sums *t, size_t j, const struct vs_moments *m)
{
	const struct vs_strip *s = t->row.at->part;
	const struct vs_query *q = &t->row.at->now;
	const double c = (double)m->c;
	double over = (double)m->p;
	double qi = least_squares(s->i, t->row.i, m->si);
	double qj = least_squares(s->j, s->j_lo + j, m->sj);

	if (q->metric->centred) {
		over = c * over - (double)m->si * (double)m->sj;
		qi = c * qi - (double)m->si * (double)m->si;
		qj = c * qj - (double)m->sj * (double)m->sj;
	}
	return over * over > t->least * t->least * vs_max_f64(qi, 0) *
		vs_max_f64(qj, 0) * (1 - 1e-9);
}

static double
value_of(const struct sums *t, size_t j, struct vs_moments *m)
{
	const struct vs_strip *s = t->row.at->part;
	const struct vs_query *q = &t->row.at->now;
	const struct vs_vec *i = &s->i->vec, *k = &s->j->vec;
	const size_t v = s->j_lo + j;
	const uint64_t *const of[4] = { vs_vec_plane(i, t->row.i, 0),
		vs_vec_plane(i, t->row.i, 1), vs_vec_plane(k, v, 0),
		vs_vec_plane(k, v, 1) };
	int64_t two[2] = { s->i->two[t->row.i], s->j->two[v] };

	if (t->twos.i) {
		const size_t at = t->r * t->row.at->plan->ld + j;

		two[0] -= t->twos.i[at];
		two[1] -= t->twos.j[at];
	} else if (m->c != (int64_t)q->n_field) {
		count_twos(q->cpu, of, i->n_word, two);
	}
	m->qi = m->si + 2 * two[0];
	m->qj = m->sj + 2 * two[1];
	if (q->metric->phased) {
		count_ones(q->cpu, of, i->n_word, &m->both);
		m->both -= (int64_t)(64 * i->n_word - q->n_field);
	}
	return q->metric->value(m);
}

static bool
is_undefined(const struct vs_metric *metric, const struct vs_moments *m)
{
	switch (metric->undefined) {
	case VS_UNDEFINED_CONSTANT:
		return m->c * m->qi == m->si * m->si ||
			m->c * m->qj == m->sj * m->sj;
	case VS_UNDEFINED_ZERO:
		return !m->qi || !m->qj;
	case VS_UNDEFINED_ZEROS:
		return !m->qi && !m->qj;
	case VS_UNDEFINED_NEVER:
		break;
	}
	return false;
}

VS_INLINE bool
value(const void *sums, size_t column, bool all, struct vs_pair_value *v)
{
	const struct sums *t = sums;
	struct vs_moments m;

	sums_of(t, column, &m);
	v->joint = m.c;
	/* without missing calls the value is as fast as its bound */
	if (!all && !t->all && m.c != (int64_t)t->row.at->now.n_field &&
		!may_pass(t, column, &m))
		return false;
	v->value = value_of(t, column, &m);
	if (vs_query_has_num(&t->row.at->now))
		v->num = m.p;
	v->undefined = all && is_undefined(t->row.at->now.metric, &m);
	return true;
}

VS_PAIR_VALUES(value)

/* Append the records of n columns that pass, without missing calls; values are
 * computed many at a time, since divisions queue for the divider. */
static int
decide_plain(const struct sums *t, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const struct vs_strip *s = t->row.at->part;
	const struct vs_query *q = &t->row.at->now;
	const int32_t *sum = s->j->sum + s->j_lo, *two = s->j->two + s->j_lo;
	const int64_t si = s->i->sum[t->row.i],
		      qi = si + 2 * s->i->two[t->row.i];
	uint16_t sorted[VS_PAIR_COLUMNS];
	double value[PLAIN];
	int code = 0;

	/* else the records are renamed and so reordered */
	if (!found->wanted || !found->wanted->row)
		column = vs_pair_rows_order(s->j, s->j_lo, column, n, sorted);
	for (size_t now; n && !code; n -= now, column += now) {
		now = n < PLAIN ? n : PLAIN;
		for (size_t k = 0; k < now; k++) {
			const size_t j = column[k];
			const struct vs_moments m = { .c = (int64_t)q->n_field,
				.p = t->p[j],
				.si = si,
				.sj = sum[j],
				.qi = qi,
				.qj = sum[j] + 2 * (int64_t)two[j] };

			value[k] = q->metric->value(&m);
		}
		code = vs_hits_row(found, q, s, t->row.i, column,
			vs_query_has_num(q) ? t->p : NULL, value, now);
	}
	return code;
}

static int
decide_row(const void *sums, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const struct sums *t = sums;

	return t->plain ? decide_plain(t, column, n, found)
			: decide(sums, column, n, found);
}

/*
 * r2 of row i and n columns without missing calls, as vs_r2_value() has it. If
 * d is 0, cov is too, and the value is NaN.
 */
VS_INLINE void
r2_complete_any(const struct sums *t, size_t lo, size_t n, double *value)
{
	const struct vs_query *q = &t->row.at->now;
	const struct vs_panel *pi = t->row.at->part->i;
	const struct worker *w = t->row.at->worker;
	const double *copies = w->copies + lo, *spread = w->spread + lo;
	const double c = (double)q->n_field, si = pi->sum[t->row.i],
		     di = spread_of(q, pi, t->row.i);
	const int32_t *p = t->p + lo;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		const double cov = c * (double)p[k] - si * copies[k];

		value[k] = cov * cov / (di * spread[k]);
	}
}

VS_BY_CPU(void, r2_complete, (t, lo, n, value), const struct sums *t, size_t lo,
	size_t n, double *value)

/*
 * r2 of a row and n columns from lo on with missing calls, and the fields
 * shared, as vs_r2_value() has it; all factors are whole numbers below 2^53. If
 * d is 0, cov is too, and the value is NaN.
 */
VS_INLINE void
r2_missing_any(const struct sums *t, size_t lo, size_t n, double *joint,
	double *value)
{
	const struct vs_strip *part = t->row.at->part;
	const size_t v = part->j_lo + lo, at = t->r * t->row.at->plan->ld + lo;
	const struct vs_joint_sums *of = &t->joint;
	const int32_t *p = of->p + lo, *lost_i = of->lost.i + lo,
		      *lost_j = of->lost.j + lo, *both = of->lost.both + lo,
		      *two_i = t->twos.i + at, *two_j = t->twos.j + at;
	const int32_t *sum = part->j->sum + v, *two = part->j->two + v,
		      *present = part->j->present + v;
	const int32_t si = part->i->sum[t->row.i], ti = part->i->two[t->row.i],
		      lost = part->i->present[t->row.i] -
		(int32_t)t->row.at->now.n_field;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		const double c = lost + present[k] + both[k],
			     x = si - lost_i[k], y = sum[k] - lost_j[k],
			     xx = x + 2 * (double)(ti - two_i[k]),
			     yy = y + 2 * (double)(two[k] - two_j[k]),
			     cov = c * (double)p[k] - x * y,
			     d = (c * xx - x * x) * (c * yy - y * y);

		joint[k] = c;
		value[k] = cov * cov / d;
	}
}

VS_BY_CPU(void, r2_missing, (t, lo, n, joint, value), const struct sums *t,
	size_t lo, size_t n, double *joint, double *value)

/* All values of r2 of a row. */
static void
give_r2(const struct sums *t, struct vs_hits *found)
{
	const struct vs_pair_work *at = t->row.at;
	double value[VS_SUMMARY_BLOCK], joint[VS_SUMMARY_BLOCK];

	for (size_t lo = t->row.lo, n; lo < t->row.hi; lo += n) {
		n = vs_min_size(t->row.hi - lo, VS_SUMMARY_BLOCK);
		if (t->whole)
			r2_missing(at->now.cpu, t, lo, n, joint, value);
		else
			r2_complete(at->now.cpu, t, lo, n, value);
		vs_pair_rows_give(&t->row, found, lo, n, value,
			t->whole ? joint : NULL);
	}
}

static void
count_row(const void *sums, struct vs_hits *found)
{
	const struct sums *t = sums;

	if (sums_r2(&t->row.at->now) && !t->single)
		give_r2(t, found);
	else
		count_all(sums, found);
}

/* Columns of the row whose bits are set. */
static size_t
list_bits(const struct sums *t, uint16_t *column)
{
	const struct worker *w = t->row.at->worker;
	const uint64_t *hit = w->filter.hit + t->r * w->filter.n_word;
	size_t n = 0;

	for (size_t k = t->row.lo / 64;
		64 * k < t->row.hi && t->row.lo < t->row.hi; k++)
		for (uint64_t bits = hit[k]; bits; bits &= bits - 1) {
			size_t j = 64 * k + (size_t)__builtin_ctzll(bits);

			column[n] = (uint16_t)j;
			n += j >= t->row.lo && j < t->row.hi;
		}
	return n;
}

static size_t
list_all(const struct sums *t, uint16_t *column)
{
	size_t n = 0;

	for (size_t j = t->row.lo; j < t->row.hi; j++)
		column[n++] = (uint16_t)j;
	return n;
}

static size_t
filter(void *sums, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct sums *t = sums;
	const struct worker *w = t->row.at->worker;
	const size_t n = t->row.at->now.n_field;

	t->r = r;
	t->row.i = t->row.k->row + r;
	t->p = t->sum + r * t->row.at->plan->ld;
	t->joint = t->begin;
	if (t->whole)
		vs_joint_sums_row(&t->joint, r);
	t->row.lo = vs_rectangle_from(t->row.at->part, t->row.k, t->row.i);
	t->row.lo = t->row.lo < t->from ? t->from : t->row.lo;
	t->row.hi = t->to;
	if (t->single) {
		vs_pair_rows_near(&t->row, found->wanted);
		return list_all(t, column);
	}
	if (found->summary && vs_wanted_is_band(found->wanted))
		vs_pair_rows_near(&t->row, found->wanted);
	if (t->first < VS_FIRSTS && t->row.lo < t->row.hi)
		found->fields_skipped += (double)(t->row.hi - t->row.lo) *
			(double)(n - vs_first_fields(n, t->first));
	if (t->all)
		return vs_summary_alone(found->summary) ? 0
							: list_all(t, column);
	return t->whole ? vs_moment_filter_row(&w->filter, &t->row.at->now,
				  t->row.at->part->i, t->row.i, r, &t->joint,
				  t->row.lo, t->row.hi, column)
			: list_bits(t, column);
}

/* Filter the products of columns [from, to); returns how many may pass. */
static size_t
look(const struct sums *t)
{
	const struct vs_strip *s = t->row.at->part;
	struct worker *w = t->row.at->worker;

	return vs_moment_filter_look(&w->filter, &t->row.at->now, s->i,
		t->row.k->row, t->row.k->n_row, t->first, t->sum,
		t->row.at->plan->ld, t->from, t->to);
}

/*
 * Count only a prefix, if that decides nearly all pairs; the remaining pairs
 * are counted one by one. returns whether it did
 */
static bool
count_first(struct sums *t)
{
	struct worker *w = t->row.at->worker;
	const int first = t->first;

	if (first == VS_FIRSTS)
		return false;
	t->sum = vs_products_count(t->row.at->plan, &w->x, first, t->from,
		t->to, NULL);
	if (look(t) * VS_PREFIX_LEFT <= t->row.k->n_row * (t->to - t->from))
		return true;
	vs_prefix_failed(w->first, t->row.at->now.n_field, first, t->from,
		t->to);
	t->first = VS_FIRSTS;
	return false;
}

/* Columns [from, to), which use the same prefix. */
static int
do_chunk(struct sums *t, bool complete)
{
	const struct vs_rectangle *k = t->row.k;
	const size_t to = t->to;
	struct vs_hits *found = t->row.at->found;
	struct worker *w = t->row.at->worker;
	const size_t n = k->n_row * (to - t->from);
	bool many;

	t->whole = false;
	t->twos = (struct vs_products_twos){ 0 };
	if (!count_first(t)) {
		t->sum = vs_products_count(t->row.at->plan, &w->x, VS_FIRSTS,
			t->from, to, NULL);
		many = t->all || look(t) * ONE_IN > n;
		t->whole = !complete && (many || vs_hits_wants_all(found));
	}
	t->plain = complete && t->first == VS_FIRSTS &&
		!t->row.at->now.metric->phased;
	if (t->whole && t->row.at->now.values)
		vs_products_moments(t->row.at->plan, &w->x, t->from, to,
			&t->begin, &t->twos);
	else if (t->whole)
		vs_products_joint(t->row.at->plan, &w->x, t->from, to, NULL,
			&t->begin);
	return vs_pair_rows(&vs_pair_moments, t, k->n_row, to - t->from, found);
}

/* The prefix by which a group's columns are to be counted. */
static int
first_of(const struct sums *t, size_t lo, size_t hi)
{
	const struct worker *w = t->row.at->worker;
	const int least = w->first[lo / VS_SPAN];

	/* every value is asked for, not only those that bounds leave */
	if (t->all || vs_hits_wants_all(t->row.at->found) || least == VS_FIRSTS)
		return VS_FIRSTS;
	return vs_moment_filter_choose(&w->filter, &t->row.at->now,
		t->row.at->part->i, t->row.k->row + t->row.k->n_row / 2, lo, hi,
		least);
}

/* Move to the columns from `to` on, as many as use the same prefix. */
static void
go_on(struct sums *t)
{
	t->from = t->to;
	while (t->to < t->row.k->hi &&
		t->to - t->from / VS_SPAN * VS_SPAN <
			t->row.at->plan->n_chunk) {
		size_t end = (t->to / VS_SPAN + 1) * VS_SPAN;
		int first;

		end = end < t->row.k->hi ? end : t->row.k->hi;
		first = first_of(t, t->to, end);
		if (t->to > t->from && first != t->first)
			return;
		t->first = first;
		t->to = end;
	}
}

static void
begin(const struct vs_pair_work *at)
{
	struct worker *w = at->worker;
	bool first = at->plan->gives_up && w->x.dense == at->plan->wide;

	for (int g = 0; g < GROUPS; g++)
		w->first[g] = first ? 0 : VS_FIRSTS;
}

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	const struct vs_strip *s = at->part;
	const struct vs_query *q = &at->now;
	const size_t end = k->row + k->n_row;
	const bool complete = vs_panel_complete(s->j, s->j_lo, s->j_hi) &&
		vs_panel_complete(s->i, k->row, end);
	struct worker *w = at->worker;
	struct sums t = { .row = { .at = at, .k = k },
		.least = vs_metric_least(q->metric, q->threshold),
		.to = k->lo };
	int code = 0;

	/* below 0 most pass; a summary alone needs no look */
	t.all = vs_summary_alone(at->found->summary) || t.least < 0 ||
		vs_query_without(q, VS_WITHOUT_ROW_FILTER);
	t.single = !vs_query_prunes(q) &&
		vs_wanted_is_narrow(at->found->wanted, q->has_missing);
	if (t.single) {
		t.first = VS_FIRSTS;
		t.from = k->lo;
		t.to = k->hi;
		return vs_pair_rows(&vs_pair_moments, &t, k->n_row, 0,
			at->found);
	}
	vs_products_take_rows(at->plan, &w->x, s->i, k->row, end, true);
	while (t.to < k->hi && !code) {
		go_on(&t);
		code = do_chunk(&t, complete);
	}
	return code;
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
	.begin = begin,
	.rows = most_rows,
	.rectangle = rectangle,
	.filter = filter,
	.decide = decide_row,
	.count_all = count_row,
	.kernel = vs_products_kernel,
};
