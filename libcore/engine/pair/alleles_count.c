/* SPDX-License-Identifier: BSD-3-Clause */
/* Counting of pairs of genotypes on the CPU, chunk after chunk. */
#include "libcore/engine/pair/alleles_count.h"
#include "libcore/engine/pair/exact.h"
#include "libcore/engine/pair/missing.h"
#include "libcore/engine/prune/prefix.h"
#include "libcore/engine/rectangle.h"

/*
 * If calls are missing, the bounds by one dense sum leave some pairs to be
 * counted singly, which costs 20 times a pair's share of a dense count. More
 * than one in ONE: the other label is counted too, which leaves fewer. More
 * than one in TWO even then: all four sums are counted at once.
 */
#define ONE 32
#define TWO 4

/* Cost of a pair that the first fields leave, in shares of a dense count of the
 * other fields; between 12 and 50 the time is the same. */
#define EARLY 16
/*
 * A pair of leaders that is left takes its followers' pairs to be looked at one
 * by one. More than one such in OPENED: without followers it is quicker.
 */
#define OPENED 24

/*
 * Vectors [row, end) against columns [from, to) of the panel, by the leaders of
 * the rows, the worker's, against leaders [lo, hi) of the strip's columns.
 */
struct chunk {
	size_t row, end, from, to;
	size_t lo, hi;
	int first; /* by these first fields; VS_FIRSTS: by all */
};

/* Sums of some rows by one label, with columns that are taken of a panel. */
static void
count_taken(struct vs_alleles_count *s, const struct chunk *k,
	const struct vs_panel *rows, const struct vs_panel *cols, int label,
	struct vs_taken *taken, int32_t *p)
{
	if (!taken->valid)
		s->dense->take_cols(cols, 0, s->n_col, label, taken->cols);
	taken->valid = true;
	s->dense->count(rows, 0, s->w->rows.n, label, taken->cols,
		k->lo / s->dense->lanes * s->dense->lanes, k->hi, s->w->scratch,
		p, s->plan->ld);
}

static void
count_rows(struct vs_alleles_count *s, const struct chunk *k,
	const struct vs_panel *rows, int label, int32_t *p)
{
	struct vs_alleles_worker *w = s->w;

	count_taken(s, k, rows, &w->cols.panel, label,
		s->dense == s->plan->wide ? &w->wide[label] : &w->few[label],
		p);
}

static const int32_t *
count_dense(struct vs_alleles_count *s, const struct chunk *k, int label)
{
	size_t other = label != s->plan->q.lead;
	int32_t *p = s->w->sums + other * s->plan->n_row * s->plan->ld;

	count_rows(s, k, &s->w->rows.panel, label, p);
	return p;
}

static void
count_four(struct vs_alleles_count *s, const struct chunk *k,
	struct vs_tally *out)
{
	struct vs_alleles_worker *w = s->w;
	size_t ld = s->plan->ld, one = s->plan->n_row * ld;
	int32_t *p = w->sums;
	struct vs_panel lost, *rows = &w->rows.panel, *cols = &w->cols.panel;

	*out = (struct vs_tally){ p, p + one, p + 2 * one, p + 3 * one, ld };
	if (s->dense->lanes <= VS_COLS) {
		if (!w->four.valid)
			s->plan->sparse->take_cols(cols, 0, s->n_col,
				w->four.cols);
		w->four.valid = true;
		s->plan->sparse->count(rows, 0, w->rows.n, w->four.cols,
			k->lo / VS_COLS * VS_COLS, k->hi, out);
		return;
	}
	/* four sums by such a kernel take less than the sparse one */
	vs_missing_take(rows, w->rows.n, w->lost, &lost);
	count_rows(s, k, rows, 1, out->xx);
	count_rows(s, k, rows, 0, out->xm);
	count_rows(s, k, &lost, 1, out->mx);
	count_rows(s, k, &lost, 0, out->mm);
	vs_missing_solve(s->plan->q.cpu, rows, w->rows.n, cols, k->lo, k->hi,
		out);
}

