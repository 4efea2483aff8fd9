/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/backend.h"
#include "libcore/engine/sift.h"

#define ROWS 64   /* sums of so many rows are counted, then sifted in cache */
#define COLS 1024 /* columns taken at a time; fewer where vectors are long */
#define COLS_BYTES (16u << 20)
/*
 * Below so many columns the lanes of the list kernel are too empty: a block
 * costs the same however many of its 512 lanes are used, and the population
 * counts cost 0.4 of it for a full one.
 */
#define FEW 192
/*
 * Where calls are missing, the bounds by one dense sum leave some pairs to be
 * counted singly, which costs 20 times a pair's share of a dense count. More
 * than one in ONE: the other label is counted too, which leaves fewer. More
 * than one in TWO even then: all four sums are counted at once.
 */
#define ONE 32
#define TWO 4

/* Columns in one kernel's order. */
struct taken {
	void *cols;
	bool valid;
};

/* One thread's memory. */
struct worker {
	struct taken wide[2], few[2]; /* dense by label; the same of few */
	struct taken four;            /* sparse */
	void *scratch;                /* rows of a dense call */
	int32_t *sums;                /* up to four arrays, ROWS x n_col */
	float *sides;                 /* four arrays of n_col */
};

struct cpu {
	struct vs_question q;
	const struct vs_dense *wide, *few;
	const struct vs_sparse *sparse;
	size_t n_col; /* columns taken at a time */
	int n_worker;
	struct worker *worker;
};

/* A tile in work. */
struct strip {
	const struct cpu *c;
	struct worker *w;
	const struct vs_tile_work *work;
	const struct vs_dense *dense;
	size_t col, n_col; /* of panel j */
	bool complete;     /* these miss no call */
	int n_sum;         /* kinds of sums that the rows need: 1, 2 or 4 */
	struct vs_found *found;
};

static void
choose(struct cpu *c, const struct vs_question *q, size_t most)
{
	c->q = *q;
	c->wide = vs_dense_pick(q->cpu, q->kernel);
	c->few = c->wide;
	/* the list kernel alone has more lanes than a register has numbers */
	for (int k = 0; !q->kernel && c->few->lanes > VS_COLS; k++)
		if (vs_dense_at(k)->cpu <= q->cpu)
			c->few = vs_dense_at(k);
	c->sparse = vs_sparse_pick(q->cpu);
	c->n_col = COLS;
	while (c->n_col > c->wide->lanes &&
		(c->n_col / 2 >= most ||
			c->wide->col_room(c->n_col, q->n_field) > COLS_BYTES))
		c->n_col /= 2;
}

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static size_t
scratch_room(const struct cpu *c)
{
	return larger(c->wide->row_room(ROWS, c->q.n_field),
		c->few->row_room(ROWS, c->q.n_field));
}

static size_t
bytes(const struct vs_question *q, int n_worker, size_t most)
{
	struct cpu c;
	size_t n_field = q->n_field, one;

	choose(&c, q, most);
	one = c.wide->col_room(c.n_col, n_field);
	if (c.few != c.wide)
		one += c.few->col_room(FEW, n_field);
	if (q->has_missing)
		one = 2 * one + c.sparse->col_room(c.n_col, n_field);
	one += scratch_room(&c) + (4 * ROWS + 4) * c.n_col * sizeof(int32_t);
	return one * (size_t)n_worker;
}

static void
cpu_close(void *state)
{
	struct cpu *c = state;

	for (int k = 0; c && c->worker && k < c->n_worker; k++) {
		for (int label = 0; label < 2; label++) {
			free(c->worker[k].wide[label].cols);
			free(c->worker[k].few[label].cols);
		}
		free(c->worker[k].four.cols);
		free(c->worker[k].scratch);
		free(c->worker[k].sums);
		free(c->worker[k].sides);
	}
	if (c)
		free(c->worker);
	free(c);
}

