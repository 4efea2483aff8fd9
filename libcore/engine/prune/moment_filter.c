/* SPDX-License-Identifier: BSD-3-Clause */
/* Filter of sums of products for correlation and cosine. */
#include <math.h>
#include <string.h>

#include "libcore/base/minmax.h"
#include "libcore/engine/prune/coefficients.h"
#include "libcore/engine/prune/moment_counts.h"
#include "libcore/engine/prune/moment_filter.h"
#include "libcore/engine/prune/prefix.h"

#define COLS VS_SCREEN_COLS
#define BLOCK 512 /* columns whose bounds stay in L1 */

/*
 * Bounds of a pair by the counts of each vector, see moment_counts.h, and the
 * sum p of the products, which is exact even if calls are missing. If M of a
 * vector's fields are lost because the other misses them, A(M) <= min(2 M, two
 * + M) of its s copies are lost, and a value above t needs
 *
 *   p - s_i s_j / c > l root   or, for both signs, s_i s_j / c - p > l root,
 *
 * where root^2 is the product of the remaining spreads and l the least
 * correlation or cosine for t; and with M = lost of the other vector
 *
 *   (s_i - A_i) (s_j - A_j) / (n - lost_j) <= s_i s_j / c <=
 *   s_i s_j / (n - lost_i - lost_j),  s on the outer sides over all own fields.
 *
 * Terms are at most 4 n and take fewer than thirty roundings of 2^-24, which a
 * slack of n / 65536 covers; the counts' factors cover those of the spreads.
 */
#define LESS VS_MOMENT_LESS

/* A bound that no sum reaches, for the spread -1 of a constant vector. */
#define NEVER 1e30f

/* Rows are similar if their copies and spreads differ by less, and their
 * missing calls are in one class: 0, up to 4, 8, 16 ... */
#define WIDE 1.05f
#define WIDER 1.15f
#define LEAST_LOST 4

/* Bits of a row's key; spreads are below 2^26. */
#define KEY_SPREAD 10
#define KEY_BITS 15
#define DIGIT_BITS 8
#define DIGIT ((1u << DIGIT_BITS) - 1)

/* True if no value of the vector can pass. */
static bool
is_constant(const struct vs_query *q, const struct vs_panel *p, size_t v)
{
	const int64_t c = p->present[v], s = p->sum[v];
	const int64_t squares = s + 2 * (int64_t)p->two[v];

	return q->metric->centred ? c * squares <= s * s : squares <= 0;
}

static float *
floats(struct vs_layout *l, size_t n)
{
	return vs_layout_next(l, n * sizeof(float));
}

void
vs_moment_filter_lay_out(struct vs_moment_filter *f, size_t n_row, size_t n_col,
	bool firsts, struct vs_layout *l)
{
	f->sum = floats(l, n_col);
	f->lost = floats(l, n_col);
	f->spread = floats(l, n_col);
	f->two = floats(l, n_col);
	f->by_one = floats(l, n_col);
	f->by_two = floats(l, n_col);
	f->more = floats(l, n_col);
	f->share = floats(l, n_col);
	for (int k = 0; k < VS_FIRSTS && firsts; k++)
		for (int s = 0; s < 2; s++)
			f->at_least[k][s] = floats(l, n_col);
	f->n_word = n_col / COLS;
	f->hit = vs_layout_next(l, n_row * f->n_word * sizeof(*f->hit));
}

void
vs_moment_filter_cols(struct vs_moment_filter *f, const struct vs_query *q,
	const struct vs_panel *p, size_t lo, size_t n)
{
	memset(f->counted, 0, sizeof(f->counted));
	f->panel = p;
	f->lo = lo;
	f->n = n;
	for (size_t k = 0; k < n || k % COLS; k++) {
		struct vs_moment_counts x = { .spread = -1 };

		if (k < n && !is_constant(q, p, lo + k))
			x = vs_moment_counts_of(q, p, lo + k);
		f->sum[k] = x.sum;
		f->lost[k] = x.lost;
		f->spread[k] = x.spread;
		f->two[k] = x.two;
		f->by_one[k] = x.by_one;
		f->by_two[k] = x.by_two;
		f->more[k] = x.more;
		f->share[k] = 1 / vs_max_f32((float)q->n_field - x.lost, 1);
	}
}

