/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exhaustive worker for the histogram of triples with missing calls: sums of
 * all cells from products of pairs. With m = 1 where a
 * call is present, and g = 0 where it is not, a triple's sums are those of
 *
 *   a = m_u m_v    b = g_u m_v    c = m_u g_v    d = m_u m_v (x_u x_v + 1)
 *
 * with g_w and with m_w, where x = g - 1 and g_u g_v = d + b + c - 2 a. A row
 * is a pair; its d is a vector that pair kernels count with both kinds of
 * columns. As few calls are missing, a, b and c follow from the sums of u, of v
 * and of l = 1 - m, which marks their missing calls, with the columns:
 *
 *   a = 1 - l_u - l_v + l_u l_v    b = g_u - g_u l_v    c = g_v - l_u g_v
 *
 * and the rows l_u l_v, g_u l_v and l_u g_v, which are nearly empty.
 */
#include "libcore/base/minmax.h"
#include "libcore/bits/product.h"
#include "libcore/engine/slab/slab.h"
#include "libcore/engine/slab/triple_histogram.h"

#define MOST 128 /* second vectors */
#define COLS 512 /* columns of either kind */
#define LD (2 * COLS)
#define PAIRS 32 /* pairs counted at a time */
#define KINDS 4  /* rows of a pair */

/* Counters of dense rows and of nearly empty ones. */
enum { FULL, EMPTY, COUNTERS };
struct counter {
	const struct vs_dense *dense;
	void *cols[2]; /* g_w, m_w */
};
#define SHARE 0.2 /* of a row not at its mode: most are nearly empty */

/* Sums of some vectors, by g and by l, with the columns, rows of LD. */
struct side {
	int32_t *g, *lost;
};

struct worker {
	const struct vs_triple_data *t;
	struct counter counter[COUNTERS];
	void *scratch;
	struct vs_panel present, rows;
	struct side u, v;
	int32_t *sums; /* rows of LD, PAIRS of each kind */
	int32_t *g[8]; /* of a row, as struct vs_sums has them */
	int32_t may[COLS];
	size_t w_lo, w_hi, v_lo, v_hi; /* as columns, and of side v */
	size_t n_pair, pair[PAIRS][2];
};

/* Choose the counter by the share of a row's fields that are not at its
 * mode. */
static const struct vs_dense *
choose(const struct vs_query *q, int which)
{
	return vs_registry_dense_choose(q->cpu, q->kernel, COLS, q->n_field,
		which == FULL ? 0.4 : 0.03);
}

static const char *
kernel_of(const struct vs_query *q)
{
	return choose(q, FULL)->name;
}

static struct vs_slab_most
most_of(const struct vs_query *q)
{
	(void)q;
	return (struct vs_slab_most){ VS_SLAB_U, MOST, COLS, true };
}

#define SUMS (2 * (VS_SLAB_U + MOST) * LD + KINDS * PAIRS * LD + 8 * COLS)

static void
lay_out(void *worker, const struct vs_query *q, struct vs_layout *l)
{
	struct worker *w = worker;
	size_t row = 0;

	for (int c = 0; c < COUNTERS; c++) {
		const struct vs_dense *dense = choose(q, c);

		w->counter[c].dense = dense;
		for (int k = 0; k < 2; k++)
			w->counter[c].cols[k] = vs_layout_next(l,
				dense->col_room(COLS, q->n_field));
		row = vs_max_size(row, dense->row_room(PAIRS, q->n_field));
	}
	w->scratch = vs_layout_next(l, row);
	w->u.g = vs_layout_next(l, SUMS * sizeof(*w->u.g));
	vs_slab_lay_panel(&w->present, COLS, q->n_field, l);
	vs_slab_lay_panel(&w->rows, PAIRS, q->n_field, l);
}

