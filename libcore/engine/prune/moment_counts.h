/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts of a vector that bound its spread in the fields that it shares with
 * another one, for correlation and cosine.
 */
#ifndef VS_ENGINE_PRUNE_MOMENT_COUNTS_H
#define VS_ENGINE_PRUNE_MOMENT_COUNTS_H

#include <math.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/query.h"

/*
 * Let a vector miss `lost` of the n fields and have s copies in the c others,
 * two copies in `two` of these; let m be their mean. If M more of these are
 * lost, since another vector misses them, the spread q - s^2 / c, where q is
 * the sum of the squares, decreases by at most
 *
 *   L(M) (1 + M / (c - M)),  L(M) <= min(e2 M, two (e2 - e1) + e1 M)
 *
 * where e2 = (2 - m)^2 for a field with two copies and e1 is the greater of (1
 * - m)^2 and m^2 for the others, counted for the rarer allele. The first term
 * is what the fields contributed about m; the second, by Cauchy-Schwarz, how
 * far their loss moves the mean. Without a mean e2 = 4, e1 = 1 and the factor
 * is 1.
 */
struct vs_moment_counts {
	float sum, lost, spread, two; /* sum and two for label 1 */
	float by_one, by_two, more;   /* e1, e2, two (e2 - e1) */
	float by_none;                /* m^2, for a field without copies */
};

/* Factors that cover thirty roundings of 2^-24: of spreads; of e1 and e2. */
#define VS_MOMENT_LESS (1 - 2e-6)
#define VS_MOMENT_MORE (1 + 2e-6)

static inline struct vs_moment_counts
vs_moment_counts_of(const struct vs_query *q, const struct vs_panel *p,
	size_t v)
{
	const double c = p->present[v], s = p->sum[v], two = p->two[v];
	const bool centred = q->metric->centred, turn = centred && s > c;
	const double rare = turn ? 2 * c - s : s;
	const double twos = turn ? c - s + two : two;
	const double mean = centred && c > 0 ? rare / c : 0;
	const double e2 = (2 - mean) * (2 - mean);
	const double e1 = fmax((1 - mean) * (1 - mean), mean * mean);

	return (struct vs_moment_counts){ .sum = (float)s,
		.lost = (float)((double)q->n_field - c),
		/* c times it is a whole number below 2^53 */
		.spread = (float)(VS_MOMENT_LESS *
			(rare + 2 * twos - rare * mean)),
		.two = (float)two,
		.by_one = (float)(VS_MOMENT_MORE * e1),
		.by_two = (float)(VS_MOMENT_MORE * e2),
		.by_none = (float)(VS_MOMENT_MORE * mean * mean),
		.more = (float)(VS_MOMENT_MORE * twos * (e2 - e1)) };
}

/*
 * The least spread left if m more fields are lost.
 * factor  1 + m / (c - m), or 1
 */
static inline __attribute__((always_inline)) float
vs_moment_left(float spread, float by_one, float by_two, float more, float m,
	float factor)
{
	return vs_above_f32(
		spread - factor * vs_min_f32(by_two * m, more + by_one * m));
}

#endif
