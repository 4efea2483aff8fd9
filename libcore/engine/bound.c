/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/bound.h"

#define LANES 16 /* groups looked at together */
#define N_ARRAY 7
#define INLINE static inline __attribute__((always_inline))

/*
 * Counts below 2^24 are exact floats; the two sides of the comparison take
 * fewer than ten roundings of 2^-24 each, and the value itself three of 2^-53.
 */
#define SLACK 1.00001f

/* Vector v alone. */
static void
side_of(const struct vs_question *q, const struct vs_panel *p, size_t v,
	struct vs_side *side)
{
	int32_t s = p->sum[v], c = p->present[v], two = p->two[v];
	int32_t one = s - 2 * two, zero = c - one - two;
	int rare = s <= 2 * c - s; /* its label */

	for (int k = 0; k < 2; k++) {
		int label = k ? !rare : rare;

		side->at_least[k][0] = (float)(one + (label ? two : zero));
		side->at_least[k][1] = (float)(label ? two : zero);
		side->u[k] = (float)vs_metric_u(q->metric, s, c, label);
	}
	side->c = (float)c;
}

bool
vs_side_passes(const struct vs_question *q, const struct vs_panel *p, size_t v)
{
	int64_t n = (int64_t)q->n_field, c = p->present[v], n2 = p->two[v];
	int64_t n1 = p->sum[v] - 2 * n2, n0 = c - n1 - n2;
	int64_t c_ij = c + q->least_present - n;
	double most, other;

	if (!c)
		return q->threshold < 0;
	if (c_ij <= 0)
		return true;
	most = vs_metric_most(q->metric, n1 + n2, n2, c, n, c_ij);
	other = vs_metric_most(q->metric, n1 + n0, n0, c, n, c_ij);
	/* the bound is rounded a few times, the value too */
	return (most > other ? most : other) * (1 + 1e-9) > q->threshold;
}

/* ---- groups ---- */

static void
widen(struct vs_side *most, const struct vs_side *one)
{
	for (int k = 0; k < 2; k++) {
		for (int t = 0; t < 2; t++)
			if (one->at_least[k][t] > most->at_least[k][t])
				most->at_least[k][t] = one->at_least[k][t];
		if (one->u[k] > most->u[k])
			most->u[k] = one->u[k];
	}
	if (one->c < most->c)
		most->c = one->c;
}

static void
put(struct vs_groups *g, size_t at, const struct vs_side *side)
{
	for (int k = 0; k < 2; k++) {
		g->at_least[k][0][at] = side->at_least[k][0];
		g->at_least[k][1][at] = side->at_least[k][1];
		g->u[k][at] = side->u[k];
	}
	g->c[at] = side->c;
}

static struct vs_side
get(const struct vs_groups *g, size_t at)
{
	struct vs_side side = { .c = g->c[at] };

	for (int k = 0; k < 2; k++) {
		side.at_least[k][0] = g->at_least[k][0][at];
		side.at_least[k][1] = g->at_least[k][1][at];
		side.u[k] = g->u[k][at];
	}
	return side;
}

int
vs_groups_make(struct vs_groups *g, const struct vs_question *q,
	const struct vs_panel *panel, size_t lo, size_t hi)
{
	size_t n = (hi - lo + VS_GROUP - 1) / VS_GROUP, room = n + LANES;
	struct vs_side nothing = { .c = (float)q->n_field };
	int code;

	*g = (struct vs_groups){ .q = q, .panel = panel, .lo = lo, .hi = hi };
	code = vs_new(&g->memory, N_ARRAY * room, sizeof(float),
		"bounds of vectors");
	if (code)
		return code;
	for (int k = 0; k < 2; k++) {
		g->at_least[k][0] = g->memory + (size_t)(3 * k) * room;
		g->at_least[k][1] = g->memory + (size_t)(3 * k + 1) * room;
		g->u[k] = g->memory + (size_t)(3 * k + 2) * room;
	}
	g->c = g->memory + 6 * room;
	for (size_t at = 0; at < room; at++) {
		struct vs_side most = nothing, one;
		size_t v = lo + at * VS_GROUP;

		for (size_t k = 0; k < VS_GROUP && v + k < hi; k++) {
			side_of(q, panel, v + k, &one);
			widen(&most, &one);
		}
		put(g, at, &most);
	}
	return 0;
}

void
vs_groups_free(struct vs_groups *g)
{
	free(g->memory);
	memset(g, 0, sizeof(*g));
}

static inline float
lesser(float a, float b)
{
	return a < b ? a : b;
}

/* May the row pass with any of the groups [at, end)? Those behind, up to a
 * multiple of LANES past at, are looked at too and do no harm. */
static bool
may_pass(const struct vs_groups *g, const struct vs_side *row, size_t at,
	size_t end)
{
	const float t = (float)(g->q->metric->scale * g->q->threshold);
	const float shift = row->c - (float)g->q->n_field;

	for (; at < end; at += LANES) {
		int hit = 0;

		for (int a = 0; a < 2; a++)
			for (int b = 0; b < 2; b++) {
				const float *b1 = g->at_least[b][0] + at;
				const float *b2 = g->at_least[b][1] + at;
				const float *u = g->u[b] + at, *c = g->c + at;
				const float a1 = row->at_least[a][0];
				const float a2 = row->at_least[a][1];
				const float ui = row->u[a] * SLACK;

#pragma omp simd reduction(| : hit)
				for (int k = 0; k < LANES; k++) {
					float r = lesser(a1, b1[k]) +
						lesser(a1, b2[k]) +
						lesser(a2, b1[k]) +
						lesser(a2, b2[k]);

					hit |= r * ui * u[k] >
						t * (shift + c[k]);
				}
			}
		if (hit)
			return true;
	}
	return false;
}

/* The first row from row on that may pass, going up or down; end: none. */
static size_t
seek(const struct vs_groups *rows, const struct vs_groups *cols, size_t at,
	size_t end, bool down)
{
	size_t n = (rows->hi - rows->lo + VS_GROUP - 1) / VS_GROUP;
	struct vs_side side;

	for (size_t k = 0; k < n; k++) {
		size_t group = down ? n - 1 - k : k;
		size_t lo = rows->lo + group * VS_GROUP;
		size_t hi = rows->hi - lo < VS_GROUP ? rows->hi : lo + VS_GROUP;

		side = get(rows, group);
		if (!may_pass(cols, &side, at, end))
			continue;
		for (size_t v = 0; v < hi - lo; v++) {
			size_t row = down ? hi - 1 - v : lo + v;

			side_of(rows->q, rows->panel, row, &side);
			if (may_pass(cols, &side, at, end))
				return row;
		}
	}
	return rows->hi;
}

void
vs_groups_range(const struct vs_groups *rows, const struct vs_groups *cols,
	size_t lo, size_t hi, size_t *row_lo, size_t *row_hi)
{
	size_t at = (lo - cols->lo) / VS_GROUP;
	size_t end = (hi - cols->lo + VS_GROUP - 1) / VS_GROUP;

	*row_lo = *row_hi = seek(rows, cols, at, end, false);
	if (*row_lo < rows->hi)
		*row_hi = seek(rows, cols, at, end, true) + 1;
}
