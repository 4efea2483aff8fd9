/* SPDX-License-Identifier: BSD-3-Clause */
/* Grid: values by the chromosomes, or blocks of them, of a pair's vectors. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/engine/histogram/summary_kind.h"

#define MOST 1000 /* blocks */

static int
compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Number the blocks, given by chromosome and number there; -1: none. */
static int
number_blocks(struct vs_summary_part *t, uint64_t n_vec, const int64_t *block)
{
	int64_t *sorted = NULL;
	size_t n = 0;
	int code = vs_mem_room(&sorted, n_vec, sizeof(*sorted), "summary");

	VS_MEM_NEW(&code, t->group, n_vec, "summary");
	for (uint64_t v = 0; v < n_vec && !code; v++)
		if (block[v] >= 0)
			sorted[n++] = block[v];
	if (n)
		qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t k = 0; k < n; k++)
		if (!k || sorted[k] != sorted[t->n_group - 1])
			sorted[t->n_group++] = sorted[k];
	for (uint64_t v = 0; v < n_vec && !code; v++) {
		const int64_t *at = block[v] < 0
			? NULL
			: bsearch(&block[v], sorted, t->n_group,
				  sizeof(*sorted), compare);

		t->group[v] = at ? (int32_t)(at - sorted) : -1;
	}
	free(sorted);
	return code;
}

static int
lay_out(struct vs_summary_part *t, uint64_t n_vec,
	const struct vs_metric *metric, const struct vs_summary_places *places)
{
	const double size = t->of->x[0],
		     bases = t->which == VS_SUMMARY_grid_kb ? size * 1000 : 0;
	const bool rows = t->which == VS_SUMMARY_grid_sites;
	int64_t *block = NULL;
	int code;

	(void)metric;
	if ((t->which == VS_SUMMARY_grid_kb && !(size >= 0.001)) ||
		(rows && !(size >= 1 && size == floor(size))))
		return vs_fail(VS_EUSAGE,
			"--summary: grid-kb=KB is at least 0.001, and "
			"grid-sites=N a whole number");
	code = vs_mem_new(&block, n_vec, sizeof(*block), "summary");
	for (uint64_t v = 0; v < n_vec && !code; v++) {
		const int64_t contig = places->contig[v], pos = places->pos[v],
			      at = rows ? (int64_t)((double)v / size)
			: bases > 0     ? (int64_t)((double)pos / bases)
					: 0;

		block[v] = (contig < 0 && !rows) || (pos < 1 && bases > 0)
			? -1
			: (contig + 1) << 40 | at;
	}
	if (!code)
		code = number_blocks(t, n_vec, block);
	free(block);
	if (!code && !t->n_group)
		code = vs_fail(VS_EINPUT,
			"--summary grid: no vector has a known place");
	if (!code && t->n_group > MOST)
		code = vs_fail(VS_EUSAGE,
			"--summary grid: %zu blocks; use larger ones, %d at "
			"most",
			t->n_group, MOST);
	t->n_cell = t->n_group * (t->n_group + 1) / 2;
	return code;
}

static int64_t
cell(const struct vs_summary_part *t, uint64_t i,
	const struct vs_summary_columns *columns, size_t k, size_t *end)
{
	const int32_t group = t->group[i], other = columns->group[k];

	*end = columns->range[columns->of[k]].hi;
	return group < 0 || other < 0
		? -1
		: (int64_t)vs_summary_between((size_t)group, (size_t)other);
}

const struct vs_summary_kind vs_summary_grid = { lay_out, NULL, cell, false };
const struct vs_summary_kind vs_summary_grid_kb = { lay_out, NULL, cell, true };
const struct vs_summary_kind vs_summary_grid_sites = { lay_out, NULL, cell,
	true };
