/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Corrections of the sums of pairs for missing calls, by products of a dense
 * kernel, for data with many missing calls. With m = 1 where a call of the row
 * is missing, it counts for each label
 *
 *   sum g_i g_j   and   sum m_i g_j
 *
 * from which the parts of each vector in fields that both have follow.
 */
#ifndef VS_ENGINE_PAIR_MISSING_H
#define VS_ENGINE_PAIR_MISSING_H

#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"

/* Bytes for n rows. */
size_t vs_missing_bytes(size_t n, size_t n_field);

/*
 * The m of n rows as a panel: label 1 has one copy where the call is missing,
 * or for VS_MARK_TWO where there are two copies; label 0 has two copies
 * elsewhere.
 * memory  64-byte aligned, vs_missing_bytes(); the panel keeps it
 */
enum vs_mark { VS_MARK_MISSING, VS_MARK_TWO };
void vs_missing_take(const struct vs_panel *rows, size_t n, enum vs_mark mark,
	void *memory, struct vs_panel *marks);

/* Products of rows and columns, row r starting at r ld. */
struct vs_missing_sums {
	const int32_t *p;           /* of the rows, by the label */
	int32_t *other;             /* of the rows, by the other label */
	int32_t *lost, *other_lost; /* of the missing calls, by both labels */
	size_t ld;
	/* of each row, a bit per VS_BLOCK_COLS columns that are counted; or
	 * null */
	const uint64_t *block;
};

/*
 * Turn counts in place into the pairs' losses by missing calls, for all n rows
 * and columns [lo, hi): `other` becomes the row's copies in fields that the
 * column misses, `lost` the column's copies in fields that the row misses,
 * other_lost the fields that both miss.
 */
void vs_missing_solve(enum vs_cpu cpu, const struct vs_panel *rows, size_t n,
	const struct vs_panel *cols, size_t lo, size_t hi, int label,
	const struct vs_missing_sums *t);

#endif