/* Count the columns' copies past the prefix, once. */
static void
count_rest(struct vs_moment_filter *f, int first)
{
	const struct vs_panel part = vs_panel_first(f->panel, first);
	float *const *at_least = f->at_least[first];

	for (size_t k = 0; k < (f->counted[first] ? 0 : f->n); k++)
		vs_coefficients_rest_of(f->panel, &part, f->lo + k, 1,
			&at_least[0][k], &at_least[1][k]);
	for (size_t k = f->n; k % COLS; k++)
		at_least[0][k] = at_least[1][k] = 0;
	f->counted[first] = true;
}

/* ---- bands ---- */

/* A row to be tested. */
struct row {
	struct vs_moment_counts x;
	size_t at;
	int class; /* of missing calls: 0, up to LEAST_LOST, twice ... */
	uint32_t key;
	float rest[2]; /* as at_least of columns */
};

/* Rows that are tested together, and their extremes. */
struct band {
	const struct row *row;
	size_t n;
	float sum[2], spread[2];
	struct vs_moment_counts most; /* except for these two */
	float mean[2];                /* counts past the prefix */
};

static int
class_of(float lost)
{
	int k = 0;

	for (float most = LEAST_LOST; lost > 0 && ++k && lost > most;)
		most *= 2;
	return k;
}

/* Sort key by class and by spread, in steps of 1 / 32 or less. */
static uint32_t
key_of(const struct row *x)
{
	const float spread = vs_max_f32(x->x.spread, 1);
	uint32_t bits;

	/* floats >= 1 are ordered like their bits: 8 of exponent, 5 more */
	memcpy(&bits, &spread, sizeof(bits));
	return (uint32_t)x->class << KEY_SPREAD | ((bits >> 18) - (127 << 5));
}

/* Sort rows by key, a digit at a time; `other` has room for as many. */
static void
sort_rows(struct row *rows, struct row *other, size_t n)
{
	struct row *from = rows, *to = other;

	for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
		size_t at[1 << DIGIT_BITS] = { 0 }, before = 0;

		for (size_t k = 0; k < n; k++)
			at[from[k].key >> shift & DIGIT]++;
		for (size_t d = 0; d <= DIGIT; d++) {
			const size_t count = at[d];

			at[d] = before;
			before += count;
		}
		for (size_t k = 0; k < n; k++)
			to[at[from[k].key >> shift & DIGIT]++] = from[k];
		from = to;
		to = to == other ? rows : other;
	}
}

/* Add a row, unless it widens the band too much. */
static bool
widen(struct band *b, const struct row *row)
{
	const struct vs_moment_counts *x = &row->x;
	float sum[2] = { vs_min_f32(b->sum[0], x->sum),
		vs_max_f32(b->sum[1], x->sum) };
	float spread[2] = { vs_min_f32(b->spread[0], x->spread),
		vs_max_f32(b->spread[1], x->spread) };
	struct vs_moment_counts *m = &b->most;

	if (b->n &&
		(row->class != b->row->class || sum[1] > WIDE * sum[0] + 1 ||
			spread[1] > WIDER * spread[0] + 1))
		return false;
	memcpy(b->sum, sum, sizeof(sum));
	memcpy(b->spread, spread, sizeof(spread));
	m->lost = vs_max_f32(m->lost, x->lost);
	m->two = vs_max_f32(m->two, x->two);
	m->by_one = vs_max_f32(m->by_one, x->by_one);
	m->by_two = vs_max_f32(m->by_two, x->by_two);
	m->more = vs_max_f32(m->more, x->more);
	b->n++;
	return true;
}

/* The fewest of s copies that are then left. */
VS_INLINE float
copies_left(float s, float two, float m)
{
	return vs_above_f32(s - vs_min_f32(2 * m, two + m));
}

/*
 * Bounds of columns [lo, lo + n) for a band: of sums above and below which a
 * pair may pass.
 */
