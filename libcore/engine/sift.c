/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "libcore/base/mem.h"
#include "libcore/engine/sift.h"

/*
 * Relative slack of the float test. A value r u u takes three conversions and
 * two products, the bound two, each within 2^-24: 5e-7 in all, far below.
 */
#define SLACK 1e-5
#define LANES 32

void
vs_side_fill(const struct vs_question *q, int32_t s, int32_t c,
	struct vs_side *side)
{
	side->s = s;
	side->c = c;
	for (int label = 0; label < 2; label++) {
		side->factor[label] = q->metric->factor(s, c, label);
		side->u[label] = c ? (float)side->factor[label] / (float)c : 0;
	}
}

/* The four sums r of a pair, cell 2a + b, from its product and counts. */
static inline __attribute__((always_inline)) void
cells(int w, int32_t p, int32_t si, int32_t sj, int32_t c, int32_t r[4])
{
	r[3] = p;
	r[2] = w * si - p;
	r[1] = w * sj - p;
	r[0] = w * w * c - w * (si + sj) + p;
}

/*
 * What is present in both: c fields with si and sj label-1 alleles, and
 * p = sum g_i g_j = sum (x_i + 1)(x_j + 1) over them.
 */
static inline __attribute__((always_inline)) void
joint(const struct vs_sift *t, size_t j, bool sparse, int32_t *p, int32_t *si,
	int32_t *sj, int32_t *c)
{
	int32_t n = (int32_t)t->q->n_field, mm;

	*si = t->row.s;
	*sj = t->cols->s[j];
	*c = n;
	if (sparse) {
		mm = t->mm[j];
		*c = t->row.c + t->cols->c[j] - n + mm;
		*si -= t->xm[j] + (n - t->cols->c[j]) - mm;
		*sj -= t->mx[j] + (n - t->row.c) - mm;
	}
	*p = t->xx[j] + *si + *sj - *c;
}

/*
 * May any of the LANES values from column j0 on pass? joint() and cells()
 * once more, written out so that compilers take the loop into registers.
 */
static inline __attribute__((always_inline)) int
any_may_pass(const struct vs_sift *t, size_t j0, bool sparse)
{
	const double scaled = t->q->metric->scale * t->q->threshold;
	const float bound = (float)(scaled - fabs(scaled) * SLACK);
	const float v0 = t->row.u[0], v1 = t->row.u[1];
	const float *u0 = t->cols->u0 + j0, *u1 = t->cols->u1 + j0;
	const int32_t *xx = t->xx + j0, *s = t->cols->s + j0;
	const int32_t *present = t->cols->c + j0;
	const int32_t *xm = sparse ? t->xm + j0 : xx;
	const int32_t *mx = sparse ? t->mx + j0 : xx;
	const int32_t *mm = sparse ? t->mm + j0 : xx;
	const int32_t w = t->q->metric->weight, n = (int32_t)t->q->n_field;
	const int32_t row_s = t->row.s, row_c = t->row.c;
	int32_t any = 0;

#pragma omp simd reduction(| : any)
	for (int k = 0; k < LANES; k++) {
		int32_t si = row_s, sj = s[k], c = n, p;
		float least;

		if (sparse) {
			c = row_c + present[k] - n + mm[k];
			si -= xm[k] + n - present[k] - mm[k];
			sj -= mx[k] + n - row_c - mm[k];
		}
		p = xx[k] + si + sj - c;
		least = bound * (float)c;
		any |= ((float)p * (v1 * u1[k]) >= least) |
			((float)(w * si - p) * (v1 * u0[k]) >= least) |
			((float)(w * sj - p) * (v0 * u1[k]) >= least) |
			((float)(w * w * c - w * (si + sj) + p) *
					(v0 * u0[k]) >=
				least);
	}
	return any;
}

static int
keep(const struct vs_sift *t, size_t j, const struct vs_side *col,
	const int32_t r[4], int32_t c, struct vs_found *found)
{
	const struct vs_question *q = t->q;

	for (uint32_t cell = 0; cell < 4; cell++) {
		struct vs_record *rec;
		double v;
		int code;

		if (!(q->cell_mask >> cell & 1))
			continue;
		v = q->metric->value(r[cell], t->row.factor[cell >> 1],
			t->row.c, col->factor[cell & 1], col->c, c);
		if (!(v > q->threshold))
			continue;
		code = vs_grow(&found->rec, &found->room, found->n + 1,
			sizeof(*found->rec), "records of a tile");
		if (code)
			return code;
		rec = &found->rec[found->n++];
		rec->i = t->i;
		rec->j = t->j + j;
		rec->k = VS_NO_VEC;
		rec->cell = cell;
		rec->value = q->f32 ? (double)(float)v : v;
		rec->num = r[cell];
		rec->nvalid = q->has_missing ? c : -1;
	}
	return 0;
}

static inline __attribute__((always_inline)) int
sift(const struct vs_sift *t, struct vs_found *found, bool sparse)
{
	int code = 0;

	for (size_t j0 = t->lo / LANES * LANES; j0 < t->hi; j0 += LANES) {
		size_t end = j0 + LANES < t->hi ? j0 + LANES : t->hi;

		if (!any_may_pass(t, j0, sparse))
			continue;
		for (size_t j = j0 < t->lo ? t->lo : j0; j < end; j++) {
			struct vs_side col;
			int32_t p, si, sj, c, r[4];

			vs_side_fill(t->q, t->cols->s[j], t->cols->c[j], &col);
			joint(t, j, sparse, &p, &si, &sj, &c);
			cells(t->q->metric->weight, p, si, sj, c, r);
			code = keep(t, j, &col, r, c, found);
			if (code)
				return code;
		}
	}
	return 0;
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512vl"))) static int
sift_avx512(const struct vs_sift *t, struct vs_found *found)
{
	return t->mm ? sift(t, found, true) : sift(t, found, false);
}

__attribute__((target("avx2"))) static int
sift_avx2(const struct vs_sift *t, struct vs_found *found)
{
	return t->mm ? sift(t, found, true) : sift(t, found, false);
}
#endif

int
vs_sift_row(const struct vs_sift *t, struct vs_found *found)
{
#if defined(__x86_64__)
	if (t->q->cpu >= VS_CPU_AVX512)
		return sift_avx512(t, found);
	if (t->q->cpu >= VS_CPU_AVX2)
		return sift_avx2(t, found);
#endif
	return t->mm ? sift(t, found, true) : sift(t, found, false);
}
