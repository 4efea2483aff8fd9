/* SPDX-License-Identifier: BSD-3-Clause */
/* Deflate streams of all kinds of bytes are read by zlib and by us, and damaged
 * ones are refused. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "formats/h5/deflate.h"
#include "formats/h5/huffman.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define N 400000

static uint8_t plain[N], packed[2 * N], back[N];

/* Kinds of bytes: each has blocks of its own. */
enum {
	ZERO,
	RANDOM,
	FEW,      /* of few values, unequally often */
	REPEATED, /* what came before, from far back */
	RISING,
	SKEWED, /* counts that want codes longer than allowed */
	N_KIND
};

static void
fill(struct vs_rng *r, int kind, uint8_t *to, size_t n, size_t at)
{
	size_t by = 1 + vs_rng_below(r, 40000), run;

	for (size_t k = 0; k < n; k++)
		switch (kind) {
		case ZERO:
			to[k] = (uint8_t)by;
			break;
		case RANDOM:
			to[k] = (uint8_t)vs_rng_next(r);
			break;
		case FEW:
			to[k] = (uint8_t)(vs_rng_next(r) & vs_rng_next(r) &
				vs_rng_next(r) & 15);
			break;
		case REPEATED:
			to[k] = at + k >= by ? to[k - by]
					     : (uint8_t)vs_rng_next(r);
			if (!vs_rng_below(r, 50))
				to[k]++;
			break;
		case RISING:
			to[k] = (uint8_t)((at + k) / (1 + by % 300));
			break;
		case SKEWED:
			run = (size_t)__builtin_ctzll(
				vs_rng_next(r) | 1ull << 40);
			to[k] = (uint8_t)(run + (vs_rng_below(r, 3) ? 0 : 40));
			break;
		}
}

/* True if both readers restore the n bytes. */
static bool
comes_back(struct vs_deflate *d, int level, size_t n)
{
	uLongf z_out = n;
	size_t n_packed;

	memset(back, 0, n);
	if (vs_deflate_pack(d, level, plain, n, packed, vs_deflate_bound(n),
		    &n_packed) ||
		n_packed > compressBound(n) ||
		uncompress(back, &z_out, packed, n_packed) != Z_OK ||
		z_out != n || memcmp(plain, back, n))
		return false;
	memset(back, 0, n);
	return !vs_deflate_unpack(d, packed, n_packed, back, n) &&
		!memcmp(plain, back, n);
}

static void
round_trips(struct vs_deflate *d)
{
	size_t n_try = T_LONG ? 20000 : 400, bad = 0;
	struct vs_rng r;

	vs_rng_seed(&r, 7);
	for (size_t t = 0; t < n_try; t++) {
		size_t n = 1 + vs_rng_below(&r, t % 8 ? 13000 : N - 1);
		size_t part;

		if (t % 10 == 0)
			n = 65536 * (1 + t / 10 % 4) + t / 40 % 3 * 15;
		for (size_t at = 0; at < n; at += part) {
			part = 1 + vs_rng_below(&r, 100000);
			part = part < n - at ? part : n - at;
			fill(&r, (int)vs_rng_below(&r, N_KIND), plain + at,
				part, at);
		}
		bad += !comes_back(d, t % 16 ? 1 : (int)(t / 16 % 9) + 1, n);
	}
	T_OK(!bad, "%zu mixtures: %zu do not come back", n_try, bad);
}

/* Streams of zlib are read, too; changed or cut ones are not. */
static void
damage(struct vs_deflate *d)
{
	size_t n = 20000, n_packed, wrong = 0;
	struct vs_rng r;

	vs_rng_seed(&r, 8);
	fill(&r, FEW, plain, n, 0);
	for (int level = 0; level < 10; level++) {
		uLongf z_out = sizeof(packed);

		compress2(packed, &z_out, plain, n, level);
		wrong += vs_deflate_unpack(d, packed, z_out, back, n) != 0 ||
			memcmp(plain, back, n);
	}
	T_OK(!wrong, "zlib's streams of ten levels: %zu are not read", wrong);
	wrong += vs_deflate_pack(d, 1, plain, n, packed, sizeof(packed),
		&n_packed);
	T_OK(n_packed < n / 3, "few values: %zu bytes of %zu", n_packed, n);
	for (size_t k = 0; k < 8 * n_packed; k += 7) {
		packed[k / 8] ^= (uint8_t)(1 << k % 8);
		wrong += !vs_deflate_unpack(d, packed, n_packed, back, n) &&
			memcmp(plain, back, n);
		packed[k / 8] ^= (uint8_t)(1 << k % 8);
	}
	T_OK(!wrong, "a bit turned: %zu times read as others", wrong);
	wrong += vs_deflate_unpack(d, packed, n_packed - 1, back, n) !=
		VS_EINPUT;
	wrong += vs_deflate_unpack(d, packed, n_packed + 1, back, n) !=
		VS_EINPUT;
	wrong += vs_deflate_unpack(d, packed, n_packed, back, n - 1) !=
		VS_EINPUT;
	wrong += vs_deflate_unpack(d, packed, n_packed, back, n + 1) !=
		VS_EINPUT;
	wrong += vs_deflate_unpack(d, packed, 3, back, n) != VS_EINPUT;
	T_OK(!wrong, "of another size: %zu are read", wrong);
	wrong += vs_deflate_unpack(d, packed, n_packed, back, n) != 0;
	T_OK(!wrong, "the state is not spoilt by it");
}

/* Codes are complete, no longer than allowed, and shorter for what is
 * frequent. */
static void
codes(void)
{
	struct vs_huffman_code code[286];
	uint32_t count[286], most = 14;
	size_t bad = 0;
	struct vs_rng r;

	vs_rng_seed(&r, 9);
	for (int t = 0; t < 3000; t++) {
		int n = 2 + (int)vs_rng_below(&r, 285);
		uint64_t sum = 0, a = 1, b = 1, all;

		for (int s = 0; s < n; s++) {
			/* Fibonacci's numbers have the longest codes */
			count[s] = t % 3 ? (uint32_t)vs_rng_below(&r, 1000) + 1
					 : (uint32_t)a;
			if (s < 40) {
				b += a;
				a = b - a;
			}
		}
		vs_huffman_make(count, n, (int)most, code);
		for (int s = 0; s < n; s++) {
			bad += !code[s].n || code[s].n > most;
			all = 1ull << (most - code[s].n);
			sum += all;
			for (int o = 0; o < n; o++)
				bad += count[o] > count[s] &&
					code[o].n > code[s].n;
		}
		bad += sum != 1u << most;
	}
	T_OK(!bad, "3000 codes: %zu wrong", bad);
}

int
main(void)
{
	struct vs_deflate *d = NULL;

	T_OK(!vs_deflate_new(&d), "a state");
	codes();
	round_trips(d);
	damage(d);
	vs_deflate_free(d);
	return T_DONE();
}
