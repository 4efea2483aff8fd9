/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries of the values of all pairs, as exact sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/histogram/summary.h"
#include "libcore/engine/histogram/summary_kind.h"
#include "libcore/kern/value_run.h"

#define MOST_NEAR 4096 /* rows whose sums of 2^50 each fit in 63 bits */

/* Cells of a summary: sums, counts and histograms of pairs of two groups. */
struct vs_summary_cells {
	const struct vs_summary_part *part;
	vs_wide *n; /* vs_summary_part_size(): the part's counters */
	/* n_near pairs not added up yet, by class, whose counters are in near;
	 * without classes one, which has no counters */
	struct vs_value_run *run;
	uint32_t *near;
	uint64_t n_near;
	struct vs_summary_columns columns;
	/* row i has this cell with columns [begin, end) */
	uint64_t i;
	size_t begin, end;
	int64_t cell;
};

static void
cells_free(struct vs_summary_cells *c)
{
	if (!c)
		return;
	free(c->n);
	free(c->run);
	free(c->near);
	free(c);
}

static int
cells_new(struct vs_summary_cells **out, const struct vs_summary_part *part)
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
		cells_free(c);
		return code;
	}
	vs_value_run_begin(c->run, part->n_class, part->least, part->n_bucket,
		c->near);
	*out = c;
	return 0;
}

static void
cells_settle(struct vs_summary_cells *c)
{
	const struct vs_summary_part *t = c->part;

	for (size_t k = 0; k < t->n_class && c->n_near; k++)
		vs_value_run_settle(&c->run[k],
			c->n + 2 * t->n_cell + k * t->n_bucket);
	c->n_near = 0;
}

static void
cells_clear(struct vs_summary_cells *c)
{
	cells_settle(c);
	memset(c->n, 0, vs_summary_part_size(c->part) * sizeof(*c->n));
}

