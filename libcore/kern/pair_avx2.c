/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs by 256-bit words. Bits are counted in nibbles by a table look-up
 * within a register (Mula's method); byte counters are widened before they
 * can overflow: a step adds at most 8 to a byte, so 31 steps fit.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "libcore/kern/by_row.h"

#define AVX2 __attribute__((target("avx2,popcnt")))
#define INLINE \
	static inline __attribute__((always_inline, target("avx2,popcnt")))
#define STEPS 31

INLINE __m256i
count_bytes(__m256i v)
{
	const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2,
		3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
	const __m256i low = _mm256_set1_epi8(15);
	__m256i a = _mm256_shuffle_epi8(table, _mm256_and_si256(v, low));
	__m256i b = _mm256_shuffle_epi8(table,
		_mm256_and_si256(_mm256_srli_epi16(v, 4), low));

	return _mm256_add_epi8(a, b);
}

INLINE __m256i
widen(__m256i bytes)
{
	return _mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

INLINE int32_t
total(__m256i v)
{
	__m128i x = _mm_add_epi64(_mm256_castsi256_si128(v),
		_mm256_extracti128_si256(v, 1));

	return (int32_t)(_mm_cvtsi128_si64(x) + _mm_extract_epi64(x, 1));
}

INLINE __m256i
load(const uint64_t *p)
{
	return _mm256_load_si256((const __m256i *)p);
}

/* 2 rows x 2 columns; used words are a multiple of 4, zeros past the end. */
INLINE void
dense_2x2(const uint64_t *const h[4], const uint64_t *const p[4], size_t used,
	int32_t xx[4])
{
	__m256i u[4], t[4];

	for (int k = 0; k < 4; k++)
		u[k] = t[k] = _mm256_setzero_si256();
	for (size_t w = 0; w < used;) {
		size_t end = w + 4 * STEPS < used ? w + 4 * STEPS : used;
		__m256i bu[4], bt[4];

		for (int k = 0; k < 4; k++)
			bu[k] = bt[k] = _mm256_setzero_si256();
		for (; w < end; w += 4)
			for (int k = 0; k < 4; k++) {
				int i = k / 2, j = 2 + k % 2;
				__m256i both = _mm256_and_si256(load(h[i] + w),
					load(h[j] + w));
				__m256i odd = _mm256_and_si256(both,
					_mm256_xor_si256(load(p[i] + w),
						load(p[j] + w)));

				bu[k] = _mm256_add_epi8(bu[k],
					count_bytes(both));
				bt[k] = _mm256_add_epi8(bt[k],
					count_bytes(odd));
			}
		for (int k = 0; k < 4; k++) {
			u[k] = _mm256_add_epi64(u[k], widen(bu[k]));
			t[k] = _mm256_add_epi64(t[k], widen(bt[k]));
		}
	}
	for (int k = 0; k < 4; k++)
		xx[k] = total(u[k]) - 2 * total(t[k]);
}

AVX2 static void
dense(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *rows, int32_t *out,
	size_t ld)
{
	size_t n_word = a->vec.n_word;
	size_t used = (a->vec.n_field + 255) / 256 * 4;
	const int32_t *si = by_row_sums(rows), *sj = by_row_sums(cols);
	int32_t n = (int32_t)a->vec.n_field;

	by_row_take_dense(a, row, n_row, label, rows);
	/* an odd last row or column meets the padding */
	for (size_t r = 0; r < n_row; r += 2)
		for (size_t c = col; c < n_col; c += 2) {
			const uint64_t *h[4], *p[4];
			int32_t xx[4];

			for (size_t k = 0; k < 2; k++) {
				h[k] = by_row_plane(rows, n_row, r + k, 0,
					n_word);
				p[k] = by_row_plane(rows, n_row, r + k, 1,
					n_word);
				h[2 + k] = by_row_plane(cols, n_col, c + k, 0,
					n_word);
				p[2 + k] = by_row_plane(cols, n_col, c + k, 1,
					n_word);
			}
			dense_2x2(h, p, used, xx);
			for (size_t k = 0; k < 4; k++) {
				size_t i = r + k / 2, j = c + k % 2;

				if (i < n_row)
					out[i * ld + j] =
						xx[k] + si[i] + sj[j] - n;
			}
		}
}

/* The seven counts behind the four sums of one pair. */
enum { U, T, SM, HM, MS, MH, MM, N_COUNT };

INLINE void
sparse_words(const uint64_t *hi, const uint64_t *pi, const uint64_t *hj,
	const uint64_t *pj, size_t used, int32_t n[N_COUNT])
{
	__m256i sum[N_COUNT];

	for (int k = 0; k < N_COUNT; k++)
		sum[k] = _mm256_setzero_si256();
	for (size_t w = 0; w < used;) {
		size_t end = w + 4 * STEPS < used ? w + 4 * STEPS : used;
		__m256i bytes[N_COUNT];

		for (int k = 0; k < N_COUNT; k++)
			bytes[k] = _mm256_setzero_si256();
		for (; w < end; w += 4) {
			__m256i h = load(hi + w), p = load(pi + w);
			__m256i g = load(hj + w), q = load(pj + w);
			__m256i m = _mm256_andnot_si256(h, p);
			__m256i l = _mm256_andnot_si256(g, q);
			__m256i word[N_COUNT];

			word[U] = _mm256_and_si256(h, g);
			word[T] = _mm256_and_si256(word[U],
				_mm256_xor_si256(p, q));
			word[HM] = _mm256_and_si256(h, l);
			word[SM] = _mm256_and_si256(word[HM], p);
			word[MH] = _mm256_and_si256(m, g);
			word[MS] = _mm256_and_si256(word[MH], q);
			word[MM] = _mm256_and_si256(m, l);
			for (int k = 0; k < N_COUNT; k++)
				bytes[k] = _mm256_add_epi8(bytes[k],
					count_bytes(word[k]));
		}
		for (int k = 0; k < N_COUNT; k++)
			sum[k] = _mm256_add_epi64(sum[k], widen(bytes[k]));
	}
	for (int k = 0; k < N_COUNT; k++)
		n[k] = total(sum[k]);
}

INLINE void
sparse_pair(const uint64_t *hi, const uint64_t *pi, const uint64_t *hj,
	const uint64_t *pj, size_t used, int32_t sum[4])
{
	int32_t n[N_COUNT];

	sparse_words(hi, pi, hj, pj, used, n);
	sum[0] = n[U] - 2 * n[T];
	sum[1] = 2 * n[SM] - n[HM];
	sum[2] = 2 * n[MS] - n[MH];
	sum[3] = n[MM];
}

AVX2 static void
sparse(const struct vs_panel *a, size_t row, size_t n_row, const void *cols,
	size_t col, size_t n_col, const struct vs_tally *out)
{
	size_t n_word = a->vec.n_word;
	size_t used = (a->vec.n_field + 255) / 256 * 4;

	for (size_t r = 0; r < n_row; r++)
		for (size_t c = col; c < n_col; c++) {
			size_t at = r * out->ld + c;
			int32_t sum[4];

			sparse_pair(vs_vec_plane(&a->vec, row + r, 0),
				vs_vec_plane(&a->vec, row + r, 1),
				by_row_plane(cols, n_col, c, 0, n_word),
				by_row_plane(cols, n_col, c, 1, n_word), used,
				sum);
			out->xx[at] = sum[0];
			out->xm[at] = sum[1];
			out->mx[at] = sum[2];
			out->mm[at] = sum[3];
		}
}

AVX2 static void
pair(const struct vs_panel *a, size_t i, const struct vs_panel *b, size_t j,
	int32_t sum[4])
{
	sparse_pair(vs_vec_plane(&a->vec, i, 0), vs_vec_plane(&a->vec, i, 1),
		vs_vec_plane(&b->vec, j, 0), vs_vec_plane(&b->vec, j, 1),
		(a->vec.n_field + 255) / 256 * 4, sum);
}

extern const struct vs_dense vs_dense_avx2;
const struct vs_dense vs_dense_avx2 = { "avx2", VS_CPU_AVX2, VS_COLS,
	by_row_room, by_row_take_dense, by_row_room, dense };
extern const struct vs_sparse vs_sparse_avx2;
const struct vs_sparse vs_sparse_avx2 = { "avx2", VS_CPU_AVX2, by_row_room,
	by_row_take_sparse, sparse, pair };
#endif
