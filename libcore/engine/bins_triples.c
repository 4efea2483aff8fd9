/* SPDX-License-Identifier: BSD-3-Clause */
#include "libcore/engine/bins.h"
#include "libcore/engine/trio.h"

#define LANES VS_BINS_LANES
#define INLINE static inline __attribute__((always_inline))

/* What all columns need of the pair, as a struct row of bins_pairs.c does. */
struct row {
	struct vs_bins_triples of;
	int32_t n, twice[4]; /* twice the sums of the pair, by 2a + b */
	float u[4];          /* 1000 u_u(a) u_v(b) / (scale n), by 2a + b */
	uint32_t class[4], n_bucket;
};

/* Cells 2 ab and 2 ab + 1 of column k, the latter's r. */
INLINE void
look_two(const struct row *x, const int ab, int32_t r1, float u0, float u1,
	size_t k, struct vs_bins_look *look, int32_t *doubt)
{
	const int high = (ab & 1) + (ab >> 1);
	const int32_t r0 = x->twice[ab] - r1;
	const float u = x->u[ab];

	look->at[2 * ab][k] = x->class[high] +
		vs_bins_near((float)r0 * u * u0, !r0, x->n_bucket, doubt);
	look->at[2 * ab + 1][k] = x->class[high + 1] +
		vs_bins_near((float)r1 * u * u1, !r1, x->n_bucket, doubt);
}

INLINE void
look_any(const struct row *row, size_t lo, size_t n, struct vs_bins_look *look)
{
	const struct row x = *row;
	const int32_t *p = x.of.p + lo, *s = x.of.s + lo;
	const int32_t *gu = x.of.gu + lo, *gv = x.of.gv + lo;
	const float *e0 = x.of.e[0] + lo, *e1 = x.of.e[1] + lo;

#pragma omp simd
	for (size_t k = 0; k < n; k++) {
		const float u0 = 1 / e0[k], u1 = 1 / e1[k];
		const int32_t v = 2 * gv[k], u = 2 * gu[k];
		int32_t d = 0;

		look_two(&x, 0, 4 * s[k] - u - v + p[k], u0, u1, k, look, &d);
		look_two(&x, 1, v - p[k], u0, u1, k, look, &d);
		look_two(&x, 2, u - p[k], u0, u1, k, look, &d);
		look_two(&x, 3, p[k], u0, u1, k, look, &d);
		look->doubt[k] = d;
	}
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512vl,avx512dq"))) static void
look_avx512(const struct row *x, size_t lo, size_t n, struct vs_bins_look *look)
{
	look_any(x, lo, n, look);
}

__attribute__((target("avx2"))) static void
look_avx2(const struct row *x, size_t lo, size_t n, struct vs_bins_look *look)
{
	look_any(x, lo, n, look);
}
#endif

static void
look_at(enum vs_cpu cpu, const struct row *x, size_t lo, size_t n,
	struct vs_bins_look *look)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512) {
		look_avx512(x, lo, n, look);
		return;
	}
	if (cpu >= VS_CPU_AVX2) {
		look_avx2(x, lo, n, look);
		return;
	}
#else
	(void)cpu;
#endif
	look_any(x, lo, n, look);
}

/* The cells of the mask, by the recipe. */
static void
settle(struct vs_bins *b, const struct vs_trio *t, const size_t v[3],
	const int32_t r[8], int32_t n, unsigned mask)
{
	const struct vs_recipe *m = &t->q.metric->recipe;
	int64_t c[3], factor[3][2];

	for (int x = 0; x < 3; x++) {
		c[x] = t->all.present[v[x]];
		for (int label = 0; label < 2; label++)
			factor[x][label] = vs_recipe_factor(m, t->all.sum[v[x]],
				c[x], label);
	}
	for (int cell = 0; cell < 8; cell++) {
		const int64_t f[3] = { factor[0][cell >> 2],
			factor[1][cell >> 1 & 1], factor[2][cell & 1] };

		if (mask >> cell & 1)
			vs_bins_value(b, __builtin_popcount((unsigned)cell),
				vs_recipe_value3(m, r[cell], f, c, n));
	}
}

void
vs_bins_triple(struct vs_bins *b, const struct vs_trio *t, const size_t v[3],
	const struct vs_sums *sums)
{
	int32_t r[8];

	vs_trio_eight(sums->g, r);
	for (int c = 0; c < 8; c++)
		b->sum[__builtin_popcount((unsigned)c)] += (uint64_t)r[c];
	settle(b, t, v, r, sums->g[0], 0xff);
}

