/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs of vectors of numbers on the CPU: proportional similarity from sums of
 * minima; correlations, and which distances may be short enough, from inner
 * products; correlations over the fields that both vectors have. Columns are
 * packed for a kernel that counts all sums, or as bytes that bound the sums,
 * whichever is cheaper.
 */
#include <math.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/engine/prune/block_bound.h"
#include "libcore/engine/prune/byte_bound.h"
#include "libcore/kern/dots/distance.h"
#include "libcore/kern/dots/joint_dots.h"
#include "libcore/metric/euclid.h"
#include "libcore/metric/inner.h"
#include "libcore/metric/ps.h"

#define COLS 2048
#define COLS_BYTES (1u << 20) /* share of L2; longer vectors: fewer columns */
#define LOOK 64               /* columns tested together */

struct worker {
	struct vs_pair_worker head;
	void *cols;                       /* packed, or bytes */
	struct vs_byte_bound *byte_bound; /* bounds of sums, or null */
	size_t bounded; /* columns of a part whose sums are bounded; or 0 */
	size_t lo, hi;  /* columns packed together; a part of them is counted */
	void *rows;
	double *sum; /* n_row rows of ld */
	/* the n fields that both have, or ~n if the value is 0/0 */
	int32_t *n_both;
	/* struct bound of each column, for this threshold */
	double *least, *mean;
	double threshold;
};

/* Sums of a rectangle, and a row of them. */
struct sums {
	struct vs_pair_row row;
	const struct kind *kind;
	/* if not null, columns from `from` on are bounded, a bit of hit each */
	const double *sum;
	const int32_t *n_both;
	const uint64_t *hit;
	size_t from;
};

/* A vector's contribution to the test of its pairs. */
struct bound {
	double least, mean;
};

/*
 * Test of a row by its sums: a column may pass unless
 *
 *   sum - total * mean < more + share * least
 *
 * with mean and least of the column; magnitude: or if the negated left side is.
 */
struct test {
	bool all;   /* every column may pass */
	bool plain; /* total is 0 and share is 1 */
	int magnitude;
	double total, more, share;
};

/* A kind of metrics: its kernel, its test and its value. */
struct kind {
	enum { MINIMA, PRODUCTS, DISTANCES, JOINT } of;
	size_t n_row; /* rows at a time, a multiple of what kernels take */
	/* null: values are computed one by one, over the fields in common */
	const struct vs_minima *(*kernel)(enum vs_cpu cpu,
		enum vs_element element, bool bits, const char *name);
	struct bound (*bound)(const struct vs_query *q,
		const struct vs_panel *p, size_t v);
	struct test (*test)(const struct vs_query *q, const struct vs_panel *p,
		size_t v);
	/* exclude columns that cannot pass with any of some rows; or null */
	void (*range)(const struct vs_query *q, const struct vs_panel *rows,
		const struct vs_panel *cols, size_t lo, size_t hi,
		size_t *row_lo, size_t *row_hi);
	/* bytes of numbers per second, measured at 3 GHz with AVX-512, with
	 * AVX2 and with neither; half of it depends on their size */
	double rate[3];
};

/* The sum of the row and a column. */
VS_INLINE double
sum_of(const struct sums *t, size_t column)
{
	const struct vs_strip *s = t->row.at->part;

	return t->sum ? t->sum[column]
		      : t->row.at->plan->minima->one(
				vs_numbers_of(&s->i->number, t->row.i),
				vs_numbers_of(&s->j->number, s->j_lo + column),
				t->row.at->now.n_field);
}

/* ---- sums of minima ---- */

static struct bound
minima_bound(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	return (struct bound){ vs_ps_least_sum(p->total[v], q->threshold), 0 };
}

static struct test
minima_test(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	return (struct test){ .all = q->threshold < 0,
		.more = minima_bound(q, p, v).least,
		.share = 1,
		.plain = true };
}

VS_INLINE double
minima_value(const struct sums *t, size_t column, double *sum)
{
	const struct vs_strip *s = t->row.at->part;

	*sum = sum_of(t, column);
	return vs_ps_value(*sum, s->i->total[t->row.i],
		s->j->total[s->j_lo + column]);
}

/* ---- inner products ---- */

static struct bound
product_bound(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	return (struct bound){ sqrt(p->total[v]),
		p->sum[v] / (double)q->n_field };
}

/* The fraction of both roots that passes, reduced by more than the rounding of
 * a value, which is about 2^-50 of the roots. */
