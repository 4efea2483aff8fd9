/* SPDX-License-Identifier: BSD-3-Clause */
/* Interface of the kernels that sum minima, or products, of numbers. */
#ifndef VS_KERN_MINIMA_MINIMA_H
#define VS_KERN_MINIMA_MINIMA_H

#include <stdbool.h>
#include <stddef.h>

#include "libcore/bits/cpu.h"
#include "libcore/bits/numbers.h"

/*
 * Arguments of a call: rows [row, row + n_row) of a against the taken columns
 * [col, n_col); the first `level` rows want all of these, and each further row
 * one less: on the diagonal a row wants none before it.
 * sum  for row r and column c at sum[(r - row) * ld + c]; all of ld from col
 *      on, rounded down to a multiple of lanes, may be written
 */
struct vs_minima_call {
	const struct vs_numbers *a;
	size_t row, n_row;
	const void *cols;
	size_t col, n_col, level;
	void *scratch;
	double *sum;
	size_t ld;
};

/*
 * A kernel sums, for rows of one block of vectors against columns of another,
 * min(u, v) over the fields, in the order that numbers.h states. Columns are
 * converted to the kernel's own layout beforehand; rows during the call.
 * Kernels of inner products sum u v instead, for reals only: within a run each
 * product is added with one rounding, by fused multiply-add, to a sum that
 * starts at 0. Numbers have any sign and are at most 1 in absolute value, or
 * whole numbers.
 * bits       only for numbers of 0 and 1
 * lanes      columns counted at a time: ld is a multiple of it
 * rows       rows counted at a time
 * col_room   bytes that take_cols() fills for n_col columns
 * take_cols  columns [lo, lo + n_col) of b into 64-byte aligned memory
 * row_room   bytes of scratch for a call of n_row rows
 * count      the sums of some rows with some columns
 * lesser     min(u, v), field by field; of inner products null
 * one        the sum of a single pair
 * repeats    every kernel of a type gives the same bits; integer sums are exact
 *            as long as the totals of vectors are below VS_NUMBERS_MOST
 */
struct vs_minima {
	const char *name;
	enum vs_cpu cpu; /* lowest level that it runs on */
	enum vs_element element;
	bool bits;
	size_t lanes, rows;
	size_t (*col_room)(size_t n_col, size_t n_field);
	void (*take_cols)(const struct vs_numbers *b, size_t lo, size_t n_col,
		void *cols);
	size_t (*row_room)(size_t n_row, size_t n_field);
	void (*count)(const struct vs_minima_call *call);
	void (*lesser)(const void *u, const void *v, size_t n_field, void *out);
	double (*one)(const void *u, const void *v, size_t n_field);
};

/*
 * The best kernel for numbers of this type, which are bits if all are 0 or 1,
 * that cpu allows; with a name the kernel of that name, or null if there is
 * none or cpu does not allow it.
 */
const struct vs_minima *vs_registry_minima_pick(enum vs_cpu cpu,
	enum vs_element element, bool bits, const char *name);

const struct vs_minima *vs_registry_inner_pick(enum vs_cpu cpu,
	enum vs_element element, bool bits, const char *name);

/* All kernels, best first within each type, then null. */
extern const struct vs_minima *const vs_registry_minima[];
extern const struct vs_minima *const vs_registry_inner[];

#endif
