/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/bits/product.h"
#include "libcore/engine/slab.h"

#define ROWS 128 /* counted at a time */
#define LOOK 128 /* columns that the float test looks at together */
#define FEW 192  /* so few columns do not pay for 512 lanes */
#define INLINE static inline __attribute__((always_inline))

/* A row that is being counted; its sums with columns are of those filled. */
struct row {
	size_t u, v;
	int32_t uv;    /* sum g_u g_v */
	unsigned open; /* bit 2a + b: some triple with this cell may pass */
};

struct vs_slab_worker {
	const struct vs_trio *t;
	const struct vs_dense *wide, *few, *dense; /* dense: one of the two */
	const struct vs_triple *triple; /* of dense, or null: by products */
	void *cols, *scratch;
	int32_t *pair;        /* sum g g' of u, then of v, with the columns */
	int32_t *sums;        /* sum g g' g'' of the rows with the columns */
	struct vs_panel rows; /* as products */
	struct row row[ROWS];
	struct vs_triple_row taken[ROWS];
	size_t n_row;
	struct vs_products products;
};

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void
choose(struct vs_slab_worker *w, const struct vs_question *q)
{
	w->wide = vs_dense_pick(q->cpu, q->kernel);
	w->few = vs_dense_choose(q->cpu, q->kernel, FEW / 2, q->n_field, 0.4);
}

static size_t
col_room(const struct vs_slab_worker *w, size_t n_field)
{
	return larger(w->wide->col_room(VS_SLAB_W, n_field),
		w->few->col_room(FEW, n_field));
}

static size_t
row_room(const struct vs_slab_worker *w, size_t n_field)
{
	const struct vs_triple *triple = vs_triple_of(w->wide);
	size_t room = larger(w->wide->row_room(ROWS, n_field),
		w->few->row_room(ROWS, n_field));

	return triple ? larger(room, triple->row_room(ROWS, n_field)) : room;
}

size_t
vs_slab_bytes(const struct vs_question *q)
{
	struct vs_slab_worker w;

	choose(&w, q);
	return sizeof(w) + col_room(&w, q->n_field) + row_room(&w, q->n_field) +
		(VS_SLAB_U + VS_SLAB_V + ROWS) * VS_SLAB_W * sizeof(int32_t) +
		(ROWS + 3) * VS_PANEL_BYTES(vs_vec_words(q->n_field));
}

int
vs_slab_open(struct vs_slab_worker **out, const struct vs_trio *t)
{
	const struct vs_question *q = &t->q;
	struct vs_slab_worker *w = NULL;
	int code = vs_new(&w, 1, sizeof(*w), "worker");

	if (code)
		return code;
	w->t = t;
	choose(w, q);
	code = vs_room(&w->cols, col_room(w, q->n_field), 1, "columns");
	if (!code)
		code = vs_room(&w->scratch, row_room(w, q->n_field), 1, "rows");
	if (!code)
		code = vs_room(&w->pair, (VS_SLAB_U + VS_SLAB_V) * VS_SLAB_W,
			sizeof(*w->pair), "sums of pairs");
	if (!code)
		code = vs_room(&w->sums, ROWS * VS_SLAB_W, sizeof(*w->sums),
			"sums of triples");
	if (!code)
		code = vs_panel_new(&w->rows, ROWS, q->n_field);
	if (!code)
		code = vs_products_new(&w->products, q->n_field);
	if (code)
		vs_slab_close(w);
	else
		*out = w;
	return code;
}

void
vs_slab_close(struct vs_slab_worker *w)
{
	if (!w)
		return;
	free(w->cols);
	free(w->scratch);
	free(w->pair);
	free(w->sums);
	vs_panel_free(&w->rows);
	vs_panel_free(&w->products.panel);
	free(w);
}

/* Columns that are not wanted of a row with v. */
static size_t
left_out(const struct vs_slab *s, size_t v)
{
	size_t lo = s->skip > s->w_lo ? s->skip : s->w_lo;
	size_t hi = v + 1 < s->w_hi ? v + 1 : s->w_hi;

	return hi > lo ? hi - lo : 0;
}

