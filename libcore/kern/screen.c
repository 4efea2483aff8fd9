/* SPDX-License-Identifier: BSD-3-Clause */
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <string.h>

#include "libcore/kern/screen.h"

#define INLINE static inline __attribute__((always_inline))

INLINE uint64_t
look(const struct vs_screen_cols *x, const struct vs_screen_row *r,
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
	/* bytes of 0 or 1: in the product byte k's is bit 56 + k */
	for (int k = 0; k < VS_SCREEN_COLS; k += 8) {
		memcpy(&eight, &hit[k], 8);
		bits |= (eight * 0x0102040810204080ull >> 56) << k;
	}
	return bits;
}

INLINE size_t
screen(const struct vs_screen_cols *x, const struct vs_screen_row *r,
	const int32_t *p, size_t n, uint64_t *hit)
{
	size_t left = 0;

	for (size_t at = 0; at < n; at += VS_SCREEN_COLS) {
		uint64_t bits = r->mixed ? look(x, r, p + at, at, true)
					 : look(x, r, p + at, at, false);

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

/* The compiler has no way from lanes to a mask but by way of memory. */
#define AVX512 __attribute__((target("avx512f,popcnt")))

__attribute__((always_inline)) AVX512 static inline __m512
slope(const float *const by[2], size_t at, const __m512 rest[2], __m512 p)
{
	p = _mm512_fmadd_ps(_mm512_loadu_ps(by[0] + at), rest[0], p);
	return _mm512_fmadd_ps(_mm512_loadu_ps(by[1] + at), rest[1], p);
}

AVX512 static size_t
screen_avx512(const struct vs_screen_cols *x, const struct vs_screen_row *r,
	const int32_t *p, size_t n, uint64_t *hit)
{
	const float *const up[2] = { x->up[0], x->up[1] };
	const float *const down[2] = { x->down[0], x->down[1] };
	const __m512 rest[2] = { _mm512_set1_ps(r->rest[0]),
		_mm512_set1_ps(r->rest[1]) };
	const __m512 more[2] = { _mm512_set1_ps(r->more[0]),
		_mm512_set1_ps(r->more[1]) };
	const __m512 less[2] = { _mm512_set1_ps(r->less[0]),
		_mm512_set1_ps(r->less[1]) };
	const bool sloped = x->sloped, mixed = r->mixed;
	size_t left = 0;

	for (size_t at = 0; at < n; at += VS_SCREEN_COLS) {
		uint64_t bits = 0;

		for (size_t k = 0; k < VS_SCREEN_COLS; k += 16) {
			size_t c = at + k;
			__m512 v =
				_mm512_cvtepi32_ps(_mm512_loadu_si512(p + c));
			__m512 most = sloped ? slope(up, c, rest, v) : v;
			uint64_t lanes = _mm512_cmp_ps_mask(
				_mm512_add_ps(most, more[0]),
				_mm512_loadu_ps(x->most[0] + c), _CMP_GT_OQ);

			lanes |= _mm512_cmp_ps_mask(
				_mm512_add_ps(most, more[1]),
				_mm512_loadu_ps(x->most[1] + c), _CMP_GT_OQ);
			if (mixed) {
				v = sloped ? slope(down, c, rest, v) : v;
				lanes |= _mm512_cmp_ps_mask(
					_mm512_sub_ps(v, less[0]),
					_mm512_loadu_ps(x->least[0] + c),
					_CMP_LT_OQ);
				lanes |= _mm512_cmp_ps_mask(
					_mm512_sub_ps(v, less[1]),
					_mm512_loadu_ps(x->least[1] + c),
					_CMP_LT_OQ);
			}
			bits |= lanes << k;
		}
		hit[at / VS_SCREEN_COLS] = bits;
		left += (size_t)__builtin_popcountll(bits);
	}
	return left;
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
