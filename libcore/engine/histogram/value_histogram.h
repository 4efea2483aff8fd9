/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of all values, 1000 buckets per unit, exact. */
#ifndef VS_ENGINE_HISTOGRAM_VALUE_HISTOGRAM_H
#define VS_ENGINE_HISTOGRAM_VALUE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"
#include "libcore/engine/histogram/totals_proof.h"
#include "libcore/kern/value_run.h"

#define VS_VALUE_HISTOGRAM_A_UNIT VS_VALUE_RUN_BUCKETS
#define VS_VALUE_HISTOGRAM_MOST (1 << 20) /* buckets of a class */

/*
 * Bucket k counts the values v with floor(v * 1000) = least + k, the product
 * rounded to a double: exact, and the same on every device. A cell's class is
 * how many of its labels are 1; a metric of one value has one class. If there
 * are several, one more row counts the sums LL+HH or LLL+HHH of the two cells
 * with equal labels, for combinations where both are above 0.
 */
struct vs_value_histogram {
	int n_class;
	int64_t least;
	size_t n_bucket;
	/* vs_value_histogram_rows() rows of n_bucket, followed by what few,
	 * apart and sum point to, so that one array holds all counters */
	vs_wide *n;
	vs_wide *few;   /* values of combinations that share too few fields */
	vs_wide *apart; /* combinations that have no such sum */
	/* for metrics with cells, by class: the sum of r over all cells */
	vs_wide *sum;
	/* by row, not added up yet, in the counters of near; the last bucket is
	 * for values that only vs_value_histogram_value() can place */
	struct vs_value_run *run;
	uint32_t *near;
	uint64_t n_near; /* most that a bucket of a table may hold */
};

/*
 * Number of rows: classes and, if there is one, the row of sums, which is last,
 * number n_class.
 */
static inline int
vs_value_histogram_rows(const struct vs_value_histogram *b)
{
	return b->n_class + (b->n_class > 1);
}

/* Counters after the rows: few, apart, and sum by class. */
#define VS_VALUE_HISTOGRAM_MORE (2 + VS_TOTALS_PROOF_CLASSES)

/* Number of counters in n. */
static inline size_t
vs_value_histogram_size(const struct vs_value_histogram *b)
{
	return (size_t)vs_value_histogram_rows(b) * b->n_bucket +
		VS_VALUE_HISTOGRAM_MORE;
}

/* Places in a copy of a class's first bucket and of its extra one. */
static inline size_t
vs_value_histogram_class(const struct vs_value_histogram *b, int class)
{
	return (size_t) class * (b->n_bucket + 1);
}

/* Make buckets for values from `least` to `most`. 0; VS_EMACHINE; VS_EUSAGE:
 * too many */
int vs_value_histogram_new(struct vs_value_histogram **b, int n_class,
	double least, double most);

/* Make an empty one with the same buckets, for another thread. */
int vs_value_histogram_like(struct vs_value_histogram **b,
	const struct vs_value_histogram *other);
void vs_value_histogram_free(
	struct vs_value_histogram *b); /* null is accepted */

/* Move all counts of the other, which is then empty, into b. */
void vs_value_histogram_move(struct vs_value_histogram *b,
	struct vs_value_histogram *other);

/* Forget all values. */
void vs_value_histogram_clear(struct vs_value_histogram *b);

/* Count one value; one beyond all buckets goes to the last one or the first. */
void vs_value_histogram_value(struct vs_value_histogram *b, int class,
	double value);

/* Count n_all of n values of class 0: those that are not NaN, the others as
 * 0. */
void vs_value_histogram_values(struct vs_value_histogram *b, enum vs_cpu cpu,
	const double *value, size_t n, size_t n_all);

/* The first bucket that may hold a value above the threshold. */
uint32_t vs_value_histogram_least(const struct vs_value_histogram *b,
	double threshold);

/* Call this before any bucket of near may grow by n, n < 2^31. */
void vs_value_histogram_room(struct vs_value_histogram *b, uint64_t n);

/* Add the counters in near to the others. */
void vs_value_histogram_settle(struct vs_value_histogram *b);

/* Number of all values counted; of all sums. */
vs_wide vs_value_histogram_total(const struct vs_value_histogram *b);
vs_wide vs_value_histogram_sums(const struct vs_value_histogram *b);

/* Count the sum of two cells with equal labels, if it is one. */
void vs_value_histogram_sum(struct vs_value_histogram *b, double low,
	double high);

/*
 * Columns processed together: at[c] are the buckets, or the extra one, of each
 * column's cell c, followed by those of the sum; doubt[] marks columns where
 * any of these is in doubt; for pairs, may[] those where any may pass.
 */
#define VS_VALUE_HISTOGRAM_LANES 128
struct vs_value_histogram_look {
	uint32_t at[9][VS_VALUE_HISTOGRAM_LANES];
	int32_t doubt[VS_VALUE_HISTOGRAM_LANES], may[VS_VALUE_HISTOGRAM_LANES];
	/* columns that share too few fields, counted in no bucket; others where
	 * one of the two cells is 0 */
	int32_t few[VS_VALUE_HISTOGRAM_LANES], apart[VS_VALUE_HISTOGRAM_LANES];
};

/* Whether any of n flags is set. */
bool vs_value_histogram_any(const int32_t *flag, size_t n);

/* Put all n columns in doubt, except those that share too few fields. */
void vs_value_histogram_doubt(const struct vs_value_histogram *b,
	struct vs_value_histogram_look *look, int n_cell, size_t n);

/* Count columns [lo, hi) of n_cell cells and their sums, except those in
 * doubt. */
void vs_value_histogram_count(struct vs_value_histogram *b,
	const struct vs_value_histogram_look *look, int n_cell, size_t lo,
	size_t hi);

/*
 * The bucket of a value x (in buckets, 0 or more, below 2^30) known to one part
 * in a million; *doubt is set if another bucket is possible. zero: x is exactly
 * 0.
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
 * The bucket of the sum of two such values with equal labels, each 0 if its r
 * is. If 1 - gamma f of an allele is 0, all calls are of that allele, and the
 * other r is 0.
 * apart  there is no sum: one of the two is 0
 */
static inline __attribute__((always_inline)) uint32_t
vs_value_histogram_near_sum(float low, int32_t r_low, float high,
	int32_t r_high, uint32_t n_bucket, int32_t *doubt, int32_t *apart)
{
	const int none = !r_low | !r_high;
	/* without a sum, any bucket will do: 0 */
	uint32_t at =
		vs_value_histogram_near(low + high, none, n_bucket, doubt);

	*apart = none;
	return none ? n_bucket : at;
}

#endif
