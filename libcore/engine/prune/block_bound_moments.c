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
 * and the same for the cosine without the means; the metric gives their least
 * value for a pair that passes. The allele is each vector's rarer one, which at
 * most flips r's sign; for the cosine it is that of label 1.
 *
 * A pair lacks the fields of a vector that the other misses, `lost` of the
 * other: counts decrease by at most these, d^2 as in moment_counts.h, and c is
 * at least n less the fields that each misses, and at least min_joint.
 *
 * Lost copies decrease d_i and d_j, but also cov. If x fields of one vector
 * with one copy are lost, and z with two, the upper bound of cov is at most a
 * function linear in x and z, the tangent of the concave P at 0, and its d^2 is
 * at least another linear one; so
 *
 *   max(0, cov)^2 - l^2 d_i^2 d_j^2,   l the least value,
 *
 * is convex in what either vector loses, and is positive somewhere only if it
 * is where both are at a corner of x + z <= lost, z <= a_2. Of the pairs of
 * 200,000 variants of a frequency of 1 % or more in 2,504 samples, 1 % of the
 * calls missing, 26 % are counted for r2 at 0.8; 30 % by the corners of either
 * vector and the greatest loss of the other; 12 % where none is missing.
 */
enum {
	ONE,
	TWO,
	LOST,
	BY_ONE,
	BY_TWO,
	MORE,
	BY_NONE,
	N_ZERO,
	LESS_SPREAD = N_ZERO,
	LESS_ONE,
	LESS_TWO,
	N_SIDE
};

/* Exact counts, then a dozen roundings of 2^-24. */
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
	side[BY_NONE] = x.by_none;
	side[LESS_SPREAD] = -x.spread;
	side[LESS_ONE] = -side[ONE];
	side[LESS_TWO] = -side[TWO];
}

/* Counts of one of two vectors, or of groups: greatest and least. */
struct counts {
	float one, two, least_one, least_two; /* fields with copies; with two */
	float lost, spread;
	float by_one, by_two, by_none, more;
};

VS_INLINE struct counts
counts_of(const float *const *side, size_t at)
{
	return (struct counts){ side[ONE][at], side[TWO][at],
		-side[LESS_ONE][at], -side[LESS_TWO][at], side[LOST][at],
		-side[LESS_SPREAD][at], side[BY_ONE][at], side[BY_TWO][at],
		side[BY_NONE][at], side[MORE][at] };
}

/* Terms that do not depend on the pair. */
struct least {
	float shift, value, joint, n, one;
	float slack; /* of P: floats hold its terms exactly up to 2^24 */
};

/* A corner: lost fields with one copy and with two, and the spread left. */
struct corner {
	float one, two, left;
};

/*
 * lost    fields that the other vector misses
 * factor  by which the loss decreases the spread
 */
VS_INLINE struct corner
corner_of(const struct counts *x, float lost, float factor, int which)
{
	const float some = vs_min_f32(lost, x->one);
	const float z = which & 1 ? vs_min_f32(some, x->two) : 0;
	const float o = which & 2 ? some - z : 0;

	return (struct corner){ o, z,
		x->spread -
			factor *
				(x->by_none * (lost - z - o) + x->by_one * o +
					x->by_two * z) };
}

/*
 * Whether x may pass with y: by the corners of what both lose.
 * both   greatest 1 / c
 * least  fewest copies left of y
 */
