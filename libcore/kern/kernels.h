/* SPDX-License-Identifier: BSD-3-Clause */
/* Interfaces of the counting kernels: dense and sparse pairs, triples. */
#ifndef VS_KERN_KERNELS_H
#define VS_KERN_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcore/bits/cpu.h"
#include "libcore/bits/panel.h"

/* Columns and rows of sums are padded to a multiple of this. */
#define VS_COLS 32

/* Interval lo to hi, both within 2^30; empty if hi < lo. */
struct vs_range {
	int32_t lo, hi;
};

/*
 * Sums that are wanted of a call, by blocks of VS_BLOCK_COLS taken columns:
 * block k begins with column k VS_BLOCK_COLS. Sums of other blocks are
 * undefined.
 * range   for row r and block k at [r n_block + k]: if all sums are within it,
 *         they are unwanted; null: the blocks to count are known
 * block   for each row, bit k: the sums of block k were counted. Set by the
 *         call for the blocks of its columns; if range is null it says what to
 *         count; null: all
 * again   the rows are those of the last call with this scratch
 */
#define VS_BLOCK_COLS 512
struct vs_some {
	const struct vs_range *range;
	uint64_t *block;
	size_t n_block;
	bool again;
};

/*
 * A dense kernel counts, for rows of one panel against columns of another,
 *   p  sum over the fields of g_i g_j, a missing call counting as 0
 * which is the sum over the fields present in both. g is the number of copies
 * of the allele labelled 1 or, with label 0, of the other. Columns are
 * converted to the kernel's own layout beforehand; rows during the call.
 * lanes      columns counted at a time: col below is a multiple of it, and ld a
 *            multiple of VS_COLS with room for whole lanes
 * col_room   bytes that take_cols() fills for n_col columns
 * take_cols  columns [lo, lo + n_col) of b into 64-byte aligned memory
 * label      the same for columns and rows; VS_MARKS: label 1, and no column
 *            has two copies, as with marked fields
 * row_room   bytes of scratch for a call of n_row rows
 * count      rows [row, row + n_row) of a against all or fewer of the taken
 *            columns [col, n_col); sum of row r and column c at
 *            p[(r - row) * ld + c]
 * first      taken columns also serve rows restricted to a prefix of fields, a
 *            multiple of 512; planes are as far apart in both panels
 * count_some like count(), only some sums; lanes is VS_BLOCK_COLS. Or null
 * repeats    every kernel gives the same integers
 */
#define VS_MARKS 2
struct vs_dense {
	const char *name;
	enum vs_cpu cpu; /* lowest level that it runs on */
	size_t lanes;
	size_t (*col_room)(size_t n_col, size_t n_field);
	void (*take_cols)(const struct vs_panel *b, size_t lo, size_t n_col,
		int label, void *cols);
	size_t (*row_room)(size_t n_row, size_t n_field);
	void (*count)(const struct vs_panel *a, size_t row, size_t n_row,
		int label, const void *cols, size_t col, size_t n_col,
		void *scratch, int32_t *p, size_t ld);
	bool first;
	void (*count_some)(const struct vs_panel *a, size_t row, size_t n_row,
		int label, const void *cols, size_t col, size_t n_col,
		void *scratch, int32_t *p, size_t ld,
		const struct vs_some *some);
};

/*
 * A sparse kernel counts a single pair of vectors with missing calls: with x =
 * g - 1, 0 where missing, and m = 1 where missing, pair() sums x_i x_j, x_i
 * m_j, m_i x_j and m_i m_j, and part() the first of these over the fields from
 * `from` on, a multiple of 512.
 */
struct vs_sparse {
	const char *name;
	enum vs_cpu cpu;
	void (*pair)(const struct vs_panel *a, size_t i,
		const struct vs_panel *b, size_t j, int32_t sum[4]);
	int32_t (*part)(const struct vs_panel *a, size_t i,
		const struct vs_panel *b, size_t j, size_t from);
};

/*
 * One of the two vectors of a row, and its base genotype: ideally its
 * commonest, because fields where either vector has its base genotype are not
 * counted.
 */
struct vs_triple_row {
	uint32_t v;
	int32_t mode;
	uint32_t place, out; /* of a first vector: see below */
};

