/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/backend.h"
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

/*
 * A pair that the first fields leave to be counted singly costs about 30 times
 * a pair's share of a dense count of the others.
 */
#define EARLY 32
#define EARLY_ROWS 8 /* one in so many tells how many are left */

/* Columns in one kernel's order. */
struct taken {
	void *cols;
	bool valid;
};

/* One thread's memory. */
struct worker {
	struct taken wide[2], few[2];  /* dense by label; the same of few */
	struct taken four;             /* sparse */
	struct taken first[VS_FIRSTS]; /* dense, of the first fields */
	struct vs_rest rest[VS_FIRSTS];
	void *scratch;         /* rows of a dense call */
	int32_t *sums;         /* up to four arrays, n_row x n_col */
	struct vs_sides sides; /* of the columns, one allocation at bl */
};

struct cpu {
	struct vs_question q;
	const struct vs_dense *wide, *few; /* few: up to n_few columns */
	const struct vs_sparse *sparse;
	size_t n_col, n_few; /* columns taken at a time */
	size_t n_row;        /* rows counted at a time, at most */
	int n_worker;
	struct worker *worker;
};

/* A strip in work. */
struct strip {
	const struct cpu *c;
	struct worker *w;
	const struct vs_strip *work;
	const struct vs_dense *dense;
	size_t n_col;
	bool complete; /* these miss no call */
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

static void
choose(struct cpu *c, const struct vs_question *q, size_t most)
{
	size_t cache = vs_cpu_cache(), sums = cache / 2;

	c->q = *q;
	choose_kernels(c, q);
	c->sparse = vs_sparse_pick(q->cpu);
	c->n_row = c->wide->lanes > VS_COLS ? ROWS_LANES : ROWS;
	c->n_col = MOST_COLS;
	while (c->n_col > LEAST_COLS &&
		c->n_row * c->n_col * sizeof(int32_t) > sums)
		c->n_col /= 2;
	while (c->n_col > c->wide->lanes && c->n_col > VS_SIFT_LANES &&
		(c->n_col / 2 >= most ||
			c->wide->col_room(c->n_col, q->n_field) >
				THIRD * cache))
		c->n_col /= 2;
}

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* Are pairs given up before all fields are counted? */
static bool
gives_up(const struct vs_question *q)
{
	return q->prune && q->threshold > 0 && q->n_field >= VS_FIRSTS_LEAST;
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

/* Bytes of the columns of some first fields, and of what is left of them. */
static size_t
first_room(const struct cpu *c, int k)
{
	return c->wide->col_room(c->n_col, vs_first_fields(c->q.n_field, k)) +
		2 * c->n_col * sizeof(float);
}

static size_t
columns(const struct vs_question *q, size_t most)
{
	struct cpu c;

	choose(&c, q, most);
	return c.n_col;
}

static size_t
bytes(const struct vs_question *q, int n_worker, size_t most)
{
	struct cpu c;
	size_t n_field = q->n_field, one;

	choose(&c, q, most);
	one = c.wide->col_room(c.n_col, n_field);
	if (c.few != c.wide)
		one += c.few->col_room(c.n_few, n_field);
	if (q->has_missing)
		one = 2 * one + c.sparse->col_room(c.n_col, n_field);
	for (int k = 0; k < VS_FIRSTS && gives_up(q); k++)
		one += first_room(&c, k);
	one += scratch_room(&c) + (4 * c.n_row + 4) * c.n_col * sizeof(int32_t);
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
		for (int f = 0; f < VS_FIRSTS; f++)
			free(c->worker[k].first[f].cols);
		free(c->worker[k].four.cols);
		free(c->worker[k].scratch);
		free(c->worker[k].sums);
		free(c->worker[k].sides.bl);
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
		code = vs_room(&w->wide[label].cols,
			c->wide->col_room(n, n_field), 1, "columns");
		if (!code && c->few != c->wide)
			code = vs_room(&w->few[label].cols,
				c->few->col_room(c->n_few, n_field), 1,
				"columns");
	}
	if (!code && c->q.has_missing)
		code = vs_room(&w->four.cols, c->sparse->col_room(n, n_field),
			1, "columns");
	for (int k = 0; k < VS_FIRSTS && gives_up(&c->q) && !code; k++) {
		size_t room = first_room(c, k) - 2 * n * sizeof(float);

		code = vs_room(&w->first[k].cols, first_room(c, k), 1,
			"columns");
		if (code)
			break;
		w->rest[k].first = k;
		for (int t = 0; t < 2; t++)
			w->rest[k].at_least[t] =
				(float *)((char *)w->first[k].cols + room) +
				(size_t)t * n;
	}
	if (!code)
		code = vs_room(&w->scratch, scratch_room(c), 1, "rows");
	/* padding may hold anything: its sides let nothing pass */
	if (!code)
		code = vs_room(&w->sums, 4 * c->n_row * n, sizeof(*w->sums),
			"sums of a tile");
	if (!code)
		code = vs_room(&w->sides.bl, 4 * n, sizeof(*w->sides.bl),
			"bounds of columns");
	if (!code) {
		w->sides.bo = w->sides.bl + n;
		w->sides.ws = w->sides.bl + 2 * n;
		w->sides.c = w->sides.bl + 3 * n;
	}
	return code;
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

/* Nothing is taken yet of the columns but what the float test needs. */
static void
begin_strip(struct strip *s)
{
	const struct vs_panel *p = s->work->j;
	size_t col = s->work->j_lo;

	for (int label = 0; label < 2; label++)
		s->w->wide[label].valid = s->w->few[label].valid = false;
	for (int k = 0; k < VS_FIRSTS; k++)
		s->w->first[k].valid = false;
	s->w->four.valid = false;
	s->n_sum = 1;
	s->n_col = s->work->j_hi - col;
	s->dense = s->n_col <= s->c->n_few ? s->c->few : s->c->wide;
	s->first = gives_up(&s->c->q) && s->dense == s->c->wide ? 0 : VS_FIRSTS;
	s->complete = vs_panel_complete(p, col, col + s->n_col);
	vs_sides_fill(&s->c->q, p, col, s->n_col, &s->w->sides);
}

/* Rows [row, row + n_row) against columns [lo, hi) of the strip. */
struct chunk {
	size_t row, n_row, lo, hi;
};

/* Sums by one label. */
static const int32_t *
count_dense(struct strip *s, const struct chunk *k, int label)
{
	struct taken *taken =
		s->dense == s->c->wide ? &s->w->wide[label] : &s->w->few[label];
	int32_t *p = s->w->sums + (label ? 0 : s->c->n_row * s->c->n_col);

	if (!taken->valid)
		s->dense->take_cols(s->work->j, s->work->j_lo, s->n_col, label,
			taken->cols);
	taken->valid = true;
	s->dense->count(s->work->i, k->row, k->n_row, label, taken->cols,
		k->lo / s->dense->lanes * s->dense->lanes, k->hi, s->w->scratch,
		p, s->c->n_col);
	return p;
}

static void
count_four(struct strip *s, const struct chunk *k, struct vs_tally *out)
{
	struct taken *taken = &s->w->four;
	size_t ld = s->c->n_col, one = s->c->n_row * ld;
	int32_t *p = s->w->sums;

	if (!taken->valid)
		s->c->sparse->take_cols(s->work->j, s->work->j_lo, s->n_col,
			taken->cols);
	taken->valid = true;
	*out = (struct vs_tally){ p, p + one, p + 2 * one, p + 3 * one, ld };
	s->c->sparse->count(s->work->i, k->row, k->n_row, taken->cols,
		k->lo / VS_COLS * VS_COLS, k->hi, out);
}

/* Go to row r of a chunk. */
static void
go_to(const struct strip *s, const struct vs_sift *first, const struct chunk *k,
	size_t r, struct vs_sift *t)
{
	size_t at = r * s->c->n_col, past = k->row + r + 1 - s->work->j_lo;

	*t = *first;
	t->i = k->row + r;
	t->lo = k->lo;
	t->hi = k->hi;
	/* on the diagonal only columns past the row are wanted */
	if (s->work->diagonal && t->i >= s->work->j_lo && past > t->lo)
		t->lo = past;
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

/* Of every step-th row, is more than one pair in so many left by the float
 * test? */
static bool
leaves_many(const struct strip *s, const struct vs_sift *first,
	const struct chunk *k, size_t one_in, size_t step)
{
	struct vs_sift t;
	size_t left = 0, n_row = 0;

	for (size_t r = 0; r < k->n_row; r += step, n_row++) {
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
	float rests[2][VS_SIFT_LANES];
	int32_t sums[VS_SIFT_LANES] = { 0 };
	size_t mid = (k->lo + k->hi) / 2 / VS_SIFT_LANES * VS_SIFT_LANES;
	size_t n =
		s->n_col - mid < VS_SIFT_LANES ? s->n_col - mid : VS_SIFT_LANES;
	struct vs_rest rest = { first, { rests[0], rests[1] } };
	struct vs_sides sides = s->w->sides;
	struct vs_panel pi = vs_panel_first(s->work->i, first);
	struct vs_panel pj = vs_panel_first(s->work->j, first);
	double n_field = (double)pi.vec.n_field, si;
	struct vs_sift t = *sift;
	size_t left = 0;

	sides.bl += mid;
	sides.bo += mid;
	sides.ws += mid;
	sides.c += mid;
	t.cols = &sides;
	t.i = k->row + k->n_row / 2;
	t.j = s->work->j_lo + mid;
	t.lo = 0;
	t.hi = n;
	t.pl = sums;
	t.rest = &rest;
	si = vs_panel_sum(&pi, t.i, q->lead);
	vs_rest_fill(q, s->work->j, t.j, n, &rest);
	for (int way = -1; way <= 1; way += 2) {
		for (size_t c = 0; c < n; c++) {
			double sj = vs_panel_sum(&pj, t.j + c, q->lead);

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
		f++;
	if (f == VS_FIRSTS)
		return false;
	pi = vs_panel_first(s->work->i, f);
	pj = vs_panel_first(s->work->j, f);
	if (!w->first[f].valid) {
		s->dense->take_cols(&pj, s->work->j_lo, s->n_col, s->c->q.lead,
			w->first[f].cols);
		vs_rest_fill(&s->c->q, s->work->j, s->work->j_lo, s->n_col,
			&w->rest[f]);
		w->first[f].valid = true;
	}
	s->dense->count(&pi, k->row, k->n_row, s->c->q.lead, w->first[f].cols,
		k->lo / s->dense->lanes * s->dense->lanes, k->hi, w->scratch,
		w->sums, s->c->n_col);
	sift->pl = w->sums;
	sift->rest = &w->rest[f];
	if (!leaves_many(s, sift, k, EARLY, EARLY_ROWS))
		return true;
	sift->rest = NULL;
	s->first = f + 1;
	return false;
}

/* Sums of a chunk, of as many kinds as leave few pairs to be counted singly. */
static void
count_chunk(struct strip *s, const struct chunk *k, struct vs_sift *first)
{
	bool complete = s->complete &&
		vs_panel_complete(s->work->i, k->row, k->row + k->n_row);
	int lead = s->c->q.lead;

	if (s->first < VS_FIRSTS && count_first(s, k, first))
		return;
	if (complete || s->n_sum < 4)
		first->pl = count_dense(s, k, lead);
	if (!complete && s->n_sum == 1 && leaves_many(s, first, k, ONE, 1))
		s->n_sum = 2;
	if (!complete && s->n_sum == 2) {
		first->po = count_dense(s, k, !lead);
		if (leaves_many(s, first, k, TWO, 1))
			s->n_sum = 4;
	}
	if (!complete && s->n_sum == 4) {
		first->pl = first->po = NULL;
		count_four(s, k, &first->sums);
	}
}

static int
do_chunk(struct strip *s, const struct chunk *k, struct vs_found *found)
{
	struct vs_sift first = { .q = &s->c->q,
		.sparse = s->c->sparse,
		.pi = s->work->i,
		.pj = s->work->j,
		.j = s->work->j_lo,
		.cols = &s->w->sides },
		       t;
	size_t left = 0; /* fields that were not counted */
	int code = 0;

	count_chunk(s, k, &first);
	if (first.rest)
		left = s->c->q.n_field -
			vs_first_fields(s->c->q.n_field, first.rest->first);
	for (size_t r = 0; r < k->n_row && !code; r++) {
		go_to(s, &first, k, r, &t);
		if (t.lo < t.hi)
			found->spared += (double)(t.hi - t.lo) * (double)left;
		code = vs_sift_row(&t, found);
		if (!code && found->n >= VS_FOUND)
			code = found->drain(found);
	}
	return code;
}

/*
 * The next rows from k->row on that want the same spans, and those columns.
 * A hole between two spans is counted too; there is none between neighbours.
 */
static void
next_chunk(const struct strip *s, struct chunk *k)
{
	const struct vs_strip *w = s->work;
	size_t end = k->row + s->c->n_row;

	if (end > w->i_hi)
		end = w->i_hi;
	k->lo = s->n_col;
	k->hi = 0;
	for (size_t x = 0; x * VS_SPAN < s->n_col; x++) {
		size_t lo = w->span[x].lo, hi = w->span[x].hi;
		size_t last = (x + 1) * VS_SPAN;

		if (lo <= k->row && k->row < hi) {
			if (x * VS_SPAN < k->lo)
				k->lo = x * VS_SPAN;
			k->hi = last < s->n_col ? last : s->n_col;
		}
		if (lo > k->row && lo < end)
			end = lo;
		if (hi > k->row && hi < end)
			end = hi;
	}
	k->n_row = end - k->row;
	if (w->diagonal && k->row >= w->j_lo && k->row + 1 - w->j_lo > k->lo)
		k->lo = k->row + 1 - w->j_lo;
}

static int
cpu_strip(void *state, int worker, const struct vs_strip *work,
	struct vs_found *found)
{
	struct cpu *c = state;
	struct strip s = { .c = c, .w = &c->worker[worker], .work = work };
	struct chunk k = { .row = work->i_lo };
	int code = 0;

	begin_strip(&s);
	for (; k.row < work->i_hi && !code; k.row += k.n_row) {
		next_chunk(&s, &k);
		if (k.hi)
			code = do_chunk(&s, &k, found);
	}
	return code;
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
	.close = cpu_close,
	.describe = describe,
	.bytes = bytes,
	.rate = rate,
};
