/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries by vector: LD scores, and partners above thresholds. */
#include <math.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary_kind.h"
#include "libcore/kern/value_run.h"

static int
lay_out_degree(struct vs_summary_part *t, uint64_t n_vec,
	const struct vs_metric *metric, const struct vs_summary_places *places)
{
	(void)n_vec;
	(void)metric;
	(void)places;
	t->n_row = t->of->n;
	return 0;
}

static int
lay_out_ldscore(struct vs_summary_part *t, uint64_t n_vec,
	const struct vs_metric *metric, const struct vs_summary_places *places)
{
	const size_t n = places->n_annotation;
	int code = 0;

	(void)metric;
	t->n_row = n ? (int)n : 1;
	if (!n)
		return 0;
	VS_MEM_ROOM(&code, t->weight, n * n_vec, "annotations");
	VS_MEM_ROOM(&code, t->scale, n, "annotations");
	for (size_t k = 0; k < n && !code; k++) {
		const double *of = places->annotated + k;
		double most = 0;
		int power;

		for (uint64_t v = 0; v < n_vec; v++)
			most = fmax(most, fabs(of[v * n]));
		/* 1 for an annotation of 0 and 1 */
		if (frexp(most, &power) == 0.5)
			power--;
		t->scale[k] = most > 0 ? ldexp(1, power) : 1;
		for (uint64_t v = 0; v < n_vec; v++)
			t->weight[k * n_vec + v] = of[v * n] / t->scale[k];
	}
	return code;
}

/* Add the values of n columns to the sums of the columns; returns their own
 * sum. */
VS_INLINE int64_t
add_units(const union vs_summary_units *of, size_t n, int64_t *near)
{
	int64_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < n; k++) {
		near[k] += of->bits[k] - VS_VALUE_RUN_MAGIC_BITS;
		sum += of->bits[k] - VS_VALUE_RUN_MAGIC_BITS;
	}
	return sum;
}

/* The same for one annotation: the columns get the weight of the row, and it
 * gets theirs. */
VS_INLINE int64_t
add_weighed(const union vs_summary_units *of, size_t n, double own,
	const double *weight, int64_t *near)
{
	int64_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < n; k++) {
		const double v = of->x[k] - VS_VALUE_RUN_MAGIC,
			     a = v * own + VS_VALUE_RUN_MAGIC,
			     b = v * weight[k] + VS_VALUE_RUN_MAGIC;
		int64_t to_column, to_row;

		memcpy(&to_column, &a, sizeof(a));
		memcpy(&to_row, &b, sizeof(b));
		near[k] += to_column - VS_VALUE_RUN_MAGIC_BITS;
		sum += to_row - VS_VALUE_RUN_MAGIC_BITS;
	}
	return sum;
}

/* The weights of the columns, in `to` unless they are next to each other. */
VS_INLINE const double *
weights(const struct vs_summary_row *row, bool next, const double *weight,
	double *to)
{
	const struct vs_panel *p = row->pj;
	const uint32_t *v = p->row + row->at + row->from;

	if (next)
		return weight + p->first + v[0];
	for (size_t k = 0; k < row->n; k++)
		to[k] = weight[p->first + v[k]];
	return to;
}

/* True if the columns are in the order of the file, with none between them. */
VS_INLINE bool
are_next(const struct vs_summary_row *row)
{
	const uint32_t *v = row->pj->row + row->at + row->from;
	uint32_t other = 0;

	for (size_t k = 0; k < row->n; k++)
		other |= v[k] ^ (v[0] + (uint32_t)k);
	return !other;
}

/* Add the values to each row of a part with annotations. */
VS_INLINE void
add_annotated(const struct vs_summary_plan *p, const struct vs_summary_part *t,
	const struct vs_summary_row *row, const union vs_summary_units *of,
	int64_t *near, int64_t *sum)
{
	const uint64_t i = row->pi->first + row->pi->row[row->i];
	const double *weight = t->weight;
	const bool next = are_next(row);
	double room[VS_SUMMARY_BLOCK];

	for (int k = 0; k < t->n_row; k++) {
		sum[k] = add_weighed(of, row->n, weight[i],
			weights(row, next, weight, room), near);
		near += VS_SUMMARY_COLUMNS;
		weight += p->n_vec;
	}
}

/*
 * Unbiased estimates of the squared correlation, as in LDSC; a pair of two
 * fields or fewer has none.
 */
VS_INLINE void
ldscore_any(const struct vs_summary_plan *p, const struct vs_summary_part *t,
	const struct vs_summary_row *row, int64_t *near, int64_t *sum)
{
	const double *value = row->value, *joint = row->joint;
	const double every = row->every > 2 ? 1 / (row->every - 2) : NAN;
	union vs_summary_units unit;

	if (joint) {
#pragma omp simd
		for (size_t k = 0; k < row->n; k++) {
			double v = value[k], c = joint[k];
			double y = v - (1 - v) * (1 / (c - 2));

			y = ((c > 2) & (v == v)) ? y : 0;
			unit.x[k] = y + VS_VALUE_RUN_MAGIC;
		}
	} else {
#pragma omp simd
		for (size_t k = 0; k < row->n; k++) {
			double v = value[k], y = v - (1 - v) * every;

			y = y == y ? y : 0;
			unit.x[k] = y + VS_VALUE_RUN_MAGIC;
		}
	}
	if (t->weight)
		add_annotated(p, t, row, &unit, near, sum);
	else
		*sum = add_units(&unit, row->n, near);
}

VS_BY_CPU(void, ldscore, (p, t, row, near, sum),
	const struct vs_summary_plan *p, const struct vs_summary_part *t,
	const struct vs_summary_row *row, int64_t *near, int64_t *sum)

static void
add_ldscore(const struct vs_summary_plan *p, const struct vs_summary_part *t,
	const struct vs_summary_row *row, int64_t *near, int64_t *sum)
{
	ldscore(p->cpu, p, t, row, near, sum);
}

/* Count the pairs stronger than a threshold. */
VS_INLINE int64_t
degree_any(const struct vs_summary_row *row, double threshold, bool lower,
	int64_t *near)
{
	const double *value = row->value, sign = lower ? -1 : 1;
	int64_t sum = 0;

	/* a choice in the loop would keep it from using vectors */
	threshold *= sign;
#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < row->n; k++) {
		const int64_t is = value[k] * sign > threshold;

		near[k] += is;
		sum += is;
	}
	return sum;
}

VS_BY_CPU(int64_t, degree, (row, threshold, lower, near),
	const struct vs_summary_row *row, double threshold, bool lower,
	int64_t *near)

static void
add_degree(const struct vs_summary_plan *p, const struct vs_summary_part *t,
	const struct vs_summary_row *row, int64_t *near, int64_t *sum)
{
	for (int k = 0; k < t->n_row; k++, near += VS_SUMMARY_COLUMNS)
		sum[k] = degree(p->cpu, row, t->of->x[k],
			p->strong == VS_STRONG_LOW, near);
}

const struct vs_summary_kind vs_summary_ldscore = { lay_out_ldscore,
	add_ldscore, NULL, false };
const struct vs_summary_kind vs_summary_degree = { lay_out_degree, add_degree,
	NULL, false };