uint64_t
vs_slab_triples(const struct vs_slab *s)
{
	uint64_t n = 0;

	for (size_t v = s->v_lo; v < s->v_hi; v++) {
		size_t hi = s->ordered && v < s->u_hi ? v : s->u_hi;

		if (hi > s->u_lo)
			n += (uint64_t)(hi - s->u_lo) *
				(s->w_hi - s->w_lo - left_out(s, v));
	}
	return n;
}

/* ---- the float test ---- */

/*
 * What it needs of one row. The sum r1 of a cell (a, b, 1) follows from those
 * of g g' g'' and of the pairs, and that of (a, b, 0) is 2 r_uv - r1. A cell
 * passes when r u_u u_v u_w > scale t c, with c >= c_u + c_v + c_w - 2 n. Sums
 * and edges that matter are below 16 n and take fewer than ten roundings of
 * 2^-24 each: a slack of n / 65536 + 1e-5 is more.
 */
struct sight {
	const int32_t *p, *gu, *gv, *s;
	const float *e0, *e1, *c;
	float shift, slack;
};

INLINE void
look_at(const struct sight *x, const int a, const int b, float edge,
	float twice, size_t lo, size_t n, int32_t *hit)
{
	const int32_t *p = x->p + lo, *gu = x->gu + lo, *gv = x->gv + lo;
	const int32_t *s = x->s + lo;
	const float *e0 = x->e0 + lo, *e1 = x->e1 + lo, *c = x->c + lo;
	const float shift = x->shift, slack = x->slack;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		int32_t r = p[k];
		float both = shift + c[k], r1;

		if (a != b)
			r = 2 * (a ? gu[k] : gv[k]) - r;
		else if (!a)
			r += 2 * (2 * s[k] - gu[k] - gv[k]);
		r1 = (float)r;
		hit[k] |= (r1 > edge * e1[k] * both - slack) |
			(twice - r1 > edge * e0[k] * both - slack) |
			(both <= 0);
	}
}

/* All open cells of a row; which[c] is the edge and twice the sum of cell c. */
INLINE void
look_any(const struct sight *x, unsigned open, const float which[4][2],
	size_t lo, size_t n, int32_t *hit)
{
	memset(hit, 0, n * sizeof(*hit));
	if (open & 1)
		look_at(x, 0, 0, which[0][0], which[0][1], lo, n, hit);
	if (open & 2)
		look_at(x, 0, 1, which[1][0], which[1][1], lo, n, hit);
	if (open & 4)
		look_at(x, 1, 0, which[2][0], which[2][1], lo, n, hit);
	if (open & 8)
		look_at(x, 1, 1, which[3][0], which[3][1], lo, n, hit);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) static void
look_avx512(const struct sight *x, unsigned open, const float which[4][2],
	size_t lo, size_t n, int32_t *hit)
{
	look_any(x, open, which, lo, n, hit);
}

__attribute__((target("avx2"))) static void
look_avx2(const struct sight *x, unsigned open, const float which[4][2],
	size_t lo, size_t n, int32_t *hit)
{
	look_any(x, open, which, lo, n, hit);
}
#endif

static void
look(enum vs_cpu cpu, const struct sight *x, unsigned open,
	const float which[4][2], size_t lo, size_t n, int32_t *hit)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512) {
		look_avx512(x, open, which, lo, n, hit);
		return;
	}
	if (cpu >= VS_CPU_AVX2) {
		look_avx2(x, open, which, lo, n, hit);
		return;
	}
#else
	(void)cpu;
#endif
	look_any(x, open, which, lo, n, hit);
}

/* ---- rows ---- */

/* The four sums of a row's pair, as the vectors are filled. */
static void
pair_cells(const struct vs_trio *t, const struct row *row, int64_t r[4])
{
	vs_trio_cells((int64_t)t->q.n_field, t->filled.sum[row->u],
		t->filled.sum[row->v], row->uv, r);
}

