/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shortest decimal of a binary floating-point number, by the algorithm
 * Schubfach: R. Giulietti, "The Schubfach way to render doubles" (2020). Three
 * products with a power of ten to 128 bits decide all.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "libcore/base/shortest.h"

/* Range of the powers of ten that doubles need. */
#define LEAST (-292)
#define MOST 324

/* Number of 32-bit words that hold 10^324, or 2^1152 with 10^-292. */
#define N_WORD 37

/* 10^(LEAST + n) to 128 bits, normalised so that the highest is 1, rounded
 * up. */
static struct power {
	uint64_t hi, lo;
} power[MOST - LEAST + 1];

static atomic_bool made;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* The first 128 bits of a number of N_WORD words, rounded up if more bits
 * follow or `exact` is false. */
static struct power
leading(const uint32_t *word, bool exact)
{
	unsigned __int128 top = 0;
	int at = N_WORD - 1, shift;

	while (!word[at])
		at--;
	shift = __builtin_clz(word[at]);
	for (int k = 0; k < 5; k++) {
		uint32_t w = at - k >= 0 ? word[at - k] : 0;

		if (k < 4) {
			top = top << 32 | w;
			continue;
		}
		if (shift) {
			top = top << shift | w >> (32 - shift);
			w <<= shift;
		}
		exact &= !w;
	}
	for (int k = at - 5; k >= 0; k--)
		exact &= !word[k];
	top += !exact;
	return (struct power){ (uint64_t)(top >> 64), (uint64_t)top };
}

/* Positive powers by multiplying 1; negative ones by dividing a high power of
 * 2: each quotient rounded down is that of the power itself. */
static void
make_powers(void)
{
	uint32_t word[N_WORD] = { 1 };
	uint64_t carry;

	for (int e = 0; e <= MOST; e++) {
		power[e - LEAST] = leading(word, true);
		carry = 0;
		for (int k = 0; k < N_WORD; k++) {
			carry += (uint64_t)word[k] * 10;
			word[k] = (uint32_t)carry;
			carry >>= 32;
		}
	}
	memset(word, 0, sizeof(word));
	word[N_WORD - 1] = 1;
	for (int e = -1; e >= LEAST; e--) {
		carry = 0;
		for (int k = N_WORD - 1; k >= 0; k--) {
			carry = carry << 32 | word[k];
			word[k] = (uint32_t)(carry / 10);
			carry %= 10;
		}
		power[e - LEAST] = leading(word, false);
	}
	atomic_store_explicit(&made, true, memory_order_release);
}

/* g * c >> 128, with the last bit set if nonzero bits were shifted out. */
static inline uint64_t
round_to_odd(struct power g, uint64_t c)
{
	unsigned __int128 low = (unsigned __int128)g.lo * c;
	unsigned __int128 high = (unsigned __int128)g.hi * c + (low >> 64);

	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* floor(log10(2^q)) and floor(log2(10^e)), for all exponents needed here. */
static inline int
log10_pow2(int q)
{
	return q * 1262611 >> 22;
}

static inline int
log2_pow10(int e)
{
	return e * 1741647 >> 19;
}

void
vs_shortest(uint64_t c, int q, uint64_t *digits, int *exponent)
{
	const int k = log10_pow2(q), h = q + log2_pow10(-k) + 1;
	const bool odd = c & 1;
	uint64_t lower, upper, v, s, t;
	struct power g;
	bool down, up;

	if (!atomic_load_explicit(&made, memory_order_acquire))
		pthread_once(&once, make_powers);
	g = power[-k - LEAST];
	/* the number and the ends of its interval in quarters of 10^k */
	v = round_to_odd(g, 4 * c << h);
	lower = round_to_odd(g, (4 * c - 2) << h) + odd;
	upper = round_to_odd(g, (4 * c + 2) << h) - odd;
	s = v / 4;
	/* at most one multiple of 10^(k + 1) lies within */
	t = s / 10;
	down = lower <= 40 * t;
	up = 40 * t + 40 <= upper;
	if (s >= 10 && down != up) {
		*digits = t + up;
		*exponent = k + 1;
		return;
	}
	down = lower <= 4 * s;
	up = 4 * s + 4 <= upper;
	if (down == up)
		up = v > 4 * s + 2 || (v == 4 * s + 2 && s & 1);
	*digits = s + up;
	*exponent = k;
}
