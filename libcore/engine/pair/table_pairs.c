/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Association scores of pairs on the CPU: the 9 cells of either class from the
 * 4 of the two rarer genotypes and each vector's counts, or all counted where
 * calls are missing.
 */
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/engine/tables.h"

#define ROWS VS_BITS_MOST
#define COLS VS_SPAN /* split by class together */
#define LD (VS_BITS_PLANES * VS_BITS_MOST)

struct worker {
	struct vs_pair_worker head;
	struct vs_class_rows cols, rows;
	uint64_t *plane; /* of a panel */
	void *scratch;
	int32_t *sum[2]; /* of a class, as struct vs_bits_call has it */
	struct vs_tables *tables;
	/* samples of the columns by class and plane, rarest genotype first */
	int32_t (*own[2])[COLS];
};

/* Counts of a rectangle with columns [lo, hi), VS_BITS_MOST or fewer, and a row
 * of them. */
struct counts {
	const struct vs_pair_work *at;
	const struct vs_rectangle *k;
	size_t lo, hi, i;
};

static void
choose(struct vs_pair_plan *c)
{
	c->n_row = ROWS;
	c->n_col = COLS;
	c->n_taken = COLS;
	c->ld = LD;
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

	w->plane = vs_layout_next(l, 8 * vs_vec_words(c->q.n_field));
	w->scratch = vs_layout_next(l, VS_BITS_SCRATCH);
	for (int k = 0; k < 2; k++)
		w->sum[k] = vs_layout_next(l, LD * LD * sizeof(int32_t));
	w->tables = vs_layout_next(l, sizeof(*w->tables));
	for (int k = 0; k < 2; k++)
		w->own[k] = vs_layout_next(l, 3 * sizeof(*w->own[k]));
}

static int
open_worker(const struct vs_pair_plan *c, void *worker)
{
	const int n_plane = vs_tables_planes(&c->q);
	struct worker *w = worker;
	int code = vs_class_rows_new(&w->cols, c->q.classes, COLS, n_plane);

	return code ? code
		    : vs_class_rows_new(&w->rows, c->q.classes, ROWS, n_plane);
}

static size_t
more_bytes(const struct vs_pair_plan *c)
{
	const int n_plane = vs_tables_planes(&c->q);

	return vs_class_rows_bytes(c->q.classes, COLS, n_plane) +
		vs_class_rows_bytes(c->q.classes, ROWS, n_plane);
}

static void
close_worker(void *worker)
{
	struct worker *w = worker;

	vs_class_rows_free(&w->cols);
	vs_class_rows_free(&w->rows);
}

static size_t
take(const struct vs_pair_plan *c, void *worker, const struct vs_strip *s,
	size_t lo)
{
	(void)worker;
	return lo + c->n_col < s->j_hi ? lo + c->n_col : s->j_hi;
}

static void
take_vectors(const struct vs_pair_work *at, struct vs_class_rows *to,
	const struct vs_panel *p, size_t lo, size_t hi)
{
	const struct vs_query *q = &at->plan->q;
	struct worker *w = at->worker;

	for (size_t v = lo; v < hi; v++)
		vs_class_rows_take(to, q->classes, q->cpu, p, v, v - lo,
			w->plane);
}

static void
begin(const struct vs_pair_work *at)
{
	const struct vs_strip *s = at->part;
	struct worker *w = at->worker;

	if (vs_packed_columns_already(&w->head.held, s))
		return;
	take_vectors(at, &w->cols, s->j, s->j_lo, s->j_hi);
	for (size_t c = 0; c < s->j_hi - s->j_lo; c++)
		for (int x = 0; x < 6; x++)
			w->own[x / 3][x % 3][c] =
				w->cols.count[c][x % 3][x / 3];
}

static size_t
most_rows(const struct vs_pair_work *at)
{
	(void)at;
	return ROWS;
}

/* Cells of a class that are counted: plane p of the row, q of the column. */
static void
put_counted(const struct counts *t, int class, size_t r)
{
	struct worker *w = t->at->worker;
	const size_t n_plane = (size_t)w->rows.n_plane;

	for (size_t p = 0; p < n_plane; p++)
		for (size_t q = 0; q < n_plane; q++) {
			const int32_t *from = w->sum[class] +
				(p * VS_BITS_MOST + r) * LD + q * VS_BITS_MOST;
			int32_t *to = w->tables->count[class][3 * p + q];

			for (size_t c = 0; c < t->hi - t->lo; c++)
				to[c] = from[c];
		}
}