/* Add the other to c, and set that one to 0. */
static void
cells_move(struct vs_summary_cells *c, struct vs_summary_cells *other)
{
	const size_t n = vs_summary_part_size(c->part);

	cells_settle(other);
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

/* The columns of a row's panel, from its `at` on, are new. */
static void
cells_columns(struct vs_summary_cells *c, const struct vs_summary_row *row)
{
	const struct vs_summary_part *t = c->part;
	const struct vs_panel *p = row->pj;
	struct vs_summary_columns *to = &c->columns;
	const size_t n = vs_min_size(p->n_vec - row->at, VS_SUMMARY_COLUMNS);

	to->n_range = 0;
	to->range[0].lo = 0;
	for (size_t k = 0; k < n; k++) {
		const uint64_t j = p->first + p->row[row->at + k];

		to->group[k] = t->group ? t->group[j] : 0;
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

static void
cells_add(struct vs_summary_cells *c, const struct vs_summary_row *row,
	enum vs_cpu cpu)
{
	const uint64_t i = row->pi->first + row->pi->row[row->i];
	const size_t lo = row->from, hi = lo + row->n;

	c->n_near += row->n;
	if (c->n_near > UINT32_MAX)
		cells_settle(c);
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

/* ---- the plan ---- */

static const struct vs_summary_kind *const kinds[] = {
#define SUMMARY(name, ...) &vs_summary_##name,
#include "libcore/metric/summary_rows.h"
#undef SUMMARY
};

int
vs_summary_plan_make(struct vs_summary_plan *p,
	const struct vs_summary_ask *ask, uint64_t n_vec,
	const struct vs_metric *metric, const struct vs_summary_places *places)
{
	int code = 0;

	*p = (struct vs_summary_plan){ .ask = *ask,
		.n_vec = n_vec,
		.n_total = ask->of[VS_SUMMARY_histogram].is ? 2 : 1,
		.strong = vs_metric_strong(metric) };
	for (int k = 0; k < VS_SUMMARY_KINDS && !code; k++) {
		struct vs_summary_part *t = &p->part[p->n_part];

		if (!ask->of[k].is)
			continue;
		p->n_part++;
		*t = (struct vs_summary_part){ .kind = kinds[k],
			.which = k,
			.of = &p->ask.of[k],
			.at = p->n,
			.first_row = p->n_row };
		code = t->kind->lay_out(t, n_vec, metric, places);
		p->n_row += t->n_row;
		p->ranges |= t->kind->ranges;
		p->n += (size_t)t->n_row * n_vec + vs_summary_part_size(t);
	}
	if (code)
		vs_summary_plan_free(p);
	return code;
}

void
vs_summary_plan_free(struct vs_summary_plan *p)
{
	for (int k = 0; k < p->n_part; k++) {
		free(p->part[k].group);
		free(p->part[k].pos);
		free(p->part[k].weight);
		free(p->part[k].scale);
	}
	p->n_part = 0;
}

/* Reorder w->n_vec elements from rows to places, or back; others become 0. */
static int
reorder(void *of, size_t size, const struct vs_wanted *w, bool back)
{
	const uint64_t n = w->of.n_first + w->of.n_both + w->of.n_second;
	char *old = of, *to = NULL;
	int code = !of ? 0 : vs_mem_new(&to, w->n_vec, size, "summary");

	for (uint64_t k = 0; k < n && to; k++) {
		const size_t row = (size_t)w->row[k];

		memcpy(to + (back ? row : k) * size,
			old + (back ? k : row) * size, size);
	}
	if (to)
		memcpy(of, to, w->n_vec * size);
	free(to);
	return code;
}

int
vs_summary_reorder(struct vs_summary_plan *p, const struct vs_wanted *w)
{
	int code = 0;

	for (int k = 0; k < p->n_part && w->by_sets && !code; k++) {
		struct vs_summary_part *t = &p->part[k];

		code = reorder(t->group, sizeof(*t->group), w, false);
		if (!code)
			code = reorder(t->pos, sizeof(*t->pos), w, false);
		for (int r = 0; r < t->n_row && t->weight && !code; r++)
			code = reorder(t->weight + (size_t)r * p->n_vec,
				sizeof(*t->weight), w, false);
	}
	return code;
}

int
vs_summary_restore_rows(const struct vs_summary_plan *p,
	const struct vs_wanted *w, vs_wide *count)
{
	int code = 0;

	for (int k = 0; k < p->n_part && w->by_sets; k++)
		for (int r = 0; r < p->part[k].n_row && !code; r++)
			code = reorder(count + p->part[k].at +
					(size_t)r * p->n_vec,
				sizeof(*count), w, true);
	return code;
}

double
vs_summary_real(vs_wide sum)
{
	return (double)(__int128)sum / VS_VALUE_RUN_UNIT;
}

vs_wide
vs_summary_units(double value)
{
	return (vs_wide)llrint(value * VS_VALUE_RUN_UNIT);
}

/* ---- of a tile ---- */

static size_t
side_size(const struct vs_summary *s)
{
	return (size_t)s->plan->n_row * s->room;
}

static size_t
near_size(const struct vs_summary *s)
{
	return (size_t)s->plan->n_row * VS_SUMMARY_COLUMNS;
}

int
vs_summary_new(struct vs_summary **out, const struct vs_summary_plan *plan,
	size_t room)
{
	struct vs_summary *s = NULL;
	int code = vs_mem_new(&s, 1, sizeof(*s), "summary");

	if (code)
		return code;
	s->plan = plan;
	s->room = room;
	for (int k = 0; k < 2 && !code; k++)
		code = vs_mem_new(&s->side[k], side_size(s),
			sizeof(*s->side[k]), "summary");
	VS_MEM_NEW(&code, s->near, near_size(s), "summary");
	for (int k = 0; k < plan->n_part && !code; k++)
		if (plan->part[k].n_cell)
			code = cells_new(&s->cells[k], &plan->part[k]);
	VS_MEM_NEW(&code, s->counted,
		2 * (size_t)plan->n_row + (size_t)plan->n_part + 2, "summary");
	if (code)
		vs_summary_free(s);
	else
		*out = s;
	return code;
}

void
vs_summary_free(struct vs_summary *s)
{
	if (!s)
		return;
	free(s->side[0]);
	free(s->side[1]);
	free(s->near);
	for (int k = 0; k < s->plan->n_part; k++)
		cells_free(s->cells[k]);
	free(s->counted);
	free(s);
}

void
vs_summary_tile(struct vs_summary *s, const uint64_t lo[2],
	const uint64_t hi[2])
{
	for (int k = 0; k < 2; k++) {
		s->lo[k] = lo[k];
		s->n[k] = (size_t)(hi[k] - lo[k]);
	}
}

/* Add the sums of the columns to the others. */
static void
settle(struct vs_summary *s)
{
	const struct vs_panel *p = s->panel;

	for (int r = 0; r < s->plan->n_row && s->n_near; r++) {
		int64_t *near = s->near + (size_t)r * VS_SUMMARY_COLUMNS;
		vs_wide *sum = s->side[1] + (size_t)r * s->room;

		for (size_t k = 0;
			k < VS_SUMMARY_COLUMNS && s->at + k < p->n_vec; k++) {
			if (!near[k])
				continue;
			sum[p->first + p->row[s->at + k] - s->lo[1]] +=
				(vs_wide)near[k];
			near[k] = 0;
		}
	}
	s->n_near = 0;
	s->panel = NULL;
}

void
vs_summary_clear(struct vs_summary *s)
{
	for (int k = 0; k < 2; k++)
		memset(s->side[k], 0, side_size(s) * sizeof(*s->side[k]));
	memset(s->near, 0, near_size(s) * sizeof(*s->near));
	for (int k = 0; k < s->plan->n_part; k++)
		if (s->cells[k])
			cells_clear(s->cells[k]);
	s->n_near = 0;
	s->panel = NULL;
	memset(s->n_pair, 0, sizeof(s->n_pair));
}

void
vs_summary_move(struct vs_summary *s, struct vs_summary *other)
{
	settle(other);
	for (int k = 0; k < 2; k++) {
		s->lo[k] = other->lo[k];
		s->n[k] = other->n[k];
		for (int r = 0; r < s->plan->n_row; r++) {
			const size_t at = (size_t)r * s->room;

			for (size_t v = at; v < at + s->n[k]; v++) {
				s->side[k][v] += other->side[k][v];
				other->side[k][v] = 0;
			}
		}
	}
	for (int k = 0; k < s->plan->n_part; k++)
		if (s->cells[k])
			cells_move(s->cells[k], other->cells[k]);
	for (int k = 0; k < 2; k++) {
		s->n_pair[k] += other->n_pair[k];
		other->n_pair[k] = 0;
	}
}

const struct vs_counted *
vs_summary_counted(const struct vs_summary *s)
{
	struct vs_counted *c = s->counted;

	for (int p = 0; p < s->plan->n_part; p++) {
		const struct vs_summary_part *t = &s->plan->part[p];

		for (int r = 0; r < 2 * t->n_row; r++)
			*c++ = (struct vs_counted){ s->side[r % 2] +
					(size_t)(t->first_row + r / 2) *
						s->room,
				t->at + (size_t)(r / 2) * s->plan->n_vec +
					s->lo[r % 2],
				s->n[r % 2] };
		if (s->cells[p])
			*c++ = (struct vs_counted){ s->cells[p]->n, t->at,
				vs_summary_part_size(t) };
	}
	*c++ = (struct vs_counted){ s->n_pair, s->plan->n,
		(size_t)s->plan->n_total };
	*c = (struct vs_counted){ 0 };
	return s->counted;
}

void
vs_summary_add(struct vs_summary *s, const struct vs_summary_row *row)
{
	const struct vs_summary_plan *p = s->plan;
	const size_t i =
		(size_t)(row->pi->first + row->pi->row[row->i] - s->lo[0]);
	const bool moves = s->panel != row->pj || s->at != row->at;
	int64_t sum[VS_SUMMARY_ROWS];

	if (moves || s->n_near == MOST_NEAR)
		settle(s);
	s->panel = row->pj;
	s->at = row->at;
	/* the blocks of a row have no column in common */
	s->n_near++;
	for (int k = 0; k < p->n_part; k++) {
		const struct vs_summary_part *t = &p->part[k];
		const size_t r = (size_t)t->first_row;

		if (moves && s->cells[k])
			cells_columns(s->cells[k], row);
		if (s->cells[k])
			cells_add(s->cells[k], row, p->cpu);
		else
			t->kind->add(p, t, row,
				s->near + r * VS_SUMMARY_COLUMNS + row->from,
				sum);
		for (size_t n = 0; n < (size_t)t->n_row; n++)
			s->side[0][(r + n) * s->room + i] += (vs_wide)sum[n];
	}
}
