/* SPDX-License-Identifier: BSD-3-Clause */
/* Proportional similarity of pairs on the CPU, from sums of minima. */
#include <math.h>

#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/engine/prune/block_bound_minima.h"
#include "libcore/engine/prune/byte_bound.h"
#include "libcore/metric/ps.h"

#define ROWS 96 /* a multiple of what kernels take: sums stay in cache */
#define COLS 2048
#define COLS_BYTES (1u << 20) /* of the L2; longer vectors: fewer columns */
#define LOOK 64               /* columns looked at together */

struct worker {
	struct vs_pair_worker head;
	void *cols; /* packed, or bytes */
	void *rows;
	double *sum;   /* n_row rows of ld */
	double *least; /* vs_czek_least_sum() of the columns; else infinite */
	double threshold;                 /* that these are for */
	struct vs_byte_bound *byte_bound; /* bounds of sums, or null */
	size_t bounded; /* columns of a part whose sums are bounded; or 0 */
	size_t lo, hi; /* columns packed together, of which a part is counted */
};

/* Sums of a rectangle, and a row of them. */
struct sums {
	const struct vs_pair_work *at;
	const struct vs_rectangle *k;
	size_t i;
	/* null: columns from `from` on are bounded, hit is a bit of each */
	const double *sum;
	const uint64_t *hit;
	size_t from;
};

static size_t
up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static void
choose(struct vs_pair_plan *c)
{
	const struct vs_query *q = &c->q;

	c->minima = vs_registry_minima_pick(q->cpu, q->element, q->kernel);
	c->n_row = ROWS;
	c->n_col = COLS;
	while (c->n_col > LOOK &&
		(c->n_col / 2 >= c->most ||
			c->minima->col_room(c->n_col, q->n_field) > COLS_BYTES))
		c->n_col /= 2;
	/* not a power of two, or rows would meet in few sets of a cache */
	c->ld = up(c->n_col + LOOK, c->minima->lanes);
	/* as many as go where bytes would be */
	c->n_taken = c->n_col;
	while (2 * c->n_taken <= vs_byte_bound_columns(q, c->most) &&
		c->minima->col_room(2 * c->n_taken, q->n_field) <=
			vs_byte_bound_cols_bytes(q, c->most))
		c->n_taken *= 2;
}

/* Packed columns, or bytes. */
static size_t
cols_bytes(const struct vs_pair_plan *c)
{
	size_t own = c->minima->col_room(c->n_taken, c->q.n_field);
	size_t byte_bound = vs_byte_bound_cols_bytes(&c->q, c->most);

	return own > byte_bound ? own : byte_bound;
}

static size_t
columns(const struct vs_pair_plan *c, bool follow)
{
	size_t bounded = vs_byte_bound_columns(&c->q, c->most);

	(void)follow;
	return bounded > c->n_col ? bounded : c->n_col;
}

static void
lay_out(const struct vs_pair_plan *c, void *worker, struct vs_layout *l)
{
	struct worker *w = worker;

	w->cols = vs_layout_next(l, cols_bytes(c));
	w->rows = vs_layout_next(l, c->minima->row_room(ROWS, c->q.n_field));
	w->sum = vs_layout_next(l, ROWS * c->ld * sizeof(*w->sum));
	w->least = vs_layout_next(l, c->ld * sizeof(*w->least));
}

static int
open_worker(const struct vs_pair_plan *c, void *worker)
{
	struct worker *w = worker;

	return vs_byte_bound_open(&w->byte_bound, &c->q, c->most, &w->head.held,
		w->cols);
}

static size_t
more_bytes(const struct vs_pair_plan *c)
{
	return vs_byte_bound_bytes(&c->q, c->most);
}

static void
close_worker(void *worker)
{
	struct worker *w = worker;

	vs_byte_bound_close(w->byte_bound);
}

static void
forget(void *worker, const struct vs_panel *panel)
{
	struct worker *w = worker;

	vs_byte_bound_forget(w->byte_bound, panel);
}

/*
 * Parts of a strip whose sums are bounded; or of n_col columns, which stay in
 * cache, out of n_taken that are packed together.
 */
