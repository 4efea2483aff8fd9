/* SPDX-License-Identifier: BSD-3-Clause */
/* Batch filter: float bounds for up to 32 similar rows at once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/engine/prune/batch_filter.h"

/*
 * Ranges of sums within which no pair of a row and a block of columns can pass,
 * so that a kernel need not write them. Columns are sorted by frequency, so the
 * bounds within a block are close. For 40,000 x 427 complete calls 97 of 100
 * blocks of a row are not written; for real data of that size with 3.5 %
 * missing, and for prefixes of 20,000 x 10,000, few are skipped: bounds within
 * a block differ more than sums do by chance.
 */

#define FAR (1 << 30) /* no sum exceeds this */

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
vs_batch_filter_blocks(const struct vs_panel *cols,
	const struct vs_sides *sides, const struct vs_rest *rest, size_t n,
	struct vs_block_sides *block)
{
	for (size_t lo = 0; lo < n; lo += VS_BLOCK_COLS) {
		size_t hi = n - lo < VS_BLOCK_COLS ? n : lo + VS_BLOCK_COLS;

		*block++ = block_of(cols, sides, rest, lo, hi);
	}
}

/* Least and greatest amounts that the fields not counted add: see
 * row_filter.c. */
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

/* The tests of a single column, by the extremes of a block, with more slack. */
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
	/* a product of terms of opposite sign is least elsewhere; NaN */
	if (!(both > 0) || !(e->ll >= 0 && e->oo >= 0) ||
		!(e->lo >= 0 && e->ol >= 0) || !(most == most) ||
		!(least == least))
		return (struct vs_range){ 1, 0 };
	return (struct vs_range){ least > -FAR
			? (int32_t)ceilf(vs_min_f32(least, FAR))
			: -FAR,
		most < FAR ? (int32_t)floorf(vs_max_f32(most, -FAR)) : FAR };
}

/*
 * The range of a row with each block: a pair that passes has a sum outside of
 * it, over all fields or, if rest is not null, over the prefix. rest: the row's
 * fields not counted, with one and with two copies; left: how many were not
 * counted.
 */
static void
set_ranges(const struct vs_coefficients *row, const float *rest, float left,
	const struct vs_block_sides *block, size_t n_block,
	struct vs_range *range)
{
	for (size_t k = 0; k < n_block; k++)
		range[k] = range_of(row, rest, left, &block[k]);
}

#define COLS VS_SCREEN_COLS
#define BLOCK VS_BLOCK_COLS /* columns whose bounds stay in L1 */

/*
 * Rows of a band: neighbours of about the same frequency, few enough for the
 * band to loosen a bound by less than random variation does.
 */
#define ROWS 32
#define SPREAD 1.015f

int
vs_batch_filter_room(struct vs_batch_filter *s, size_t n_row, size_t n_col)
{
	int code =
		vs_mem_room(&s->row, n_row, sizeof(*s->row), "edges of rows");

	s->n_word = n_col / COLS;
	s->n_block = (n_col + BLOCK - 1) / BLOCK;
	VS_MEM_ROOM(&code, s->range, n_row * s->n_block, "ranges of sums");
	VS_MEM_ROOM(&code, s->block, n_row, "blocks of sums");
	return code ? code
		    : vs_mem_room(&s->hit, n_row * s->n_word, sizeof(*s->hit),
			      "pairs that may pass");
}

void
vs_batch_filter_free(struct vs_batch_filter *s)
{
	free(s->hit);
	free(s->block);
	free(s->range);
	free(s->row);
	memset(s, 0, sizeof(*s));
}

/*
 * Rows [first, first + n) together. Bounds by column hold for all of them,
 * except for what a row's own gap and sums add. What the remaining fields add
 * to a prefix sum p is a concave or convex function of the row's counts, so its
 * tangent at the rows' mean bounds it everywhere. So a pair may pass only if
 * its sum meets
 *
 *   p + up[0] d1 + up[1] d2 > most[0] - above,  or > most[1] + high
 *   p + down[0] d1 + down[1] d2 < least[0] + low,  or < least[1] + below
 *
 * where d is the row's counts less the mean.
 */
