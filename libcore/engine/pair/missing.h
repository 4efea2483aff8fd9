/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Corrections of the sums of pairs for missing calls, by products of a dense
 * kernel, where many calls are missing. With m = 1 where a call of the row is
 * missing it counts, by either label,
 *
 *   sum g_i g_j   and   sum m_i g_j
 *
 * and what of each vector lies in fields that both have follows from these.
 */
#ifndef VS_ENGINE_PAIR_MISSING_H
#define VS_ENGINE_PAIR_MISSING_H

#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"

/* Bytes for n rows. */
size_t vs_missing_bytes(size_t n, size_t n_field);

/*
 * The m of n rows as a panel: a copy of label 1 where the call is missing, of
 * label 0 two elsewhere.
 * memory  64-byte aligned, vs_missing_bytes(); the panel keeps it
 */
void vs_missing_take(const struct vs_panel *rows, size_t n, void *memory,
	struct vs_panel *lost);

/* Products of rows and columns, row r from r ld on. */
struct vs_missing_sums {
	const int32_t *p;           /* of the rows by the label */
	int32_t *other;             /* of the rows by the other label */
	int32_t *lost, *other_lost; /* of the lost by both */
	size_t ld;
	/* of each row, a bit for each VS_BLOCK_COLS columns that are there; or
	 * null */
	const uint64_t *block;
};

/*
 * Turn counts in place into what pairs lose by missing calls, for all n rows
 * and columns [lo, hi): `other` becomes the copies of the row in fields that
 * the column misses, `lost` those of the column in fields that the row misses,
 * other_lost the fields that both miss.
 */
void vs_missing_solve(enum vs_cpu cpu, const struct vs_panel *rows, size_t n,
	const struct vs_panel *cols, size_t lo, size_t hi, int label,
	const struct vs_missing_sums *t);

#endif
