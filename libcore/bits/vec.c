/* SPDX-License-Identifier: BSD-3-Clause */
/* Bit planes of genotype vectors: allocation, access, counts, conversion. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/cpu.h"
#include "libcore/bits/vec.h"

int
vs_vec_new(struct vs_vec *b, size_t n_vec, size_t n_field)
{
	size_t n_word = vs_vec_words(n_field), bytes;
	int code;

	if (__builtin_mul_overflow(n_vec, 2 * n_word * 8, &bytes))
		return vs_fail_memory("genotype planes", ~0ull);
	code = vs_mem_new(&b->word, bytes, 1, "genotype planes");
	if (code)
		return code;
	b->n_vec = n_vec;
	b->n_field = n_field;
	b->n_word = b->stride = n_word;
	b->pick = NULL;
	return 0;
}

void
vs_vec_free(struct vs_vec *b)
{
	free(b->word);
	memset(b, 0, sizeof(*b));
}

int
vs_vec_get(const struct vs_vec *b, size_t v, size_t q)
{
	/* by plane 0 + 2 * plane 1 */
	static const int genotype[4] = { 0, 3, 1, 2 };
	uint64_t p0 = vs_vec_plane(b, v, 0)[q / 64] >> (q % 64) & 1;
	uint64_t p1 = vs_vec_plane(b, v, 1)[q / 64] >> (q % 64) & 1;

	return genotype[p0 + 2 * p1];
}

void
vs_vec_set_word(struct vs_vec *b, size_t v, size_t w, const uint8_t *g,
	size_t n)
{
	uint64_t p0 = 0, p1 = 0;

	for (size_t k = 0; k < n; k++) {
		p0 |= (uint64_t)(g[k] >> 1 & 1) << k;
		p1 |= (uint64_t)((g[k] ^ g[k] >> 1) & 1) << k;
	}
	vs_vec_plane(b, v, 0)[w] = p0;
	vs_vec_plane(b, v, 1)[w] = p1;
}

/* Count the bits set in plane 0, plane 1, both. */
VS_INLINE void
count_planes_any(const uint64_t *p0, const uint64_t *p1, size_t n_word,
	int64_t sum[3])
{
	int64_t n0 = 0, n1 = 0, both = 0;

#pragma omp simd reduction(+ : n0, n1, both)
	for (size_t w = 0; w < n_word; w++) {
		n0 += __builtin_popcountll(p0[w]);
		n1 += __builtin_popcountll(p1[w]);
		both += __builtin_popcountll(p0[w] & p1[w]);
	}
	sum[0] = n0;
	sum[1] = n1;
	sum[2] = both;
}

VS_BY_POPCNT(void, count_planes, (p0, p1, n_word, sum), const uint64_t *p0,
	const uint64_t *p1, size_t n_word, int64_t sum[3])

void
vs_vec_count(const struct vs_vec *b, size_t v, int64_t count[4])
{
	const uint64_t *p0 = vs_vec_plane(b, v, 0);
	const uint64_t *p1 = vs_vec_plane(b, v, 1);
	int64_t sum[3];

	count_planes(vs_cpu_best(), p0, p1, b->n_word, sum);
	count[1] = sum[1] - sum[2];
	count[2] = sum[2];
	count[3] = sum[0] - sum[2];
	count[0] = (int64_t)b->n_field - count[1] - count[2] - count[3];
}

void
vs_vec_halve(struct vs_vec *b, size_t v)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);

	for (size_t w = 0; w < b->n_word; w++) {
		uint64_t one = ~p0[w] & p1[w], two = p0[w] & p1[w];

		p0[w] = (p0[w] & ~two) | one;
		p1[w] = two;
	}
}

void
vs_vec_double(struct vs_vec *b, size_t v)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);

	for (size_t w = 0; w < b->n_word; w++)
		p0[w] |= p1[w];
}

void
vs_vec_swap(struct vs_vec *b, size_t v)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);
	const size_t used = (b->n_field + 63) / 64, tail = b->n_field % 64;

#pragma omp simd
	for (size_t w = 0; w < used; w++) {
		const uint64_t t = ~p0[w];

		p0[w] = ~p1[w];
		p1[w] = t;
	}
	if (tail) {
		p0[used - 1] &= (1ull << tail) - 1;
		p1[used - 1] &= (1ull << tail) - 1;
	}
}

#define UNIT 128 /* bytes of codes; their fields fill 64 bytes of a plane */

typedef uint16_t wide __attribute__((vector_size(32)));
typedef uint8_t narrow __attribute__((vector_size(16)));

/* Every other bit of 32 bytes, from the first or the second on. */
VS_INLINE void
put_bits(uint8_t *to, const uint8_t *codes, int first)
{
	narrow bytes;
	wide x;

	memcpy(&x, codes, sizeof(x));
	x = x >> first & 0x5555;
	x = (x | x >> 1) & 0x3333;
	x = (x | x >> 2) & 0x0f0f;
	x = (x | x >> 4) & 0xff;
	bytes = __builtin_convertvector(x, narrow);
	memcpy(to, &bytes, sizeof(bytes));
}

/*
 * 128 fields at a time: a plane is accessed as an array of bytes, which assumes
 * little-endian words. PEXT would be shorter, but is slow on some CPUs.
 */
VS_INLINE void
split_codes_any(uint8_t *p0, uint8_t *p1, const uint8_t *codes, size_t n)
{
	for (size_t k = 0; k < n * UNIT; k += sizeof(wide)) {
		put_bits(p0 + k / 2, codes + k, 0);
		put_bits(p1 + k / 2, codes + k, 1);
	}
}

VS_BY_CPU(void, split_codes, (p0, p1, codes, n), uint8_t *p0, uint8_t *p1,
	const uint8_t *codes, size_t n)

void
vs_vec_from_codes(struct vs_vec *b, size_t v, const uint8_t *codes)
{
	uint64_t *p0 = vs_vec_plane(b, v, 0), *p1 = vs_vec_plane(b, v, 1);
	const size_t n = (b->n_field + 3) / 4, whole = n / UNIT * UNIT,
		     tail = b->n_field % 64, last = b->n_field / 64;
	const enum vs_cpu cpu = vs_cpu_best();

	split_codes(cpu, (uint8_t *)p0, (uint8_t *)p1, codes, n / UNIT);
	if (whole < n) {
		uint8_t rest[UNIT] = { 0 };

		memcpy(rest, codes + whole, n - whole);
		split_codes(cpu, (uint8_t *)p0 + whole / 2,
			(uint8_t *)p1 + whole / 2, rest, 1);
	}
	if (tail) {
		p0[last] &= (1ull << tail) - 1;
		p1[last] &= (1ull << tail) - 1;
	}
}
