/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Correlation, cosine and set indices of pairs on the CPU, from the sums of
 * products, of copies and of squares.
 */
#include <math.h>
#include <string.h>

#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/pair/worker.h"
#include "libcore/engine/pair_sums.h"
#include "libcore/engine/rectangle.h"

#define ROWS 96 /* sums of a chunk stay in cache */
#define COLS 2048
#define COLS_BYTES (16u << 20) /* fewer columns where vectors are long */
#define LOOK 64                /* columns looked at together */

/* A spread that nothing passes. */
#define NEVER 1e30f

/* Memory of a worker, one allocation. */
struct worker {
	struct vs_packed_columns held;
	struct vs_taken dense, four;
	void *scratch;
	int32_t *sum; /* one array of ROWS rows, or four */
	float *s, *d; /* of columns: copies, and the spread about the mean */
};

/* A row of a chunk: the sums of its pairs with the columns of the strip. */
struct row {
	const struct vs_moments_plan *c;
	const struct vs_query *q; /* as it is by now */
	const struct worker *w;
	const struct vs_strip *strip;
	size_t i, lo, hi;
	const int32_t *p;     /* sum g_i g_j; or null and */
	struct vs_tally sums; /* all four */
	struct vs_hits *found;
};

static size_t
up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static void
choose(union vs_pair_plan *plan, const struct vs_query *q, size_t most)
{
	struct vs_moments_plan *c = &plan->moments;

	c->q = *q;
	c->least = vs_metric_least(q->metric, q->threshold);
	c->dense = vs_registry_dense_pick(q->cpu, q->kernel);
	c->sparse = vs_registry_sparse_pick(q->cpu);
	c->n_col = COLS;
	while (c->n_col > c->dense->lanes && c->n_col > LOOK &&
		(c->n_col / 2 >= most ||
			c->dense->col_room(c->n_col, q->n_field) > COLS_BYTES))
		c->n_col /= 2;
	c->ld = up(c->n_col, c->dense->lanes > LOOK ? c->dense->lanes : LOOK);
}

static size_t
columns(const union vs_pair_plan *plan, bool follow)
{
	(void)follow;
	return plan->moments.n_col;
}

static size_t
sums_room(const struct vs_moments_plan *c)
{
	return (c->q.has_missing ? 4 : 1) * ROWS * c->ld;
}

static void
lay_out(const union vs_pair_plan *plan, void *worker, struct vs_layout *l)
{
	const struct vs_moments_plan *c = &plan->moments;
	size_t n_field = c->q.n_field;
	struct worker *w = worker;

	w->dense.cols =
		vs_layout_next(l, c->dense->col_room(c->n_col, n_field));
	if (c->q.has_missing)
		w->four.cols = vs_layout_next(l,
			c->sparse->col_room(c->n_col, n_field));
	w->scratch = vs_layout_next(l, c->dense->row_room(ROWS, n_field));
	w->sum = vs_layout_next(l, sums_room(c) * sizeof(*w->sum));
	w->s = vs_layout_next(l, c->ld * sizeof(*w->s));
	w->d = vs_layout_next(l, c->ld * sizeof(*w->d));
}

static size_t
bytes(const union vs_pair_plan *plan)
{
	struct vs_layout l = { 0 };
	struct worker w;

	lay_out(plan, &w, &l);
	return l.used;
}

