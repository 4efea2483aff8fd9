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
/* Intrinsics: the compiler turns lanes into a mask only via memory. */
#define NAME(name) name##_avx2
#define TARGET __attribute__((target("avx2,popcnt")))
#define LANES 8
#define FLOATS __m256
#define LOAD _mm256_loadu_ps
#define LOAD_INTS(p) _mm256_loadu_si256((const __m256i *)(p))
#define CONVERT _mm256_cvtepi32_ps
#define ALL _mm256_set1_ps
#define ADD _mm256_add_ps
#define SUB _mm256_sub_ps
#define MULTIPLY_ADD(a, b, c) _mm256_add_ps(_mm256_mul_ps(a, b), c)
#define ABOVE(a, b) \
	(uint32_t) _mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ))
#include "libcore/kern/screen/screen_lanes.h"

#define NAME(name) name##_avx512
#define TARGET __attribute__((target("avx512f,popcnt")))
#define LANES 16
#define FLOATS __m512
#define LOAD _mm512_loadu_ps
#define LOAD_INTS _mm512_loadu_si512
#define CONVERT _mm512_cvtepi32_ps
#define ALL _mm512_set1_ps
#define ADD _mm512_add_ps
#define SUB _mm512_sub_ps
#define MULTIPLY_ADD _mm512_fmadd_ps
#define ABOVE(a, b) _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ)
#include "libcore/kern/screen/screen_lanes.h"
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

uint64_t
vs_screen_signs(enum vs_cpu cpu, const float x[VS_SCREEN_COLS])
{
	uint64_t bits = 0;

#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512)
		return signs_avx512(x);
	if (cpu >= VS_CPU_AVX2)
		return signs_avx2(x);
#else
	(void)cpu;
#endif
	for (int k = 0; k < VS_SCREEN_COLS; k++)
		bits |= (uint64_t)(x[k] < 0) << k;
	return bits;
}

VS_INLINE size_t
count_any(const uint64_t *hit, size_t n_word, size_t n_row, size_t lo,
	size_t hi)
{
	size_t n = 0;

	for (size_t r = 0; r < n_row; r++)
		for (size_t k = lo; k < hi; k++)
			n += (size_t)__builtin_popcountll(hit[r * n_word + k]);
	return n;
}

VS_BY_POPCNT(size_t, count, (hit, n_word, n_row, lo, hi), const uint64_t *hit,
	size_t n_word, size_t n_row, size_t lo, size_t hi)

size_t
vs_screen_count(enum vs_cpu cpu, const uint64_t *hit, size_t n_word,
	size_t n_row, size_t lo, size_t hi)
{
	return count(cpu, hit, n_word, n_row, lo, hi);
}
