/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/layout.h"
#include "libcore/base/mem.h"
#include "libcore/engine/pair/alleles_count.h"
#include "libcore/engine/pair/missing.h"
#include "libcore/engine/strip.h"

/*
 * Rows whose sums are counted, then sifted in cache. The list kernel goes over
 * all of a call's rows with the columns of a few fields in the first caches,
 * which it has to fetch for each call.
 */
#define ROWS_LANES 128
#define ROWS 64
/*
 * Columns are taken so many at a time that the sums of the rows take half of a
 * core's second cache, and their planes its share of the third, or thereabouts.
 */
#define LEAST_COLS 1024
#define THIRD 8 /* in second caches */
/* A kernel for blocks that fill its lanes, and one for those that do not. */
static void
choose_kernels(struct vs_workshop *c, const struct vs_query *q)
{
	c->wide = vs_registry_dense_choose(q->cpu, q->kernel, VS_MOST_COLS,
		q->n_field, q->listed);
	c->few = c->wide;
	c->n_few = 0;
	for (size_t n = VS_COLS; n < c->wide->lanes; n += VS_COLS) {
		const struct vs_dense *d = vs_registry_dense_choose(q->cpu,
			q->kernel, n, q->n_field, q->listed);

		if (d == c->wide || d->lanes > c->wide->lanes)
			break;
		c->few = d;
		c->n_few = n;
	}
}

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void
choose(struct vs_workshop *c, const struct vs_query *q, size_t most)
{
	size_t cache = vs_cpu_cache(), sums = cache / 2;

	c->q = *q;
	c->gives_up = q->prune && q->threshold > 0 &&
		q->n_field >= VS_FIRSTS_LEAST &&
		!vs_query_without(q, VS_WITHOUT_PREFIX);
	choose_kernels(c, q);
	c->sparse = vs_registry_sparse_pick(q->cpu);
	c->n_row = c->wide->lanes > VS_COLS ? ROWS_LANES : ROWS;
	c->n_plain = VS_MOST_COLS;
	while (c->n_plain > LEAST_COLS &&
		(c->gives_up || c->n_row * c->n_plain * sizeof(int32_t) > sums))
		c->n_plain /= 2;
	while (c->n_plain > c->wide->lanes &&
		c->n_plain > VS_ROW_FILTER_LANES &&
		(c->n_plain / 2 >= most ||
			c->wide->col_room(c->n_plain, q->n_field) >
				THIRD * cache))
		c->n_plain /= 2;
	c->n_col = c->n_plain;
	if (vs_representatives_most_gap(q) && most > c->n_plain)
		c->n_col = (c->n_plain * 3 / 2 + c->wide->lanes - 1) /
			c->wide->lanes * c->wide->lanes;
	/* a power of two apart, a column's sums would share few lines */
	c->ld = c->n_col + VS_COLS;
}

/* Kinds of sums: of one label where no call is missing. */
static size_t
n_kind(const struct vs_query *q)
{
	return q->has_missing ? 4 : 1;
}

static size_t
scratch_room(const struct vs_workshop *c)
{
	size_t n_field = c->q.n_field;
	size_t room = larger(c->wide->row_room(c->n_row, n_field),
		c->few->row_room(c->n_row, n_field));

	for (int k = 0; k < VS_FIRSTS && c->gives_up; k++)
		room = larger(room,
			c->wide->row_room(c->n_row,
				vs_first_fields(n_field, k)));
	return room;
}

static size_t
columns(const struct vs_query *q, size_t most, bool follow)
{
	struct vs_workshop c;

	choose(&c, q, most);
	return follow && c.n_col > c.n_plain ? 2 * c.n_plain : c.n_plain;
}

static float *
floats(struct vs_layout *l, const struct vs_workshop *c)
{
	return vs_layout_next(l, c->n_col * sizeof(float));
}

static void
lay_out_first(const struct vs_workshop *c, struct vs_worker *w, int k,
	struct vs_layout *l)
{
	struct vs_rest *rest = &w->rest[k];

