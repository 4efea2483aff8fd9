/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Upper bounds of the cells of triples from the sums of their pairs.
 *
 * Let r be the sum of a cell (a, b, c) of a triple, in which label 1 stands for
 * a factor g and label 0 for 2 - g. The cell passes if r u_u u_v u_w > scale t
 * n, where n is the number of fields that all three share, at least c_u + c_v +
 * c_w less twice all fields. The r of (a, b, 0) is 2 r_ab less that of (a, b,
 * 1).
 *
 * Sums and least sums that matter are below 16 n and take few roundings of
 * 2^-24 each, which the slacks cover.
 */
#include "libcore/engine/slab/triple_bound.h"
#include "libcore/base/minmax.h"

#define FAR 1e9f /* no sum reaches this; within 30 bits */

/* scale t by the number of labels 1. */
static double
bound_of(const struct vs_triple_data *t, int ones)
{
	return t->q.alleles->scale3 * vs_query_threshold(&t->q, 3, ones);
}

/* ---- vectors with a block of third vectors ---- */

static float
least_of(const float *x, size_t n)
{
	float least = x[0];

	for (size_t k = 1; k < n; k++)
		least = x[k] < least ? x[k] : least;
	return least;
}

void
vs_triple_bound_thirds(struct vs_triple_thirds *x,
	const struct vs_triple_data *t, size_t lo, size_t n, size_t lanes)
{
	*x = (struct vs_triple_thirds){ t->filled.sum + lo,
		{ t->e[0] + lo, t->e[1] + lo }, t->c + lo, n, lanes,
		{ { { 0 }, 0 } } };
	for (size_t b = 0; b * lanes < n; b++) {
		size_t at = b * lanes, m = n - at < lanes ? n - at : lanes;

		for (int label = 0; label < 2; label++)
			x->least[b].e[label] = least_of(x->e[label] + at, m);
		x->least[b].c = least_of(x->c + at, m);
	}
}

/* Twice the sums for both labels, which vs_triple_side halves. */
struct extremes {
	const int32_t *p, *s;
	size_t n;
	int32_t mode, *least, *most;
};

VS_INLINE void
extremes_any(const struct extremes *x)
{
	const int32_t *p = x->p, *s = x->s;
	const int32_t mode = x->mode;
	int32_t least0 = INT32_MAX, least1 = INT32_MAX;
	int32_t most0 = INT32_MIN, most1 = INT32_MIN;

#pragma omp simd reduction(min : least0, least1) reduction(max : most0, most1)
	for (size_t k = 0; k < x->n; k++) {
		int32_t one = 2 * p[k] - mode * s[k];
		int32_t other = 2 * (2 * s[k] - p[k]) - (2 - mode) * s[k];

		least0 = other < least0 ? other : least0;
		most0 = other > most0 ? other : most0;
		least1 = one < least1 ? one : least1;
		most1 = one > most1 ? one : most1;
	}
	x->least[0] = least0;
	x->least[1] = least1;
	x->most[0] = most0;
	x->most[1] = most1;
}
VS_BY_CPU(void, extremes, (x), const struct extremes *x)

void
vs_triple_bound_side(struct vs_triple_side *side, size_t at,
	const struct vs_triple_data *t, size_t v, int mode,
	const struct vs_triple_thirds *x, const int32_t *p)
{
	const size_t lanes = x->lanes;

	side->s[at] = (float)t->filled.sum[v];
	side->c[at] = (float)t->all.present[v];
	side->mode[at] = (float)mode;
	for (int label = 0; label < 2; label++)
		side->e[label][at] = t->e[label][v];
	for (size_t lo = 0; lo < x->n; lo += lanes) {
		size_t n = x->n - lo < lanes ? x->n - lo : lanes;
		int32_t least[2], most[2];

		extremes(t->q.cpu,
			&(struct extremes){ p + lo, x->s + lo, n, mode, least,
				most });
		for (int label = 0; label < 2; label++) {
			side->least[lo / lanes][label][at] =
				0.5f * (float)least[label];
			side->most[lo / lanes][label][at] =
				0.5f * (float)most[label];
		}
	}
}

/* ---- ranges of a block ---- */

/* Rows of a block: u by place, and what all rows share. */
struct ranges {
	const struct vs_triple_side *u;
	const float (*least)[VS_TRIPLE_BOUND_SIDE],
		(*most)[VS_TRIPLE_BOUND_SIDE];
	const int32_t *uv;
	const uint32_t *open;
	int32_t *lo, *hi;
	size_t first, n;
	float n_field, bound[4], joint, slack;
	/* of v */
	float s, c, mode, e[2], v_least[2], v_most[2];
	/* of the third vectors: the least of each */
	float w_e[2], w_c;
};

