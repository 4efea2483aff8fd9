/* SPDX-License-Identifier: BSD-3-Clause */
/* Proportional similarity of pairs on the CPU, from sums of minima. */
#include <math.h>

#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair/bounded_pairs.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/engine/prune/block_bound_minima.h"
#include "libcore/metric/ps.h"

#define ROWS VS_BOUNDED_ROWS
#define LOOK VS_BOUNDED_LOOK

struct worker {
	struct vs_bounded_pairs b;
	void *rows;
	double *sum;   /* n_row rows of ld */
	double *least; /* vs_czek_least_sum() of the columns; else infinite */
	double threshold; /* that these are for */
	size_t lo, hi; /* columns packed together, of which a part is counted */
};

static void
choose(struct vs_pair_plan *c)
{
	const struct vs_query *q = &c->q;

	c->minima = vs_registry_minima_pick(q->cpu, q->element, q->kernel);
	vs_bounded_pairs_shape(c);
	/* as many as go where bytes would be */
	while (2 * c->n_taken <= vs_byte_bound_columns(q, c->most) &&
		c->minima->col_room(2 * c->n_taken, q->n_field) <=
			vs_byte_bound_cols_bytes(q, c->most))
		c->n_taken *= 2;
}

static void
lay_out(const struct vs_pair_plan *c, void *worker, struct vs_layout *l)
{
	struct worker *w = worker;

	w->b.cols = vs_layout_next(l, vs_bounded_pairs_cols_bytes(c));
	w->rows = vs_layout_next(l, c->minima->row_room(ROWS, c->q.n_field));
	w->sum = vs_layout_next(l, ROWS * c->ld * sizeof(*w->sum));
	w->least = vs_layout_next(l, c->ld * sizeof(*w->least));
}

/*
 * Parts of a strip whose sums are bounded; or of n_col columns, which stay in
 * cache, out of n_taken that are packed together.
 */
static size_t
take(const struct vs_pair_plan *c, void *worker, const struct vs_strip *s,
	size_t lo)
{
	struct worker *w = worker;
	size_t end = vs_bounded_pairs_take(c, worker, s, lo);

	if (lo == s->j_lo || lo == w->hi) {
		w->lo = lo;
		w->hi = lo + (w->b.bounded ? w->b.bounded : c->n_taken);
		w->hi = w->hi < s->j_hi ? w->hi : s->j_hi;
	}
	return end;
}

static void
begin(const struct vs_pair_work *at)
{
	struct vs_strip s = *at->part;
	struct worker *w = at->worker;

	w->threshold = NAN;
	s.j_lo = w->lo;
	s.j_hi = w->hi;
	if (!w->b.bounded && !vs_packed_columns_already(&w->b.head.held, &s))
		at->plan->minima->take_cols(&s.j->number, s.j_lo,
			s.j_hi - s.j_lo, w->b.cols);
}

/* Bounds of the columns' sums by the threshold of now. */
static void
find_cuts(const struct vs_pair_work *at)
{
	const struct vs_strip *s = at->part;
	const double threshold = at->now.threshold;
	const size_t n = s->j_hi - s->j_lo;
	struct worker *w = at->worker;

	if (w->threshold == threshold)
		return;
	w->threshold = threshold;
	for (size_t k = 0; k < n; k++)
		w->least[k] =
			vs_czek_least_sum(s->j->total[s->j_lo + k], threshold);
	for (size_t k = n; k < at->plan->ld; k++)
		w->least[k] = INFINITY;
}

/* True if any of LOOK columns may pass. */
VS_INLINE int
look_any(const double *sum, const double *least, double more)
{
	int hit = 0;

#pragma omp simd reduction(| : hit)
	for (int k = 0; k < LOOK; k++)
		hit |= sum[k] >= more + least[k];
	return hit;
}

VS_BY_CPU(int, look, (sum, least, more), const double *sum, const double *least,
	double more)

static size_t
filter_sums(const struct vs_bounded_sums *t, size_t lo, uint16_t *column)
{
	const struct worker *w = t->at->worker;
	const struct vs_query *q = &t->at->now;
	const double *sum = t->sum;
	/* below 0 all pass */
	bool all =
		w->threshold < 0 || vs_query_without(q, VS_WITHOUT_ROW_FILTER);
	double least =
		vs_czek_least_sum(t->at->part->i->total[t->i], w->threshold);
	size_t n = 0;

	for (size_t at = lo / LOOK * LOOK; at < t->k->hi; at += LOOK) {
		size_t end = at + LOOK < t->k->hi ? at + LOOK : t->k->hi;

		if (!all && !look(q->cpu, sum + at, w->least + at, least))
			continue;
		for (size_t j = at < lo ? lo : at; j < end; j++) {
			column[n] = (uint16_t)j;
			n += all || sum[j] >= least + w->least[j];
		}
	}
	return n;
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
				vs_czek_value(t->sum[j], s->i->total[t->i],
					s->j->total[s->j_lo + j]));
	}
}

