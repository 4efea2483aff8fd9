/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Thresholds by class of cell. L is the allele labelled 0, H the one labelled
 * 1, and the class of a cell is its number of each, in any order: LL, LH (cells
 * 01 and 10) and HH for pairs, LLL, LLH, LHH and HHH for triples. LL+HH
 * (LLL+HHH) is the sum of the values of the all-L and all-H cells: if both are
 * above 0 and the sum passes, both are kept, as in CoMet.
 *
 * Compiled by the C and by the CUDA compiler.
 */
#ifndef VS_BASE_THRESHOLDS_H
#define VS_BASE_THRESHOLDS_H

#include <stdbool.h>
#include <stdint.h>

#include "libcore/base/host_device.h"
#include "libcore/base/record.h"

/* A value passes if its strength exceeds that of its threshold; with infinity
 * none passes. */
struct vs_thresholds {
	double one[4]; /* indexed by the number of H */
	double sum;
};

#define VS_THRESHOLDS_ROOM 192 /* bytes that hold any thresholds as text */

/* An optional limit of values. */
struct vs_limit {
	bool is; /* there is a limit */
	double at;
};

/* Set one threshold for all classes, none for the sum. */
void vs_thresholds_all(struct vs_thresholds *b, double threshold);

/*
 * Parse "LL=0.7,LH=off,LL+HH=1.2": classes of n_way vectors, each at most once.
 * A class that is not named is off; at least one is on.
 * returns  false: a syntax error, *out untouched
 */
bool vs_thresholds_read(const char *text, int n_way, struct vs_thresholds *out);

/* Print the classes that are on, in the syntax of vs_thresholds_read(). */
void vs_thresholds_print(const struct vs_thresholds *b, int n_way,
	char text[VS_THRESHOLDS_ROOM]);

/* Lower bound of the greater term of a sum that passes: half of it, or 0. */
static inline double
vs_thresholds_half(const struct vs_thresholds *b)
{
	return b->sum > 0 ? b->sum / 2 : 0;
}

/* True if the sum of these two values passes. */
VS_BOTH int
vs_thresholds_sum(const struct vs_thresholds *b, double low, double high)
{
	return low > 0 && high > 0 && low + high > b->sum;
}

/* The lowest threshold: vectors with no value above it have no passing cell. */
double vs_thresholds_least(const struct vs_thresholds *b, int n_way);

/* True if a record is stronger than the threshold of its cell. */
static inline bool
vs_thresholds_exceeded(const struct vs_thresholds *b, enum vs_strong strong,
	const struct vs_record *r)
{
	const unsigned cell = r->cell == VS_NO_CELL ? 0 : r->cell;

	return vs_strength(strong, r->value) > b->one[__builtin_popcount(cell)];
}

/* Bit c is set if cell c passes, given the values of all cells. */
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
