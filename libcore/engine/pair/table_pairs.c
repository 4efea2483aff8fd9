/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Association scores of pairs on the CPU: samples of the row's two rarer
 * genotypes are added up for 512 columns at a time, which gives 4 cells per
 * class; the other 5 follow from each vector's own counts. If calls are
 * missing, all 9 are counted.
 */
#include <stdlib.h>
#include <string.h>

#include "libcore/engine/pair/pair_rows.h"
#include "libcore/engine/tables/tables.h"

#define ROWS 128
#define BLOCKS 4        /* most bytes of columns: rows are split once for all */
#define BYTES (8 << 20) /* bytes that they may have */
#define COLS (BLOCKS * VS_LANES)

struct worker {
	struct vs_pair_worker head;
	struct vs_class_rows cols, rows;
	struct vs_lane_block block[BLOCKS]; /* of the columns */
	struct vs_lane_counts counts;
	uint64_t *plane; /* of a panel */
	struct vs_tables *tables;
	/* counts of a row and some columns, by class, and planes of both */
	int32_t (*taken[2])[VS_TABLES];
	/* samples of the columns by class and plane, rarest genotype first */
	int32_t (*own[2])[COLS];
};

/*
 * A rectangle. Each row is processed in n_part parts of VS_TABLES columns from
 * `part` on, each treated as a row; at_row: its row of counts in the worker.
 */
struct counts {
	struct vs_pair_row row;
	size_t n_part, first, part, at_row;
	size_t block; /* of columns */
};

static size_t
blocks_of(const struct vs_query *q)
{
	const size_t bytes = VS_LANES / 8 * 64 *
		(q->classes->n_word[0] + q->classes->n_word[1]) *
		(size_t)vs_tables_planes(q);
	const size_t n = BYTES / bytes;

	return n < 1 ? 1 : n > BLOCKS ? BLOCKS : n;
}

static void
choose(struct vs_pair_plan *c)
{
	c->n_row = ROWS;
	c->n_col = blocks_of(&c->q) * VS_LANES;
	c->n_taken = c->n_col;
	c->ld = c->n_col;
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
	const int n_plane = vs_tables_planes(&c->q);
	struct worker *w = worker;

	w->plane = vs_layout_next(l, 8 * vs_vec_words(c->q.n_field));
	for (size_t b = 0; b < blocks_of(&c->q); b++)
		vs_lane_counts_lay_block(&w->block[b], c->q.classes, n_plane,
			l);
	vs_lane_counts_lay_out(&w->counts, c->q.classes, c->q.cpu, n_plane,
		n_plane, l);
	vs_tables_lay_sums(&w->counts, &c->q, l);
	w->tables = vs_layout_next(l, sizeof(*w->tables));
	for (int k = 0; k < 2; k++) {
		w->taken[k] = vs_layout_next(l, 9 * sizeof(*w->taken[k]));
		w->own[k] = vs_layout_next(l, 3 * sizeof(*w->own[k]));
	}
}

static int
open_worker(const struct vs_pair_plan *c, void *worker)
{
	const int n_plane = vs_tables_planes(&c->q);
	struct worker *w = worker;
	int code = vs_class_rows_new(&w->cols, c->q.classes, c->n_col, n_plane);

	vs_tables_init(w->tables);
	return code ? code
		    : vs_class_rows_new(&w->rows, c->q.classes, ROWS, n_plane);
}

static size_t
more_bytes(const struct vs_pair_plan *c)
{
	const int n_plane = vs_tables_planes(&c->q);

	return vs_class_rows_bytes(c->q.classes, c->n_col, n_plane) +
		vs_class_rows_bytes(c->q.classes, ROWS, n_plane);
}

