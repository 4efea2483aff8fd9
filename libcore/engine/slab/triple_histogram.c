/* SPDX-License-Identifier: BSD-3-Clause */
/* Histogram of the values of all triples of a slab. */
#include "libcore/engine/slab/triple_histogram.h"
#include "libcore/engine/slab/triple_data.h"

#define LANES VS_VALUE_HISTOGRAM_LANES

/* Constants of a pair for all columns, as struct row of row_histogram.c. */
struct row {
	struct vs_triple_histogram of;
	float u[4];    /* 1000 u_u(a) u_v(b) / (scale n), by 2a + b */
	int32_t joint; /* fields that a triple must share */
	uint32_t class[4], n_bucket, sums;
	uint32_t least[4]; /* buckets below these do not pass */
};

/* The two cells of a column with equal labels, for their sum. */
struct ends {
	float low, high;
	int32_t r_low, r_high;
};

/* Cells 2 ab and 2 ab + 1 of column k; their r sum to `twice`, and r1 is that
 * of the second. Their values are r times u0, and u1. few: they are in no
 * bucket. */
VS_INLINE void
look_two(const struct row *x, const int ab, int32_t twice, int32_t r1, float u0,
	float u1, int32_t few, size_t k, struct vs_value_histogram_look *look,
	int32_t *doubt, int32_t *may, struct ends *ends)
{
	const int high = (ab & 1) + (ab >> 1);
	const int32_t r0 = twice - r1;
	const float u = x->u[ab];
	const float v0 = (float)r0 * u * u0, v1 = (float)r1 * u * u1;
	const uint32_t low =
		vs_value_histogram_near(v0, !r0, x->n_bucket, doubt);
	const uint32_t top =
		vs_value_histogram_near(v1, !r1, x->n_bucket, doubt);

	if (ab == 0) {
		ends->low = v0;
		ends->r_low = r0;
	}
	if (ab == 3) {
		ends->high = v1;
		ends->r_high = r1;
	}

	*may |= (low >= x->least[high]) | (top >= x->least[high + 1]);
	look->at[2 * ab][k] = x->class[high] + (few ? x->n_bucket : low);
	look->at[2 * ab + 1][k] =
		x->class[high + 1] + (few ? x->n_bucket : top);
}

/* The sum of column k. */
VS_INLINE void
look_sum(const struct row *x, const struct ends *e, int32_t few, size_t k,
	struct vs_value_histogram_look *look, int32_t *doubt)
{
	int32_t apart = 0;
	uint32_t at = vs_value_histogram_near_sum(e->low, e->r_low, e->high,
		e->r_high, x->n_bucket, doubt, &apart);

	look->at[8][k] = x->sums + (few ? x->n_bucket : at);
	look->apart[k] = few ? 0 : apart;
	look->few[k] = few;
}

/*
 * The value of a cell in buckets is r times u[], u_w and 1 / n, n being the
 * fields that all three have: with r's own, at most nine roundings of 2^-24.
 * complete  no call is missing: n is in u[]
 */
VS_INLINE void
look_of(const struct row *row, size_t lo, size_t n,
	struct vs_value_histogram_look *look, int32_t *may, const int complete)
{
	const struct row x = *row;
	const int32_t *const *g = x.of.g;
	const int32_t *w = g[1] + lo, *vw = g[3] + lo;
	const int32_t *uw = g[5] + lo, *uvw = g[7] + lo;
	const float *e0 = x.of.e[0] + lo, *e1 = x.of.e[1] + lo;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		const int32_t c = complete ? x.of.same[0] : g[0][lo + k];
		const int32_t v = complete ? x.of.same[2] : g[2][lo + k];
		const int32_t u = complete ? x.of.same[4] : g[4][lo + k];
		const int32_t uv = complete ? x.of.same[6] : g[6][lo + k];
		const float share = complete ? 1 : 1 / (float)(c + !c);
		const float u0 = share / e0[k], u1 = share / e1[k];
		/* by ab, for label 1 and for both together */
		const int32_t one[4] = { 4 * w[k] - 2 * (vw[k] + uw[k]) +
				uvw[k],
			2 * vw[k] - uvw[k], 2 * uw[k] - uvw[k], uvw[k] };
		const int32_t two[4] = { 4 * c - 2 * (v + u) + uv, 2 * v - uv,
			2 * u - uv, uv };
		const int32_t few = !complete & (c < x.joint);
		int32_t doubt = 0, some = 0;
		struct ends ends = { 0, 0, 0, 0 };

#pragma GCC unroll 4
		for (int ab = 0; ab < 4; ab++)
			look_two(&x, ab, 2 * two[ab], one[ab], u0, u1, few, k,
				look, &doubt, &some, &ends);
		look_sum(&x, &ends, few, k, look, &doubt);
		look->doubt[k] = few ? 0 : doubt;
		if (!complete)
			may[lo + k] = few ? 0 : some;
	}
}

VS_INLINE void
look_at_any(const struct row *x, size_t lo, size_t n,
	struct vs_value_histogram_look *look, int32_t *may)
{
	if (x->of.g[0])
		look_of(x, lo, n, look, may, 0);
	else
		look_of(x, lo, n, look, may, 1);
}

VS_BY_CPU(void, look_at, (x, lo, n, look, may), const struct row *x, size_t lo,
	size_t n, struct vs_value_histogram_look *look, int32_t *may)