/*
 * With y = g - mode, G = sign y + m and r1 the sum of (a, b, 1),
 *
 *   r1 = sign sum y_u y_v g_w + m_v (sum G_u g_w - m_u s_w / 2) +
 *        m_u (sum G_v g_w - m_v s_w / 2)
 */
VS_INLINE void
ranges_any(const struct ranges *x)
{
	const float all = x->n_field, slack = x->slack;

#pragma omp simd
	for (size_t k = x->first; k < x->n; k++) {
		float both = vs_max_f32(x->u->c[k] + x->c + x->w_c - 2 * all,
			x->joint);
		float lo = -FAR, hi = FAR, uv = (float)x->uv[k];

		/* an inner loop that remains would prevent vectorisation */
#pragma GCC unroll 4
		for (int cell = 0; cell < 4; cell++) {
			const int a = cell >> 1, b = cell & 1;
			float mu = a ? x->u->mode[k] : 2 - x->u->mode[k];
			float mv = b ? x->mode : 2 - x->mode;
			float factor = x->u->e[a][k] * x->e[b] * both;
			float least_sum0 = x->bound[a + b] * factor * x->w_e[0];
			float least_sum1 =
				x->bound[a + b + 1] * factor * x->w_e[1];
			float r = cell == 3 ? uv
				: cell == 2 ? 2 * x->u->s[k] - uv
				: cell == 1
				? 2 * x->s - uv
				: 4 * all - 2 * (x->u->s[k] + x->s) + uv;
			float most = least_sum1 - slack -
				(mv * x->most[a][k] + mu * x->v_most[b]);
			float least = 2 * r - least_sum0 + slack -
				(mv * x->least[a][k] + mu * x->v_least[b]);
			bool info = x->open[k] >> cell & 1;
			float top = a == b ? most : -least;
			float low = a == b ? least : -most;

			hi = info && top < hi ? top : hi;
			lo = info && low > lo ? low : lo;
		}
		hi = hi < -FAR || both <= 0 ? -FAR : hi;
		lo = lo > FAR || both <= 0 ? FAR : lo;
		/* rounded towards the narrower side */
		x->hi[k] = (int32_t)hi - 1;
		x->lo[k] = (int32_t)lo + 1;
	}
}
VS_BY_CPU(void, ranges, (x), const struct ranges *x)

void
vs_triple_bound_ranges(const struct vs_triple_data *t,
	const struct vs_triple_side *u, size_t first, size_t n,
	const struct vs_triple_side *v, size_t at,
	const struct vs_triple_thirds *x, const int32_t *uv,
	const uint32_t *open, int32_t *lo, int32_t *hi)
{
	struct ranges r = { .u = u,
		.uv = uv,
		.open = open,
		.first = first,
		.n = n,
		.n_field = (float)t->q.n_field,
		.joint = vs_query_joint(&t->q),
		.slack = (float)t->q.n_field / 8192 + 0.01f,
		.s = v->s[at],
		.c = v->c[at],
		.mode = v->mode[at],
		.e = { v->e[0][at], v->e[1][at] } };

	for (int ones = 0; ones < 4; ones++)
		r.bound[ones] = (float)bound_of(t, ones);
	for (size_t b = 0; b * x->lanes < x->n; b++) {
		r.least = u->least[b];
		r.most = u->most[b];
		r.lo = lo + b * VS_TRIPLE_BOUND_SIDE;
		r.hi = hi + b * VS_TRIPLE_BOUND_SIDE;
		for (int label = 0; label < 2; label++) {
			r.v_least[label] = v->least[b][label][at];
			r.v_most[label] = v->most[b][label][at];
			r.w_e[label] = x->least[b].e[label];
		}
		r.w_c = x->least[b].c;
		if (t->q.threshold >= 0) {
			ranges(t->q.cpu, &r);
			continue;
		}
		for (size_t k = first; k < n; k++) {
			r.lo[k] = 1;
			r.hi[k] = 0;
		}
	}
}

/* ---- third vectors of a row ---- */

struct fill {
	const int32_t *gu, *gv, *s;
	int32_t *p;
	size_t n;
	int32_t mode_u, mode_v;
};

VS_INLINE void
fill_any(const struct fill *x)
{
	const int32_t *gu = x->gu, *gv = x->gv, *s = x->s;
	const int32_t mu = x->mode_u, mv = x->mode_v;
	int32_t *p = x->p;

#pragma omp simd
	for (size_t k = 0; k < x->n; k++)
		p[k] += mv * gu[k] + mu * gv[k] - mu * mv * s[k];
}
VS_BY_CPU(void, fill, (x), const struct fill *x)