VS_INLINE void
fill_bounds(const struct vs_moment_filter *filter, const struct vs_query *q,
	const struct band *band, size_t lo, size_t n, float *above,
	float *below)
{
	const double least = vs_metric_least(q->metric, q->threshold);
	const float *sum = filter->sum + lo, *lost = filter->lost + lo;
	const float *share = filter->share + lo;
	const float *spread = filter->spread + lo, *two = filter->two + lo;
	const float *by_one = filter->by_one + lo;
	const float *by_two = filter->by_two + lo, *more = filter->more + lo;
	const float n_field = (float)q->n_field,
		    slack = n_field / 65536 + 1e-5f;
	const float l2 = (float)(least * least * LESS);
	const float shift = q->metric->centred ? 1 : 0;
	/* the compiler would hoist the division by a constant out of the
	 * lanes */
	const float one = n_field < 1 ? n_field : 1;
	const struct vs_moment_counts x = band->most;
	const float s_lo = band->sum[0], s_hi = band->sum[1];
	const float v = band->spread[0];

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		const float m = lost[k];
		const float both = one / vs_max_f32(n_field - x.lost - m, one);
		const float fi = 1 + shift * m * both;
		const float fj = 1 + shift * x.lost * both;
		const float vi =
			vs_moment_left(v, x.by_one, x.by_two, x.more, m, fi);
		const float vj = vs_moment_left(spread[k], by_one[k], by_two[k],
			more[k], x.lost, fj);
		const float root = sqrtf(vi * vj * l2);
		const float low = copies_left(s_lo, x.two, m) *
			copies_left(sum[k], two[k], x.lost) * share[k];
		const float high = s_hi * sum[k] * both;
		const float most = shift * low + root - slack;
		const float little = shift * high - root + slack;

		above[k] = vs_max_f32(most, -NEVER * spread[k]);
		below[k] = vs_min_f32(little, NEVER * spread[k]);
	}
}

/*
 * The `left` fields past the prefix add to a sum at most and at least, by
 * rearrangement, the sums over s, t in {1, 2} of min(a_s, b_t) and of max(0,
 * a_s + b_t - left), a_s (b_t) of them with s (t) copies or more in the row
 * (the column). As functions of the row's counts these are concave and convex,
 * so the tangent at the band's mean bounds them.
 */
VS_INLINE void
add_rest(float *const at_least[2], const struct band *band, float left,
	size_t lo, size_t n, const struct vs_screen_cols *to)
{
	const float *b1 = at_least[0] + lo, *b2 = at_least[1] + lo;
	const float a1 = band->mean[0], a2 = band->mean[1];
	const struct vs_screen_cols x = *to;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		const float r1 = b1[k], r2 = b2[k];
		const float u1 = r1 - left, u2 = r2 - left;

		x.most[0][k] -= vs_min_f32(a1, r1) + vs_min_f32(a1, r2) +
			vs_min_f32(a2, r1) + vs_min_f32(a2, r2);
		x.up[0][k] = (float)(r1 > a1) + (float)(r2 > a1);
		x.up[1][k] = (float)(r1 > a2) + (float)(r2 > a2);
		x.least[0][k] -= vs_above_f32(a1 + u1) + vs_above_f32(a1 + u2) +
			vs_above_f32(a2 + u1) + vs_above_f32(a2 + u2);
		x.down[0][k] = (float)(a1 + u1 > 0) + (float)(a1 + u2 > 0);
		x.down[1][k] = (float)(a2 + u1 > 0) + (float)(a2 + u2 > 0);
	}
}

/* Sums of all rows and columns. */
struct table {
	const int32_t *sum;
	size_t ld, lo, hi;
	int first; /* of this prefix */
	float left;
};

VS_INLINE void
fill_any(const struct vs_moment_filter *f, const struct vs_query *q,
	const struct band *b, const struct table *t, size_t lo, size_t n,
	const struct vs_screen_cols *to)
{
	fill_bounds(f, q, b, lo, n, to->most[0], to->least[0]);
	if (to->sloped)
		add_rest(f->at_least[t->first], b, t->left, lo, n, to);
}

VS_BY_CPU(void, fill, (f, q, b, t, lo, n, to), const struct vs_moment_filter *f,
	const struct vs_query *q, const struct band *b, const struct table *t,
	size_t lo, size_t n, const struct vs_screen_cols *to)

