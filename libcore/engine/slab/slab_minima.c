/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exhaustive worker for triples of numbers: Proportional Similarity. The minima
 * of a pair form a vector, which the kernels for pairs count against all third
 * vectors. The same kernels count the sums of pairs, once per slab; upper
 * bounds from these exclude triples that cannot pass.
 */
#include <string.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/histogram/value_histogram.h"
#include "libcore/engine/slab/slab.h"
#include "libcore/kern/minima/minima.h"
#include "libcore/metric/ps.h"

#define MOST 64 /* first and second vectors: few pairs with columns */
#define COLS 1024
#define ROWS 96                /* rows counted at a time */
#define LOOK 64                /* columns tested together */
#define MOST_BYTES (16u << 20) /* fewer of either if vectors are long */
#define FEW 32 /* pairs of a block that take as long as a single pair */

/* A pair whose minima are counted with third vectors. */
struct row {
	size_t u, v;
	double uv; /* sum min(u, v) */
};

struct worker {
	const struct vs_triple_data *t;
	const struct vs_minima *kernel;
	size_t n_col, most_row, ld;
	double least, slack;
	void *cols, *scratch;
	double *uv;   /* of u and v: MOST rows of ld */
	double *pair; /* of u, then of v, with the columns: rows of ld */
	double *sum;  /* of the rows with the columns */
	struct vs_numbers product; /* the rows' minima */
	struct row row[ROWS];
	size_t n_row;
};

/* Sums of a row's triples with all columns. */
struct row_sums {
	const double *uw, *vw, *w; /* sums of pairs, and of w */
	double u, v, uv;
	double least, slack;
};

static void
choose(struct worker *w, const struct vs_query *q)
{
	size_t bytes = q->n_field * vs_element_bytes(q->element);

	w->kernel =
		vs_registry_minima_pick(q->cpu, q->element, q->bits, q->kernel);
	w->n_col = COLS;
	while (w->n_col > MOST &&
		w->kernel->col_room(w->n_col, q->n_field) > MOST_BYTES)
		w->n_col /= 2;
	w->most_row = ROWS;
	while (w->most_row > w->kernel->rows &&
		w->most_row * bytes > MOST_BYTES)
		w->most_row /= 2;
	/* not a power of two, or rows would collide in a few cache sets */
	w->ld = w->n_col + w->kernel->lanes;
}

static const char *
kernel_of(const struct vs_query *q)
{
	return vs_registry_minima_pick(q->cpu, q->element, q->bits, q->kernel)
		->name;
}

static struct vs_slab_most
most_of(const struct vs_query *q)
{
	struct worker w;

	choose(&w, q);
	return (struct vs_slab_most){ MOST, MOST, w.n_col, true };
}

/* Sums: of u and v, of both with the columns, and of rows. */
static size_t
n_sum(const struct worker *w)
{
	return (3 * MOST + w->most_row) * w->ld;
}

static void
lay_out(void *worker, const struct vs_query *q, struct vs_layout *l)
{
	struct worker *w = worker;
	const size_t bytes = q->n_field * vs_element_bytes(q->element);

	choose(w, q);
	w->cols = vs_layout_next(l, w->kernel->col_room(w->n_col, q->n_field));
	w->scratch = vs_layout_next(l, w->kernel->row_room(ROWS, q->n_field));
	w->uv = vs_layout_next(l, n_sum(w) * sizeof(*w->uv));
	w->product =
		(struct vs_numbers){ vs_layout_next(l, w->most_row * bytes),
			q->element, q->n_field, bytes };
}

static void
begin(void *worker, const struct vs_triple_data *t)
{
	struct worker *w = worker;

	w->slack = vs_ps3_slack(t->q.element == VS_NUM_F32);
	memset(w->uv, 0, n_sum(w) * sizeof(*w->uv));
	w->pair = w->uv + MOST * w->ld;
	w->sum = w->pair + 2 * MOST * w->ld;
}

/* ---- which triples may pass ---- */

/* Mark the columns of n that may pass by the sums of pairs; returns their
 * number. */
