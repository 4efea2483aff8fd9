/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of all values, 1000 buckets per unit, exact. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/histogram/value_histogram.h"

int
vs_value_histogram_like(struct vs_value_histogram **out,
	const struct vs_value_histogram *like)
{
	struct vs_value_histogram *b = NULL;
	int code = vs_mem_new(&b, 1, sizeof(*b), "histogram");

	if (code)
		return code;
	*b = (struct vs_value_histogram){ .n_class = like->n_class,
		.least = like->least,
		.n_bucket = like->n_bucket };
	code = vs_mem_new(&b->n, vs_value_histogram_size(b), sizeof(*b->n),
		"histogram");
	VS_MEM_NEW(&code, b->run, vs_value_histogram_rows(b), "histogram");
	VS_MEM_NEW(&code, b->near,
		(size_t)vs_value_histogram_rows(b) *
			vs_value_run_size(b->n_bucket),
		"histogram");
	if (code) {
		vs_value_histogram_free(b);
		return code;
	}
	vs_value_run_begin(b->run, (size_t)vs_value_histogram_rows(b), b->least,
		b->n_bucket, b->near);
	b->few = b->n + vs_value_histogram_size(b) - VS_VALUE_HISTOGRAM_MORE;
	b->apart = b->few + 1;
	b->sum = b->apart + 1;
	*out = b;
	return 0;
}

int
vs_value_histogram_new(struct vs_value_histogram **b, int n_class, double least,
	double most)
{
	double lo = floor(least * VS_VALUE_HISTOGRAM_A_UNIT);
	/* rounding may put a value above the greatest possible one */
	double n = floor(most * VS_VALUE_HISTOGRAM_A_UNIT) + 1 - lo;

	if (!(n >= 1 && n <= VS_VALUE_HISTOGRAM_MOST))
		return vs_fail(VS_EUSAGE,
			"a histogram of values up to %g has more than %d "
			"buckets",
			most, VS_VALUE_HISTOGRAM_MOST);
	return vs_value_histogram_like(b,
		&(struct vs_value_histogram){ .n_class = n_class,
			.least = (int64_t)lo,
			.n_bucket = (size_t)n });
}

void
vs_value_histogram_free(struct vs_value_histogram *b)
{
	if (!b)
		return;
	free(b->n);
	free(b->run);
	free(b->near);
	free(b);
}

void
vs_value_histogram_settle(struct vs_value_histogram *b)
{
	for (int k = 0; k < vs_value_histogram_rows(b); k++)
		vs_value_run_settle(&b->run[k], b->n + (size_t)k * b->n_bucket);
	b->n_near = 0;
}

void
vs_value_histogram_room(struct vs_value_histogram *b, uint64_t n)
{
	if (b->n_near + n > UINT32_MAX)
		vs_value_histogram_settle(b);
	b->n_near += n;
}

void
vs_value_histogram_move(struct vs_value_histogram *b,
	struct vs_value_histogram *other)
{
	vs_value_histogram_settle(other);
	for (size_t k = 0; k < vs_value_histogram_size(b); k++) {
		b->n[k] += other->n[k];
		other->n[k] = 0;
	}
}

void
vs_value_histogram_clear(struct vs_value_histogram *b)
{
	vs_value_histogram_settle(b);
	memset(b->n, 0, vs_value_histogram_size(b) * sizeof(*b->n));
}

void
vs_value_histogram_value(struct vs_value_histogram *b, int class, double value)
{
	double k = floor(value * VS_VALUE_HISTOGRAM_A_UNIT) - (double)b->least;
	double last = (double)b->n_bucket - 1;

	k = k < 0 ? 0 : k > last ? last : k;
	b->n[(size_t) class * b->n_bucket + (size_t)k]++;
}

void
vs_value_histogram_values(struct vs_value_histogram *b, enum vs_cpu cpu,
	const double *value, size_t n, size_t n_all)
{
	const size_t zero = vs_min_size(b->least < 0 ? (size_t)-b->least : 0,
		b->n_bucket - 1);
	int64_t sum = 0;

	vs_value_histogram_room(b, n);
	b->n[zero] += n_all - vs_value_run_add(cpu, b->run, value, n, &sum);
}

uint32_t
vs_value_histogram_least(const struct vs_value_histogram *b, double threshold)
{
	double k = floor(threshold * VS_VALUE_HISTOGRAM_A_UNIT);

	return k > 0
		? k < (double)b->n_bucket ? (uint32_t)k : (uint32_t)b->n_bucket
		: 0;
}

void
vs_value_histogram_sum(struct vs_value_histogram *b, double low, double high)
{
	if (low > 0 && high > 0)
		vs_value_histogram_value(b, b->n_class, low + high);
	else
		++*b->apart;
}

static vs_wide
total(const struct vs_value_histogram *b, int lo, int hi)
{
	vs_wide n = 0;

	for (size_t k = (size_t)lo * b->n_bucket; k < (size_t)hi * b->n_bucket;
		k++)
		n += b->n[k];
	return n;
}

vs_wide
vs_value_histogram_total(const struct vs_value_histogram *b)
{
	return total(b, 0, b->n_class);
}

vs_wide
vs_value_histogram_sums(const struct vs_value_histogram *b)
{
	return total(b, b->n_class, vs_value_histogram_rows(b));
}

bool
vs_value_histogram_any(const int32_t *flag, size_t n)
{
	int32_t some = 0;

#pragma omp simd reduction(| : some)
	for (size_t k = 0; k < n; k++)
		some |= flag[k];
	return some;
}

/* The number of flags set, each 0 or 1. */
static uint64_t
n_flag(const int32_t *flag, size_t n)
{
	uint32_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < n; k++)
		sum += (uint32_t)flag[k];
	return sum;
}

/*
 * Neighbours are often alike, and so are the cells of a class. So cells are
 * added one after the other for each column, alternating between two tables, to
 * avoid that each addition waits for the previous one.
 */
VS_INLINE void
count_cells(struct vs_value_histogram *b,
	const struct vs_value_histogram_look *look, int n_cell, size_t lo,
	size_t hi)
{
	uint32_t *const even = b->run->near[0], *const odd = b->run->near[1];
	size_t k = lo;

	for (; k + 2 <= hi; k += 2) {
#pragma GCC unroll 9
		for (int c = 0; c <= n_cell; c++) {
			(c & 1 ? odd : even)[look->at[c][k]]++;
			(c & 1 ? even : odd)[look->at[c][k + 1]]++;
		}
	}
	for (int c = 0; k < hi && c <= n_cell; c++)
		even[look->at[c][k]]++;
}

void
vs_value_histogram_doubt(const struct vs_value_histogram *b,
	struct vs_value_histogram_look *look, int n_cell, size_t n)
{
	const uint32_t row = (uint32_t)b->n_bucket + 1;

	for (int c = 0; c <= n_cell; c++)
		for (size_t k = 0; k < n; k++)
			look->at[c][k] += row - 1 - look->at[c][k] % row;
	for (size_t k = 0; k < n; k++)
		look->doubt[k] = !look->few[k];
}

void
vs_value_histogram_count(struct vs_value_histogram *b,
	const struct vs_value_histogram_look *look, int n_cell, size_t lo,
	size_t hi)
{
	if (n_cell == 4)
		count_cells(b, look, 4, lo, hi);
	else
		count_cells(b, look, 8, lo, hi);
	*b->few += (uint64_t)n_cell * n_flag(look->few + lo, hi - lo);
	*b->apart += n_flag(look->apart + lo, hi - lo);
}
