/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/layout.h"
#include "libcore/base/mem.h"
#include "libcore/engine/backend.h"
#include "libcore/engine/chunk.h"
#include "libcore/engine/cut.h"
#include "libcore/engine/held.h"
#include "libcore/engine/lost.h"
#include "libcore/engine/sift.h"

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
#define MOST_COLS 2048
#define THIRD 8 /* in second caches */
/*
 * Where calls are missing, the bounds by one dense sum leave some pairs to be
 * counted singly, which costs 20 times a pair's share of a dense count. More
 * than one in ONE: the other label is counted too, which leaves fewer. More
 * than one in TWO even then: all four sums are counted at once.
 */
#define ONE 32
#define TWO 4

/* A pair that the first fields leave costs about so many times its share of a
 * dense count of the others; between 12 and 50 the time is the same. */
#define EARLY 20
/*
 * A pair of leaders that is left takes its followers' pairs to be looked at one
 * by one. More than one such in OPENED: without followers it is quicker.
 */
#define OPENED 24

/* Columns in one kernel's order. */
struct taken {
	void *cols;
	bool valid;
};

/* The columns that are taken: of those from somewhere to a strip's end, the
 * first up to hi. */
struct held {
	struct vs_held of;
	size_t hi;
	bool plain;
};

/* One thread's memory, all of it in one piece but for the band and leaders. */
struct worker {
	void *memory;
	struct held held;
	struct taken wide[2], few[2];  /* dense by label; the same of few */
	struct taken four;             /* sparse */
	void *lost;                    /* rows, where calls are missing */
	struct taken first[VS_FIRSTS]; /* dense, of the first fields */
	struct vs_rest rest[VS_FIRSTS];
	struct vs_leads rows, cols;
	void *scratch;         /* rows of a dense call */
	int32_t *sums;         /* one array or four, n_row x ld */
	struct vs_sides sides; /* of the columns, one allocation at bl */
	struct vs_band band;
};

struct cpu {
	struct vs_question q;
	const struct vs_dense *wide, *few; /* few: up to n_few columns */
	const struct vs_sparse *sparse;
	size_t n_plain, n_few; /* columns taken at a time, if none follow */
	/* leaders taken at a time, of up to twice n_plain columns */
	size_t n_col;
	size_t ld;    /* sums of a row are so far from the next one's */
	size_t n_row; /* rows counted at a time, at most */
	int n_worker;
	struct worker *worker;
};

/* A strip in work. */
struct strip {
	const struct cpu *c;
	struct worker *w;
	const struct vs_strip *work;
	const struct vs_question *q; /* by now */
	const struct vs_dense *dense;
	size_t n_col;  /* leaders of the columns */
	bool plain;    /* no vector follows another */
	bool complete; /* the columns miss no call */
	int first;     /* least first fields worth a try; VS_FIRSTS: none */
	int n_sum;     /* kinds of sums that the rows need: 1, 2 or 4 */
	struct vs_found *found;
};

