/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Correlations of pairs of numeric vectors with missing entries on the CPU,
 * each over the fields that both have.
 */
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/kern/dots/joint_dots.h"
#include "libcore/metric/inner.h"

#define ROWS 16
#define COLS 1024
#define COLS_BYTES (1u << 18) /* a quarter of L2 */

struct worker {
	struct vs_pair_worker head;
	double *value;   /* ROWS rows of ld */
	int32_t *n_both; /* of these, the fields that both have */
};

/* Values of a rectangle, and a row of them. */
struct values {
	const struct vs_pair_work *at;
	const struct vs_rectangle *k;
	size_t i;
	const double *value;
	const int32_t *n_both;
};

static void
choose(struct vs_pair_plan *c)
{
	c->n_row = ROWS;
	c->n_col = COLS;
	while (c->n_col > 64 &&
		(c->n_col / 2 >= c->most ||
			c->n_col * c->q.n_field * sizeof(double) > COLS_BYTES))
		c->n_col /= 2;
	c->ld = c->n_taken = c->n_col;
}

static size_t
columns(const struct vs_pair_plan *c, bool follow)
{
	(void)follow;
	return c->n_col;
}

static void
lay_out(const struct vs_pair_plan *c, void *worker, struct vs_layout *l)
{
	struct worker *w = worker;

	w->value = vs_layout_next(l, ROWS * c->ld * sizeof(*w->value));
	w->n_both = vs_layout_next(l, ROWS * c->ld * sizeof(*w->n_both));
}

static size_t
most_rows(const struct vs_pair_work *at)
{
	(void)at;
	return ROWS;
}

/* Value of vectors u and v, and the fields that both have. */
static double
value_of(const struct vs_query *q, const double *u, const double *v,
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
	*n_both = (int32_t)d.n;
	if (!centred)
		d.s[0] = d.s[1] = 0;
	r = vs_inner_joint_value((double)d.n, d.p, d.q, d.s);
	return q->metric->squared ? r * r : r;
}

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	const struct vs_strip *s = at->part;
	struct worker *w = at->worker;
	struct values t = { .at = at, .k = k };

	for (size_t r = 0; r < k->n_row; r++) {
		const double *u = vs_numbers_of(&s->i->number, k->row + r);
		size_t lo = vs_rectangle_from(s, k, k->row + r);

		for (size_t j = lo; j < k->hi; j++)
			w->value[r * at->plan->ld + j] = value_of(&at->now, u,
				vs_numbers_of(&s->j->number, s->j_lo + j),
				&w->n_both[r * at->plan->ld + j]);
	}
	return vs_pair_rows(&vs_pair_inner_missing, &t, k->n_row, k->hi - k->lo,
		at->found);
}

/* All values of a row. */
static void
fill_histogram(const struct values *t, size_t lo, const struct vs_hits *found)
{
	const struct vs_strip *s = t->at->part;

	for (size_t j = lo; j < t->k->hi; j++) {
		const struct vs_two pair = { s->i, s->j, t->i, s->j_lo + j };

		if (!vs_hits_wants(found, &pair))
			continue;
		if (t->n_both[j] < t->at->now.min_joint)
			++*found->histogram->few;
		else
			vs_value_histogram_value(found->histogram, 0,
				t->value[j]);
	}
}

static size_t
filter(void *values, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct values *t = values;
	const struct worker *w = t->at->worker;
	const struct vs_query *q = &t->at->now;
	size_t lo, n = 0;

	t->i = t->k->row + r;
	t->value = w->value + r * t->at->plan->ld;
	t->n_both = w->n_both + r * t->at->plan->ld;
	lo = vs_rectangle_from(t->at->part, t->k, t->i);
	if (found->histogram)
		fill_histogram(t, lo, found);
	for (size_t j = lo; j < t->k->hi; j++) {
		column[n] = (uint16_t)j;
		n += t->value[j] > q->threshold && t->n_both[j] >= q->min_joint;
	}
	return n;
}

static int
decide(const void *values, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const struct values *t = values;
	const struct vs_strip *s = t->at->part;
	const struct vs_query *q = &t->at->now;
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		const double v = t->value[column[k]];
		struct vs_record *rec;

		code = vs_hits_pair(found, s, t->i, s->j_lo + column[k], &rec);
		if (code)
			continue;
		rec->value = q->f32 ? (double)(float)v : v;
		rec->nvalid = t->n_both[column[k]];
	}
	return code;
}

static const char *
kernel(const struct vs_pair_plan *c)
{
	(void)c;
	return "joint-f64";
}

/* Measured at 3 GHz. */
static double
rate(const struct vs_query *q)
{
	return q->cpu >= VS_CPU_AVX512  ? 4e9
		: q->cpu >= VS_CPU_AVX2 ? 2e9
					: 5e8;
}

const struct vs_pair_family vs_pair_inner_missing = {
	.worker_bytes = sizeof(struct worker),
	.choose = choose,
	.columns = columns,
	.lay_out = lay_out,
	.rows = most_rows,
	.rectangle = rectangle,
	.filter = filter,
	.decide = decide,
	.kernel = kernel,
	.rate = rate,
};
