/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Delta coding of rows for the list kernels: the base of a row is one genotype,
 * its mode, or an earlier row of the call that is nearer. A missing call counts
 * as genotype 0. The including file may define INLINE, with its target CPU, and
 * its own distance().
 */
#ifndef VS_KERN_DELTA_PLANES_H
#define VS_KERN_DELTA_PLANES_H

#include "libcore/kern/kernels.h"

#if !defined(INLINE)
#define INLINE static inline
#endif

/* Two planes of each row: g is 1 or 2, g is 2; n_word words each. */
struct planes {
	uint64_t *word;
	size_t n_field, n_word;
};

static inline uint64_t *
plane_of(const struct planes *s, size_t r, int which)
{
	return s->word + (2 * r + (size_t)which) * s->n_word;
}

/* Sum of |g - g'| over words [lo, hi), multiples of 8, of two rows. */
#if defined(OWN_DISTANCE)
INLINE int64_t distance(const struct planes *s, size_t r, size_t q, size_t lo,
	size_t hi);
#else
INLINE int64_t
distance(const struct planes *s, size_t r, size_t q, size_t lo, size_t hi)
{
	int64_t sum = 0;

	for (int k = 0; k < 2; k++)
		for (size_t w = lo; w < hi; w++)
			sum += __builtin_popcountll(
				plane_of(s, r, k)[w] ^ plane_of(s, q, k)[w]);
	return sum;
}
#endif

/* Bits of word w that are fields. */
static inline uint64_t
fields_in(size_t n_field, size_t w)
{
	return n_field >= 64 * w + 64 ? ~0ull
		: n_field > 64 * w    ? (1ull << n_field % 64) - 1
				      : 0;
}

/* Set the planes of row r from vector v by label. */
INLINE void
take_planes(const struct vs_panel *a, size_t v, int label,
	const struct planes *s, size_t r)
{
	const uint64_t *h = vs_vec_plane(&a->vec, v, 0);
	const uint64_t *p = vs_vec_plane(&a->vec, v, 1);
	uint64_t *some = plane_of(s, r, 0), *two = plane_of(s, r, 1);
	const uint64_t turn = label ? 0 : ~0ull;

	for (size_t w = 0; w < s->n_word; w++) {
		two[w] = h[w] & (p[w] ^ turn);
		some[w] = two[w] | (~(h[w] | p[w]) & fields_in(s->n_field, w));
	}
}

/* The commonest genotype of vector v; others: number of fields with another. */
static inline int
mode_of(const struct vs_panel *a, size_t v, int label, int64_t *others)
{
	int64_t n2 = vs_panel_two(a, v, label);
	int64_t n1 = vs_panel_sum(a, v, label) - 2 * n2;
	int64_t n = (int64_t)a->vec.n_field, n0 = n - n1 - n2;
	int mode = n0 >= n1 && n0 >= n2 ? 0 : n2 >= n1 ? 2 : 1;

	*others = n - (mode == 0 ? n0 : mode == 1 ? n1 : n2);
	return mode;
}

/*
 * The nearest of the rows [lo, r), or r if none differs in clearly fewer fields
 * than `others`: a base row's sums have to be loaded.
 */
INLINE size_t
nearest_row(const struct planes *s, size_t r, size_t lo, int64_t others)
{
	int64_t least = others * 3 / 4;
	size_t nearest = r;

	for (size_t q = lo; q < r; q++) {
		int64_t d = distance(s, r, q, 0, s->n_word);

		if (d < least) {
			least = d;
			nearest = q;
		}
	}
	return nearest;
}

#endif
