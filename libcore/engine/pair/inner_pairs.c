/* SPDX-License-Identifier: BSD-3-Clause */
/* Correlations and distances of pairs of numeric vectors on the CPU, from inner
 * products. */
#include <math.h>

#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair/bounded_pairs.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/kern/dots/distance.h"
#include "libcore/metric/euclid.h"
#include "libcore/metric/inner.h"

#define ROWS VS_BOUNDED_ROWS
#define LOOK VS_BOUNDED_LOOK

struct worker {
	struct vs_bounded_pairs b;
	void *rows;
	double *sum; /* n_row rows of ld */
	/* of the columns: square root of v, and s / n; of distances
	 * half_norm() */
	double *root, *shift;
};

static void
choose(struct vs_pair_plan *c)
{
	const struct vs_query *q = &c->q;

	c->minima = vs_registry_inner_pick(q->cpu, q->element, q->kernel);
	vs_bounded_pairs_shape(c);
}

static void
lay_out(const struct vs_pair_plan *c, void *worker, struct vs_layout *l)
{
	struct worker *w = worker;

	w->b.cols = vs_layout_next(l, vs_bounded_pairs_cols_bytes(c));
	w->rows = vs_layout_next(l, c->minima->row_room(ROWS, c->q.n_field));
	w->sum = vs_layout_next(l, ROWS * c->ld * sizeof(*w->sum));
	w->root = vs_layout_next(l, c->ld * sizeof(*w->root));
	w->shift = vs_layout_next(l, c->ld * sizeof(*w->shift));
}

static bool
is_f32(const struct vs_query *q)
{
	return q->element == VS_NUM_F32 && !q->whole;
}

/*
 * Half the sum of squares of a vector, less its errors: half the square of a
 * distance is the sum of two such, less the inner product; NaN: not known.
 */
static double
half_norm(const struct vs_query *q, double norm)
{
	const bool f32 = is_f32(q);

	return norm < vs_euclid_most(q->element == VS_NUM_F32)
		? norm / 2 * (1 - vs_euclid_error(f32))
		: (double)NAN;
}

static void
begin(const struct vs_pair_work *at)
{
	const struct vs_strip *s = at->part;
	const struct vs_panel *p = s->j;
	const size_t n = s->j_hi - s->j_lo;
	struct worker *w = at->worker;

	if (w->b.bounded || vs_packed_columns_already(&w->b.head.held, s))
		return;
	at->plan->minima->take_cols(&p->number, s->j_lo, n, w->b.cols);
	for (size_t k = 0; k < n; k++) {
		const double total = p->total[s->j_lo + k];

		w->root[k] = vs_metric_is_distance(at->plan->q.metric)
			? half_norm(&at->plan->q, total)
			: sqrt(total);
		w->shift[k] = p->sum[s->j_lo + k] / (double)p->number.n_field;
	}
	for (size_t k = n; k < at->plan->ld; k++)
		w->root[k] = w->shift[k] = 0;
}

/*
 * True if any of LOOK columns may pass: if p - s_i s_j / n, or its absolute
 * value, is at least this share of the column's root.
 */
VS_INLINE int
look_any(const double *sum, const double *root, const double *shift, double s,
	double share, int squared)
{
	int hit = 0;

#pragma omp simd reduction(| : hit)
	for (int k = 0; k < LOOK; k++) {
		double x = sum[k] - s * shift[k];

		x = squared ? fabs(x) : x;
		hit |= x >= share * root[k];
	}
	return hit;
}

VS_BY_CPU(int, look, (sum, root, shift, s, share, squared), const double *sum,
	const double *root, const double *shift, double s, double share,
	int squared)

/* True if any of LOOK columns may be near enough: if the inner product is not
 * below `least` plus the column's half norm. */
VS_INLINE int
look_near_any(const double *sum, const double *half, double least)
{
	int hit = 0;

#pragma omp simd reduction(| : hit)
	for (int k = 0; k < LOOK; k++)
		hit |= !(sum[k] < least + half[k]);
	return hit;
}

VS_BY_CPU(int, look_near, (sum, half, least), const double *sum,
	const double *half, double least)

/* Columns of the row that may be nearer than the threshold. */
static size_t
filter_distances(const struct vs_bounded_sums *t, size_t lo, uint16_t *column)
{
	const struct worker *w = t->at->worker;
	const struct vs_query *q = &t->at->now;
	const bool all =
		!q->prune || vs_query_without(q, VS_WITHOUT_ROW_FILTER);
	const double most = q->threshold * q->threshold * (1 + 0x1p-40);
	const double least = half_norm(q, t->at->part->i->total[t->i]) -
		most / 2 - vs_euclid_tiny(q->element == VS_NUM_F32);
	size_t n = 0;

	for (size_t at = lo / LOOK * LOOK; at < t->k->hi; at += LOOK) {
		size_t end = at + LOOK < t->k->hi ? at + LOOK : t->k->hi;

		if (!all &&
			!look_near(q->cpu, t->sum + at, w->root + at, least))
			continue;
		for (size_t j = at < lo ? lo : at; j < end; j++) {
			column[n] = (uint16_t)j;
			n += all || !(t->sum[j] < least + w->root[j]);
		}
	}
	return n;
}

/*
 * The share that passes a threshold, less than that by more than the roundings
 * of a value, which are some 2^-50 of the roots.
 */
static double
least_share(const struct vs_query *q, double root)
{
	double least = vs_metric_least(q->metric, q->threshold);

	return root * (least * (1 - 0x1p-40) - 0x1p-40);
}

