/* SPDX-License-Identifier: BSD-3-Clause */
/* Vertical addition of bits by words of 64 lanes. */
#include "libcore/kern/lanes/lanes.h"
#include "libcore/kern/lanes/lanes_take.h"

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

extern const struct vs_lanes vs_lanes_scalar;
const struct vs_lanes vs_lanes_scalar = { "bit-lanes64", VS_CPU_SCALAR, 40,
	count, vs_lanes_take_words };