static size_t
look_band(struct vs_moment_filter *f, const struct vs_query *q,
	const struct band *b, const struct table *t)
{
	_Alignas(64) float a[6][BLOCK];
	const struct vs_screen_cols cols = { .most = { a[0], a[0] },
		.least = { a[1], a[1] },
		.up = { a[2], a[3] },
		.down = { a[4], a[5] },
		.sloped = t->first < VS_FIRSTS };
	struct vs_screen_row row = { .mixed = vs_query_both_signs(q),
		.idle_most = { false, true },
		.idle_least = { false, true } };
	size_t left = 0;

	for (size_t lo = t->lo / COLS * COLS, n; lo < t->hi; lo += n) {
		n = (t->hi - lo + COLS - 1) / COLS * COLS;
		n = n < BLOCK ? n : BLOCK;
		fill(q->cpu, f, q, b, t, lo, n, &cols);
		for (size_t k = 0; k < b->n; k++) {
			const size_t r = b->row[k].at;

			for (int s = 0; s < 2; s++)
				row.rest[s] = b->row[k].rest[s] - b->mean[s];
			left += vs_screen_row(q->cpu, &cols, &row,
				t->sum + r * t->ld + lo, n,
				f->hit + r * f->n_word + lo / COLS);
		}
	}
	return left;
}

static void
mean_rest(struct band *b)
{
	for (size_t k = 0; k < b->n; k++)
		for (int s = 0; s < 2; s++)
			b->mean[s] += b->row[k].rest[s] / (float)b->n;
}

static float
fields_left(const struct vs_query *q, int first)
{
	const size_t n = q->n_field;

	return first < VS_FIRSTS ? (float)(n - vs_first_fields(n, first)) : 0;
}

size_t
vs_moment_filter_look(struct vs_moment_filter *f, const struct vs_query *q,
	const struct vs_panel *p, size_t row, size_t n_row, int first,
	const int32_t *sum, size_t ld, size_t lo, size_t hi)
{
	const struct vs_panel part =
		first < VS_FIRSTS ? vs_panel_first(p, first) : *p;
	const struct table t = { sum, ld, lo, hi, first,
		fields_left(q, first) };
	struct row rows[VS_MOMENT_FILTER_ROWS], other[VS_MOMENT_FILTER_ROWS];
	size_t n = 0, left = 0;

	if (first < VS_FIRSTS)
		count_rest(f, first);
	for (size_t r = 0; r < n_row; r++) {
		struct row *x = &rows[n];

		if (is_constant(q, p, row + r)) {
			memset(f->hit + r * f->n_word, 0,
				f->n_word * sizeof(*f->hit));
			continue;
		}
		x->x = vs_moment_counts_of(q, p, row + r);
		x->at = r;
		x->class = class_of(x->x.lost);
		x->key = key_of(x);
		vs_coefficients_rest_of(p, &part, row + r, 1, &x->rest[0],
			&x->rest[1]);
		n++;
	}
	sort_rows(rows, other, n);
	for (size_t k = 0; k < n;) {
		struct band b = { .row = rows + k,
			.sum = { INFINITY },
			.spread = { INFINITY } };

		while (k < n && widen(&b, &rows[k]))
			k++;
		mean_rest(&b);
		left += look_band(f, q, &b, &t);
	}
	return left;
}

/* ---- choice of a prefix ---- */

/* Fields with one copy or more and with two. */
static void
at_least_of(const struct vs_panel *p, size_t v, float a[2])
{
	a[1] = (float)p->two[v];
	a[0] = (float)p->sum[v] - a[1];
}

int
vs_moment_filter_choose(const struct vs_moment_filter *f,
	const struct vs_query *q, const struct vs_panel *p, size_t row,
	size_t lo, size_t hi, int least)
{
	const struct row x = { .x = vs_moment_counts_of(q, p, row) };
	struct band band = { .row = &x,
		.sum = { INFINITY },
		.spread = { INFINITY } };
	struct vs_prefix_outlook o[VS_PREFIX_SAMPLES];
	float a[2], b[2], above, below;

	widen(&band, &x);
	at_least_of(p, row, a);
	for (size_t k = 0; k < VS_PREFIX_SAMPLES; k++) {
		const size_t j =
			lo + (hi - lo) * (2 * k + 1) / (2 * VS_PREFIX_SAMPLES);

		fill_bounds(f, q, &band, j, 1, &above, &below);
		at_least_of(f->panel, f->lo + j, b);
		o[k] = vs_prefix_outlook_of(a, b, (float)q->n_field);
		o[k].most = above;
		if (vs_query_both_signs(q))
			o[k].least = below;
	}
	return vs_prefix_least(o, VS_PREFIX_SAMPLES, q->n_field, least);
}