static int
open_worker(const struct cpu *c, struct worker *w)
{
	size_t n_field = c->q.n_field, n = c->n_col;
	int code = 0;

	for (int label = 0; label < 2 && !code; label++) {
		if (label != c->q.lead && !c->q.has_missing)
			continue;
		code = vs_new(&w->wide[label].cols,
			c->wide->col_room(n, n_field), 1, "columns");
		if (!code && c->few != c->wide)
			code = vs_new(&w->few[label].cols,
				c->few->col_room(FEW, n_field), 1, "columns");
	}
	if (!code && c->q.has_missing)
		code = vs_new(&w->four.cols, c->sparse->col_room(n, n_field), 1,
			"columns");
	if (!code)
		code = vs_new(&w->scratch, scratch_room(c), 1, "rows");
	if (!code)
		code = vs_new(&w->sums, 4 * ROWS * n, sizeof(*w->sums),
			"sums of a tile");
	if (!code)
		code = vs_new(&w->sides, 4 * n, sizeof(*w->sides),
			"bounds of columns");
	return code;
}

static int
cpu_open(void **state, const struct vs_question *q, int n_worker, size_t most)
{
	struct cpu *c = NULL;
	int code = vs_new(&c, 1, sizeof(*c), "backend");

	if (code)
		return code;
	choose(c, q, most);
	c->n_worker = n_worker;
	code = vs_new(&c->worker, (size_t)n_worker, sizeof(*c->worker),
		"workers");
	for (int k = 0; k < n_worker && !code; k++)
		code = open_worker(c, &c->worker[k]);
	if (code)
		cpu_close(c);
	else
		*state = c;
	return code;
}

static struct vs_sides
sides_of(const struct cpu *c, const struct worker *w)
{
	float *s = w->sides;

	return (struct vs_sides){ s, s + c->n_col, s + 2 * c->n_col,
		s + 3 * c->n_col };
}

/* The columns of a strip, as far as all ways to count need them. */
static void
take_columns(struct strip *s)
{
	struct vs_sides sides = sides_of(s->c, s->w);
	const struct vs_panel *p = s->work->j;

	for (int label = 0; label < 2; label++)
		s->w->wide[label].valid = s->w->few[label].valid = false;
	s->w->four.valid = false;
	s->n_sum = 1;
	s->dense = s->n_col <= FEW ? s->c->few : s->c->wide;
	for (size_t k = 0; k < s->n_col; k++)
		vs_sides_fill(&s->c->q, p, s->col + k, &sides, k);
	for (size_t k = s->n_col; k % VS_SIFT_LANES; k++)
		vs_sides_fill(&s->c->q, NULL, 0, &sides, k);
}

/* Rows [row, row + n_row) against the columns from skip on, by one label. */
static const int32_t *
count_dense(struct strip *s, size_t row, size_t n_row, size_t skip, int label)
{
	struct taken *taken =
		s->dense == s->c->wide ? &s->w->wide[label] : &s->w->few[label];
	int32_t *p = s->w->sums + (label ? 0 : ROWS * s->c->n_col);

	if (!taken->valid)
		s->dense->take_cols(s->work->j, s->col, s->n_col, label,
			taken->cols);
	taken->valid = true;
	s->dense->count(s->work->i, row, n_row, label, taken->cols,
		skip / s->dense->lanes * s->dense->lanes, s->n_col,
		s->w->scratch, p, s->c->n_col);
	return p;
}

static void
count_four(struct strip *s, size_t row, size_t n_row, size_t skip,
	struct vs_tally *out)
{
	struct taken *taken = &s->w->four;
	size_t ld = s->c->n_col;
	int32_t *p = s->w->sums;

	if (!taken->valid)
		s->c->sparse->take_cols(s->work->j, s->col, s->n_col,
			taken->cols);
	taken->valid = true;
	*out = (struct vs_tally){ p, p + ROWS * ld, p + 2 * ROWS * ld,
		p + 3 * ROWS * ld, ld };
	s->c->sparse->count(s->work->i, row, n_row, taken->cols,
		skip / VS_COLS * VS_COLS, s->n_col, out);
}

