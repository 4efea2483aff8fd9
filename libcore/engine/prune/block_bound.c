/* SPDX-License-Identifier: BSD-3-Clause */
/* Upper bounds of CCC and DUO for groups of vectors, by counts. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/prune/block_bound.h"
#include "libcore/metric/ps.h"

void
vs_block_bound_minima_range(const struct vs_query *q,
	const struct vs_panel *rows, const struct vs_panel *cols, size_t lo,
	size_t hi, size_t *row_lo, size_t *row_hi)
{
	double least = cols->total[lo], most = cols->total[hi - 1];
	size_t a = *row_lo, b = *row_hi;

	/* the best column for a row is the one with the total nearest to its
	 * own; a row within the range may have an identical column */
	while (a < b && rows->total[a] < least &&
		!vs_ps_may_pass(rows->total[a], least, q->threshold))
		a++;
	while (b > a && rows->total[b - 1] > most &&
		!vs_ps_may_pass(rows->total[b - 1], most, q->threshold))
		b--;
	*row_lo = a;
	*row_hi = b;
}

/*
 * Counts below 2^24 are exact floats; each side of the comparison takes fewer
 * than ten roundings of 2^-24, and the value itself three of 2^-53.
 */
#define SLACK 1.00001f

/*
 * CCC and DUO: at_least[t - 1] fields of a vector have t copies or more of the
 * rarer (0) or the commoner allele (1).
 *
 * A pair's value in the cell of labels a and b is r u_i(a) u_j(b) / (scale
 * c_ij), u = 1 - gamma f. By the rearrangement inequality r is at most the sum
 * over s, t in {1, 2} of min(at_least_i(a, s), at_least_j(b, t)), and c_ij is
 * at least c_i + c_j - n and at least min_joint.
 */
enum { AT_LEAST, U = AT_LEAST + 2, LABEL, LESS_C = 2 * LABEL };

static void
side_of(const struct vs_query *q, const struct vs_panel *p, size_t v,
	float *side)
{
	int32_t s = p->sum[v], c = p->present[v], two = p->two[v];
	int32_t one = s - 2 * two, zero = c - one - two;
	int rare = s <= 2 * c - s; /* its label */

	for (int k = 0; k < 2; k++) {
		int label = k ? !rare : rare;
		float *of = side + k * LABEL;

		of[AT_LEAST] = (float)(one + (label ? two : zero));
		of[AT_LEAST + 1] = (float)(label ? two : zero);
		of[U] = (float)vs_alleles_u(q->alleles, s, c, label);
	}
	side[LESS_C] = -(float)c;
}

static bool
alone(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	int64_t n = (int64_t)q->n_field, c = p->present[v], n2 = p->two[v];
	int64_t n1 = p->sum[v] - 2 * n2, n0 = c - n1 - n2;
	int64_t c_ij = c + q->least_present - n;
	double most, other;

	if (c < q->min_joint)
		return false;
	if (!c)
		return q->threshold < 0;
	if (c_ij < q->min_joint)
		c_ij = q->min_joint;
	if (c_ij <= 0)
		return true;
	most = vs_alleles_most(q->alleles, n1 + n2, n2, c, n, c_ij);
	other = vs_alleles_most(q->alleles, n1 + n0, n0, c, n, c_ij);
	/* the bound is rounded a few times, the value too */
	return (most > other ? most : other) * (1 + 1e-9) > q->threshold;
}

VS_INLINE void
look_by_any(VS_LOOK_ARGS)
{
	const float t = (float)(q->alleles->scale * q->threshold);
	const float window = -row[LESS_C] - (float)q->n_field;
	const float joint = vs_query_joint(q);
	const float *less = cols[LESS_C] + at;

	memset(hit, 0, VS_LOOK * sizeof(*hit));
	for (int a = 0; a < 2 * LABEL; a += LABEL)
		for (int b = 0; b < 2 * LABEL; b += LABEL) {
			const float *b1 = cols[b + AT_LEAST] + at;
			const float *b2 = cols[b + AT_LEAST + 1] + at;
			const float *u = cols[b + U] + at;
			const float a1 = row[a + AT_LEAST];
			const float a2 = row[a + AT_LEAST + 1];
			const float ui = row[a + U] * SLACK;

#pragma omp simd
			for (int k = 0; k < VS_LOOK; k++) {
				float r = vs_min_f32(a1, b1[k]) +
					vs_min_f32(a1, b2[k]) +
					vs_min_f32(a2, b1[k]) +
					vs_min_f32(a2, b2[k]);

				float c = vs_max_f32(window - less[k], joint);

				hit[k] |= r * ui * u[k] > t * c;
			}
		}
}

VS_LOOK_BY_CPU

static const struct vs_group_bound cells = { LESS_C + 1, LESS_C, side_of, look,
	alone };

static const struct vs_group_bound *
bound_of(const struct vs_query *q)
{
	switch (vs_query_family(q)) {
	case VS_FAMILY_ALLELES:
		return &cells;
	case VS_FAMILY_MOMENTS:
		return &vs_bound_moment;
	case VS_FAMILY_MINIMA:
	case VS_FAMILY_INNER:
	case VS_FAMILY_TABLES:
	case VS_FAMILY_NONE:
		break;
	}
	assert(!"family without bounds by counts");
	return NULL;
}

