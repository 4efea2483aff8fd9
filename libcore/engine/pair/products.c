/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of products of genotype vectors by dense and sparse kernels. */
#include "libcore/engine/pair/products.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/pair/missing.h"

/*
 * Rows whose sums are counted, then filtered while they are in cache. The list
 * kernel runs over all rows of a call with the columns of a few fields in L1,
 * which each call has to load first.
 */
#define ROWS_LANES 128
#define ROWS 64
#define ROWS_SIX 32 /* with six sums of each pair, unless lists are kept */
/*
 * Columns counted at a time: the sums of the rows fill half of a core's L2, and
 * the planes of the columns about its share of the L3. If a kernel keeps the
 * lists of rows, more are taken, and counted as many at a time: what fits in L2
 * or, if there are enough fields for prefixes, in half of the share of the L3.
 */
#define MOST_COLS 2048
#define LEAST_COLS 1024
#define L3_SHARE 8 /* a core's share of L3, in units of L2 */
#define LEAST 128  /* columns that filters test together */
/* Fields from which on a prefix pays for CCC and DUO. */
#define ALLELES_FIRSTS 2048

/* Columns that are packed, beside those by label: for all values, the fields
 * that they miss, instead of label 0, and those with two copies. */
#define LOST 0
#define TWO 2

/* The lists of a call that no later one asks for. */
#define NO_ROWS (-1)

/* A kernel for blocks that fill its lanes, and one for those that do not. */
static void
choose_kernels(struct vs_pair_plan *c)
{
	const struct vs_query *q = &c->q;

	c->wide = vs_registry_dense_choose(q->cpu, q->kernel, VS_PRODUCTS_COLS,
		q->n_field, q->listed);
	c->few = c->wide;
	for (size_t n = VS_COLS; n < c->wide->lanes; n += VS_COLS) {
		const struct vs_dense *d = vs_registry_dense_choose(q->cpu,
			q->kernel, n, q->n_field, q->listed);

		if (d == c->wide || d->lanes > c->wide->lanes)
			break;
		c->few = d;
		c->n_few = n;
	}
	c->sparse = vs_registry_sparse_pick(q->cpu);
}

/* True if vs_products_moments() may be called. */
static bool
counts_twos(const struct vs_query *q)
{
	return q->has_missing && q->values && !q->alleles;
}

static size_t
n_sum(const struct vs_query *q)
{
	return counts_twos(q) ? 6 : q->has_missing ? 4 : 1;
}

void
vs_products_choose(struct vs_pair_plan *c)
{
	const struct vs_query *q = &c->q;
	const size_t cache = vs_cpu_cache(), sums = cache / 2;
	const bool six = counts_twos(q);
	bool kept, many;

	c->gives_up = q->prune && q->threshold > 0 &&
		q->n_field >= (q->alleles ? ALLELES_FIRSTS : VS_FIRSTS_LEAST) &&
		!vs_query_without(q, VS_WITHOUT_PREFIX);
	choose_kernels(c);
	kept = six && c->wide->count_some;
	many = c->gives_up || six;
	c->n_row = six && !kept                    ? ROWS_SIX
		: c->wide->lanes > VS_COLS && !six ? ROWS_LANES
						   : ROWS;
	c->n_taken = MOST_COLS;
	while (c->n_taken > (kept ? VS_BLOCK_COLS : LEAST_COLS) &&
		(c->gives_up ||
			(kept ? n_sum(q) : 1) * c->n_row * c->n_taken *
					sizeof(int32_t) >
				sums))
		c->n_taken /= 2;
	while (c->n_taken > vs_max_size(c->wide->lanes, LEAST) &&
		(c->n_taken / 2 >= c->most ||
			c->wide->col_room(c->n_taken, q->n_field) >
				L3_SHARE * cache))
		c->n_taken /= 2;
	c->n_chunk = c->n_taken;
	while (c->wide->count_some && (q->alleles || many) &&
		c->n_taken < VS_PRODUCTS_COLS && c->n_taken < c->most &&
		c->wide->col_room(2 * c->n_taken, q->n_field) <=
			(many ? L3_SHARE / 2 : 1) * cache)
		c->n_taken *= 2;
	c->n_col = c->n_taken;
	if (vs_representatives_most_gap(q) && c->most > c->n_taken)
		c->n_col = (c->n_taken * 3 / 2 + c->wide->lanes - 1) /
			c->wide->lanes * c->wide->lanes;
	/* a power of two apart, a column's sums would share few cache sets */
	if (c->n_chunk == c->n_taken)
		c->n_chunk = c->n_col;
	c->ld = c->n_chunk + VS_COLS;
}

size_t
vs_products_columns(const struct vs_pair_plan *c, bool follow)
{
	return follow && c->n_col > c->n_taken ? 2 * c->n_taken : c->n_taken;
}

static size_t
scratch_room(const struct vs_pair_plan *c)
{
	size_t n_field = c->q.n_field;
	size_t room = vs_max_size(c->wide->row_room(c->n_row, n_field),
		c->few->row_room(c->n_row, n_field));

	for (int k = 0; k < VS_FIRSTS && c->gives_up; k++)
		room = vs_max_size(room,
			c->wide->row_room(c->n_row,
				vs_first_fields(n_field, k)));
	return room;
}