/* The cells of the mask, by the recipe, and, for its bit 8, their sum. */
static void
settle(struct vs_value_histogram *b, const struct vs_triple_data *t,
	const size_t v[3], const int32_t r[8], int32_t n, unsigned mask)
{
	const struct vs_recipe *m = &t->q.alleles->recipe;
	int64_t c[3], factor[3][2];
	double value[8];
	/* the sum needs the first and the last */
	const unsigned info = mask | (mask >> 8 & 1) * 0x81;

	for (int x = 0; x < 3; x++) {
		c[x] = t->all.present[v[x]];
		for (int label = 0; label < 2; label++)
			factor[x][label] = vs_recipe_factor(m, t->all.sum[v[x]],
				c[x], label);
	}
	for (int cell = 0; cell < 8; cell++) {
		const int64_t f[3] = { factor[0][cell >> 2],
			factor[1][cell >> 1 & 1], factor[2][cell & 1] };

		if (!(info >> cell & 1))
			continue;
		value[cell] = vs_recipe_value3(m, r[cell], f, c, n);
		if (mask >> cell & 1)
			vs_value_histogram_value(b,
				__builtin_popcount((unsigned)cell),
				value[cell]);
	}
	if (mask >> 8 & 1)
		vs_value_histogram_sum(b, value[0], value[7]);
}

VS_INLINE int64_t
total_any(const int32_t *g, size_t n)
{
	int64_t sum = 0;

#pragma omp simd reduction(+ : sum)
	for (size_t k = 0; k < n; k++)
		sum += g[k];
	return sum;
}

VS_BY_CPU(int64_t, total, (g, n), const int32_t *g, size_t n)

/* Add the counts of columns [lo, lo + n) to the sums of all. */
static void
add_sums(struct vs_value_histogram *b, enum vs_cpu cpu,
	const struct vs_triple_histogram *of, size_t lo, size_t n)
{
	int64_t r[8];

	for (int s = 0; s < 8; s++)
		r[s] = of->g[s] ? total(cpu, of->g[s] + lo, n)
				: (int64_t)n * of->same[s];
	for (int bit = 1; bit < 8; bit *= 2)
		for (int s = 0; s < 8; s++)
			if (!(s & bit))
				r[s] = 2 * r[s] - r[s + bit];
	for (int s = 0; s < 8; s++)
		b->sum[__builtin_popcount((unsigned)s)] += (uint64_t)r[s];
}

/* Decide the cells in doubt of the triple of column lo + k. */
static void
settle_doubt(struct vs_value_histogram *b, const struct vs_triple_data *t,
	const struct row *x, size_t lo, size_t k,
	const struct vs_value_histogram_look *look)
{
	const struct vs_triple_histogram *o = &x->of;
	const size_t v[3] = { o->u, o->v, o->w + lo + k };
	unsigned mask = 0;
	int32_t g[8], r[8];

	for (int c = 0; c < 8; c++) {
		int class = __builtin_popcount((unsigned)c);

		mask |= (unsigned)(look->at[c][k] ==
				x->class[class] + x->n_bucket)
			<< c;
		g[c] = o->g[c] ? o->g[c][lo + k] : o->same[c];
	}
	mask |= (unsigned)(!look->apart[k] &&
			look->at[8][k] == x->sums + x->n_bucket)
		<< 8;
	vs_triple_data_eight(g, r);
	settle(b, t, v, r, g[0], mask);
}

static struct row
row_of(const struct vs_value_histogram *b, const struct vs_triple_data *t,
	const struct vs_triple_histogram *of)
{
	const struct vs_alleles *m = t->q.alleles;
	const struct vs_panel *a = &t->all;
	const double n = of->g[0] ? 1 : (double)t->q.n_field;
	struct row x = { .of = *of,
		.joint = (int32_t)t->q.min_joint,
		.n_bucket = (uint32_t)b->n_bucket,
		.sums = (uint32_t)vs_value_histogram_class(b, b->n_class) };

	for (int c = 0; c < 4; c++) {
		double uu = vs_alleles_u(m, a->sum[of->u], a->present[of->u],
			c >> 1);
		double uv = vs_alleles_u(m, a->sum[of->v], a->present[of->v],
			c & 1);

		x.class[c] = (uint32_t)vs_value_histogram_class(b, c);
		x.least[c] = vs_value_histogram_least(b,
			vs_query_threshold(&t->q, 3, c));
		x.u[c] = n > 0 ? (float)(VS_VALUE_HISTOGRAM_A_UNIT / m->scale3 /
					 n * uu * uv)
			       : 0;
	}
	return x;
}

bool
vs_triple_histogram(struct vs_value_histogram *b,
	const struct vs_triple_data *t, const struct vs_triple_histogram *of,
	size_t lo, size_t hi, int32_t *may)
{
	const struct row x = row_of(b, t, of);
	struct vs_value_histogram_look look;
	bool some = false;

	if (lo >= hi)
		return false;
	vs_value_histogram_room(b, 8 * (hi - lo));
	add_sums(b, t->q.cpu, of, lo, hi - lo);
	for (; lo < hi; lo += LANES) {
		const size_t n = hi - lo < LANES ? hi - lo : LANES;
		bool doubt;

		look_at(t->q.cpu, &x, lo, n, &look, may);
		if (vs_query_without(&t->q, VS_WITHOUT_TRIPLE_HISTOGRAM))
			vs_value_histogram_doubt(b, &look, 8, n);
		vs_value_histogram_count(b, &look, 8, 0, n);
		some |= of->g[0] && vs_value_histogram_any(may + lo, n);
		doubt = vs_value_histogram_any(look.doubt, n);
		for (size_t k = 0; doubt && k < n; k++)
			if (look.doubt[k])
				settle_doubt(b, t, &x, lo, k, &look);
	}
	return some;
}
