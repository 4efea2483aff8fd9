/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All four sums of pairs that miss calls, from products of a dense kernel. With
 * m = 1 where a call of the row is missing it counts, by either label,
 *
 *   sum g_i g_j   and   sum m_i g_j
 *
 * and what of each vector lies in fields that both have follows from these.
 */
#ifndef VS_ENGINE_PAIR_MISSING_H
#define VS_ENGINE_PAIR_MISSING_H

#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"
#include "libcore/kern/kernels.h"

/* Bytes for n rows. */
size_t vs_missing_bytes(size_t n, size_t n_field);

/*
 * The m of n rows as a panel: a copy of label 1 where the call is missing, of
 * label 0 two elsewhere.
 * memory  64-byte aligned, vs_missing_bytes(); the panel keeps it
 */
void vs_missing_take(const struct vs_panel *rows, size_t n, void *memory,
	struct vs_panel *lost);

/*
 * Turn what was counted into the four sums, where it stands, for all of the n
 * rows and columns [lo, hi).
 *
 * t  xx and xm: products of the rows, by label 1 and 0; mx and mm: of the lost
 */
void vs_missing_solve(enum vs_cpu cpu, const struct vs_panel *rows, size_t n,
	const struct vs_panel *cols, size_t lo, size_t hi,
	const struct vs_tally *t);

#endif