void
vs_triple_bound_fill(const struct vs_triple_data *t,
	const struct vs_triple_bound_row *row, const int mode[2],
	const struct vs_triple_thirds *x, size_t lo, size_t n, int32_t *p)
{
	fill(t->q.cpu,
		&(struct fill){ row->gu + lo, row->gv + lo, x->s + lo, p + lo,
			n, mode[0], mode[1] });
}

/*
 * All open cells of a row: the least passing sum, by third label. `joint` is
 * the least number of fields that all three share, `complete` that of any
 * third.
 */
struct look {
	const int32_t *p, *gu, *gv, *s;
	const float *e0, *e1, *c;
	float window, joint, slack, least_sum[4][2], twice[4];
	unsigned open;
	bool complete;
	size_t n;
	int32_t *hit;
};

/* One pass for a set of open cells that is known at compile time. */
VS_INLINE void
look_at(const struct look *x, const unsigned open, const bool complete)
{
	const int32_t *p = x->p, *gu = x->gu, *gv = x->gv, *s = x->s;
	const float *e0 = x->e0, *e1 = x->e1, *c = x->c;
	const float window = x->window, joint = x->joint, slack = x->slack;
	int32_t *hit = x->hit;

#pragma omp simd
	for (size_t k = 0; k < x->n; k++) {
		float both =
			complete ? joint : vs_max_f32(window + c[k], joint);
		float factor0 = e0[k] * both, factor1 = e1[k] * both;
		bool any = both <= 0;

#pragma GCC unroll 4
		for (int cell = 0; cell < 4; cell++) {
			int32_t r = cell == 3 ? p[k]
				: cell == 2   ? 2 * gu[k] - p[k]
				: cell == 1
				? 2 * gv[k] - p[k]
				: p[k] + 2 * (2 * s[k] - gu[k] - gv[k]);

			if (open >> cell & 1)
				any |= ((float)r >
					       x->least_sum[cell][1] * factor1 -
						       slack) |
					(x->twice[cell] - (float)r >
						x->least_sum[cell][0] *
								factor0 -
							slack);
		}
		hit[k] = any;
	}
}

VS_INLINE void
look_any(const struct look *x)
{
#define LOOK(open)                               \
	case open:                               \
		if (x->complete)                 \
			look_at(x, open, true);  \
		else                             \
			look_at(x, open, false); \
		break;
	switch (x->open & 15) {
		LOOK(0)
		LOOK(1)
		LOOK(2)
		LOOK(3)
		LOOK(4)
		LOOK(5)
		LOOK(6)
		LOOK(7)
		LOOK(8)
		LOOK(9)
		LOOK(10)
		LOOK(11)
		LOOK(12)
		LOOK(13)
		LOOK(14)
		LOOK(15)
	}
#undef LOOK
}
VS_BY_CPU(void, look, (x), const struct look *x)

void
vs_triple_bound_look(const struct vs_triple_data *t,
	const struct vs_triple_bound_row *row, const struct vs_triple_thirds *x,
	size_t lo, size_t n, int32_t *hit)
{
	const int32_t *c = t->all.present;
	struct look of_row = { .p = row->p + lo,
		.gu = row->gu + lo,
		.gv = row->gv + lo,
		.s = x->s + lo,
		.e0 = x->e[0] + lo,
		.e1 = x->e[1] + lo,
		.c = x->c + lo,
		.window = (float)(c[row->u] + c[row->v]) -
			2 * (float)t->q.n_field,
		.joint = vs_query_joint(&t->q),
		.slack = (float)t->q.n_field / 65536 + 1e-5f,
		.open = row->open,
		.complete = t->complete,
		.n = n,
		.hit = hit };
	int32_t r[4];

	if (t->q.threshold < 0 ||
		vs_query_without(&t->q, VS_WITHOUT_COLUMN_BOUND)) {
		for (size_t k = 0; k < n; k++)
			hit[k] = 1;
		return;
	}
	vs_pair_sums_cells(2,
		(struct vs_pair_sums){ (int32_t)t->q.n_field,
			t->filled.sum[row->u], t->filled.sum[row->v], row->uv },
		r);
	for (int cell = 0; cell < 4; cell++) {
		const int a = cell >> 1, b = cell & 1;

		for (int third = 0; third < 2; third++)
			of_row.least_sum[cell][third] =
				(float)(bound_of(t, a + b + third) *
					t->e[a][row->u] * t->e[b][row->v]);
		of_row.twice[cell] = (float)(2 * r[cell]);
	}
	if (t->complete)
		of_row.joint = vs_max_f32((float)t->q.n_field, of_row.joint);
	look(t->q.cpu, &of_row);
}
