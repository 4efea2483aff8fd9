/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a summary: sums, counts and histograms of pairs of two groups. */
#include <math.h>
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

/* Values of a row as whole numbers. */
struct sorted {
	union vs_summary_units unit; /* of those left out, 0 */
	uint32_t bucket[VS_SUMMARY_BLOCK];
	bool gaps; /* some are left out; their bucket is n_bucket */
};

/* The Makefile lets gcc choose between reals without branches here. */
#define BEYOND 1e6 /* any value above the last bucket */

VS_INLINE void
sort_any(const struct vs_summary_row *row, const struct vs_summary_part *t,
	struct sorted *to)
{
	const double *value = row->value;
	const int32_t least = (int32_t)t->least, none = (int32_t)t->n_bucket;
	int64_t gaps = 0;

#pragma omp simd reduction(| : gaps)
	for (size_t k = 0; k < row->n; k++) {
		const double v = value[k], y = v == v ? v : 0;

		to->unit.x[k] = y * VS_SUMMARY_UNIT + VS_SUMMARY_MAGIC;
		gaps |= v != v;
	}
	to->gaps = gaps;
#pragma omp simd
	for (size_t k = 0; k < (none ? row->n : 0); k++) {
		const double y = value[k] < BEYOND ? value[k] : BEYOND;
		int32_t b = (int32_t)floor(y * VS_VALUE_HISTOGRAM_A_UNIT);

		b -= least;
		b = b < 0 ? 0 : b;
		to->bucket[k] = (uint32_t)(b > none ? none : b);
	}
}

VS_BY_CPU(void, sort, (row, t, to), const struct vs_summary_row *row,
	const struct vs_summary_part *t, struct sorted *to)

VS_INLINE int64_t
sum_any(const int64_t *bits, size_t n)
{
	uint64_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < n; k++)
		sum += (uint64_t)bits[k];
	return (int64_t)(sum - n * VS_SUMMARY_MAGIC_BITS);
}

VS_BY_CPU(int64_t, sum, (bits, n), const int64_t *bits, size_t n)

/* Count n buckets. */
static void
count(uint32_t *near, size_t size, const uint32_t *bucket, size_t n)
{
	size_t k = 0;

	for (; k + COPIES <= n; k += COPIES) {
#pragma GCC unroll 8
		for (size_t c = 0; c < COPIES; c++)
			near[c * size + bucket[k + c]]++;
	}
	for (; k < n; k++)
		near[bucket[k]]++;
}

/* Add n values, from k on, to a cell. */
static void
add_run(struct vs_summary_cells *c, const double *value,
	const struct sorted *of, size_t k, size_t n, size_t cell,
	enum vs_cpu cpu)
{
	const struct vs_summary_part *t = c->part;
	size_t left = n;

	for (size_t at = k; at < k + n && of->gaps; at++)
		left -= value[at] != value[at];
	c->n[cell] += (vs_wide)sum(cpu, of->unit.bits + k, n);
	c->n[t->n_cell + cell] += left;
	if (t->n_class)
		count(c->near + cell % t->n_class * (t->n_bucket + 1),
			near_size(t), of->bucket + k, n);
}

void
vs_summary_cells_add(struct vs_summary_cells *c,
	const struct vs_summary_row *row, enum vs_cpu cpu)
{
	const struct vs_summary_part *t = c->part;
	const uint64_t i = row->pi->first + row->pi->row[row->i];
	struct sorted sorted;

	sort(cpu, row, t, &sorted);
	c->n_near += row->n;
	if (c->n_near > UINT32_MAX)
		settle(c);
	for (size_t k = 0, n; k < row->n; k += n) {
		size_t end = c->columns.end[row->from + k];
		const int64_t cell =
			t->kind->cell(t, i, &c->columns, row->from + k, &end);

		n = vs_min_size(end - row->from, row->n) - k;
		if (cell >= 0)
			add_run(c, row->value, &sorted, k, n, (size_t)cell,
				cpu);
	}
}
