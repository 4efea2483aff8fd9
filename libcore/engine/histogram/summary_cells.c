/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a summary: sums, counts and histograms of pairs of two groups. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/inline.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/histogram/summary_cells.h"
#include "libcore/engine/histogram/value_histogram.h"

/* Pairs of a row mostly have the same bucket, whose counter would be read just
 * after it was written. */
#define COPIES 4

static size_t
near_size(const struct vs_summary_part *t)
{
	return t->n_class * (t->n_bucket + 1);
}

int
vs_summary_cells_new(struct vs_summary_cells **out,
	const struct vs_summary_part *part)
{
	struct vs_summary_cells *c = NULL;
	int code = vs_mem_new(&c, 1, sizeof(*c), "summary");

	if (code)
		return code;
	c->part = part;
	code = vs_mem_new(&c->n, vs_summary_part_size(part), sizeof(*c->n),
		"summary");
	VS_MEM_NEW(&code, c->near, COPIES * near_size(part), "summary");
	if (code)
		vs_summary_cells_free(c);
	else
		*out = c;
	return code;
}

void
vs_summary_cells_free(struct vs_summary_cells *c)
{
	if (!c)
		return;
	free(c->n);
	free(c->near);
	free(c);
}

void
vs_summary_cells_clear(struct vs_summary_cells *c)
{
	memset(c->n, 0, vs_summary_part_size(c->part) * sizeof(*c->n));
	memset(c->near, 0, COPIES * near_size(c->part) * sizeof(*c->near));
	c->n_near = 0;
}

static void
settle(struct vs_summary_cells *c)
{
	const struct vs_summary_part *t = c->part;
	vs_wide *n = c->n + 2 * t->n_cell;
	uint32_t *near = c->near;

	for (size_t k = 0; k < COPIES * t->n_class && c->n_near; k++) {
		for (size_t b = 0; b < t->n_bucket; b++)
			n[k % t->n_class * t->n_bucket + b] += near[b];
		memset(near, 0, (t->n_bucket + 1) * sizeof(*near));
		near += t->n_bucket + 1;
	}
	c->n_near = 0;
}

void
vs_summary_cells_move(struct vs_summary_cells *c,
	struct vs_summary_cells *other)
{
	const size_t n = vs_summary_part_size(c->part);

	settle(other);
	for (size_t k = 0; k < n; k++)
		c->n[k] += other->n[k];
	memset(other->n, 0, n * sizeof(*other->n));
}

void
vs_summary_cells_columns(struct vs_summary_cells *c,
	const struct vs_summary_row *row)
{
	const struct vs_summary_part *t = c->part;
	const struct vs_panel *p = row->pj;
	struct vs_summary_columns *to = &c->columns;

	to->n = vs_min_size(p->n_vec - row->at, VS_SUMMARY_COLUMNS);
	for (size_t k = to->n; k--;) {
		const uint64_t j = p->first + p->row[row->at + k];
		const bool last = k + 1 == to->n;

		to->group[k] = t->group[j];
		to->pos[k] = t->pos ? t->pos[j] : 0;
		to->end[k] = last || to->group[k] != to->group[k + 1] ||
				to->pos[k] > to->pos[k + 1]
			? (uint16_t)(k + 1)
			: to->end[k + 1];
	}
}

/* Sum of n values, in units. *all: increased by how many are not left out */
VS_INLINE int64_t
sum_any(const double *value, size_t n, vs_wide *all)
{
	int64_t sum = 0, left = 0;

#pragma omp simd reduction(+ : sum, left)
	for (size_t k = 0; k < n; k++) {
		const double v = value[k], y = v == v ? v : 0,
			     unit = y * VS_SUMMARY_UNIT + VS_SUMMARY_MAGIC;
		int64_t bits;

		memcpy(&bits, &unit, sizeof(bits));
		sum += bits - VS_SUMMARY_MAGIC_BITS;
		left += v == v;
	}
	*all += (vs_wide)left;
	return sum;
}

VS_BY_CPU(int64_t, sum, (value, n, all), const double *value, size_t n,
	vs_wide *all)

/* The Makefile lets gcc choose between reals without branches here. */
#define BEYOND 1e6 /* any value above the last bucket */

/* Buckets of values; n_bucket is that of those left out. */
VS_INLINE void
sort_any(const struct vs_summary_row *row, const struct vs_summary_part *t,
	union vs_summary_units *bucket)
{
	const double *value = row->value;
	const int64_t least = VS_SUMMARY_MAGIC_BITS + t->least,
		      none = (int64_t)t->n_bucket;

#pragma omp simd
	for (size_t k = 0; k < row->n; k++) {
		const double v = value[k], y = v == v ? v : BEYOND,
			     x = y * VS_VALUE_HISTOGRAM_A_UNIT,
			     near = x + VS_SUMMARY_MAGIC;

		/* the nearest whole number, or the one below it: floor(x) */
		bucket->x[k] =
			near - (double)(near - VS_SUMMARY_MAGIC > x ? 1 : 0);
	}
#pragma omp simd
	for (size_t k = 0; k < row->n; k++) {
		int64_t b = bucket->bits[k] - least;

		b = b < 0 ? 0 : b;
		bucket->bits[k] = b > none ? none : b;
	}
}

VS_BY_CPU(void, sort, (row, t, bucket), const struct vs_summary_row *row,
	const struct vs_summary_part *t, union vs_summary_units *bucket)

/* Add n values, from k on, to a cell. */
static void
add_run(struct vs_summary_cells *c, const double *value,
	const union vs_summary_units *bucket, size_t k, size_t n, size_t cell,
	enum vs_cpu cpu)
{
	const struct vs_summary_part *t = c->part;
	const size_t size = near_size(t), end = k + n;
	uint32_t *near = c->near;

	c->n[cell] += (vs_wide)sum(cpu, value + k, n, c->n + t->n_cell + cell);
	if (!t->n_class)
		return;
	near += cell % t->n_class * (t->n_bucket + 1);
	for (; k < end; k++)
		near[k % COPIES * size + (size_t)bucket->bits[k]]++;
}

void
vs_summary_cells_add(struct vs_summary_cells *c,
	const struct vs_summary_row *row, enum vs_cpu cpu)
{
	const struct vs_summary_part *t = c->part;
	const uint64_t i = row->pi->first + row->pi->row[row->i];
	union vs_summary_units bucket;

	if (t->n_class)
		sort(cpu, row, t, &bucket);
	c->n_near += row->n;
	if (c->n_near > UINT32_MAX)
		settle(c);
	for (size_t k = 0, n; k < row->n; k += n) {
		size_t end = c->columns.end[row->from + k];
		const int64_t cell =
			t->kind->cell(t, i, &c->columns, row->from + k, &end);

		n = vs_min_size(end - row->from, row->n) - k;
		if (cell >= 0)
			add_run(c, row->value, &bucket, k, n, (size_t)cell,
				cpu);
	}
}
