/* SPDX-License-Identifier: BSD-3-Clause */
/* Query of a run: metric, threshold, and what decides whether a pair passes. */
#ifndef VS_ENGINE_QUERY_H
#define VS_ENGINE_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/thresholds.h"
#include "libcore/bits/classes.h"
#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"
#include "libcore/engine/ablation.h"
#include "libcore/metric/metric.h"

/* Query: the values of kept cells that pass the threshold. */
struct vs_query {
	const struct vs_metric *metric;
	/* its recipe, of metrics of alleles alone; else null */
	const struct vs_alleles *alleles;
	/* of metrics of tables: which samples are cases, and the logarithms
	 * that are summed; else null */
	const struct vs_classes *classes;
	const struct vs_log_tables *logs;
	double threshold; /* of a metric of lower values its strength */
	/* null: one threshold for all; else threshold is their least */
	const struct vs_thresholds *thresholds;
	/* what the threshold has become, when it is more: vs_query_now();
	 * null: it stays. Who knows that no lower value is wanted raises it */
	double *shared_threshold;
	uint32_t cell_mask; /* bit c: cell c is kept */
	bool f32;           /* values are rounded to float once decided */
	bool has_missing; /* some call in the data is missing: nvalid counts */
	int64_t least_present; /* fields of any vector that is of use */
	/* fields that a combination has to share for any of its values to pass;
	 * 0: any */
	int64_t min_joint;
	bool prune;       /* leave out pairs that cannot pass */
	uint32_t without; /* filters switched off, vs_ablation_read() */
	int lead;      /* the label whose allele is more often the common one */
	double listed; /* share of fields that are not the vector's commonest */
	int rounds; /* blocks that a rank of several wants, for the balance */
	size_t n_field;
	enum vs_element element; /* what vectors are made of in memory */
	bool whole; /* of inner products: sums of whole numbers, all exact */
	enum vs_cpu cpu;    /* the most that kernels may use */
	const char *kernel; /* a kernel that cpu allows; null: the best */
};

/* The family of the metric; VS_FAMILY_NONE where it is not of such vectors. */
static inline enum vs_family
vs_query_family(const struct vs_query *q)
{
	enum vs_family family = q->metric ? q->metric->family : VS_FAMILY_NONE;
	bool of_numbers =
		family == VS_FAMILY_MINIMA || family == VS_FAMILY_INNER;

	if (vs_element_is_number(q->element) && q->metric && q->metric->numbers)
		return VS_FAMILY_INNER;
	return vs_element_is_number(q->element) == of_numbers ? family
							      : VS_FAMILY_NONE;
}

/*
 * min_joint as a lower bound in floats of the fields shared, beside another
 * one; without min_joint it is the lesser, whatever the other.
 */
static inline float
vs_query_joint(const struct vs_query *q)
{
	return q->min_joint > 0 ? (float)q->min_joint : -1e30f;
}

/* No value of CCC or DUO of n_way vectors that counts is above this. */
static inline double
vs_query_ceiling(const struct vs_query *q, int n_way)
{
	return vs_alleles_ceiling(q->alleles, n_way,
		!q->has_missing ? 1
				: (double)q->min_joint / (double)q->n_field);
}

/* Bits of the cells of n_way vectors that pass by value, cell_mask apart. */
static inline uint32_t
vs_query_passes(const struct vs_query *q, int n_way, const double *value)
{
	uint32_t bits = 0;

	if (q->thresholds)
		return vs_thresholds_pass(q->thresholds, n_way, value);
	for (int cell = 0; cell < 1 << n_way; cell++)
		bits |= (uint32_t)(value[cell] > q->threshold) << cell;
	return bits;
}

/*
 * Threshold of a cell by its number of labels 1: its value has to exceed it
 * before it, or a sum that it is the greater half of, passes; infinity: never.
 */
static inline double
vs_query_threshold(const struct vs_query *q, int n_way, int ones)
{
	double threshold =
		q->thresholds ? q->thresholds->one[ones] : q->threshold;

	if (!q->thresholds || (ones && ones < n_way) ||
		vs_thresholds_half(q->thresholds) > threshold)
		return threshold;
	return vs_thresholds_half(q->thresholds);
}

/*
 * The query with the threshold that it has by now, for what is looked at
 * next. What is set up by a threshold is so by the first one.
 */
static inline struct vs_query
vs_query_now(const struct vs_query *q)
{
	struct vs_query now = *q;
	double shared_threshold;

	if (!q->shared_threshold)
		return now;
	__atomic_load(q->shared_threshold, &shared_threshold, __ATOMIC_RELAXED);
	if (shared_threshold > now.threshold)
		now.threshold = shared_threshold;
	return now;
}

/* No value that is `to` or less is wanted any more. */
static inline void
vs_query_raise_threshold(double *shared_threshold, double to)
{
	double was;

	__atomic_load(shared_threshold, &was, __ATOMIC_RELAXED);
	while (to > was &&
		!__atomic_compare_exchange(shared_threshold, &was, &to, true,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* True when this bound or filter is switched off. */
static inline bool
vs_query_without(const struct vs_query *q, enum vs_ablation which)
{
	return q->without >> which & 1;
}

/* True if bounds can exclude anything: below 0 everything passes, and tables
 * have a bound of their own, table_bound.h. */
static inline bool
vs_query_is_bounded(const struct vs_query *q)
{
	return q->prune && q->threshold >= 0 && !q->classes;
}

/* True if next to all values pass, as their threshold is and stays 0 or less.
 */
static inline bool
vs_query_takes_all(const struct vs_query *q)
{
	return q->threshold <= 0 && !q->classes && !q->thresholds &&
		!q->shared_threshold;
}

/* True if bounds are worth their time. */
static inline bool
vs_query_prunes(const struct vs_query *q)
{
	return vs_query_is_bounded(q) && !vs_query_takes_all(q);
}

#endif
