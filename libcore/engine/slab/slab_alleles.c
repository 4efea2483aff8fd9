/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exhaustive worker for triples of genotypes: CCC and DUO. A kernel of triples
 * counts row by row and compares the counts with bounds of the row itself, so
 * that few are stored. Consecutive slabs with the same third vectors, the
 * columns, share these packed, and also the packed first vectors of the rows,
 * the slab's v. Its u are the second vectors of the rows.
 */
#include <string.h>

#include "libcore/base/minmax.h"
#include "libcore/bits/product.h"
#include "libcore/engine/slab/slab.h"
#include "libcore/engine/slab/triple_bound.h"
#include "libcore/engine/slab/triple_histogram.h"
#include "libcore/kern/delta_planes.h"

#define ROWS 256 /* rows counted at a time, without a kernel of triples */
#define FEW 192  /* so few columns do not fill 512 lanes */

/* Vectors that are packed already. */
struct taken {
	size_t w_lo, w_hi; /* as columns; and, by label 1, all v of [lo, hi) */
	size_t lo, hi;
	bool columns; /* v are columns themselves */
};

struct worker {
	const struct vs_triple_data *t;
	const struct vs_dense *wide, *few, *dense; /* dense: wide or few */
	const struct vs_triple *triple; /* for dense, or null: by products */
	void *cols, *v_cols, *scratch;
	void *own_cols, *own_v; /* as a kernel of triples wants them */
	/* sum g g' of v, and of u, with the columns; of u with v; sums of g g'
	 * g'' of the rows with the columns */
	int32_t *of_v, *of_u, *uv, *sums;
	struct taken taken;
	struct vs_triple_thirds thirds;
	struct vs_triple_side first, second;
	uint32_t open[VS_SLAB_V];
	int64_t off[VS_SLAB_V]; /* fields of v not at its mode */
	struct vs_triple_row called[VS_SLAB_V];
	int32_t lo[VS_TRIPLE_BOUND_BLOCKS * VS_SLAB_V],
		hi[VS_TRIPLE_BOUND_BLOCKS * VS_SLAB_V];
	/* rows not yet counted as products */
	struct vs_panel rows;
	struct vs_triple_bound_row row[ROWS];
	size_t n_row;
	struct vs_products products;
};

_Static_assert(VS_SLAB_V <= VS_TRIPLE_ROWS && ROWS <= VS_TRIPLE_ROWS,
	"rows of a call");
_Static_assert(VS_SLAB_U <= VS_TRIPLE_BOUND_SIDE &&
		VS_SLAB_V <= VS_TRIPLE_BOUND_SIDE &&
		VS_SLAB_W <= 512 * VS_TRIPLE_BOUND_BLOCKS,
	"the bounds have room for the vectors of a slab");

static void
choose(struct worker *w, const struct vs_query *q)
{
	w->wide = vs_registry_dense_pick(q->cpu, q->kernel);
	w->few = vs_registry_dense_choose(q->cpu, q->kernel, FEW / 2,
		q->n_field, 0.4);
}

/* The kernel of triples that goes with a dense kernel: the one named, or the
 * best. */
static const struct vs_triple *
triple_of(const struct vs_query *q, const struct vs_dense *dense)
{
	return vs_registry_triple_pick(q->kernel ? dense->cpu : q->cpu, dense);
}

static size_t
col_room(const struct worker *w, size_t n_field)
{
	return vs_max_size(w->wide->col_room(VS_SLAB_W, n_field),
		w->few->col_room(FEW, n_field));
}

static size_t
row_room(const struct worker *w, const struct vs_query *q)
{
	const struct vs_triple *triple = triple_of(q, w->wide);
	size_t room = vs_max_size(w->wide->row_room(ROWS, q->n_field),
		w->few->row_room(ROWS, q->n_field));

	for (int k = 0; triple && vs_registry_triple[k]; k++)
		room = vs_max_size(room,
			vs_registry_triple[k]->row_room(VS_SLAB_W, q->n_field));
	return room;
}

/* n columns in the triple kernel's layout, if it has its own. */
static size_t
own_room(const struct worker *w, const struct vs_query *q, size_t n)
{
	const struct vs_triple *triple = triple_of(q, w->wide);

	return triple && triple->col_room ? triple->col_room(n, q->n_field) : 0;
}

#define SOME_V 256 /* if they do not share unpacked columns */

static struct vs_slab_most
most_of(const struct vs_query *q)
{
	struct worker w;
	bool own;

	choose(&w, q);
	own = own_room(&w, q, 1) > 0;
	return (struct vs_slab_most){ VS_SLAB_U, own ? VS_SLAB_V : SOME_V,
		VS_SLAB_W, !own };
}