/* A kernel for blocks that fill its lanes, and one for those that do not. */
static void
choose_kernels(struct cpu *c, const struct vs_question *q)
{
	c->wide = vs_dense_choose(q->cpu, q->kernel, MOST_COLS, q->n_field,
		q->listed);
	c->few = c->wide;
	c->n_few = 0;
	for (size_t n = VS_COLS; n < c->wide->lanes; n += VS_COLS) {
		const struct vs_dense *d = vs_dense_choose(q->cpu, q->kernel, n,
			q->n_field, q->listed);

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
choose(struct cpu *c, const struct vs_question *q, size_t most)
{
	size_t cache = vs_cpu_cache(), sums = cache / 2;

	c->q = *q;
	choose_kernels(c, q);
	c->sparse = vs_sparse_pick(q->cpu);
	c->n_row = c->wide->lanes > VS_COLS ? ROWS_LANES : ROWS;
	c->n_plain = MOST_COLS;
	while (c->n_plain > LEAST_COLS &&
		c->n_row * c->n_plain * sizeof(int32_t) > sums)
		c->n_plain /= 2;
	while (c->n_plain > c->wide->lanes && c->n_plain > VS_SIFT_LANES &&
		(c->n_plain / 2 >= most ||
			c->wide->col_room(c->n_plain, q->n_field) >
				THIRD * cache))
		c->n_plain /= 2;
	c->n_col = c->n_plain;
	if (vs_leads_most_gap(q) && most > c->n_plain)
		c->n_col = (c->n_plain * 3 / 2 + c->wide->lanes - 1) /
			c->wide->lanes * c->wide->lanes;
	/* a power of two apart, a column's sums would share few lines */
	c->ld = c->n_col + VS_COLS;
}

/* Are pairs given up before all fields are counted? */
static bool
gives_up(const struct vs_question *q)
{
	return q->prune && q->threshold > 0 && q->n_field >= VS_FIRSTS_LEAST;
}

/* Kinds of sums: of one label where no call is missing. */
static size_t
n_kind(const struct vs_question *q)
{
	return q->has_missing ? 4 : 1;
}

static size_t
scratch_room(const struct cpu *c)
{
	size_t n_field = c->q.n_field;
	size_t room = larger(c->wide->row_room(c->n_row, n_field),
		c->few->row_room(c->n_row, n_field));

	for (int k = 0; k < VS_FIRSTS && gives_up(&c->q); k++)
		room = larger(room,
			c->wide->row_room(c->n_row,
				vs_first_fields(n_field, k)));
	return room;
}

static size_t
columns(const struct vs_question *q, size_t most, bool follow)
{
	struct cpu c;

	choose(&c, q, most);
	return follow && c.n_col > c.n_plain ? 2 * c.n_plain : c.n_plain;
}

static float *
floats(struct vs_layout *l, const struct cpu *c)
{
	return vs_layout_next(l, c->n_col * sizeof(float));
}

static void
lay_out_first(const struct cpu *c, struct worker *w, int k, struct vs_layout *l)
{
	struct vs_rest *rest = &w->rest[k];

	w->first[k].cols = vs_layout_next(l,
		c->wide->col_room(c->n_col, vs_first_fields(c->q.n_field, k)));
	*rest = (struct vs_rest){ .first = k,
		.at_least = { floats(l, c), floats(l, c) },
		.loose = { .above = floats(l, c), .below = floats(l, c) } };
}

static void
lay_out(const struct cpu *c, struct worker *w, struct vs_layout *l)
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
		w->lost = vs_layout_next(l, vs_lost_bytes(c->n_row, n_field));
	}
	for (int k = 0; k < VS_FIRSTS && gives_up(&c->q); k++)
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
bytes(const struct vs_question *q, int n_worker, size_t most)
{
	struct vs_layout l = { 0 };
	struct worker w;
	struct cpu c;

	choose(&c, q, most);
	lay_out(&c, &w, &l);
	return (l.used + vs_band_bytes(c.n_row, c.n_col) +
		       vs_leads_bytes(c.n_row) + vs_leads_bytes(c.n_col)) *
		(size_t)n_worker;
}

static void
cpu_close(void *state)
{
	struct cpu *c = state;

	for (int k = 0; c && c->worker && k < c->n_worker; k++) {
		free(c->worker[k].memory);
		vs_band_free(&c->worker[k].band);
		vs_leads_free(&c->worker[k].rows);
		vs_leads_free(&c->worker[k].cols);
	}
	if (c)
		free(c->worker);
	free(c);
}

static int
open_worker(const struct cpu *c, struct worker *w)
{
	struct vs_layout l = { 0 };
	int code;

	lay_out(c, w, &l);
	code = vs_room(&w->memory, l.used, 1, "columns and sums of a thread");
	if (code)
		return code;
	l = (struct vs_layout){ .at = w->memory };
	lay_out(c, w, &l);
	code = vs_band_room(&w->band, c->n_row, c->n_col);
	if (!code)
		code = vs_leads_room(&w->rows, c->n_row);
	return code ? code : vs_leads_room(&w->cols, c->n_col);
}

/* Each thread touches its own memory first. */
static int
open_workers(struct cpu *c)
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
	if (!code)
		code = open_workers(c);
	if (code)
		cpu_close(c);
	else
		*state = c;
	return code;
}