/* Arrays of a class by column, and the row's own counts. */
struct row {
	int32_t (*cell)[VS_TABLES];
	const int32_t *col[3], *own;
};

/* Cells of the commonest genotypes of n columns from the 4 that were counted:
 * each genotype of either vector has as many samples as it has alone. */
VS_INLINE int
infer_any(const struct row *x, size_t n)
{
	int32_t(*const t)[VS_TABLES] = x->cell;

	for (int p = 0; p < 2; p++) {
		const int32_t *a = t[3 * p], *b = t[3 * p + 1];
		int32_t *to = t[3 * p + 2];
		const int32_t own = x->own[p];

#pragma omp simd
		for (size_t c = 0; c < n; c++)
			to[c] = own - a[c] - b[c];
	}
	for (int q = 0; q < 3; q++) {
		const int32_t *a = t[q], *b = t[3 + q], *own = x->col[q];
		int32_t *to = t[6 + q];

#pragma omp simd
		for (size_t c = 0; c < n; c++)
			to[c] = own[c] - a[c] - b[c];
	}
	return 0;
}

VS_BY_CPU(int, infer, (x, n), const struct row *x, size_t n)

static void
put_inferred(const struct counts *t, int class, size_t r)
{
	struct worker *w = t->at->worker;
	const int32_t own[2] = { w->rows.count[r][0][class],
		w->rows.count[r][1][class] };
	struct row row = { .cell = w->tables->count[class], .own = own };

	for (int q = 0; q < 3; q++)
		row.col[q] = w->own[class][q] + t->lo;
	infer(t->at->plan->q.cpu, &row, t->hi - t->lo);
}

static size_t
filter(void *counts, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct counts *t = counts;
	struct worker *w = t->at->worker;
	size_t lo;

	(void)found;
	t->i = t->k->row + r;
	lo = vs_rectangle_from(t->at->part, t->k, t->i);
	lo = lo > t->lo ? lo - t->lo : 0;
	if (lo >= t->hi - t->lo)
		return 0;
	for (int class = 0; class < 2; class ++) {
		put_counted(t, class, r);
		if (w->rows.n_plane == 2)
			put_inferred(t, class, r);
	}
	w->tables->n_cell = 9;
	vs_tables_sum(w->tables, &t->at->now, lo, t->hi - t->lo);
	return vs_tables_passing(w->tables, &t->at->now, lo, t->hi - t->lo,
		column);
}

static int
decide(const void *counts, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const struct counts *t = counts;
	const struct vs_strip *s = t->at->part;
	const struct worker *w = t->at->worker;
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		struct vs_record *rec;

		code = vs_hits_pair(found, s, t->i, s->j_lo + t->lo + column[k],
			&rec);
		if (!code)
			vs_tables_record(w->tables, &t->at->now, column[k],
				rec);
	}
	return code;
}

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	const struct vs_bits *bits = vs_registry_bits_pick(at->plan->q.cpu);
	const struct vs_strip *s = at->part;
	struct worker *w = at->worker;
	int code = 0;

	take_vectors(at, &w->rows, s->i, k->row, k->row + k->n_row);
	for (size_t lo = k->lo; lo < k->hi && !code; lo += VS_BITS_MOST) {
		struct counts t = { at, k, lo,
			k->hi - lo < VS_BITS_MOST ? k->hi : lo + VS_BITS_MOST,
			0 };

		for (int class = 0; class < 2; class ++)
			bits->count(&(struct vs_bits_call){
				vs_tables_side(&w->rows, class, 0, k->n_row),
				vs_tables_side(&w->cols, class, lo, t.hi - lo),
				w->rows.n_plane, w->rows.n_word[class],
				VS_BITS_ALL, w->sum[class], LD, w->scratch });
		code = vs_pair_rows(&vs_pair_tables, &t, k->n_row, t.hi - lo,
			at->found);
	}
	return code;
}

static const char *
kernel(const struct vs_pair_plan *c)
{
	return vs_registry_bits_pick(c->q.cpu)->name;
}

/* Comparisons are those of the cells that are counted, and a look-up. */
static double
rate(const struct vs_query *q)
{
	return 64 * 3e9 / (4 * vs_registry_bits_pick(q->cpu)->cost + 0.5);
}

const struct vs_pair_family vs_pair_tables = { sizeof(struct worker), choose,
	columns, lay_out, open_worker, more_bytes, close_worker, NULL, take,
	begin, most_rows, rectangle, filter, decide, kernel, rate };