static struct test
product_test(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	double least = vs_metric_least(q->metric, q->threshold);

	return (struct test){ .all = q->threshold < 0,
		.magnitude = vs_query_both_signs(q),
		.total = p->sum[v],
		.share =
			sqrt(p->total[v]) * (least * (1 - 0x1p-40) - 0x1p-40) };
}

VS_INLINE double
product_value(const struct sums *t, size_t column)
{
	const struct vs_strip *s = t->row.at->part;
	const size_t i = t->row.i, j = s->j_lo + column;
	double r;

	r = vs_inner_value((double)t->row.at->now.n_field, sum_of(t, column),
		s->i->sum[i], s->j->sum[j], s->i->total[i], s->j->total[j]);
	return t->row.at->now.metric->squared ? r * r : r;
}

/* ---- distances ---- */

/*
 * Half the sum of squares of a vector, less its errors: half a squared distance
 * is the sum of two of these less the inner product; NaN: unknown.
 */
static struct bound
distance_bound(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	const bool f32 = q->element == VS_NUM_F32 && !q->whole;
	const double norm = p->total[v];

	return (struct bound){ norm < vs_euclid_most(q->element == VS_NUM_F32)
			? norm / 2 * (1 - vs_euclid_error(f32))
			: (double)NAN,
		0 };
}

static struct test
distance_test(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	const double most = q->threshold * q->threshold * (1 + 0x1p-40);

	return (struct test){ .all = !q->prune,
		.more = distance_bound(q, p, v).least - most / 2 -
			vs_euclid_tiny(q->element == VS_NUM_F32),
		.share = 1,
		.plain = true };
}

VS_INLINE double
distance_value(const struct sums *t, size_t column)
{
	const struct vs_strip *s = t->row.at->part;
	const struct vs_query *q = &t->row.at->now;

	return vs_distance(q->cpu, q->element,
		vs_numbers_of(&s->i->number, t->row.i),
		vs_numbers_of(&s->j->number, s->j_lo + column), q->n_field);
}

/* ---- correlations over the fields in common ---- */

static double
joint_value_of(const struct vs_query *q, const double *u, const double *v,
	int32_t *n_both)
{
	const bool centred = q->metric->centred;
	double at[2] = { 0, 0 }, r;
	struct vs_joint_dots d;
	size_t k = 0;

	while (centred && k < q->n_field && !(u[k] + v[k] == u[k] + v[k]))
		k++;
	if (centred && k < q->n_field) {
		at[0] = u[k];
		at[1] = v[k];
	}
	vs_joint_dots(q->cpu, u, v, q->n_field, at, &d);
	if (centred && vs_inner_cancels((double)d.n, d.q, d.s)) {
		at[0] += d.s[0] / (double)d.n;
		at[1] += d.s[1] / (double)d.n;
		vs_joint_dots(q->cpu, u, v, q->n_field, at, &d);
	}
	if (!centred)
		d.s[0] = d.s[1] = 0;
	*n_both = (int32_t)d.n;
	if (!vs_inner_joint_defined((double)d.n, d.q, d.s))
		*n_both = ~*n_both;
	r = vs_inner_joint_value((double)d.n, d.p, d.q, d.s);
	return q->metric->squared ? r * r : r;
}

/* Compute all values of a rectangle, which are stored in place of sums. */
static void
joint_count(const struct vs_pair_work *at, const struct vs_rectangle *k)
{
	const struct vs_strip *s = at->part;
	struct worker *w = at->worker;

	for (size_t r = 0; r < k->n_row; r++)
		for (size_t j = vs_rectangle_from(s, k, k->row + r); j < k->hi;
			j++)
			w->sum[r * at->plan->ld + j] = joint_value_of(&at->now,
				vs_numbers_of(&s->i->number, k->row + r),
				vs_numbers_of(&s->j->number, s->j_lo + j),
				&w->n_both[r * at->plan->ld + j]);
}

static struct test
joint_test(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	(void)q, (void)p, (void)v;
	return (struct test){ .all = true };
}

/* ---- kinds ---- */

static const struct kind minima = {
	.of = MINIMA,
	.n_row = 96,
	.kernel = vs_registry_minima_pick,
	.bound = minima_bound,
	.test = minima_test,
	.range = vs_block_bound_minima_range,
	.rate = { 1.4e11, 8e10, 8e9 },
};

static const struct kind products = {
	.of = PRODUCTS,
	.n_row = 96,
	.kernel = vs_registry_inner_pick,
	.bound = product_bound,
	.test = product_test,
	.rate = { 3e11, 1.5e11, 1e9 },
};

