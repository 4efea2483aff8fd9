/* SPDX-License-Identifier: BSD-3-Clause */
/* Haploid fields of diploid genotype vectors. */
#include "libcore/bits/haploid.h"

static size_t
words_of(const struct vs_vec *b)
{
	return (b->n_field + 63) / 64;
}

void
vs_haploid_count(const struct vs_vec *b, size_t v, const uint64_t *mask,
	int64_t count[4])
{
	const uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);

	for (int g = 0; g < 4; g++)
		count[g] = 0;
	for (size_t w = 0; w < words_of(b); w++) {
		uint64_t m = mask[w], x = p0[w] & m, y = p1[w] & m;

		count[0] += __builtin_popcountll(m & ~x & ~y);
		count[1] += __builtin_popcountll(~x & y);
		count[2] += __builtin_popcountll(x & y);
		count[3] += __builtin_popcountll(x & ~y);
	}
}

int64_t
vs_haploid_drop_het(struct vs_vec *b, size_t v, const uint64_t *mask)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);
	int64_t n = 0;

	for (size_t w = 0; w < words_of(b); w++) {
		uint64_t het = mask[w] & ~p0[w] & p1[w];

		p0[w] |= het;
		p1[w] &= ~het;
		n += __builtin_popcountll(het);
	}
	return n;
}

int64_t
vs_haploid_drop_others(struct vs_vec *b, size_t v, const uint64_t *mask)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);
	const size_t n_word = words_of(b), tail = b->n_field % 64;
	int64_t n = 0;

	for (size_t w = 0; w < n_word; w++) {
		uint64_t in = w + 1 < n_word || !tail ? ~0ull
						      : (1ull << tail) - 1,
			 other = in & ~mask[w];

		n += __builtin_popcountll(other & ~(p0[w] & ~p1[w]));
		p0[w] |= other;
		p1[w] &= ~other;
	}
	return n;
}

void
vs_haploid_halve(struct vs_vec *b, size_t v, const uint64_t *mask)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);

	for (size_t w = 0; w < words_of(b); w++)
		p0[w] &= ~(mask[w] & p1[w]);
}

void
vs_haploid_double(struct vs_vec *b, size_t v, const uint64_t *mask)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);

	for (size_t w = 0; w < words_of(b); w++)
		p0[w] |= mask[w] & p1[w];
}