static void
begin(void *worker, const struct vs_triple_data *t)
{
	struct worker *w = worker;

	(void)t;
	w->u.lost = w->u.g + VS_SLAB_U * LD;
	w->v.g = w->u.lost + VS_SLAB_U * LD;
	w->v.lost = w->v.g + MOST * LD;
	w->sums = w->v.lost + MOST * LD;
	for (int s = 0; s < 8; s++)
		w->g[s] = w->sums + KINDS * PAIRS * LD + s * COLS;
}

/* ---- sums ---- */

/* Rows [row, row + n) of a panel with both kinds of columns. */
static void
count(struct worker *w, int which, const struct vs_panel *a, size_t row,
	size_t n, int32_t *to)
{
	const struct counter *c = &w->counter[which];

	for (int k = 0; k < 2; k++)
		c->dense->count(a, row, n, 1, c->cols[k], 0, w->w_hi - w->w_lo,
			w->scratch, to + k * COLS, LD);
}

/* Vectors [lo, hi). */
static void
take_side(struct worker *w, const struct side *side, size_t lo, size_t hi)
{
	const size_t most = PAIRS;

	for (size_t v = lo; v < hi; v += most) {
		const size_t n = hi - v < most ? hi - v : most;

		count(w, FULL, &w->t->all, v, n, side->g + (v - lo) * LD);
		for (size_t k = 0; k < n; k++)
			vs_product_make(&w->t->all, v + k, v + k,
				VS_PRODUCT_LOST, &w->rows, k);
		count(w, EMPTY, &w->rows, 0, n, side->lost + (v - lo) * LD);
	}
}

static void
take(struct worker *w, const struct vs_slab *s)
{
	const struct vs_panel *a = &w->t->all;
	const size_t n = s->w_hi - s->w_lo;

	if (w->w_lo != s->w_lo || w->w_hi != s->w_hi) {
		w->w_lo = s->w_lo;
		w->w_hi = s->w_hi;
		w->v_lo = w->v_hi = 0;
		for (size_t k = 0; k < n; k++)
			vs_product_make(a, s->w_lo + k, s->w_lo + k,
				VS_PRODUCT_PRESENT, &w->present, k);
		for (int x = 0; x < COUNTERS; x++) {
			const struct counter *c = &w->counter[x];

			c->dense->take_cols(a, s->w_lo, n, 1, c->cols[0]);
			c->dense->take_cols(&w->present, 0, n, 1, c->cols[1]);
		}
	}
	if (w->v_lo != s->v_lo || w->v_hi != s->v_hi) {
		take_side(w, &w->v, s->v_lo, s->v_hi);
		w->v_lo = s->v_lo;
		w->v_hi = s->v_hi;
	}
	take_side(w, &w->u, s->u_lo, s->u_hi);
}

/* Arrays by column: those of a pair and of its vectors, and the third vector's
 * own; and the arrays that receive the results. */
struct join {
	const int32_t *d, *u_lost_v, *v_lost_u, *both_lost;
	const int32_t *u, *v, *lost_u, *lost_v, *own;
	int32_t *a, *b, *c, *gg;
};

VS_INLINE int
join_any(const struct join *join, size_t n)
{
	const struct join x = *join;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		const int32_t a =
			x.own[k] - x.lost_u[k] - x.lost_v[k] + x.both_lost[k];
		const int32_t b = x.u[k] - x.u_lost_v[k];
		const int32_t c = x.v[k] - x.v_lost_u[k];

		x.a[k] = a;
		x.b[k] = b;
		x.c[k] = c;
		x.gg[k] = x.d[k] + b + c - 2 * a;
	}
	return 0;
}

VS_BY_CPU(int, join, (x, n), const struct join *x, size_t n)

/* All sums of pair k. */
static void
join_pair(struct worker *w, const struct vs_slab *s, size_t k)
{
	const struct vs_panel *a = &w->t->all;
	const size_t u = (w->pair[k][0] - s->u_lo) * LD;
	const size_t v = (w->pair[k][1] - s->v_lo) * LD;
	const int32_t *row = w->sums + k * LD;

	for (size_t kind = 0; kind < 2; kind++, row += COLS) {
		const size_t at = kind * COLS;
		const struct join x = { row, row + PAIRS * LD,
			row + 2 * PAIRS * LD, row + 3 * PAIRS * LD,
			w->u.g + u + at, w->v.g + v + at, w->u.lost + u + at,
			w->v.lost + v + at,
			(kind ? a->present : a->sum) + s->w_lo, w->g[!kind],
			w->g[4 + !kind], w->g[2 + !kind], w->g[6 + !kind] };

		join(w->t->q.cpu, &x, s->w_hi - s->w_lo);
	}
}