	if (!c->wide->first)
		w->first[k].cols = vs_layout_next(l,
			c->wide->col_room(c->n_col,
				vs_first_fields(c->q.n_field, k)));
	*rest = (struct vs_rest){ .first = k,
		.at_least = { floats(l, c), floats(l, c) },
		.loose = { .above = floats(l, c), .below = floats(l, c) } };
}

static void
lay_out(const struct vs_workshop *c, struct vs_worker *w, struct vs_layout *l)
{
	size_t n_field = c->q.n_field, n = c->n_col;

	for (int label = 0; label < 2; label++) {
		if (label != c->q.lead && !c->q.has_missing)
			continue;
		w->wide[label].cols =
			vs_layout_next(l, c->wide->col_room(n, n_field));
		if (c->few != c->wide)
			w->few[label].cols = vs_layout_next(l,
				c->few->col_room(c->n_few, n_field));
	}
	if (c->q.has_missing) {
		w->four.cols =
			vs_layout_next(l, c->sparse->col_room(n, n_field));
		w->lost =
			vs_layout_next(l, vs_missing_bytes(c->n_row, n_field));
	}
	for (int k = 0; k < VS_FIRSTS && c->gives_up; k++)
		lay_out_first(c, w, k, l);
	w->scratch = vs_layout_next(l, scratch_room(c));
	/* padding may hold anything: its sides let nothing pass */
	w->sums = vs_layout_next(l,
		n_kind(&c->q) * c->n_row * c->ld * sizeof(*w->sums));
	w->sides = (struct vs_sides){ .bl = floats(l, c),
		.bo = floats(l, c),
		.ws = floats(l, c),
		.c = floats(l, c),
		.loose = { .above = floats(l, c), .below = floats(l, c) } };
}

static size_t
bytes(const struct vs_query *q, int n_worker, size_t most)
{
	struct vs_layout l = { 0 };
	struct vs_worker w;
	struct vs_workshop c;

	choose(&c, q, most);
	lay_out(&c, &w, &l);
	return (l.used + vs_batch_filter_bytes(c.n_row, c.n_col) +
		       vs_representatives_bytes(c.n_row) +
		       vs_representatives_bytes(c.n_col)) *
		(size_t)n_worker;
}

static void
cpu_close(void *state)
{
	struct vs_workshop *c = state;

	for (int k = 0; c && c->worker && k < c->n_worker; k++) {
		free(c->worker[k].memory);
		vs_batch_filter_free(&c->worker[k].batch);
		vs_representatives_free(&c->worker[k].rows);
		vs_representatives_free(&c->worker[k].cols);
	}
	if (c)
		free(c->worker);
	free(c);
}

static int
open_worker(const struct vs_workshop *c, struct vs_worker *w)
{
	struct vs_layout l = { 0 };
	int code;

	lay_out(c, w, &l);
	code = vs_mem_room(&w->memory, l.used, 1,
		"columns and sums of a thread");
	if (code)
		return code;
	l = (struct vs_layout){ .at = w->memory };
	lay_out(c, w, &l);
	code = vs_batch_filter_room(&w->batch, c->n_row, c->n_col);
	if (!code)
		code = vs_representatives_room(&w->rows, c->n_row);
	return code ? code : vs_representatives_room(&w->cols, c->n_col);
}

/* Each thread touches its own memory first. */
static int
open_workers(struct vs_workshop *c)
{
	int worst = 0;

#pragma omp parallel for num_threads(c->n_worker) schedule(static, 1) \
	reduction(min                                                 \
		  : worst)
	for (int k = 0; k < c->n_worker; k++) {
		int code = open_worker(c, &c->worker[k]);

		worst = code < worst ? code : worst;
	}
	return worst < 0 ? worst : 0;
}

static int
cpu_open(void **state, const struct vs_query *q, int n_worker, size_t most)
{
	struct vs_workshop *c = NULL;
	int code = vs_mem_new(&c, 1, sizeof(*c), "backend");

	if (code)
		return code;
	choose(c, q, most);
	c->n_worker = n_worker;
	code = vs_mem_new(&c->worker, (size_t)n_worker, sizeof(*c->worker),
		"workers");
	if (!code)
		code = open_workers(c);
	if (code)
		cpu_close(c);
	else
		*state = c;
	return code;
}