/* Sums that kernels leave out are filtered too, and then dropped. */
static int
open_worker(const union vs_pair_plan *plan, void *worker)
{
	struct worker *w = worker;

	memset(w->sum, 0, sums_room(&plan->moments) * sizeof(*w->sum));
	return 0;
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
spread(const struct vs_moments_plan *c, const struct vs_panel *p, size_t v)
{
	double n = (double)c->q.n_field, s = p->sum[v];
	double q = (double)squares(p, v);

	/* all factors are whole numbers below 2^53 */
	return sqrt(c->q.metric->centred ? (n * q - s * s) / n : q);
}

static void
begin_strip(const struct vs_moments_plan *c, struct worker *w,
	const struct vs_strip *s)
{
	size_t n = s->j_hi - s->j_lo;

	if (vs_packed_columns_already(&w->held, s))
		return;
	w->dense.valid = w->four.valid = false;
	for (size_t k = 0; k < c->ld; k++) {
		w->s[k] = k < n ? (float)s->j->sum[s->j_lo + k] : 0;
		w->d[k] = k < n ? (float)spread(c, s->j, s->j_lo + k) : 0;
		/* values of 0: no threshold from 0 up is passed */
		if (!(w->d[k] > 0) && c->least >= 0)
			w->d[k] = NEVER;
	}
}

static void
forget(void *worker, const struct vs_panel *panel)
{
	struct worker *w = worker;

	vs_packed_columns_forget(&w->held, panel);
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
twos(const struct row *t, size_t v, int64_t n[2])
{
	const struct vs_vec *i = &t->strip->i->vec, *j = &t->strip->j->vec;
	const uint64_t *const of[4] = { vs_vec_plane(i, t->i, 0),
		vs_vec_plane(i, t->i, 1), vs_vec_plane(j, v, 0),
		vs_vec_plane(j, v, 1) };

	count_twos(t->c->q.cpu, of, i->n_word, n);
}

/* The sums of column j of a row, but for q. */
static void
sums_of(const struct row *t, size_t j, struct vs_moments *m)
{
	const struct vs_panel *pi = t->strip->i, *pj = t->strip->j;
	const struct vs_tally *sums = &t->sums;
	const int32_t n = (int32_t)t->c->q.n_field;
	const size_t v = t->strip->j_lo + j;
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
value_of(const struct row *t, size_t j, struct vs_moments *m)
{
	size_t v = t->strip->j_lo + j;
	int64_t two[2] = { t->strip->i->two[t->i], t->strip->j->two[v] };

	sums_of(t, j, m);
	if (!t->p)
		twos(t, v, two);
	m->qi = m->si + 2 * two[0];
	m->qj = m->sj + 2 * two[1];
	return t->c->q.metric->value(m);
}

static int
decide(const struct row *t, size_t j)
{
	const struct vs_query *q = t->q;
	struct vs_moments m;
	struct vs_record *rec;
	double value = value_of(t, j, &m);
	int code;

	if (!(value > q->threshold) || m.c < q->min_joint)
		return 0;
	code = vs_hits_pair(t->found, t->strip, t->i, t->strip->j_lo + j, &rec);
	if (code)
		return code;
	rec->value = q->f32 ? (double)(float)value : value;
	if (q->has_missing)
		rec->nvalid = m.c;
	return 0;
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
edge_of(const struct row *t)
{
	const struct vs_query *q = t->q;
	double n = (double)q->n_field, s = t->strip->i->sum[t->i];
	double least = vs_metric_least(q->metric, q->threshold);
	struct edge e = { .slack = (float)n / 65536 + 1e-5f,
		.squared = q->metric->squared };

	e.mean = q->metric->centred ? (float)(s / n) : 0;
	e.threshold = (float)(least * spread(t->c, t->strip->i, t->i));
	e.never = least >= 0 && !(spread(t->c, t->strip->i, t->i) > 0);
	e.all = (least < 0 && (e.squared || !q->metric->centred)) ||
		vs_query_without(q, VS_WITHOUT_ROW_FILTER);
	return e;
}

/* Number of the LOOK pairs from column at on that may pass. */
VS_INLINE int
look(const struct row *t, const struct edge *e, size_t at, int32_t hit[LOOK])
{
	const int32_t *p = t->p + at;
	const float *s = t->w->s + at, *d = t->w->d + at;
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

VS_INLINE int
filter_dense_any(const struct row *t)
{
	const struct edge e = edge_of(t);
	int code = 0;

	if (e.never)
		return 0;
	for (size_t at = t->lo / LOOK * LOOK; at < t->hi; at += LOOK) {
		size_t end = at + LOOK < t->hi ? at + LOOK : t->hi;
		int32_t hit[LOOK];
		int any = e.all ? 1 : look(t, &e, at, hit);

		for (size_t j = at < t->lo ? t->lo : at;
			any && j < end && !code; j++)
			if (e.all || hit[j - at])
				code = decide(t, j);
	}
	return code;
}

VS_BY_CPU(int, filter_dense, (t), const struct row *t)

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
may_pass(const struct row *t, size_t j)
{
	const struct vs_query *q = t->q;
	double c, over, qi, qj, threshold;
	struct vs_moments m;

	threshold = vs_metric_least(q->metric, q->threshold);
	/* below 0 most do */
	if (threshold < 0 || vs_query_without(q, VS_WITHOUT_ROW_FILTER))
		return true;
	sums_of(t, j, &m);
	if (m.c < q->min_joint)
		return false;
	c = (double)m.c;
	qi = least_squares(t->strip->i, t->i, m.si, m.c);
	qj = least_squares(t->strip->j, t->strip->j_lo + j, m.sj, m.c);
	over = (double)m.p;
	if (q->metric->centred) {
		over = c * over - (double)m.si * (double)m.sj;
		qi = c * qi - (double)m.si * (double)m.si;
		qj = c * qj - (double)m.sj * (double)m.sj;
	}
	if (over < 0 && !q->metric->squared)
		return false;
	return over * over > threshold * threshold * (qi < 0 ? 0 : qi) *
		(qj < 0 ? 0 : qj) * (1 - 1e-9);
}

static int
filter_four(const struct row *t)
{
	int code = 0;

	for (size_t j = t->lo; j < t->hi && !code; j++)
		if (may_pass(t, j))
			code = decide(t, j);
	return code;
}

/* All values of a row. */
static void
fill_histogram(const struct row *t)
{
	struct vs_moments m;

	for (size_t j = t->lo; j < t->hi; j++) {
		double value = value_of(t, j, &m);

		if (m.c < t->q->min_joint)
			++*t->found->histogram->few;
		else
			vs_value_histogram_value(t->found->histogram, 0, value);
	}
}

static void
count(const struct vs_moments_plan *c, struct worker *w,
	const struct vs_strip *s, const struct vs_rectangle *k, struct row *t)
{
	size_t n = s->j_hi - s->j_lo, lanes = c->dense->lanes;
	size_t one = ROWS * c->ld;
	bool dense = vs_panel_complete(s->j, s->j_lo, s->j_hi) &&
		vs_panel_complete(s->i, k->row, k->row + k->n_row);
	struct vs_taken *taken = dense ? &w->dense : &w->four;

	*t = (struct row){ .c = c, .w = w, .strip = s, .hi = k->hi };
	if (dense) {
		if (!taken->valid)
			c->dense->take_cols(s->j, s->j_lo, n, 1, taken->cols);
		c->dense->count(s->i, k->row, k->n_row, 1, taken->cols,
			k->lo / lanes * lanes, k->hi, w->scratch, w->sum,
			c->ld);
		t->p = w->sum;
	} else {
		t->sums = (struct vs_tally){ w->sum, w->sum + one,
			w->sum + 2 * one, w->sum + 3 * one, c->ld };
		if (!taken->valid)
			c->sparse->take_cols(s->j, s->j_lo, n, taken->cols);
		c->sparse->count(s->i, k->row, k->n_row, taken->cols,
			k->lo / VS_COLS * VS_COLS, k->hi, &t->sums);
	}
	taken->valid = true;
}

static int
do_chunk(const struct vs_moments_plan *c, struct worker *w,
	const struct vs_strip *s, const struct vs_rectangle *k,
	struct vs_hits *found)
{
	const struct vs_query now = vs_query_now(&c->q);
	struct row t;
	int code = 0;

	count(c, w, s, k, &t);
	t.q = &now;
	t.found = found;
	for (size_t r = 0; r < k->n_row && !code; r++) {
		t.i = k->row + r;
		t.lo = vs_rectangle_from(s, k, t.i);
		if (found->histogram)
			fill_histogram(&t);
		code = t.p ? filter_dense(now.cpu, &t) : filter_four(&t);
		if (!code && vs_hits_due(found))
			code = found->drain(found);
		if (t.p)
			t.p += c->ld;
		else {
			t.sums.xx += c->ld;
			t.sums.xm += c->ld;
			t.sums.mx += c->ld;
			t.sums.mm += c->ld;
		}
	}
	return code;
}

static int
strip(const union vs_pair_plan *plan, void *worker, const struct vs_strip *s,
	struct vs_hits *found)
{
	const struct vs_moments_plan *c = &plan->moments;
	struct vs_rectangle k = { .row = s->i_lo };
	struct worker *w = worker;
	int code = 0;

	begin_strip(c, w, s);
	for (; k.row < s->i_hi && !code; k.row += k.n_row) {
		vs_rectangle_next(s, ROWS, &k);
		if (k.hi)
			code = do_chunk(c, w, s, &k, found);
	}
	return code;
}

static const char *
kernel(const union vs_pair_plan *plan, size_t most)
{
	(void)most;
	return plan->moments.dense->name;
}

const struct vs_pair_family vs_pair_moments = {
	.worker_bytes = sizeof(struct worker),
	.choose = choose,
	.columns = columns,
	.lay_out = lay_out,
	.bytes = bytes,
	.open = open_worker,
	.forget = forget,
	.strip = strip,
	.kernel = kernel,
};