/* Exact sums of the row's triple with column w of the sums. */
static int
decide(struct vs_slab_worker *w, const struct vs_slab *s, const struct row *row,
	const struct sight *x, size_t col, struct vs_found *found)
{
	const struct vs_trio *t = w->t;
	const size_t v[3] = { row->u, row->v, s->w_lo + col };
	int32_t n = (int32_t)t->q.n_field;
	struct vs_sums sums;

	if (t->all.present[v[0]] < n || t->all.present[v[1]] < n ||
		t->all.present[v[2]] < n) {
		vs_trio_count(t, &w->products, v[0], v[1], v[2], &sums);
	} else {
		int32_t g[8] = { n, x->s[col], t->all.sum[v[1]], x->gv[col],
			t->all.sum[v[0]], x->gu[col], row->uv, x->p[col] };

		memcpy(sums.g, g, sizeof(g));
	}
	return vs_trio_keep(t, v, &sums, 0xff, found);
}

static void
sight_of(const struct vs_slab_worker *w, const struct vs_slab *s,
	const struct row *row, const int32_t *p, struct sight *x)
{
	const struct vs_trio *t = w->t;
	const struct vs_triple_row *taken = &w->taken[row - w->row];
	const int32_t *n = t->all.present;

	x->p = p;
	x->gu = taken->g[0];
	x->gv = taken->g[1];
	x->s = t->filled.sum + s->w_lo;
	x->e0 = t->e[0] + s->w_lo;
	x->e1 = t->e[1] + s->w_lo;
	x->c = t->c + s->w_lo;
	x->shift = (float)(n[row->u] + n[row->v]) - 2 * (float)t->q.n_field;
	x->slack = (float)t->q.n_field / 65536 + 1e-5f;
}

static int
sift(struct vs_slab_worker *w, const struct vs_slab *s, const struct row *row,
	const int32_t *p, struct vs_found *found)
{
	const struct vs_trio *t = w->t;
	const double bound = t->q.metric->scale3 * t->q.threshold;
	size_t n_col = s->w_hi - s->w_lo;
	float which[4][2];
	int32_t hit[LOOK];
	int64_t r[4];
	struct sight x;
	int code = 0;

	sight_of(w, s, row, p, &x);
	pair_cells(t, row, r);
	for (int cell = 0; cell < 4; cell++) {
		which[cell][0] = (float)(bound * t->e[cell >> 1][row->u] *
			t->e[cell & 1][row->v]);
		which[cell][1] = (float)(2 * r[cell]);
	}
	for (size_t lo = 0; lo < n_col && !code; lo += LOOK) {
		size_t n = n_col - lo < LOOK ? n_col - lo : LOOK;

		if (t->q.threshold < 0)
			for (size_t k = 0; k < n; k++)
				hit[k] = 1;
		else
			look(t->q.cpu, &x, row->open, which, lo, n, hit);
		for (size_t k = 0; k < n && !code; k++) {
			size_t third = s->w_lo + lo + k;

			if (hit[k] && (third < s->skip || third > row->v))
				code = decide(w, s, row, &x, lo + k, found);
		}
	}
	return code;
}

/*
 * The sums of all rows with the columns, by the kernel for triples, or by the
 * products: of x = g - 1 that is sum (x_u x_v + 1) g_w, and sum x_u x_v g_w is
 * that of g_u g_v g_w less those of g_u g_w and g_v g_w, and one more g_w.
 */
static void
count_rows(struct vs_slab_worker *w, const struct vs_slab *s)
{
	const int32_t *own = w->t->filled.sum + s->w_lo;
	size_t n_col = s->w_hi - s->w_lo;

	if (w->triple) {
		w->triple->count(&w->t->filled, w->taken, w->n_row, w->cols,
			n_col, w->scratch, w->sums, VS_SLAB_W);
		return;
	}
	w->dense->count(&w->rows, 0, w->n_row, 1, w->cols, 0, n_col, w->scratch,
		w->sums, VS_SLAB_W);
	for (size_t k = 0; k < w->n_row; k++) {
		const int32_t *u = w->taken[k].g[0], *v = w->taken[k].g[1];
		int32_t *p = w->sums + k * VS_SLAB_W;

#pragma omp simd
		for (size_t col = 0; col < n_col; col++)
			p[col] += u[col] + v[col] - 2 * own[col];
	}
}

