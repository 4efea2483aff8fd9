/* SPDX-License-Identifier: BSD-3-Clause */
/* Look-up of the counts of contingency tables, by gathers where they are fast.
 */
#include "libcore/kern/tables/table_sums.h"

#define LANES VS_TABLE_SUMS_LANES

/* Tables one after the other: gathers of AVX2 are no faster than loads. */
static void
count_plain(const struct vs_table_sums *t, size_t n)
{
	for (size_t c = 0; c < n; c++) {
		int64_t sum = 0;

		for (size_t x = 0; x < (size_t)t->n_cell; x++) {
			const int32_t a = t->count[0][x * t->ld + c];
			const int32_t b = t->count[1][x * t->ld + c];

			sum += t->one[a] + t->one[b] - t->both[a + b];
		}
		t->sum[c] = sum;
	}
}

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512vl")))

AVX512 static void
count_avx512(const struct vs_table_sums *t, size_t n)
{
	for (size_t c = 0; c < n; c += 2 * LANES) {
		/* two chains of additions; the last may be the first again */
		const size_t d = c + LANES < n ? c + LANES : c;
		__m512i s = _mm512_setzero_si512(), r = s;

		for (size_t x = 0; x < (size_t)t->n_cell; x++) {
			const int32_t *class0 = t->count[0] + x * t->ld;
			const int32_t *class1 = t->count[1] + x * t->ld;
			const __m256i a =
				_mm256_loadu_si256((const void *)(class0 + c));
			const __m256i b =
				_mm256_loadu_si256((const void *)(class1 + c));
			const __m256i e =
				_mm256_loadu_si256((const void *)(class0 + d));
			const __m256i f =
				_mm256_loadu_si256((const void *)(class1 + d));

			s = _mm512_add_epi64(s,
				_mm512_i32gather_epi64(a, t->one, 8));
			r = _mm512_add_epi64(r,
				_mm512_i32gather_epi64(e, t->one, 8));
			s = _mm512_add_epi64(s,
				_mm512_i32gather_epi64(b, t->one, 8));
			r = _mm512_add_epi64(r,
				_mm512_i32gather_epi64(f, t->one, 8));
			s = _mm512_sub_epi64(s,
				_mm512_i32gather_epi64(_mm256_add_epi32(a, b),
					t->both, 8));
			r = _mm512_sub_epi64(r,
				_mm512_i32gather_epi64(_mm256_add_epi32(e, f),
					t->both, 8));
		}
		_mm512_storeu_si512(t->sum + c, s);
		_mm512_storeu_si512(t->sum + d, r);
	}
}
#endif

void
vs_table_sums_count(enum vs_cpu cpu, const struct vs_table_sums *t, size_t n)
{
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512) {
		count_avx512(t, n);
		return;
	}
#endif
	(void)cpu;
	count_plain(t, n);
}