static const struct kind distances = {
	.of = DISTANCES,
	.n_row = 96,
	.kernel = vs_registry_inner_pick,
	.bound = distance_bound,
	.test = distance_test,
	.rate = { 3e11, 1.5e11, 1e9 },
};

static const struct kind joint = {
	.of = JOINT,
	.n_row = 16,
	.test = joint_test,
	.rate = { 3.2e10, 1.6e10, 4e9 },
};

static const struct kind *
kind_of(const struct vs_query *q)
{
	if (vs_query_family(q) == VS_FAMILY_MINIMA)
		return &minima;
	if (vs_metric_is_distance(q->metric))
		return &distances;
	return q->has_missing ? &joint : &products;
}

/* ---- the worker ---- */

static size_t
up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Bytes of n columns in the kernel's format. */
static size_t
col_bytes(const struct vs_pair_plan *c, size_t n)
{
	return c->minima ? c->minima->col_room(n, c->q.n_field)
			 : n * c->q.n_field * sizeof(double);
}

static size_t
columns(const struct vs_pair_plan *c, bool follow)
{
	(void)follow;
	return vs_max_size(vs_byte_bound_columns(&c->q, c->most), c->n_col);
}

/* Sums stay in cache; as many columns are packed together as fit in the room
 * for bytes. */
static void
choose(struct vs_pair_plan *c)
{
	const struct vs_query *q = &c->q;
	const struct kind *kind = kind_of(q);

	if (kind->kernel)
		c->minima =
			kind->kernel(q->cpu, q->element, q->bits, q->kernel);
	c->n_row = kind->n_row;
	c->n_col = COLS;
	while (c->n_col > LOOK &&
		(c->n_col / 2 >= c->most ||
			col_bytes(c, c->n_col) > COLS_BYTES))
		c->n_col /= 2;
	/* not a power of two, or rows would collide in a few cache sets */
	c->ld = up(c->n_col + LOOK, c->minima ? c->minima->lanes : 1);
	c->n_taken = c->n_col;
	while (2 * c->n_taken <= vs_byte_bound_columns(q, c->most) &&
		col_bytes(c, 2 * c->n_taken) <=
			vs_byte_bound_cols_bytes(q, c->most))
		c->n_taken *= 2;
}