VS_INLINE int32_t
by_corners(const struct counts *x, const struct counts *y,
	const struct least *l, bool gaps, float both, float least)
{
	const int n = gaps ? 4 : 1;
	const float most = vs_min_f32(x->one, y->one) +
		vs_min_f32(x->one, y->two) + vs_min_f32(x->two, y->one) +
		vs_min_f32(x->two, y->two);
	/* the fields of x that limit P, with one copy and with two, by y's: a
	 * lost field decreases P by as many of these, or else of y's */
	const float one_one = (float)(x->one <= y->one);
	const float one_two = (float)(x->one <= y->two);
	const float two_one = (float)(x->two <= y->one);
	const float two_two = (float)(x->two <= y->two);
	const float x_one = one_one + one_two, y_one = 2 - one_one - two_one;
	const float x_two = x_one + two_one + two_two;
	const float y_two = y_one + 2 - one_two - two_two;
	const float share = l->shift * BELOW * least * (l->one / l->n);
	const float copies = x->least_one + x->least_two;
	int32_t may = l->value <= 0;

#pragma GCC unroll 4 /* else clang has no vectors of the loop over pairs */
	for (int k = 0; k < n; k++) {
		const struct corner i =
			corner_of(x, y->lost, 1 + l->shift * y->lost * both, k);
		const float p = most - x_one * i.one - x_two * i.two + l->slack;
		const float mean = share * (copies - i.one - 2 * i.two);
		const float l2 = l->value * l->value * i.left * SLACK * SLACK;

#pragma GCC unroll 4
		for (int m = 0; m < n; m++) {
			const struct corner j = corner_of(y, x->lost,
				1 + l->shift * x->lost * both, m);
			const float r = p - y_one * j.one - y_two * j.two;
			const float cov = vs_above_f32(r * ABOVE - mean);

			may |= cov * cov > l2 * j.left;
			if (gaps)
				may |= vs_min_f32(i.left, j.left) <= 0;
		}
	}
	return may;
}

VS_INLINE void
look_with(VS_LOOK_ARGS, bool gaps)
{
	const struct least l = { .shift = q->metric->centred ? 1 : 0,
		.value = (float)vs_metric_least(q->metric, q->threshold),
		.joint = vs_max_f32(vs_query_joint(q), 1),
		.n = (float)q->n_field,
		.slack = q->n_field > 1 << 22 ? (float)q->n_field / (1 << 18)
					      : 0,
		/* the compiler would hoist a division by a constant */
		.one = q->n_field < 1 ? 0 : 1 };
	const float *const *b = (const float *const *)cols;
	const float *side[VS_SIDE];

	for (int k = 0; k < N_SIDE; k++)
		side[k] = &row[k];
#pragma omp simd
	for (int k = 0; k < VS_LOOK; k++) {
		const struct counts x = counts_of(side, 0);
		const struct counts y = counts_of(b, at + (size_t)k);
		const float per_c =
			l.one / vs_max_f32(l.n - x.lost - y.lost, l.joint);
		const float x1 = vs_above_f32(x.least_one - y.lost);
		const float x2 = vs_above_f32(x.least_two - y.lost);
		const float y1 = vs_above_f32(y.least_one - x.lost);
		const float y2 = vs_above_f32(y.least_two - x.lost);
		const float vi = vs_moment_left(x.spread, x.by_one, x.by_two,
			x.more, y.lost, 1 + l.shift * y.lost * per_c);
		const float vj = vs_moment_left(y.spread, y.by_one, y.by_two,
			y.more, x.lost, 1 + l.shift * x.lost * per_c);
		const float least = vs_above_f32(x1 + y1 - l.n) +
			vs_above_f32(x1 + y2 - l.n) +
			vs_above_f32(x2 + y1 - l.n) +
			vs_above_f32(x2 + y2 - l.n);
		const float mean =
			l.shift * (x.one + x.two) * (y.one + y.two) * per_c;
		const float down = mean * ABOVE - least * BELOW;
		const int32_t up = by_corners(&x, &y, &l, gaps, per_c, y1 + y2);

		hit[k] = up | (down > l.value * sqrtf(vi * vj) * SLACK);
	}
}

VS_INLINE void
look_by_any(VS_LOOK_ARGS)
{
	if (q->least_present < (int64_t)q->n_field)
		look_with(q, row, cols, at, hit, true);
	else
		look_with(q, row, cols, at, hit, false);
}

VS_LOOK_BY_CPU

/* A vector that does not vary, or has no copy, has the value 0 with all. */
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
