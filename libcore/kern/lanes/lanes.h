/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Interface of the kernels that add rows of bits vertically: 512 vectors lie
 * side by side as lanes; a row holds their bits in one field; the rows of a
 * list of fields are added lane by lane. A pair's cell takes as many additions
 * as the rarer genotype has samples, for 512 pairs at once.
 */
#ifndef VS_KERN_LANES_LANES_H
#define VS_KERN_LANES_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

#define VS_LANES 512
#define VS_LANES_WORDS (VS_LANES / 64)
#define VS_LANES_HALF (VS_LANES_WORDS / 2)
#define VS_LANES_TAKEN 128 /* lanes whose counts are taken together */
#define VS_LANES_BITS 25   /* most bits of a count: below 2^24 fields */
#define VS_LANES_UNIT 16   /* a list is padded to a multiple */
/* words that vs_lanes_list() may write past the fields of n words */
#define VS_LANES_SLACK 64

/*
 * Arguments of a call.
 * row      bits of field f at row + 8 f, 64-byte aligned
 * field    the list: n fields, a multiple of VS_LANES_UNIT; padding names a row
 *          of zeros
 * lo, hi   words of lanes that are wanted; more may be written
 * count    bit k of the counts of all lanes at count + 8 k, 64-byte aligned
 * before   bits of the counts so far, to which these are added; 0: none
 * after    bits that the sum needs: of the fields of all lists
 */
struct vs_lanes_call {
	const uint64_t *row;
	const uint32_t *field;
	size_t n, lo, hi;
	uint64_t *count;
	int before, after;
};

/*
 * count  add the rows of a list
 * take   extract the n_bit-bit counts of VS_LANES_TAKEN lanes from word on
 * cost   cycles for the row of a field, as measured
 */
struct vs_lanes {
	const char *name;
	enum vs_cpu cpu; /* lowest level that it runs on */
	double cost;
	void (*count)(const struct vs_lanes_call *call);
	void (*take)(const uint64_t *count, int n_bit, size_t word,
		int32_t *out);
};

/* All kernels, best first, then null; the best one that cpu allows. */
extern const struct vs_lanes *const vs_registry_lanes[];
const struct vs_lanes *vs_registry_lanes_pick(enum vs_cpu cpu);

/* Bits that hold numbers up to n. */
static inline int
vs_lanes_bits(size_t n)
{
	return n ? 64 - __builtin_clzll(n) : 0;
}

/*
 * List the bits set in a, and in b unless that is null, of n_word words.
 * first   number of bit 0
 * field   room for all, VS_LANES_SLACK more, and padding
 * returns how many
 */
size_t vs_lanes_list(enum vs_cpu cpu, const uint64_t *a, const uint64_t *b,
	size_t n_word, uint32_t first, uint32_t *field);

/* Pad a list of n fields with the number of a row of zeros. returns its new
 * length */
static inline size_t
vs_lanes_pad(uint32_t *field, size_t n, uint32_t zero)
{
	while (n % VS_LANES_UNIT)
		field[n++] = zero;
	return n;
}

/*
 * Arguments of vs_lanes_weigh().
 * row, field, n, lo, hi  as above, but the list is not padded
 * weight  of each field
 * sum     of the lanes, 64-byte aligned; the weights are added to it
 */
struct vs_lanes_weigh {
	const uint64_t *row;
	const uint32_t *field;
	size_t n, lo, hi;
	const int64_t *weight;
	int64_t *sum;
};

/* Add the weights of a list's fields to the lanes whose bit is set in them. */
void vs_lanes_weigh(enum vs_cpu cpu, const struct vs_lanes_weigh *call);

/*
 * Turn bit rows of up to VS_LANES vectors of n_word words: bit b of word w of
 * vector first + v, continuing from vector 0 after the last, becomes that of
 * lane v in row 64 w + b. Other lanes become 0.
 * stride  words from a vector to the next
 * row     64 n_word rows of VS_LANES_WORDS words
 */
void vs_lanes_turn(enum vs_cpu cpu, const uint64_t *vector, size_t n_vec,
	size_t first, size_t stride, size_t n_word, uint64_t *row);

#endif