static void
lay_out(const struct vs_pair_plan *c, void *worker, struct vs_layout *l)
{
	struct worker *w = worker;

	w->sum = vs_layout_next(l, c->n_row * c->ld * sizeof(*w->sum));
	if (!c->minima) {
		w->n_both = vs_layout_next(l,
			c->n_row * c->ld * sizeof(*w->n_both));
		return;
	}
	w->cols = vs_layout_next(l,
		vs_max_size(col_bytes(c, c->n_taken),
			vs_byte_bound_cols_bytes(&c->q, c->most)));
	w->rows =
		vs_layout_next(l, c->minima->row_room(c->n_row, c->q.n_field));
	w->least = vs_layout_next(l, c->ld * sizeof(*w->least));
	w->mean = vs_layout_next(l, c->ld * sizeof(*w->mean));
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

static size_t
most_rows(const struct vs_pair_work *at)
{
	const struct worker *w = at->worker;

	return w->bounded ? vs_byte_bound_most_rows(w->byte_bound)
			  : at->plan->n_row;
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

	if (lo == s->j_lo)
		w->bounded = w->byte_bound && vs_query_prunes(&now)
			? vs_byte_bound_choose(w->byte_bound, s, &now)
			: 0;
	if (lo == s->j_lo || lo == w->hi) {
		w->lo = lo;
		w->hi = vs_min_size(lo + (w->bounded ? w->bounded : c->n_taken),
			s->j_hi);
	}
	return vs_min_size(lo + (w->bounded ? w->bounded : c->n_col), s->j_hi);
}

static void
begin(const struct vs_pair_work *at)
{
	struct vs_strip s = *at->part;
	struct worker *w = at->worker;

	w->threshold = NAN;
	s.j_lo = w->lo;
	s.j_hi = w->hi;
	if (at->plan->minima && !w->bounded &&
		!vs_packed_columns_already(&w->head.held, &s))
		at->plan->minima->take_cols(&s.j->number, s.j_lo,
			s.j_hi - s.j_lo, w->cols);
}

/* Bounds of the columns for the present threshold. */
static void
find_bounds(const struct vs_pair_work *at, const struct kind *kind)
{
	const struct vs_strip *s = at->part;
	const size_t n = s->j_hi - s->j_lo;
	struct worker *w = at->worker;

	if (w->threshold == at->now.threshold)
		return;
	w->threshold = at->now.threshold;
	for (size_t k = 0; k < at->plan->ld; k++) {
		const struct bound b = k < n
			? kind->bound(&at->now, s->j, s->j_lo + k)
			: (struct bound){ INFINITY, 0 };

		w->least[k] = b.least;
		w->mean[k] = b.mean;
	}
}

/* True if a column may pass: the row's test does not rule it out. */
VS_INLINE int
may_pass(const struct test *t, const double *sum, const double *least,
	const double *mean, size_t k)
{
	double x = sum[k] - t->total * mean[k];

	x = t->magnitude ? fabs(x) : x;
	return !(x < t->more + t->share * least[k]);
}

/* True if any of LOOK columns may pass. */
VS_INLINE int
look_any(const struct test *t, const double *sum, const double *least,
	const double *mean)
{
	const struct test of = *t;
	int hit = 0;

	if (of.plain) {
#pragma omp simd reduction(| : hit)
		for (size_t k = 0; k < LOOK; k++)
			hit |= !(sum[k] < of.more + least[k]);
		return hit;
	}
#pragma omp simd reduction(| : hit)
	for (size_t k = 0; k < LOOK; k++)
		hit |= may_pass(&of, sum, least, mean, k);
	return hit;
}

VS_BY_CPU(int, look, (t, sum, least, mean), const struct test *t,
	const double *sum, const double *least, const double *mean)

/* Columns of the row whose sums may pass. */
static size_t
filter_sums(const struct sums *t, uint16_t *column)
{
	const struct worker *w = t->row.at->worker;
	const struct vs_query *q = &t->row.at->now;
	const size_t lo = t->row.lo, hi = t->row.hi;
	struct test test = t->kind->test(q, t->row.at->part->i, t->row.i);
	size_t n = 0;

	test.all |= vs_summary_alone(t->row.at->found->summary) ||
		vs_query_without(q, VS_WITHOUT_ROW_FILTER);
	for (size_t at = lo / LOOK * LOOK; at < hi; at += LOOK) {
		size_t end = vs_min_size(at + LOOK, hi);

		if (!test.all &&
			!look(q->cpu, &test, t->sum + at, w->least + at,
				w->mean + at))
			continue;
		for (size_t j = vs_max_size(at, lo); j < end; j++) {
			column[n] = (uint16_t)j;
			n += test.all ||
				may_pass(&test, t->sum, w->least, w->mean, j);
		}
	}
	return n;
}

/* Columns left by the bits of a row of bounded sums. */
static size_t
list_bits(const struct sums *t, const uint64_t *hit, uint16_t *column)
{
	size_t n = 0;

	for (size_t x = 0; x < VS_BYTE_BOUND_WORDS; x++)
		for (uint64_t bits = hit[x]; bits; bits &= bits - 1)
			column[n++] = (uint16_t)(t->from + 64 * x +
				(size_t)__builtin_ctzll(bits));
	return n;
}

static size_t
filter(void *sums, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct sums *t = sums;
	const struct worker *w = t->row.at->worker;
	const struct vs_rectangle *k = t->row.k;

	(void)found;
	t->row.i = k->row + r;
	t->row.lo = vs_rectangle_from(t->row.at->part, k, t->row.i);
	t->row.hi = k->hi;
	if (!t->sum)
		return list_bits(t, t->hit + r * VS_BYTE_BOUND_WORDS, column);
	t->sum = w->sum + r * t->row.at->plan->ld;
	t->n_both = w->n_both ? w->n_both + r * t->row.at->plan->ld : NULL;
	return filter_sums(t, column);
}

/* True for 0/0: for minima if all numbers are 0; for products if those of
 * either vector are, perhaps after subtracting the mean. */
VS_INLINE bool
is_undefined(const struct sums *t, size_t column)
{
	const struct vs_strip *s = t->row.at->part;
	const bool i = s->i->total[t->row.i] == 0,
		   j = s->j->total[s->j_lo + column] == 0;

	switch (t->kind->of) {
	case MINIMA:
		return i && j;
	case PRODUCTS:
		return i || j;
	case JOINT:
		return t->n_both[column] < 0;
	case DISTANCES:
		break;
	}
	return false;
}

VS_INLINE bool
value(const void *sums, size_t column, bool all, struct vs_pair_value *v)
{
	const struct sums *t = sums;
	const struct vs_query *q = &t->row.at->now;
	double sum;

	v->undefined = all && is_undefined(t, column);
	switch (t->kind->of) {
	case MINIMA:
		v->value = minima_value(t, column, &sum);
		if (vs_element_is_integer(q->element))
			v->num = vs_record_num((int64_t)sum);
		break;
	case PRODUCTS:
		v->value = product_value(t, column);
		break;
	case DISTANCES:
		v->value = distance_value(t, column);
		break;
	case JOINT:
		v->value = t->sum[column];
		v->joint = t->n_both[column] < 0 ? ~t->n_both[column]
						 : t->n_both[column];
		break;
	}
	return true;
}

VS_PAIR_VALUES(value)

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

/* Exclude the columns that cannot pass with any row of the rectangle. */
static void
narrow(const struct vs_pair_work *at, const struct kind *kind,
	struct vs_rectangle *k)
{
	const struct vs_strip *s = at->part;
	const struct vs_query *q = &at->now;
	size_t lo = s->j_lo + k->lo, hi = s->j_lo + k->hi;
	double before = pairs_of(s, k);

	if (!kind->range || !vs_query_prunes(q) ||
		vs_query_without(q, VS_WITHOUT_BLOCK_BOUND))
		return;
	kind->range(q, s->j, s->i, k->row, k->row + k->n_row, &lo, &hi);
	k->lo = lo - s->j_lo;
	k->hi = lo < hi ? hi - s->j_lo : 0;
	at->found->fields_skipped +=
		(before - pairs_of(s, k)) * (double)q->n_field;
}

/* All sums of a rectangle. */
static void
count(const struct vs_pair_work *at, const struct vs_rectangle *k)
{
	const struct vs_pair_plan *c = at->plan;
	const struct vs_strip *s = at->part;
	struct worker *w = at->worker;

	c->minima->count(&(struct vs_minima_call){ .a = &s->i->number,
		.row = k->row,
		.n_row = k->n_row,
		.cols = (const char *)w->cols + col_bytes(c, s->j_lo - w->lo),
		.col = k->lo,
		.n_col = k->hi,
		.level = vs_rectangle_level(s, k),
		.scratch = w->rows,
		.sum = w->sum,
		.ld = c->ld });
}

/* Pairs left by bounds, which are summed one by one. */
static int
count_bounded(struct sums *t)
{
	const struct vs_pair_work *at = t->row.at;
	const struct vs_rectangle *k = t->row.k;
	struct worker *w = at->worker;
	double pairs = 0;
	int code = 0;

	vs_byte_bound_begin(w->byte_bound, at->part, &at->now);
	vs_byte_bound_rows(w->byte_bound, at->part, k);
	t->from = k->lo / VS_BYTE_BOUND_COLS * VS_BYTE_BOUND_COLS;
	for (; t->from < k->hi && !code; t->from += VS_BYTE_BOUND_COLS) {
		t->hit = vs_byte_bound_look(w->byte_bound, at->part, k, t->from,
			&pairs);
		code = vs_pair_rows(&vs_pair_numbers, t, k->n_row,
			k->hi - k->lo, at->found);
	}
	at->found->fields_skipped += pairs * (double)at->now.n_field;
	return code;
}

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	const struct worker *w = at->worker;
	struct sums t = { .row = { .at = at, .k = k },
		.kind = kind_of(&at->now) };

	narrow(at, t.kind, k);
	if (k->lo >= k->hi)
		return 0;
	if (w->bounded)
		return count_bounded(&t);
	if (t.kind->kernel) {
		find_bounds(at, t.kind);
		count(at, k);
	} else {
		joint_count(at, k);
	}
	t.sum = w->sum;
	return vs_pair_rows(&vs_pair_numbers, &t, k->n_row, k->hi - k->lo,
		at->found);
}

static const char *
kernel(const struct vs_pair_plan *c)
{
	return c->minima ? c->minima->name : "joint-f64";
}

static double
rate(const struct vs_query *q)
{
	const int cpu = q->cpu >= VS_CPU_AVX512 ? 0
		: q->cpu >= VS_CPU_AVX2         ? 1
						: 2;

	return kind_of(q)->rate[cpu] / (double)vs_element_bytes(q->element);
}

const struct vs_pair_family vs_pair_numbers = {
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
	.count_all = count_all,
	.kernel = kernel,
	.rate = rate,
};