VS_INLINE size_t
guess_any(const struct row_sums *x, size_t n, uint8_t *hit)
{
	const double *uw = x->uw, *vw = x->vw, *w = x->w;
	const double u = x->u, v = x->v, uv = x->uv;
	const double least = x->least, slack = x->slack;
	size_t may = 0;

#pragma omp simd reduction(+ : may)
	for (size_t k = 0; k < n; k++) {
		double most =
			vs_min_f64(vs_min_f64(uv + w[k], uv + (uw[k] + vw[k])),
				vs_min_f64(uw[k] + v, vw[k] + u));

		hit[k] = most * slack >= least * (u + v + w[k]) - VS_PS3_TINY;
		may += hit[k];
	}
	return may;
}

/* True if one of n columns may pass, judging by the sums of triples too. */
VS_INLINE int
look_any(const struct row_sums *x, const double *sum, size_t lo, size_t n)
{
	const double *m = sum + lo;
	const double *uw = x->uw + lo, *vw = x->vw + lo, *w = x->w + lo;
	const double both = x->u + x->v, uv = x->uv, least = x->least;
	int hit = 0;

#pragma omp simd reduction(| : hit)
	for (size_t k = 0; k < n; k++)
		hit |= uv + (uw[k] + vw[k] - m[k]) >=
			least * (both + w[k]) - VS_PS3_TINY;
	return hit;
}

VS_BY_CPU(size_t, guess, (x, n, hit), const struct row_sums *x, size_t n,
	uint8_t *hit)
VS_BY_CPU(int, look, (x, sum, lo, n), const struct row_sums *x,
	const double *sum, size_t lo, size_t n)

static void
row_sums_of(const struct worker *w, const struct vs_slab *s,
	const struct row *row, struct row_sums *x)
{
	const double *total = w->t->all.total;

	x->uw = w->pair + (row->u - s->u_lo) * w->ld;
	x->vw = w->pair + (MOST + row->v - s->v_lo) * w->ld;
	x->w = total + s->w_lo;
	x->u = total[row->u];
	x->v = total[row->v];
	x->uv = row->uv;
	x->least = w->least;
	x->slack = w->slack;
}

/* ---- triples ---- */

static double
value_of(const struct row_sums *x, size_t col, double m)
{
	struct vs_ps3 sums = { { x->uv, x->uw[col], x->vw[col] }, m,
		{ x->u, x->v, x->w[col] } };

	return vs_ps3_value(&sums);
}

/* A triple with known sums. */
static int
decide(const struct worker *w, const struct vs_slab *s, const struct row *row,
	const struct row_sums *x, size_t col, double m, struct vs_hits *found)
{
	const struct vs_query *q = &w->t->q;
	double v = value_of(x, col, m);
	size_t third = s->w_lo + col;
	struct vs_record *rec;
	int code;

	if (!vs_query_accepts(q, v))
		return 0;
	code = vs_hits_more(found, &rec);
	if (code)
		return code;
	vs_triple_data_name(w->t, (const size_t[]){ row->u, row->v, third },
		rec);
	rec->cell = VS_NO_CELL;
	rec->value = q->f32 ? (double)(float)v : v;
	rec->num = vs_element_is_integer(q->element)
		? vs_record_num((int64_t)x->uv + (int64_t)x->uw[col] +
			  (int64_t)x->vw[col] - (int64_t)m)
		: -1;
	rec->nvalid = -1;
	return 0;
}

static bool
is_wanted(const struct vs_slab *s, const struct row *row, size_t col)
{
	return s->w_lo + col < s->skip || s->w_lo + col > row->v;
}

/* All values of a row that are wanted. */
static void
fill_histogram(const struct vs_triple_data *t, const struct vs_slab *s,
	const struct row *row, const struct row_sums *x, const double *m,
	struct vs_value_histogram *histogram)
{
	const size_t pair[2] = { row->u, row->v };

	for (size_t k = 0, end; vs_triple_data_wants(t, pair, s->w_lo, &k, &end,
		     s->w_hi - s->w_lo);)
		for (; k < end; k++)
			if (is_wanted(s, row, k))
				vs_value_histogram_value(histogram, 0,
					value_of(x, k, m[k]));
}