/* Labels whose sums may be asked for. */
static bool
counts_label(const struct vs_query *q, int label)
{
	return q->has_missing || label == vs_products_label(q);
}

/* Columns before [0, lo) of the chunk from lo on that have no sums. */
static size_t
before(const struct vs_pair_plan *c, size_t lo)
{
	return c->n_chunk < c->n_col ? lo / VS_BLOCK_COLS * VS_BLOCK_COLS : 0;
}

void
vs_products_lay_out(const struct vs_pair_plan *c, struct vs_products *w,
	struct vs_layout *l)
{
	size_t n_field = c->q.n_field, n = c->n_col;

	for (int label = 0; label <= TWO; label++) {
		if (label == TWO ? !counts_twos(&c->q)
				 : !counts_label(&c->q, label))
			continue;
		w->wide[label].cols =
			vs_layout_next(l, c->wide->col_room(n, n_field));
		if (c->few != c->wide)
			w->few[label].cols = vs_layout_next(l,
				c->few->col_room(c->n_few, n_field));
	}
	for (int k = 0; k < VS_FIRSTS && c->gives_up && !c->wide->first; k++)
		w->first[k].cols = vs_layout_next(l,
			c->wide->col_room(n, vs_first_fields(n_field, k)));
	if (c->q.has_missing)
		w->lost.memory =
			vs_layout_next(l, vs_missing_bytes(c->n_row, n_field));
	if (counts_twos(&c->q)) {
		w->two.memory =
			vs_layout_next(l, vs_missing_bytes(c->n_row, n_field));
		w->mark_memory =
			vs_layout_next(l, vs_missing_bytes(n, n_field));
	}
	for (int k = 0; k < 3 && (!k || counts_twos(&c->q)); k++)
		w->list[k].scratch = vs_layout_next(l, scratch_room(c));
	/* padding may hold anything: no filter reads it */
	/* columns before a chunk's have no sums, and take no memory */
	w->sum = vs_layout_next(l,
		(n_sum(&c->q) * c->n_row * c->ld + before(c, n)) *
			sizeof(*w->sum));
	w->sum += w->sum ? before(c, n) : 0;
}

int
vs_products_open(const struct vs_pair_plan *plan, void *worker)
{
	struct vs_products *w = worker;
	int code = vs_representatives_room(&w->rows, plan->n_row);

	return code ? code : vs_representatives_room(&w->cols, plan->n_col);
}

size_t
vs_products_more_bytes(const struct vs_pair_plan *plan)
{
	return vs_representatives_bytes(plan->n_row) +
		vs_representatives_bytes(plan->n_col);
}

void
vs_products_close(void *worker)
{
	struct vs_products *w = worker;

	vs_representatives_free(&w->rows);
	vs_representatives_free(&w->cols);
}

const char *
vs_products_kernel(const struct vs_pair_plan *plan)
{
	return (plan->most <= plan->n_few ? plan->few : plan->wide)->name;
}

/* The leaders of columns from lo on that are taken together; whole spans. */
static size_t
take_leaders(const struct vs_pair_plan *c, const struct vs_strip *s, size_t lo,
	bool plain, struct vs_representatives *cols)
{
	size_t left = s->j_hi - lo, hi = s->j_hi;

	if (!plain && left <= 2 * c->n_taken &&
		vs_representatives_take(cols, s->j, lo, hi, c->n_col, false) ==
			hi)
		return hi;
	hi = left < c->n_taken ? hi : lo + c->n_taken;
	vs_representatives_take(cols, s->j, lo, hi, c->n_col, plain);
	return hi;
}

bool
vs_products_take(const struct vs_pair_plan *c, struct vs_products *w,
	const struct vs_strip *s, size_t lo)
{
	struct vs_strip from = *s;

	from.j_lo = lo;
	if (vs_packed_columns_already(&w->head.held, &from) &&
		w->plain == w->head.plain)
		return true;
	w->plain = w->head.plain;
	w->hi = take_leaders(c, s, lo, w->plain, &w->cols);
	w->dense = w->cols.n <= c->n_few ? c->few : c->wide;
	for (int label = 0; label <= TWO; label++)
		w->wide[label].valid = w->few[label].valid = false;
	for (int k = 0; k < VS_FIRSTS; k++)
		w->first[k].valid = false;
	return false;
}

size_t
vs_products_take_rows(const struct vs_pair_plan *c, struct vs_products *w,
	const struct vs_panel *p, size_t lo, size_t hi, bool plain)
{
	w->lost.there = w->two.there = false;
	for (int k = 0; k < 3; k++)
		w->list[k].of = NO_ROWS;
	return vs_representatives_take(&w->rows, p, lo, hi, c->n_row, plain);
}