static size_t
take(const struct vs_pair_plan *c, void *worker, const struct vs_strip *s,
	size_t lo)
{
	const struct vs_query now = vs_query_now(&c->q);
	struct worker *w = worker;
	size_t end;

	if (lo == s->j_lo)
		w->bounded = w->byte_bound && vs_query_prunes(&now)
			? vs_byte_bound_choose(w->byte_bound, s, &now)
			: 0;
	end = lo + (w->bounded ? w->bounded : c->n_col);
	if (lo == s->j_lo || lo == w->hi) {
		w->lo = lo;
		w->hi = lo + (w->bounded ? w->bounded : c->n_taken);
		w->hi = w->hi < s->j_hi ? w->hi : s->j_hi;
	}
	return end < s->j_hi ? end : s->j_hi;
}

static void
begin(const struct vs_pair_work *at)
{
	struct vs_strip s = *at->part;
	struct worker *w = at->worker;

	w->threshold = NAN;
	s.j_lo = w->lo;
	s.j_hi = w->hi;
	if (!w->bounded && !vs_packed_columns_already(&w->head.held, &s))
		at->plan->minima->take_cols(&s.j->number, s.j_lo,
			s.j_hi - s.j_lo, w->cols);
}

static size_t
most_rows(const struct vs_pair_work *at)
{
	const struct worker *w = at->worker;

	return w->bounded ? vs_byte_bound_most_rows(w->byte_bound) : ROWS;
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
filter_sums(const struct sums *t, size_t lo, uint16_t *column)
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

static size_t
columns_of(const uint64_t *hit, size_t from, uint16_t *column)
{
	size_t n = 0;

	for (size_t x = 0; x < VS_BYTE_BOUND_WORDS; x++)
		for (uint64_t bits = hit[x]; bits; bits &= bits - 1)
			column[n++] = (uint16_t)(from + 64 * x +
				(size_t)__builtin_ctzll(bits));
	return n;
}

/* All values of a row. */
static void
fill_histogram(const struct sums *t, size_t lo, const struct vs_hits *found)
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
	struct sums *t = sums;
	size_t lo;

	t->i = t->k->row + r;
	if (!t->sum)
		return columns_of(t->hit + r * VS_BYTE_BOUND_WORDS, t->from,
			column);
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
	const struct sums *t = sums;
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
	struct sums t = { .at = at, .k = k, .sum = w->sum };
	size_t before = c->minima->col_room(s->j_lo - w->lo, c->q.n_field);

	find_cuts(at);
	c->minima->count(&(struct vs_minima_call){ .a = &s->i->number,
		.row = k->row,
		.n_row = k->n_row,
		.cols = (const char *)w->cols + before,
		.col = k->lo,
		.n_col = k->hi,
		.level = vs_rectangle_level(s, k),
		.scratch = w->rows,
		.sum = w->sum,
		.ld = c->ld });
	return vs_pair_rows(&vs_pair_minima, &t, k->n_row, k->hi - k->lo,
		at->found);
}

/* Pairs that bounds leave are summed one by one. */
static int
count_bounded(const struct vs_pair_work *at, const struct vs_rectangle *k)
{
	struct worker *w = at->worker;
	struct sums t = { .at = at, .k = k };
	double fields_skipped = 0;
	int code = 0;

	vs_byte_bound_begin(w->byte_bound, at->part, &at->now);
	vs_byte_bound_rows(w->byte_bound, at->part, k);
	t.from = k->lo / VS_BYTE_BOUND_COLS * VS_BYTE_BOUND_COLS;
	for (; t.from < k->hi && !code; t.from += VS_BYTE_BOUND_COLS) {
		t.hit = vs_byte_bound_look(w->byte_bound, at->part, k, t.from,
			&fields_skipped);
		code = vs_pair_rows(&vs_pair_minima, &t, k->n_row,
			k->hi - k->lo, at->found);
	}
	at->found->fields_skipped += fields_skipped * (double)at->now.n_field;
	return code;
}

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	const struct worker *w = at->worker;

	if (vs_query_prunes(&at->now))
		narrow(&at->now, at->part, k, at->found);
	if (k->lo >= k->hi)
		return 0;
	return w->bounded ? count_bounded(at, k) : count(at, k);
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
	.columns = columns,
	.lay_out = lay_out,
	.open = open_worker,
	.more_bytes = more_bytes,
	.close = close_worker,
	.forget = forget,
	.take = take,
	.begin = begin,
	.rows = most_rows,
	.rectangle = rectangle,
	.filter = filter,
	.decide = decide,
	.kernel = kernel,
	.rate = rate,
};