static int
filter(const struct worker *w, const struct vs_slab *s, const struct row *row,
	const double *m, struct vs_hits *found)
{
	enum vs_cpu cpu = w->t->q.cpu;
	bool all = w->t->q.threshold < 0 ||
		vs_query_without(&w->t->q, VS_WITHOUT_COLUMN_BOUND);
	size_t n_col = s->w_hi - s->w_lo;
	struct row_sums x;
	int code = 0;

	row_sums_of(w, s, row, &x);
	if (found->histogram)
		fill_histogram(w->t, s, row, &x, m, found->histogram);
	for (size_t lo = 0; lo < n_col && !code; lo += LOOK) {
		size_t n = n_col - lo < LOOK ? n_col - lo : LOOK;

		if (!all && !look(cpu, &x, m, lo, n))
			continue;
		for (size_t k = lo; k < lo + n && !code; k++)
			if (is_wanted(s, row, k) &&
				(all || look_any(&x, m, k, 1)))
				code = decide(w, s, row, &x, k, m[k], found);
	}
	return code;
}

/* Make the minima of the pair of row k of the collected rows. */
static void
make_product(struct worker *w, size_t k)
{
	const struct vs_numbers *b = &w->t->all.number;

	w->kernel->lesser(vs_numbers_of(b, w->row[k].u),
		vs_numbers_of(b, w->row[k].v), b->n_field,
		(char *)w->product.at + k * w->product.stride);
}

/* Rows [row, row + n_row) of a with the columns [col, n_col) held. */
static void
count(const struct worker *w, const struct vs_numbers *a, size_t row,
	size_t n_row, size_t col, size_t n_col, double *sum)
{
	w->kernel->count(&(struct vs_minima_call){ .a = a,
		.row = row,
		.n_row = n_row,
		.cols = w->cols,
		.col = col,
		.n_col = n_col,
		.level = n_row,
		.scratch = w->scratch,
		.sum = sum,
		.ld = w->ld });
}

/* Count the collected rows with the columns; columns that no row wants are left
 * unchanged. */
static void
count_rows(struct worker *w, const struct vs_slab *s)
{
	size_t n_col = s->w_hi - s->w_lo, lanes = w->kernel->lanes;
	/* rows come with v ascending: all leave out columns [lo, hi) */
	size_t left = vs_slab_left_out(s, w->row[0].v);
	size_t lo = left && s->skip > s->w_lo ? s->skip - s->w_lo : 0;
	size_t hi = (lo + left) / lanes * lanes;

	if (lo)
		count(w, &w->product, 0, w->n_row, 0, lo, w->sum);
	if (hi < n_col)
		count(w, &w->product, 0, w->n_row, hi, n_col, w->sum);
}

/* Count the collected rows and filter them. */
static int
do_rows(struct worker *w, const struct vs_slab *s, struct vs_hits *found,
	uint64_t *counted)
{
	size_t n_col = s->w_hi - s->w_lo;
	int code = 0;

	if (!w->n_row)
		return 0;
	count_rows(w, s);
	for (size_t k = 0; k < w->n_row && !code; k++) {
		code = filter(w, s, &w->row[k], w->sum + k * w->ld, found);
		*counted += n_col - vs_slab_left_out(s, w->row[k].v);
		if (!code && vs_hits_due(found))
			code = found->drain(found);
	}
	w->n_row = 0;
	return code;
}

/* The few columns that may pass with the row after the collected ones. */
static int
do_few(struct worker *w, const struct vs_slab *s, const struct row_sums *x,
	const uint8_t *hit, struct vs_hits *found, uint64_t *counted)
{
	const struct vs_numbers *b = &w->t->all.number;
	const struct row *row = &w->row[w->n_row];
	size_t n_col = s->w_hi - s->w_lo;
	int code = 0;

	make_product(w, w->n_row);
	for (size_t k = 0; k < n_col && !code; k++) {
		if (!hit[k] || !is_wanted(s, row, k))
			continue;
		++*counted;
		code = decide(w, s, row, x, k,
			w->kernel->one(vs_numbers_of(&w->product, w->n_row),
				vs_numbers_of(b, s->w_lo + k), b->n_field),
			found);
	}
	if (!code && vs_hits_due(found))
		code = found->drain(found);
	return code;
}

