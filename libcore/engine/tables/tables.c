/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of contingency tables by look-up of every count. */
#include <math.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/base/mem.h"
#include "libcore/engine/tables/tables.h"
#include "libcore/kern/tables/table_sums.h"

#define WIDE VS_TABLES_WIDE

_Static_assert(WIDE % VS_TABLE_SUMS_LANES == 0, "a part is looked up whole");

/* counts of tables that are not asked for may be anything */
typedef uint32_t words __attribute__((vector_size(4 * WIDE), may_alias));

VS_INLINE void
total_any(struct vs_tables *t, size_t at)
{
	for (int k = 0; k < 2; k++) {
		words n = *(const words *)t->count[k][0];

		for (int x = 1; x < t->n_cell; x++)
			n += *(const words *)t->count[k][x];
		memcpy(t->n[k] + at, &n, sizeof(n));
	}
}

/* Samples of the part's tables. */
VS_BY_CPU(void, total, (t, at), struct vs_tables *t, size_t at)

/* Tables of the part with no counts yet, to be looked up together. */
static void
clear(struct vs_tables *t, size_t lo, size_t hi)
{
	for (int k = 0; k < 2; k++)
		for (int x = 0; x < t->n_cell && lo < hi; x++)
			memset(&t->count[k][x][lo], 0,
				(hi - lo) * sizeof(int32_t));
}

/* Sums of the part, by look-up of all its tables at once. */
static void
sum_all(struct vs_tables *t, const struct vs_query *q, size_t at, size_t lo,
	size_t hi)
{
	clear(t, 0, lo);
	clear(t, hi, WIDE);
	vs_table_sums_count(q->cpu,
		&(struct vs_table_sums){ { t->count[0][0], t->count[1][0] },
			WIDE, t->n_cell, q->logs->one, q->logs->both,
			t->sum + at },
		WIDE);
}

static void
sum_one(struct vs_tables *t, const struct vs_query *q, size_t at, size_t c)
{
	int64_t sum = 0;

	for (int x = 0; x < t->n_cell; x++) {
		const int32_t a = t->count[0][x][c], b = t->count[1][x][c];

		sum += q->logs->one[a] + q->logs->one[b] - q->logs->both[a + b];
	}
	t->sum[at + c] = sum;
}

static struct vs_association
association(const struct vs_tables *t, const struct vs_query *q, size_t c)
{
	return q->has_missing
		? (struct vs_association){ t->sum[c],
			  { t->n[0][c], t->n[1][c] } }
		: (struct vs_association){ t->sum[c],
			  { q->classes->n[0], q->classes->n[1] } };
}

/* An empty table has a score but no meaning: its K2 would be the strongest. */
static bool
has_samples(const struct vs_query *q, int64_t n)
{
	return n >= 1 && vs_query_shares(q, n);
}

static bool
passes(const struct vs_query *q, const struct vs_association *a)
{
	return vs_query_accepts(q, q->metric->score(q->logs, a)) &&
		has_samples(q, a->n[0] + a->n[1]);
}

/* The same for a metric of whole tables: table c of the part that begins at
 * `at`; its value is set. */
static bool
whole_passes(struct vs_tables *t, const struct vs_query *q, size_t at, size_t c)
{
	const struct vs_metric *m = q->metric;
	const int n_way = t->n_cell == VS_TABLES_CELLS ? 3 : 2;
	int64_t cell[VS_TABLES_CELLS][2];
	const int64_t(*const cells)[2] = (const int64_t(*)[2])cell;
	double *value = &t->value[at + c];

	if (q->has_missing &&
		!has_samples(q, (int64_t)t->n[0][at + c] + t->n[1][at + c]))
		return false;
	for (int x = 0; x < t->n_cell; x++)
		for (int k = 0; k < 2; k++)
			cell[x][k] = t->count[k][x][c];
	if (q->prune && m->most &&
		!vs_query_exceeds(q,
			m->most(q->logs, cells, n_way, q->threshold) +
				vs_query_room(q)))
		return false;
	*value = m->whole(cells, n_way, q->prune ? q->threshold : -1);
	return vs_query_accepts(q, *value);
}

