/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of all values, 1000 buckets per unit, exact. */
#ifndef VS_ENGINE_HISTOGRAM_VALUE_HISTOGRAM_H
#define VS_ENGINE_HISTOGRAM_VALUE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/engine/histogram/totals_proof.h"

#define VS_VALUE_HISTOGRAM_A_UNIT 1000
#define VS_VALUE_HISTOGRAM_MOST (1 << 20) /* buckets of a class */

/*
 * Bucket k counts the values v with floor(v * 1000) = least + k, the product
 * rounded to a double: exact, and the same whatever computes. A cell's class
 * is how many of its labels are 1; a metric of one value has one class. Where
 * there are several one more counts the sums of the two cells all of whose
 * labels are alike, LL+HH or LLL+HHH, of combinations where both are above 0.
 */
struct vs_value_histogram {
	int n_class;
	int64_t least;
	size_t n_bucket;
	/* vs_value_histogram_rows() rows of n_bucket, and behind them, so that
	 * one array is all that was counted, what few, apart and sum point
	 * to */
	vs_wide *n;
	vs_wide *few;   /* values of combinations that share too few fields */
	vs_wide *apart; /* combinations that have no such sum */
	/* of metrics with cells, by class: what r of all cells sums to */
	vs_wide *sum;
	/* not added up yet: VS_VALUE_HISTOGRAM_COPIES tables, as many rows of
	 * n_bucket and of one more, for values that only
	 * vs_value_histogram_value() knows */
	uint32_t *near;
	uint64_t n_near; /* in each bucket of a copy, at most */
};
#define VS_VALUE_HISTOGRAM_COPIES 2

/*
 * Classes, and the row of sums where there is one: the last, of number n_class.
 */
static inline int
vs_value_histogram_rows(const struct vs_value_histogram *b)
{
	return b->n_class + (b->n_class > 1);
}

/* Counters behind the rows: few, apart, and sum by class. */
#define VS_VALUE_HISTOGRAM_MORE (2 + VS_TOTALS_PROOF_CLASSES)

/* Counters in n. */
static inline size_t
vs_value_histogram_size(const struct vs_value_histogram *b)
{
	return (size_t)vs_value_histogram_rows(b) * b->n_bucket +
		VS_VALUE_HISTOGRAM_MORE;
}

/* The place in a copy of a class's first bucket, and of its one more. */
static inline size_t
vs_value_histogram_class(const struct vs_value_histogram *b, int class)
{
	return (size_t) class * (b->n_bucket + 1);
}

/* Buckets for values from least to most. 0; VS_EMACHINE, VS_EUSAGE: too many */
int vs_value_histogram_new(struct vs_value_histogram **b, int n_class,
	double least, double most);

/* One that is empty, for another thread. */
int vs_value_histogram_like(struct vs_value_histogram **b,
	const struct vs_value_histogram *other);
void vs_value_histogram_free(
	struct vs_value_histogram *b); /* null is accepted */

/* Move all values of the other, which is empty then, into b. */
void vs_value_histogram_move(struct vs_value_histogram *b,
	struct vs_value_histogram *other);

/* Forget all values. */
void vs_value_histogram_clear(struct vs_value_histogram *b);

/* One value; one that is beyond all buckets goes to the last one or first. */
void vs_value_histogram_value(struct vs_value_histogram *b, int class,
	double value);

/* The first bucket that may hold a value above the threshold. */
uint32_t vs_value_histogram_least(const struct vs_value_histogram *b,
	double threshold);

/* Call it before each bucket of near may grow by n, n < 2^31. */
void vs_value_histogram_room(struct vs_value_histogram *b, uint64_t n);

/* Bring what is near to the others. */
void vs_value_histogram_settle(struct vs_value_histogram *b);

/* All values that were counted; all sums. */
vs_wide vs_value_histogram_total(const struct vs_value_histogram *b);
vs_wide vs_value_histogram_sums(const struct vs_value_histogram *b);

/* The sum of two like cells, if it is one. */
void vs_value_histogram_sum(struct vs_value_histogram *b, double low,
	double high);

/*
 * Columns looked at together: at[c] are the buckets, or one more, of the c-th
 * cell of each, and behind the cells of the sum; doubt[] whether any of these
 * is in doubt; of pairs, may[] whether any may pass.
 */
#define VS_VALUE_HISTOGRAM_LANES 128
struct vs_value_histogram_look {
	uint32_t at[9][VS_VALUE_HISTOGRAM_LANES];
	int32_t doubt[VS_VALUE_HISTOGRAM_LANES], may[VS_VALUE_HISTOGRAM_LANES];
	/* too few fields are shared, in no bucket; not so, and one of the two
	 * cells is 0 */
	int32_t few[VS_VALUE_HISTOGRAM_LANES], apart[VS_VALUE_HISTOGRAM_LANES];
};

/* Whether any of n flags is set. */
bool vs_value_histogram_any(const int32_t *flag, size_t n);

/* Put all of n columns in doubt, but for those that share too few fields. */
void vs_value_histogram_doubt(const struct vs_value_histogram *b,
	struct vs_value_histogram_look *look, int n_cell, size_t n);

/* Count columns [lo, hi) of n_cell cells and their sums, but for what is in
 * doubt. */
void vs_value_histogram_count(struct vs_value_histogram *b,
	const struct vs_value_histogram_look *look, int n_cell, size_t lo,
	size_t hi);

/*
 * The bucket of a value x (in buckets, 0 or more, below 2^30) that is known to
 * one part in a million, or *doubt: it may be another's. zero: it is 0 exactly.
 */
static inline __attribute__((always_inline)) uint32_t
vs_value_histogram_near(float x, int zero, uint32_t n_bucket, int32_t *doubt)
{
	const float slack = x * 1e-6f;
	int32_t k = (int32_t)x;
	float above = x - (float)k;
	int sure = (above > slack) & (1 - above > slack) &
		((uint32_t)k < n_bucket);
	uint32_t at = sure ? (uint32_t)k : n_bucket;

	*doubt |= !(sure | zero);
	return zero ? 0 : at;
}

/*
 * The bucket of the sum of two such values of like labels, each 0 where its r
 * is. Where 1 - gamma f of an allele is 0 all calls are of it, and the other r
 * is 0.
 * apart  it is none: one of the two is 0
 */
static inline __attribute__((always_inline)) uint32_t
vs_value_histogram_near_sum(float low, int32_t r_low, float high,
	int32_t r_high, uint32_t n_bucket, int32_t *doubt, int32_t *apart)
{
	const int none = !r_low | !r_high;
	/* where it is none it is as good as in bucket 0 */
	uint32_t at =
		vs_value_histogram_near(low + high, none, n_bucket, doubt);

	*apart = none;
	return none ? n_bucket : at;
}

#endif