/* Of columns [lo, lo + n) what the cells 2 ab + 1 sum to. */
VS_INLINE int
ones_any(const struct row *row, size_t lo, size_t n, int64_t one[4])
{
	const int32_t *p = row->of.p + lo, *s = row->of.s + lo;
	const int32_t *gu = row->of.gu + lo, *gv = row->of.gv + lo;
	int64_t all_p = 0, all_s = 0, all_u = 0, all_v = 0;

#pragma omp simd reduction(+ : all_p, all_s, all_u, all_v)
	for (size_t k = 0; k < n; k++) {
		all_p += p[k];
		all_s += s[k];
		all_u += gu[k];
		all_v += gv[k];
	}
	one[0] = 4 * all_s - 2 * (all_u + all_v) + all_p;
	one[1] = 2 * all_v - all_p;
	one[2] = 2 * all_u - all_p;
	one[3] = all_p;
	return 0;
}

VS_BY_CPU(int, ones, (row, lo, n, one), const struct row *row, size_t lo,
	size_t n, int64_t one[4])

/* What is counted of columns [lo, lo + n) adds to the sums of all. */
static void
add_sums(struct vs_bins *b, enum vs_cpu cpu, const struct row *x, size_t lo,
	size_t n)
{
	int64_t one[4];

	ones(cpu, x, lo, n, one);
	for (int ab = 0; ab < 4; ab++) {
		const int high = (ab & 1) + (ab >> 1);

		b->sum[high] += (uint64_t)((int64_t)n * x->twice[ab] - one[ab]);
		b->sum[high + 1] += (uint64_t)one[ab];
	}
}

/* Columns [lo, lo + n), as they were looked at. */
static void
count(struct vs_bins *b, const struct vs_trio *t, const struct row *x,
	size_t lo, size_t n, const struct vs_bins_look *look)
{
	int32_t doubt = 0;

	vs_bins_count(b, look, 8, 0, n);
	add_sums(b, t->q.cpu, x, lo, n);
	for (size_t k = 0; k < n; k++)
		doubt |= look->doubt[k];
	for (size_t k = 0; doubt && k < n; k++) {
		const size_t v[3] = { x->of.u, x->of.v, x->of.w + lo + k };
		unsigned mask = 0;
		const struct vs_bins_triples *o = &x->of;
		const int32_t g[8] = { x->n, o->s[lo + k], t->all.sum[o->v],
			o->gv[lo + k], t->all.sum[o->u], o->gu[lo + k], o->uv,
			o->p[lo + k] };
		int32_t r[8];

		if (!look->doubt[k])
			continue;
		for (int c = 0; c < 8; c++) {
			int class = __builtin_popcount((unsigned)c);

			mask |= (unsigned)(look->at[c][k] ==
					x->class[class] + x->n_bucket)
				<< c;
		}
		vs_trio_eight(g, r);
		settle(b, t, v, r, x->n, mask);
	}
}

void
vs_bins_triples(struct vs_bins *b, const struct vs_trio *t,
	const struct vs_bins_triples *of, size_t lo, size_t hi)
{
	const struct vs_metric *m = t->q.metric;
	const int32_t n = (int32_t)t->q.n_field;
	struct row x = { .of = *of, .n = n, .n_bucket = (uint32_t)b->n_bucket };
	struct vs_bins_look look;
	int32_t su = t->all.sum[of->u], sv = t->all.sum[of->v];
	int64_t r[4];

	vs_trio_cells(n, su, sv, of->uv, r);
	for (int c = 0; c < 4; c++) {
		double u = vs_metric_u(m, su, n, c >> 1);
		double v = vs_metric_u(m, sv, n, c & 1);

		x.twice[c] = (int32_t)(2 * r[c]);
		x.class[c] = (uint32_t)vs_bins_class(b, c);
		x.u[c] =
			n ? (float)(VS_BINS_A_UNIT / m->scale3 / n * u * v) : 0;
	}
	if (lo < hi)
		vs_bins_room(b, 8 * (hi - lo));
	for (; lo < hi; lo += LANES) {
		size_t n_col = hi - lo < LANES ? hi - lo : LANES;

		look_at(t->q.cpu, &x, lo, n_col, &look);
		count(b, t, &x, lo, n_col, &look);
	}
}