void
vs_tables_take_sums(struct vs_tables *t, const struct vs_lane_counts *counts,
	size_t row, size_t lane)
{
	for (size_t c = 0; c < WIDE; c++)
		t->squares[c] = counts->trait->squares;
	if (counts->n_weight > VS_TRAIT_SQUARE)
		memset(t->squares, 0, sizeof(t->squares));
	for (int x = 0; x < t->n_cell; x++) {
		const int list = x / counts->n_plane;
		const int plane = x % counts->n_plane;

		memcpy(t->trait[x],
			vs_lane_counts_sums(counts, row, list, plane,
				VS_TRAIT_VALUE) +
				lane,
			sizeof(t->trait[x]));
		if (counts->n_weight <= VS_TRAIT_SQUARE)
			continue;
		for (size_t c = 0; c < WIDE; c++)
			t->squares[c] += vs_lane_counts_sums(counts, row, list,
				plane, VS_TRAIT_SQUARE)[lane + c];
	}
}

/* The same for a metric of a trait. */
static bool
trait_passes(struct vs_tables *t, const struct vs_query *q, size_t at, size_t c)
{
	int64_t cell[VS_TABLES_CELLS][2];
	double *value = &t->value[at + c];

	if (q->has_missing && !has_samples(q, t->n[0][at + c]))
		return false;
	for (int x = 0; x < t->n_cell; x++) {
		cell[x][0] = t->count[0][x][c];
		cell[x][1] = t->trait[x][c];
	}
	*value = q->metric->trait((const int64_t(*)[2])cell,
		(double)t->squares[c] * q->trait->square,
		t->n_cell == VS_TABLES_CELLS ? 3 : 2);
	return vs_query_accepts(q, *value);
}

void
vs_tables_init(struct vs_tables *t)
{
	memset(t, 0, sizeof(*t));
	t->threshold = NAN;
}

/* No table whose bound is at most this can pass. */
static double
least(const struct vs_query *q)
{
	return q->threshold - vs_query_room(q);
}

/* Set all that depends on the threshold, which may rise between calls. */
static void
ask(struct vs_tables *t, const struct vs_query *q)
{
	const int64_t *n = q->classes->n;
	struct vs_table_bound_terms terms;

	if (t->threshold == q->threshold)
		return;
	t->threshold = q->threshold;
	t->round++;
	vs_table_bound_init(&t->bound, q);
	if (q->has_missing)
		return;
	terms = vs_table_bound_terms_of(q, n,
		q->metric->needed(q->logs, n, least(q)), true);
	for (size_t c = 0; c < WIDE; c++)
		vs_table_bound_set(&t->bound, c, &terms);
}

/* Set the bound of table c of the part. Its terms take logarithms and
 * divisions, but most tables miss as few samples as others do. */
static void
bound_table(struct vs_tables *t, const struct vs_query *q, size_t at, size_t c)
{
	const int32_t n[2] = { t->n[0][at + c], t->n[1][at + c] };
	const int64_t wide[2] = { n[0], n[1] };
	const size_t slot = (size_t)n[0] % VS_TABLES_KNOWN * VS_TABLES_KNOWN +
		(size_t)n[1] % VS_TABLES_KNOWN;
	struct vs_tables_known *k = &t->known[slot];

	if (k->round != t->round || k->n[0] != n[0] || k->n[1] != n[1]) {
		memcpy(k->n, n, sizeof(n));
		k->round = t->round;
		k->terms = vs_table_bound_terms_of(q, wide,
			q->metric->needed(q->logs, wide, least(q)), false);
	}
	vs_table_bound_set(&t->bound, c, &k->terms);
}

/* Tables [lo, hi) of the part that may pass, their sums and samples set. */
static uint32_t
candidates(struct vs_tables *t, const struct vs_query *q, size_t at, size_t lo,
	size_t hi)
{
	const uint32_t wanted =
		(uint32_t)(((uint64_t)1 << hi) - ((uint64_t)1 << lo));
	uint32_t open = wanted;

	if (q->has_missing)
		total(q->cpu, t, at);
	if (q->trait)
		return wanted;
	for (size_t c = lo; q->has_missing && q->prune && c < hi; c++)
		bound_table(t, q, at, c);
	if (q->prune)
		open &= vs_table_bound_look(q->cpu, &t->bound,
			(int32_t(*const[2])[WIDE]){ t->count[0], t->count[1] },
			t->n_cell);
	if (q->metric->whole)
		return open;
	if (!q->prune || (open && __builtin_popcount(open) > WIDE / 2)) {
		sum_all(t, q, at, lo, hi);
		return wanted;
	}
	for (uint32_t left = open; left; left &= left - 1)
		sum_one(t, q, at, (size_t)__builtin_ctz(left));
	return open;
}