/* ---- values ---- */

static int
keep(struct worker *w, const struct vs_slab *s, const size_t pair[2], size_t lo,
	size_t hi, struct vs_hits *found)
{
	int code = 0;

	for (; lo < hi && !code; lo++) {
		const size_t v[3] = { pair[0], pair[1], s->w_lo + lo };
		struct vs_sums sums;

		if (!w->may[lo])
			continue;
		for (int k = 0; k < 8; k++)
			sums.g[k] = w->g[k][lo];
		code = vs_triple_data_keep(w->t, v, &sums, 0xff, found);
	}
	return code;
}

static int
do_pair(struct worker *w, const struct vs_slab *s, size_t k,
	struct vs_hits *found)
{
	const struct vs_triple_data *t = w->t;
	struct vs_triple_histogram of = { .u = w->pair[k][0],
		.v = w->pair[k][1],
		.w = s->w_lo,
		.e = { t->e[0] + s->w_lo, t->e[1] + s->w_lo } };
	size_t part[2][2], end;
	int code = 0;

	for (int x = 0; x < 8; x++)
		of.g[x] = w->g[x];
	join_pair(w, s, k);
	vs_slab_wanted(s, of.v, 0, s->w_hi - s->w_lo, part);
	for (int x = 0; x < 2; x++)
		for (size_t at = part[x][0]; !code &&
			vs_triple_data_wants(t, w->pair[k], s->w_lo, &at, &end,
				part[x][1]);
			at = end)
			if (vs_triple_histogram(found->histogram, t, &of, at,
				    end, w->may))
				code = keep(w, s, w->pair[k], at, end, found);
	if (!code && vs_hits_due(found))
		code = found->drain(found);
	return code;
}

static int
do_pairs(struct worker *w, const struct vs_slab *s, struct vs_hits *found)
{
	static const enum vs_product kind[KINDS] = { VS_PRODUCT_BOTH,
		VS_PRODUCT_FIRST_LOST, VS_PRODUCT_SECOND_LOST,
		VS_PRODUCT_LOST };
	int code = 0;

	for (size_t x = 0; x < KINDS; x++) {
		for (size_t k = 0; k < w->n_pair; k++)
			vs_product_make(&w->t->all, w->pair[k][0],
				w->pair[k][1], kind[x], &w->rows, k);
		count(w, x ? EMPTY : FULL, &w->rows, 0, w->n_pair,
			w->sums + x * PAIRS * LD);
	}
	for (size_t k = 0; k < w->n_pair && !code; k++)
		code = do_pair(w, s, k, found);
	w->n_pair = 0;
	return code;
}

static int
count_slab(void *worker, const struct vs_triple_data *t,
	const struct vs_slab *s, struct vs_hits *found, uint64_t *counted)
{
	struct worker *w = worker;
	int code = 0;

	w->t = t;
	take(w, s);
	w->n_pair = 0;
	for (size_t u = s->u_lo; u < s->u_hi; u++) {
		size_t v = s->ordered && u >= s->v_lo ? u + 1 : s->v_lo;

		for (; v < s->v_hi && !code; v++) {
			w->pair[w->n_pair][0] = u;
			w->pair[w->n_pair++][1] = v;
			if (w->n_pair == PAIRS)
				code = do_pairs(w, s, found);
		}
	}
	*counted += vs_slab_triples(s);
	return code ? code : do_pairs(w, s, found);
}

const struct vs_slab_kind vs_slab_missing = { sizeof(struct worker), kernel_of,
	most_of, lay_out, begin, count_slab };
