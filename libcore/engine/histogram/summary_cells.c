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

/* End a range before column hi, and note where each of equal parts of its
 * positions begins. */
static void
end_range(struct vs_summary_columns *c, size_t hi)
{
	struct vs_summary_range *r = &c->range[c->n_range++];
	const double first = c->pos[r->lo], last = c->pos[hi - 1];
	size_t at = r->lo;

	r->hi = hi;
	r->scale = last > first ? (double)(hi - r->lo) / (last - first) : 0;
	for (size_t k = r->lo; k < hi; k++) {
		while (at < hi - 1 &&
			(c->pos[at] - first) * r->scale < (double)(k - r->lo))
			at++;
		c->place[k] = (uint16_t)at;
	}
	r[1].lo = hi;
}

void
vs_summary_cells_columns(struct vs_summary_cells *c,
	const struct vs_summary_row *row)
{
	const struct vs_summary_part *t = c->part;
	const struct vs_panel *p = row->pj;
	struct vs_summary_columns *to = &c->columns;
	const size_t n = vs_min_size(p->n_vec - row->at, VS_SUMMARY_COLUMNS);

	to->n_range = 0;
	to->range[0].lo = 0;
	for (size_t k = 0; k < n; k++) {
		const uint64_t j = p->first + p->row[row->at + k];

		to->group[k] = t->group[j];
		to->pos[k] = t->pos ? t->pos[j] : 0;
		if (k &&
			(to->group[k] != to->group[k - 1] ||
				to->pos[k] < to->pos[k - 1]))
			end_range(to, k);
		to->of[k] = (uint16_t)to->n_range;
	}
	end_range(to, n);
	c->end = 0;
}

/* Values of a row as whole numbers. */
struct sorted {
	union vs_summary_units unit; /* of those left out, 0 */
	uint32_t bucket[VS_SUMMARY_BLOCK];
	bool gaps; /* some are left out; their bucket is n_bucket */
};

/* The Makefile lets gcc choose between reals without branches here. */
VS_INLINE void
sort_any(const struct vs_summary_row *row, const struct vs_summary_part *t,
	struct sorted *to)
{
	const double *value = row->value, least = (double)t->least;
	const double none = (double)t->n_bucket;
	double sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < row->n; k++) {
		const double v = value[k], y = v == v ? v : 0;

		to->unit.x[k] = y * VS_SUMMARY_UNIT + VS_SUMMARY_MAGIC;
		sum += v;
	}
	to->gaps = sum != sum;
	if (!t->n_bucket)
		return;
#pragma omp simd
	for (size_t k = 0; k < row->n; k++) {
		double b = floor(value[k] * VS_VALUE_HISTOGRAM_A_UNIT) - least;

		b = b < none ? b : none;
		to->bucket[k] = (uint32_t)(int32_t)(b > 0 ? b : 0);
	}
}

VS_BY_CPU(void, sort, (row, t, to), const struct vs_summary_row *row,
	const struct vs_summary_part *t, struct sorted *to)

typedef uint64_t words __attribute__((vector_size(32), aligned(8), may_alias));

/* bits: readable up to 3 past their end */
VS_INLINE int64_t
sum_any(const int64_t *bits, size_t n)
{
	static const uint64_t kept[8] = { ~0ull, ~0ull, ~0ull, ~0ull };
	words a = { 0 }, b = { 0 };
	size_t k = 0;

	for (; k + 8 <= n; k += 8) {
		a += *(const words *)(bits + k);
		b += *(const words *)(bits + k + 4);
	}
	for (; k < n; k += 4) {
		const size_t left = vs_min_size(n - k, 4);

		a += *(const words *)(bits + k) &
			*(const words *)(kept + 4 - left);
	}
	a += b;
	return (int64_t)(a[0] + a[1] + a[2] + a[3] - n * VS_SUMMARY_MAGIC_BITS);
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
	const size_t lo = row->from, hi = lo + row->n;
	struct sorted sorted;

	sort(cpu, row, t, &sorted);
	c->n_near += row->n;
	if (c->n_near > UINT32_MAX)
		settle(c);
	for (size_t k = lo, end; k < hi; k = end) {
		if (c->i != i || k >= c->end || k < c->begin) {
			c->i = i;
			c->begin = k;
			c->cell = t->kind->cell(t, i, &c->columns, k, &c->end);
		}
		end = vs_min_size(c->end, hi);
		if (c->cell >= 0)
			add_run(c, row->value, &sorted, k - lo, end - k,
				(size_t)c->cell, cpu);
	}
}