size_t
vs_tables_passing(struct vs_tables *t, const struct vs_query *q, size_t at,
	size_t lo, size_t hi, uint16_t *column)
{
	size_t n = 0;

	if (!q->trait)
		ask(t, q);
	for (uint32_t left = candidates(t, q, at, lo, hi); left;
		left &= left - 1) {
		const size_t c = at + (size_t)__builtin_ctz(left);
		const struct vs_association a = association(t, q, c);

		column[n] = (uint16_t)c;
		n += q->trait              ? trait_passes(t, q, at, c - at)
			: q->metric->whole ? whole_passes(t, q, at, c - at)
					   : passes(q, &a);
	}
	return n;
}

double
vs_tables_value(const struct vs_tables *t, const struct vs_query *q, size_t c,
	int64_t *joint)
{
	const struct vs_association a = association(t, q, c);

	*joint = a.n[0] + a.n[1];
	return q->metric->score && !q->metric->whole
		? q->metric->score(q->logs, &a)
		: t->value[c];
}

void
vs_tables_record(const struct vs_tables *t, const struct vs_query *q, size_t c,
	struct vs_record *rec)
{
	int64_t joint;
	double value = vs_tables_value(t, q, c, &joint);

	rec->value = q->f32 ? (double)(float)value : value;
	if (vs_query_has_joint(q))
		rec->nvalid = (int32_t)joint;
}

/* Use the counts of up to WIDE tables as those of a part. */
static void
take_counted(struct vs_tables *t, const struct vs_counted_table *from, size_t n)
{
	for (size_t c = 0; c < n; c++)
		for (int k = 0; k < 2; k++)
			for (int x = 0; x < t->n_cell; x++)
				t->count[k][x][c] = from[c].n[k][x];
	clear(t, n, WIDE);
}

int
vs_tables_counted(void **memory, const struct vs_query *q, int n_cell,
	const struct vs_counted_table *from, size_t n,
	int (*add)(void *ctx, const struct vs_counted_table *x,
		struct vs_record **rec),
	void *ctx)
{
	const struct vs_query now = vs_query_now(q);
	struct vs_tables *t = *memory;
	int code = 0;

	if (!t) {
		code = vs_mem_room(&t, sizeof(*t), 1, "tables");
		if (code)
			return code;
		vs_tables_init(t);
		*memory = t;
	}
	t->n_cell = n_cell;
	for (size_t at = 0; at < n && !code; at += WIDE) {
		const size_t some = n - at < WIDE ? n - at : WIDE;
		uint16_t column[WIDE];
		size_t n_pass;

		take_counted(t, from + at, some);
		n_pass = vs_tables_passing(t, &now, 0, 0, some, column);
		for (size_t k = 0; k < n_pass && !code; k++) {
			struct vs_record *rec;

			code = add(ctx, &from[at + column[k]], &rec);
			if (!code)
				vs_tables_record(t, &now, column[k], rec);
		}
	}
	return code;
}

/* ---- pairs ---- */

struct counted_pairs {
	const struct vs_two *first;
	struct vs_hits *found;
};

static int
add_pair(void *ctx, const struct vs_counted_table *x, struct vs_record **rec)
{
	const struct counted_pairs *c = ctx;
	const struct vs_strip s = { .i = c->first->pi, .j = c->first->pj };

	return vs_hits_pair(c->found, &s, c->first->i + x->i,
		c->first->j + x->j, rec);
}

int
vs_tables_counted_pairs(void **memory, const struct vs_query *q,
	const struct vs_two *first, const struct vs_counted_table *from,
	size_t n, struct vs_hits *found)
{
	struct counted_pairs c = { first, found };

	return vs_tables_counted(memory, q, 9, from, n, add_pair, &c);
}
