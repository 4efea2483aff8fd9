/* SPDX-License-Identifier: BSD-3-Clause */
/* Decay: values by the distance of a pair's vectors, and by chromosome. */
#include <math.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary_kind.h"
#include "libcore/engine/histogram/value_histogram.h"

#define EVEN 100   /* bins of a width that was asked for */
#define WIDEST 1e6 /* kb */
#define DECADES 7  /* from 100 */

/* Ten steps of a decade that are nearly equal ratios (ISO 3, R10). */
static const int16_t tenths[10] = { 100, 125, 160, 200, 250, 315, 400, 500, 630,
	800 };

static void
set_edges(struct vs_summary_part *t)
{
	const int64_t width =
		t->of->n ? (int64_t)floor(t->of->x[0] * 1000 + 0.5) : 0;
	int64_t ten = 1;

	t->n_edge = 1;
	for (int k = 1; k <= EVEN && width; k++)
		t->edge[t->n_edge++] = k * width;
	for (int d = 0; d <= DECADES && !width; d++, ten *= 10)
		for (int k = 0; k < (d < DECADES ? 10 : 1); k++)
			t->edge[t->n_edge++] = (double)(ten * tenths[k]);
}

static int
lay_out(struct vs_summary_part *t, uint64_t n_vec,
	const struct vs_metric *metric, const struct vs_summary_places *places)
{
	const double kb = t->of->n ? t->of->x[0] : 1;
	int code;

	if (!(kb >= 0.001 && kb <= WIDEST))
		return vs_fail(VS_EUSAGE,
			"--summary decay=KB: bins of 0.001 to %g kb expected",
			WIDEST);
	set_edges(t);
	code = vs_mem_new(&t->group, n_vec, sizeof(*t->group), "summary");
	VS_MEM_NEW(&code, t->pos, n_vec, "summary");
	for (uint64_t v = 0; v < n_vec && !code; v++) {
		t->pos[v] = (double)places->pos[v];
		t->group[v] = places->pos[v] < 1 ? -1 : places->contig[v];
		if (t->group[v] >= (int64_t)t->n_group)
			t->n_group = (size_t)t->group[v] + 1;
	}
	if (!code && !t->n_group)
		return vs_fail(VS_EINPUT,
			"--summary decay: no vector has a chromosome and a "
			"position");
	t->edge[t->n_edge] = INFINITY;
	t->n_class = (size_t)t->n_edge + 1;
	t->n_cell = (t->n_group + 1) * t->n_class;
	t->least = (int64_t)floor(metric->lowest * VS_VALUE_HISTOGRAM_A_UNIT);
	t->n_bucket = (size_t)((int64_t)floor(metric->highest *
				       VS_VALUE_HISTOGRAM_A_UNIT) +
		1 - t->least);
	return code;
}

/* The last of the bins that begins at or below a distance. */
static int
bin_of(const struct vs_summary_part *t, double distance)
{
	int lo = 0, hi = t->n_edge;

	while (hi - lo > 1) {
		const int at = (lo + hi) / 2;

		if (t->edge[at] <= distance)
			lo = at;
		else
			hi = at;
	}
	return lo;
}

/* The first of rising positions in [lo, hi) that is at least, or with `above`
 * above, x. */
static size_t
first_from(const double *pos, size_t lo, size_t hi, double x, bool above)
{
	while (lo < hi) {
		const size_t at = lo + (hi - lo) / 2;

		if (above ? pos[at] <= x : pos[at] < x)
			lo = at + 1;
		else
			hi = at;
	}
	return lo;
}

static int64_t
cell(const struct vs_summary_part *t, uint64_t i,
	const struct vs_summary_columns *columns, size_t k, size_t *end)
{
	const int32_t group = t->group[i], other = columns->group[k];
	const double at = t->pos[i], *pos = columns->pos;
	int bin;

	if (group < 0 || other < 0)
		return -1;
	if (other != group)
		return (int64_t)t->n_cell - 1;
	bin = bin_of(t, fabs(pos[k] - at));
	*end = pos[k] < at
		? first_from(pos, k, *end,
			  bin ? at - t->edge[bin] : at + t->edge[1], bin)
		: first_from(pos, k, *end, at + t->edge[bin + 1], false);
	return (int64_t)group * (int64_t)t->n_class + bin;
}

const struct vs_summary_kind vs_summary_decay = { lay_out, NULL, cell };
