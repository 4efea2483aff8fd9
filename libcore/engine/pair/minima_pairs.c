/* SPDX-License-Identifier: BSD-3-Clause */
/* Proportional similarity of pairs on the CPU, from sums of minima. */
#include <math.h>

#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair/worker.h"
#include "libcore/engine/prune/block_bound_minima.h"
#include "libcore/engine/prune/byte_bound.h"
#include "libcore/engine/rectangle.h"
#include "libcore/engine/strip.h"
#include "libcore/metric/ps.h"

#define ROWS 96 /* a multiple of what kernels take: sums stay in cache */
#define COLS 2048
#define COLS_BYTES (1u << 20) /* of the L2; longer vectors: fewer columns */
#define LOOK 64               /* columns looked at together */

/* One thread's memory. */
struct worker {
	struct vs_packed_columns_cols cols; /* brought into order, or bytes */
	void *rows;
	double *sum; /* ROWS rows of ld */
	double *cut; /* vs_czek_cut() of the columns, and more than any sum */
	double threshold;                 /* that these are for */
	struct vs_byte_bound *byte_bound; /* bounds of sums, or null */
};

static size_t
up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static void
choose(union vs_pair_plan *plan, const struct vs_query *q, size_t most)
{
	struct vs_minima_plan *c = &plan->minima;

	c->q = *q;
	c->most = most;
	c->kernel = vs_registry_minima_pick(q->cpu, q->element, q->kernel);
	c->n_col = COLS;
	while (c->n_col > LOOK &&
		(c->n_col / 2 >= most ||
			c->kernel->col_room(c->n_col, q->n_field) > COLS_BYTES))
		c->n_col /= 2;
	/* not a power of two, or rows would meet in few sets of a cache */
	c->ld = up(c->n_col + LOOK, c->kernel->lanes);
	/* as many as go where bytes would be */
	c->n_taken = c->n_col;
	while (2 * c->n_taken <= vs_byte_bound_columns(q, most) &&
		c->kernel->col_room(2 * c->n_taken, q->n_field) <=
			vs_byte_bound_cols_bytes(q, most))
		c->n_taken *= 2;
}

/* Columns in the kernel's order, or as bytes. */
static size_t
cols_bytes(const struct vs_minima_plan *c)
{
	size_t own = c->kernel->col_room(c->n_taken, c->q.n_field);
	size_t byte_bound = vs_byte_bound_cols_bytes(&c->q, c->most);

	return own > byte_bound ? own : byte_bound;
}

static size_t
columns(const union vs_pair_plan *plan, bool follow)
{
	const struct vs_minima_plan *c = &plan->minima;
	size_t bounded = vs_byte_bound_columns(&c->q, c->most);

	(void)follow;
	return bounded > c->n_col ? bounded : c->n_col;
}

static void
lay_out(const union vs_pair_plan *plan, void *worker, struct vs_layout *l)
{
	const struct vs_minima_plan *c = &plan->minima;
	struct worker *w = worker;

	w->cols.at = vs_layout_next(l, cols_bytes(c));
	w->rows = vs_layout_next(l, c->kernel->row_room(ROWS, c->q.n_field));
	w->sum = vs_layout_next(l, ROWS * c->ld * sizeof(*w->sum));
	w->cut = vs_layout_next(l, c->ld * sizeof(*w->cut));
}

static size_t
bytes(const union vs_pair_plan *plan)
{
	struct vs_layout l = { 0 };
	struct worker w;

	lay_out(plan, &w, &l);
	return l.used + vs_byte_bound_bytes(&plan->minima.q, plan->minima.most);
}

static int
open_worker(const union vs_pair_plan *plan, void *worker)
{
	struct worker *w = worker;

	return vs_byte_bound_open(&w->byte_bound, &plan->minima.q,
		plan->minima.most, &w->cols);
}

static void
close_worker(void *worker)
{
	struct worker *w = worker;

	vs_byte_bound_close(w->byte_bound);
}

static void
take_cols(const struct vs_minima_plan *c, struct worker *w,
	const struct vs_strip *s)
{
	if (!vs_packed_columns_already(&w->cols.held, s))
		c->kernel->take_cols(&s->j->number, s->j_lo, w->cols.held.n,
			w->cols.at);
}

/* Bounds of the columns' sums by the threshold of now. */
static void
find_cuts(const struct vs_minima_plan *c, struct worker *w,
	const struct vs_strip *s, double threshold)
{
	const size_t n = s->j_hi - s->j_lo;

	if (w->threshold == threshold)
		return;
	w->threshold = threshold;
	for (size_t k = 0; k < n; k++)
		w->cut[k] = vs_czek_cut(s->j->total[s->j_lo + k], threshold);
	for (size_t k = n; k < c->ld; k++)
		w->cut[k] = INFINITY;
}