struct extremes {
	size_t first, n;
	size_t n_call;                    /* rows with a call; of these: */
	float ll[2], lo[2], ol[2], oo[2]; /* least and greatest */
	float window[2], joint, slack;
	float mean[2];
	bool mixed; /* some of them */
};

static bool
too_wide(const float range[2], float a)
{
	return vs_max_f32(range[1], a) > SPREAD * vs_min_f32(range[0], a);
}

/* Add a row, unless it widens the band too much. */
static bool
widen(struct extremes *x, const struct vs_coefficients *e, size_t n_field)
{
	float window[2] = { vs_min_f32(x->window[0], e->window),
		vs_max_f32(x->window[1], e->window) };
	if (x->n_call &&
		(too_wide(x->ll, e->ll) || too_wide(x->lo, e->lo) ||
			too_wide(x->ol, e->ol) || too_wide(x->oo, e->oo) ||
			window[1] - window[0] > (SPREAD - 1) * (float)n_field))
		return false;
	extend(x->ll, e->ll);
	extend(x->lo, e->lo);
	extend(x->ol, e->ol);
	extend(x->oo, e->oo);
	memcpy(x->window, window, sizeof(window));
	x->joint = e->joint;
	x->slack = e->slack;
	x->mixed |= e->mixed;
	x->n_call++;
	return true;
}

/* The band that begins at a row. */
static void
begin_band(const struct vs_batch_filter *s, const struct vs_query *q,
	const struct vs_batch_filter_work *work, size_t row, struct extremes *x)
{
	*x = (struct extremes){ .first = row,
		.ll = { INFINITY },
		.lo = { INFINITY },
		.ol = { INFINITY },
		.oo = { INFINITY },
		.window = { 0, -1e30f } };
	for (; x->n < ROWS && row < work->rows->n; row++, x->n++) {
		const float *rest = s->row[row].rest;

		if (!work->rows->panel.present[row])
			continue;
		if (!widen(x, &s->row[row].edge, q->n_field))
			break;
		x->mean[0] += rest[0];
		x->mean[1] += rest[1];
	}
	for (int k = 0; k < 2 && x->n_call; k++)
		x->mean[k] /= (float)x->n_call;
}

void
vs_batch_filter_rows(struct vs_batch_filter *s, const struct vs_query *q,
	const struct vs_batch_filter_work *w)
{
	const struct vs_panel *p = &w->rows->panel;
	struct vs_panel first = *p;

	if (w->rest)
		first = vs_panel_first(p, w->rest->first);
	for (size_t r = 0; r < w->rows->n; r++) {
		float *rest = s->row[r].rest;

		rest[0] = rest[1] = 0;
		if (!p->present[r])
			continue;
		vs_coefficients_row(q, w->rows, r, w->sides, w->rest,
			&s->row[r].edge);
		if (w->rest)
			vs_coefficients_rest_of(p, &first, r, q->lead, &rest[0],
				&rest[1]);
	}
}

/*
 * Columns [lo, lo + n) of the band, with a slack of their own, since terms are
 * added in another order than for a single row.
 */
