/* SPDX-License-Identifier: BSD-3-Clause */
/* Look-up of the counts of contingency tables. */
#ifndef VS_KERN_TABLES_TABLE_SUMS_H
#define VS_KERN_TABLES_TABLE_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"

#define VS_TABLE_SUMS_LANES 8

/*
 * For each of n tables, a multiple of VS_TABLE_SUMS_LANES, the sum over its
 * n_cell cells of one[a] + one[b] - both[a + b], a and b the counts of its
 * classes: of table c and cell x at count[0][x ld + c] and count[1][x ld + c].
 */
struct vs_table_sums {
	const int32_t *count[2];
	size_t ld;
	int n_cell;
	const int64_t *one, *both;
	int64_t *sum;
};

void vs_table_sums_count(enum vs_cpu cpu, const struct vs_table_sums *t,
	size_t n);

#endif
