/* SPDX-License-Identifier: BSD-3-Clause */
/* Query of a run: metric, threshold, and what decides whether a pair passes. */
#ifndef VS_ENGINE_QUERY_H
#define VS_ENGINE_QUERY_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/base/thresholds.h"
#include "libcore/bits/classes.h"
#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"
#include "libcore/bits/trait.h"
#include "libcore/engine/ablation.h"
#include "libcore/metric/metric.h"

struct vs_summary_plan; /* libcore/engine/histogram/summary.h */

/* Query: the values of kept cells that pass the threshold. Its members are rows
 * of query_rows.h. */
struct vs_query {
#define VS_QUERY_APART(declaration)
#define VS_QUERY_CUDA(declaration) declaration;
#define VS_QUERY_CPU(declaration) declaration;
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	VS_QUERY_##engine(declaration)
#define QUERY(declaration, name, stated, engine) VS_QUERY_##engine(declaration)
#include "libcore/metric/query_rows.h"
};

/* Name of a member that is set but that devices do not support; null: none. */
static inline const char *
vs_query_beyond_devices(const struct vs_query *q)
{
#define VS_BEYOND_APART(is_set, name)
#define VS_BEYOND_CUDA(is_set, name)
#define VS_BEYOND_CPU(is_set, name) \
	if (is_set)                 \
		return name;
#define VS_QUERY_ROOM(member) *(member)
#define VS_QUERY_I32(member) (member)
#define VS_QUERY_I64(member) (member)
#define VS_QUERY_F64(member) (member)
#define VS_QUERY_LIMIT(member) (member).is
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	VS_BEYOND_##engine(VS_QUERY_##type(q->name), #name)
#define QUERY(declaration, name, stated, engine) \
	VS_BEYOND_##engine(q->name, #name)
#include "libcore/metric/query_rows.h"
	return q->metric ? NULL : "metric";
}

/* The family of the metric; VS_FAMILY_NONE if it is not defined for such
 * vectors. */
static inline enum vs_family
vs_query_family(const struct vs_query *q)
{
	enum vs_family family = q->metric ? q->metric->family : VS_FAMILY_NONE;
	bool of_numbers =
		family == VS_FAMILY_MINIMA || family == VS_FAMILY_INNER;

	if (vs_element_is_number(q->element) && q->metric && q->metric->numbers)
		return VS_FAMILY_INNER;
	if (q->element == VS_BIT2 && family == VS_FAMILY_MINIMA)
		return VS_FAMILY_MOMENTS;
	return vs_element_is_number(q->element) == of_numbers ? family
							      : VS_FAMILY_NONE;
}

/* True if the value depends on one count, which records state; that of moments
 * depends on several. */
static inline bool
vs_query_has_num(const struct vs_query *q)
{
	const enum vs_family family =
		q->metric ? q->metric->family : VS_FAMILY_NONE;

	return family == VS_FAMILY_ALLELES ||
		(family == VS_FAMILY_MINIMA && q->element < VS_NUM_F32);
}

/*
 * min_joint as a lower bound of the fields shared, in floats; without min_joint
 * it is below any other bound.
 */
static inline float
vs_query_joint(const struct vs_query *q)
{
	return q->min_joint > 0 ? (float)q->min_joint : -1e30f;
}

/* True if a combination shares the fields that are asked for. */
static inline bool
vs_query_shares(const struct vs_query *q, int64_t joint)
{
	return joint >= q->min_joint;
}

/* True if every combination does, whatever it shares. */
static inline bool
vs_query_shares_all(const struct vs_query *q)
{
	return q->min_joint <= 0;
}

/* Whether records state their fields: not all of them have all that the vectors
 * have. Tables have only samples whose status, or trait, is known. */
static inline bool
vs_query_has_joint(const struct vs_query *q)
{
	const struct vs_classes *c = q->classes;

	return q->has_missing || (c && c->n[0] + c->n[1] < (int64_t)q->n_field);
}

/* Upper bound of all values of CCC or DUO of n_way vectors that count. */
static inline double
vs_query_ceiling(const struct vs_query *q, int n_way)
{
	return vs_alleles_ceiling(q->alleles, n_way,
		!q->has_missing ? 1
				: (double)q->min_joint / (double)q->n_field);
}

/* Values that count as stronger. */
static inline enum vs_strong
vs_query_strong(const struct vs_query *q)
{
	return q->absolute ? VS_STRONG_FAR : vs_metric_strong(q->metric);
}

/* True if strong correlations or cosines of either sign pass. */
static inline bool
vs_query_both_signs(const struct vs_query *q)
{
	return q->metric->squared || q->absolute;
}

static inline double
vs_query_strength(const struct vs_query *q, double value)
{
	return vs_strength(vs_query_strong(q), value);
}

/* The only comparison of a value, or of a bound of its strength, with a
 * threshold. False for NaN. */
static inline bool
vs_query_exceeds(const struct vs_query *q, double value)
{
	return vs_query_strength(q, value) > q->threshold;
}

/* True if a value, not rounded, is below the upper limit. */
static inline bool
vs_query_within(const struct vs_query *q, double value)
{
	return !q->below.is || value < q->below.at;
}

/* True if a value, not rounded, is one of those asked for. */
static inline bool
vs_query_accepts(const struct vs_query *q, double value)
{
	return vs_query_exceeds(q, value) && vs_query_within(q, value);
}

/* Bits of the cells of n_way vectors that pass by value; ignores cell_mask. */
static inline uint32_t
vs_query_passes(const struct vs_query *q, int n_way, const double *value)
{
	uint32_t bits = q->thresholds
		? vs_thresholds_pass(q->thresholds, n_way, value)
		: 0;

	for (int cell = 0; cell < 1 << n_way; cell++)
		if (!q->thresholds)
			bits |= (uint32_t)vs_query_accepts(q, value[cell])
				<< cell;
		else if (!vs_query_within(q, value[cell]))
			bits &= ~(1u << cell);
	return bits;
}

/*
 * Threshold of a cell by its number of labels 1: only a value above it can
 * pass, alone or as the greater half of a sum; infinity: never.
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
 * The query with its present threshold, for what is looked at next. What
 * depends on a threshold was set up with the first one.
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

/* From now on no value of `to` or less is wanted. */
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

/*
 * Margin that bounds of tables leave below the threshold: the value of a fit,
 * or one from logarithms on a device, may exceed the bound by that much. The
 * noise of a fit grows with the samples that it sums.
 */
static inline double
vs_query_room(const struct vs_query *q)
{
	return isinf(q->threshold)
		? 0
		: 1e-9 * (1 + fabs(q->threshold)) + 1e-14 * (double)q->n_field;
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

/* True if nearly all values pass: the threshold is 0 or less and stays so. */
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