/* The marks of the rows taken. */
static const struct vs_panel *
marks_of(const struct vs_products *w, enum vs_mark mark,
	struct vs_products_marks *m)
{
	if (!m->there)
		vs_missing_take(&w->rows.panel, w->rows.n, mark, m->memory,
			&m->panel);
	m->there = true;
	return &m->panel;
}

static void
pack(const struct vs_query *q, struct vs_products *w, struct vs_panel cols,
	int which, struct vs_packed *packed)
{
	const bool marks = counts_twos(q) && which != 1;

	if (packed->valid)
		return;
	if (marks)
		vs_missing_take(&w->cols.panel, w->cols.n,
			which == TWO ? VS_MARK_TWO : VS_MARK_MISSING,
			w->mark_memory, &cols);
	w->dense->take_cols(&cols, 0, w->cols.n, marks ? VS_MARKS : which,
		packed->cols);
	packed->valid = true;
}

/* list: the lists of the rows, which are kept for calls with the same `key`. */
static void
count_rows(const struct vs_pair_plan *c, struct vs_products *w,
	const struct vs_panel *rows, int which, int first,
	struct vs_products_list *list, int key, size_t lo, size_t hi,
	const struct vs_some *some, int32_t *p)
{
	const struct vs_dense *d = w->dense;
	const int label = counts_twos(&c->q) && which != 1 ? VS_MARKS : which;
	struct vs_panel cols = w->cols.panel;
	struct vs_packed *packed =
		d == c->wide ? &w->wide[which] : &w->few[which];
	struct vs_some these = { 0 };

	if (first < VS_FIRSTS && !d->first) {
		cols = vs_panel_first(&cols, first);
		packed = &w->first[first];
	}
	pack(&c->q, w, cols, which, packed);
	lo = lo / d->lanes * d->lanes;
	if (!d->count_some) {
		d->count(rows, 0, w->rows.n, label, packed->cols, lo, hi,
			list->scratch, p, c->ld);
		return;
	}
	if (some)
		these = *some;
	these.again = key != NO_ROWS && list->of == key;
	list->of = key;
	d->count_some(rows, 0, w->rows.n, label, packed->cols, lo, hi,
		list->scratch, p, c->ld, &these);
}

const int32_t *
vs_products_count(const struct vs_pair_plan *c, struct vs_products *w,
	int first, size_t lo, size_t hi, const struct vs_some *some)
{
	struct vs_panel rows = w->rows.panel;
	int32_t *p = w->sum - before(c, lo);

	if (first < VS_FIRSTS)
		rows = vs_panel_first(&rows, first);
	count_rows(c, w, &rows, vs_products_label(&c->q), first, w->list, first,
		lo, hi, some, p);
	return p;
}

void
vs_products_joint(const struct vs_pair_plan *c, struct vs_products *w,
	size_t lo, size_t hi, const struct vs_some *some,
	struct vs_joint_sums *out)
{
	const int label = vs_products_label(&c->q);
	const size_t one = c->n_row * c->ld;
	int32_t *p = w->sum - before(c, lo);
	const struct vs_missing_sums t = { p, p + one, p + 2 * one, p + 3 * one,
		c->ld, some ? some->block : NULL };
	const struct vs_panel *rows = &w->rows.panel, *lost;

	lost = marks_of(w, VS_MARK_MISSING, &w->lost);
	count_rows(c, w, rows, !label, VS_FIRSTS, w->list, NO_ROWS, lo, hi,
		some, t.other);
	count_rows(c, w, lost, label, VS_FIRSTS, w->list, NO_ROWS, lo, hi, some,
		t.lost);
	count_rows(c, w, lost, !label, VS_FIRSTS, w->list, NO_ROWS, lo, hi,
		some, t.other_lost);
	vs_missing_solve(c->q.cpu, rows, w->rows.n, &w->cols.panel, lo, hi,
		label, &t);
	*out = (struct vs_joint_sums){ p, { t.other, t.lost, t.other_lost },
		c->ld };
}

void
vs_products_moments(const struct vs_pair_plan *c, struct vs_products *w,
	size_t lo, size_t hi, struct vs_joint_sums *out,
	struct vs_products_twos *twos)
{
	const struct vs_panel *rows = &w->rows.panel,
			      *lost = marks_of(w, VS_MARK_MISSING, &w->lost),
			      *two = marks_of(w, VS_MARK_TWO, &w->two);
	const struct {
		const struct vs_panel *rows;
		int list, cols;
	} of[] = { { rows, 0, LOST }, { lost, 1, 1 }, { lost, 1, LOST },
		{ two, 2, LOST }, { lost, 1, TWO } };
	int32_t *sum[6] = { w->sum - before(c, lo) };

	for (int k = 0; k < 5; k++) {
		sum[k + 1] = sum[k] + c->n_row * c->ld;
		count_rows(c, w, of[k].rows, of[k].cols, VS_FIRSTS,
			&w->list[of[k].list], VS_FIRSTS, lo, hi, NULL,
			sum[k + 1]);
	}
	*out = (struct vs_joint_sums){ sum[0], { sum[1], sum[2], sum[3] },
		c->ld };
	*twos = (struct vs_products_twos){ sum[4], sum[5] };
}
