/* SPDX-License-Identifier: BSD-3-Clause */
/* Filtering and decision of the rows of sums that a worker has counted. */
#ifndef VS_ENGINE_PAIR_PAIR_ROWS_H
#define VS_ENGINE_PAIR_PAIR_ROWS_H

#include <math.h>

#include "libcore/base/inline.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/engine/pair/worker.h"
#include "libcore/plan/wanted.h"

/* A row of a rectangle of sums, and its wanted columns, counted from the
 * strip's first. */
struct vs_pair_row {
	struct vs_pair_work *at;
	const struct vs_rectangle *k;
	size_t i, lo, hi;
};

/* Value of a pair, the fields that both vectors have, and the numerator, -1:
 * not kept. If every value is asked for, also whether it is 0/0. */
struct vs_pair_value {
	double value;
	int64_t joint, num;
	bool undefined;
};

/*
 * The exact value of a column of a row of sums, which begin with a struct
 * vs_pair_row. false: it is known not to pass; not if every value is asked for.
 */
typedef bool vs_pair_value_of(const void *sums, size_t column, bool all,
	struct vs_pair_value *v);

/* Append the records of n columns that pass. 0; VS_EMACHINE */
VS_INLINE int
vs_pair_decide(vs_pair_value_of *value, const void *sums,
	const uint16_t *column, size_t n, struct vs_hits *found)
{
	const struct vs_pair_row *t = sums;
	const struct vs_strip *s = t->at->part;
	const struct vs_query *q = &t->at->now;
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		struct vs_pair_value v = { 0, (int64_t)q->n_field, -1, false };
		struct vs_record *rec;

		if (!value(sums, column[k], false, &v) ||
			!vs_query_shares(q, v.joint) ||
			!vs_query_accepts(q, v.value))
			continue;
		code = vs_hits_pair(found, s, t->i, s->j_lo + column[k], &rec);
		if (code)
			continue;
		rec->value = q->f32 ? (double)(float)v.value : v.value;
		rec->num = v.num;
		if (vs_query_has_joint(q))
			rec->nvalid = (int32_t)v.joint;
	}
	return code;
}

/*
 * Give n values of a row from column `from` on to the summary, or count them in
 * the histogram. The values are overwritten.
 *
 * value  NaN: undefined; in a histogram as 0
 * joint  fields that both vectors have; null: all
 */
void vs_pair_rows_give(const struct vs_pair_row *t, const struct vs_hits *found,
	size_t from, size_t n, double *value, const double *joint);

/* Reduce the row's columns to those that a band may want. */
void vs_pair_rows_near(struct vs_pair_row *row, const struct vs_wanted *wanted);

/* Give all values of a row to the summary or histogram. */
VS_INLINE void
vs_pair_give_all(vs_pair_value_of *value, const void *sums,
	const struct vs_hits *found)
{
	const struct vs_pair_row *t = sums;
	const struct vs_query *q = &t->at->now;
	double v[VS_SUMMARY_BLOCK], joint[VS_SUMMARY_BLOCK];

	for (size_t lo = t->lo, n; lo < t->hi; lo += n) {
		n = vs_min_size(t->hi - lo, VS_SUMMARY_BLOCK);
		for (size_t k = 0; k < n; k++) {
			struct vs_pair_value one = { 0, (int64_t)q->n_field, -1,
				false };

			value(sums, lo + k, true, &one);
			v[k] = one.undefined && found->summary ? (double)NAN
							       : one.value;
			joint[k] = (double)one.joint;
		}
		vs_pair_rows_give(t, found, lo, n, v, joint);
	}
}

/* Both, for a family with the function `value`. */
#define VS_PAIR_VALUES(value)                                                 \
	static int decide(const void *sums, const uint16_t *column, size_t n, \
		struct vs_hits *found)                                        \
	{                                                                     \
		return vs_pair_decide(value, sums, column, n, found);         \
	}                                                                     \
	static void count_all(const void *sums, struct vs_hits *found)        \
	{                                                                     \
		vs_pair_give_all(value, sums, found);                         \
	}

/*
 * Columns of a row, counted from lo of panel p, sorted by file order so that
 * their records ascend, if that is little work.
 * returns  the n sorted numbers in `to`, or column as it is
 */
const uint16_t *vs_pair_rows_order(const struct vs_panel *p, size_t lo,
	const uint16_t *column, size_t n, uint16_t to[VS_PAIR_COLUMNS]);

/* Filter and decide n rows of n_col sums of a family. 0; VS_EMACHINE */
int vs_pair_rows(const struct vs_pair_family *family, void *sums, size_t n,
	size_t n_col, struct vs_hits *found);

#endif
