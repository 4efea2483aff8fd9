/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Batch filter: float bounds for up to 32 similar rows at once. Without it CCC
 * pairs take 1.2 times as long at 0.7 on 1/f and MAF >= 5 % data; without the
 * row filter too, 7 to 24 times.
 */
#ifndef VS_ENGINE_PRUNE_BATCH_FILTER_H
#define VS_ENGINE_PRUNE_BATCH_FILTER_H

#include "libcore/engine/prune/coefficients.h"
#include "libcore/kern/kernels.h"
#include "libcore/kern/screen/screen.h"

/*
 * Extremes of a block's columns that have a call: least 1 / u of the leading
 * and of the other label, least fields present, least and greatest ws, greatest
 * deviation of followers; and, in the fields not counted, fewest and most with
 * one and with two copies.
 */
struct vs_block_sides {
	float bl, bo, c, ws[2], above, below;
	float one[2], two[2];
};

/* Blocks of the sides' columns [0, n); rest: or null. */
void vs_batch_filter_blocks(const struct vs_panel *cols,
	const struct vs_sides *sides, const struct vs_rest *rest, size_t n,
	struct vs_block_sides *block);

/* A row: its coefficients, and its counts in the remaining fields. */
struct vs_batch_filter_row {
	struct vs_coefficients edge;
	float rest[2];
};

/* Pairs of some rows that may pass; ranges of their sums, and which sums were
 * counted. */
struct vs_batch_filter {
	struct vs_batch_filter_row *row;
	uint64_t *hit; /* n_word words for each row */
	size_t n_word;
	struct vs_range *range; /* n_block for each row */
	uint64_t *block;
	size_t n_block;
};

/* Make room for n_col columns, a multiple of VS_SCREEN_COLS. 0; VS_EMACHINE */
int vs_batch_filter_room(struct vs_batch_filter *s, size_t n_row, size_t n_col);
void vs_batch_filter_free(struct vs_batch_filter *s);

static inline size_t
vs_batch_filter_bytes(size_t n_row, size_t n_col)
{
	return n_row *
		(sizeof(struct vs_batch_filter_row) + n_col / 8 +
			sizeof(uint64_t) +
			(n_col / VS_BLOCK_COLS + 1) * sizeof(struct vs_range));
}

/* Rows against columns, and their sums. */
struct vs_batch_filter_work {
	const struct vs_representatives *rows;
	const struct vs_sides *sides;
	const struct vs_rest *rest; /* or null */
	const int32_t *p;           /* rows ld apart */
	size_t ld, lo, hi;          /* columns */
	bool some;                  /* only the sums in s->block were counted */
};

/* Compute the coefficients of all rows. */
void vs_batch_filter_rows(struct vs_batch_filter *s, const struct vs_query *q,
	const struct vs_batch_filter_work *work);

/* Ranges of the rows' sums with blocks of the wanted columns; block: of all
 * columns from the first. returns what to ask a kernel for */
struct vs_some vs_batch_filter_ranges(struct vs_batch_filter *s,
	const struct vs_query *q, const struct vs_batch_filter_work *work,
	const struct vs_block_sides *block);

/*
 * All rows, by their coefficients: bit c % 64 of word c / 64 says that column c
 * of [lo, hi) may pass.
 * Columns past either end, to whole VS_SCREEN_COLS, are read too; all arrays
 * extend so far. In a row without a call none may pass. With `some`, blocks of
 * a row in which none may pass are cleared.
 * returns  how many may pass
 */
size_t vs_batch_filter_look(struct vs_batch_filter *s, const struct vs_query *q,
	const struct vs_batch_filter_work *work);

#endif
