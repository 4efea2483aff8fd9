/* SPDX-License-Identifier: BSD-3-Clause */
/* Threshold filter of integer sums into bit masks, by AVX2 and AVX-512. */
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <string.h>

#include "libcore/kern/screen/screen.h"

VS_INLINE uint64_t
screen_block(const struct vs_screen_cols *x, const struct vs_screen_row *r,
	const int32_t *p, size_t at, bool mixed)
{
	const float *l = x->most[0] + at, *o = x->most[1] + at;
	const float *i = x->least[0] + at, *j = x->least[1] + at;
	const float *up1 = x->up[0] + at, *up2 = x->up[1] + at;
	const float *down1 = x->down[0] + at, *down2 = x->down[1] + at;
	const struct vs_screen_row row = *r;
	const bool sloped = x->sloped;
	uint8_t hit[VS_SCREEN_COLS];
	uint64_t bits = 0, eight;

#pragma omp simd
	for (int k = 0; k < VS_SCREEN_COLS; k++) {
		float most = (float)p[k], least = most;

		if (sloped) {
			most += up1[k] * row.rest[0] + up2[k] * row.rest[1];
			least +=
				down1[k] * row.rest[0] + down2[k] * row.rest[1];
		}
		hit[k] = (most + row.more[0] > l[k]) |
			(most + row.more[1] > o[k]);
		if (mixed)
			hit[k] |= (least - row.less[0] < i[k]) |
				(least - row.less[1] < j[k]);
	}
	/* bytes of 0 or 1: the product has byte k's as bit 56 + k */
	for (int k = 0; k < VS_SCREEN_COLS; k += 8) {
		memcpy(&eight, &hit[k], 8);
		bits |= (eight * 0x0102040810204080ull >> 56) << k;
	}
	return bits;
}

VS_INLINE size_t
screen(const struct vs_screen_cols *x, const struct vs_screen_row *r,
	const int32_t *p, size_t n, uint64_t *hit)
{
	size_t left = 0;

	for (size_t at = 0; at < n; at += VS_SCREEN_COLS) {
		uint64_t bits = r->mixed
			? screen_block(x, r, p + at, at, true)
			: screen_block(x, r, p + at, at, false);

		hit[at / VS_SCREEN_COLS] = bits;
		left += (size_t)__builtin_popcountll(bits);
	}
	return left;
}

#if defined(__x86_64__)
__attribute__((target("avx2,popcnt"))) static size_t
screen_avx2(const struct vs_screen_cols *x, const struct vs_screen_row *r,
	const int32_t *p, size_t n, uint64_t *hit)
{
	return screen(x, r, p, n, hit);
}

/* Intrinsics: the compiler turns lanes into a mask only via memory. */
#define AVX512 __attribute__((target("avx512f,popcnt")))
#define INLINE512 AVX512 VS_INLINE

INLINE512 __m512
slope(float *const by[2], size_t at, const __m512 rest[2], __m512 p)
{
	p = _mm512_fmadd_ps(_mm512_loadu_ps(by[0] + at), rest[0], p);
	return _mm512_fmadd_ps(_mm512_loadu_ps(by[1] + at), rest[1], p);
}

/* Bounds by column, and the row's contribution in all lanes. */
struct side {
	const float *bound;
	__m512 add;
};

struct lanes {
	const struct vs_screen_cols *x;
	struct side most[2], least[2];
	__m512 rest[2];
};

INLINE512 struct side
side(float *const bound[2], const float add[2], int k)
{
	return (struct side){ bound[k], _mm512_set1_ps(add[k]) };
}

/* 16 columns, n bounds per direction. */
INLINE512 uint64_t
screen_16(const struct lanes *r, size_t c, __m512 p, int n, bool mixed,
	bool sloped)
{
	__m512 v = sloped ? slope(r->x->up, c, r->rest, p) : p;
	uint64_t hit = 0;

	for (int k = 0; k < n; k++)
		hit |= _mm512_cmp_ps_mask(_mm512_add_ps(v, r->most[k].add),
			_mm512_loadu_ps(r->most[k].bound + c), _CMP_GT_OQ);
	if (!mixed)
		return hit;
	v = sloped ? slope(r->x->down, c, r->rest, p) : p;
	for (int k = 0; k < n; k++)
		hit |= _mm512_cmp_ps_mask(_mm512_sub_ps(v, r->least[k].add),
			_mm512_loadu_ps(r->least[k].bound + c), _CMP_LT_OQ);
	return hit;
}

INLINE512 size_t
screen_lanes(const struct vs_screen_cols *cols, const struct vs_screen_row *r,
	const int32_t *p, size_t n, uint64_t *hit, int n_side, bool mixed,
	bool sloped)
{
	const struct vs_screen_cols x = *cols;
	struct lanes row = { .x = &x };
	size_t left = 0;

	for (int k = 0; k < 2; k++) {
		row.most[k] = side(x.most, r->more, k ^ r->idle_most[0]);
		row.least[k] = side(x.least, r->less, k ^ r->idle_least[0]);
		row.rest[k] = _mm512_set1_ps(r->rest[k]);
	}
	for (size_t at = 0; at < n; at += VS_SCREEN_COLS) {
		uint64_t bits = 0;

		for (size_t c = 0; c < VS_SCREEN_COLS; c += 16) {
			__m512i sum = _mm512_loadu_si512(p + at + c);

			bits |= screen_16(&row, at + c, _mm512_cvtepi32_ps(sum),
					n_side, mixed, sloped)
				<< c;
		}
		hit[at / VS_SCREEN_COLS] = bits;
		left += (size_t)__builtin_popcountll(bits);
	}
	return left;
}

/* A loop per kind of row; most need the simplest. */
INLINE512 size_t
screen_kinds(const struct vs_screen_cols *x, const struct vs_screen_row *r,
	const int32_t *p, size_t n, uint64_t *hit, bool sloped)
{
	bool one = r->idle_most[0] || r->idle_most[1];

	if (!r->mixed)
		return one ? screen_lanes(x, r, p, n, hit, 1, false, sloped)
			   : screen_lanes(x, r, p, n, hit, 2, false, sloped);
	one &= r->idle_least[0] || r->idle_least[1];
	return one ? screen_lanes(x, r, p, n, hit, 1, true, sloped)
		   : screen_lanes(x, r, p, n, hit, 2, true, sloped);
}

AVX512 static size_t
screen_avx512(const struct vs_screen_cols *x, const struct vs_screen_row *r,
	const int32_t *p, size_t n, uint64_t *hit)
{
	return x->sloped ? screen_kinds(x, r, p, n, hit, true)
			 : screen_kinds(x, r, p, n, hit, false);
}
#endif

size_t
vs_screen_row(enum vs_cpu cpu, const struct vs_screen_cols *x,
	const struct vs_screen_row *row, const int32_t *p, size_t n,
	uint64_t *hit)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512)
		return screen_avx512(x, row, p, n, hit);
	if (cpu >= VS_CPU_AVX2)
		return screen_avx2(x, row, p, n, hit);
#else
	(void)cpu;
#endif
	return screen(x, row, p, n, hit);
}
