/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit planes of genotype vectors, two bits per field. */
#ifndef VS_BITS_VEC_H
#define VS_BITS_VEC_H

#include <stddef.h>
#include <stdint.h>

/*
 * V vectors x F fields, two planes each, a plane W 64-bit words with W a
 * multiple of 8 (512 bits). Field q is bit q % 64 of word q / 64. Bits past F
 * are zero in both planes, and code relies on it. By g, the number of copies
 * of the allele labelled 1:
 *
 *   g        0  1  2  missing
 *   plane 0  0  0  1  1
 *   plane 1  0  1  1  0
 */
struct vs_vec {
	uint64_t *word; /* vector v, plane p: word[(2 * v + p) * stride] */
	size_t n_vec, n_field, n_word;
	size_t stride;       /* words between planes; n_word or more */
	const int32_t *pick; /* if not null, v is stored at place pick[v] */
};

/* Words of a plane in memory for F fields. */
static inline size_t
vs_vec_words(size_t n_field)
{
	return (n_field + 511) / 512 * 8;
}

static inline uint64_t *
vs_vec_plane(const struct vs_vec *b, size_t v, int p)
{
	if (b->pick)
		v = (size_t)b->pick[v];
	return b->word + (2 * v + (size_t)p) * b->stride;
}

/* Zeroed block (all genotypes 0), 64-byte aligned. 0; VS_EMACHINE */
int vs_vec_new(struct vs_vec *b, size_t n_vec, size_t n_field);
void vs_vec_free(struct vs_vec *b);

/*
 * Get one genotype 0..3 (3: missing), slowly: for tests and plain definitions.
 */
int vs_vec_get(const struct vs_vec *b, size_t v, size_t q);

static inline void
vs_vec_set(struct vs_vec *b, size_t v, size_t q, int g)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0) + q / 64;
	uint64_t *p1 = vs_vec_plane(b, v, 1) + q / 64, bit = 1ull << (q % 64);

	*p0 = (*p0 & ~bit) | (uint64_t)(g >> 1 & 1) << (q % 64);
	*p1 = (*p1 & ~bit) | (uint64_t)((g ^ g >> 1) & 1) << (q % 64);
}

/*
 * Set the n fields from 64 w on, 64 or up to the vector's last, from genotypes
 * of one byte each.
 */
void vs_vec_set_word(struct vs_vec *b, size_t v, size_t w, const uint8_t *g,
	size_t n);

/* Count the genotypes 0, 1, 2, missing of vector v. */
void vs_vec_count(const struct vs_vec *b, size_t v, int64_t count[4]);

/* Swap the labels of vector v: g -> 2 - g, missing stays. */
void vs_vec_swap(struct vs_vec *b, size_t v);

/*
 * Conversion between vectors of one allele per field, 0 or 1, and vectors of
 * inbred lines, 0 or 2. Halve maps 2 to 1 and 1 to missing; double maps 1 to 2.
 */
void vs_vec_halve(struct vs_vec *b, size_t v);
void vs_vec_double(struct vs_vec *b, size_t v);

/*
 * Fill vector v from .bed codes (2 bits a field: 00, 10, 11 are 0, 1, 2 copies
 * of the second allele, 01 missing): ceil(F / 4) bytes, in which bits past F
 * are ignored.
 */
void vs_vec_from_codes(struct vs_vec *b, size_t v, const uint8_t *codes);

#endif
