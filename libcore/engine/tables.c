/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores of contingency tables by look-up of every count. */
#include <string.h>

#include "libcore/engine/tables.h"
#include "libcore/kern/tables/table_sums.h"

#define LANES VS_TABLE_SUMS_LANES

/* Samples of tables [lo, hi). */
static void
total(struct vs_tables *t, size_t lo, size_t hi)
{
	for (int k = 0; k < 2; k++) {
		for (size_t c = lo; c < hi; c++)
			t->n[k][c] = 0;
		for (int x = 0; x < t->n_cell; x++)
			for (size_t c = lo; c < hi; c++)
				t->n[k][c] += t->count[k][x][c];
	}
}

/* Tables [lo, hi) without counts, as they are looked up beside others. */
static void
clear(struct vs_tables *t, size_t lo, size_t hi)
{
	for (int k = 0; k < 2; k++)
		for (int x = 0; x < t->n_cell && lo < hi; x++)
			memset(&t->count[k][x][lo], 0,
				(hi - lo) * sizeof(int32_t));
}

void
vs_tables_sum(struct vs_tables *t, const struct vs_query *q, size_t lo,
	size_t hi)
{
	const size_t first = lo / LANES * LANES;
	const size_t end = (hi + LANES - 1) / LANES * LANES;

	clear(t, first, lo);
	clear(t, hi, end);
	lo = first;
	hi = end;
	vs_table_sums_count(q->cpu,
		&(struct vs_table_sums){
			{ t->count[0][0] + lo, t->count[1][0] + lo }, VS_TABLES,
			t->n_cell, q->logs->one, q->logs->both, t->sum + lo },
		hi - lo);
	if (q->has_missing)
		total(t, lo, hi);
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

double
vs_tables_value(const struct vs_tables *t, const struct vs_query *q, size_t c)
{
	const struct vs_association a = association(t, q, c);

	return q->metric->score(q->logs, &a);
}

static bool
passes(const struct vs_query *q, const struct vs_association *a)
{
	double value = q->metric->score(q->logs, a);

	return vs_metric_strength(q->metric, value) > q->threshold &&
		a->n[0] + a->n[1] >= q->min_joint;
}

/* The least sum that passes where no call is missing, since strength rises
 * with it; found by halving. */
static int64_t
least_sum(const struct vs_query *q)
{
	struct vs_association a = { 0, { q->classes->n[0], q->classes->n[1] } };
	int64_t lo = INT64_MIN / 2, hi = INT64_MAX / 2;

	while (lo < hi) {
		a.sum = lo + (hi - lo) / 2;
		if (passes(q, &a))
			hi = a.sum;
		else
			lo = a.sum + 1;
	}
	return lo;
}

size_t
vs_tables_passing(const struct vs_tables *t, const struct vs_query *q,
	size_t lo, size_t hi, uint16_t *column)
{
	const int64_t least = q->has_missing ? 0 : least_sum(q);
	size_t n = 0;

	for (size_t c = lo; c < hi; c++) {
		bool pass = t->sum[c] >= least;

		if (q->has_missing) {
			const struct vs_association a = association(t, q, c);

			pass = passes(q, &a);
		}
		column[n] = (uint16_t)c;
		n += pass;
	}
	return n;
}

void
vs_tables_record(const struct vs_tables *t, const struct vs_query *q, size_t c,
	struct vs_record *rec)
{
	const struct vs_association a = association(t, q, c);
	double value = q->metric->score(q->logs, &a);

	rec->value = q->f32 ? (double)(float)value : value;
	if (q->has_missing)
		rec->nvalid = (int32_t)(a.n[0] + a.n[1]);
}
