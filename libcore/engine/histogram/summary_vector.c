/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries by vector: LD scores, and partners above thresholds. */
#include <math.h>

#include "libcore/base/inline.h"
#include "libcore/engine/histogram/summary_kind.h"

static int
lay_out(struct vs_summary_part *t, uint64_t n_vec,
	const struct vs_metric *metric, const struct vs_summary_places *places)
{
	(void)n_vec;
	(void)metric;
	(void)places;
	t->n_row = t->of->n ? t->of->n : 1;
	return 0;
}

/* Add the values of n columns to the sums of the columns; returns their own
 * sum. */
VS_INLINE int64_t
add_units(const union vs_summary_units *of, size_t n, int64_t *near)
{
	int64_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < n; k++) {
		near[k] += of->bits[k] - VS_SUMMARY_MAGIC_BITS;
		sum += of->bits[k] - VS_SUMMARY_MAGIC_BITS;
	}
	return sum;
}

/*
 * Unbiased estimates of the squared correlation, as in LDSC; a pair of two
 * fields or fewer has none.
 */
VS_INLINE int64_t
ldscore_any(const struct vs_summary_row *row, int64_t *near)
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
			unit.x[k] = y * VS_SUMMARY_UNIT + VS_SUMMARY_MAGIC;
		}
	} else {
#pragma omp simd
		for (size_t k = 0; k < row->n; k++) {
			double v = value[k], y = v - (1 - v) * every;

			y = y == y ? y : 0;
			unit.x[k] = y * VS_SUMMARY_UNIT + VS_SUMMARY_MAGIC;
		}
	}
	return add_units(&unit, row->n, near);
}

VS_BY_CPU(int64_t, ldscore, (row, near), const struct vs_summary_row *row,
	int64_t *near)

static void
add_ldscore(const struct vs_summary_plan *p, const struct vs_summary_part *t,
	const struct vs_summary_row *row, int64_t *near, int64_t *sum)
{
	(void)t;
	*sum = ldscore(p->cpu, row, near);
}

/* Count the pairs stronger than a threshold. */
VS_INLINE int64_t
degree_any(const struct vs_summary_row *row, double threshold, bool lower,
	int64_t *near)
{
	const double *value = row->value;
	int64_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < row->n; k++) {
		int64_t is =
			lower ? value[k] < threshold : value[k] > threshold;

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

const struct vs_summary_kind vs_summary_ldscore = { lay_out, add_ldscore,
	NULL },
			     vs_summary_degree = { lay_out, add_degree, NULL };