/* Go to row r of a chunk. */
static void
go_to(const struct vs_alleles_count *s, const struct vs_row_filter *first,
	const struct chunk *k, size_t r, struct vs_row_filter *t)
{
	size_t at = r * s->plan->ld, past = (size_t)s->w->rows.begin[r] + 1;

	*t = *first;
	t->i = r;
	t->lo = k->lo;
	t->hi = k->hi;
	/* on the diagonal only columns past the row are wanted */
	if (s->work->diagonal && past >= k->to)
		t->lo = t->hi;
	else if (s->work->diagonal && past > k->from)
		t->lo = vs_representatives_find(&s->w->cols, past);
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

/*
 * Look at all sums of a chunk at once. Below a threshold of 0 all pass, and
 * with all four sums the recipe is as near.
 * returns  how many may pass
 */
static size_t
look_at_all(struct vs_alleles_count *s, const struct chunk *k,
	struct vs_row_filter *first)
{
	struct vs_batch_filter_work work = { .rows = &s->w->rows,
		.sides = &s->w->sides,
		.rest = first->rest,
		.p = first->pl,
		.ld = s->plan->ld,
		.lo = k->lo,
		.hi = k->hi };

	if (!first->pl || first->po || !(s->plan->q.threshold > 0) ||
		vs_query_without(s->q, VS_WITHOUT_BATCH_FILTER))
		return 0;
	first->batch = &s->w->batch;
	return vs_batch_filter_look(&s->w->batch, &s->plan->q, &work);
}

/* True if the float test leaves more than one pair in one_in. */
static bool
leaves_many(struct vs_alleles_count *s, struct vs_row_filter *first,
	const struct chunk *k, size_t one_in)
{
	struct vs_row_filter t;
	size_t left = look_at_all(s, k, first), n_row = s->w->rows.n;

	for (size_t r = 0; r < n_row && !first->batch; r++) {
		go_to(s, first, k, r, &t);
		left += vs_row_filter_look(&t);
	}
	return left * one_in > n_row * (k->hi - k->lo);
}

/*
 * Count the first fields alone, where that will do for nearly all pairs; those
 * left are counted singly. returns  whether it did
 */
static bool
count_first(struct vs_alleles_count *s, const struct chunk *k,
	struct vs_row_filter *filter)
{
	struct vs_alleles_worker *w = s->w;
	int f = k->first, lead = s->plan->q.lead;
	struct vs_panel rows, cols = w->cols.panel;

	if (f == VS_FIRSTS)
		return false;
	rows = vs_panel_first(&w->rows.panel, f);
	if (!s->dense->first)
		cols = vs_panel_first(&cols, f);
	if (!w->rest_there[f])
		vs_coefficients_rest(&s->plan->q, &w->cols, 0, s->n_col,
			&w->rest[f]);
	w->rest_there[f] = true;
	count_taken(s, k, &rows, &cols, lead,
		s->dense->first ? &w->wide[lead] : &w->first[f], w->sums);
	filter->pl = w->sums;
	filter->rest = &w->rest[f];
	if (!leaves_many(s, filter, k, EARLY))
		return true;
	filter->rest = NULL;
	filter->batch = NULL;
	f = vs_first_more(s->plan->q.n_field, f);
	for (size_t g = k->lo / VS_SPAN; g * VS_SPAN < k->hi; g++)
		s->first[g] = s->first[g] < f ? f : s->first[g];
	return false;
}

/*
 * Sums of a chunk, of as many kinds as leave few pairs to be counted singly.
 * returns  whether that is so; where there are followers it may not be, and
 *          there is one kind only
 */
static bool
count_chunk(struct vs_alleles_count *s, const struct chunk *k,
	struct vs_row_filter *first)
{
	bool follow = s->w->cols.some || s->w->rows.some;
	bool complete =
		s->complete && vs_panel_complete(s->work->i, k->row, k->end);
	int lead = s->plan->q.lead;

	if (count_first(s, k, first))
		return true;
	if (complete || s->n_sum < 4)
		first->pl = count_dense(s, k, lead);
	if (follow)
		return !leaves_many(s, first, k, OPENED);
	if (!complete && s->n_sum == 1 && leaves_many(s, first, k, ONE))
		s->n_sum = 2;
	if (!complete && s->n_sum == 2) {
		first->batch = NULL;
		first->po = count_dense(s, k, !lead);
		if (leaves_many(s, first, k, TWO))
			s->n_sum = 4;
	}
	if (!complete && s->n_sum == 4) {
		first->pl = first->po = NULL;
		first->batch = NULL;
		count_four(s, k, &first->sums);
	}
	return true;
}

static int
filter_chunk(struct vs_alleles_count *s, const struct chunk *k,
	const struct vs_row_filter *first)
{
	struct vs_hits *found = s->found;
	struct vs_row_filter t;
	size_t left = 0; /* fields that were not counted */
	int code = 0;

	if (first->rest)
		left = s->plan->q.n_field -
			vs_first_fields(s->plan->q.n_field, first->rest->first);
	for (size_t r = 0; r < s->w->rows.n && !code; r++) {
		go_to(s, first, k, r, &t);
		found->fields_skipped += (double)(t.hi - t.lo) * (double)left;
		if (!s->plain)
			found->inferred -= (double)(t.hi - t.lo);
		code = vs_row_filter_row(&t, found);
		if (!code && vs_hits_due(found))
			code = found->drain(found);
	}
	return code;
}

/*
 * The next chunk, as vs_rectangle_next() has it; false: no columns are wanted.
 */
static bool
next_chunk(const struct vs_alleles_count *s, struct chunk *k)
{
	const struct vs_strip *w = s->work;
	struct vs_rectangle next = { .row = k->row };

	vs_rectangle_next(w, w->i_hi - k->row, &next);
	k->end = k->row + next.n_row;
	k->from = w->j_lo + next.lo;
	k->to = w->j_lo + next.hi;
	if (next.lo >= next.hi)
		return false;
	k->end = vs_representatives_take(&s->w->rows, w->i, k->row, k->end,
		s->plan->n_row, s->plain);
	k->lo = vs_representatives_find(&s->w->cols, k->from);
	k->hi = vs_representatives_find(&s->w->cols, k->to - 1) + 1;
	return true;
}

/* The part of a chunk from leader lo on, as many as are counted by the same
 * first fields. */
static struct chunk
part_of(const struct vs_alleles_count *s, const struct chunk *whole, size_t lo)
{
	const int32_t *begin = s->w->cols.begin;
	struct chunk k = *whole;

	k.lo = k.hi = lo;
	while (k.hi < whole->hi) {
		size_t g = k.hi / VS_SPAN, end = (g + 1) * VS_SPAN;
		int first;

		end = end < whole->hi ? end : whole->hi;
		first = vs_prefix_choose(&s->plan->q, &s->w->rows, &s->w->cols,
			&s->w->sides, k.hi, end, s->first[g]);
		if (k.hi > lo && first != k.first)
			break;
		k.first = first;
		k.hi = end;
	}
	if (k.lo > whole->lo)
		k.from = (size_t)begin[k.lo];
	if (k.hi < whole->hi)
		k.to = (size_t)begin[k.hi];
	return k;
}

static int
do_part(struct vs_alleles_count *s, const struct chunk *k, bool some,
	bool *pays)
{
	struct vs_row_filter first = { .q = s->q,
		.sparse = s->plan->sparse,
		.rows = &s->w->rows,
		.cols = &s->w->cols,
		.from = k->from,
		.to = k->to,
		.diagonal = s->work->diagonal,
		.sides = &s->w->sides,
		.decide = vs_exact_column };

	*pays = count_chunk(s, k, &first);
	if (!*pays && !some)
		return 0;
	if (!first.batch)
		look_at_all(s, k, &first);
	return filter_chunk(s, k, &first);
}

/*
 * All parts of a chunk. Where followers do not pay is known of the first one
 * before it is sifted, and then no row is done; of a later one it is heard too
 * late for these rows.
 */
static int
do_chunk(struct vs_alleles_count *s, struct chunk *whole, bool *pays)
{
	struct chunk part[VS_GROUPS];
	size_t n = 0;
	bool some = false;
	int code = 0;

	for (size_t lo = whole->lo; lo < whole->hi; lo = part[n++].hi)
		part[n] = part_of(s, whole, lo);
	/* those of all fields are the first to tell */
	for (int early = 0; early < 2; early++)
		for (size_t x = 0; x < n && !code; x++) {
			bool pay = true;

			if ((part[x].first < VS_FIRSTS) != early)
				continue;
			code = do_part(s, &part[x], some, &pay);
			*pays &= pay;
			if (!pay && !some) {
				whole->end = whole->row;
				return code;
			}
			some = true;
		}
	for (size_t row = whole->row; row < whole->end && !s->plain; row++)
		s->found->inferred +=
			(double)vs_rectangle_wanted(s->work, whole->row, row);
	return code;
}

/* ---- a strip ---- */

void
vs_alleles_count_begin(struct vs_alleles_count *s)
{
	const struct vs_strip *work = s->work;
	const struct vs_alleles_plan *plan = s->plan;

	/* each value is asked for, not only what bounds leave */
	s->n_sum = s->found->histogram ? 4 : 1;
	s->n_col = s->w->cols.n;
	s->dense = s->n_col <= plan->n_few ? plan->few : plan->wide;
	for (int g = 0; g < VS_GROUPS; g++)
		s->first[g] = plan->gives_up && s->dense == plan->wide
			? 0
			: VS_FIRSTS;
	s->complete = vs_panel_complete(work->j, work->j_lo, work->j_hi);
}

int
vs_alleles_count_rows(struct vs_alleles_count *s, size_t *row, bool *pays)
{
	struct chunk k = { .row = *row };
	int code = 0;

	*pays = true;
	if (next_chunk(s, &k))
		code = do_chunk(s, &k, pays);
	*row = k.end;
	return code;
}