/* Sums of v and u with columns, and of u with v. */
#define OF_V (VS_SLAB_V * VS_SLAB_W)
#define OF_U (VS_SLAB_U * VS_SLAB_W)
#define OF_UV (VS_SLAB_U * 2 * VS_SLAB_V)

static void
lay_out(void *worker, const struct vs_query *q, struct vs_layout *l)
{
	struct worker *w = worker;

	choose(w, q);
	w->cols = vs_layout_next(l, col_room(w, q->n_field));
	w->v_cols = vs_layout_next(l, w->wide->col_room(VS_SLAB_V, q->n_field));
	w->own_cols = vs_layout_next(l, own_room(w, q, VS_SLAB_W));
	w->own_v = vs_layout_next(l, own_room(w, q, VS_SLAB_V));
	w->scratch = vs_layout_next(l, row_room(w, q));
	w->of_v = vs_layout_next(l, OF_V * sizeof(*w->of_v));
	w->of_u = vs_layout_next(l, OF_U * sizeof(*w->of_u));
	w->uv = vs_layout_next(l, OF_UV * sizeof(*w->uv));
	w->sums = vs_layout_next(l,
		VS_TRIPLE_ROWS * VS_SLAB_W * sizeof(*w->sums));
	vs_slab_lay_panel(&w->rows, ROWS, q->n_field, l);
	vs_slab_lay_panel(&w->products.panel, 3, q->n_field, l);
}

static const char *
kernel_of(const struct vs_query *q)
{
	const struct vs_dense *dense =
		vs_registry_dense_pick(q->cpu, q->kernel);
	const struct vs_triple *triple = triple_of(q, dense);

	return triple ? triple->name : dense->name;
}

/* ---- what is held ---- */

static int
mode(const struct vs_triple_data *t, size_t v)
{
	int64_t others;

	return mode_of(&t->filled, v, 1, &others);
}

/* Number of fields in which a vector is not at its mode. */
static int64_t
others(const struct vs_triple_data *t, size_t v)
{
	int64_t n;

	mode_of(&t->filled, v, 1, &n);
	return n;
}

/* Count sums of vectors [lo, hi) with the columns. */
static void
count_pairs(struct worker *w, size_t lo, size_t hi, size_t n_col, int32_t *to)
{
	for (; lo < hi; lo += ROWS, to += ROWS * VS_SLAB_W)
		w->dense->count(&w->t->filled, lo,
			hi - lo < ROWS ? hi - lo : ROWS, 1, w->cols, 0, n_col,
			w->scratch, to, VS_SLAB_W);
}

/* Vectors [lo, hi) with the columns, from place `at` of a side on. */
static void
take_side(struct worker *w, struct vs_triple_side *side, size_t at, size_t lo,
	size_t hi, int32_t *p)
{
	count_pairs(w, lo, hi, w->thirds.n, p + at * VS_SLAB_W);
	for (; w->triple && lo < hi; lo++, at++)
		vs_triple_bound_side(side, at, w->t, lo, mode(w->t, lo),
			&w->thirds, p + at * VS_SLAB_W);
}

/* Lay out n columns for the kernel of triples, if it has a layout of its
 * own. */
static void
take_own(struct worker *w, const void *cols, size_t n, void *to)
{
	if (w->triple && w->triple->take_cols)
		w->triple->take_cols(cols, n, w->t->q.n_field, to);
}

static void
take(struct worker *w, const struct vs_slab *s)
{
	const struct vs_triple_data *t = w->t;
	struct taken *taken = &w->taken;
	size_t n_col = s->w_hi - s->w_lo;

	if (taken->w_lo != s->w_lo || taken->w_hi != s->w_hi) {
		w->dense = n_col <= FEW ? w->few : w->wide;
		w->triple = triple_of(&t->q, w->dense);
		vs_triple_bound_thirds(&w->thirds, t, s->w_lo, n_col,
			w->triple ? w->triple->lanes : n_col);
		w->dense->take_cols(&t->filled, s->w_lo, n_col, 1, w->cols);
		take_own(w, w->cols, n_col, w->own_cols);
		*taken = (struct taken){ s->w_lo, s->w_hi, 0, 0, false };
	}
	if (taken->lo != s->v_lo || taken->hi <= taken->lo) {
		taken->lo = taken->hi = s->v_lo;
		taken->columns = false;
	}
	if (taken->hi < s->v_hi) {
		take_side(w, &w->first, taken->hi - s->v_lo, taken->hi, s->v_hi,
			w->of_v);
		taken->hi = s->v_hi;
		taken->columns = false;
	}
	if (!taken->columns) {
		for (size_t v = s->v_lo; w->triple && v < s->v_hi; v++)
			w->off[v - s->v_lo] = others(t, v);
		w->wide->take_cols(&t->filled, taken->lo, taken->hi - taken->lo,
			1, w->v_cols);
		take_own(w, w->v_cols, taken->hi - taken->lo, w->own_v);
		taken->columns = true;
	}
	take_side(w, &w->second, 0, s->u_lo, s->u_hi, w->of_u);
	w->wide->count(&t->filled, s->u_lo, s->u_hi - s->u_lo, 1, w->v_cols, 0,
		s->v_hi - s->v_lo, w->scratch, w->uv, 2 * VS_SLAB_V);
}