static void
forget(void *worker, const struct vs_panel *panel)
{
	struct worker *w = worker;

	vs_packed_columns_forget(&w->cols.held, panel);
	vs_byte_bound_forget(w->byte_bound, panel);
}

/* A pair whose sum may pass. */
static int
decide(const struct vs_minima_plan *c, const struct vs_strip *s, size_t i,
	size_t j, double least, double threshold, struct vs_hits *found)
{
	double v = vs_czek_value(least, s->i->total[i], s->j->total[j]);
	struct vs_record *rec;
	int code;

	if (!(v > threshold))
		return 0;
	code = vs_hits_pair(found, s, i, j, &rec);
	if (code)
		return code;
	rec->value = c->q.f32 ? (double)(float)v : v;
	if (vs_element_is_integer(c->q.element))
		rec->num = (int64_t)least;
	return 0;
}

/* True if any of LOOK columns may pass. */
VS_INLINE int
look_any(const double *sum, const double *cut, double more)
{
	int hit = 0;

#pragma omp simd reduction(| : hit)
	for (int k = 0; k < LOOK; k++)
		hit |= sum[k] >= more + cut[k];
	return hit;
}

VS_BY_CPU(int, look, (sum, cut, more), const double *sum, const double *cut,
	double more)

/* Columns [lo, hi) of the strip, sums of row i. */
static int
filter(const struct vs_minima_plan *c, const struct worker *w,
	const struct vs_strip *s, size_t i, size_t lo, size_t hi,
	const double *sum, struct vs_hits *found)
{
	/* below 0 all pass */
	bool all = w->threshold < 0 ||
		vs_query_without(&c->q, VS_WITHOUT_ROW_FILTER);
	double cut = vs_czek_cut(s->i->total[i], w->threshold);
	int code = 0;

	for (size_t at = lo / LOOK * LOOK; at < hi; at += LOOK) {
		size_t end = at + LOOK < hi ? at + LOOK : hi;

		if (!all && !look(c->q.cpu, sum + at, w->cut + at, cut))
			continue;
		for (size_t j = at < lo ? lo : at; j < end && !code; j++)
			if (all || sum[j] >= cut + w->cut[j])
				code = decide(c, s, i, s->j_lo + j, sum[j],
					w->threshold, found);
	}
	return code;
}

/* All values of a row. */
static void
fill_histogram(const struct vs_strip *s, size_t i, size_t lo, size_t hi,
	const double *sum, struct vs_value_histogram *histogram)
{
	for (size_t j = lo; j < hi; j++)
		vs_value_histogram_value(histogram, 0,
			vs_czek_value(sum[j], s->i->total[i],
				s->j->total[s->j_lo + j]));
}

static int
do_chunk(const struct vs_minima_plan *c, struct worker *w,
	const struct vs_strip *s, const void *cols,
	const struct vs_rectangle *k, struct vs_hits *found)
{
	int code = 0;

	c->kernel->count(&(struct vs_minima_call){ .a = &s->i->number,
		.row = k->row,
		.n_row = k->n_row,
		.cols = cols,
		.col = k->lo,
		.n_col = k->hi,
		.level = vs_rectangle_level(s, k),
		.scratch = w->rows,
		.sum = w->sum,
		.ld = c->ld });
	for (size_t r = 0; r < k->n_row && !code; r++) {
		size_t i = k->row + r, lo = vs_rectangle_from(s, k, i);
		const double *sum = w->sum + r * c->ld;

		if (found->histogram)
			fill_histogram(s, i, lo, k->hi, sum, found->histogram);
		code = filter(c, w, s, i, lo, k->hi, sum, found);
		if (!code && vs_hits_due(found))
			code = found->drain(found);
	}
	return code;
}

/* Pairs of a chunk that are wanted. */
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

/* Leave out the columns that no row of the chunk can pass with. */
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

/* Count n_col columns of a strip, which stay in cache, in order at cols. */
static int
count_few(const struct vs_minima_plan *c, struct worker *w,
	const struct vs_strip *s, const void *cols, struct vs_hits *found)
{
	struct vs_rectangle k = { .row = s->i_lo };
	int code = 0;

	w->threshold = NAN;
	for (; k.row < s->i_hi && !code; k.row += k.n_row) {
		const struct vs_query now = vs_query_now(&c->q);

		vs_rectangle_next(s, ROWS, &k);
		find_cuts(c, w, s, now.threshold);
		if (k.hi > k.lo && vs_query_prunes(&now))
			narrow(&now, s, &k, found);
		if (k.hi > k.lo)
			code = do_chunk(c, w, s, cols, &k, found);
	}
	return code;
}

