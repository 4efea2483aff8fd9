/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums of a pair of genotype vectors over the fields present in both, and the
 * four cells that follow from them.
 *
 * Devices and CPU compile the same lines. Vectors have fewer than 2^24 fields,
 * so no term passes 2^27.
 */
#ifndef VS_ENGINE_PAIR_SUMS_H
#define VS_ENGINE_PAIR_SUMS_H

#include <stdint.h>

#include "libcore/base/host_device.h"

#define VS_BOTH_INLINE VS_BOTH __attribute__((always_inline))

/* One vector: its present fields, and copies of an allele in them. */
struct vs_vector_counts {
	int32_t present, sum;
};

/* c fields are present in both; si and sj are the copies of an allele in these
 * fields, p the sum of the products of copies. */
struct vs_pair_sums {
	int32_t c, si, sj, p;
};

/*
 * Compute the sums of a pair from the sums of a sparse kernel. A call has
 * x = g - 1 and m = 0; a missing call has x = 0 and m = 1. Where only the other
 * vector's call is missing, g = x + 1 is subtracted.
 */
VS_BOTH_INLINE struct vs_pair_sums
vs_pair_sums_joint(int32_t n_field, struct vs_vector_counts i,
	struct vs_vector_counts j, int32_t xx, int32_t xm, int32_t mx,
	int32_t mm)
{
	struct vs_pair_sums s;

	s.c = i.present + j.present - n_field + mm;
	s.si = i.sum - xm - (n_field - j.present) + mm;
	s.sj = j.sum - mx - (n_field - i.present) + mm;
	s.p = xx + s.si + s.sj - s.c;
	return s;
}

/*
 * The cells r[2a + b]; a and b are 1 if the vector's label is the one counted
 * in the sums. A field has `weight` copies of both labels together.
 */
VS_BOTH_INLINE void
vs_pair_sums_cells(int32_t weight, struct vs_pair_sums s, int32_t r[4])
{
	r[3] = s.p;
	r[2] = weight * s.si - s.p;
	r[1] = weight * s.sj - s.p;
	r[0] = weight * weight * s.c - weight * (s.si + s.sj) + s.p;
}

#endif
