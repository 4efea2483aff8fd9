/* SPDX-License-Identifier: BSD-3-Clause */
/* What a counting kernel is, and what it counts. */
#ifndef VS_KERN_TALLY_H
#define VS_KERN_TALLY_H

#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"

#define VS_COLS 32 /* columns are taken by so many; rows of sums are padded */

/*
 * Sums over the fields for rows of one panel against columns of another, row
 * after row of ld values; x = g - 1, 0 where missing; m = 1 where missing:
 *
 *   xx  sum x_i x_j      xm  sum x_i m_j      mx  sum m_i x_j
 *   mm  sum m_i m_j
 *
 * exact 32-bit integers (a panel has fewer than 2^29 fields).
 */
struct vs_tally {
	int32_t *xx, *xm, *mx, *mm;
	size_t ld; /* a multiple of VS_COLS */
};

/*
 * A kernel counts rows of a panel against columns that were brought into its
 * own order beforehand.
 *
 * room     bytes that prepare() fills for n_col columns
 * prepare  columns [lo, lo + n_col) of b; 64-byte aligned memory; the columns
 *          up to a multiple of VS_COLS are made empty
 * dense    xx of rows [row, row + n_row) of a against columns [col, n_col) of
 *          the prepared ones, col a multiple of VS_COLS. Row r of the tally
 *          is row + r. Right for vectors without missing calls, and the xx of
 *          those with.
 * sparse   all four sums
 * repeats  every kernel gives the same integers
 */
struct vs_kernel {
	const char *name;
	enum vs_cpu cpu; /* the least that it runs on */
	size_t (*room)(size_t n_col, size_t n_field);
	void (*prepare)(const struct vs_panel *b, size_t lo, size_t n_col,
		void *cols);
	void (*dense)(const struct vs_panel *a, size_t row, size_t n_row,
		const void *cols, size_t col, size_t n_col,
		const struct vs_tally *out);
	void (*sparse)(const struct vs_panel *a, size_t row, size_t n_row,
		const void *cols, size_t col, size_t n_col,
		const struct vs_tally *out);
};

/* The best kernel for what cpu allows. */
const struct vs_kernel *vs_kernel_pick(enum vs_cpu cpu);

/* Kernel number k, best first; null past the last. */
const struct vs_kernel *vs_kernel_at(int k);

#endif
