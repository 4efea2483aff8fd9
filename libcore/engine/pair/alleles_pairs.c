/* SPDX-License-Identifier: BSD-3-Clause */
/* CCC and DUO of pairs on the CPU: prefixes and filters of a rectangle. */
#include <string.h>

#include "libcore/engine/pair/exact.h"
#include "libcore/engine/pair/pair_rows.h"
#include "libcore/engine/pair/products.h"
#include "libcore/engine/prune/prefix.h"
#include "libcore/plan/wanted.h"

/*
 * If calls are missing, the bounds by one dense sum leave some pairs to be
 * counted one by one, which costs 20 times a pair's share of a dense count. If
 * one in ONE_IN is left, all sums are counted.
 */
#define ONE_IN 32

/*
 * If a pair of leaders may pass, its followers' pairs are examined one by one.
 * If more than one in OPENED may, it is faster without followers.
 */
#define OPENED 24

/*
 * Chunks counted without ranges of sums, after one in which more than half of
 * the blocks left their ranges, as happens with many samples or missing calls.
 */
#define WITHOUT_RANGES 31

/* Leaders of columns, in groups that may each use another prefix. */
#define GROUPS (VS_PRODUCTS_COLS * 3 / 2 / VS_SPAN)
_Static_assert(VS_SPAN == VS_BLOCK_COLS, "a group has a block of sums");

struct worker {
	struct vs_products x;
	struct vs_rest rest[VS_FIRSTS];
	bool rest_there[VS_FIRSTS];
	struct vs_sides sides; /* of the columns */
	/* by prefix; the last is for all fields */
	struct vs_block_sides block[VS_FIRSTS + 1][GROUPS];
	struct vs_batch_filter batch;
	int rows_of;        /* prefix of the row coefficients; -1: none */
	int without_ranges; /* chunks still to count that way */
	/* of a part: */
	bool complete; /* the columns miss no call */
	/* least prefix worth a try, by group; VS_FIRSTS: none */
	int first[GROUPS];
	bool whole; /* the rows need all sums */
};

/*
 * Vectors [row, end) against columns [from, to) of the panel: the worker's row
 * leaders against leaders [lo, hi) of the part's columns.
 */
struct chunk {
	size_t row, end, from, to;
	size_t lo, hi;
	int first; /* number of the prefix; VS_FIRSTS: all fields */
};

/* Sums of a chunk: its first row, and the current row. */
struct sums {
	struct vs_row_filter begin, row;
	const struct vs_pair_work *at;
	const struct chunk *k;
	size_t lo, hi;  /* columns with sums */
	bool is_some;   /* only in the batch filter's blocks */
	uint64_t block; /* blocks of the chunk */
};

static float *
floats(struct vs_layout *l, const struct vs_pair_plan *c)
{
	return vs_layout_next(l, c->n_col * sizeof(float));
}

static void
lay_out(const struct vs_pair_plan *c, void *worker, struct vs_layout *l)
{
	struct worker *w = worker;

	vs_products_lay_out(c, &w->x, l);
	for (int k = 0; k < VS_FIRSTS && c->gives_up; k++)
		w->rest[k] = (struct vs_rest){ .first = k,
			.at_least = { floats(l, c), floats(l, c) },
			.loose = { .above = floats(l, c),
				.below = floats(l, c) } };
	/* zeros of padding let nothing pass */
	w->sides = (struct vs_sides){ .bl = floats(l, c),
		.bo = floats(l, c),
		.ws = floats(l, c),
		.c = floats(l, c),
		.loose = { .above = floats(l, c), .below = floats(l, c) } };
}

static int
open_worker(const struct vs_pair_plan *c, void *worker)
{
	struct worker *w = worker;
	int code = vs_batch_filter_room(&w->batch, c->n_row, c->n_col);

	return code ? code : vs_products_open(c, worker);
}

static size_t
more_bytes(const struct vs_pair_plan *c)
{
	return vs_batch_filter_bytes(c->n_row, c->n_col) +
		vs_products_more_bytes(c);
}

static void
close_worker(void *worker)
{
	struct worker *w = worker;

	vs_batch_filter_free(&w->batch);
	vs_products_close(worker);
}

static size_t
take(const struct vs_pair_plan *c, void *worker, const struct vs_strip *s,
	size_t lo)
{
	struct worker *w = worker;

	if (!vs_products_take(c, &w->x, s, lo)) {
		for (int k = 0; k < VS_FIRSTS; k++)
			w->rest_there[k] = false;
		vs_coefficients_sides(&c->q, &w->x.cols, &w->sides);
		vs_batch_filter_blocks(&w->x.cols.panel, &w->sides, NULL,
			w->x.cols.n, w->block[VS_FIRSTS]);
	}
	return w->x.hi;
}

