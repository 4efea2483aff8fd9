/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Row-major layout of vectors, for the pair kernels that run along the fields.
 * Dense counting takes x = g - 1 with a missing call as genotype 0, so in the
 * planes H = h | p (x is not 0) and S = h & p (x is 1; h & ~p for the other
 * label); then sum x x' = |u| - 2 |u & (S ^ S')|, u = H & H', over all n
 * fields, and sum g g' = sum x x' + s + s' - n.
 */
#ifndef VS_KERN_PAIR_BY_ROW_H
#define VS_KERN_PAIR_BY_ROW_H

#include <string.h>

#include "libcore/kern/kernels.h"

static inline size_t
by_row_padded(size_t n_col)
{
	return (n_col + VS_COLS - 1) / VS_COLS * VS_COLS;
}

/*
 * Header: the number of vectors taken, padded, because a call may use fewer of
 * them. Then a sum of each, and the kernel's own data.
 */
#define BY_ROW_HEAD 64

static inline int32_t *
by_row_sums(const void *rows)
{
	return (int32_t *)((char *)rows + BY_ROW_HEAD);
}

static inline void *
by_row_body(const void *rows)
{
	return by_row_sums(rows) + *(const size_t *)rows;
}

/* Start a block of n vectors: sums are 0. */
static inline void
by_row_begin(void *rows, size_t n)
{
	*(size_t *)rows = by_row_padded(n);
	memset(by_row_sums(rows), 0, by_row_padded(n) * sizeof(int32_t));
}

/* Bytes of n vectors: a sum each, then two planes each. */
static size_t
by_row_room(size_t n, size_t n_field)
{
	return BY_ROW_HEAD +
		by_row_padded(n) *
		(sizeof(int32_t) + 16 * vs_vec_words(n_field));
}

/* Plane 0 or 1 of vector v. */
static inline uint64_t *
by_row_plane(const void *rows, size_t v, int plane, size_t n_word)
{
	return (uint64_t *)by_row_body(rows) + (2 * v + (size_t)plane) * n_word;
}

/*
 * Convert vectors [lo, lo + n) of b to H and S; the padding vectors are empty.
 */
static inline void
by_row_take_dense(const struct vs_panel *b, size_t lo, size_t n, int label,
	void *rows)
{
	size_t n_word = b->vec.n_word;
	uint64_t turn = label ? 0 : ~0ull;

	by_row_begin(rows, n);
	for (size_t v = 0; v < n; v++) {
		const uint64_t *h = vs_vec_plane(&b->vec, lo + v, 0);
		const uint64_t *p = vs_vec_plane(&b->vec, lo + v, 1);
		uint64_t *big = by_row_plane(rows, v, 0, n_word);
		uint64_t *sign = by_row_plane(rows, v, 1, n_word);

		by_row_sums(rows)[v] = vs_panel_sum(b, lo + v, label);
		for (size_t w = 0; w < n_word; w++) {
			big[w] = h[w] | p[w];
			sign[w] = h[w] & (p[w] ^ turn);
		}
	}
	memset(by_row_plane(rows, n, 0, n_word), 0,
		(by_row_padded(n) - n) * 16 * n_word);
}

#endif