/* ---- rows ---- */

/* Exact sums of the row's triple, vectors v, with column col of the sums. */
static void
exact(struct worker *w, const struct vs_triple_bound_row *row, size_t col,
	const size_t v[3], struct vs_sums *sums)
{
	const struct vs_triple_data *t = w->t;
	int32_t n = (int32_t)t->q.n_field;

	if (t->all.present[v[0]] < n || t->all.present[v[1]] < n ||
		t->all.present[v[2]] < n) {
		vs_triple_data_count(t, &w->products, v[0], v[1], v[2], sums);
	} else {
		int32_t g[8] = { n, w->thirds.s[col], t->all.sum[v[1]],
			row->gv[col], t->all.sum[v[0]], row->gu[col], row->uv,
			row->p[col] };

		memcpy(sums->g, g, sizeof(g));
	}
}

static int
decide(struct worker *w, const struct vs_slab *s,
	const struct vs_triple_bound_row *row, size_t col,
	struct vs_hits *found)
{
	const size_t v[3] = { row->u, row->v, s->w_lo + col };
	struct vs_sums sums;

	exact(w, row, col, v, &sums);
	return vs_triple_data_keep(w->t, v, &sums, 0xff, found);
}

/* Bits of the wanted columns in [lo, hi). */
static void
fill_histogram(struct worker *w, const struct vs_slab *s,
	const struct vs_triple_bound_row *row, size_t lo, size_t hi,
	struct vs_value_histogram *histogram)
{
	const struct vs_triple_thirds *x = &w->thirds;
	const int32_t *sum = w->t->all.sum;
	const struct vs_triple_histogram of = { row->u, row->v, s->w_lo,
		{ NULL, x->s, NULL, row->gv, NULL, row->gu, NULL, row->p },
		{ (int32_t)w->t->q.n_field, 0, sum[row->v], 0, sum[row->u], 0,
			row->uv, 0 },
		{ x->e[0], x->e[1] } };
	const size_t pair[2] = { row->u, row->v };
	size_t part[2][2], end;

	vs_slab_wanted(s, row->u, lo, hi, part);
	for (int k = 0; k < 2; k++)
		for (size_t at = part[k][0]; vs_triple_data_wants(w->t, pair,
			     s->w_lo, &at, &end, part[k][1]);
			at = end)
			vs_triple_histogram(histogram, w->t, &of, at, end,
				NULL);
}

/* Columns [lo, hi) of a row's sums. */
static int
filter(struct worker *w, const struct vs_slab *s,
	const struct vs_triple_bound_row *row, size_t lo, size_t hi,
	struct vs_hits *found)
{
	int32_t hit[VS_TRIPLE_BOUND_LOOK];
	int code = 0;

	if (found->histogram)
		fill_histogram(w, s, row, lo, hi, found->histogram);
	for (; lo < hi && !code; lo += VS_TRIPLE_BOUND_LOOK) {
		size_t n = hi - lo < VS_TRIPLE_BOUND_LOOK
			? hi - lo
			: VS_TRIPLE_BOUND_LOOK;

		vs_triple_bound_look(w->t, row, &w->thirds, lo, n, hit);
		for (size_t k = 0; k < n && !code; k++) {
			const size_t third = s->w_lo + lo + k;

			if (n - k >= 8 && !vs_triple_data_any_of_8(hit + k))
				k += 7;
			else if (hit[k] && (third < s->skip || third > row->u))
				code = decide(w, s, row, lo + k, found);
		}
	}
	return code;
}

/* Pass on the records found if there are many. */
static int
pass(struct vs_hits *found)
{
	return vs_hits_due(found) ? found->drain(found) : 0;
}