VS_INLINE void
fill(const struct extremes *extremes, const struct vs_batch_filter_work *work,
	size_t lo, size_t n, float left, bool mixed, bool sloped,
	const struct vs_screen_cols *cols)
{
	const struct vs_rest *rest = work->rest;
	const struct vs_loose *loose =
		rest ? &rest->loose : &work->sides->loose;
	const float *c = work->sides->c + lo, *copies = work->sides->ws + lo;
	const float *bl = work->sides->bl + lo, *bo = work->sides->bo + lo;
	const float *above = loose->above + lo, *below = loose->below + lo;
	const float *b1 = sloped ? rest->at_least[0] + lo : NULL;
	const float *b2 = sloped ? rest->at_least[1] + lo : NULL;
	const struct vs_screen_cols to = *cols;
	const struct extremes x = *extremes;
	const float a1 = x.mean[0], a2 = x.mean[1];

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		float both = vs_max_f32(x.window[0] + c[k], x.joint);
		float ws = copies[k];
		float el = bl[k] * both, eo = bo[k] * both;
		float ll = vs_min_f32(x.ll[0] * el, x.ll[1] * el);
		float oo = vs_min_f32(x.oo[0] * eo, x.oo[1] * eo);
		float lo_ = vs_min_f32(x.lo[0] * eo, x.lo[1] * eo);
		float ol = vs_min_f32(x.ol[0] * el, x.ol[1] * el);
		float r1 = sloped ? b1[k] : 0, r2 = sloped ? b2[k] : 0;
		float u1 = r1 - left, u2 = r2 - left;
		float most = x.slack, least = -x.slack;

		if (sloped) {
			most += vs_min_f32(a1, r1) + vs_min_f32(a1, r2) +
				vs_min_f32(a2, r1) + vs_min_f32(a2, r2);
			to.up[0][k] = (float)(r1 > a1) + (float)(r2 > a1);
			to.up[1][k] = (float)(r1 > a2) + (float)(r2 > a2);
		}
		to.most[0][k] = ll - above[k] - most;
		to.most[1][k] = oo + ws - below[k] - most;
		if (!mixed)
			continue;
		if (sloped) {
			least += vs_above_f32(a1 + u1) + vs_above_f32(a1 + u2) +
				vs_above_f32(a2 + u1) + vs_above_f32(a2 + u2);
			to.down[0][k] =
				(float)(a1 + u1 > 0) + (float)(a1 + u2 > 0);
			to.down[1][k] =
				(float)(a2 + u1 > 0) + (float)(a2 + u2 > 0);
		}
		to.least[0][k] = below[k] - lo_ - least;
		to.least[1][k] = ws + above[k] - ol - least;
	}
}

/* Least and greatest distance of the second bounds from the first. */
struct apart {
	float most[2], least[2];
};

/*
 * Least and greatest excess of bound[1] over bound[0]; not usable if that is
 * not a number.
 */
VS_INLINE void
compare(float *const bound[2], size_t n, float range[2])
{
	const float *a = bound[0], *b = bound[1];
	float least = INFINITY, most = -INFINITY;

/* clang 14 does not vectorise such a minimum, and warns at each call */
#if !defined(__clang__)
#pragma omp simd reduction(min : least) reduction(max : most)
#endif
	for (size_t k = 0; k < n; k++) {
		float d = b[k] - a[k];
		float low = d == d ? d : -INFINITY;
		float high = d == d ? d : INFINITY;

		least = low < least ? low : least;
		most = high > most ? high : most;
	}
	range[0] = least;
	range[1] = most;
}

VS_INLINE void
fill_cols_any(const struct extremes *x, const struct vs_batch_filter_work *w,
	size_t lo, size_t n, float left, const struct vs_screen_cols *to,
	struct apart *y)
{
	if (w->rest && x->mixed)
		fill(x, w, lo, n, left, true, true, to);
	else if (w->rest)
		fill(x, w, lo, n, left, false, true, to);
	else
		fill(x, w, lo, n, left, true, false, to);
	compare(to->most, n, y->most);
	if (x->mixed)
		compare(to->least, n, y->least);
}

VS_BY_CPU(void, fill_cols, (x, w, lo, n, left, to, y), const struct extremes *x,
	const struct vs_batch_filter_work *w, size_t lo, size_t n, float left,
	const struct vs_screen_cols *to, struct apart *y)

/* Columns are sorted by frequency, and one side mostly asks for less than the
 * other in all of them. The slack covers the rounding here. */
static void
find_idle(const struct apart *x, float slack, struct vs_screen_row *row)
{
	float more = row->more[1] - row->more[0];
	float less = row->less[0] - row->less[1];

	row->idle_most[0] = more - slack >= x->most[1];
	row->idle_most[1] = more + slack <= x->most[0];
	row->idle_least[0] = row->mixed && less + slack <= x->least[0];
	row->idle_least[1] = row->mixed && less - slack >= x->least[1];
}

