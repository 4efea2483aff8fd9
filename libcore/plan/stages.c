/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rising.h"
#include "libcore/plan/chromosome_path.h"
#include "libcore/plan/stages.h"

struct list {
	uint64_t *at; /* number of keys */
	size_t n, room;
};

static int
append(struct list *l, uint64_t key)
{
	int code = vs_mem_grow(&l->at, &l->room, l->n + 1, sizeof(*l->at),
		"tiles of a stage");

	if (!code)
		l->at[l->n++] = key;
	return code;
}

/* ---- all stages ---- */

static int
make_within(const struct vs_stages *s, const struct vs_plan *plan,
	int64_t n_share, int64_t most, struct vs_chromosome_path **out)
{
	return s->row ? vs_chromosome_path_between(out, plan, s->of, s->row,
				n_share, most)
		      : vs_chromosome_path_new(out, plan->n_vec, plan->tile,
				s->of, n_share, most);
}

/* The tiles that have pairs, in the order of the path. */
static int
list_within(const struct vs_stages *s, struct list *l)
{
	const struct vs_plan *p = &s->path;
	int code = 0;

	for (int64_t bi = 0; bi < p->second; bi++)
		for (int64_t bj = p->column > bi ? p->column : bi;
			bj < p->rest && !code; bj++) {
			if (vs_chromosome_path_weight(s->within, bi, bj))
				code = append(l,
					vs_chromosome_path_key(s->within, bi,
						bj));
			else if (!s->row)
				break; /* no tile after it has any either */
		}
	if (!code)
		vs_plan_sort_keys(l->at, l->n);
	return code;
}

static int
cut_within(struct vs_stages *s)
{
	struct list l = { 0 };
	uint64_t *cut = NULL;
	int code = make_within(s, &s->path, s->n, INT64_MAX, &s->within);

	if (!code)
		code = list_within(s, &l);
	VS_MEM_NEW(&code, cut, (size_t)s->n + 1, "stages");
	VS_MEM_NEW(&code, s->begin, (size_t)s->n, "stages");
	if (!code)
		vs_chromosome_path_cut(s->within, l.at, l.n, s->n, cut);
	for (int k = 1; k < s->n && !code; k++)
		s->begin[k] = cut[k] < l.n ? l.at[cut[k]] : UINT64_MAX;
	free(cut);
	free(l.at);
	return code;
}

int
vs_stages_make(struct vs_stages *s, const struct vs_plan *plan,
	enum vs_stages_by by, const struct vs_chromosomes *of,
	const int64_t *row, int n)
{
	int code = 0;

	memset(s, 0, sizeof(*s));
	s->by = by;
	s->n = n;
	s->of = of;
	s->row = row;
	s->path = *plan;
	s->path.n_rank = n;
	s->path.order = s->path.cut = NULL;
	s->path.within = NULL;
	if (by == VS_STAGES_SQUARES)
		vs_plan_by_path(&s->path, INT64_MAX);
	else
		vs_plan_by_rows(&s->path);
	if (by == VS_STAGES_CHROMOSOMES)
		code = cut_within(s);
	if (code)
		vs_stages_free(s);
	return code;
}

void
vs_stages_free(struct vs_stages *s)
{
	vs_chromosome_path_free(s->within);
	free(s->begin);
	s->within = NULL;
	s->begin = NULL;
}

/* The last stage that begins at a key or before it. */
static int
stage_at(const struct vs_stages *s, uint64_t key)
{
	return (int)vs_rising_last(s->begin, sizeof(*s->begin), (size_t)s->n,
		key);
}

int
vs_stages_of(const struct vs_stages *s, int64_t bi, int64_t bj)
{
	if (s->n == 1)
		return 0;
	switch (s->by) {
	case VS_STAGES_SQUARES:
		return vs_plan_owner(&s->path, bi, bj);
	case VS_STAGES_ROWS:
		return (int)(bi * s->n / s->path.second);
	case VS_STAGES_CHROMOSOMES:
		return stage_at(s, vs_chromosome_path_key(s->within, bi, bj));
	case VS_STAGES_SPREAD:
		break;
	}
	return vs_plan_spread(bi, bj, s->n);
}

/* ---- the path through a stage ---- */

static int
append_share(const struct vs_stages *s, int stage, const struct vs_plan *plan,
	struct list *l)
{
	const uint64_t end = vs_plan_share(&s->path, stage + 1);
	int64_t bi, bj;
	int code = 0;

	for (uint64_t x = vs_plan_share(&s->path, stage); x < end && !code;
		x++) {
		vs_plan_along(&s->path, x, &bi, &bj);
		code = append(l, vs_plan_key(plan, bi, bj));
	}
	return code;
}

static int
append_rows(const struct vs_stages *s, int stage, const struct vs_plan *plan,
	struct list *l)
{
	const struct vs_plan *p = &s->path;
	int code = 0;

	for (int64_t bi = 0; bi < p->second; bi++)
		for (int64_t bj = p->column > bi ? p->column : bi;
			bj < p->rest && !code; bj++)
			if (vs_stages_of(s, bi, bj) == stage)
				code = append(l, vs_plan_key(plan, bi, bj));
	return code;
}

/* Rows per strip that make the ranks' shares as nearly square as possible. */
static int64_t
height(const struct vs_stages *s, const struct vs_plan *plan, int64_t most)
{
	double tiles = (double)vs_plan_n_tile(plan) / s->n / plan->n_rank;
	int64_t rows = (int64_t)sqrt(tiles);

	if (s->by == VS_STAGES_ROWS)
		return 1;
	rows = rows < most ? rows : most;
	return rows < 1 ? 1 : rows;
}

int
vs_stages_deal(const struct vs_stages *s, int stage, int64_t most,
	struct vs_plan *plan)
{
	struct list l = { 0 };
	int code = 0;

	vs_plan_free(plan);
	if (plan->n_block > VS_PLAN_MOST_KEYS)
		return vs_fail(VS_EINPUT,
			"%lld blocks of vectors are too many for stages: "
			"larger tiles make fewer",
			(long long)plan->n_block);
	plan->by_path = true;
	for (int k = 0; k < 3; k++) {
		plan->stride[k] = s->path.stride[k];
		plan->inverse[k] = s->path.inverse[k];
	}
	plan->strip[0] = plan->strip[1] = height(s, plan, most);
	if (s->by == VS_STAGES_CHROMOSOMES)
		code = make_within(s, plan, (int64_t)s->n * plan->n_rank, most,
			&plan->within);
	if (!code)
		code = s->by == VS_STAGES_SQUARES
			? append_share(s, stage, plan, &l)
			: append_rows(s, stage, plan, &l);
	/* a stage without tiles still has a list */
	if (!l.n)
		VS_MEM_NEW(&code, l.at, 1, "tiles of a stage");
	if (!code)
		vs_plan_take_order(plan, l.at, l.n);
	else
		free(l.at);
	if (plan->within)
		VS_MEM_NEW(&code, plan->cut, (size_t)plan->n_rank + 1,
			"ranks of a stage");
	if (!code && plan->within)
		vs_chromosome_path_cut(plan->within, plan->order, plan->n_order,
			plan->n_rank, plan->cut);
	if (code)
		vs_plan_free(plan);
	return code;
}
