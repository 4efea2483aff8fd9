/* SPDX-License-Identifier: BSD-3-Clause */
/* Upper bounds of r, r2 and cosine for groups of vectors. */
#include <math.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/prune/block_bound.h"

/*
 * r, r2 and the cosine by genotype counts. Of a pair, over the c fields that
 * both have, with a_s (b_t) of them holding s (t) copies or more of one allele,
 *
 *   P = sum g_i g_j lies between the sums over s, t in {1, 2} of
 *   max(0, a_s + b_t - c) and of min(a_s, b_t), by rearrangement,
 *   cov = P - s_i s_j / c, s = a_1 + a_2, and |r| = |cov| / (d_i d_j),
 *   d^2 = sum g^2 - s^2 / c
 *
 * and as much for the cosine without its means; a metric says which of them a
 * pair that passes has at least. The allele is each vector's
 * rarer one, which can only turn r's sign; of the cosine it is that of label 1.
 *
 * Of n fields a pair may lack l = n - least_present by the other's missing
 * calls: counts are then less by up to l, and c is no less than n - 2 l.
 */
enum { ONE, TWO, ROOT, LESS_ONE, LESS_TWO, N_SIDE };

/* 1 / d where d may be 0; its square is no infinity. */
#define NEVER 1e15f

/* Exact counts, a dozen roundings of 2^-24 behind them. */
#define SLACK 1e-5f
#define MORE (1 + 2e-6f)
#define LESS (1 - 2e-6f)

static double
lost_of(const struct vs_query *q)
{
	return (double)((int64_t)q->n_field - q->least_present);
}

/*
 * The least d^2 of a vector with c calls, of which l may be lost: those that
 * are farthest from the mean m, each its distance squared, and 1 + l / (c - l)
 * times that as the mean goes away with them.
 */
static double
least_spread(bool centred, double s, double two, double c, double l)
{
	double m = centred ? s / c : 0, q = s + 2 * two, most;
	double both = two < l ? two : l;

	if (c <= l)
		return 0;
	most = fmax((1 - m) * (1 - m), m * m);
	return q - s * m -
		(both * (2 - m) * (2 - m) + (l - both) * most) *
		(centred ? 1 + l / (c - l) : 1);
}

static void
side_of(const struct vs_query *q, const struct vs_panel *p, size_t v,
	float *side)
{
	bool centred = q->metric->centred;
	double s = p->sum[v], c = p->present[v], two = p->two[v];
	double l = lost_of(q), d;

	if (centred && 2 * s > 2 * c) {
		two += c - s;
		s = 2 * c - s;
	}
	d = least_spread(centred, s, two, c, l);
	side[ONE] = (float)(s - two);
	side[TWO] = (float)two;
	side[ROOT] = d > 1e-9 * c ? (float)(1 / sqrt(d)) : NEVER;
	side[LESS_ONE] = -(float)fmax(0, s - two - l);
	side[LESS_TWO] = -(float)fmax(0, two - l);
}

VS_INLINE void
look_by_any(VS_LOOK_ARGS)
{
	const double n = (double)q->n_field;
	const double c = n - 2 * lost_of(q);
	const bool centred = q->metric->centred;
	const float threshold = (float)vs_metric_least(q->metric, q->threshold);
	const float per_n = centred ? (float)(1 / n) : 0;
	/* of no field left: anything may come */
	const float per_c = c <= 0 ? NEVER : centred ? (float)(1 / c) : 0;
	const float a1 = row[ONE], a2 = row[TWO], ri = row[ROOT] * (1 + SLACK);
	const float x1 = -row[LESS_ONE], x2 = -row[LESS_TWO], all = (float)n;
	const float *b1 = cols[ONE] + at, *b2 = cols[TWO] + at;
	const float *y1 = cols[LESS_ONE] + at, *y2 = cols[LESS_TWO] + at;
	const float *rj = cols[ROOT] + at;

#pragma omp simd
	for (int k = 0; k < VS_LOOK; k++) {
		float most = vs_min_f32(a1, b1[k]) + vs_min_f32(a1, b2[k]) +
			vs_min_f32(a2, b1[k]) + vs_min_f32(a2, b2[k]);
		float least = vs_above_f32(x1 - y1[k] - all) +
			vs_above_f32(x1 - y2[k] - all) +
			vs_above_f32(x2 - y1[k] - all) +
			vs_above_f32(x2 - y2[k] - all);
		float mean = (a1 + a2) * (b1[k] + b2[k]) * per_c;
		float least_mean = (x1 + x2) * (-y1[k] - y2[k]) * per_n;
		float up = most * MORE - least_mean * LESS;
		float down = mean * MORE - least * LESS;

		hit[k] = (up > down ? up : down) * ri * rj[k] > threshold;
	}
}

VS_LOOK_BY_CPU

/* One that does not vary, or has no copy, has the value 0 with all. */
static bool
alone(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	int64_t c = p->present[v], s = p->sum[v],
		q2 = s + 2 * (int64_t)p->two[v];

	if (c < q->min_joint)
		return false;
	return vs_metric_least(q->metric, q->threshold) < 0 ||
		(q->metric->centred ? c * q2 > s * s : q2 > 0);
}

const struct vs_group_bound vs_bound_moment = { N_SIDE, LESS_ONE, side_of, look,
	alone };