static size_t
filter(void *sums, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct vs_bounded_sums *t = sums;
	size_t lo;

	t->i = t->k->row + r;
	if (!t->sum)
		return vs_bounded_pairs_hits(t->hit + r * VS_BYTE_BOUND_WORDS,
			t->from, column);
	t->sum = ((struct worker *)t->at->worker)->sum + r * t->at->plan->ld;
	lo = vs_rectangle_from(t->at->part, t->k, t->i);
	if (found->histogram)
		fill_histogram(t, lo, found);
	return filter_sums(t, lo, column);
}

static int
decide(const void *sums, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const struct vs_bounded_sums *t = sums;
	const struct vs_strip *s = t->at->part;
	const struct vs_query *q = &t->at->now;
	const void *u = vs_numbers_of(&s->i->number, t->i);
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		size_t j = s->j_lo + column[k];
		double least = t->sum
			? t->sum[column[k]]
			: t->at->plan->minima->one(u,
				  vs_numbers_of(&s->j->number, j), q->n_field);
		double v =
			vs_czek_value(least, s->i->total[t->i], s->j->total[j]);
		struct vs_record *rec;

		if (!(v > q->threshold))
			continue;
		code = vs_hits_pair(found, s, t->i, j, &rec);
		if (code)
			continue;
		rec->value = q->f32 ? (double)(float)v : v;
		if (vs_element_is_integer(q->element))
			rec->num = vs_record_num((int64_t)least);
	}
	return code;
}

/* Pairs of a rectangle that are wanted. */
static double
pairs_of(const struct vs_strip *s, const struct vs_rectangle *k)
{
	double n = 0;

	for (size_t i = k->row; i < k->row + k->n_row; i++) {
		size_t lo = vs_rectangle_from(s, k, i);

		n += lo < k->hi ? (double)(k->hi - lo) : 0;
	}
	return n;
}

/* Leave out the columns that no row of the rectangle can pass with. */
static void
narrow(const struct vs_query *q, const struct vs_strip *s,
	struct vs_rectangle *k, struct vs_hits *found)
{
	size_t lo = s->j_lo + k->lo, hi = s->j_lo + k->hi;
	double before = pairs_of(s, k);

	if (vs_query_without(q, VS_WITHOUT_BLOCK_BOUND))
		return;
	vs_block_bound_minima_range(q, s->j, s->i, k->row, k->row + k->n_row,
		&lo, &hi);
	k->lo = lo - s->j_lo;
	k->hi = lo < hi ? hi - s->j_lo : 0;
	found->fields_skipped += (before - pairs_of(s, k)) * (double)q->n_field;
}

static int
count(const struct vs_pair_work *at, const struct vs_rectangle *k)
{
	const struct vs_pair_plan *c = at->plan;
	const struct vs_strip *s = at->part;
	struct worker *w = at->worker;
	struct vs_bounded_sums t = { .at = at, .k = k, .sum = w->sum };
	size_t before = c->minima->col_room(s->j_lo - w->lo, c->q.n_field);

	find_cuts(at);
	c->minima->count(&(struct vs_minima_call){ .a = &s->i->number,
		.row = k->row,
		.n_row = k->n_row,
		.cols = (const char *)w->b.cols + before,
		.col = k->lo,
		.n_col = k->hi,
		.level = vs_rectangle_level(s, k),
		.scratch = w->rows,
		.sum = w->sum,
		.ld = c->ld });
	return vs_pair_rows(&vs_pair_minima, &t, k->n_row, k->hi - k->lo,
		at->found);
}

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	const struct worker *w = at->worker;

	if (vs_query_prunes(&at->now))
		narrow(&at->now, at->part, k, at->found);
	if (k->lo >= k->hi)
		return 0;
	return w->b.bounded ? vs_bounded_pairs_count(&vs_pair_minima, at, k)
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
	double bytes_a_second = q->cpu >= VS_CPU_AVX512 ? 1.4e11
		: q->cpu >= VS_CPU_AVX2                 ? 8e10
							: 8e9;

	return bytes_a_second / (double)vs_element_bytes(q->element);
}

const struct vs_pair_family vs_pair_minima = {
	.worker_bytes = sizeof(struct worker),
	.choose = choose,
	.columns = vs_bounded_pairs_columns,
	.lay_out = lay_out,
	.open = vs_bounded_pairs_open,
	.more_bytes = vs_bounded_pairs_more_bytes,
	.close = vs_bounded_pairs_close,
	.forget = vs_bounded_pairs_forget,
	.take = take,
	.begin = begin,
	.rows = vs_bounded_pairs_rows,
	.rectangle = rectangle,
	.filter = filter,
	.decide = decide,
	.kernel = kernel,
	.rate = rate,
};
