/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranges of sums of a row with a block of columns that no pair passes by. */
#include <math.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/prune/sum_ranges.h"

#define FAR (1 << 30) /* no sum is beyond */

static void
extend(float range[2], float a)
{
	range[0] = vs_min_f32(range[0], a);
	range[1] = vs_max_f32(range[1], a);
}

static struct vs_block_sides
block_of(const struct vs_panel *cols, const struct vs_sides *x,
	const struct vs_rest *rest, size_t lo, size_t hi)
{
	const struct vs_loose *loose = rest ? &rest->loose : &x->loose;
	struct vs_block_sides b = { INFINITY, INFINITY, INFINITY,
		{ INFINITY, -INFINITY }, 0, 0, { INFINITY, 0 },
		{ INFINITY, 0 } };

	for (size_t k = lo; k < hi; k++) {
		if (!cols->present[k])
			continue;
		b.bl = vs_min_f32(b.bl, x->bl[k]);
		b.bo = vs_min_f32(b.bo, x->bo[k]);
		b.c = vs_min_f32(b.c, x->c[k]);
		extend(b.ws, x->ws[k]);
		b.above = vs_max_f32(b.above, loose->above[k]);
		b.below = vs_max_f32(b.below, loose->below[k]);
		if (!rest)
			continue;
		extend(b.one, rest->at_least[0][k]);
		extend(b.two, rest->at_least[1][k]);
	}
	return b;
}

void
vs_sum_ranges_columns(const struct vs_panel *cols, const struct vs_sides *sides,
	const struct vs_rest *rest, size_t n, struct vs_block_sides *block)
{
	for (size_t lo = 0; lo < n; lo += VS_BLOCK_COLS) {
		size_t hi = n - lo < VS_BLOCK_COLS ? n : lo + VS_BLOCK_COLS;

		*block++ = block_of(cols, sides, rest, lo, hi);
	}
}

/* Least and most that the fields not counted add to a sum: see row_filter.c. */
static void
add_of_rest(const float a[2], float left, const struct vs_block_sides *b,
	float add[2])
{
	const float least[2] = { b->one[0], b->two[0] };
	const float most[2] = { b->one[1], b->two[1] };

	add[0] = add[1] = 0;
	for (int s = 0; s < 2; s++)
		for (int t = 0; t < 2; t++) {
			add[0] += vs_above_f32(a[s] + least[t] - left);
			add[1] += vs_min_f32(a[s], most[t]);
		}
}

/* The same tests as of a single column, by what is least or most of the block,
 * and with a slack more. */
static struct vs_range
range_of(const struct vs_coefficients *e, const float *rest, float left,
	const struct vs_block_sides *b)
{
	const float both = vs_coefficients_both(e, b->c);
	const float el = b->bl * both, eo = b->bo * both;
	float least = -FAR, most, add[2] = { 0 };

	if (rest)
		add_of_rest(rest, left, b, add);
	most = vs_min_f32(e->ll * el - e->above - b->above,
		       e->oo * eo + e->high + b->ws[0] - b->below) -
		add[1] - e->slack;
	if (e->mixed)
		least = vs_max_f32(e->low - e->lo * eo + b->below,
				b->ws[1] + e->below - e->ol * el + b->above) -
			add[0] + e->slack;
	/* a product of terms of other signs is least elsewhere; NaN */
	if (!(both > 0) || !(e->ll >= 0 && e->oo >= 0) ||
		!(e->lo >= 0 && e->ol >= 0) || !(most == most) ||
		!(least == least))
		return (struct vs_range){ 1, 0 };
	return (struct vs_range){ least > -FAR
			? (int32_t)ceilf(vs_min_f32(least, FAR))
			: -FAR,
		most < FAR ? (int32_t)floorf(vs_max_f32(most, -FAR)) : FAR };
}

void
vs_sum_ranges_row(const struct vs_coefficients *row, const float *rest,
	float left, const struct vs_block_sides *block, size_t n_block,
	struct vs_range *range)
{
	for (size_t k = 0; k < n_block; k++)
		range[k] = range_of(row, rest, left, &block[k]);
}
