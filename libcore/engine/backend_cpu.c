/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/backend.h"
#include "libcore/engine/sift.h"

#define ROWS 64  /* sums of so many rows are counted, then sifted in cache */
#define COLS 512 /* columns prepared at a time */

/* One thread's memory. */
struct worker {
	void *cols;    /* prepared columns */
	int32_t *sums; /* four arrays of ROWS x COLS */
	float *u;      /* two arrays of COLS */
	int32_t *s;    /* two arrays of COLS */
};

struct cpu {
	struct vs_question q;
	const struct vs_kernel *kernel;
	int n_worker;
	struct worker *worker;
};

static size_t
columns(size_t most)
{
	size_t n = (most + VS_COLS - 1) / VS_COLS * VS_COLS;

	return n < COLS ? n : COLS;
}

static size_t
bytes(const struct vs_question *q, int n_worker, size_t most)
{
	const struct vs_kernel *k = vs_kernel_pick(q->cpu);

	return (size_t)n_worker *
		(k->room(columns(most), q->n_field) +
			(4 * ROWS + 4) * COLS * sizeof(int32_t));
}

static void
cpu_close(void *state)
{
	struct cpu *c = state;

	for (int k = 0; c && c->worker && k < c->n_worker; k++) {
		free(c->worker[k].cols);
		free(c->worker[k].sums);
		free(c->worker[k].u);
		free(c->worker[k].s);
	}
	if (c)
		free(c->worker);
	free(c);
}

static int
cpu_open(void **state, const struct vs_question *q, int n_worker, size_t most)
{
	struct cpu *c = NULL;
	int code = vs_new(&c, 1, sizeof(*c), "backend");

	if (code)
		return code;
	c->q = *q;
	c->kernel = vs_kernel_pick(q->cpu);
	c->n_worker = n_worker;
	code = vs_new(&c->worker, (size_t)n_worker, sizeof(*c->worker),
		"workers");
	for (int k = 0; k < n_worker && !code; k++) {
		struct worker *w = &c->worker[k];

		code = vs_new(&w->cols,
			c->kernel->room(columns(most), q->n_field), 1,
			"columns");
		if (!code)
			code = vs_new(&w->sums, 4 * ROWS * COLS,
				sizeof(*w->sums), "sums of a tile");
		if (!code)
			code = vs_new(&w->u, 2 * COLS, sizeof(*w->u),
				"factors");
		if (!code)
			code = vs_new(&w->s, 2 * COLS, sizeof(*w->s), "counts");
	}
	if (code)
		cpu_close(c);
	else
		*state = c;
	return code;
}

/* Columns [lo, lo + n) of panel j into the worker's memory. */
static void
take_columns(const struct cpu *c, struct worker *w, const struct vs_panel *p,
	size_t lo, size_t n)
{
	struct vs_side side;

	c->kernel->prepare(p, lo, n, w->cols);
	for (size_t j = 0; j < n; j++) {
		vs_side_fill(&c->q, p->sum[lo + j], p->present[lo + j], &side);
		w->u[j] = side.u[0];
		w->u[COLS + j] = side.u[1];
		w->s[j] = side.s;
		w->s[COLS + j] = side.c;
	}
	/* the padding of the last register: values that never pass */
	for (size_t j = n; j % VS_COLS; j++) {
		w->u[j] = w->u[COLS + j] = 0;
		w->s[j] = w->s[COLS + j] = 0;
	}
}

/* ROWS rows against the columns taken. */
static int
rows(const struct cpu *c, struct worker *w, const struct vs_tile_work *work,
	size_t row, size_t n_row, size_t col, size_t n_col, bool complete,
	struct vs_found *found)
{
	bool diagonal = work->i == work->j && work->i_lo == work->j_lo;
	struct vs_sides cols = { w->u, w->u + COLS, w->s, w->s + COLS };
	struct vs_tally out = { w->sums, NULL, NULL, NULL, COLS };
	struct vs_sift t = { .q = &c->q,
		.cols = &cols,
		.hi = n_col,
		.j = work->j->first + col };
	/* on the diagonal only columns past the row are wanted */
	size_t skip = diagonal && row + 1 > col ? row + 1 - col : 0;
	int code = 0;

	if (skip >= n_col)
		return 0;
	if (complete && vs_panel_complete(work->i, row, row + n_row)) {
		c->kernel->dense(work->i, row, n_row, w->cols,
			skip / VS_COLS * VS_COLS, n_col, &out);
	} else {
		out.xm = out.xx + ROWS * COLS;
		out.mx = out.xm + ROWS * COLS;
		out.mm = out.mx + ROWS * COLS;
		c->kernel->sparse(work->i, row, n_row, w->cols,
			skip / VS_COLS * VS_COLS, n_col, &out);
	}
	for (size_t r = 0; r < n_row && !code; r++) {
		size_t i = row + r;

		vs_side_fill(&c->q, work->i->sum[i], work->i->present[i],
			&t.row);
		t.i = work->i->first + i;
		t.lo = diagonal && i + 1 > col ? i + 1 - col : 0;
		t.xx = out.xx + r * COLS;
		t.xm = out.xm ? out.xm + r * COLS : NULL;
		t.mx = out.mx ? out.mx + r * COLS : NULL;
		t.mm = out.mm ? out.mm + r * COLS : NULL;
		code = vs_sift_row(&t, found);
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
	struct worker *w = &c->worker[worker];
	size_t first = found->n;
	int code = 0;

	for (size_t col = work->j_lo; col < work->j_hi && !code; col += COLS) {
		size_t n_col =
			work->j_hi - col < COLS ? work->j_hi - col : COLS;
		bool complete = vs_panel_complete(work->j, col, col + n_col);

		take_columns(c, w, work->j, col, n_col);
		for (size_t row = work->i_lo; row < work->i_hi && !code;
			row += ROWS) {
			size_t n_row = work->i_hi - row < ROWS
				? work->i_hi - row
				: ROWS;

			code = rows(c, w, work, row, n_row, col, n_col,
				complete, found);
		}
	}
	if (work->j_hi - work->j_lo > COLS && found->n > first)
		qsort(found->rec + first, found->n - first, sizeof(*found->rec),
			by_place);
	return code;
}

static void
describe(void *state, char *text, size_t room)
{
	const struct cpu *c = state;

	snprintf(text, room, "cpu-%s", c->kernel->name);
}

const struct vs_backend vs_backend_cpu = { "cpu", cpu_open, cpu_tile, cpu_close,
	describe, bytes };
