/* SPDX-License-Identifier: BSD-3-Clause */
/* Upper bounds of r, r2 and cosine for groups of vectors. */
#include <math.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/prune/block_bound.h"
#include "libcore/engine/prune/moment_counts.h"

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
 * Of the fields of a vector a pair lacks those that the other misses, `lost` of
 * that one: counts are less by no more than these, d^2 as moment_counts.h has
 * it, and c is no less than n less what both miss, nor than min_joint.
 */
enum {
	ONE,
	TWO,
	LOST,
	BY_ONE,
	BY_TWO,
	MORE,
	N_ZERO,
	LESS_SPREAD = N_ZERO,
	LESS_ONE,
	LESS_TWO,
	N_SIDE
};

/* Exact counts, a dozen roundings of 2^-24 behind them. */
#define ABOVE (1 + 2e-6f)
#define BELOW (1 - 2e-6f)
#define SLACK (1 - 1e-5f)

static void
side_of(const struct vs_query *q, const struct vs_panel *p, size_t v,
	float *side)
{
	const struct vs_moment_counts x = vs_moment_counts_of(q, p, v);
	int32_t s = p->sum[v], c = p->present[v], two = p->two[v];

	if (q->metric->centred && s > c) {
		two += c - s;
		s = 2 * c - s;
	}
	side[ONE] = (float)(s - two);
	side[TWO] = (float)two;
	side[LOST] = x.lost;
	side[BY_ONE] = x.by_one;
	side[BY_TWO] = x.by_two;
	side[MORE] = x.more;
	side[LESS_SPREAD] = -x.spread;
	side[LESS_ONE] = -side[ONE];
	side[LESS_TWO] = -side[TWO];
}

VS_INLINE void
look_by_any(VS_LOOK_ARGS)
{
	const float n = (float)q->n_field;
	const float shift = q->metric->centred ? 1 : 0;
	const float threshold = (float)vs_metric_least(q->metric, q->threshold);
	const float joint = vs_max_f32(vs_query_joint(q), 1);
	const float *const *b = (const float *const *)cols;
	/* by a constant the compiler would divide apart, and not in lanes */
	const float one = n < 1 ? n : 1;

#pragma omp simd
	for (int k = 0; k < VS_LOOK; k++) {
		const size_t j = at + (size_t)k;
		const float a1 = row[ONE], a2 = row[TWO], lost = row[LOST];
		const float b1 = b[ONE][j], b2 = b[TWO][j], m = b[LOST][j];
		const float per_c = one / vs_max_f32(n - lost - m, joint);
		const float x1 = vs_above_f32(-row[LESS_ONE] - m);
		const float x2 = vs_above_f32(-row[LESS_TWO] - m);
		const float y1 = vs_above_f32(-b[LESS_ONE][j] - lost);
		const float y2 = vs_above_f32(-b[LESS_TWO][j] - lost);
		const float vi = vs_moment_left(-row[LESS_SPREAD], row[BY_ONE],
			row[BY_TWO], row[MORE], m, 1 + shift * m * per_c);
		const float vj = vs_moment_left(-b[LESS_SPREAD][j],
			b[BY_ONE][j], b[BY_TWO][j], b[MORE][j], lost,
			1 + shift * lost * per_c);
		const float most = vs_min_f32(a1, b1) + vs_min_f32(a1, b2) +
			vs_min_f32(a2, b1) + vs_min_f32(a2, b2);
		const float least = vs_above_f32(x1 + y1 - n) +
			vs_above_f32(x1 + y2 - n) + vs_above_f32(x2 + y1 - n) +
			vs_above_f32(x2 + y2 - n);
		const float mean = shift * (a1 + a2) * (b1 + b2) * per_c;
		const float least_mean =
			shift * (x1 + x2) * (y1 + y2) * (one / n);
		const float up = most * ABOVE - least_mean * BELOW;
		const float down = mean * ABOVE - least * BELOW;
		const float cov = up > down ? up : down;

		hit[k] = cov > threshold * sqrtf(vi * vj) * SLACK;
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

const struct vs_group_bound vs_bound_moment = { N_SIDE, N_ZERO, side_of, look,
	alone };