bool
vs_block_bound_passes(const struct vs_query *q, const struct vs_panel *p,
	size_t v)
{
	return bound_of(q)->alone(q, p, v);
}

/* ---- groups ---- */

/* Numbers of n vectors that never pass. */
static void
place(struct vs_bound_groups *g, float *array[VS_SIDE], float *next, size_t n)
{
	for (int x = 0; x < g->bound->n; x++) {
		array[x] = next + (size_t)x * n;
		for (size_t v = 0; v < n; v++)
			array[x][v] = x < g->bound->n_zero
				? 0
				: -(float)g->q->n_field;
	}
}

int
vs_block_bound_make(struct vs_bound_groups *g, const struct vs_query *q,
	const struct vs_panel *panel, size_t lo, size_t hi)
{
	size_t n = (hi - lo + VS_GROUP - 1) / VS_GROUP, room = n + VS_LOOK;
	int code;

	*g = (struct vs_bound_groups){ .q = q,
		.bound = bound_of(q),
		.panel = panel,
		.lo = lo,
		.hi = hi };
	code = vs_mem_room(&g->memory, VS_SIDE * (VS_GROUP * n + room),
		sizeof(float), "bounds of vectors");
	if (code)
		return code;
	place(g, g->one, g->memory, VS_GROUP * n);
	place(g, g->most, g->memory + VS_SIDE * VS_GROUP * n, room);
	for (size_t v = 0; v < hi - lo; v++) {
		float side[VS_SIDE];

		g->bound->side(q, panel, lo + v, side);
		for (int x = 0; x < g->bound->n; x++) {
			float *most = &g->most[x][v / VS_GROUP];

			g->one[x][v] = side[x];
			*most = side[x] > *most ? side[x] : *most;
		}
	}
	return 0;
}

void
vs_block_bound_free(struct vs_bound_groups *g)
{
	free(g->memory);
	memset(g, 0, sizeof(*g));
}

/* Whether the side can pass with any of the groups [at, end). */
static bool
meets(const struct vs_bound_groups *g, const float *side, size_t at, size_t end)
{
	int32_t hit[VS_LOOK];

	for (; at < end; at += VS_LOOK) {
		g->bound->look(g->q, side, g->most, at, hit);
		for (size_t k = 0; k < VS_LOOK && at + k < end; k++)
			if (hit[k])
				return true;
	}
	return false;
}

static void
get(const struct vs_bound_groups *g, float *const array[VS_SIDE], size_t at,
	float *side)
{
	for (int x = 0; x < g->bound->n; x++)
		side[x] = array[x][at];
}

/* The greatest of the groups [at, end). */
static void
most_of(const struct vs_bound_groups *g, size_t at, size_t end, float *side)
{
	get(g, g->most, at, side);
	for (int x = 0; x < g->bound->n; x++)
		for (size_t k = at; k < end; k++)
			side[x] = vs_max_f32(side[x], g->most[x][k]);
}

/* The first row of a group that may pass, going up or down; rows->hi: none. */
static size_t
seek_within(const struct vs_bound_groups *rows,
	const struct vs_bound_groups *cols, size_t at, size_t end, size_t group,
	bool down)
{
	size_t lo = rows->lo + group * VS_GROUP;
	size_t n = rows->hi - lo < VS_GROUP ? rows->hi - lo : VS_GROUP;
	float side[VS_SIDE];

	get(rows, rows->most, group, side);
	if (!meets(cols, side, at, end))
		return rows->hi;
	for (size_t k = 0; k < n; k++) {
		size_t row = lo + (down ? n - 1 - k : k);

		get(rows, rows->one, row - rows->lo, side);
		if (meets(cols, side, at, end))
			return row;
	}
	return rows->hi;
}

/*
 * The first row overall. Groups are tested first, against the maxima of all
 * columns: the bound is symmetric.
 */
static size_t
seek(const struct vs_bound_groups *rows, const struct vs_bound_groups *cols,
	size_t at, size_t end, bool down)
{
	size_t n = (rows->hi - rows->lo + VS_GROUP - 1) / VS_GROUP;
	size_t last = (n - 1) / VS_LOOK * VS_LOOK;
	int32_t hit[VS_LOOK];
	float all[VS_SIDE];

	most_of(cols, at, end, all);
	for (size_t b = 0; b <= last; b += VS_LOOK) {
		size_t first = down ? last - b : b, row;

		rows->bound->look(rows->q, all, rows->most, first, hit);
		for (size_t k = 0; k < VS_LOOK; k++) {
			size_t x = down ? VS_LOOK - 1 - k : k;

			if (!hit[x] || first + x >= n)
				continue;
			row = seek_within(rows, cols, at, end, first + x, down);
			if (row < rows->hi)
				return row;
		}
	}
	return rows->hi;
}

void
vs_block_bound_range(const struct vs_bound_groups *rows,
	const struct vs_bound_groups *cols, size_t lo, size_t hi,
	size_t *row_lo, size_t *row_hi)
{
	size_t at = (lo - cols->lo) / VS_GROUP;
	size_t end = (hi - cols->lo + VS_GROUP - 1) / VS_GROUP;

	*row_lo = *row_hi = seek(rows, cols, at, end, false);
	if (*row_lo < rows->hi)
		*row_hi = seek(rows, cols, at, end, true) + 1;
}