static void
begin(const struct vs_pair_work *at)
{
	const struct vs_strip *s = at->part;
	struct worker *w = at->worker;
	bool first = at->plan->gives_up && w->x.dense == at->plan->wide;

	/* every value is asked for, not only those that bounds leave */
	w->whole = at->found->histogram;
	for (int g = 0; g < GROUPS; g++)
		w->first[g] = first ? 0 : VS_FIRSTS;
	w->complete = vs_panel_complete(s->j, s->j_lo, s->j_hi);
}

/* Rows that want the same columns; the leaders of some of them are taken. */
static size_t
most_rows(const struct vs_pair_work *at)
{
	return at->part->i_hi;
}

/* Move to row r of a chunk. */
static void
go_to(struct sums *s, size_t r)
{
	const struct worker *w = s->at->worker;
	const struct chunk *k = s->k;
	size_t at = r * s->at->plan->ld;
	size_t past = (size_t)w->x.rows.begin[r] + 1;
	struct vs_row_filter *t = &s->row;

	*t = s->begin;
	t->i = r;
	t->lo = s->lo;
	t->hi = s->hi;
	/* on the diagonal only columns past the row are wanted */
	if (t->diagonal && past >= k->to)
		t->lo = t->hi;
	else if (t->diagonal && past > k->from) {
		size_t lo = vs_representatives_find(&w->x.cols, past);

		t->lo = lo < s->lo ? s->lo : lo < s->hi ? lo : s->hi;
	}
	t->pl += at;
	if (t->whole)
		vs_joint_sums_row(&t->sums, r);
}

/* Whether to use the batch filter. Below a threshold of 0 all pass. */
static bool
has_batch(const struct sums *s)
{
	const struct vs_query *q = &s->at->plan->q;

	return !s->at->found->histogram && q->threshold > 0 &&
		!vs_query_without(q, VS_WITHOUT_BATCH_FILTER);
}

static struct vs_batch_filter_work
batch_work(const struct sums *s)
{
	const struct worker *w = s->at->worker;

	return (struct vs_batch_filter_work){ .rows = &w->x.rows,
		.sides = &w->sides,
		.rest = s->begin.rest,
		.p = s->begin.pl,
		.ld = s->at->plan->ld,
		.lo = s->k->lo,
		.hi = s->k->hi,
		.some = s->is_some };
}

/* The sums to ask the kernel for: all blocks, or those outside their ranges. */
static struct vs_some
some_sums(const struct sums *s, int first,
	const struct vs_batch_filter_work *work)
{
	struct worker *w = s->at->worker;

	if (!w->without_ranges)
		return vs_batch_filter_ranges(&w->batch, &s->at->plan->q, work,
			w->block[first]);
	w->without_ranges--;
	memset(w->batch.block, -1, w->x.rows.n * sizeof(*w->batch.block));
	return (struct vs_some){ NULL, w->batch.block, 0, false };
}

/* Decide whether ranges pay, from the blocks of a chunk that left them. */
static void
weigh_ranges(const struct sums *s, struct worker *w)
{
	const size_t n_row = w->x.rows.n;
	const size_t n = (size_t)__builtin_popcountll(s->block);
	size_t there = 0;

	for (size_t r = 0; r < n_row; r++)
		there += (size_t)__builtin_popcountll(
			w->batch.block[r] & s->block);
	if (2 * there > n * n_row)
		w->without_ranges = WITHOUT_RANGES;
}

/* Count a chunk by a prefix, or by all fields; only what can pass, if the
 * kernel supports that and the filter needs no more. */
static void
count_sums(struct sums *s, int first)
{
	const struct vs_pair_plan *c = s->at->plan;
	struct worker *w = s->at->worker;
	struct vs_batch_filter_work work;
	struct vs_some some;

	s->is_some = has_batch(s) && vs_products_can_some(&w->x);
	s->block = (2ull << (s->k->hi - 1) / VS_SPAN) -
		(1ull << s->k->lo / VS_SPAN);
	s->begin.rest = first < VS_FIRSTS ? &w->rest[first] : NULL;
	work = batch_work(s);
	if (has_batch(s) && w->rows_of != first)
		vs_batch_filter_rows(&w->batch, &c->q, &work);
	w->rows_of = first;
	if (s->is_some)
		some = some_sums(s, first, &work);
	s->begin.pl = vs_products_count(c, &w->x, first, s->k->lo, s->k->hi,
		s->is_some ? &some : NULL);
	if (s->is_some && some.range)
		weigh_ranges(s, w);
}

/*
 * Test all sums of a chunk at once.
 * returns  how many may pass
 */
