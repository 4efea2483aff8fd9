/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells of a summary: sums, counts and histograms of pairs of two groups. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/histogram/summary_cells.h"

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
	VS_MEM_NEW(&code, c->run, part->n_class + 1, "summary");
	VS_MEM_NEW(&code, c->near,
		part->n_class * vs_value_run_size(part->n_bucket), "summary");
	if (code) {
		vs_summary_cells_free(c);
		return code;
	}
	vs_value_run_begin(c->run, part->n_class, part->least, part->n_bucket,
		c->near);
	*out = c;
	return 0;
}

void
vs_summary_cells_free(struct vs_summary_cells *c)
{
	if (!c)
		return;
	free(c->n);
	free(c->run);
	free(c->near);
	free(c);
}

static void
settle(struct vs_summary_cells *c)
{
	const struct vs_summary_part *t = c->part;

	for (size_t k = 0; k < t->n_class && c->n_near; k++)
		vs_value_run_settle(&c->run[k],
			c->n + 2 * t->n_cell + k * t->n_bucket);
	c->n_near = 0;
}

void
vs_summary_cells_clear(struct vs_summary_cells *c)
{
	settle(c);
	memset(c->n, 0, vs_summary_part_size(c->part) * sizeof(*c->n));
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

/* Add a run of values to a cell. */
static void
add_run(struct vs_summary_cells *c, enum vs_cpu cpu, const double *value,
	size_t n, size_t cell)
{
	const struct vs_summary_part *t = c->part;
	const size_t class =
		t->n_class ? (uint32_t)cell % (uint32_t)t->n_class : 0;
	int64_t sum = 0;

	c->n[t->n_cell + cell] +=
		vs_value_run_add(cpu, &c->run[class], value, n, &sum);
	c->n[cell] += (vs_wide)sum;
}

void
vs_summary_cells_add(struct vs_summary_cells *c,
	const struct vs_summary_row *row, enum vs_cpu cpu)
{
	const uint64_t i = row->pi->first + row->pi->row[row->i];
	const size_t lo = row->from, hi = lo + row->n;

	c->n_near += row->n;
	if (c->n_near > UINT32_MAX)
		settle(c);
	for (size_t k = lo, end; k < hi; k = end) {
		if (c->i != i || k >= c->end || k < c->begin) {
			c->i = i;
			c->begin = k;
			c->cell = c->part->kind->cell(c->part, i, &c->columns,
				k, &c->end);
		}
		end = vs_min_size(c->end, hi);
		if (c->cell >= 0)
			add_run(c, cpu, row->value + k - lo, end - k,
				(size_t)c->cell);
	}
}