/* ---- all sums of a row ---- */

/*
 * All sums over the c fields that both vectors have are exact except those of
 * squares. For q, the sum of the squares of a vector's copies there, which are
 * s of all its s_v copies,
 *
 *   q >= s,   q >= s + 2 two - (s_v - s)
 *
 * since each lost one of its `two` fields with two copies takes two of the s_v
 * - s copies lost. A value above t needs
 *
 *   (c p - s_i s_j)^2 > l^2 v_i v_j,   v = c q - s^2,
 *
 * l as above, or, not centred, p^2 > l^2 q_i q_j. These terms are at most 6 n^2
 * and take fewer than six roundings of 2^-24, which a slack of n^2 / 2^18
 * covers. Not centred, sums up to 4 n are exact up to 2^24, and few of many
 * copies may be shared: above that a slack of n / 2^18 covers them.
 */
struct edge {
	float sum, two, present; /* two: twice the fields with two copies */
	float slack;
	float threshold; /* l^2 */
	float sign;      /* -1: both signs pass; 0 */
	bool centred;
};

/* COLS columns from `at` on: negative for those that may pass. */
VS_INLINE void
look_row(const struct vs_moment_filter *f, const struct edge *edge,
	const struct vs_joint_sums *t, size_t at, bool centred, float *out)
{
	const struct edge e = *edge;
	const struct vs_joint_lost gone = t->lost;
	const int32_t *p = t->p;
	const float *sum = f->sum + at, *lost = f->lost + at;
	const float *two = f->two + at;

#pragma omp simd
	for (size_t k = 0; k < COLS; k++) {
		const float a = (float)gone.i[at + k];
		const float b = (float)gone.j[at + k];
		const float neither = (float)gone.both[at + k];
		const float c = e.present - lost[k] + neither;
		const float si = e.sum - a, sj = sum[k] - b;
		float qi = vs_max_f32(si, si + e.two - a);
		float qj = vs_max_f32(sj, sj + 2 * two[k] - b);
		float over = (float)p[at + k];

		if (centred) {
			over = c * over - si * sj;
			qi = c * qi - si * si;
			qj = c * qj - sj * sj;
		}
		qi = vs_above_f32(qi - e.slack);
		qj = vs_above_f32(qj - e.slack);
		over = vs_max_f32(over, e.sign * over) + e.slack;
		out[k] = e.threshold * qi * qj - over * over;
	}
}

VS_INLINE void
look_some_any(const struct vs_moment_filter *f, const struct edge *e,
	const struct vs_joint_sums *t, size_t at, float *out)
{
	if (e->centred)
		look_row(f, e, t, at, true, out);
	else
		look_row(f, e, t, at, false, out);
}

VS_BY_CPU(void, look_some, (f, e, t, at, out), const struct vs_moment_filter *f,
	const struct edge *e, const struct vs_joint_sums *t, size_t at,
	float *out)

size_t
vs_moment_filter_row(const struct vs_moment_filter *f, const struct vs_query *q,
	const struct vs_panel *p, size_t row, size_t r,
	const struct vs_joint_sums *sums, size_t lo, size_t hi,
	uint16_t *column)
{
	const double least = vs_metric_least(q->metric, q->threshold);
	const float n = (float)q->n_field;
	const struct edge e = { .sum = (float)p->sum[row],
		.two = 2 * (float)p->two[row],
		.present = (float)p->present[row],
		.slack = q->metric->centred ? n * n / (1 << 18)
			: n > 1 << 22       ? n / (1 << 18)
					    : 0,
		.threshold = (float)(least * least * LESS),
		.sign = vs_query_both_signs(q) ? -1 : 0,
		.centred = q->metric->centred };

	const uint64_t *hit = f->hit + r * f->n_word;
	_Alignas(64) float x[COLS];
	size_t k = 0;

	for (size_t at = lo / COLS * COLS; at < hi; at += COLS) {
		uint64_t bits = hit[at / COLS];

		if (!bits)
			continue;
		look_some(q->cpu, f, &e, sums, at, x);
		bits &= vs_screen_signs(q->cpu, x);
		for (; bits; bits &= bits - 1) {
			size_t j = at + (size_t)__builtin_ctzll(bits);

			column[k] = (uint16_t)j;
			k += j >= lo && j < hi;
		}
	}
	return k;
}