static size_t
look_at_all(struct sums *s)
{
	struct vs_batch_filter_work work = batch_work(s);
	struct worker *w = s->at->worker;

	if (!has_batch(s))
		return 0;
	s->begin.batch = &w->batch;
	return vs_batch_filter_look(&w->batch, &s->at->plan->q, &work);
}

/* True if the float test leaves more than one pair in one_in. */
static bool
leaves_many(struct sums *s, size_t one_in)
{
	const struct worker *w = s->at->worker;
	size_t left = look_at_all(s), n_row = w->x.rows.n;

	for (size_t r = 0; r < n_row && !s->begin.batch; r++) {
		go_to(s, r);
		left += vs_row_filter_look(&s->row);
	}
	return left * one_in > n_row * (s->k->hi - s->k->lo);
}

/*
 * Count only a prefix, if that decides nearly all pairs; the remaining pairs
 * are counted one by one. returns whether it did
 */
static bool
count_first(struct sums *s)
{
	const struct vs_pair_plan *c = s->at->plan;
	const struct chunk *k = s->k;
	struct worker *w = s->at->worker;
	const int f = k->first;

	if (f == VS_FIRSTS)
		return false;
	if (!w->rest_there[f]) {
		vs_coefficients_rest(&c->q, &w->x.cols, 0, w->x.cols.n,
			&w->rest[f]);
		vs_batch_filter_blocks(&w->x.cols.panel, &w->sides, &w->rest[f],
			w->x.cols.n, w->block[f]);
	}
	w->rest_there[f] = true;
	count_sums(s, f);
	if (!leaves_many(s, VS_PREFIX_LEFT))
		return true;
	s->begin.batch = NULL;
	vs_prefix_failed(w->first, c->q.n_field, f, k->lo, k->hi);
	return false;
}

/*
 * Count the sums of a chunk and, if needed, the other sums of its pairs.
 * returns  whether few pairs are left to be counted one by one; with followers
 *          there may be many
 */
static bool
count(struct sums *s, bool *may)
{
	const struct chunk *k = s->k;
	struct worker *w = s->at->worker;
	bool follow = w->x.cols.some || w->x.rows.some;
	bool complete = w->complete &&
		vs_panel_complete(s->at->part->i, k->row, k->end);

	if (count_first(s))
		return true;
	count_sums(s, VS_FIRSTS);
	if (follow)
		return !leaves_many(s, OPENED);
	if (!complete && !w->whole)
		w->whole = leaves_many(s, ONE_IN);
	*may = !complete && w->whole;
	return true;
}

/* True if more than one in ONE_IN pairs of the chunk may pass by the batch
 * filter, or if it was not used. */
static bool
wants_whole(const struct sums *s)
{
	const struct worker *w = s->at->worker;
	const struct vs_batch_filter *b = &w->batch;
	const size_t lo = s->k->lo, hi = s->k->hi;

	return !s->begin.batch ||
		vs_screen_count(s->at->now.cpu, b->hit, b->n_word, w->x.rows.n,
			lo / 64, (hi + 63) / 64) *
			ONE_IN >
		w->x.rows.n * (hi - lo);
}

/* Filter and decide all rows, by all sums if many of their pairs may pass; may:
 * all sums may be requested. */
static int
do_rows(struct sums *s, bool may)
{
	struct worker *w = s->at->worker;
	const struct chunk *k = s->k;

	s->begin.whole = may && wants_whole(s);
	if (s->begin.whole)
		vs_products_joint(s->at->plan, &w->x, k->lo, k->hi,
			s->is_some ? &(struct vs_some){ NULL, w->batch.block, 0,
					     false }
				   : NULL,
			&s->begin.sums);
	return vs_pair_rows(&vs_pair_alleles, s, w->x.rows.n, k->hi - k->lo,
		s->at->found);
}

/* A bit for each column in the histogram; null: all. */
static const uint64_t *
wanted(const struct sums *s, const struct vs_hits *found, uint64_t *bits)
{
	const struct vs_strip *strip = s->at->part;
	const struct worker *w = s->at->worker;
	struct vs_two pair = { .pi = strip->i,
		.pj = strip->j,
		.i = (size_t)w->x.rows.begin[s->row.i] };

	if (!found->histogram || !vs_wanted_is_by_place(found->wanted))
		return NULL;
	memset(bits, 0, VS_PAIR_COLUMNS / 8);
	for (size_t j = s->row.lo; j < s->row.hi; j++) {
		pair.j = (size_t)w->x.cols.begin[j];
		bits[j / 64] |= (uint64_t)vs_hits_wants(found, &pair) << j % 64;
	}
	return bits;
}