/* The leaders of columns that are taken together from lo on; whole spans. */
static size_t
take_part(const struct vs_workshop *c, const struct vs_strip *work, size_t lo,
	bool plain, struct vs_representatives *cols)
{
	size_t left = work->j_hi - lo, hi = work->j_hi;

	if (!plain && left <= 2 * c->n_plain &&
		vs_representatives_take(cols, work->j, lo, hi, c->n_col,
			false) == hi)
		return hi;
	hi = left < c->n_plain ? hi : lo + c->n_plain;
	vs_representatives_take(cols, work->j, lo, hi, c->n_col, plain);
	return hi;
}

/*
 * Have these columns, of which nothing is taken yet but what the float test
 * needs. Pieces of a strip mostly come one after another, and then they are
 * there. returns  their end
 */
static size_t
hold_part(const struct vs_workshop *c, struct vs_worker *w,
	const struct vs_strip *work, size_t lo, bool plain)
{
	struct vs_packed_columns_part *h = &w->held;
	struct vs_strip from = *work;

	from.j_lo = lo;
	if (vs_packed_columns_already(&h->of, &from) && h->plain == plain)
		return h->hi;
	h->plain = plain;
	h->hi = take_part(c, work, lo, plain, &w->cols);
	for (int label = 0; label < 2; label++)
		w->wide[label].valid = w->few[label].valid = false;
	for (int k = 0; k < VS_FIRSTS; k++)
		w->first[k].valid = w->rest_there[k] = false;
	w->four.valid = false;
	vs_coefficients_sides(&c->q, &w->cols, &w->sides);
	return h->hi;
}

static void
cpu_forget(void *state, const struct vs_panel *panel)
{
	struct vs_workshop *c = state;

	for (int k = 0; k < c->n_worker; k++)
		vs_packed_columns_forget(&c->worker[k].held.of, panel);
}

/*
 * A strip in parts, as many columns as are taken at a time. Where followers do
 * not pay what is left of a part is done again without.
 */
static int
do_strip(struct vs_workshop *c, int worker, const struct vs_strip *work,
	bool plain, struct vs_hits *found)
{
	const struct vs_query now = vs_query_now(&c->q);
	struct vs_strip part, again;
	struct vs_alleles_count s = { .shop = c,
		.q = &now,
		.w = &c->worker[worker],
		.work = &part,
		.plain = plain,
		.found = found };
	int code = 0;

	for (size_t lo = work->j_lo, hi; lo < work->j_hi && !code; lo = hi) {
		bool pays = true;
		size_t row;

		hi = hold_part(c, s.w, work, lo, plain);
		if (!vs_strip_part(work, work->i_lo, work->i_hi, lo, hi, &part))
			continue;
		vs_alleles_count_begin(&s);
		for (row = part.i_lo; row < part.i_hi && pays && !code;)
			code = vs_alleles_count_rows(&s, &row, &pays);
		if (row == part.i_hi || code)
			continue;
		part.i_lo = row;
		again = part;
		code = do_strip(c, worker, &again, true, found);
	}
	return code;
}

static int
cpu_strip(void *state, int worker, const struct vs_strip *work,
	struct vs_hits *found)
{
	struct vs_workshop *c = state;

	return do_strip(c, worker, work, !vs_query_prunes(&c->q), found);
}

static void
describe(const struct vs_query *q, size_t most, char *text, size_t room)
{
	struct vs_workshop c;

	choose_kernels(&c, q);
	snprintf(text, room, "cpu-%s",
		(most <= c.n_few ? c.few : c.wide)->name);
}

static double
rate(const struct vs_query *q)
{
	return q->cpu >= VS_CPU_AVX512  ? 2e12
		: q->cpu >= VS_CPU_AVX2 ? 5e11
					: 1e11;
}

const struct vs_backend vs_backend_cpu = {
	.name = "cpu",
	.open = cpu_open,
	.columns = columns,
	.strip = cpu_strip,
	.forget = cpu_forget,
	.close = cpu_close,
	.describe = describe,
	.bytes = bytes,
	.rate = rate,
};
