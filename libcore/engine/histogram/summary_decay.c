/* SPDX-License-Identifier: BSD-3-Clause */
/* Decay: values by the distance of a pair's vectors, and by chromosome. */
#include <math.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/histogram/summary.h"
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

/* Note the bin in which each eighth begins. */
static void
set_bins(struct vs_summary_part *t)
{
	int bin = 0;

	for (int k = 0; k < VS_SUMMARY_EIGHTHS; k++) {
		const double first = ldexp(1 + k % 8 / 8.0, k / 8) - 1;

		while (t->edge[bin + 1] <= first)
			bin++;
		t->bin[k] = (uint8_t)bin;
	}
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
	set_bins(t);
	t->n_class = (size_t)t->n_edge + 1;
	t->n_cell = (t->n_group + 1) * t->n_class;
	vs_summary_buckets(t, metric);
	return code;
}

/* The number of a distance among eighths of its powers of two. */
static size_t
eighth_of(double distance)
{
	const double x = distance + 1;
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return vs_min_size((bits >> 49) - 8 * 1023, VS_SUMMARY_EIGHTHS - 1);
}

/* The last of the bins that begins at or below a distance. */
static int
bin_of(const struct vs_summary_part *t, double distance)
{
	int bin = t->bin[eighth_of(distance)];

	while (t->edge[bin + 1] <= distance)
		bin++;
	return bin;
}

/* The first column from k on, in its range, whose position is at least, or with
 * `above` above, x. */
static size_t
first_from(const struct vs_summary_columns *c, size_t k, double x, bool above)
{
	const struct vs_summary_range *r = &c->range[c->of[k]];
	const double *pos = c->pos, part = (x - pos[r->lo]) * r->scale;
	size_t at = !(part > 0) ? r->lo
		: part < (double)(int64_t)(r->hi - r->lo)
		? c->place[r->lo + (size_t)(int64_t)part]
		: r->hi - 1;

	at = at > k ? at : k;
	while (at > k && (above ? pos[at - 1] > x : pos[at - 1] >= x))
		at--;
	while (at < r->hi && (above ? pos[at] <= x : pos[at] < x))
		at++;
	return at;
}

static int64_t
cell(const struct vs_summary_part *t, uint64_t i,
	const struct vs_summary_columns *columns, size_t k, size_t *end)
{
	const int32_t group = t->group[i], other = columns->group[k];
	const double at = t->pos[i], pos = columns->pos[k];
	const struct vs_summary_range *r = &columns->range[columns->of[k]],
				      *last = columns->range + columns->n_range;
	int bin;

	*end = r->hi;
	if (group < 0 || other < 0)
		return -1;
	if (other != group) {
		/* all other chromosomes have one cell */
		while (++r < last && columns->group[r->lo] >= 0 &&
			columns->group[r->lo] != group)
			*end = r->hi;
		return (int64_t)t->n_cell - 1;
	}
	bin = bin_of(t, fabs(pos - at));
	*end = pos < at
		? first_from(columns, k,
			  bin ? at - t->edge[bin] : at + t->edge[1], bin)
		: first_from(columns, k, at + t->edge[bin + 1], false);
	return (int64_t)group * (int64_t)t->n_class + bin;
}

const struct vs_summary_kind vs_summary_decay = { lay_out, NULL, cell, true };
