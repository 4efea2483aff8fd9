/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thresholds by class of cell. L is the allele labelled 0, H the one labelled
 * 1, and a cell's class is how many it has of each, in whatever vector: LL, LH
 * (cells 01 and 10) and HH of pairs, LLL, LLH, LHH and HHH of triples. LL+HH
 * (LLL+HHH) is the sum of the two values of the cells that are all L and all
 * H: where both are above 0 and the sum passes both are kept, as CoMet has it.
 *
 * Compiled by the C and by the CUDA compiler.
 */
#ifndef VS_BASE_THRESHOLDS_H
#define VS_BASE_THRESHOLDS_H

#include <stdbool.h>
#include <stdint.h>

#include "libcore/base/host_device.h"

/* What is to be exceeded; infinity where nothing passes. */
struct vs_thresholds {
	double one[4]; /* by the number of H */
	double sum;
};

#define VS_THRESHOLDS_ROOM 192 /* bytes that hold any bars as text */

/* One threshold for all. */
void vs_thresholds_all(struct vs_thresholds *b, double threshold);

/*
 * "LL=0.7,LH=off,LL+HH=1.2": classes of n_way vectors, each at most once; one
 * that is not named is off, and one at least is not.
 * returns  false: it is not that, *out untouched
 */
bool vs_thresholds_read(const char *text, int n_way, struct vs_thresholds *out);

/* The same as text, those that are not off, in order. */
void vs_thresholds_print(const struct vs_thresholds *b, int n_way,
	char text[VS_THRESHOLDS_ROOM]);

/* What the greater value of a sum that passes exceeds: half of it, and 0. */
static inline double
vs_thresholds_half(const struct vs_thresholds *b)
{
	return b->sum > 0 ? b->sum / 2 : 0;
}

/* Does the sum of these two values pass? */
VS_BOTH int
vs_thresholds_sum(const struct vs_thresholds *b, double low, double high)
{
	return low > 0 && high > 0 && low + high > b->sum;
}

/* A combination of vectors of which no value exceeds this has none that
 * passes. */
double vs_thresholds_least(const struct vs_thresholds *b, int n_way);

/* Which cells pass by the values of all: bit c is cell c. */
VS_BOTH uint32_t
vs_thresholds_pass(const struct vs_thresholds *b, int n_way,
	const double *value)
{
	const uint32_t last = (1u << n_way) - 1;
	uint32_t bits = 0;

	for (uint32_t cell = 0; cell <= last; cell++) {
		uint32_t high = (cell & 1) + (cell >> 1 & 1) + (cell >> 2);

		bits |= (uint32_t)(value[cell] > b->one[high]) << cell;
	}
	return vs_thresholds_sum(b, value[0], value[last])
		? bits | 1 | 1u << last
		: bits;
}

#endif
