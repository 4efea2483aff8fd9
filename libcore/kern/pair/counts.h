/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Template of population-count pair kernels, which run along the fields. The
 * including file defines
 *
 *   KERNEL      the kernel's name, KERNEL_CPU its level, KERNEL_TARGET
 *
 * and, unless it counts 64 bits at a time,
 *
 *   word        unit of fields; & ^ ~ work on it
 *   part        counts of a word's bits, in one number or in several
 *   STEPS       number of parts that add up without overflow
 *   bits_of()   word -> part
 *   total()     part -> int32_t, the sum of its numbers
 */
#ifndef VS_KERN_PAIR_COUNTS_H
#define VS_KERN_PAIR_COUNTS_H

#include "libcore/base/inline.h"
#include "libcore/kern/pair/by_row.h"

#ifndef KERNEL
#define KERNEL scalar
#define KERNEL_CPU VS_CPU_SCALAR
#define KERNEL_TARGET
#endif

#define FN KERNEL_TARGET static
#define INLINE KERNEL_TARGET VS_INLINE

#ifndef STEPS
#define STEPS (1 << 24)
typedef uint64_t word;
typedef int32_t part;

INLINE part
bits_of(word w)
{
	return (part)__builtin_popcountll(w);
}

INLINE int32_t
total(part n)
{
	return n;
}
#endif

/* Words that hold the fields; a plane has room for the last one. */
static inline size_t
words(const struct vs_panel *a)
{
	return (a->vec.n_field + 8 * sizeof(word) - 1) / (8 * sizeof(word));
}

/* 2 rows x 2 columns at once, so that each loaded word is used twice. */
INLINE void
dense_2x2(const word *const h[4], const word *const s[4], size_t n_word,
	int32_t xx[4])
{
	for (int k = 0; k < 4; k++)
		xx[k] = 0;
	for (size_t w = 0; w < n_word;) {
		size_t end = n_word - w < STEPS ? n_word : w + STEPS;
		part u[4] = { 0 }, t[4] = { 0 };

		for (; w < end; w++)
			for (int k = 0; k < 4; k++) {
				int i = k / 2, j = 2 + k % 2;
				word both = h[i][w] & h[j][w];

				u[k] += bits_of(both);
				t[k] += bits_of(both & (s[i][w] ^ s[j][w]));
			}
		for (int k = 0; k < 4; k++)
			xx[k] += total(u[k]) - 2 * total(t[k]);
	}
}

INLINE const word *
plane(const void *rows, size_t v, int which, size_t n_word)
{
	return (const word *)by_row_plane(rows, v, which, n_word);
}

FN void
dense(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *rows, int32_t *p,
	size_t ld)
{
	size_t n_word = a->vec.n_word;
	const int32_t *si = by_row_sums(rows), *sj = by_row_sums(cols);
	int32_t n = (int32_t)a->vec.n_field;

	by_row_take_dense(a, row, n_row, label, rows);
	/* an odd last row or column is paired with the padding */
	for (size_t r = 0; r < n_row; r += 2)
		for (size_t c = col; c < n_col; c += 2) {
			const word *h[4], *s[4];
			int32_t xx[4];

			for (size_t k = 0; k < 2; k++) {
				h[k] = plane(rows, r + k, 0, n_word);
				s[k] = plane(rows, r + k, 1, n_word);
				h[2 + k] = plane(cols, c + k, 0, n_word);
				s[2 + k] = plane(cols, c + k, 1, n_word);
			}
			dense_2x2(h, s, words(a), xx);
			for (size_t k = 0; k < 4; k++) {
				size_t i = r + k / 2, j = c + k % 2;

				if (i < n_row)
					p[i * ld + j] =
						xx[k] + si[i] + sj[j] - n;
			}
		}
}

/* Seven counts from which the four sums of a pair follow. */
enum { U, T, SM, HM, MS, MH, MM, N_COUNT };

INLINE void
sparse_pair(const word *hi, const word *pi, const word *hj, const word *pj,
	size_t n_word, int32_t sum[4])
{
	int32_t n[N_COUNT] = { 0 };

	for (size_t w = 0; w < n_word;) {
		size_t end = n_word - w < STEPS ? n_word : w + STEPS;
		part in[N_COUNT] = { 0 };

		for (; w < end; w++) {
			word u = hi[w] & hj[w];
			word mi = pi[w] & ~hi[w], mj = pj[w] & ~hj[w];
			word hm = hi[w] & mj, mh = mi & hj[w];

			in[U] += bits_of(u);
			in[T] += bits_of(u & (pi[w] ^ pj[w]));
			in[HM] += bits_of(hm);
			in[SM] += bits_of(hm & pi[w]);
			in[MH] += bits_of(mh);
			in[MS] += bits_of(mh & pj[w]);
			in[MM] += bits_of(mi & mj);
		}
		for (int k = 0; k < N_COUNT; k++)
			n[k] += total(in[k]);
	}
	sum[0] = n[U] - 2 * n[T];
	sum[1] = 2 * n[SM] - n[HM];
	sum[2] = 2 * n[MS] - n[MH];
	sum[3] = n[MM];
}

INLINE const word *
own(const struct vs_panel *a, size_t v, int which)
{
	return (const word *)vs_vec_plane(&a->vec, v, which);
}

FN void
pair(const struct vs_panel *a, size_t i, const struct vs_panel *b, size_t j,
	int32_t sum[4])
{
	sparse_pair(own(a, i, 0), own(a, i, 1), own(b, j, 0), own(b, j, 1),
		words(a), sum);
}

FN int32_t
part_of(const struct vs_panel *a, size_t i, const struct vs_panel *b, size_t j,
	size_t from)
{
	const word *hi = own(a, i, 0), *pi = own(a, i, 1);
	const word *hj = own(b, j, 0), *pj = own(b, j, 1);
	size_t w = from / (8 * sizeof(word)), n_word = words(a);
	int32_t sum = 0;

	while (w < n_word) {
		size_t end = n_word - w < STEPS ? n_word : w + STEPS;
		part u = { 0 }, t = { 0 };

		for (; w < end; w++) {
			word both = hi[w] & hj[w];

			u += bits_of(both);
			t += bits_of(both & (pi[w] ^ pj[w]));
		}
		sum += total(u) - 2 * total(t);
	}
	return sum;
}

#define STRUCTS(name) STRUCTS_(name)
#define STRUCTS_(name)                                                        \
	extern const struct vs_dense vs_dense_##name;                         \
	const struct vs_dense vs_dense_##name = { #name, KERNEL_CPU, VS_COLS, \
		by_row_room, by_row_take_dense, by_row_room, dense, false,    \
		NULL };                                                       \
	extern const struct vs_sparse vs_sparse_##name;                       \
	const struct vs_sparse vs_sparse_##name = { #name, KERNEL_CPU, pair,  \
		part_of };
STRUCTS(KERNEL)

#endif
