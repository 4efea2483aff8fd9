/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CCC and DUO of pairs on the CPU: the plan and the memory of a worker, and a
 * strip in parts of as many columns as are taken at a time.
 */
#include "libcore/engine/pair/alleles_count.h"
#include "libcore/engine/pair/missing.h"
#include "libcore/engine/strip.h"

/*
 * Rows whose sums are counted, then filtered while they are in cache. The list
 * kernel goes over all rows of a call with the columns of a few fields in L1,
 * which it has to fetch for each call.
 */
#define ROWS_LANES 128
#define ROWS 64
/*
 * Columns taken at a time: the sums of the rows fill half of a core's L2, and
 * the planes of the columns about its share of the L3.
 */
#define LEAST_COLS 1024
#define L3_SHARE 8 /* a core's share of the L3, in L2 */

/* A kernel for blocks that fill its lanes, and one for those that do not. */
static void
choose_kernels(struct vs_alleles_plan *c, const struct vs_query *q)
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
choose(union vs_pair_plan *plan, const struct vs_query *q, size_t most)
{
	struct vs_alleles_plan *c = &plan->alleles;
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
				L3_SHARE * cache))
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
scratch_room(const struct vs_alleles_plan *c)
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
columns(const union vs_pair_plan *plan, bool follow)
{
	const struct vs_alleles_plan *c = &plan->alleles;

	return follow && c->n_col > c->n_plain ? 2 * c->n_plain : c->n_plain;
}

static float *
floats(struct vs_layout *l, const struct vs_alleles_plan *c)
{
	return vs_layout_next(l, c->n_col * sizeof(float));
}

static void
lay_out_first(const struct vs_alleles_plan *c, struct vs_alleles_worker *w,
	int k, struct vs_layout *l)
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
lay_out(const union vs_pair_plan *plan, void *worker, struct vs_layout *l)
{
	const struct vs_alleles_plan *c = &plan->alleles;
	struct vs_alleles_worker *w = worker;
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
bytes(const union vs_pair_plan *plan)
{
	const struct vs_alleles_plan *c = &plan->alleles;
	struct vs_layout l = { 0 };
	struct vs_alleles_worker w;

	lay_out(plan, &w, &l);
	return l.used + vs_batch_filter_bytes(c->n_row, c->n_col) +
		vs_representatives_bytes(c->n_row) +
		vs_representatives_bytes(c->n_col);
}

static void
close_worker(void *worker)
{
	struct vs_alleles_worker *w = worker;

	vs_batch_filter_free(&w->batch);
	vs_representatives_free(&w->rows);
	vs_representatives_free(&w->cols);
}

static int
open_worker(const union vs_pair_plan *plan, void *worker)
{
	const struct vs_alleles_plan *c = &plan->alleles;
	struct vs_alleles_worker *w = worker;
	int code = vs_batch_filter_room(&w->batch, c->n_row, c->n_col);

	if (!code)
		code = vs_representatives_room(&w->rows, c->n_row);
	return code ? code : vs_representatives_room(&w->cols, c->n_col);
}

/* The leaders of columns that are taken together from lo on; whole spans. */
static size_t
take_part(const struct vs_alleles_plan *c, const struct vs_strip *work,
	size_t lo, bool plain, struct vs_representatives *cols)
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
hold_part(const struct vs_alleles_plan *c, struct vs_alleles_worker *w,
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
forget(void *worker, const struct vs_panel *panel)
{
	struct vs_alleles_worker *w = worker;

	vs_packed_columns_forget(&w->held.of, panel);
}

/*
 * A strip in parts, as many columns as fit at a time. Where followers do not
 * pay the remaining rows of a part are counted again without them.
 */
static int
do_strip(const struct vs_alleles_plan *c, struct vs_alleles_worker *w,
	const struct vs_strip *work, bool plain, struct vs_hits *found)
{
	const struct vs_query now = vs_query_now(&c->q);
	struct vs_strip part, again;
	struct vs_alleles_count s = { .plan = c,
		.q = &now,
		.w = w,
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
		code = do_strip(c, w, &again, true, found);
	}
	return code;
}

static int
strip(const union vs_pair_plan *plan, void *worker, const struct vs_strip *work,
	struct vs_hits *found)
{
	const struct vs_alleles_plan *c = &plan->alleles;

	return do_strip(c, worker, work, !vs_query_prunes(&c->q), found);
}

static const char *
kernel(const union vs_pair_plan *plan, size_t most)
{
	const struct vs_alleles_plan *c = &plan->alleles;

	return (most <= c->n_few ? c->few : c->wide)->name;
}

const struct vs_pair_family vs_pair_alleles = {
	.worker_bytes = sizeof(struct vs_alleles_worker),
	.choose = choose,
	.columns = columns,
	.lay_out = lay_out,
	.bytes = bytes,
	.open = open_worker,
	.close = close_worker,
	.forget = forget,
	.strip = strip,
	.kernel = kernel,
};