static void
begin_strip(struct strip *s)
{
	const struct vs_strip *work = s->work;

	/* each value is asked for, not only what bounds leave */
	s->n_sum = s->found->bins ? 4 : 1;
	s->n_col = s->w->cols.n;
	s->dense = s->n_col <= s->c->n_few ? s->c->few : s->c->wide;
	s->first = gives_up(&s->c->q) && s->dense == s->c->wide ? 0 : VS_FIRSTS;
	s->complete = vs_panel_complete(work->j, work->j_lo, work->j_hi);
}

/*
 * Vectors [row, end) against columns [from, to) of the panel, by the leaders of
 * the rows, the worker's, against leaders [lo, hi) of the strip's columns.
 */
struct chunk {
	size_t row, end, from, to;
	size_t lo, hi;
};

/* Sums of some rows by one label. */
static void
count_rows(struct strip *s, const struct chunk *k, const struct vs_panel *rows,
	int label, int32_t *p)
{
	struct taken *taken =
		s->dense == s->c->wide ? &s->w->wide[label] : &s->w->few[label];

	if (!taken->valid)
		s->dense->take_cols(&s->w->cols.panel, 0, s->n_col, label,
			taken->cols);
	taken->valid = true;
	s->dense->count(rows, 0, s->w->rows.n, label, taken->cols,
		k->lo / s->dense->lanes * s->dense->lanes, k->hi, s->w->scratch,
		p, s->c->ld);
}

static const int32_t *
count_dense(struct strip *s, const struct chunk *k, int label)
{
	size_t other = label != s->c->q.lead;
	int32_t *p = s->w->sums + other * s->c->n_row * s->c->ld;

	count_rows(s, k, &s->w->rows.panel, label, p);
	return p;
}

static void
count_four(struct strip *s, const struct chunk *k, struct vs_tally *out)
{
	struct worker *w = s->w;
	size_t ld = s->c->ld, one = s->c->n_row * ld;
	int32_t *p = w->sums;
	struct vs_panel lost, *rows = &w->rows.panel, *cols = &w->cols.panel;

	*out = (struct vs_tally){ p, p + one, p + 2 * one, p + 3 * one, ld };
	if (s->dense->lanes <= VS_COLS) {
		if (!w->four.valid)
			s->c->sparse->take_cols(cols, 0, s->n_col,
				w->four.cols);
		w->four.valid = true;
		s->c->sparse->count(rows, 0, w->rows.n, w->four.cols,
			k->lo / VS_COLS * VS_COLS, k->hi, out);
		return;
	}
	/* four sums by such a kernel take less than the sparse one */
	vs_lost_take(rows, w->rows.n, w->lost, &lost);
	count_rows(s, k, rows, 1, out->xx);
	count_rows(s, k, rows, 0, out->xm);
	count_rows(s, k, &lost, 1, out->mx);
	count_rows(s, k, &lost, 0, out->mm);
	vs_lost_solve(s->c->q.cpu, rows, w->rows.n, cols, k->lo, k->hi, out);
}