/* Count the rows at hand and sift them. */
static int
do_rows(struct vs_slab_worker *w, const struct vs_slab *s,
	struct vs_found *found, uint64_t *counted)
{
	size_t n_col = s->w_hi - s->w_lo;
	int code = 0;

	if (w->n_row)
		count_rows(w, s);
	for (size_t k = 0; k < w->n_row && !code; k++) {
		const struct row *row = &w->row[k];

		*counted += n_col - left_out(s, row->v);
		if (row->open)
			code = sift(w, s, row, w->sums + k * VS_SLAB_W, found);
		if (!code && found->n >= VS_FOUND)
			code = found->drain(found);
	}
	w->n_row = 0;
	return code;
}

/* Take a pair as a row, unless no triple with it can pass. */
static void
add_row(struct vs_slab_worker *w, const struct vs_slab *s, size_t u, size_t v)
{
	const struct vs_trio *t = w->t;
	int32_t n = (int32_t)t->q.n_field, four[4];
	struct row *row = &w->row[w->n_row];
	int64_t r[4];

	/* sum x_u x_v */
	t->sparse->pair(&t->filled, u, &t->filled, v, four);
	row->u = u;
	row->v = v;
	row->uv = four[0] + t->filled.sum[u] + t->filled.sum[v] - n;
	pair_cells(t, row, r);
	row->open = vs_trio_open_cells(t, u, v, r,
		(int64_t)t->all.present[u] + t->all.present[v] +
			t->q.least_present - 2 * (int64_t)n);
	if (!row->open && vs_question_prunes(&t->q))
		return;
	w->taken[w->n_row] = (struct vs_triple_row){ { (uint32_t)u,
							     (uint32_t)v },
		{ w->pair + (u - s->u_lo) * VS_SLAB_W,
			w->pair + (VS_SLAB_U + v - s->v_lo) * VS_SLAB_W } };
	if (!w->triple)
		vs_product_make(&t->filled, u, v, VS_PRODUCT_BOTH, &w->rows,
			w->n_row);
	w->n_row++;
}

/* Sums of vectors [lo, hi) with the columns. */
static void
count_pairs(struct vs_slab_worker *w, size_t lo, size_t hi, size_t n_col,
	int32_t *to)
{
	for (; lo < hi; lo += ROWS, to += ROWS * VS_SLAB_W)
		w->dense->count(&w->t->filled, lo,
			hi - lo < ROWS ? hi - lo : ROWS, 1, w->cols, 0, n_col,
			w->scratch, to, VS_SLAB_W);
}

int
vs_slab_do(struct vs_slab_worker *w, const struct vs_slab *s,
	struct vs_found *found, uint64_t *counted)
{
	size_t n_col = s->w_hi - s->w_lo;
	int code = 0;

	w->dense = n_col <= FEW ? w->few : w->wide;
	w->triple = vs_triple_of(w->dense);
	w->n_row = 0;
	w->dense->take_cols(&w->t->filled, s->w_lo, n_col, 1, w->cols);
	count_pairs(w, s->u_lo, s->u_hi, n_col, w->pair);
	count_pairs(w, s->v_lo, s->v_hi, n_col,
		w->pair + VS_SLAB_U * VS_SLAB_W);
	for (size_t v = s->v_lo; v < s->v_hi; v++) {
		size_t hi = s->ordered && v < s->u_hi ? v : s->u_hi;

		for (size_t u = s->u_lo; u < hi && !code; u++) {
			add_row(w, s, u, v);
			if (w->n_row == ROWS)
				code = do_rows(w, s, found, counted);
		}
	}
	return code ? code : do_rows(w, s, found, counted);
}