static bool
pairs_bound(const struct vs_query *q)
{
	return vs_query_prunes(q) &&
		!vs_query_without(q, VS_WITHOUT_PAIR_BOUND);
}

/* Bits of the cells of u and v that a passing triple may have. */
static unsigned
open_cells(const struct vs_triple_data *t, size_t u, size_t v, int32_t uv)
{
	const int64_t n = (int64_t)t->q.n_field;
	int32_t r[4];

	vs_pair_sums_cells(2,
		(struct vs_pair_sums){ (int32_t)n, t->filled.sum[u],
			t->filled.sum[v], uv },
		r);
	return vs_triple_data_open_cells(t, u, v, r,
		(int64_t)t->all.present[u] + t->all.present[v] +
			t->q.least_present - 2 * n);
}

/* The same with v as the first vector and u as the second. */
static struct vs_triple_bound_row
row_of(const struct worker *w, const struct vs_slab *s, size_t v, size_t u)
{
	return (struct vs_triple_bound_row){ .u = v,
		.v = u,
		.uv = w->uv[(u - s->u_lo) * 2 * VS_SLAB_V + v - s->v_lo],
		.open = w->open[v - s->v_lo],
		.gu = w->of_v + (v - s->v_lo) * VS_SLAB_W,
		.gv = w->of_u + (u - s->u_lo) * VS_SLAB_W };
}

/* ---- with a kernel of triples ---- */

/* Filter the blocks of columns of a row that may have a passing triple, except
 * those that it does not ask for. */
static int
sift_blocks(struct worker *w, const struct vs_slab *s,
	struct vs_triple_bound_row *row, const int mode[2], uint64_t wanted,
	int32_t *d, struct vs_hits *found)
{
	const size_t lanes = w->triple->lanes;
	int code = 0;

	row->p = d;
	for (size_t at = 0; wanted && !code; at += lanes, wanted >>= 1) {
		const size_t to =
			w->thirds.n - at < lanes ? w->thirds.n : at + lanes;
		size_t part[2][2];

		vs_slab_wanted(s, row->u, at, to, part);
		for (int k = 0; k < 2 && wanted & 1 && !code; k++) {
			const size_t lo = part[k][0], hi = part[k][1];

			if (lo == hi)
				continue;
			vs_triple_bound_fill(w->t, row, mode, &w->thirds, lo,
				hi - lo, d);
			code = filter(w, s, row, lo, hi, found);
		}
	}
	return code ? code : pass(found);
}

/* The fastest kernel for n rows with second vector u. */
static const struct vs_triple *
choose_triple(const struct worker *w, size_t u, size_t n, size_t n_block)
{
	const double all = (double)n * (double)w->t->q.n_field;
	int64_t off = 0;

	for (size_t r = 0; r < n; r++)
		off += w->off[w->called[r].place];
	return vs_registry_triple_choose(w->triple, n, n_block,
		(size_t)others(w->t, u), (double)off / all);
}

/* Count the n collected rows of u; their ranges are known. */
static int
do_rows(struct worker *w, const struct vs_slab *s, size_t u, size_t n,
	struct vs_hits *found)
{
	const size_t n_block =
		(w->thirds.n + w->triple->lanes - 1) / w->triple->lanes;
	/* a histogram counts every value */
	const struct vs_range nothing = { 1, 0 };
	const struct vs_triple *triple = choose_triple(w, u, n, n_block);
	const struct vs_triple_row second = { (uint32_t)u,
		(int32_t)w->second.mode[u - s->u_lo], 0, 0 };
	struct vs_range range[VS_TRIPLE_ROWS * VS_TRIPLE_BOUND_BLOCKS];
	uint64_t wanted[VS_TRIPLE_ROWS];
	const bool all = vs_query_without(&w->t->q, VS_WITHOUT_RANGE_BOUND);
	int code = 0;

	for (size_t r = 0; r < n; r++)
		for (size_t b = 0; b < n_block; b++) {
			size_t at =
				w->called[r].place + b * VS_TRIPLE_BOUND_SIDE;

			range[r * n_block + b] = found->histogram || all
				? nothing
				: (struct vs_range){ w->lo[at], w->hi[at] };
		}
	triple->count(
		&(struct vs_triple_call){ &w->t->filled, &second, w->called, n,
			w->own_v, triple->take_cols ? w->own_cols : w->cols,
			w->thirds.n, vs_max_size(s->skip, s->w_lo) - s->w_lo,
			range, w->scratch, w->sums, VS_SLAB_W, wanted });
	for (size_t r = 0; r < n && !code; r++) {
		struct vs_triple_bound_row row;

		if (!wanted[r])
			continue;
		row = row_of(w, s, w->called[r].v, u);
		code = sift_blocks(w, s, &row,
			(int[]){ w->called[r].mode, second.mode }, wanted[r],
			w->sums + r * VS_SLAB_W, found);
	}
	return code;
}

