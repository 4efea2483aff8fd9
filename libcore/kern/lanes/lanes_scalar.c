/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertical addition of bits by words of 64 lanes; a multiplication spreads 8
 * bits of a count to bytes. */
#include "libcore/kern/lanes/lanes.h"

#define TARGET
#define COUNT count_word
#define WORDS uint64_t
#define LOAD(p) (*(p))
#define STORE(p, x) (*(p) = (x))
#define ZERO 0
#define ADD(carry, sum, a, b)                            \
	do {                                             \
		const uint64_t a_ = a, b_ = b, s_ = sum; \
		const uint64_t x_ = a_ ^ b_;             \
		carry = (a_ & b_) | (x_ & s_);           \
		sum = x_ ^ s_;                           \
	} while (0)
#include "libcore/kern/lanes/lanes_count.h"

static void
count(const struct vs_lanes_call *c)
{
	for (size_t word = c->lo; word < c->hi; word++)
		count_word(c, word);
}

/* Bit k of x as byte k, 0 or 1. */
static inline uint64_t
spread(uint64_t x)
{
	const uint64_t bit = 0x8040201008040201;

	/* a byte holds nothing or one bit, which 127 more carry to the top */
	return (((x & 255) * 0x0101010101010101 & bit) + 0x7f7f7f7f7f7f7f7f) >>
		7 &
		0x0101010101010101;
}

/* Bits [from, to) of the counts of 8 lanes, as bytes. */
static uint64_t
bytes_of(const uint64_t *count, int from, int to, int shift)
{
	uint64_t sum = 0;

	for (int k = from; k < to; k++)
		sum |= spread(count[VS_LANES_WORDS * k] >> shift) << (k - from);
	return sum;
}

/* take() of struct vs_lanes. */
static void
take(const uint64_t *count, int n_bit, size_t word, int32_t *out)
{
	for (size_t x = 0; x < VS_LANES_TAKEN / 8; x++) {
		const uint64_t *at = count + word + x / 8;
		const int shift = (int)(x % 8) * 8;
		uint64_t byte[4] = { 0 };

		for (int b = 0; 8 * b < n_bit; b++)
			byte[b] = bytes_of(at, 8 * b,
				8 * b + 8 < n_bit ? 8 * b + 8 : n_bit, shift);
		for (int k = 0; k < 8; k++)
			out[8 * x + (size_t)k] =
				(int32_t)((byte[0] >> 8 * k & 255) |
					(byte[1] >> 8 * k & 255) << 8 |
					(byte[2] >> 8 * k & 255) << 16 |
					(byte[3] >> 8 * k & 255) << 24);
	}
}

extern const struct vs_lanes vs_lanes_scalar;
const struct vs_lanes vs_lanes_scalar = { "bit-lanes64", VS_CPU_SCALAR, 40,
	count, take };