static size_t
filter_sums(const struct vs_bounded_sums *t, size_t lo, uint16_t *column)
{
	const struct worker *w = t->at->worker;
	const struct vs_query *q = &t->at->now;
	const struct vs_panel *p = t->at->part->i;
	const bool squared = q->metric->squared;
	/* below 0 all pass */
	const bool all =
		q->threshold < 0 || vs_query_without(q, VS_WITHOUT_ROW_FILTER);
	const double share = least_share(q, sqrt(p->total[t->i]));
	const double s = p->sum[t->i];
	size_t n = 0;

	for (size_t at = lo / LOOK * LOOK; at < t->k->hi; at += LOOK) {
		size_t end = at + LOOK < t->k->hi ? at + LOOK : t->k->hi;

		if (!all &&
			!look(q->cpu, t->sum + at, w->root + at, w->shift + at,
				s, share, squared))
			continue;
		for (size_t j = at < lo ? lo : at; j < end; j++) {
			double x = t->sum[j] - s * w->shift[j];

			column[n] = (uint16_t)j;
			n += all ||
				(squared ? fabs(x) : x) >= share * w->root[j];
		}
	}
	return n;
}

/* The value of the row with a column of the part. */
static double
value(const struct vs_bounded_sums *t, size_t column)
{
	const struct vs_strip *s = t->at->part;
	const struct vs_query *q = &t->at->now;
	const size_t j = s->j_lo + column;
	double r, p;

	if (vs_metric_is_distance(q->metric))
		return vs_distance(q->cpu, q->element,
			vs_numbers_of(&s->i->number, t->i),
			vs_numbers_of(&s->j->number, j), q->n_field);
	p = t->sum
		? t->sum[column]
		: t->at->plan->minima->one(vs_numbers_of(&s->i->number, t->i),
			  vs_numbers_of(&s->j->number, j), q->n_field);
	r = vs_inner_value((double)q->n_field, p, s->i->sum[t->i], s->j->sum[j],
		s->i->total[t->i], s->j->total[j]);

	return q->metric->squared ? r * r : r;
}

/* All values of a row. */
static void
fill_histogram(const struct vs_bounded_sums *t, size_t lo,
	const struct vs_hits *found)
{
	const struct vs_strip *s = t->at->part;

	for (size_t j = lo; j < t->k->hi; j++) {
		const struct vs_two pair = { s->i, s->j, t->i, s->j_lo + j };

		if (vs_hits_wants(found, &pair))
			vs_value_histogram_value(found->histogram, 0,
				value(t, j));
	}
}

static size_t
filter(void *sums, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct vs_bounded_sums *t = sums;
	const struct worker *w = t->at->worker;
	size_t lo;

	t->i = t->k->row + r;
	if (!t->sum)
		return vs_bounded_pairs_hits(t->hit + r * VS_BYTE_BOUND_WORDS,
			t->from, column);
	t->sum = w->sum + r * t->at->plan->ld;
	lo = vs_rectangle_from(t->at->part, t->k, t->i);
	if (found->histogram)
		fill_histogram(t, lo, found);
	return vs_metric_is_distance(t->at->now.metric)
		? filter_distances(t, lo, column)
		: filter_sums(t, lo, column);
}

static int
decide(const void *sums, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const struct vs_bounded_sums *t = sums;
	const struct vs_strip *s = t->at->part;
	const struct vs_query *q = &t->at->now;
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		double v = value(t, column[k]);
		struct vs_record *rec;

		if (!(vs_metric_strength(q->metric, v) > q->threshold))
			continue;
		code = vs_hits_pair(found, s, t->i, s->j_lo + column[k], &rec);
		if (!code)
			rec->value = q->f32 ? (double)(float)v : v;
	}
	return code;
}

static int
count(const struct vs_pair_work *at, const struct vs_rectangle *k)
{
	const struct vs_pair_plan *c = at->plan;
	const struct vs_strip *s = at->part;
	struct worker *w = at->worker;
	struct vs_bounded_sums t = { .at = at, .k = k, .sum = w->sum };

	c->minima->count(&(struct vs_minima_call){ .a = &s->i->number,
		.row = k->row,
		.n_row = k->n_row,
		.cols = w->b.cols,
		.col = k->lo,
		.n_col = k->hi,
		.level = vs_rectangle_level(s, k),
		.scratch = w->rows,
		.sum = w->sum,
		.ld = c->ld });
	return vs_pair_rows(&vs_pair_inner, &t, k->n_row, k->hi - k->lo,
		at->found);
}

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	const struct worker *w = at->worker;

	return w->b.bounded ? vs_bounded_pairs_count(&vs_pair_inner, at, k)
			    : count(at, k);
}

static const char *
kernel(const struct vs_pair_plan *c)
{
	return c->minima->name;
}

/* Measured at 3 GHz, by bytes of a number: half of it goes with its size. */
static double
rate(const struct vs_query *q)
{
	double bytes_a_second = q->cpu >= VS_CPU_AVX512 ? 3e11
		: q->cpu >= VS_CPU_AVX2                 ? 1.5e11
							: 1e9;

	return bytes_a_second / (double)vs_element_bytes(q->element);
}

const struct vs_pair_family vs_pair_inner = {
	.worker_bytes = sizeof(struct worker),
	.choose = choose,
	.columns = vs_bounded_pairs_columns,
	.lay_out = lay_out,
	.open = vs_bounded_pairs_open,
	.more_bytes = vs_bounded_pairs_more_bytes,
	.close = vs_bounded_pairs_close,
	.forget = vs_bounded_pairs_forget,
	.take = vs_bounded_pairs_take,
	.begin = begin,
	.rows = vs_bounded_pairs_rows,
	.rectangle = rectangle,
	.filter = filter,
	.decide = decide,
	.kernel = kernel,
	.rate = rate,
};
