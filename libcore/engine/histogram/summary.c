/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries of the values of all pairs, as exact sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary.h"

#define UNIT 0x1p50 /* units per 1 */
/* The lowest bits of x + MAGIC are the whole number nearest to x, if |x| is at
 * most 2^51; here x is a number of units of a value in [-1, 1]. */
#define MAGIC 0x1.8p52
#define MAGIC_BITS 0x4338000000000000
#define MOST_NEAR 4096 /* rows whose sums of 2^50 each fit in 63 bits */

void
vs_summary_plan(struct vs_summary_plan *p, const struct vs_summary_ask *ask,
	uint64_t n_vec, const struct vs_metric *metric)
{
	*p = (struct vs_summary_plan){ .ask = *ask,
		.n_vec = n_vec,
		.n_row = ask->ldscore + ask->n_degree,
		.lower = metric->lower };
}

uint64_t
vs_summary_size(const struct vs_summary_plan *p)
{
	return (uint64_t)p->n_row * p->n_vec + 1;
}

double
vs_summary_real(vs_wide sum)
{
	return (double)(__int128)sum / UNIT;
}

vs_wide
vs_summary_one(void)
{
	return (vs_wide)UNIT;
}

/* ---- of a tile ---- */

static size_t
side_size(const struct vs_summary *s)
{
	return (size_t)s->plan->n_row * s->room;
}

static size_t
near_size(const struct vs_summary *s)
{
	return (size_t)s->plan->n_row * VS_SUMMARY_COLUMNS;
}

int
vs_summary_new(struct vs_summary **out, const struct vs_summary_plan *plan,
	size_t room)
{
	struct vs_summary *s = NULL;
	int code = vs_mem_new(&s, 1, sizeof(*s), "summary");

	if (code)
		return code;
	s->plan = plan;
	s->room = room;
	for (int k = 0; k < 2 && !code; k++)
		code = vs_mem_new(&s->side[k], side_size(s),
			sizeof(*s->side[k]), "summary");
	if (!code)
		code = vs_mem_new(&s->near, near_size(s), sizeof(*s->near),
			"summary");
	if (!code)
		code = vs_mem_new(&s->counted, 2 * (size_t)plan->n_row + 2,
			sizeof(*s->counted), "summary");
	if (code)
		vs_summary_free(s);
	else
		*out = s;
	return code;
}

void
vs_summary_free(struct vs_summary *s)
{
	if (!s)
		return;
	free(s->side[0]);
	free(s->side[1]);
	free(s->near);
	free(s->counted);
	free(s);
}

void
vs_summary_tile(struct vs_summary *s, const uint64_t lo[2],
	const uint64_t hi[2])
{
	for (int k = 0; k < 2; k++) {
		s->lo[k] = lo[k];
		s->n[k] = (size_t)(hi[k] - lo[k]);
	}
}

/* Add the sums of the columns to the others. */
static void
settle(struct vs_summary *s)
{
	const struct vs_panel *p = s->panel;

	for (int r = 0; r < s->plan->n_row && s->n_near; r++) {
		int64_t *near = s->near + (size_t)r * VS_SUMMARY_COLUMNS;
		vs_wide *sum = s->side[1] + (size_t)r * s->room;

		for (size_t k = 0;
			k < VS_SUMMARY_COLUMNS && s->at + k < p->n_vec; k++) {
			if (!near[k])
				continue;
			sum[p->first + p->row[s->at + k] - s->lo[1]] +=
				(vs_wide)near[k];
			near[k] = 0;
		}
	}
	s->n_near = 0;
	s->panel = NULL;
}

void
vs_summary_clear(struct vs_summary *s)
{
	for (int k = 0; k < 2; k++)
		memset(s->side[k], 0, side_size(s) * sizeof(*s->side[k]));
	memset(s->near, 0, near_size(s) * sizeof(*s->near));
	s->n_near = 0;
	s->panel = NULL;
	s->n_pair = 0;
}

void
vs_summary_move(struct vs_summary *s, struct vs_summary *other)
{
	settle(other);
	for (int k = 0; k < 2; k++) {
		s->lo[k] = other->lo[k];
		s->n[k] = other->n[k];
		for (int r = 0; r < s->plan->n_row; r++) {
			const size_t at = (size_t)r * s->room;

			for (size_t v = at; v < at + s->n[k]; v++) {
				s->side[k][v] += other->side[k][v];
				other->side[k][v] = 0;
			}
		}
	}
	s->n_pair += other->n_pair;
	other->n_pair = 0;
}

const struct vs_counted *
vs_summary_counted(const struct vs_summary *s)
{
	struct vs_counted *c = s->counted;

	for (int r = 0; r < s->plan->n_row; r++)
		for (int k = 0; k < 2; k++)
			*c++ = (struct vs_counted){ s->side[k] +
					(size_t)r * s->room,
				(size_t)r * s->plan->n_vec + s->lo[k],
				s->n[k] };
	*c++ = (struct vs_counted){ &s->n_pair,
		(size_t)s->plan->n_row * s->plan->n_vec, 1 };
	*c = (struct vs_counted){ 0 };
	return s->counted;
}

/* Numbers with MAGIC added, and their values as whole numbers. */
union units {
	double x[VS_SUMMARY_BLOCK];
	int64_t bits[VS_SUMMARY_BLOCK];
};

/* Add the values of n columns to the sums of the columns; returns their own
 * sum. */
VS_INLINE int64_t
add_units(const union units *of, size_t n, int64_t *near)
{
	int64_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < n; k++) {
		near[k] += of->bits[k] - MAGIC_BITS;
		sum += of->bits[k] - MAGIC_BITS;
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
	union units unit;

	if (joint) {
#pragma omp simd
		for (size_t k = 0; k < row->n; k++) {
			double v = value[k], c = joint[k];
			double y = v - (1 - v) * (1 / (c - 2));

			y = ((c > 2) & (v == v)) ? y : 0;
			unit.x[k] = y * UNIT + MAGIC;
		}
	} else {
#pragma omp simd
		for (size_t k = 0; k < row->n; k++) {
			double v = value[k], y = v - (1 - v) * every;

			y = y == y ? y : 0;
			unit.x[k] = y * UNIT + MAGIC;
		}
	}
	return add_units(&unit, row->n, near);
}

VS_BY_CPU(int64_t, ldscore, (row, near), const struct vs_summary_row *row,
	int64_t *near)

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

void
vs_summary_add(struct vs_summary *s, const struct vs_summary_row *row)
{
	const struct vs_summary_plan *p = s->plan;
	const size_t i =
		(size_t)(row->pi->first + row->pi->row[row->i] - s->lo[0]);
	int r = 0;

	if (s->panel != row->pj || s->at != row->at || s->n_near == MOST_NEAR)
		settle(s);
	s->panel = row->pj;
	s->at = row->at;
	/* the blocks of a row have no column in common */
	s->n_near++;
	if (p->ask.ldscore)
		s->side[0][(size_t)r++ * s->room + i] +=
			(vs_wide)ldscore(p->cpu, row, s->near + row->from);
	for (int k = 0; k < p->ask.n_degree; k++, r++)
		s->side[0][(size_t)r * s->room + i] += (vs_wide)degree(p->cpu,
			row, p->ask.degree[k], p->lower,
			s->near + (size_t)r * VS_SUMMARY_COLUMNS + row->from);
}