/* The rows of u with v in [lo, v_hi). */
static int
do_second(struct worker *w, const struct vs_slab *s, size_t u, size_t lo,
	struct vs_hits *found, uint64_t *counted)
{
	const int32_t *uv = w->uv + (u - s->u_lo) * 2 * VS_SLAB_V;
	const bool prunes = pairs_bound(&w->t->q);
	const size_t out = vs_max_size(s->skip, s->w_lo) - s->w_lo;
	uint64_t n_triple = 0;
	size_t n = 0;

	for (size_t v = lo; v < s->v_hi; v++)
		w->open[v - s->v_lo] =
			prunes ? open_cells(w->t, v, u, uv[v - s->v_lo]) : 15;
	vs_triple_bound_ranges(w->t, &w->first, lo - s->v_lo, s->v_hi - s->v_lo,
		&w->second, u - s->u_lo, &w->thirds, uv, w->open, w->lo, w->hi);
	for (size_t v = lo; v < s->v_hi; v++) {
		const size_t at = v - s->v_lo, left = vs_slab_left_out(s, v);

		if (!w->open[at])
			continue;
		w->called[n++] = (struct vs_triple_row){ (uint32_t)v,
			(int32_t)w->first.mode[at], (uint32_t)at,
			(uint32_t)(out + left) };
		n_triple += s->w_hi - s->w_lo - left;
	}
	*counted += n_triple;
	return n ? do_rows(w, s, u, n, found) : 0;
}

/* ---- with products ---- */

/*
 * The sums of all rows with the columns. With x = g - 1, a product counts sum
 * (x_u x_v + 1) g_w; and sum x_u x_v g_w is the sum of g_u g_v g_w - g_u g_w -
 * g_v g_w + g_w.
 */
static int
do_products(struct worker *w, const struct vs_slab *s, struct vs_hits *found)
{
	static const int one[2] = { 1, 1 };
	int code = 0;

	if (w->n_row)
		w->dense->count(&w->rows, 0, w->n_row, 1, w->cols, 0,
			w->thirds.n, w->scratch, w->sums, VS_SLAB_W);
	for (size_t k = 0; k < w->n_row && !code; k++) {
		struct vs_triple_bound_row *row = &w->row[k];
		int32_t *p = w->sums + k * VS_SLAB_W;

		/* counted, though its pair lets none pass */
		if (!row->open && !found->histogram)
			continue;
		for (size_t col = 0; col < w->thirds.n; col++)
			p[col] -= w->thirds.s[col];
		vs_triple_bound_fill(w->t, row, one, &w->thirds, 0, w->thirds.n,
			p);
		row->p = p;
		code = filter(w, s, row, 0, w->thirds.n, found);
		if (!code)
			code = pass(found);
	}
	w->n_row = 0;
	return code;
}

static int
add_products(struct worker *w, const struct vs_slab *s, size_t u, size_t lo,
	struct vs_hits *found, uint64_t *counted)
{
	int code = 0;

	for (size_t v = lo; v < s->v_hi && !code; v++) {
		struct vs_triple_bound_row row = row_of(w, s, v, u);

		row.open = vs_query_without(&w->t->q, VS_WITHOUT_PAIR_BOUND)
			? 15
			: open_cells(w->t, v, u, row.uv);
		if (!row.open && vs_query_prunes(&w->t->q))
			continue;
		vs_product_make(&w->t->filled, v, u, VS_PRODUCT_BOTH, &w->rows,
			w->n_row);
		w->row[w->n_row++] = row;
		*counted += s->w_hi - s->w_lo - vs_slab_left_out(s, v);
		if (w->n_row == ROWS)
			code = do_products(w, s, found);
	}
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
	w->n_row = 0;
	for (size_t u = s->u_lo; u < s->u_hi && !code; u++) {
		size_t lo = s->ordered ? vs_max_size(u + 1, s->v_lo) : s->v_lo;

		if (lo < s->v_hi)
			code = w->triple
				? do_second(w, s, u, lo, found, counted)
				: add_products(w, s, u, lo, found, counted);
	}
	return code ? code : do_products(w, s, found);
}

const struct vs_slab_kind vs_slab_genotypes = { sizeof(struct worker),
	kernel_of, most_of, lay_out, NULL, count_slab };
