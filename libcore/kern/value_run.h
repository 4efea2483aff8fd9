/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sum of consecutive values, and a histogram of them. */
#ifndef VS_KERN_VALUE_RUN_H
#define VS_KERN_VALUE_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/base/counted.h"
#include "libcore/bits/cpu.h"

/*
 * For x in [-1, 1], the bit pattern of x + MAGIC minus that of MAGIC is x in
 * units, rounded to the nearest integer.
 */
#define VS_VALUE_RUN_UNIT 0x1p50 /* units per 1 */
#define VS_VALUE_RUN_MAGIC 0x1.8p2
#define VS_VALUE_RUN_MAGIC_BITS 0x4018000000000000

#define VS_VALUE_RUN_BUCKETS 1000 /* per 1 */

/*
 * Counters, not added up yet, of n_bucket buckets; 0: none. Bucket k counts the
 * values v with floor(v * BUCKETS) = least + k. The two tables are for
 * neighbours, so that equal ones need not wait. The first buckets are also
 * counted in nibbles of 8 lanes, kept here as bytes: of even and of odd
 * buckets, grown n_low times by up to 15.
 */
struct vs_value_run {
	int64_t least;
	size_t n_bucket;
	uint32_t *near[2]; /* the last of n_bucket + 1 is for those left out */
	uint64_t low[4][8];
	int n_low;
};

/* Set up n rows of n_bucket counters; near has n times vs_value_run_size() of
 * them, and holds the first tables of all rows before the others. */
static inline size_t
vs_value_run_size(size_t n_bucket)
{
	return 2 * (n_bucket + 1);
}
void vs_value_run_begin(struct vs_value_run *r, size_t n, int64_t least,
	size_t n_bucket, uint32_t *near);

/* Add the counters to n[n_bucket], and set them to 0. */
void vs_value_run_settle(struct vs_value_run *r, vs_wide *n);

/*
 * Count n values that are not NaN.
 * sum      grows by their units, if they are in [-1, 1]
 * returns  how many they are
 */
size_t vs_value_run_add(enum vs_cpu cpu, struct vs_value_run *r,
	const double *value, size_t n, int64_t *sum);

#endif