/* Go to row r of a chunk. */
static void
go_to(const struct strip *s, const struct vs_sift *first, const struct chunk *k,
	size_t r, struct vs_sift *t)
{
	size_t at = r * s->c->ld, past = (size_t)s->w->rows.begin[r] + 1;

	*t = *first;
	t->i = r;
	t->lo = k->lo;
	t->hi = k->hi;
	/* on the diagonal only columns past the row are wanted */
	if (s->work->diagonal && past >= k->to)
		t->lo = t->hi;
	else if (s->work->diagonal && past > k->from)
		t->lo = vs_leads_find(&s->w->cols, past);
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
look_at_all(struct strip *s, const struct chunk *k, struct vs_sift *first)
{
	struct vs_band_work work = { .rows = &s->w->rows,
		.sides = &s->w->sides,
		.rest = first->rest,
		.p = first->pl,
		.ld = s->c->ld,
		.lo = k->lo,
		.hi = k->hi };

	if (!first->pl || first->po || !(s->c->q.threshold > 0))
		return 0;
	first->band = &s->w->band;
	return vs_band_look(&s->w->band, &s->c->q, &work);
}

/* Is more than one pair in so many left by the float test? */
static bool
leaves_many(struct strip *s, struct vs_sift *first, const struct chunk *k,
	size_t one_in)
{
	struct vs_sift t;
	size_t left = look_at_all(s, k, first), n_row = s->w->rows.n;

	for (size_t r = 0; r < n_row && !first->band; r++) {
		go_to(s, first, k, r, &t);
		left += vs_sift_look(&t);
	}
	return left * one_in > n_row * (k->hi - k->lo);
}

/*
 * Would pairs of this kind be given up after so many first fields, were they
 * alike by chance alone? A row and columns from the middle of the chunk are
 * tried with the sum that is to be expected, and with more and less of it.
 */
static bool
promises(const struct strip *s, const struct vs_sift *sift,
	const struct chunk *k, int first)
{
	const struct vs_question *q = &s->c->q;
	float rests[4][VS_SIFT_LANES];
	int32_t sums[VS_SIFT_LANES] = { 0 };
	size_t mid = (k->lo + k->hi) / 2 / VS_SIFT_LANES * VS_SIFT_LANES;
	size_t n =
		s->n_col - mid < VS_SIFT_LANES ? s->n_col - mid : VS_SIFT_LANES;
	struct vs_rest rest = { first, { rests[0], rests[1] },
		{ .above = rests[2], .below = rests[3] } };
	struct vs_sides sides = s->w->sides;
	struct vs_panel pi = vs_panel_first(&s->w->rows.panel, first);
	struct vs_panel pj = vs_panel_first(&s->w->cols.panel, first);
	double n_field = (double)pi.vec.n_field, si;
	struct vs_sift t = *sift;
	size_t left = 0;

	sides.bl += mid;
	sides.bo += mid;
	sides.ws += mid;
	sides.c += mid;
	t.sides = &sides;
	t.i = s->w->rows.n / 2;
	t.lo = 0;
	t.hi = n;
	t.pl = sums;
	t.rest = &rest;
	si = vs_panel_sum(&pi, t.i, q->lead);
	vs_rest_fill(q, &s->w->cols, mid, n, &rest);
	for (int way = -1; way <= 1; way += 2) {
		for (size_t c = 0; c < n; c++) {
			double sj = vs_panel_sum(&pj, mid + c, q->lead);

			sums[c] = (int32_t)(si * sj / n_field +
				way * sqrt(n_field));
		}
		left += vs_sift_look(&t);
	}
	return left <= n / 4;
}

/*
 * Count the first fields alone, where that will do for nearly all pairs; those
 * left are counted singly. returns  whether it did
 */
static bool
count_first(struct strip *s, const struct chunk *k, struct vs_sift *sift)
{
	struct worker *w = s->w;
	int f = s->first;
	struct vs_panel pi, pj;

	while (f < VS_FIRSTS && !promises(s, sift, k, f))
		f = vs_first_more(s->c->q.n_field, f);
	if (f == VS_FIRSTS)
		return false;
	pi = vs_panel_first(&w->rows.panel, f);
	pj = vs_panel_first(&w->cols.panel, f);
	if (!w->first[f].valid) {
		s->dense->take_cols(&pj, 0, s->n_col, s->c->q.lead,
			w->first[f].cols);
		vs_rest_fill(&s->c->q, &w->cols, 0, s->n_col, &w->rest[f]);
		w->first[f].valid = true;
	}
	s->dense->count(&pi, 0, w->rows.n, s->c->q.lead, w->first[f].cols,
		k->lo / s->dense->lanes * s->dense->lanes, k->hi, w->scratch,
		w->sums, s->c->ld);
	sift->pl = w->sums;
	sift->rest = &w->rest[f];
	if (!leaves_many(s, sift, k, EARLY))
		return true;
	sift->rest = NULL;
	sift->band = NULL;
	s->first = vs_first_more(s->c->q.n_field, f);
	return false;
}

/*
 * Sums of a chunk, of as many kinds as leave few pairs to be counted singly.
 * returns  whether that is so; where there are followers it may not be, and
 *          there is one kind only
 */
static bool
count_chunk(struct strip *s, const struct chunk *k, struct vs_sift *first)
{
	bool follow = s->w->cols.some || s->w->rows.some;
	bool complete =
		s->complete && vs_panel_complete(s->work->i, k->row, k->end);
	int lead = s->c->q.lead;

	if (s->first < VS_FIRSTS && count_first(s, k, first))
		return true;
	if (complete || s->n_sum < 4)
		first->pl = count_dense(s, k, lead);
	if (follow)
		return !leaves_many(s, first, k, OPENED);
	if (!complete && s->n_sum == 1 && leaves_many(s, first, k, ONE))
		s->n_sum = 2;
	if (!complete && s->n_sum == 2) {
		first->band = NULL;
		first->po = count_dense(s, k, !lead);
		if (leaves_many(s, first, k, TWO))
			s->n_sum = 4;
	}
	if (!complete && s->n_sum == 4) {
		first->pl = first->po = NULL;
		first->band = NULL;
		count_four(s, k, &first->sums);
	}
	return true;
}

static int
sift_chunk(struct strip *s, const struct chunk *k, const struct vs_sift *first,
	struct vs_found *found)
{
	struct vs_sift t;
	size_t left = 0; /* fields that were not counted */
	int code = 0;

	if (first->rest)
		left = s->c->q.n_field -
			vs_first_fields(s->c->q.n_field, first->rest->first);
	for (size_t row = k->row; row < k->end && !s->plain; row++)
		found->told += (double)vs_chunk_wanted(s->work, k->row, row);
	for (size_t r = 0; r < s->w->rows.n && !code; r++) {
		go_to(s, first, k, r, &t);
		found->spared += (double)(t.hi - t.lo) * (double)left;
		if (!s->plain)
			found->told -= (double)(t.hi - t.lo);
		code = vs_sift_row(&t, found);
		if (!code && found->n >= VS_FOUND)
			code = found->drain(found);
	}
	return code;
}

/* The next chunk, as vs_chunk_next() has it; false: no columns are wanted. */
static bool
next_chunk(const struct strip *s, struct chunk *k)
{
	const struct vs_strip *w = s->work;
	struct vs_chunk next = { .row = k->row };

	vs_chunk_next(w, w->i_hi - k->row, &next);
	k->end = k->row + next.n_row;
	k->from = w->j_lo + next.lo;
	k->to = w->j_lo + next.hi;
	if (next.lo >= next.hi)
		return false;
	k->end = vs_leads_take(&s->w->rows, w->i, k->row, k->end, s->c->n_row,
		s->plain);
	k->lo = vs_leads_find(&s->w->cols, k->from);
	k->hi = vs_leads_find(&s->w->cols, k->to - 1) + 1;
	return true;
}

static int
do_chunk(struct strip *s, const struct chunk *k, struct vs_found *found,
	bool *pays)
{
	struct vs_sift first = { .q = s->q,
		.sparse = s->c->sparse,
		.rows = &s->w->rows,
		.cols = &s->w->cols,
		.from = k->from,
		.to = k->to,
		.diagonal = s->work->diagonal,
		.sides = &s->w->sides };

	*pays = count_chunk(s, k, &first);
	if (*pays && !first.band)
		look_at_all(s, k, &first);
	return *pays ? sift_chunk(s, k, &first, found) : 0;
}

/* The leaders of columns that are taken together from lo on; whole spans. */
static size_t
take_part(const struct cpu *c, const struct vs_strip *work, size_t lo,
	bool plain, struct vs_leads *cols)
{
	size_t left = work->j_hi - lo, hi = work->j_hi;

	if (!plain && left <= 2 * c->n_plain &&
		vs_leads_take(cols, work->j, lo, hi, c->n_col, false) == hi)
		return hi;
	hi = left < c->n_plain ? hi : lo + c->n_plain;
	vs_leads_take(cols, work->j, lo, hi, c->n_col, plain);
	return hi;
}

/*
 * Have these columns, of which nothing is taken yet but what the float test
 * needs. Pieces of a strip mostly come one after another, and then they are
 * there. returns  their end
 */
static size_t
hold_part(const struct cpu *c, struct worker *w, const struct vs_strip *work,
	size_t lo, bool plain)
{
	struct held *h = &w->held;
	struct vs_strip from = *work;

	from.j_lo = lo;
	if (vs_held_already(&h->of, &from) && h->plain == plain)
		return h->hi;
	h->plain = plain;
	h->hi = take_part(c, work, lo, plain, &w->cols);
	for (int label = 0; label < 2; label++)
		w->wide[label].valid = w->few[label].valid = false;
	for (int k = 0; k < VS_FIRSTS; k++)
		w->first[k].valid = false;
	w->four.valid = false;
	vs_sides_fill(&c->q, &w->cols, &w->sides);
	return h->hi;
}

static void
cpu_forget(void *state, const struct vs_panel *panel)
{
	struct cpu *c = state;

	for (int k = 0; k < c->n_worker; k++)
		vs_held_forget(&c->worker[k].held.of, panel);
}

/*
 * A strip in parts, as many columns as are taken at a time. Where followers do
 * not pay what is left of a part is done again without.
 */
static int
do_strip(struct cpu *c, int worker, const struct vs_strip *work, bool plain,
	struct vs_found *found)
{
	const struct vs_question now = vs_question_now(&c->q);
	struct vs_strip part, again;
	struct strip s = { .c = c,
		.q = &now,
		.w = &c->worker[worker],
		.work = &part,
		.plain = plain,
		.found = found };
	int code = 0;

	for (size_t lo = work->j_lo, hi; lo < work->j_hi && !code; lo = hi) {
		struct chunk k;
		bool pays = true;

		hi = hold_part(c, s.w, work, lo, plain);
		if (!vs_strip_part(work, work->i_lo, work->i_hi, lo, hi, &part))
			continue;
		begin_strip(&s);
		for (k.row = part.i_lo; k.row < part.i_hi && !code;
			k.row = k.end) {
			if (next_chunk(&s, &k))
				code = do_chunk(&s, &k, found, &pays);
			if (!pays)
				break;
		}
		if (pays || code)
			continue;
		part.i_lo = k.row;
		again = part;
		code = do_strip(c, worker, &again, true, found);
	}
	return code;
}

static int
cpu_strip(void *state, int worker, const struct vs_strip *work,
	struct vs_found *found)
{
	struct cpu *c = state;

	return do_strip(c, worker, work, !vs_question_prunes(&c->q), found);
}

static void
describe(const struct vs_question *q, size_t most, char *text, size_t room)
{
	struct cpu c;

	choose_kernels(&c, q);
	snprintf(text, room, "cpu-%s",
		(most <= c.n_few ? c.few : c.wide)->name);
}

static double
rate(const struct vs_question *q)
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