static bool
pairs_bound(const struct vs_query *q)
{
	return vs_query_prunes(q) &&
		!vs_query_without(q, VS_WITHOUT_PAIR_BOUND);
}

/* The pair u, v with all columns, now or together with the collected rows. */
static int
add_row(struct worker *w, const struct vs_slab *s, size_t u, size_t v,
	struct vs_hits *found, uint64_t *counted)
{
	const struct vs_query *q = &w->t->q;
	size_t n_col = s->w_hi - s->w_lo;
	struct row *row = &w->row[w->n_row];
	uint8_t hit[COLS];
	struct row_sums x;

	*row = (struct row){ u, v, w->uv[(u - s->u_lo) * w->ld + v - s->v_lo] };
	row_sums_of(w, s, row, &x);
	if (pairs_bound(q)) {
		size_t may;

		if (!vs_ps3_may_pass(x.u, x.v, x.uv, q->threshold, x.slack))
			return 0;
		may = guess(q->cpu, &x, n_col, hit);
		if (may <= n_col / FEW)
			return may ? do_few(w, s, &x, hit, found, counted) : 0;
	}
	make_product(w, w->n_row);
	return ++w->n_row < w->most_row ? 0 : do_rows(w, s, found, counted);
}

/* ---- a slab ---- */

/* Sums of minima of vectors [lo, hi) with the n_col columns held. */
static void
count_pairs(struct worker *w, size_t lo, size_t hi, size_t n_col, double *to)
{
	for (; lo < hi; lo += ROWS, to += ROWS * w->ld)
		count(w, &w->t->all.number, lo, hi - lo < ROWS ? hi - lo : ROWS,
			0, n_col, to);
}

static size_t
end_of_u(const struct vs_slab *s, size_t v)
{
	return s->ordered && v < s->u_hi ? v : s->u_hi;
}

/* True if some triple of the slab may pass by the bounds of pairs u, v. */
static bool
may_pass(const struct worker *w, const struct vs_slab *s)
{
	const struct vs_query *q = &w->t->q;
	const double *total = w->t->all.total;

	if (!pairs_bound(q))
		return true;
	for (size_t v = s->v_lo; v < s->v_hi; v++)
		for (size_t u = s->u_lo; u < end_of_u(s, v); u++)
			if (vs_ps3_may_pass(total[u], total[v],
				    w->uv[(u - s->u_lo) * w->ld + v - s->v_lo],
				    q->threshold, w->slack))
				return true;
	return false;
}

static int
count_slab(void *worker, const struct vs_triple_data *t,
	const struct vs_slab *s, struct vs_hits *found, uint64_t *counted)
{
	struct worker *w = worker;
	const struct vs_numbers *b = &t->all.number;
	size_t n_col = s->w_hi - s->w_lo, n_v = s->v_hi - s->v_lo;
	int code = 0;

	w->t = t;
	w->least = vs_ps3_least_share(t->q.threshold);
	w->n_row = 0;
	w->kernel->take_cols(b, s->v_lo, n_v, w->cols);
	count_pairs(w, s->u_lo, s->u_hi, n_v, w->uv);
	if (!may_pass(w, s))
		return 0;
	w->kernel->take_cols(b, s->w_lo, n_col, w->cols);
	count_pairs(w, s->u_lo, s->u_hi, n_col, w->pair);
	count_pairs(w, s->v_lo, s->v_hi, n_col, w->pair + MOST * w->ld);
	for (size_t v = s->v_lo; v < s->v_hi; v++)
		for (size_t u = s->u_lo; u < end_of_u(s, v) && !code; u++)
			code = add_row(w, s, u, v, found, counted);
	return code ? code : do_rows(w, s, found, counted);
}

const struct vs_slab_kind vs_slab_minima = { sizeof(struct worker), kernel_of,
	most_of, lay_out, begin, count_slab };