static void
close_worker(void *worker)
{
	struct worker *w = worker;

	vs_class_rows_free(&w->cols);
	vs_class_rows_free(&w->rows);
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
	for (size_t lo = 0; lo < s->j_hi - s->j_lo; lo += VS_LANES) {
		const size_t left = s->j_hi - s->j_lo - lo;

		vs_lane_counts_take_block(&w->block[lo / VS_LANES],
			at->plan->q.cpu, &w->cols, lo,
			left < VS_LANES ? left : VS_LANES, 0);
	}
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

/* unsigned: unwanted columns may hold anything */
typedef uint32_t words
	__attribute__((vector_size(4 * VS_TABLES_WIDE), may_alias));

/* Counts of a class by column, and the row's own. */
struct row {
	const int32_t (*taken)[VS_TABLES], (*col)[COLS], own[2];
};

/* All cells of columns, from the 4 that were counted: the cells of a genotype
 * sum to its samples in each vector. */
VS_INLINE int
infer_any(const struct row *x, size_t taken, size_t col,
	int32_t (*cell)[VS_TABLES_WIDE])
{
	words *const t = (words *)cell;

	for (int p = 0; p < 2; p++) {
		t[3 * p] = *(const words *)(x->taken[3 * p] + taken);
		t[3 * p + 1] = *(const words *)(x->taken[3 * p + 1] + taken);
		t[3 * p + 2] = (uint32_t)x->own[p] - t[3 * p] - t[3 * p + 1];
	}
	for (int q = 0; q < 3; q++)
		t[6 + q] = *(const words *)(x->col[q] + col) - t[q] - t[3 + q];
	return 0;
}

VS_BY_CPU(int, infer, (x, taken, col, cell), const struct row *x, size_t taken,
	size_t col, int32_t (*cell)[VS_TABLES_WIDE])

/* Count rows [row, row + n) of the rectangle with a block of its columns, one
 * part of the samples after the other. */
static void
count(const struct counts *t, size_t row, size_t n)
{
	struct worker *w = t->row.at->worker;
	const size_t n_plane = (size_t)w->rows.n_plane;
	const size_t first = t->block * VS_LANES, end = first + VS_LANES;
	const size_t hi = (t->row.k->hi < end ? t->row.k->hi : end) - first;

	vs_lane_counts_clear(&w->counts, n);
	for (int class = 0; class < 2; class ++)
		for (size_t x = 0; x < w->rows.n_word[class]; x += VS_LANE_PART)
			for (size_t r = 0; r < n * n_plane; r++) {
				const int p = (int)(r % n_plane);
				const size_t at_row = r / n_plane;
				const size_t lo = vs_rectangle_from(
					t->row.at->part, t->row.k,
					t->row.k->row + row + at_row);

				if (lo >= end)
					continue;
				vs_lane_counts_add(&w->counts,
					&w->block[t->block], at_row, class, p,
					vs_class_rows_at(&w->rows, class, p,
						row + at_row),
					NULL, x,
					(const size_t[]){ lo > first
							? (lo - first) / 64
							: 0,
						(hi + 63) / 64 });
			}
}

static void
take_counts(const struct counts *t)
{
	struct worker *w = t->row.at->worker;
	const int n_plane = w->rows.n_plane;

	for (int class = 0; class < 2; class ++)
		for (int p = 0; p < n_plane; p++)
			for (int q = 0; q < n_plane; q++)
				vs_lane_counts_take(&w->counts, t->at_row,
					class, p, q, t->part % VS_LANES / 64,
					w->taken[class][3 * p + q]);
}

/* All cells of a row and the part of its columns from t->part + c on. */
static void
fill(const struct counts *t, size_t c)
{
	struct worker *w = t->row.at->worker;
	const size_t r = t->row.i - t->row.k->row;

	for (int class = 0; class < 2; class ++) {
		const struct row row = { w->taken[class], w->own[class],
			{ w->rows.count[r][0][class],
				w->rows.count[r][1][class] } };
		int32_t(*cell)[VS_TABLES_WIDE] = w->tables->count[class];

		if (w->rows.n_plane == 2)
			infer(t->row.at->plan->q.cpu, &row, c, t->part + c,
				cell);
		else
			for (int x = 0; x < 9; x++)
				memcpy(cell[x], w->taken[class][x] + c,
					sizeof(*cell));
	}
	if (w->counts.trait)
		vs_tables_take_sums(w->tables, &w->counts, t->at_row,
			t->part % VS_LANES + c);
}

/* Part r of the rectangle: of row r / n_part. */
static size_t
filter(void *counts, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct counts *t = counts;
	struct worker *w = t->row.at->worker;
	const size_t row = r / t->n_part, left = t->row.k->n_row - row;
	const size_t part = t->first + r % t->n_part * VS_TABLES;
	size_t lo, hi, n = 0;

	(void)found;
	t->row.at->now = vs_query_now(&t->row.at->plan->q);
	t->row.i = t->row.k->row + row;
	t->at_row = row % w->counts.most;
	if (!t->at_row && r % t->n_part == 0)
		count(t, row, left < w->counts.most ? left : w->counts.most);
	lo = vs_rectangle_from(t->row.at->part, t->row.k, t->row.i);
	t->part = part;
	t->row.lo = lo = vs_max_size(lo, part);
	t->row.hi = hi = vs_min_size(part + VS_TABLES, t->row.k->hi);
	if (lo >= hi)
		return 0;
	take_counts(t);
	w->tables->n_cell = 9;
	for (size_t c = (lo - part) / VS_TABLES_WIDE * VS_TABLES_WIDE;
		part + c < hi; c += VS_TABLES_WIDE) {
		fill(t, c);
		n += vs_tables_passing(w->tables, &t->row.at->now, c,
			lo > part + c ? lo - part - c : 0,
			vs_min_size(hi - part - c, VS_TABLES_WIDE), column + n);
	}
	for (size_t k = 0; k < n; k++)
		column[k] += (uint16_t)part;
	return n;
}

/* The value of a column that may pass. Without samples it has no meaning. */
VS_INLINE bool
value(const void *counts, size_t column, bool all, struct vs_pair_value *v)
{
	const struct counts *t = counts;
	const struct worker *w = t->row.at->worker;

	(void)all;
	v->value = vs_tables_value(w->tables, &t->row.at->now, column - t->part,
		&v->joint);
	v->undefined = v->joint < 1;
	return true;
}

VS_PAIR_VALUES(value)

static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *k)
{
	struct worker *w = at->worker;
	int code = 0;

	take_vectors(at, &w->rows, at->part->i, k->row, k->row + k->n_row);
	for (size_t b = k->lo / VS_LANES; b * VS_LANES < k->hi && !code; b++) {
		const size_t lo = b * VS_LANES > k->lo ? b * VS_LANES : k->lo;
		const size_t end = (b + 1) * VS_LANES;
		const size_t hi = end < k->hi ? end : k->hi;
		struct counts t = { .row = { .at = at, .k = k },
			.first = lo / VS_TABLES * VS_TABLES,
			.block = b };

		t.n_part = (hi - t.first + VS_TABLES - 1) / VS_TABLES;
		code = vs_pair_rows(&vs_pair_tables, &t, k->n_row * t.n_part,
			VS_TABLES, at->found);
	}
	return code;
}

static const char *
kernel(const struct vs_pair_plan *c)
{
	return vs_registry_lanes_pick(c->q.cpu)->name;
}

/* Two planes of about half the fields, plus the fixed cost of a table; many
 * small tiles, since the first one knows no threshold and a value takes
 * long. */
static double
rate(const struct vs_query *q)
{
	const double n = (double)q->n_field;

	return 3e9 * n /
		(n * vs_registry_lanes_pick(q->cpu)->cost / VS_LANES +
			(q->shared_threshold ? q->metric->cycles : 0) + 30);
}

const struct vs_pair_family vs_pair_tables = {
	.worker_bytes = sizeof(struct worker),
	.choose = choose,
	.columns = columns,
	.lay_out = lay_out,
	.open = open_worker,
	.more_bytes = more_bytes,
	.close = close_worker,
	.begin = begin,
	.rows = most_rows,
	.rectangle = rectangle,
	.filter = filter,
	.decide = decide,
	.count_all = count_all,
	.kernel = kernel,
	.rate = rate,
};