static size_t
filter(void *sums, size_t r, struct vs_hits *found, uint16_t *column)
{
	struct sums *s = sums;
	const struct vs_row_filter *t = &s->row;
	const struct worker *w = s->at->worker;
	const size_t n = s->at->plan->q.n_field;
	uint64_t bits[VS_PAIR_COLUMNS / 64];
	double n_pair;

	go_to(s, r);
	s->row.wanted = wanted(s, found, bits);
	n_pair = (double)(t->hi - t->lo);
	if (t->rest)
		found->fields_skipped += n_pair *
			(double)(n - vs_first_fields(n, t->rest->first));
	if (!w->x.plain)
		found->inferred -= n_pair;
	if (s->is_some && !(w->batch.block[r] & s->block))
		return 0;
	return vs_row_filter_row(t, found->histogram, column);
}

static int
decide(const void *sums, const uint16_t *column, size_t n,
	struct vs_hits *found)
{
	const struct sums *s = sums;

	return vs_exact_row(&s->row, column, n, found);
}

static int
do_chunk(const struct vs_pair_work *at, const struct chunk *k, bool some,
	bool *pays)
{
	const struct worker *w = at->worker;
	struct sums s = { { .q = &at->now,
				  .sparse = at->plan->sparse,
				  .rows = &w->x.rows,
				  .cols = &w->x.cols,
				  .from = k->from,
				  .to = k->to,
				  .diagonal = at->part->diagonal,
				  .sides = &w->sides },
		.at = at, .k = k, .lo = k->lo, .hi = k->hi };
	bool may = false;

	*pays = count(&s, &may);
	if (!*pays && !some)
		return 0;
	if (!s.begin.batch)
		look_at_all(&s);
	return do_rows(&s, may);
}

/* The chunk from leader lo on: as many leaders as use the same prefix. */
static struct chunk
chunk_from(const struct vs_pair_work *at, const struct chunk *whole, size_t lo)
{
	const struct worker *w = at->worker;
	const int32_t *begin = w->x.cols.begin;
	struct chunk k = *whole;

	k.lo = k.hi = lo;
	while (k.hi < whole->hi &&
		k.hi - lo / VS_SPAN * VS_SPAN < at->plan->n_chunk) {
		size_t g = k.hi / VS_SPAN, end = (g + 1) * VS_SPAN;
		int first;

		end = end < whole->hi ? end : whole->hi;
		first = vs_prefix_choose(&at->plan->q, &w->x.rows, &w->x.cols,
			&w->sides, k.hi, end, w->first[g]);
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

/*
 * The leaders of some rows, chunk by chunk. If followers do not pay, this is
 * known for the first chunk before it is filtered, and no row is done; for a
 * later chunk it is known too late for these rows.
 */
static int
rectangle(struct vs_pair_work *at, struct vs_rectangle *next)
{
	struct worker *w = at->worker;
	const size_t from = at->part->j_lo + next->lo;
	const size_t to = at->part->j_lo + next->hi;
	struct chunk chunk[GROUPS],
		whole = { .row = next->row,
			.from = from,
			.to = to,
			.lo = vs_representatives_find(&w->x.cols, from),
			.hi = vs_representatives_find(&w->x.cols, to - 1) + 1 };
	size_t n = 0;
	bool some = false, pays = true;
	int code = 0;

	whole.end = vs_products_take_rows(at->plan, &w->x, at->part->i,
		next->row, next->row + next->n_row, w->x.plain);
	next->n_row = whole.end - whole.row;
	w->rows_of = -1;
	for (size_t lo = whole.lo; lo < whole.hi; lo = chunk[n++].hi)
		chunk[n] = chunk_from(at, &whole, lo);
	/* chunks of all fields first: they show whether full sums pay */
	for (int early = 0; early < 2; early++)
		for (size_t x = 0; x < n && !code; x++) {
			bool pay;

			if ((chunk[x].first < VS_FIRSTS) != early)
				continue;
			code = do_chunk(at, &chunk[x], some, &pay);
			if (!pay && !some) {
				next->n_row = 0;
				return code ? code : VS_PAIR_PLAIN;
			}
			pays &= pay;
			some = true;
		}
	for (size_t row = whole.row; row < whole.end && !w->x.plain; row++)
		at->found->inferred +=
			(double)vs_rectangle_wanted(at->part, whole.row, row);
	return code || pays ? code : VS_PAIR_PLAIN;
}

const struct vs_pair_family vs_pair_alleles = {
	.worker_bytes = sizeof(struct worker),
	.choose = vs_products_choose,
	.columns = vs_products_columns,
	.lay_out = lay_out,
	.open = open_worker,
	.more_bytes = more_bytes,
	.close = close_worker,
	.take = take,
	.begin = begin,
	.rows = most_rows,
	.rectangle = rectangle,
	.filter = filter,
	.decide = decide,
	.kernel = vs_products_kernel,
};
