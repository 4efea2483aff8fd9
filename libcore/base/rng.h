/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random numbers: xoshiro256** of Blackman and Vigna (2018), seeded through
 * splitmix64; the same sequence on every machine for the same seed. Splitmix64
 * alone gives random access by index.
 */
#ifndef VS_BASE_RNG_H
#define VS_BASE_RNG_H

#include <stdint.h>

struct vs_rng {
	uint64_t s[4];
};

static inline uint64_t
vs_rng_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static inline void
vs_rng_seed(struct vs_rng *r, uint64_t seed)
{
	for (int k = 0; k < 4; k++)
		r->s[k] = vs_rng_mix(seed += 0x9e3779b97f4a7c15);
}

/*
 * Number k of a seed's sequence; neighbouring seeds give unrelated sequences.
 */
static inline uint64_t
vs_rng_at(uint64_t seed, uint64_t k)
{
	return vs_rng_mix(
		vs_rng_mix(seed ^ 0x9e3779b97f4a7c15) + k * 0x9e3779b97f4a7c15);
}

static inline uint64_t
vs_rng_next(struct vs_rng *r)
{
	uint64_t *s = r->s, x = s[1] * 5, t = s[1] << 17;

	x = ((x << 7) | (x >> 57)) * 9;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = (s[3] << 45) | (s[3] >> 19);
	return x;
}

/* Uniform over 0 .. n - 1, n > 0, without bias. */
static inline uint64_t
vs_rng_below(struct vs_rng *r, uint64_t n)
{
	uint64_t skip = -n % n, x;

	do
		x = vs_rng_next(r);
	while (x < skip);
	return x % n;
}

#endif
