/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Filter of sums of products for correlation and cosine: float bounds for
 * similar rows at once. Without it r2 at 0.5 of 5000 SNPs of 427 samples takes
 * 5 times as long with 3.5 % of calls missing, 6 times with none.
 */
#ifndef VS_ENGINE_PRUNE_MOMENT_FILTER_H
#define VS_ENGINE_PRUNE_MOMENT_FILTER_H

#include "libcore/base/layout.h"
#include "libcore/bits/panel.h"
#include "libcore/engine/joint_sums.h"
#include "libcore/engine/query.h"
#include "libcore/kern/screen/screen.h"

#define VS_MOMENT_FILTER_ROWS 128 /* looked at together */

/* Counts of columns, and which of their pairs with some rows may pass. */
struct vs_moment_filter {
	float *sum, *lost, *spread, *two; /* see moment_filter.c */
	float *by_one, *by_two, *more, *share;
	/* past the prefix: fields with at least one copy, and with two */
	float *at_least[VS_FIRSTS][2];
	bool counted[VS_FIRSTS]; /* the arrays above are filled */
	/* of the columns: */
	const struct vs_panel *panel;
	size_t lo, n;
	uint64_t *hit; /* n_word words for each row */
	size_t n_word;
};

/*
 * Arrays for n_row rows and n_col columns, a multiple of VS_SCREEN_COLS.
 * firsts   sums of prefixes will be tested, too
 */
void vs_moment_filter_lay_out(struct vs_moment_filter *f, size_t n_row,
	size_t n_col, bool firsts, struct vs_layout *l);

/* Fill the arrays for columns [lo, lo + n) of p, padded to whole
 * VS_SCREEN_COLS. */
void vs_moment_filter_cols(struct vs_moment_filter *f, const struct vs_query *q,
	const struct vs_panel *p, size_t lo, size_t n);

/*
 * Rows [row, row + n_row) of p against columns [lo, hi) by their sums of
 * products over the fields that both have: bit c % 64 of word c / 64 of a row
 * says that column c may pass. Columns past either end, up to multiples of
 * VS_SCREEN_COLS, are read too; all arrays extend so far.
 * first    the prefix that the sums are of; VS_FIRSTS: all fields
 * sum      row r starts at r ld
 * returns  how many may pass
 */
size_t vs_moment_filter_look(struct vs_moment_filter *f,
	const struct vs_query *q, const struct vs_panel *p, size_t row,
	size_t n_row, int first, const int32_t *sum, size_t ld, size_t lo,
	size_t hi);

/*
 * The shortest prefix, `least` or longer, that leaves next to none of the pairs
 * of rows like `row` of p with columns [lo, hi) that are alike only by chance;
 * VS_FIRSTS: there is none. No pair is lost, whatever it returns.
 */
int vs_moment_filter_choose(const struct vs_moment_filter *f,
	const struct vs_query *q, const struct vs_panel *p, size_t row,
	size_t lo, size_t hi, int least);

/*
 * The columns [lo, hi) whose bit in row r is set and that may pass by all sums
 * of row `row` of p: a tighter test if calls are missing.
 * column   room for hi - lo column numbers, ascending
 * returns  how many there are
 */
size_t vs_moment_filter_row(const struct vs_moment_filter *f,
	const struct vs_query *q, const struct vs_panel *p, size_t row,
	size_t r, const struct vs_joint_sums *sums, size_t lo, size_t hi,
	uint16_t *column);

#endif
