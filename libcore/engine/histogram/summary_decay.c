/* SPDX-License-Identifier: BSD-3-Clause */
/* Decay: values by the distance of a pair's vectors, and by chromosome. */
#include <math.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/inline.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary_kind.h"
#include "libcore/engine/histogram/value_histogram.h"

#define EVEN 100      /* bins of a width that was asked for */
#define WIDEST 1e6    /* kb */
#define DECADES 7     /* from 100 */
#define OCTAVES 40    /* above the greatest end of a bin */
#define IN_OCTAVE 128 /* parts with an edge each at most */

/* Ten steps of a decade that are nearly equal ratios (ISO 3, R10). */
static const int16_t tenths[10] = { 100, 125, 160, 200, 250, 315, 400, 500, 630,
	800 };

/* Part of an octave of a distance; doubles hold distances exactly. */
static inline int64_t
part_of(double distance)
{
	const double x = distance + 1;
	int64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return (bits >> 45) - 1023 * IN_OCTAVE;
}

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
	if (!code)
		code = vs_mem_new(&t->pos, n_vec, sizeof(*t->pos), "summary");
	if (!code)
		code = vs_mem_new(&t->begin, OCTAVES * IN_OCTAVE, 1, "summary");
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
	/* the last edge at or below all distances of a part of an octave */
	for (int k = 0, e = 0; k < OCTAVES * IN_OCTAVE && !code; k++) {
		while (e + 1 < t->n_edge && part_of(t->edge[e + 1]) < k)
			e++;
		t->begin[k] = (uint8_t)e;
	}
	t->edge[t->n_edge] = INFINITY;
	t->n_class = (size_t)t->n_edge + 1;
	t->n_cell = (t->n_group + 1) * t->n_class;
	t->least = (int64_t)floor(metric->lowest * VS_VALUE_HISTOGRAM_A_UNIT);
	t->n_bucket = (size_t)((int64_t)floor(metric->highest *
				       VS_VALUE_HISTOGRAM_A_UNIT) +
		1 - t->least);
	return code;
}

VS_INLINE void
bins_any(const struct vs_summary_part *t, double pos, const double *other,
	size_t n, int32_t *bin)
{
	const double most = t->edge[t->n_edge - 1];

	for (size_t k = 0; k < n; k++) {
		const double d = fabs(other[k] - pos);
		const int32_t e = t->begin[part_of(d < most ? d : most)];

		bin[k] = e + (d >= t->edge[e + 1]);
	}
}

VS_BY_CPU(void, bins, (t, pos, other, n, bin), const struct vs_summary_part *t,
	double pos, const double *other, size_t n, int32_t *bin)

static int64_t
map(const struct vs_summary_part *t, uint64_t i,
	const struct vs_summary_columns *columns, size_t from, size_t n,
	int32_t *cell, enum vs_cpu cpu)
{
	const int32_t group = t->group[i], *other = columns->group + from,
		      apart = (int32_t)(t->n_cell - 1),
		      first = group * (int32_t)t->n_class;

	if (group < 0)
		return -1;
	if (columns->one && columns->group[0] != group)
		return columns->group[0] < 0 ? -1 : apart;
	bins(cpu, t, t->pos[i], columns->pos + from, n, cell);
	for (size_t k = 0; k < n; k++)
		cell[k] = other[k] == group ? first + cell[k]
			: other[k] < 0      ? -1
					    : apart;
	return VS_SUMMARY_VARIES;
}

const struct vs_summary_kind vs_summary_decay = { lay_out, NULL, map };
