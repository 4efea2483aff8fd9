/* SPDX-License-Identifier: BSD-3-Clause */
/* XXH3-64 of the 40 bytes of pair records, eight records per register. */
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/bits/record_digest.h"

#if defined(__x86_64__)
#define LANES __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq")))
#define INLINE static inline LANES __attribute__((always_inline))
#define N 8
#define LOW 0xffffffffu
#define AVALANCHE 0x165667919e3779f9

typedef uint64_t lanes __attribute__((vector_size(64)));

/* Products of the lower halves; gcc would multiply all 64 bits. */
INLINE lanes
times(lanes a, lanes b)
{
#if defined(__clang__)
	return (a & LOW) * (b & LOW);
#else
	typedef int ints __attribute__((vector_size(64)));
	typedef long long longs __attribute__((vector_size(64)));

	return (lanes)__builtin_ia32_pmuludq512_mask((ints)a, (ints)b, (longs)a,
		(unsigned char)-1);
#endif
}

/* Lower and upper half of the product of 128 bits, one xor the other. */
INLINE lanes
fold(lanes a, lanes b)
{
	lanes ah = a >> 32, bh = b >> 32;
	lanes ll = times(a, b), lh = times(a, bh);
	lanes hl = times(ah, b), hh = times(ah, bh);
	lanes cross = (ll >> 32) + (lh & LOW) + hl;

	return (cross << 32 | (ll & LOW)) ^ (hh + (lh >> 32) + (cross >> 32));
}

/* Words of eight records, and the terms for their cells. */
struct words {
	lanes i, j, cell, value, middle[2];
};

/* Constants of the digest: words of the secret, terms by cell. */
struct constants {
	uint64_t secret[8];
	uint64_t middle[VS_DIGEST_CELLS + 1][2];
};

/* Sum of eight digests with one seed. */
INLINE lanes
digest(const struct constants *c, const struct words *w, uint64_t seed)
{
	const uint64_t *k = c->secret;
	lanes sum = w->middle[seed];
	lanes all = w->i | ~w->i; /* the third vector, of pairs */

	sum += fold(w->j ^ (k[6] + seed), all ^ (k[7] - seed));
	sum += fold(w->i ^ (k[0] + seed), w->j ^ (k[1] - seed));
	sum += fold(w->cell ^ (k[2] + seed), w->value ^ (k[3] - seed));
	sum = (sum ^ sum >> 37) * AVALANCHE;
	return sum ^ sum >> 32;
}

/* Load the words of eight records; false: one is not a pair or has an unknown
 * cell. */
INLINE bool
take(const struct constants *c, const struct vs_record *rec, struct words *w)
{
	lanes r[4], even[2], odd[2], tail, other;

	memcpy(r, rec, sizeof(r));
	for (int h = 0; h < 2; h++) {
		lanes a = r[2 * h], b = r[2 * h + 1];

		even[h] = __builtin_shufflevector(a, b, 0, 4, 8, 12, 2, 6, 10,
			14);
		odd[h] = __builtin_shufflevector(a, b, 1, 5, 9, 13, 3, 7, 11,
			15);
	}
#define HALVES(x, at)                                                   \
	__builtin_shufflevector(x[0], x[1], at, at + 1, at + 2, at + 3, \
		at + 8, at + 9, at + 10, at + 11)
	w->i = HALVES(even, 0);
	w->j = w->i >> 32;
	w->i &= LOW;
	w->value = HALVES(even, 4);
	other = ~HALVES(odd, 0) & LOW; /* 0: there is no third vector */
	tail = HALVES(odd, 4);
	w->cell = tail >> 60;
	for (int seed = 0; seed < 2; seed++)
		w->middle[seed] =
			(w->i ^ w->i) ^ c->middle[VS_DIGEST_CELLS][seed];
	for (unsigned x = 0; x < VS_DIGEST_CELLS; x++)
		for (int seed = 0; seed < 2; seed++)
			w->middle[seed] ^= (lanes)(w->cell == x) &
				(c->middle[x][seed] ^
					c->middle[VS_DIGEST_CELLS][seed]);
	/* absent: all ones */
	w->cell |= (lanes)(w->cell == VS_NO_CELL);
	other |= (lanes)(w->cell >= VS_DIGEST_CELLS) & ~w->cell;
	for (int k = 1; k < N; k++)
		other[0] |= other[k];
	return !other[0];
}

static struct constants known;

static void
find_constants(void)
{
	vs_digest_sum_constants(known.secret, known.middle);
}

static const struct constants *
constants(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_constants);
	return &known;
}

/* Add the leading records, in groups of eight; returns how many were added. */
static LANES size_t
sum_lanes(struct vs_digest_sum *s, const struct vs_record *rec, size_t n)
{
	const struct constants *c = constants();
	lanes sum[2] = { { 0 } };
	struct words w;
	size_t at = 0;

	for (; at + N <= n && take(c, rec + at, &w); at += N)
		for (int seed = 0; seed < 2; seed++)
			sum[seed] += digest(c, &w, (uint64_t)seed);
	for (int seed = 0; seed < 2; seed++)
		for (int k = 0; k < N; k++)
			s->h[seed] += sum[seed][k];
	return at;
}
#endif

void
vs_record_digest_sum_by(enum vs_cpu cpu, struct vs_digest_sum *s,
	const struct vs_record *rec, size_t n)
{
	size_t did = 0;

	(void)cpu;
#if defined(__x86_64__)
	if (cpu >= VS_CPU_AVX512)
		did = sum_lanes(s, rec, n);
#endif
	vs_digest_sum_records(s, rec + did, n - did);
}

void
vs_record_digest_sum(struct vs_digest_sum *s, const struct vs_record *rec,
	size_t n)
{
	vs_record_digest_sum_by(vs_cpu_now(), s, rec, n);
}