/*
 * Arguments of a triple kernel.
 * second    the vector that all rows share; first: each row's own vector
 * firsts    columns of vectors, in the layout of cols, which contain each row's
 *           first vector at its place; places rise
 * n_row     at most VS_TRIPLE_ROWS; more rows amortise the cost of the second
 * out       columns from there up to the row's `out` are unwanted: their d may
 *           be anything within 2^28. A kernel with a column layout of its own
 *           ignores it
 * range     for row r and block k at [r n_block + k]: if all d are within it,
 *           they are unwanted
 * d         row r from d + r ld on, room for whole blocks; a block is written
 *           if some d is out of range
 * wanted    for each row, bit k: block k is written
 */
#define VS_TRIPLE_ROWS 512
struct vs_triple_call {
	const struct vs_panel *a;
	const struct vs_triple_row *second, *first;
	size_t n_row;
	const void *firsts, *cols;
	size_t n_col;
	size_t out;
	const struct vs_range *range;
	void *scratch;
	int32_t *d;
	size_t ld;
	uint64_t *wanted;
};

/*
 * A triple kernel counts, for a row and columns that a dense kernel has taken
 * by label 1, no call missing,
 *   d  sum over the fields of (g - mode) (g' - mode') g''
 * cols      the name of that dense kernel
 * lanes     columns in a block; at most 64 blocks
 * col_room  bytes that take_cols() fills, 64-byte aligned: the dense kernel's
 *           columns in this kernel's layout; both null if that is the same
 * row_room  bytes of scratch, 64-byte aligned
 * cost      in cycles of the reference machine: for a row and its blocks, each
 *           with all fields in which the second vector is not at its mode and
 *           the share of these in which the first is not either, and once for
 *           those fields:
 *             rows (row + blocks (block + fields (field + share entry))) +
 *             blocks fields second
 */
struct vs_triple {
	const char *name, *cols;
	enum vs_cpu cpu;
	size_t lanes;
	size_t (*col_room)(size_t n_col, size_t n_field);
	void (*take_cols)(const void *dense, size_t n_col, size_t n_field,
		void *cols);
	size_t (*row_room)(size_t n_col, size_t n_field);
	void (*count)(const struct vs_triple_call *call);
	struct {
		float row, block, field, entry, second;
	} cost;
};

/*
 * The triple kernels, best first, then null; the best one that cpu allows and
 * that goes with a dense kernel, or null.
 */
extern const struct vs_triple *const vs_registry_triple[];
const struct vs_triple *vs_registry_triple_pick(enum vs_cpu cpu,
	const struct vs_dense *dense);

/*
 * Select the cheapest triple kernel for the given number of rows and blocks,
 * and fields and share as above: of the best one and those as wide that take
 * the same dense kernel's columns.
 */
const struct vs_triple *vs_registry_triple_choose(const struct vs_triple *best,
	size_t n_row, size_t n_block, size_t n_field, double share);

/*
 * Cost of counting a row, in cycles of the reference machine: for columns in
 * blocks of width, fields, and the share of them in which the row's genotype, 0
 * if missing, is not its commonest,
 *   blocks (block + fields (field + share entry)) + fields row
 */
struct vs_cost {
	size_t width;
	float block, field, entry, row;
};

double vs_registry_dense_cost(const struct vs_cost *cost, size_t n_col,
	size_t n_field, double share);

/*
 * The best dense kernel that cpu allows; with a name the kernel of that name,
 * or null if there is none or cpu does not allow it.
 */
const struct vs_dense *vs_registry_dense_pick(enum vs_cpu cpu,
	const char *name);
const struct vs_sparse *vs_registry_sparse_pick(enum vs_cpu cpu);

/*
 * Like vs_registry_dense_pick(), for a given number of columns and kind of
 * rows: the first, unless a later one is clearly cheaper.
 */
const struct vs_dense *vs_registry_dense_choose(enum vs_cpu cpu,
	const char *name, size_t n_col, size_t n_field, double share);

/* All kernels, best first, then null. */
extern const struct vs_dense *const vs_registry_dense[];
extern const struct vs_cost vs_registry_dense_costs[];
extern const struct vs_sparse *const vs_registry_sparse[];

#endif