/* Go to row r of those counted from row on. */
static void
go_to(const struct strip *s, const struct vs_sift *first, size_t row, size_t r,
	struct vs_sift *t)
{
	size_t at = r * s->c->n_col;
	bool diagonal =
		s->work->i == s->work->j && s->work->i_lo == s->work->j_lo;

	*t = *first;
	t->i = row + r;
	/* on the diagonal only columns past the row are wanted */
	t->lo = diagonal && t->i + 1 > s->col ? t->i + 1 - s->col : 0;
	if (t->pl)
		t->pl += at;
	if (t->po)
		t->po += at;
	if (t->pl)
		return;
	t->sums.xx += at;
	t->sums.xm += at;
	t->sums.mx += at;
	t->sums.mm += at;
}

/* More than one pair in so many is left by the float test. */
static bool
leaves_many(const struct strip *s, const struct vs_sift *first, size_t row,
	size_t n_row, size_t one_in)
{
	struct vs_sift t;
	size_t left = 0;

	for (size_t r = 0; r < n_row; r++) {
		go_to(s, first, row, r, &t);
		left += vs_sift_look(&t);
	}
	return left * one_in > n_row * s->n_col;
}

static int
do_rows(struct strip *s, size_t row, size_t n_row)
{
	struct vs_sides sides = sides_of(s->c, s->w);
	struct vs_sift first = { .q = &s->c->q,
		.sparse = s->c->sparse,
		.pi = s->work->i,
		.pj = s->work->j,
		.j = s->col,
		.hi = s->n_col,
		.cols = &sides },
		       t;
	bool complete =
		s->complete && vs_panel_complete(s->work->i, row, row + n_row);
	int lead = s->c->q.lead, code = 0;
	size_t skip;

	go_to(s, &first, row, 0, &t);
	skip = t.lo;
	if (skip >= s->n_col)
		return 0;
	if (complete || s->n_sum < 4)
		first.pl = count_dense(s, row, n_row, skip, lead);
	if (!complete && s->n_sum == 1 &&
		leaves_many(s, &first, row, n_row, ONE))
		s->n_sum = 2;
	if (!complete && s->n_sum == 2) {
		first.po = count_dense(s, row, n_row, skip, !lead);
		if (leaves_many(s, &first, row, n_row, TWO))
			s->n_sum = 4;
	}
	if (!complete && s->n_sum == 4) {
		first.pl = first.po = NULL;
		count_four(s, row, n_row, skip, &first.sums);
	}
	for (size_t r = 0; r < n_row && !code; r++) {
		go_to(s, &first, row, r, &t);
		code = vs_sift_row(&t, s->found);
	}
	return code;
}

static int
by_place(const void *a, const void *b)
{
	return vs_record_compare(a, b);
}

static int
cpu_tile(void *state, int worker, const struct vs_tile_work *work,
	struct vs_found *found)
{
	struct cpu *c = state;
	struct strip s = { .c = c,
		.w = &c->worker[worker],
		.work = work,
		.found = found };
	size_t first = found->n;
	int code = 0;

	for (s.col = work->j_lo; s.col < work->j_hi && !code;
		s.col += c->n_col) {
		s.n_col = work->j_hi - s.col < c->n_col ? work->j_hi - s.col
							: c->n_col;
		take_columns(&s);
		s.complete = vs_panel_complete(work->j, s.col, s.col + s.n_col);
		for (size_t row = work->i_lo; row < work->i_hi && !code;
			row += ROWS)
			code = do_rows(&s, row,
				work->i_hi - row < ROWS ? work->i_hi - row
							: ROWS);
	}
	if (work->j_hi - work->j_lo > c->n_col && found->n > first)
		qsort(found->rec + first, found->n - first, sizeof(*found->rec),
			by_place);
	return code;
}

static void
describe(void *state, char *text, size_t room)
{
	const struct cpu *c = state;

	snprintf(text, room, "cpu-%s", c->wide->name);
}

const struct vs_backend vs_backend_cpu = { "cpu", cpu_open, cpu_tile, cpu_close,
	describe, bytes };