static float
fields_left(const struct vs_query *q, const struct vs_batch_filter_work *w)
{
	const size_t n = q->n_field;

	return w->rest ? (float)(n - vs_first_fields(n, w->rest->first)) : 0;
}

struct vs_some
vs_batch_filter_ranges(struct vs_batch_filter *s, const struct vs_query *q,
	const struct vs_batch_filter_work *w,
	const struct vs_block_sides *block)
{
	const size_t n_block = (w->hi + BLOCK - 1) / BLOCK, lo = w->lo / BLOCK;
	const float left = fields_left(q, w);

	for (size_t r = 0; r < w->rows->n; r++) {
		struct vs_range *range = s->range + r * n_block;

		if (w->rows->panel.present[r])
			set_ranges(&s->row[r].edge,
				w->rest ? s->row[r].rest : NULL, left,
				block + lo, n_block - lo, range + lo);
		else
			for (size_t k = lo; k < n_block; k++)
				range[k] = (struct vs_range){ -(1 << 30),
					1 << 30 };
	}
	return (struct vs_some){ s->range, s->block, n_block, false };
}

/* True if the row's sums with the block from lo on were counted. */
static bool
is_there(const struct vs_batch_filter *s, const struct vs_batch_filter_work *w,
	size_t row, size_t lo)
{
	return !w->some || (s->block[row] >> lo / BLOCK & 1);
}

/* A band against n columns from lo on; returns how many pairs may pass. */
static size_t
look_band(struct vs_batch_filter *s, const struct vs_query *q,
	const struct extremes *x, const struct vs_batch_filter_work *w,
	size_t lo, size_t n)
{
	_Alignas(64) float a[8][BLOCK];
	const struct vs_screen_cols cols = { { a[0], a[1] }, { a[2], a[3] },
		{ a[4], a[5] }, { a[6], a[7] }, w->rest };
	struct apart apart;
	size_t left = 0, r;

	for (r = x->first; r < x->first + x->n && !is_there(s, w, r, lo); r++)
		memset(s->hit + r * s->n_word + lo / COLS, 0,
			n / COLS * sizeof(*s->hit));
	if (r == x->first + x->n)
		return 0;
	fill_cols(q->cpu, x, w, lo, n, fields_left(q, w), &cols, &apart);
	for (; r < x->first + x->n; r++) {
		const struct vs_coefficients *e = &s->row[r].edge;
		const float *rest = s->row[r].rest;
		struct vs_screen_row row = { .rest = { rest[0] - x->mean[0],
						     rest[1] - x->mean[1] } };

		uint64_t *hit = s->hit + r * s->n_word + lo / COLS;
		size_t n_hit;

		/* a row without a call has no bound */
		if (!w->rows->panel.present[r] || !is_there(s, w, r, lo)) {
			memset(hit, 0, n / COLS * sizeof(*hit));
			continue;
		}
		row.more[0] = e->above;
		row.more[1] = -e->high;
		row.less[0] = e->low;
		row.less[1] = e->below;
		row.mixed = e->mixed;
		find_idle(&apart, e->slack, &row);
		n_hit = vs_screen_row(q->cpu, &cols, &row,
			w->p + r * w->ld + lo, n, hit);
		if (!n_hit && w->some)
			s->block[r] &= ~(1ull << lo / BLOCK);
		left += n_hit;
	}
	return left;
}

size_t
vs_batch_filter_look(struct vs_batch_filter *s, const struct vs_query *q,
	const struct vs_batch_filter_work *w)
{
	size_t end = (w->hi + COLS - 1) / COLS * COLS, n_row = w->rows->n;
	size_t left = 0;

	for (struct extremes x = { 0 }; x.first + x.n < n_row;) {
		begin_band(s, q, w, x.first + x.n, &x);
		for (size_t lo = w->lo / COLS * COLS, n; lo < end; lo += n) {
			n = BLOCK - lo % BLOCK;
			n = end - lo < n ? end - lo : n;
			left += look_band(s, q, &x, w, lo, n);
		}
	}
	return left;
}
