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
dense_2x2(const uint64_t *const h[4], const uint64_t *const p[4], size_t n_word,
	int32_t xx[4])
{
	int32_t u[4] = { 0 }, t[4] = { 0 };

	for (size_t w = 0; w < n_word; w++)
		for (int k = 0; k < 4; k++) {
			int i = k / 2, j = 2 + k % 2;
			uint64_t both = h[i][w] & h[j][w];

			u[k] += count(both);
			t[k] += count(both & (p[i][w] ^ p[j][w]));
		}
	for (int k = 0; k < 4; k++)
		xx[k] = u[k] - 2 * t[k];
}

INLINE void
dense(const struct vs_panel *a, size_t row, size_t n_row, const void *cols,
	size_t col, size_t n_col, const struct vs_tally *out)
{
	size_t n_word = a->vec.n_word;
	size_t used = (a->vec.n_field + 63) / 64;

	for (size_t r = 0; r < n_row; r += 2)
		for (size_t c = col; c < n_col; c += 2) {
			/* an odd last row is counted twice */
			size_t r1 = r + 1 < n_row ? r + 1 : r;
			const uint64_t *h[4], *p[4];
			int32_t xx[4];

			h[0] = vs_vec_plane(&a->vec, row + r, 0);
			p[0] = vs_vec_plane(&a->vec, row + r, 1);
			h[1] = vs_vec_plane(&a->vec, row + r1, 0);
			p[1] = vs_vec_plane(&a->vec, row + r1, 1);
			for (int k = 0; k < 2; k++) {
				h[2 + k] = by_row_plane(cols, c + (size_t)k, 0,
					n_word);
				p[2 + k] = by_row_plane(cols, c + (size_t)k, 1,
					n_word);
			}
			dense_2x2(h, p, used, xx);
			out->xx[r * out->ld + c] = xx[0];
			out->xx[r * out->ld + c + 1] = xx[1];
			out->xx[r1 * out->ld + c] = xx[2];
			out->xx[r1 * out->ld + c + 1] = xx[3];
		}
}

INLINE void
sparse(const struct vs_panel *a, size_t row, size_t n_row, const void *cols,
	size_t col, size_t n_col, const struct vs_tally *out)
{
	size_t n_word = a->vec.n_word;
	size_t used = (a->vec.n_field + 63) / 64;

	for (size_t r = 0; r < n_row; r++)
		for (size_t c = col; c < n_col; c++) {
			const uint64_t *hi = vs_vec_plane(&a->vec, row + r, 0);
			const uint64_t *pi = vs_vec_plane(&a->vec, row + r, 1);
			const uint64_t *hj = by_row_plane(cols, c, 0, n_word);
			const uint64_t *pj = by_row_plane(cols, c, 1, n_word);
			int32_t xx = 0, xm = 0, mx = 0, mm = 0;

			for (size_t w = 0; w < used; w++) {
				uint64_t u = hi[w] & hj[w];
				uint64_t mi = pi[w] & ~hi[w];
				uint64_t mj = pj[w] & ~hj[w];
				uint64_t si = pi[w] & hi[w];
				uint64_t sj = pj[w] & hj[w];

				xx += count(u) - 2 * count(u & (pi[w] ^ pj[w]));
				xm += 2 * count(si & mj) - count(hi[w] & mj);
				mx += 2 * count(mi & sj) - count(mi & hj[w]);
				mm += count(mi & mj);
			}
			out->xx[r * out->ld + c] = xx;
			out->xm[r * out->ld + c] = xm;
			out->mx[r * out->ld + c] = mx;
			out->mm[r * out->ld + c] = mm;
		}
}

#define KERNEL(isa, target_, cpu_)                                             \
	target_ static void dense_##isa(const struct vs_panel *a, size_t row,  \
		size_t n_row, const void *cols, size_t col, size_t n_col,      \
		const struct vs_tally *out)                                    \
	{                                                                      \
		dense(a, row, n_row, cols, col, n_col, out);                   \
	}                                                                      \
	target_ static void sparse_##isa(const struct vs_panel *a, size_t row, \
		size_t n_row, const void *cols, size_t col, size_t n_col,      \
		const struct vs_tally *out)                                    \
	{                                                                      \
		sparse(a, row, n_row, cols, col, n_col, out);                  \
	}                                                                      \
	extern const struct vs_kernel vs_pair_##isa;                           \
	const struct vs_kernel vs_pair_##isa = { #isa, cpu_, by_row_room,      \
		by_row_prepare, dense_##isa, sparse_##isa };

KERNEL(scalar, , VS_CPU_SCALAR)
#if defined(__x86_64__)
KERNEL(popcnt, __attribute__((target("popcnt"))), VS_CPU_POPCNT)
#endif