/* Count n_taken columns, which are brought into order together. */
static int
count_strip(const struct vs_minima_plan *c, struct worker *w,
	const struct vs_strip *s, struct vs_hits *found)
{
	const char *cols = w->cols.at;
	struct vs_strip part;
	int code = 0;

	take_cols(c, w, s);
	for (size_t col = s->j_lo; col < s->j_hi && !code; col += c->n_col)
		if (vs_strip_part(s, s->i_lo, s->i_hi, col, col + c->n_col,
			    &part))
			code = count_few(c, w, &part,
				cols +
					c->kernel->col_room(col - s->j_lo,
						c->q.n_field),
				found);
	return code;
}

/* Pairs of a row that may pass, a bit each from column at on, one by one. */
static int
do_bits(const struct vs_minima_plan *c, const struct vs_strip *s, size_t i,
	size_t at, const uint64_t *hit, double threshold, struct vs_hits *found)
{
	const void *u = vs_numbers_of(&s->i->number, i);
	int code = 0;

	for (size_t x = 0; x < VS_BYTE_BOUND_WORDS; x++)
		for (uint64_t bits = hit[x]; bits && !code; bits &= bits - 1) {
			size_t j = s->j_lo + at + 64 * x +
				(size_t)__builtin_ctzll(bits);
			double least = c->kernel->one(u,
				vs_numbers_of(&s->j->number, j), c->q.n_field);

			code = decide(c, s, i, j, least, threshold, found);
		}
	return code;
}

static int
do_bounded(const struct vs_minima_plan *c, struct worker *w,
	const struct vs_strip *s, const struct vs_rectangle *k,
	double threshold, struct vs_hits *found)
{
	size_t at = k->lo / VS_BYTE_BOUND_COLS * VS_BYTE_BOUND_COLS;
	double fields_skipped = 0;
	int code = 0;

	vs_byte_bound_rows(w->byte_bound, s, k);
	for (; at < k->hi && !code; at += VS_BYTE_BOUND_COLS) {
		const uint64_t *hit = vs_byte_bound_look(w->byte_bound, s, k,
			at, &fields_skipped);

		for (size_t r = 0; r < k->n_row && !code; r++)
			code = do_bits(c, s, k->row + r, at,
				hit + r * VS_BYTE_BOUND_WORDS, threshold,
				found);
		if (!code && vs_hits_due(found))
			code = found->drain(found);
	}
	found->fields_skipped += fields_skipped * (double)c->q.n_field;
	return code;
}

/* The same, of a strip whose columns are taken as bytes. */
static int
bounded_strip(const struct vs_minima_plan *c, struct worker *w,
	const struct vs_strip *s, struct vs_hits *found)
{
	struct vs_rectangle k = { .row = s->i_lo };
	int code = 0;

	for (; k.row < s->i_hi && !code; k.row += k.n_row) {
		const struct vs_query now = vs_query_now(&c->q);

		vs_rectangle_next(s, vs_byte_bound_most_rows(w->byte_bound),
			&k);
		if (k.hi > k.lo)
			narrow(&now, s, &k, found);
		if (k.hi <= k.lo)
			continue;
		vs_byte_bound_begin(w->byte_bound, s, &now);
		code = do_bounded(c, w, s, &k, now.threshold, found);
	}
	return code;
}

static int
strip(const union vs_pair_plan *plan, void *worker, const struct vs_strip *s,
	struct vs_hits *found)
{
	const struct vs_minima_plan *c = &plan->minima;
	struct worker *w = worker;
	const struct vs_query now = vs_query_now(&c->q);
	size_t bounded = w->byte_bound && vs_query_prunes(&now)
		? vs_byte_bound_choose(w->byte_bound, s, &now)
		: 0;
	size_t step = bounded ? bounded : c->n_taken;
	struct vs_strip part;
	int code = 0;

	for (size_t col = s->j_lo; col < s->j_hi && !code; col += step)
		if (vs_strip_part(s, s->i_lo, s->i_hi, col, col + step, &part))
			code = bounded ? bounded_strip(c, w, &part, found)
				       : count_strip(c, w, &part, found);
	return code;
}

static const char *
kernel(const union vs_pair_plan *plan, size_t most)
{
	(void)most;
	return plan->minima.kernel->name;
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
	.bytes = bytes,
	.open = open_worker,
	.close = close_worker,
	.forget = forget,
	.strip = strip,
	.kernel = kernel,
	.rate = rate,
};
