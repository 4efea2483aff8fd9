/* SPDX-License-Identifier: BSD-3-Clause */
/* The four sums of a pair by their definition, from genotypes of a byte. */
#ifndef VS_TESTS_UNIT_SUMS_H
#define VS_TESTS_UNIT_SUMS_H

#include <stddef.h>
#include <stdint.h>

#define SUMS 4

/*
 * With x = g - 1 and m = 0 where the call is there, x = 0 and m = 1 where it is
 * missing (3): the sums of xx, xm, mx and mm over n fields, as a sparse kernel
 * has them.
 */
static inline void
sums_plain(const uint8_t *gi, const uint8_t *gj, size_t n, int32_t sum[SUMS])
{
	for (int k = 0; k < SUMS; k++)
		sum[k] = 0;
	for (size_t q = 0; q < n; q++) {
		int mi = gi[q] == 3, mj = gj[q] == 3;
		int xi = mi ? 0 : gi[q] - 1, xj = mj ? 0 : gj[q] - 1;

		sum[0] += xi * xj;
		sum[1] += xi * mj;
		sum[2] += mi * xj;
		sum[3] += mi * mj;
	}
}

/*
 * Losses of a pair, of the allele labelled 0 or 1: copies of the first in
 * fields that the second misses, of the second in fields that the first misses,
 * fields that both miss; and the sum of the products of copies.
 */
static inline void
sums_lost(const uint8_t *gi, const uint8_t *gj, size_t n, int label,
	int32_t lost[3], int32_t *p)
{
	lost[0] = lost[1] = lost[2] = *p = 0;
	for (size_t q = 0; q < n; q++) {
		int mi = gi[q] == 3, mj = gj[q] == 3;
		int ci = mi ? 0 : label ? gi[q] : 2 - gi[q];
		int cj = mj ? 0 : label ? gj[q] : 2 - gj[q];

		lost[0] += mj * ci;
		lost[1] += mi * cj;
		lost[2] += mi * mj;
		*p += ci * cj;
	}
}

#endif
