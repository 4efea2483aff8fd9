/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of a run. */
#include <math.h>
#include <stdlib.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/stages.h"

void
vs_stages_make(struct vs_stages *s, const struct vs_plan *plan,
	enum vs_stages_by by, int n)
{
	s->by = by;
	s->n = n;
	s->path = *plan;
	s->path.n_rank = n;
	s->path.order = NULL;
	if (by == VS_STAGES_SQUARES)
		vs_plan_by_path(&s->path, INT64_MAX);
	else
		vs_plan_by_rows(&s->path);
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
	case VS_STAGES_SPREAD:
		break;
	}
	return vs_plan_spread(bi, bj, s->n);
}

/* ---- the path through a stage ---- */

struct list {
	struct vs_plan *plan;
	uint64_t *at;
	size_t n, room;
};

static int
append(struct list *l, int64_t bi, int64_t bj)
{
	int code = vs_mem_grow(&l->at, &l->room, l->n + 1, sizeof(*l->at),
		"tiles of a stage");

	if (!code)
		l->at[l->n++] = vs_plan_key(l->plan, bi, bj);
	return code;
}

static int
append_share(const struct vs_stages *s, int stage, struct list *l)
{
	const uint64_t end = vs_plan_share(&s->path, stage + 1);
	int64_t bi, bj;
	int code = 0;

	for (uint64_t x = vs_plan_share(&s->path, stage); x < end && !code;
		x++) {
		vs_plan_along(&s->path, x, &bi, &bj);
		code = append(l, bi, bj);
	}
	return code;
}

static int
append_rows(const struct vs_stages *s, int stage, struct list *l)
{
	const struct vs_plan *p = &s->path;
	int code = 0;

	for (int64_t bi = 0; bi < p->second; bi++)
		for (int64_t bj = p->column > bi ? p->column : bi;
			bj < p->rest && !code; bj++)
			if (vs_stages_of(s, bi, bj) == stage)
				code = append(l, bi, bj);
	return code;
}

/* Rows of a strip: as nearly squares as can be are the ranks' shares. */
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
	struct list l = { .plan = plan };
	int code;

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
	code = s->by == VS_STAGES_ROWS ? append_rows(s, stage, &l)
				       : append_share(s, stage, &l);
	/* without a tile it is a list all the same */
	if (!code && !l.n)
		code = vs_mem_new(&l.at, 1, sizeof(*l.at), "tiles of a stage");
	if (code) {
		free(l.at);
		return code;
	}
	vs_plan_take_order(plan, l.at, l.n);
	return 0;
}
