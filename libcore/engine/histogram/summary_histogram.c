/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of all values as a summary: one cell for all pairs. */
#include <math.h>

#include "libcore/engine/histogram/summary.h"

void
vs_summary_buckets(struct vs_summary_part *t, const struct vs_metric *metric)
{
	t->least = (int64_t)floor(
		vs_metric_lowest(metric, true) * VS_VALUE_RUN_BUCKETS);
	t->n_bucket = (size_t)((int64_t)floor(
				       metric->highest * VS_VALUE_RUN_BUCKETS) +
		1 - t->least);
}

static int
lay_out(struct vs_summary_part *t, uint64_t n_vec,
	const struct vs_metric *metric, const struct vs_summary_places *places)
{
	(void)n_vec;
	(void)places;
	t->n_cell = t->n_class = 1;
	vs_summary_buckets(t, metric);
	return 0;
}

static int64_t
cell(const struct vs_summary_part *t, uint64_t i,
	const struct vs_summary_columns *columns, size_t k, size_t *end)
{
	(void)t;
	(void)i;
	(void)columns;
	(void)k;
	*end = VS_SUMMARY_COLUMNS;
	return 0;
}

const struct vs_summary_kind vs_summary_histogram = { lay_out, NULL, cell,
	false };

void
vs_summary_histogram_to(const struct vs_summary_plan *p, const vs_wide *count,
	struct vs_value_histogram *b)
{
	const struct vs_summary_part *t = p->part;
	const vs_wide *of;

	while (t->which != VS_SUMMARY_histogram)
		t++;
	of = count + t->at;
	*b->few = count[p->n + 1];
	b->n[b->least < 0 ? -b->least : 0] =
		count[p->n] - *b->few - of[t->n_cell];
	for (size_t k = 0; k < t->n_bucket; k++) {
		const int64_t at = t->least + (int64_t)k - b->least;

		/* in whole counters there are none below the first bucket */
		b->n[at > 0 ? at : 0] += of[2 * t->n_cell + k];
	}
}
