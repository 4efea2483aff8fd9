/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pairs by 64-bit population counts, in plain C and once more with the
 * instruction. This is the reference that the other kernels are held to.
 */
#include "libcore/kern/by_row.h"

#define INLINE static inline __attribute__((always_inline))

INLINE int32_t
count(uint64_t w)
{
	return (int32_t)__builtin_popcountll(w);
}

/* 2 rows x 2 columns at once, so that each word loaded serves twice. */
INLINE void
dense_2x2(const uint64_t *const h[4], const uint64_t *const s[4], size_t n_word,
	int32_t xx[4])
{
	int32_t u[4] = { 0 }, t[4] = { 0 };

	for (size_t w = 0; w < n_word; w++)
		for (int k = 0; k < 4; k++) {
			int i = k / 2, j = 2 + k % 2;
			uint64_t both = h[i][w] & h[j][w];

			u[k] += count(both);
			t[k] += count(both & (s[i][w] ^ s[j][w]));
		}
	for (int k = 0; k < 4; k++)
		xx[k] = u[k] - 2 * t[k];
}

/* The number of columns as taken, n_col, tells where their planes lie. */
INLINE void
dense(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *rows, int32_t *p,
	size_t ld)
{
	size_t n_word = a->vec.n_word;
	size_t used = (a->vec.n_field + 63) / 64;
	const int32_t *si = by_row_sums(rows), *sj = by_row_sums(cols);
	int32_t n = (int32_t)a->vec.n_field;

	by_row_take_dense(a, row, n_row, label, rows);
	/* an odd last row or column meets the padding */
	for (size_t r = 0; r < n_row; r += 2)
		for (size_t c = col; c < n_col; c += 2) {
			const uint64_t *h[4], *s[4];
			int32_t xx[4];

			for (size_t k = 0; k < 2; k++) {
				h[k] = by_row_plane(rows, n_row, r + k, 0,
					n_word);
				s[k] = by_row_plane(rows, n_row, r + k, 1,
					n_word);
				h[2 + k] = by_row_plane(cols, n_col, c + k, 0,
					n_word);
				s[2 + k] = by_row_plane(cols, n_col, c + k, 1,
					n_word);
			}
			dense_2x2(h, s, used, xx);
			for (size_t k = 0; k < 4; k++) {
				size_t i = r + k / 2, j = c + k % 2;

				if (i < n_row)
					p[i * ld + j] =
						xx[k] + si[i] + sj[j] - n;
			}
		}
}

INLINE void
sparse_pair(const uint64_t *hi, const uint64_t *pi, const uint64_t *hj,
	const uint64_t *pj, size_t n_word, int32_t sum[4])
{
	int32_t xx = 0, xm = 0, mx = 0, mm = 0;

	for (size_t w = 0; w < n_word; w++) {
		uint64_t u = hi[w] & hj[w];
		uint64_t mi = pi[w] & ~hi[w], mj = pj[w] & ~hj[w];
		uint64_t si = pi[w] & hi[w], sj = pj[w] & hj[w];

		xx += count(u) - 2 * count(u & (pi[w] ^ pj[w]));
		xm += 2 * count(si & mj) - count(hi[w] & mj);
		mx += 2 * count(mi & sj) - count(mi & hj[w]);
		mm += count(mi & mj);
	}
	sum[0] = xx;
	sum[1] = xm;
	sum[2] = mx;
	sum[3] = mm;
}

INLINE void
sparse(const struct vs_panel *a, size_t row, size_t n_row, const void *cols,
	size_t col, size_t n_col, const struct vs_tally *out)
{
	size_t n_word = a->vec.n_word;
	size_t used = (a->vec.n_field + 63) / 64;

	for (size_t r = 0; r < n_row; r++)
		for (size_t c = col; c < n_col; c++) {
			int32_t sum[4];

			sparse_pair(vs_vec_plane(&a->vec, row + r, 0),
				vs_vec_plane(&a->vec, row + r, 1),
				by_row_plane(cols, n_col, c, 0, n_word),
				by_row_plane(cols, n_col, c, 1, n_word), used,
				sum);
			out->xx[r * out->ld + c] = sum[0];
			out->xm[r * out->ld + c] = sum[1];
			out->mx[r * out->ld + c] = sum[2];
			out->mm[r * out->ld + c] = sum[3];
		}
}

#define KERNEL(isa, target_, cpu_)                                             \
	target_ static void dense_##isa(const struct vs_panel *a, size_t row,  \
		size_t n_row, int label, const void *cols, size_t col,         \
		size_t n_col, void *rows, int32_t *p, size_t ld)               \
	{                                                                      \
		dense(a, row, n_row, label, cols, col, n_col, rows, p, ld);    \
	}                                                                      \
	target_ static void sparse_##isa(const struct vs_panel *a, size_t row, \
		size_t n_row, const void *cols, size_t col, size_t n_col,      \
		const struct vs_tally *out)                                    \
	{                                                                      \
		sparse(a, row, n_row, cols, col, n_col, out);                  \
	}                                                                      \
	target_ static void pair_##isa(const struct vs_panel *a, size_t i,     \
		const struct vs_panel *b, size_t j, int32_t sum[4])            \
	{                                                                      \
		sparse_pair(vs_vec_plane(&a->vec, i, 0),                       \
			vs_vec_plane(&a->vec, i, 1),                           \
			vs_vec_plane(&b->vec, j, 0),                           \
			vs_vec_plane(&b->vec, j, 1),                           \
			(a->vec.n_field + 63) / 64, sum);                      \
	}                                                                      \
	extern const struct vs_dense vs_dense_##isa;                           \
	const struct vs_dense vs_dense_##isa = { #isa, cpu_, VS_COLS,          \
		by_row_room, by_row_take_dense, by_row_room, dense_##isa };    \
	extern const struct vs_sparse vs_sparse_##isa;                         \
	const struct vs_sparse vs_sparse_##isa = { #isa, cpu_, by_row_room,    \
		by_row_take_sparse, sparse_##isa, pair_##isa };

KERNEL(scalar, , VS_CPU_SCALAR)
#if defined(__x86_64__)
KERNEL(popcnt, __attribute__((target("popcnt"))), VS_CPU_POPCNT)
#endif
